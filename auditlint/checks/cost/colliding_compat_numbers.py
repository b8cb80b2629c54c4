"""AL511: 32-bit rules that 64-bit calls of the same number enter."""

from __future__ import annotations

from auditlint.analysis.cost_rules import count, live, others
from auditlint.auditctl import tables
from auditlint.checks.api import ALL_SYSCALLS, Hit, Hits, RulesContext, at_field
from auditlint.kernel.abis import abis
from auditlint.kernel.storage import number_bit

_WORTH = 300.0
"""Instructions at one operation: below that, a set with a few 32-bit twins is not reported."""


def check(context: RulesContext) -> Hits:
    both = abis(context.target)
    if len(both) < 2 or both[1].machine is None:
        return
    compat, machine = both[1].elf, both[1].name
    advisor = context.advisor
    hit = []
    saved: dict[str, float] = {}
    for stored, entry in live(context):
        arch = stored.rule.get("arch")
        if arch is None or arch.op != "=" or arch.value != compat or stored.rule.mask == ALL_SYSCALLS:
            continue
        extra = advisor.entries(stored)
        if max(extra.values()) > 0:
            hit.append((stored, entry))
            for name, amount in extra.items():
                saved[name] = saved.get(name, 0.0) + amount
    gain = advisor.gain(saved)
    if not hit or gain.most < _WORTH:
        return
    names = tables.kernel_call_names(machine)
    pairs = {
        f"{name} for {names[number]}"
        for name, number in tables.kernel_calls(both[0].name).items()
        if number in names and names[number] != name and name in _SHOWN
        if any(stored.mask & number_bit(number) for stored, _ in hit)
    }
    shown = f" ({', '.join(sorted(pairs))})" if pairs else ""
    yield Hit(
        at_field(hit[0][1], "arch"),
        f"64-bit calls pay for {count(len(hit), 'rule')} meant for {machine} calls of the same number{shown}; not "
        f"entering them {gain}",
        others([entry for _, entry in hit[1:]], "entered by 64-bit calls, too"),
        weight=gain.total,
        saved=gain.saved,
    )


_SHOWN = ("read", "write", "close", "fstat", "mmap", "mprotect", "munmap", "openat", "kill", "newfstatat", "access")
"""Frequent calls that the message names as examples."""
