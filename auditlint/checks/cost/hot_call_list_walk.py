"""AL508: frequent calls that no rule records walk the whole exit list."""

from __future__ import annotations

from auditlint.analysis.cost_rules import count, hot_numbers
from auditlint.auditctl import tables
from auditlint.checks.api import Hit, Hits, RulesContext, at_line
from auditlint.cost.advice import share
from auditlint.kernel import syscall_classes as classes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from auditlint.kernel.storage import Stored

_WORTH = 500.0
"""Instructions that a read must save: the added rule costs every other call a mask test."""
_NEEDS_A_PATH = frozenset(
    ("dir", "path", "obj_uid", "obj_gid", "devmajor", "devminor", "inode", "obj_user", "obj_role")
)
_NEEDS_A_PATH |= {"obj_type", "obj_lev_low", "obj_lev_high"}


def check(context: RulesContext) -> Hits:
    rules = context.storage.exit
    native = classes.tables(context.target).native
    wanted = 0
    for stored in rules:
        if stored.rule.action == "always":
            wanted |= _may_match(stored, native)
    free = [name for name, number in hot_numbers(context.target, "plain").items() if not wanted >> number & 1]
    first = rules[0] if rules else None
    if "read" not in free or first is None or first.entry is None:
        return
    from auditlint.cost.breakdown import CostBreakdown
    from auditlint.cost.operations import DEFAULT_ACTOR, actors
    from auditlint.cost.price import Pricing

    pricing = Pricing(context.storage, actors()[DEFAULT_ACTOR], context.program.run.enabled)
    read = next(operation for operation in pricing.operations if operation.name == "read")
    cost = pricing.operation(read, CostBreakdown())
    values = pricing.values
    walk = cost.overhead - values["on"] - values["rules"]
    after = values["list"] + values["mask"] + values["enter"] + values["arch"] + values["true"] + values["match"]
    if walk - after < _WORTH:
        return
    counts = context.advisor.counts
    weight = walk - after
    if counts is not None:
        # The gain of the workload at the calls that are cut short, less a mask test at all others.
        names = tables.kernel_spelling(context.target.machine)
        cut = sum(count for name, count in counts.items() if names.get(name, name) in free)
        weight = cut * weight - (sum(counts.values()) - cut) * values["mask"]
    about = "about " if pricing.prices.spread else ""
    saved = walk - after
    yield Hit(
        at_line(first.entry),
        f"{count(len(free), 'frequent call')} test {count(len(rules), 'rule')} that cannot match; a first rule `-a "
        f"never,exit -F arch=b64 -S {','.join(free)}` saves {share(saved, pricing.prices.bases['read'].off)} of read() "
        f"({about}{saved:,.0f} instructions), and other calls pay {values['mask']:.0f}",
        weight=weight,
        saved={"read": saved},
    )


def _may_match(stored: Stored, native: classes.Abi) -> int:
    """The 64-bit calls that a rule may match, when they carry no path object."""
    rule = stored.rule
    arch = rule.get("arch")
    if arch is not None and arch.op == "=" and arch.value != native.elf:
        return 0
    mask = stored.mask
    for field in rule.fields:
        if field.name in _NEEDS_A_PATH:
            return 0
        if field.name == "perm" and field.op == "=" and isinstance(field.value, int):
            mask &= native.members(field.value) | native.doubtful(field.value)
    return mask
