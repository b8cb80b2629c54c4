"""AL213: system calls without the ABI they belong to."""

from __future__ import annotations

from functools import cache

from auditlint.analysis.rule_calls import machines_of
from auditlint.analysis.rule_fields import changed
from auditlint.auditctl.tables import kernel_call_names
from auditlint.checks.api import ALL_SYSCALLS, Entry, Fix, Hit, Hits, RulesContext, at_span, line_bytes, offset


def check(context: RulesContext) -> Hits:
    machines = machines_of(context.target)
    if len(machines) < 2:
        return
    own, other = machines
    theirs = kernel_call_names(other.name)
    different = _different(own.name, other.name)
    for rule, entry in context.on_list("exit"):
        if not rule.mask & different or rule.mask == ALL_SYSCALLS or rule.get("arch") is not None:
            continue
        words = entry.line.syscall_words
        wrong = [(word, found[0]) for word, _, found in words if len(found) == 1 and different >> found[0] & 1]
        if not wrong:
            continue
        name, number = wrong[0]
        call = theirs.get(number)
        there = f"{call} of {other.name}" if call else f"a call that {other.name} does not have"
        message = f"without arch this also records {there} (call {number}, on {own.name} {name})"
        option = next(option for option in entry.line.options if option.name == "-S")
        yield Hit(at_span(entry, option.span), message, (), _fix(context, entry, option.span[0]))


@cache
def _different(own: str, other: str) -> int:
    """The numbers that do not stand for the same call in both kernel tables."""
    ours, theirs = kernel_call_names(own), kernel_call_names(other)
    mask = 0
    for number, name in ours.items():
        if theirs.get(number) != name:
            mask |= 1 << number
    return mask


def _fix(context: RulesContext, entry: Entry, place: int) -> Fix | None:
    """The rule for both ABIs, each with its own numbers; a number in the line is meant for one of them."""
    if any(word.isdecimal() for word, _, _ in entry.line.syscall_words):
        return None
    text = line_bytes(entry)
    at = offset(entry, place)
    both = b"\n".join(text[:at] + b"-F arch=" + arch + b" " + text[at:] for arch in (b"b64", b"b32"))
    return changed(context, entry, "unsafe", "Write it for both ABIs", both)
