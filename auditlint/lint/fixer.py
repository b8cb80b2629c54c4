"""From the findings of an input to its fixed bytes; writes nothing. What goes together is in `fixes.py`."""

from __future__ import annotations

from auditlint.core.frozen import replace
from auditlint.core.source import Source
from auditlint.lint import fixes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from auditlint.core.findings import Fix, FixLevel
    from auditlint.io.inputs import Input
    from auditlint.lint.linter import Linter, LintResult

MOST_ROUNDS = 20
"""Fixing ends when a round changes nothing; a check whose fix calls for another one for ever is cut here."""
SAFE: frozenset[FixLevel] = frozenset(("safe",))
MOST_TRIALS = 40
"""Loads that are tried in a round to find the fixes that do not go together."""


def fix(linter: Linter, entry: Input, levels: frozenset[FixLevel]) -> tuple[LintResult, int]:
    """Apply fixes until a round changes nothing. Returns what is left and how many fixes were applied; the
    sources of the returned input hold the new bytes.

    Safe fixes come first, in rounds of their own, then unsafe ones: causes before what follows from them. After
    each round of safe fixes the rules are built again, and what takes a rule away from a line that was not touched,
    or lets another line fail, is left out: each fix is proved alone, and two of them may make one rule twice.

    A file that a search found by its content alone stays as it is.
    """
    if entry.by_content:
        return linter.check(entry), 0

    applied = 0
    checked = linter.check(entry)
    wanted = {(finding.code, finding.message) for finding in fixes.fixable(checked.findings, levels)}
    for _ in range(MOST_ROUNDS):
        chosen: Sequence[Fix] = fixes.choose(checked.findings, levels & SAFE)
        if chosen and entry.kind in ("rules", "rules.d"):
            chosen = _kept(linter, entry, chosen)
        chosen = chosen or fixes.choose(fixes.causes(checked.findings, levels - SAFE), levels - SAFE)
        after = _edited(entry, chosen)
        if after.sources == entry.sources:
            break
        entry = after
        applied += len(chosen)
        checked = linter.check(entry)
    still = fixes.fixable(checked.findings, levels)
    left = [each for each in checked.findings if each in still or (each.code, each.message) in wanted]
    return replace(checked, left=tuple(left)), applied


def _kept(linter: Linter, entry: Input, chosen: Sequence[Fix]) -> Sequence[Fix]:
    """Those of the fixes that leave the rules of other lines alone, also together."""
    before = linter.program(entry)
    left = MOST_TRIALS

    def more(kept: Sequence[Fix], rest: Sequence[Fix]) -> Sequence[Fix]:
        nonlocal left
        together = [*kept, *rest]
        left -= 1
        if left < 0 or not rest:
            return kept
        if fixes.keeps(before, linter.program(_edited(entry, together)), together):
            return together
        if len(rest) == 1:
            return kept
        half = len(rest) // 2
        return more(more(kept, rest[:half]), rest[half:])

    return more((), chosen)


def _edited(entry: Input, chosen: Sequence[Fix]) -> Input:
    """The input after fixes that go together; sources that stay the same are the same objects."""
    edits = fixes.by_source(chosen)
    new = {
        source: Source(source.path, fixes.apply(source, edits[source.path]))
        for source in dict.fromkeys(entry.sources)
        if source.path in edits
    }
    changed = {source: after for source, after in new.items() if source.data != after.data}
    return replace(entry, sources=tuple(changed.get(source, source) for source in entry.sources))
