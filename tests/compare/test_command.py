"""`auditlint diff` where users meet it: sources, options, forms, exit status."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import pytest

from auditlint.cli.main import run

A = """\
-a always,exit -F arch=b64 -S chmod,fchmod,fchmodat -F auid>=1000 -F auid!=unset -k perm
-a always,exit -F arch=b32 -S chmod,fchmod,fchmodat -F auid>=1000 -F auid!=unset -k perm
-w /etc/shadow -p wa -k identity
-a always,exit -F arch=b64 -S unlink,unlinkat -F auid>=1000 -F auid!=unset -k delete
"""
B = """\
-w /etc/shadow -p wa -k identity
-a always,exit -F arch=b64 -S chmod,fchmod,fchmodat,fchmodat2 -F auid>=1000 -F auid!=unset -k perm
-a always,exit -F arch=b64 -S unlink,unlinkat -F auid>=1000 -F auid!=unset -k removal
"""
KERNEL = ["--kernel", "6.12", "--auditctl", "4.2"]


@pytest.fixture
def sets(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a.rules").write_text(A)
    (tmp_path / "b.rules").write_text(B)
    return tmp_path


def answer(capsys: pytest.CaptureFixture[str], *words: str) -> tuple[int, dict[Any, Any]]:
    status = run(["diff", *KERNEL, "--format", "json", *words])
    return status, json.loads(capsys.readouterr().out)


def of_kind(record: dict[Any, Any], kind: str) -> list[dict[Any, Any]]:
    return [group for group in record["groups"] if group["kind"] == kind]


def test_lost_gained_and_renamed(sets: Any, capsys: pytest.CaptureFixture[str]) -> None:
    status, record = answer(capsys, "a.rules", "b.rules")
    assert (status, record["verdict"], record["at_least"], record["assumed"]) == (1, "different", False, [])
    (less,) = of_kind(record, "less")
    assert less["certain"] and less["a"] == [{"file": "a.rules", "line": 2}] and less["b"] == []
    assert less["calls"] == [
        {"abi": 32, "names": ["chmod", "fchmod", "fchmodat"], "numbers": [15, 94, 306]},
    ]
    assert less["who"] == {"auid": [[1000, 4294967294]]}
    assert (less["a_decision"]["logged"], less["b_decision"]["logged"]) == (True, False)
    (more,) = of_kind(record, "more")
    assert more["calls"][0]["names"] == ["fchmodat2"] and more["b_key"] == "perm"
    keys = {(group["a_key"], group["b_key"]) for group in of_kind(record, "key")}
    assert keys == {("perm", "identity"), ("delete", "removal")}
    assert {"path": "/etc/shadow"} in of_kind(record, "key")[0]["places"]


def test_examples_are_judged_alike_by_match(sets: Any, capsys: pytest.CaptureFixture[str]) -> None:
    _, record = answer(capsys, "a.rules", "b.rules", "--events-out", "events")
    for path, side in (("a.rules", "a_decision"), ("b.rules", "b_decision")):
        assert run(["match", path, "--events", "events", *KERNEL]) == 0
        decisions = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
        assert decisions == [group[side] for group in record["groups"] if "event" in group]
        assert decisions


def test_order_of_conditions_files_and_watches_is_no_difference(sets: Any, capsys: pytest.CaptureFixture[str]) -> None:
    (sets / "c.rules").write_text(
        "-a always,exit -F auid!=unset -F auid>=1000 -F arch=b64 -S unlinkat -S unlink -k delete\n"
        "-a always,exit -F path=/etc/shadow -F perm=aw -k identity\n"
        "-a always,exit -F auid!=-1 -F auid>=1000 -F arch=b32 -S fchmodat,chmod,fchmod -k perm\n"
        "-a always,exit -F arch=b64 -S fchmodat,chmod,fchmod -F auid>999 -F auid!=4294967295 -k perm\n"
    )
    status, record = answer(capsys, "a.rules", "c.rules")
    # The watch stands before the rules on chmod now.
    assert status == 1 and {group["kind"] for group in record["groups"]} == {"key"}
    status, record = answer(capsys, "a.rules", "c.rules", "--keys", "any")
    assert (status, record["verdict"], record["groups"]) == (0, "same", [])


def test_at_least(sets: Any, capsys: pytest.CaptureFixture[str]) -> None:
    (sets / "more.rules").write_text(A + "-a always,exit -F arch=b64 -S mount -k mounts\n")
    assert answer(capsys, "--at-least", "a.rules", "more.rules")[0] == 0
    status, record = answer(capsys, "--at-least", "more.rules", "a.rules")
    assert (status, record["verdict"], record["at_least"]) == (1, "different", False)


def test_one_set_under_two_releases_of_auditctl(sets: Any, capsys: pytest.CaptureFixture[str]) -> None:
    (sets / "one.rules").write_text("-a always,exit -F arch=b32 -F path=/etc/shadow -F perm=a -k identity\n")
    status = run(["diff", "one.rules", "--kernel", "6.1", "--auditctl", "3.0.9", "--against", "auditctl=4.2"])
    text = capsys.readouterr().out
    assert status == 1
    assert "B records less: lchown32, fchown32, chown32 of 32-bit programs of /etc/shadow" in text
    assert "the targets read one.rules:1 differently" in text


def test_where_a_load_stops_and_settings(sets: Any, capsys: pytest.CaptureFixture[str]) -> None:
    (sets / "b.rules").write_text("-b 100\n" + A.replace("chmod,", "chmod,no_such_call,", 1) + "-e 2\n")
    status, record = answer(capsys, "a.rules", "b.rules")
    assert status == 1
    (load,) = of_kind(record, "load")
    assert (load["side"], load["at"], load["lost"]) == ("b", "b.rules:2", 4)
    assert [(each["name"], each["a"], each["b"]) for each in of_kind(record, "settings")] == [
        ("backlog_limit", None, 100)
    ]


def test_switched_off_records_nothing(sets: Any, capsys: pytest.CaptureFixture[str]) -> None:
    (sets / "off.rules").write_text(A + "-e 0\n")
    status, record = answer(capsys, "a.rules", "off.rules", "--ignore", "settings")
    assert status == 1 and {group["kind"] for group in record["groups"]} == {"less"}
    assert all(group["certain"] for group in record["groups"])


def test_regions(sets: Any, capsys: pytest.CaptureFixture[str]) -> None:
    assert answer(capsys, "a.rules", "b.rules", "--only", "calls=rename,openat")[0] == 0
    status, record = answer(capsys, "a.rules", "b.rules", "--ignore", "calls=chmod,fchmod,fchmodat,fchmodat2")
    assert status == 1 and {group["kind"] for group in record["groups"]} == {"key"}
    words = ["--ignore", "key=perm", "--ignore", "key=removal"]
    assert answer(capsys, "a.rules", "b.rules", *words)[0] == 0


def test_revisions_of_a_repository(
    sets: Any, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"):
        monkeypatch.delenv(name, raising=False)
    (sets / "rules.d").mkdir()
    (sets / "rules.d/10-a.rules").write_text(A)

    def git(*words: str) -> None:
        subprocess.run(["git", "-c", "user.name=n", "-c", "user.email=e", *words], check=True, capture_output=True)

    git("init", "-q")
    git("add", ".")
    git("commit", "-qm", "rules")
    (sets / "rules.d/10-a.rules").write_text(B)
    status, record = answer(capsys, "HEAD:rules.d", "rules.d")
    assert status == 1 and record["a"]["path"] == "HEAD:rules.d"
    assert of_kind(record, "less")[0]["a"] == [{"file": "HEAD:rules.d/10-a.rules", "line": 2}]
    assert answer(capsys, "HEAD:a.rules", "a.rules")[0] == 0
    assert run(["diff", "HEAD:none.rules", "a.rules"]) == 2
    assert run(["diff", "nothing:a.rules", "a.rules"]) == 2


@pytest.mark.parametrize(
    "words",
    [
        ["a.rules"],
        ["a.rules", "b.rules", "a.rules"],
        ["-", "-"],
        ["a.rules", "missing.rules"],
        ["a.rules", "b.rules", "--against", "kernel=x"],
        ["a.rules", "b.rules", "--against", "colour=red"],
        ["a.rules", "b.rules", "--only", "calls=nonsense"],
        ["a.rules", "b.rules", "--ignore", "nothing"],
        ["a.rules", "b.rules", "--kernel", "none"],
        ["a.rules", "b.rules", "--limit", "0"],
        ["a.rules", "--profile", "nothing"],
    ],
)
def test_wrong_use_is_one_line_and_status_2(sets: Any, capsys: pytest.CaptureFixture[str], words: list[str]) -> None:
    assert run(["diff", *words]) == 2
    output = capsys.readouterr()
    assert output.out == "" and len(output.err.splitlines()) == 1


def test_forms(sets: Any, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["diff", *KERNEL, "--format", "markdown", "a.rules", "b.rules"]) == 1
    text = capsys.readouterr().out
    assert text.startswith("### Audit rules: `a.rules` and `b.rules` **differ**")
    assert "<summary>loses: chmod" in text
    assert run(["diff", *KERNEL, "--format", "github", "a.rules", "b.rules"]) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("::error file=a.rules,line=2,title=auditlint diff::B records less")
    assert run(["diff", *KERNEL, "--format", "html", "a.rules", "b.rules"]) == 1
    assert "<h2>1  B records less" in capsys.readouterr().out


def test_hostile_text_ends_nowhere(sets: Any, capsys: pytest.CaptureFixture[str]) -> None:
    (sets / "h.rules").write_text("-w /etc/x\x1b[31m -p wa -k a\n-w /etc/::error::y -p wa -k ```\n-w /etc/<b> -p wa\n")
    (sets / "empty.rules").write_text("")
    for form in ("text", "markdown", "github", "html", "json"):
        assert run(["diff", *KERNEL, "--format", form, "h.rules", "empty.rules"]) == 1
        text = capsys.readouterr().out
        assert "\x1b" not in text
        if form == "github":
            assert all(line.startswith(("::error ", "::warning ", "::notice ")) for line in text.splitlines())
        if form == "html":
            assert "<b>" not in text


def test_a_budget_ends_in_unknown(sets: Any, capsys: pytest.CaptureFixture[str]) -> None:
    status = run(["diff", *KERNEL, "--limit", "0.0000001", "a.rules", "b.rules"])
    text = capsys.readouterr().out
    assert status == 1
    assert "the time limit ended" in text and "same:" not in text
    assert run(["diff", *KERNEL, "--limit", "0.0000001", "--allow-unknown", "a.rules", "b.rules"]) in (0, 1)


def test_a_profile(sets: Any, capsys: pytest.CaptureFixture[str]) -> None:
    status, record = answer(capsys, "--profile", "stig", "a.rules")
    assert status == 1 and record["question"] == "at-least" and record["a"]["path"] == "profile stig"
