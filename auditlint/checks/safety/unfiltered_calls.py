"""AL614: a rule without filter records calls that come by the thousand."""

from __future__ import annotations

from functools import cache

from auditlint.analysis.rule_calls import abis_of_rule, mask_of, numbers
from auditlint.analysis.triggers import is_unfiltered
from auditlint.auditctl.tables import kernel_call_names
from auditlint.checks.api import ALL_SYSCALLS, Hit, Hits, RulesContext, at_line
from auditlint.core.data import rows

_OF_FILES = frozenset(("path", "dir", "inode"))
_SHOWN = 6


def check(context: RulesContext) -> Hits:
    silenced = 0
    for stored in context.storage.exit:
        rule, entry = stored.rule, stored.entry
        names = {field.name for field in rule.fields}
        if rule.action == "never" and not names & _OF_FILES:
            silenced |= stored.mask
        if rule.action != "always" or entry is None or rule.mask == ALL_SYSCALLS or not is_unfiltered(rule):
            continue
        success = rule.get("success")
        machine = next(
            (each for each in abis_of_rule(rule, context.target) if each.name == context.target.machine), None
        )
        if machine is None or (success is not None and (success.op == "=") is not (success.value == 1)):
            continue
        # Where a hot call is among them AL514 speaks.
        guilty = stored.mask & mask_of(machine.name, _calls("bulk-calls.tsv"))
        if not guilty or guilty & silenced or stored.mask & mask_of(machine.name, _calls("cost/hot.tsv")):
            continue
        known = kernel_call_names(machine.name)
        found = sorted(known[number] for number in numbers(guilty))
        listed = ", ".join(found[:_SHOWN])
        more = f" and {len(found) - _SHOWN} more" if len(found) > _SHOWN else ""
        message = f"calls of every process are recorded ({listed}{more}): installers and builds make thousands"
        yield Hit(at_line(entry), message)


@cache
def _calls(table: str) -> tuple[str, ...]:
    return tuple(row[0] for row in rows(table))
