"""Safe fixes of style change no rule: the kernel gets the same ones in the same order. Those that keep the events only
are tried in tests/properties."""

from pathlib import Path
from typing import Any

import pytest

from auditlint.context.rules import RulesContext
from auditlint.core.facts import UNKNOWN
from auditlint.core.settings import DEFAULT
from auditlint.core.source import Source
from auditlint.core.target import Target
from auditlint.lint.fixes import apply, by_source, choose
from auditlint.lint.runner import Selection, run_checks
from auditlint.load.program import load_file

STYLE = Selection(select=("AL9",), pedantic=True, ignore=("AL091", "AL092", "AL911", "AL912", "AL913"))
MIXED = """\
-a exit,always -F arch=b64 -S 59,mount -F auid!=-1 -k a\\ b
-a always,exit -F arch=b64 -S umount2 -F auid>=1000 -F auid!=unset -F key=x=y
-a always,exit -F arch=b64 -S 90,fchmod -F auid!=4294967295 -F key=p -k q
-A exit,never -F arch=b32 -S 11 -F auid=-1 -F key=z
-w /etc/passwd -p wa -k id
-a always,exit -F arch=b64 -S open -F sessionid!=unset -kattached
-a exit,always -S all -F uid=4294967294 -k all
"""


def fixed(data: bytes, target: Target) -> tuple[bytes, bytes]:
    """The text before and after all safe fixes, to a fixed point."""
    before = data
    for _ in range(10):
        source = Source("audit.rules", data)
        context = RulesContext(load_file(source, target, UNKNOWN), DEFAULT)
        edits = by_source(choose(run_checks(context, STYLE), frozenset(("safe",))))
        if not edits:
            return before, data
        data = apply(source, edits["audit.rules"])
    raise AssertionError("no fixed point")


def rules(data: bytes, target: Target) -> list[Any]:
    return [each.rule for each in load_file(Source("audit.rules", data), target, UNKNOWN).loaded_with_c]


@pytest.mark.parametrize("auditctl", ["3.0.9", "4.2"])
def test_mixed_styles(auditctl: str) -> None:
    target = Target(auditctl=auditctl)
    before, after = fixed(MIXED.encode(), target)
    assert rules(after, target) == rules(before, target)
    text = after.decode()
    assert "exit,always" not in text
    assert "-S 59" not in text and "-S execve,mount" in text
    assert "-1" not in text and "4294967295" not in text


@pytest.mark.slow
def test_public_files(shared: Path) -> None:
    for path in sorted((shared / "corpus/rules").iterdir()):
        before, after = fixed(path.read_bytes(), Target())
        assert rules(after, Target()) == rules(before, Target()), path.name
