"""AL614: a rule without filter records calls that come by the thousand."""

from __future__ import annotations

from functools import cache

from auditlint.analysis.rule_calls import abis_of_rule, mask_of, numbers
from auditlint.analysis.triggers import is_unfiltered
from auditlint.auditctl.tables import kernel_call_names
from auditlint.checks.api import ALL_SYSCALLS, Entry, Hit, Hits, Rule, RulesContext, at_line
from auditlint.core.data import rows

_OF_FILES = frozenset(("path", "dir", "inode"))
_SHOWN = 6


def check(context: RulesContext) -> Hits:
    silenced = 0
    twins: dict[object, Entry] = {}  # rules for another ABI that stand before
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
        if machine is None:
            twins.setdefault(_pair(rule, entry), entry)
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
        message = f"records calls of every process ({listed}{more}): installers and builds make thousands of them"
        twin = twins.get(_pair(rule, entry))
        if twin is None:
            yield Hit(at_line(entry), message)
        else:
            yield Hit(at_line(twin), message, (at_line(entry, "the rule for the machine's own ABI"),))


@cache
def _calls(table: str) -> tuple[str, ...]:
    return tuple(row[0] for row in rows(table))


def _pair(rule: Rule, entry: Entry) -> object:
    """What a rule and its twin for the other ABI have in common: conditions, system calls as written, place."""
    fields = frozenset(field for field in rule.fields if field.name != "arch")
    return fields, tuple(_names(entry)), rule.prepend


def _names(entry: Entry) -> list[str]:
    return [entry.line.source.text(span).lower() for _, span, _ in entry.line.syscall_words]
