"""One answer to "is this a complete rule set?" for every check that says what is missing."""

import json
from pathlib import Path

import pytest

from auditlint.cli.main import main

MISSING = {"AL010", "AL406", "AL602"}
"""Complete rule sets lack -D, rules about io_uring, and -b."""
RULES = "-a always,exit -F arch=b64 -S openat -F success=0 -F key=denied\n"
START = "-D\n-f 1\n"


def missing(capsys: pytest.CaptureFixture[str], path: Path) -> set[str]:
    main(["check", "--kernel", "6.1", "--format", "json", "--pedantic", str(path)])
    report = json.loads(capsys.readouterr().out)
    return {finding["code"] for finding in report["findings"]} & MISSING


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("audit.rules", RULES, MISSING),
        ("audit.rules", START + RULES, MISSING - {"AL010"}),
        ("10-base.rules", RULES, set()),
        ("10-base.rules", START + RULES, set()),
        ("10-base.rules", "-f 1\n" + RULES, set()),
        ("mine.rules", RULES, set()),
        ("mine.rules", START + RULES, MISSING - {"AL010"}),
        ("mine.rules", "-D\n" + RULES, MISSING - {"AL010"}),
        ("mine.rules", "-D -k old\n" + RULES, set()),
        ("mine.rules", "-f 1\n" + RULES, MISSING),
        ("audit.rules", START, set()),
    ],
)
def test_the_checks_agree(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, name: str, text: str, expected: set[str]
) -> None:
    path = tmp_path / name
    path.write_text(text)
    assert missing(capsys, path) == expected


def test_a_directory_is_complete(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    (tmp_path / "10-base.rules").write_text(RULES)
    assert missing(capsys, tmp_path) == MISSING
