"""Findings on inputs of public reports: the expected ones are there, and no false alarm."""

import json
from pathlib import Path

import pytest

from auditlint.lint.registry import all_checks

run = pytest.importorskip("run")

LOADING = [
    "syscall-unknown",
    "syscall-not-on-arch",
    "unknown-field",
    "unknown-option",
    "unknown-user",
    "unknown-msgtype",
    "bad-field-value",
    "bad-option-value",
    "field-syntax",
    "field-not-allowed-in-list",
    "bad-list-action",
    "option-argument-missing",
    "stray-word",
    "path-has-space",
    "path-not-absolute",
    "path-trailing-slash",
    "missing-directory",
    "key-before-target",
    "mixed-watch-and-rule",
    "duplicate-rule",
    "rule-after-lock",
    "joined-lines",
    "no-final-newline",
    "crlf",
    "needs-newer-userspace",
    "needs-newer-kernel",
    "userspace-bug",
    "lock-overridden",
    "file-ignored",
    "compiled-file-drift",
    "errors-ignored",
]
TOGETHER = [
    "never-task",
    "shadowed-by-never",
    "shadowed-by-earlier",
    "dead-never",
    "missing-b32-twin",
    "missing-b64-twin",
    "incomplete-syscall-family",
    "perm-misses-execveat",
    "exe-host-only",
]


def test_every_name_is_a_check() -> None:
    known = {check.name for check in all_checks()}
    words = run.words()
    assert {name for word in LOADING + TOGETHER for name in words[word]} <= known


@pytest.mark.parametrize("kind", ["rules", "rules.d"])
def test_words_of_rules(shared: Path, kind: str) -> None:
    outcomes = []
    for line in (shared / "cases/public-reports.jsonl").read_text(encoding="utf-8").splitlines():
        case = json.loads(line)
        if case["kind"] == kind:
            outcomes.append(run.run_case(case, run.words()))
    missed = [f"{o.id} {what}" for o in outcomes for what in o.missed if what.partition("@")[0] in LOADING + TOGETHER]
    assert missed == []
    assert [alarm for outcome in outcomes for alarm in outcome.false_alarms] == []
