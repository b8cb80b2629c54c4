"""AL701: kernels 5.16 to 5.19 test exit and success before they are known."""

from __future__ import annotations

from auditlint.checks.api import Hit, Hits, RulesContext, at_number, fields_named, written
from auditlint.core.target import NO_KERNEL, version

_SINCE, _FIXED = "5.16", "6.0"


def check(context: RulesContext) -> Hits:
    kernel = context.target.kernel
    by_vendor = "exit-filter-broken" in context.target.vendor_faults
    if not by_vendor and (kernel == NO_KERNEL or not version(_SINCE) <= version(kernel) < version(_FIXED)):
        return
    who = f"this kernel of {context.target.vendor}" if by_vendor else f"Linux {kernel}"
    cure = "reported for 4.18.0-425.el8" if by_vendor else f"fixed in {_FIXED} and late updates of 5.19"
    for rule, entry, number, _ in fields_named(context, "exit", "success"):
        if rule.list == "exit":
            message = f"matches no event: {who} tests {written(entry, number)} before the result is known"
            yield Hit(at_number(entry, number), f"{message} ({cure})")
