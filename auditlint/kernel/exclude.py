"""The exclude list: a small filter with its own rules (audit_filter(), kernel/auditfilter.c, 6.1)."""

from __future__ import annotations

from auditlint.auditctl.field_table import SUBJECT_LABELS, field_facts
from auditlint.auditctl.tables import record_types
from auditlint.core.target import DEFAULT_AUDITCTL
from auditlint.kernel import lsm as labels
from auditlint.kernel.fields import compare, holds

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from auditlint.kernel.eval_context import EvalContext
    from auditlint.kernel.event import Tristate
    from auditlint.kernel.storage import Stored

KNOWN_FIELDS = frozenset([facts.name for facts in field_facts().values() if facts.in_small_filter])
"""The fields that this filter knows; any other ends the walk."""
_MATCH, _GO_ON, _STOP = "match", "go on", "stop"


def type_number(name: str) -> int | None:
    """Number of a record type; `UNKNOWN[1234]` and plain numbers are understood, else None."""
    known = record_types(DEFAULT_AUDITCTL).get(name)
    if known is not None:
        return known
    digits = name[8:-1] if name.startswith("UNKNOWN[") and name.endswith("]") else name
    return int(digits) if digits.isdecimal() and digits.isascii() else None


def excluded(rules: Iterable[Stored], name: str, evaluation: EvalContext) -> tuple[Tristate, Stored | None]:
    """Whether the exclude list drops a record of that type, and the rule that surely does.

    The first rule whose fields are all true ends the walk, whatever its action. A field that this filter
    does not know, the key among them, ends the walk as soon as it is reached, and the record is kept.
    """
    kept_possible = dropped_possible = False
    by: Stored | None = None
    certain = True
    for stored in rules:
        results = _rule(stored, name, evaluation)
        if _MATCH in results:
            dropped_possible = True
            by = by or stored
        if _STOP in results:
            kept_possible = True
        if _GO_ON not in results:
            break
        certain = certain and len(results) == 1
    else:
        kept_possible = True
    if dropped_possible and kept_possible:
        return None, None
    return dropped_possible, by if dropped_possible and certain else None


def _rule(stored: Stored, name: str, evaluation: EvalContext) -> set[str]:
    """What the filter may do at one rule: `result` carries over from field to field, as in the kernel."""
    results: set[str] = set()
    result: Tristate = False
    for field in stored.rule.fields:
        if field.name == "msgtype":
            number = type_number(name)
            value = field.value if isinstance(field.value, int) else 0
            result = None if number is None else compare(number, field.op, value)
        elif field.name == "gid" and not field.by_name:
            # Only the real gid is compared here, not the supplementary groups.
            result = compare(evaluation.ids.gid, field.op, field.value if isinstance(field.value, int) else 0)
        elif field.name in SUBJECT_LABELS:
            if labels.has_rule(field, evaluation.facts.lsm) is not False:
                module = evaluation.facts.lsm
                result = None if module is None else labels.match(field, evaluation.event.label, module)
            # Without a rule of the security module the result of the field before stays.
        elif field.name in KNOWN_FIELDS:
            result = holds(field, stored, evaluation, None)
        else:
            results.add(_STOP)
            return results
        if result is False:
            results.add(_GO_ON)
            return results
        if result is None:
            results.add(_GO_ON)
    # A rule without fields never matches.
    results.add(_GO_ON if result is False else _MATCH)
    return results
