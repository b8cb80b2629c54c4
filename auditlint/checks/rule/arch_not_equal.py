"""AL212: arch!= with system calls by name."""

from __future__ import annotations

from auditlint.analysis.rule_calls import machines_of
from auditlint.analysis.rule_fields import with_field
from auditlint.auditctl.tables import arch_values
from auditlint.checks.api import ALL_SYSCALLS, Hit, Hits, RulesContext, at_number, fields_named, written


def check(context: RulesContext) -> Hits:
    for rule, entry, number, field in fields_named(context, "arch"):
        if (
            field.op != "!="
            or rule.list != "exit"
            or rule.mask in (0, ALL_SYSCALLS)
            or not isinstance(field.value, int)
        ):
            continue
        named = arch_values().get(field.value, hex(field.value))
        others = [machine for machine in machines_of(context.target) if machine.elf != field.value]
        where = f" ({', '.join(machine.name for machine in others)})" if others else ""
        message = (
            f"{written(entry, number)} matches the wrong system calls: "
            f"the numbers come from {named}, but apply to every other ABI{where}"
        )
        fix = None
        if len(others) == 1:
            word = f"arch=b{others[0].bits}"
            fix = with_field(context, entry, number, None, f"Use {word}", word)
        yield Hit(at_number(entry, number), message, (), fix)
