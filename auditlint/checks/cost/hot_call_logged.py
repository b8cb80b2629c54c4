"""AL514: a rule without filter records calls that programs make all the time."""

from __future__ import annotations

from auditlint.analysis.cost_rules import hot_numbers, live
from auditlint.analysis.triggers import tests
from auditlint.checks.api import ALL_SYSCALLS, Hit, Hits, RulesContext, at_line
from auditlint.kernel import syscall_classes as classes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from auditlint.kernel.storage import Stored

_NO_FILTER = frozenset(("arch", "key"))
_SHOWN = 6


def check(context: RulesContext) -> Hits:
    hot = hot_numbers(context.target, "plain", "file", "net", "exec")
    native = classes.tables(context.target).native.elf
    events = context.advisor.prices.events
    counts = context.advisor.counts
    plain = events["SYSCALL", "reader"] + events["PROCTITLE", "reader"]
    for stored, entry in live(context):
        rule = stored.rule
        if rule.action != "always" or not _NO_FILTER.issuperset(tests(rule)):
            continue
        arch = rule.get("arch")
        if arch is not None and (arch.op != "=" or arch.value != native):
            continue
        names = [
            name for name, number in hot.items() if stored.mask >> number & 1 and not _silenced(context, stored, number)
        ]
        if not names:
            continue
        calls = "every system call" if rule.mask == ALL_SYSCALLS else ", ".join(names[:_SHOWN])
        more = "" if rule.mask == ALL_SYSCALLS or len(names) <= _SHOWN else f" and {len(names) - _SHOWN} more"
        yield Hit(
            at_line(entry),
            f"records {calls}{more} of every task, at {plain:,.0f} instructions or more an event; add a filter",
            weight=plain * (len(names) if counts is None else sum(counts.get(name, 0) for name in names)),
        )


def _silenced(context: RulesContext, stored: Stored, number: int) -> bool:
    """Whether an earlier rule decides every such call: its mask has the call, and its only fields are arch and key."""
    return any(
        other.position < stored.position and _NO_FILTER.issuperset(tests(other.rule))
        for other in context.storage.exit_rules(number)
    )
