"""AL702: on older kernels the last socket address of a task sticks to it."""

from __future__ import annotations

from auditlint.analysis.rule_calls import abis_of_rule, mask_of
from auditlint.checks.api import Hit, Hits, RulesContext, at_number, fields_named
from auditlint.core.target import NO_KERNEL, version

_MENDED = "5.16"
"""The context of a call is cleared as a whole from this line on; measured: 5.10 has the fault, 6.1 has not."""
_PASSING = ("bind", "connect", "sendmmsg", "sendmsg", "sendto", "socketcall")
"""The calls that hand an address to the kernel."""


def check(context: RulesContext) -> Hits:
    kernel = context.target.kernel
    if kernel == NO_KERNEL or version(kernel) >= version(_MENDED):
        return
    for rule, entry, number, _ in fields_named(context, "saddr_fam"):
        passing = 0
        for machine in abis_of_rule(rule, context.target):
            passing |= mask_of(machine.name, _PASSING)
        if rule.list == "exit" and rule.mask & ~passing:
            message = (
                f"also matches later calls: Linux {kernel} keeps the address; name only bind, connect and send calls"
            )
            yield Hit(at_number(entry, number), message)
