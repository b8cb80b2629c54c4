"""A safe fix keeps every rule that a line gives to the kernel, in order; what it adds was lost before.

Fixes of checks that look at rules together (AL3) may also take out rules, and nothing else: rules that never decide.
Those that give the kernel other rules with the same events are tried in tests/properties.
"""

from __future__ import annotations

from random import Random

import pytest

from auditlint.auditctl.model import Rule
from auditlint.context.rules import RulesContext
from auditlint.core.facts import Facts
from auditlint.core.settings import DEFAULT
from auditlint.core.source import Source
from auditlint.core.target import AUDITCTL_RELEASES, Target
from auditlint.lint.fixes import apply
from auditlint.lint.registry import all_checks
from auditlint.lint.runner import run_checks
from auditlint.load import program
from tests.differential.lines import line

BY_PROOF = {
    check.code
    for check in all_checks()
    if check.fixes == ("safe", "unsafe") and not check.code.startswith(("AL0", "AL1", "AL3"))
}
"""The checks whose fixes are safe where the same events are proved."""


def _rules(found: program.Program) -> list[Rule | None]:
    return [entry.rule for entry in found.entries if entry.verdict == "rule"]


def _holds(many: list[Rule | None], few: list[Rule | None]) -> bool:
    """Whether `few` is left when some of `many` are taken out."""
    rest = iter(many)
    return all(rule in rest for rule in few)


@pytest.mark.slow
@pytest.mark.real
def test_safe_fixes_keep_the_rules() -> None:
    tried = 0
    for seed in range(3000):
        random = Random(seed)
        target = Target(random.choice(("6.1", "none")), "x86_64", random.choice(AUDITCTL_RELEASES))
        try:
            source = Source("x.rules", b"\n".join(line(random) for _ in range(random.randrange(1, 6))))
        except OSError:
            pytest.skip("libaudit, which names the words of the lines, is not installed")
        found = program.load_file(source, target, Facts())
        before = _rules(found)
        for finding in run_checks(RulesContext(found, DEFAULT)):
            if finding.fix is None or finding.fix.level != "safe" or finding.code in BY_PROOF:
                continue
            tried += 1
            fixed = apply(source, finding.fix.edits)
            after = _rules(program.load_file(Source("x.rules", fixed), target, Facts()))
            kept = _holds(before, after) if finding.code.startswith("AL3") else False
            assert kept or _holds(after, before), (finding.name, target, source.data, fixed)
    assert tried > 300
