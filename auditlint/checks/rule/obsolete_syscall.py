"""AL242: a system call that the kernel no longer has."""

from __future__ import annotations

import functools
import operator

from auditlint.analysis.rule_calls import abis_of_rule, machines_of, mask_of
from auditlint.analysis.rule_fields import changed
from auditlint.auditctl.tables import call_names, call_removed_kernel
from auditlint.checks.api import ALL_SYSCALLS, Entry, Fix, Hit, Hits, RulesContext, Span, at_span, line_bytes, offset
from auditlint.core.target import NO_KERNEL, version

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


def check(context: RulesContext) -> Hits:
    gone = _gone(context.target.kernel)
    masks = {machine.name: mask_of(machine.name, tuple(gone)) for machine in machines_of(context.target)}
    any_of_them = functools.reduce(operator.or_, masks.values(), 0)
    for rule, entry in context.on_list("exit"):
        if not rule.mask & any_of_them or rule.mask == ALL_SYSCALLS:
            continue
        for machine in abis_of_rule(rule, context.target)[:1]:
            numbers = masks[machine.name]
            if rule.mask & numbers:
                names = call_names(machine.name, context.target.auditctl)
                yield from _hit(context, entry, numbers, {number: gone.get(name, "") for number, name in names.items()})


def _hit(context: RulesContext, entry: Entry, numbers: int, why: Mapping[int, str]) -> Hits:
    words = [word for word in entry.line.syscall_words if len(word[2]) == 1]
    found = [(text, span, why.get(at[0], "")) for text, span, at in words if numbers >> at[0] & 1]
    if not found:
        return
    listed = ", ".join(f"{text} ({reason})" for text, _, reason in found)
    message = f"only failing attempts match: Linux {context.target.kernel} does not implement {listed}"
    fix = None
    if len(found) < len(words):
        fix = _without(context, entry, [span for _, span, _ in found], [span for _, span, _ in words])
    yield Hit(at_span(entry, found[0][1]), message, (), fix)


@functools.cache
def _gone(kernel: str) -> Mapping[str, str]:
    """The calls that a kernel line does not have any more, or never had, with the reason."""
    found = {}
    for name, text in call_removed_kernel().items():
        release = text.split()[0]
        if text.startswith("never"):
            found[name] = text
        elif "x" not in release and kernel != NO_KERNEL and version(kernel) >= version(release):
            found[name] = f"gone since {release}"
    return found


def _without(context: RulesContext, entry: Entry, gone: list[Span], words: list[Span]) -> Fix | None:
    """The line without these elements of -S."""
    text = line_bytes(entry)
    for option in reversed(entry.line.options):
        if option.name != "-S" or option.arg_span is None:
            continue
        first, last = option.arg_span
        kept = [span for span in words if first <= span[0] and span[1] <= last and span not in gone]
        if kept:
            names = b",".join(entry.line.source.data[start:end] for start, end in kept)
            text = text[: offset(entry, first)] + names + text[offset(entry, last) :]
        else:
            text = text[: offset(entry, option.span[0])].rstrip(b" ") + text[offset(entry, option.span[1]) :]
    return changed(context, entry, "unsafe", "Remove the obsolete system calls", text)
