"""AL231: an inode number without its device."""

from __future__ import annotations

from auditlint.analysis.rule_fields import at_number, fields_named, written
from auditlint.core.findings import Hit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditlint.context.rules import RulesContext


def check(context: RulesContext) -> Iterator[Hit]:
    for rule, entry, number, field in fields_named(context, "inode"):
        missing = [name for name in ("devmajor", "devminor") if rule.get(name) is None]
        if field.op == "=" and missing:
            message = (
                f"{written(entry, number)} takes that number on every file system: "
                f"{' and '.join(missing)} {'are' if len(missing) > 1 else 'is'} not given"
            )
            yield Hit(at_number(entry, number), message)
