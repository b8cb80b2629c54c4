"""`auditlint check` as a whole process: exit status, report forms, fixes, baselines, settings."""

import json
import os
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = pytest.mark.slow

BROKEN = "-D\n-w /etc/passwd -p wa -k id\n-w /etc/shadow -p wz -k id\n-w /etc/group -p wa -k id\n"
DOUBLE = "-D\r\n-w /etc/passwd -p wa -k id\n# keep\n-w /etc/passwd -p wa -k id\n"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def check(*words: str, stdin: str = "", **env: str) -> subprocess.CompletedProcess[str]:
    root = str(Path(__file__).resolve().parent.parent.parent)
    return subprocess.run(
        [sys.executable, "-m", "auditlint", "check", *words],
        input=stdin,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": root, **env},
    )


def test_error_is_shown_with_place_caret_and_loss(here: Any) -> None:
    (here / "a.rules").write_text(BROKEN)
    done = check("a.rules", "--select", "AL1")
    assert done.returncode == 1
    assert done.stdout.startswith("a.rules:3:19: error: ")
    assert "      3 | -w /etc/shadow -p wz -k id\n        |                   ^^" in done.stdout
    assert done.stdout.endswith(
        "a.rules: 1 of 3 rules load; 2 lost from line 3 on\n1 file, 3 rules: 1 error, 0 warnings, 0 advice\n"
    )
    assert done.stderr == ""


def test_check_is_the_default_command(here: Any) -> None:
    (here / "a.rules").write_text(BROKEN)
    root = str(Path(__file__).resolve().parent.parent.parent)
    words = [sys.executable, "-m", "auditlint", "a.rules"]
    done = subprocess.run(words, capture_output=True, check=False, env={**os.environ, "PYTHONPATH": root})
    assert done.returncode == 1


@pytest.mark.parametrize(("fail_on", "status"), [("error", 0), ("warning", 1), ("advice", 1), ("never", 0)])
def test_fail_on(here: Any, fail_on: str, status: int) -> None:
    (here / "audit.rules").write_text("-w /etc/passwd -p wa -k id\n")  # no -D: a warning
    assert check("audit.rules", "--select", "AL010", "--fail-on", fail_on).returncode == status


def test_standard_input_has_a_name() -> None:
    done = check("-", "--stdin-filename", "x.rules", "--select", "AL1", stdin=BROKEN)
    assert done.returncode == 1
    assert done.stdout.startswith("x.rules:3:")


def test_no_colour_in_a_pipe(here: Any) -> None:
    (here / "a.rules").write_text(BROKEN)
    assert "\x1b" not in check("a.rules", FORCE_COLOR="1").stdout


def test_several_reports_at_once(here: Any) -> None:
    (here / "a.rules").write_text(BROKEN)
    done = check(
        "a.rules", "--select", "AL1", "--format", "text", "--format", "sarif:o.sarif", "--format", "json:o.json"
    )
    assert done.returncode == 1
    assert "error" in done.stdout
    results = json.loads((here / "o.sarif").read_text())["runs"][0]["results"]
    findings = json.loads((here / "o.json").read_text())["findings"]
    assert [result["ruleId"] for result in results] == [finding["code"] for finding in findings] != []


def test_safe_fix_keeps_mode_line_ends_and_the_rest(here: Any) -> None:
    path = here / "a.rules"
    path.write_bytes(DOUBLE.encode())
    path.chmod(0o640)
    done = check("a.rules", "--select", "AL301", "--fix")
    assert done.returncode == 0
    assert "a.rules: 1 fix in 1 file" in done.stderr
    assert path.read_bytes() == b"-D\r\n-w /etc/passwd -p wa -k id\n# keep\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o640


def test_a_search_fixes_only_what_is_called_a_rule_file(here: Any) -> None:
    (here / "sub").mkdir()
    double = DOUBLE.replace("\r", "")
    (here / "sub" / "a.rules").write_text(double)
    (here / "sub" / "plain").write_text(double + double)
    (here / "sub" / "README.md").write_text(f"Put this in a file:\n\n```\n{double}```\n")
    done = check(".", "--select", "AL301", "--fix")
    assert "./sub/a.rules: 1 fix in 1 file\n" in done.stderr
    assert "./sub/plain: not fixed: recognized only by its content; name it to fix it\n" in done.stderr
    assert (here / "sub" / "plain").read_text() == double + double
    assert (here / "sub" / "README.md").read_text().count("-w /etc/passwd -p wa -k id") == 2
    named = check("sub/plain", "--select", "AL301", "--fix")
    assert "sub/plain: 2 fixes in 1 file\n" in named.stderr


def test_diff_writes_nothing(here: Any) -> None:
    path = here / "a.rules"
    path.write_bytes(DOUBLE.encode())
    done = check("a.rules", "--select", "AL301", "--diff")
    assert done.returncode == 1
    assert "\n--w /etc/passwd -p wa -k id\n" in done.stdout
    assert path.read_bytes() == DOUBLE.encode()


def test_diff_says_what_it_does_not_show(here: Any) -> None:
    (here / "x.config").write_text("CONFIG_NET=y\n CONFIG_AUDIT=y\n")
    words = ("x.config", "--kernel", "6.1", "--select", "AL807", "--diff")
    done = check(*words)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "auditlint: 1 fix needs --unsafe-fixes\n")
    done = check(*words, "--unsafe-fixes")
    assert (done.returncode, done.stderr) == (1, "")
    assert "\n- CONFIG_AUDIT=y\n+CONFIG_AUDIT=y\n" in done.stdout


def test_fixing_standard_input_prints_the_fixed_text() -> None:
    done = check("-", "--stdin-filename", "a.rules", "--select", "AL301", "--fix", stdin=DOUBLE.replace("\r", ""))
    assert done.stdout == "-D\n-w /etc/passwd -p wa -k id\n# keep\n"
    assert "0 errors" in done.stderr


def test_fragments_are_named_not_the_merged_text(here: Any) -> None:
    (here / "rules.d").mkdir()
    (here / "rules.d/10-a.rules").write_text("-D\n-w /etc/passwd -p wa -k id\n")
    (here / "rules.d/20-b.rules").write_text("\n\n-w /etc/passwd -p wa -k id\n")
    done = check("rules.d", "--select", "AL301", "--format", "json")
    [finding] = json.loads(done.stdout)["findings"]
    assert (finding["file"], finding["line"]) == ("rules.d/20-b.rules", 3)
    assert (finding["related"][0]["file"], finding["related"][0]["line"]) == ("rules.d/10-a.rules", 2)


def test_suppression_and_unused_suppression(here: Any) -> None:
    (here / "a.rules").write_text(
        DOUBLE.replace("# keep", "# auditlint: ignore[AL301] shipped twice").replace("\r", "")
    )
    done = check("a.rules", "--select", "AL301,AL09")
    assert done.returncode == 0
    assert done.stdout.endswith("(1 suppressed)\n")
    (here / "b.rules").write_text("-D\n# auditlint: ignore[AL301] not needed\n-w /etc/passwd -p wa -k id\n")
    assert "AL091 unused-suppression" in check("b.rules", "--select", "AL301,AL09").stdout


def test_baseline_takes_what_is_known(here: Any) -> None:
    path = here / "a.rules"
    path.write_text(BROKEN)
    assert check("a.rules", "--write-baseline", "known.json").returncode == 0
    path.write_text("# moved\n" + BROKEN)
    assert check("a.rules", "--baseline", "known.json").returncode == 0
    path.write_text(BROKEN + "-w /etc/hosts -p wy -k id\n")
    done = check("a.rules", "--baseline", "known.json", "--select", "AL1")
    assert done.returncode == 1
    assert "a.rules:5:" in done.stdout
    assert "a.rules:3:" not in done.stdout


def test_statistics_count_by_check(here: Any) -> None:
    (here / "a.rules").write_text(BROKEN)
    assert "     1  AL138 " in check("a.rules", "--select", "AL1", "--statistics").stdout


def test_settings_file_is_found_above_and_overridden(here: Any) -> None:
    (here / "auditlint.toml").write_text('ignore = ["AL1"]\n')
    (here / "sub").mkdir()
    (here / "sub/a.rules").write_text(BROKEN)
    assert "AL1" not in check("sub/a.rules").stdout
    assert "AL1" in check("sub/a.rules", "--no-config").stdout


def test_per_path_ignores(here: Any) -> None:
    (here / "auditlint.toml").write_text('[per-path]\n"b.rules" = ["AL1"]\n')
    for name in ("a.rules", "b.rules"):
        (here / name).write_text(BROKEN)
    out = check("a.rules", "b.rules", "--select", "AL1").stdout
    assert "a.rules:3:" in out
    assert "b.rules:3:" not in out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["none.rules"], "none.rules: No such file or directory"),
        (["a.rules", "--select", "AL999"], "unknown check 'AL999'"),
        (["a.rules", "--format", "xml"], "--format xml: unknown format"),
        (["a.rules", "--format", "text", "--format", "json"], "only one report can go to standard output"),
        (["a.rules", "--kernel", "six"], "--kernel six"),
        (["a.rules", "--baseline", "a.rules"], "a.rules: not a baseline"),
        (["a.rules", "--config", "a.rules"], "a.rules"),
        (["a.rules", "--output", "no/such/dir"], "no/such/dir: No such file"),
        ([".", "--kind", "cmdline"], "no rule file, configuration"),
    ],
)
def test_wrong_use_is_one_line_and_2(here: Any, words: list[str], message: str) -> None:
    (here / "a.rules").write_text(BROKEN)
    done = check(*words)
    assert done.returncode == 2
    assert message in done.stderr
    assert done.stderr.count("\n") == 1
    assert done.stdout == ""


@pytest.mark.parametrize(
    "words", [["--output", "a.rules"], ["--write-baseline", "a.rules"], ["--format", "json:./a.rules"]], ids=" ".join
)
def test_a_report_does_not_replace_what_it_is_about(here: Any, words: list[str]) -> None:
    (here / "a.rules").write_text(DOUBLE)
    done = check(*words, "--fix", "a.rules")
    assert done.returncode == 2
    assert done.stderr.endswith("a.rules: the report would overwrite this input\n")
    assert (here / "a.rules").read_bytes() == DOUBLE.encode()


@pytest.mark.parametrize("target", ["facts.toml", "s.toml", "b.json"])
def test_a_report_does_not_replace_what_else_is_read(here: Any, target: str) -> None:
    texts = {"a.rules": DOUBLE, "facts.toml": "", "s.toml": "", "b.json": '{"version": 1, "findings": {}}'}
    for name, text in texts.items():
        (here / name).write_bytes(text.encode())
    done = check("--facts", "facts.toml", "--config", "s.toml", "--baseline", "b.json", "--output", target, "a.rules")
    assert done.returncode == 2
    assert done.stderr == f"auditlint: {target}: the report would overwrite this input\n"
    assert {name: (here / name).read_bytes().decode() for name in texts} == texts


def test_a_baseline_can_be_written_anew(here: Any) -> None:
    (here / "a.rules").write_text(DOUBLE)
    assert check("--write-baseline", "b.json", "a.rules").returncode == 0
    assert check("--baseline", "b.json", "--write-baseline", "b.json", "a.rules").returncode == 0


def test_two_reports_into_one_file(here: Any) -> None:
    (here / "a.rules").write_text(DOUBLE)
    done = check("--format", "json:o", "--format", "sarif:./o", "a.rules")
    assert (done.returncode, done.stderr) == (2, "auditlint: --format: two reports go to o\n")


@pytest.mark.skipif(not Path("/usr/bin/patch").exists(), reason="patch is not installed")
@pytest.mark.parametrize("end", ["", "\n"], ids=["no final newline", "final newline"])
def test_diff_is_taken_by_patch(here: Any, end: str) -> None:
    text = "-D\n-w /etc/passwd -p wa -k id\n# keep\n-w /etc/passwd -p wa -k id\n# last" + end
    (here / "a.rules").write_text(text)
    shown = check("--diff", "a.rules").stdout
    subprocess.run(["/usr/bin/patch", "a.rules"], input=shown, text=True, check=True)
    patched = (here / "a.rules").read_text()
    (here / "a.rules").write_text(text)
    check("--fix", "a.rules")
    assert (here / "a.rules").read_text() == patched != text


def test_a_safe_fix_does_not_make_a_rule_of_a_refused_duplicate(here: Any) -> None:
    line = "-w /etc/passwd -p wa -k id\r\n"
    (here / "a.rules").write_bytes(f"-D\r\n{line}# c\r\n{line}".encode())
    check("--fix", "a.rules")
    assert (here / "a.rules").read_bytes() == f"-D\n{line}# c\n".encode()


@pytest.mark.parametrize("words", ["tests/b.rules", "./tests/b.rules", "{here}/tests/b.rules", "in tests"])
def test_patterns_of_per_path_are_relative_to_the_settings(
    here: Any, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    (here / "auditlint.toml").write_text('[per-path]\n"tests/*" = ["AL1"]\n')
    (here / "tests").mkdir()
    (here / "tests/b.rules").write_text(BROKEN)
    if words == "in tests":
        monkeypatch.chdir(here / "tests")
        words = "b.rules"
    assert "b.rules:3:" not in check(words.format(here=here), "--select", "AL1").stdout


def test_settings_are_blamed_for_what_they_say(here: Any) -> None:
    (here / "auditlint.toml").write_text('kernel = "six"\n')
    (here / "a.rules").write_text(BROKEN)
    done = check("a.rules")
    assert (
        done.stderr
        == f"auditlint: {here}/auditlint.toml: kernel six: not a kernel version; expected for example 6.1, or none\n"
    )
    assert check("--kernel", "6.1", "a.rules").returncode == 1
    (here / "auditlint.toml").write_text('[per-path]\n"*" = ["NOPE"]\n')
    assert "unknown check 'NOPE'" in check("a.rules").stderr


def test_findings_of_a_directory_stand_in_the_order_of_loading(here: Any) -> None:
    for name in ("30.rules", "10.rules", "20.rules"):
        (here / name).write_text(f"-D\n-w /{name} -p wz -k id\n")
    found = [line.partition(":")[0] for line in check(".").stdout.splitlines() if " error: " in line]
    assert found == ["./10.rules", "./20.rules", "./30.rules"]


@pytest.mark.parametrize("words", [["rules.d"], ["./rules.d"], ["{here}/rules.d"], ["../rules.d"]], ids=" ".join)
def test_a_baseline_knows_a_file_however_it_is_named(
    here: Any, words: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (here / "rules.d").mkdir()
    (here / "sub").mkdir()
    (here / "rules.d/a.rules").write_text(BROKEN)
    assert check("rules.d", "--write-baseline", "known.json").returncode == 0
    assert '"AL138 rules.d/a.rules ' in (here / "known.json").read_text()
    known = "known.json"
    if words == ["../rules.d"]:
        monkeypatch.chdir(here / "sub")
        known = "../known.json"
    assert check(*[word.format(here=here) for word in words], "--baseline", known).returncode == 0
    (here / "rules.d/a.rules").write_text(BROKEN + "-w /x -p wy -k x\n")
    monkeypatch.chdir(here)
    assert check("rules.d", "--baseline", "known.json").returncode == 1


def test_an_older_baseline_has_paths_as_they_were_spelled(here: Any) -> None:
    (here / "sub").mkdir()
    (here / "a.rules").write_text(BROKEN)
    check("a.rules", "--write-baseline", "known.json")
    (here / "sub" / "known.json").write_text((here / "known.json").read_text())
    assert check("a.rules", "--baseline", "sub/known.json").returncode == 0


def test_settings_name_the_baseline(here: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    (here / "auditlint.toml").write_text('baseline = "known.json"\n')
    (here / "a.rules").write_text(BROKEN)
    (here / "sub").mkdir()
    check("a.rules", "--write-baseline", "known.json")
    assert check("a.rules").returncode == 0
    monkeypatch.chdir(here / "sub")
    assert check("../a.rules").returncode == 0
    assert check("../a.rules", "--no-config").returncode == 1


def test_only_what_is_grave_enough_is_shown(here: Any) -> None:
    (here / "a.rules").write_text(BROKEN)
    done = check("a.rules", "--min-severity", "error")
    assert done.returncode == 1
    assert "warning:" not in done.stdout and "advice:" not in done.stdout
    assert done.stdout.count(": error: ") == 1
    whole = check("a.rules", "--min-severity", "error", "--fail-on", "advice", "--select", "AL9")
    assert (whole.returncode, whole.stdout.count("advice: ")) == (1, 0)


def test_junit_fails_what_fails_the_run(here: Any) -> None:
    import xml.etree.ElementTree as xml

    (here / "a.rules").write_text(BROKEN)
    for fail_on, failures in (("error", {"error"}), ("warning", {"error", "warning"}), ("never", set())):
        done = check("a.rules", "--format", "junit", "--fail-on", fail_on)
        suites = xml.fromstring(done.stdout)
        failed = [each.get("type") for each in suites.iter("failure")]
        assert set(failed) == failures or set(failed) < {"error", "warning", "advice"}
        assert all(kind in failures for kind in failed)
        assert int(suites.get("failures", "")) == len(failed)
        assert (done.returncode == 1) == bool(failed)
        assert len(list(suites.iter("testcase"))) == len(failed) + len(list(suites.iter("system-out")))


def test_what_rules_were_fixed_for_is_said(here: Any) -> None:
    (here / "a.rules").write_text("-D\n-a always,exit -F arch=b64 -S truncate -F exit=EACCES -k a\n")
    words = ("a.rules", "--unsafe-fixes", "--select", "AL204")
    done = check(*words, "--kernel", "6.1")
    assert done.stderr == (
        "auditlint: a.rules: 1 fix in 1 file\n"
        "auditlint: fixed for Linux 6.1, x86_64, auditctl 4.2; choose another target with --machine, --auditctl\n"
    )
    (here / "a.rules").write_text("-D\n-a always,exit -F arch=b64 -S truncate -F exit=EACCES -k a\n")
    done = check(*words, "--kernel", "6.1", "--machine", "x86_64", "--auditctl", "4.2")
    assert done.stderr == "auditlint: a.rules: 1 fix in 1 file\n"
