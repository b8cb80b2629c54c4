"""AL410: perm on a kernel whose permission classes lack openat2."""

from __future__ import annotations

from auditlint.analysis.rule_calls import machines_of, mask_of
from auditlint.analysis.rule_pairs import more
from auditlint.checks.api import Hit, Hits, RulesContext, at_field, entry_of, own

_READ_OR_WRITE = 6


def check(context: RulesContext) -> Hits:
    target = context.target
    machines = machines_of(target)
    if not machines or not target.kernel_at_least("5.6") or target.kernel_at_least("5.16"):
        return
    bit = mask_of(machines[0].name, ("openat2",))
    native = context.algebra.world.archs[0]
    rules = [
        stored for stored in context.storage.rules if stored.rule.list == "exit" and stored.rule.action == "always"
    ]
    if any(context.algebra.meaning(stored).selection.get(native, 0) & bit for stored in rules):
        return
    affected = [
        stored
        for stored in rules
        if own(context, stored) and any(f.name == "perm" and int(f.value) & _READ_OR_WRITE for f in stored.rule.fields)
    ]
    if affected:
        rest = more(len(affected) - 1, "rule")
        message = f"openat2 never matches perm on Linux {target.kernel}{rest}; add a rule with -S openat2"
        yield Hit(at_field(entry_of(affected[0]), "perm"), message)
