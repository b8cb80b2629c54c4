"""AL311: several rules on one path, whose order reverses when the file is replaced."""

from __future__ import annotations

from auditlint.analysis.rule_pairs import name
from auditlint.checks.api import Hit, Hits, RulesContext, at_line, entry_of, own, related

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from auditlint.kernel.storage import Stored

_MOST_ON_ONE = 50
"""Rules on one path that are compared."""


def check(context: RulesContext) -> Hits:
    hashed = context.storage.hashed
    if len({stored.path for stored in hashed}) == len(hashed):
        return
    dead = {shadow.stored.index for shadow in context.shadows}
    seen: set[str] = set()
    for stored in hashed:
        path = stored.path
        if path is None or path in seen:
            continue
        seen.add(path)
        rules = [rule for rule in context.storage.rules_on(path) if rule.index not in dead][:_MOST_ON_ONE]
        yield from _one_path(context, path, rules)


def _one_path(context: RulesContext, path: str, rules: Sequence[Stored]) -> Hits:
    """The first pair of rules whose order counts, for each later rule."""
    from auditlint.kernel.shadow import may_turn

    algebra = context.algebra
    for at, later in enumerate(rules):
        for first in rules[:at]:
            differ = first.rule.action != later.rule.action
            if not differ and (first.rule.key == later.rule.key or not _share_letters(first, later)):
                continue
            if not own(context, later) or not may_turn(first, later) or not algebra.overlap(first, later):
                continue
            message = (
                f"replacing {path} reverses the order: now {name(context, first)} decides what both rules match, then "
                "this one does"
            )
            others = related(context, (first,), "on the same file")
            yield Hit(at_line(entry_of(later)), message, others, None, "warning" if differ else "advice")
            break


def _share_letters(first: Stored, later: Stored) -> bool:
    """Do two rules have a perm letter in common? Without one only an open for reading and writing matches both."""
    letters = [field.value for stored in (first, later) for field in stored.rule.fields if field.name == "perm"]
    return len(letters) != 2 or bool(int(letters[0]) & int(letters[1]))
