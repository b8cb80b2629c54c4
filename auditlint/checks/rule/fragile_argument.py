"""AL210: an argument that callers choose as they like."""

from __future__ import annotations

from auditlint.analysis.call_arguments import judged_arguments
from auditlint.checks.api import Hit, Hits, RulesContext, at_number, written

_STANDARD = 2
"""Descriptors up to here have a meaning of their own: standard input, output and error."""
_NEGATIVE = 1 << 31
"""AT_FDCWD and -1 have one, too."""


def check(context: RulesContext) -> Hits:
    target = context.target
    for each in judged_arguments(context):
        field = each.field
        if not isinstance(field.value, int):
            continue
        text = written(each.entry, each.number)
        lengths, descriptors = each.calls("l"), each.calls("f")
        if lengths:
            what = f"the length of the address of {lengths[0]}, which programs choose freely"
            if field.op == "=" and target.kernel_at_least("5.3") and target.auditctl_at_least("3.0"):
                what += "; use saddr_fam for the address family"
        elif descriptors and field.op in ("=", "!=") and _STANDARD < field.value < _NEGATIVE:
            what = f"a file descriptor of {descriptors[0]}, which has another number in every process"
        else:
            continue
        yield Hit(at_number(each.entry, each.number), f"{text} compares {what}")
