"""The command: answers, explanations, errors, and the example of its page."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from auditlint.cli import main as cli

RULES = """-a never,exit -F arch=b64 -S openat -F auid=unset -k quiet
-w /etc/shadow -p wa -k shadow
-a always,exit -F arch=b64 -S openat -F success=0 -F auid>=1000 -k denied
-a always,exit -F arch=b32 -S open -k old
"""
OPEN = {
    "name": "openat",
    "abi": 64,
    "a": ["ffffff9c", "0", "0", "0"],
    "exit": -13,
    "ids": {"auid": 1000},
    "objects": [{"name": "/etc/hosts", "mode": "0100644"}],
}


def judge(tmp_path: Path, rules: str, *events: object, options: tuple[str, ...] = ()) -> tuple[int, Path, Path]:
    file = tmp_path / "a.rules"
    file.write_text(rules)
    lines = tmp_path / "events.jsonl"
    lines.write_text("".join(each if isinstance(each, str) else json.dumps(each) + "\n" for each in events))
    status = cli.run(["match", str(file), "--events", str(lines), "--no-config", "--kernel", "6.1", *options])
    return status, file, lines


def test_says_which_rule_decides(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, file, _ = judge(tmp_path, RULES, OPEN)
    assert status == 0
    assert json.loads(capsys.readouterr().out) == {
        "logged": True,
        "key": "denied",
        "by": {"file": str(file), "line": 3},
        "list": "exit",
        "records": ["SYSCALL", "CWD", "PATH", "PROCTITLE", "EOE"],
    }


def test_explains_every_rule_in_order(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, file, _ = judge(tmp_path, RULES, {**OPEN, "exit": 3}, options=("--explain",))
    answer = json.loads(capsys.readouterr().out)
    assert answer["logged"] is False
    assert answer["by"] is None
    assert answer["steps"] == [
        f"{file}:1 auid=unset is false: auid is 1000",
        f"{file}:3 success=0 is false: the call succeeded",
        f"{file}:4 does not name openat (257)",
        f"{file}:2 path=/etc/shadow is not a path object of the call",
        "not logged: no rule matches",
    ]


def test_a_missing_key_is_unknown_and_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    event = {key: value for key, value in OPEN.items() if key != "ids"}
    _, file, _ = judge(tmp_path, RULES, event, options=("--explain",))
    answer = json.loads(capsys.readouterr().out)
    assert answer["logged"] is None
    assert f"{file}:1 may match: the event does not show enough for auid=unset" in answer["steps"]


def test_text_for_people(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, file, _ = judge(tmp_path, RULES, OPEN, {**OPEN, "exit": 3}, options=("--format", "text"))
    assert capsys.readouterr().out == f"logged with key denied, by {file}:3\nnot logged: no rule matches\n"


def test_switched_off_by_the_rules_or_by_the_facts(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    judge(tmp_path, RULES + "-e 0\n", OPEN, options=("--explain",))
    answer = json.loads(capsys.readouterr().out)
    assert (answer["logged"], answer["records"]) == (False, [])
    assert "switched off" in answer["steps"][0]
    facts = tmp_path / "facts.toml"
    facts.write_text("kernel = { enabled = 0, rules = [] }\n")
    judge(tmp_path, RULES, OPEN, options=("--facts", str(facts)))
    assert json.loads(capsys.readouterr().out)["logged"] is False
    judge(tmp_path, RULES + "-e 1\n", OPEN, options=("--facts", str(facts)))
    assert json.loads(capsys.readouterr().out)["logged"] is True


def test_lines_behind_a_mistake_do_not_count(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    _, file, _ = judge(tmp_path, "-a always,exit -S openat -F nonsense=1\n" + RULES, OPEN)
    output = capsys.readouterr()
    assert json.loads(output.out)["logged"] is False
    assert output.err == f"auditlint: {file}:1: the load stops here; later lines are ignored\n"


def test_a_directory_is_merged(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rules = tmp_path / "rules.d"
    rules.mkdir()
    (rules / "20-b.rules").write_text("-a always,exit -F arch=b64 -S openat -k second\n")
    (rules / "10-a.rules").write_text("-a always,exit -F arch=b64 -S openat -F auid>=1000 -k first\n")
    events = tmp_path / "e"
    events.write_text(json.dumps(OPEN) + "\n\n")
    assert cli.run(["match", str(rules), "--events", str(events), "--no-config", "--kernel", "6.1"]) == 0
    answer = json.loads(capsys.readouterr().out)
    assert answer["key"] == "first"
    assert answer["by"] == {"file": str(rules / "10-a.rules"), "line": 1}


@pytest.mark.parametrize(
    ("event", "message"),
    [
        ("{\n", "not valid JSON: Expecting property name enclosed in double quotes at column 2"),
        ("[1]\n", "an event must be a JSON object"),
        ('{"nr": "open"}\n', '"nr" must be a number'),
        ('{"nr": true}\n', '"nr" must be a number'),
        ('{"name": "nosuch", "abi": 64}\n', '"name": nosuch is not a system call of this ABI; give "nr"'),
        ('{"abi": 16.5}\n', '"abi" must be 64, 32 or an AUDIT_ARCH number'),
        ('{"a": ["xyz"]}\n', '"a" must be a list of up to four hexadecimal texts'),
        ('{"a": ["1", "2", "3", "4", "5"]}\n', '"a" must be a list of up to four hexadecimal texts'),
        ('{"exit": "no"}\n', '"exit" must be a number, "pid" or null'),
        ('{"success": 1}\n', '"success" must be true, false or null'),
        ('{"ids": {"uid": "root"}}\n', '"uid" must be a number'),
        ('{"groups": [1, "a"]}\n', '"groups" must be a list of group numbers'),
        ('{"objects": [3]}\n', '"objects" must be a list of path objects'),
        ('{"objects": [{"name": "/x", "type": "CHILD"}]}\n',
         '"type" must be one of NORMAL, PARENT, CREATE, DELETE, UNKNOWN'),
        ('{"objects": [{"name": "/x", "mode": "rw"}]}\n', '"mode" must be an octal text as in a PATH record'),
        ('{"objects": [{"name": "/x", "dev": "2"}]}\n', '"dev" must be a device as "major:minor"'),
        ('{"objects": [{"name": "/x", "fstype": "nofs"}]}\n',
         '"fstype" must be a magic number or the name of a filesystem'),
        ('{"records": 3}\n', '"records" must be record types, as one text or a list'),
        ("[" * 200_000 + "\n", "not valid JSON"),
        ('{"nr": 1' + "0" * 5000 + "}\n", "not valid JSON"),
    ],
)  # fmt: skip
def test_a_bad_line_is_named(event: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    status, _, lines = judge(tmp_path, RULES, {}, event)
    assert status == 2
    assert capsys.readouterr().err == f"auditlint: {lines}:2: {message}\n"


KEYS = (
    "nr", "name", "abi", "a", "exit", "success", "ids", "groups", "pid", "ppid", "pers", "exe", "session", "family",
    "flags", "objects", "records", "task", "last", "subj",
)  # fmt: skip


@pytest.mark.parametrize("value", ["x", -1, 1.5, [], {}, None, True, "unset", 1 << 70, "\ud800"])
@pytest.mark.parametrize(
    "key",
    KEYS,
)
def test_any_value_gives_an_answer_or_one_line(
    key: str, value: object, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    status, _, lines = judge(tmp_path, RULES, {**OPEN, key: value}, options=("--explain",))
    output = capsys.readouterr()
    if status == 0:
        assert json.loads(output.out)["steps"]
    else:
        assert status == 2
        assert output.err.startswith(f"auditlint: {lines}:1: ")
        assert output.err.count("\n") == 1


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["a"], "the following arguments are required: --events (see auditlint match --help)"),
        (["-", "--events", "-"], "standard input (-) can be read only once"),
        (["a", "--events", "e", "--kernel", "none"], "match needs a kernel version: --kernel none has no filters"),
    ],
)
def test_wrong_use(options: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.run(["match", "--no-config", *options]) == 2
    assert capsys.readouterr().err == f"auditlint: {message}\n"


def test_a_second_rule_on_the_same_file_is_told_from_one_on_another(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rules = "-w /etc/shadow -p r -k first\n-w /etc/shadow -p rwa -k second\n-w /etc/group -p r -k third\n"
    event = {
        **OPEN,
        "exit": 3,
        "success": True,
        "objects": [{"name": "/etc/shadow", "file": "/etc/shadow", "type": "NORMAL", "mode": "0100640"}],
    }
    _, file, _ = judge(tmp_path, rules, event, options=("--explain",))
    answer = json.loads(capsys.readouterr().out)
    decided = answer["by"]["line"]
    other = 3 - decided
    steps = [step for step in answer["steps"] if step.startswith(f"{file}:{other}")]
    assert steps and all("is not a path object" not in step for step in steps)
    assert any(step.startswith(f"{file}:3") and "is not a path object" in step for step in answer["steps"])
