"""AL412: a rule tests the flags of clone, and no rule covers clone3."""

from __future__ import annotations

from auditlint.analysis.abi_gaps import live_calls
from auditlint.analysis.refused_subjects import calls_of_refused
from auditlint.analysis.rule_calls import abis_of_rule
from auditlint.analysis.rule_fields import changed
from auditlint.analysis.unknown_syscalls import call_lists
from auditlint.checks.api import Entry, Fix, Hit, Hits, RulesContext, at_field, entry_of, line_bytes, own


def check(context: RulesContext) -> Hits:
    for stored in context.storage.rules:
        rule = stored.rule
        if rule.list != "exit" or rule.action != "always" or rule.get("a0") is None or not own(context, stored):
            continue
        for machine in abis_of_rule(rule, context.target):
            live = live_calls(machine.name, context.target)
            if "clone3" not in live or not stored.mask >> live["clone"] & 1:
                continue
            bit = 1 << live["clone3"]
            if "clone3" in calls_of_refused(context, machine.bits) or context.coverage.names(machine.elf, bit):
                continue
            entry = entry_of(stored)
            message = "a0 does not see the flags of clone3, which passes them in memory; no rule covers clone3"
            yield Hit(at_field(entry, "a0"), message, (), _fix(context, entry))
            break


def _fix(context: RulesContext, entry: Entry) -> Fix | None:
    """A second line for clone3, without a0."""
    text = line_bytes(entry)
    lists = call_lists(text)
    if len(lists) != 1 or entry.rule is None:
        return None
    start = entry.line.span[0]
    edits = [(*lists[0], b"clone3")]
    for source in entry.line.field_sources:
        if entry.rule.fields[source.index].name == "a0":
            edits.append((source.option.span[0] - start, source.option.span[1] - start, b""))
    other = text
    for first, last, word in sorted(edits, reverse=True):
        other = (other[:first] if word else other[:first].rstrip(b" ")) + word + other[last:]
    return changed(context, entry, "unsafe", "Add a rule for clone3", text + b"\n" + other)
