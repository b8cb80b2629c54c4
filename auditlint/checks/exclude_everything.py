"""AL608: a rule of the exclude list drops (nearly) every record."""

from __future__ import annotations

from auditlint.checks._excluded import droppers, kernel_types
from auditlint.checks._fields import at_number
from auditlint.findings import Hit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditlint.subjects import RulesSubject

_NEARLY_ALL = 0.9
"""Share of the record types that the list sees."""


def check(subject: RulesSubject) -> Iterator[Hit]:
    for rule, entry, names in droppers(subject):
        if len(names) < _NEARLY_ALL * kernel_types():
            continue
        unequal = next((number for number, field in enumerate(rule.fields) if field.op == "!="), None)
        if unequal is None:
            message = "every record is dropped, whatever the rules record: also logins and denials"
        else:
            message = "every record but those of that type is dropped, whatever the rules record"
        yield Hit(at_number(entry, unequal or 0), message)
