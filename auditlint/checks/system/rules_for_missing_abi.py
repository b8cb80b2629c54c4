"""AL873: rules for 32-bit programs on a kernel that cannot run them."""

from __future__ import annotations

from auditlint.checks.api import Hit, Hits, Rule, SystemContext, at_field
from auditlint.context.system import COMPAT_SYMBOLS, runs_32bit

_64BIT = 0x80000000
"""__AUDIT_ARCH_64BIT, include/uapi/linux/audit.h."""


def check(context: SystemContext) -> Hits:
    from auditlint.auditctl.tables import machines

    config = context.config
    own = machines().get(context.target.machine)
    if config is None or own is None or own.bits != 64 or own.b32 == "-" or not config.on("AUDITSYSCALL"):
        return
    symbol = COMPAT_SYMBOLS.get(config.arch, "COMPAT")
    if runs_32bit(config) is not False:
        return
    for _, rules in context.rules_on("exit"):
        narrow = [pair for pair in rules if _for_32bit(pair[0])]
        if narrow:
            subject = "this rule never matches" if len(narrow) == 1 else f"this and {len(narrow) - 1} more never match"
            yield Hit(
                at_field(narrow[0][1], "arch"),
                f"{subject}, yet system calls pay for testing: {config.where} runs no 32-bit programs (no "
                f"CONFIG_{symbol})",
                (config.at(symbol),),
            )


def _for_32bit(rule: Rule) -> bool:
    field = rule.get("arch")
    return field is not None and field.op == "=" and isinstance(field.value, int) and not field.value & _64BIT
