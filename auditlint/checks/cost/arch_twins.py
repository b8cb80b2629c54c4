"""AL519: the same rule once for each ABI, where one rule without arch is enough."""

from __future__ import annotations

from auditlint.analysis.cost_rules import every_call, live
from auditlint.analysis.fix_safety import merging
from auditlint.analysis.rule_fields import text_without
from auditlint.checks.api import Hit, Hits, RulesContext, at_line, entry_of, replace
from auditlint.kernel.abis import abis

TYPE_CHECKING = False
if TYPE_CHECKING:
    from auditlint.kernel.storage import Stored


def check(context: RulesContext) -> Hits:
    elfs = [abi.elf for abi in abis(context.target)]
    if len(elfs) < 2:
        return
    waiting: dict[object, dict[int, Stored]] = {}
    for stored, entry in live(context):
        arch = stored.rule.get("arch")
        if arch is None or arch.op != "=" or arch.value not in elfs or not every_call(stored):
            continue
        fields = tuple(field for field in stored.rule.fields if field.name != "arch")
        names = {field.name for field in fields} - {"key"}
        # Directories are better narrowed (AL502).
        if not names or "dir" in names:
            continue
        group = waiting.setdefault((stored.rule.action, frozenset(fields)), {})
        group.setdefault(int(arch.value), stored)
        if len(group) == len(elfs):
            twins = list(group.values())
            group.clear()
            merged = replace(stored.rule, fields=fields)
            gain = context.advisor.change(twins, [merged])
            related = tuple(
                at_line(twin.entry, "its twin") for twin in twins if twin.entry not in (None, entry) and twin.entry
            )
            text = text_without(entry_of(twins[0]), _arch_at(twins[0]))
            fix = None if text is None else merging(context, twins, "Write one rule without arch", text, merged)
            yield Hit(
                at_line(entry),
                f"every call tests this rule and its twin for the other ABI; one rule without arch {gain}",
                related,
                fix,
                weight=gain.total,
                saved=gain.saved,
            )


def _arch_at(stored: Stored) -> int:
    return next(number for number, field in enumerate(stored.rule.fields) if field.name == "arch")
