"""AL518: auditctl 4.2 adds stat calls to the mask of perm=r rules, but the kernel never matches them."""

from __future__ import annotations

from auditlint.analysis.cost_rules import calls, count, others
from auditlint.auditctl.model import PERM_R
from auditlint.checks.api import ALL_SYSCALLS, Hit, Hits, RulesContext, at_field, replace
from auditlint.kernel import syscall_classes as classes

_SINCE = "4.2"
_CALLS = ("stat", "lstat", "fstat", "newfstatat", "statx")
_WORTH = 20.0


def check(context: RulesContext) -> Hits:
    if not context.target.auditctl_at_least(_SINCE):
        return
    native = classes.tables(context.target).native
    numbers = calls(context.target.machine, context.target.auditctl)
    useless = 0
    for name in _CALLS:
        useless |= 1 << numbers[name] if name in numbers else 0
    useless &= ~(native.members(PERM_R) | native.doubtful(PERM_R))
    hit, after = [], []
    for stored in (*context.storage.exit, *context.storage.hashed):
        rule = stored.rule
        perm, arch = rule.get("perm"), rule.get("arch")
        if (
            perm is None
            or arch is None
            or arch.value != native.elf
            or rule.mask == ALL_SYSCALLS
            or stored.entry is None
        ):
            continue
        if isinstance(perm.value, int) and perm.value & PERM_R and rule.mask & useless:
            hit.append(stored)
            after.append(replace(rule, mask=rule.mask & ~useless))
    gain = context.advisor.change(hit, after) if hit else None
    if gain is None or gain.most < _WORTH:
        return
    entries = [stored.entry for stored in hit if stored.entry is not None]
    yield Hit(
        at_field(entries[0], "perm"),
        f"stat calls test {count(len(hit), 'rule')} in vain, because perm=r adds them to the mask and the kernel never "
        f"matches them; without them it {gain}",
        others(entries[1:], "the same"),
        weight=gain.total,
        saved=gain.saved,
    )
