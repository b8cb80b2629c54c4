"""AL912: a condition that another one of the rule implies."""

from __future__ import annotations

from auditlint.analysis.rule_fields import without
from auditlint.checks.api import Field, Hit, Hits, RulesContext, at_number, replace, written
from auditlint.kernel.constraints import meaning
from auditlint.kernel.implication import implied
from auditlint.kernel.satisfy import satisfiable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from auditlint.kernel.constraints import Constraints
    from auditlint.kernel.storage import Stored

_OUTCOME = frozenset(("exit", "success"))
_SKIPPED = frozenset(("arch", "dir", "field_compare", "inode", "key", "path", "perm"))


def check(context: RulesContext) -> Hits:
    storage = context.storage
    known: dict[tuple[Field, ...], int | None] = {}
    for stored in (*storage.exit, *storage.hashed, *storage.uring):
        groups: dict[str, list[int]] = {}
        for number, field in enumerate(stored.rule.fields):
            if field.name not in _SKIPPED:
                groups.setdefault("result" if field.name in _OUTCOME else field.name, []).append(number)
        for numbers in groups.values():
            fields = tuple(stored.rule.fields[number] for number in numbers)
            if len(set(fields)) < 2 or stored.entry is None:
                continue
            if fields not in known:
                known[fields] = _redundant(context, stored, fields)
            found = known[fields]
            if found is None:
                continue
            number = numbers[found]
            rest = " and ".join(written(stored.entry, other) for other in numbers if other != number)
            fix = without(context, stored.entry, number, None, f"Remove {written(stored.entry, number)}")
            message = f"{written(stored.entry, number)} has no effect: it is always true where {rest} is"
            yield Hit(at_number(stored.entry, number), message, (), fix)
            break


def _redundant(context: RulesContext, stored: Stored, fields: tuple[Field, ...]) -> int | None:
    """The place of a condition that the others imply; None too when they contradict or repeat each other."""
    world = context.algebra.world

    def of(chosen: tuple[Field, ...]) -> Constraints:
        return meaning(replace(stored, rule=replace(stored.rule, fields=chosen)), world)

    whole = of(fields)
    if len(set(fields)) < len(fields) or satisfiable(whole) is False:
        return None
    for place in range(len(fields)):
        if implied(of(fields[:place] + fields[place + 1 :]), whole) is True:
            return place
    return None
