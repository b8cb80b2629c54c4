"""AL703: a system call that the kernel does not have yet."""

from __future__ import annotations

from functools import cache

from auditlint.analysis.rule_calls import abis_of_rule, mask_of
from auditlint.auditctl.tables import call_since_kernel
from auditlint.checks.api import ALL_SYSCALLS, Hit, Hits, RulesContext, at_span
from auditlint.core.target import NO_KERNEL, version


def check(context: RulesContext) -> Hits:
    newer = _newer(context.target.kernel)
    if not newer:
        return
    since = call_since_kernel()
    for rule, entry in context.on_list("exit"):
        machine = next(iter(abis_of_rule(rule, context.target)), None)
        if machine is None or rule.mask == ALL_SYSCALLS or not rule.mask & mask_of(machine.name, newer):
            continue
        found = [(text, span) for text, span, _ in entry.line.syscall_words if text in newer]
        if found:
            listed = ", ".join(f"{text} (since {since[text]})" for text, _ in found)
            them = "it" if len(found) == 1 else "them"
            message = f"no event matches {listed}: Linux {context.target.kernel} does not have {them}"
            vendor = context.target.vendor
            if vendor is not None:
                message += f", unless {vendor} backported it, which is not known"
            yield Hit(at_span(entry, found[0][1]), message, severity=None if vendor is None else "advice")


@cache
def _newer(kernel: str) -> tuple[str, ...]:
    """The calls that came after a kernel line."""
    if kernel == NO_KERNEL:
        return ()
    return tuple(name for name, since in call_since_kernel().items() if version(since) > version(kernel))
