"""AL116: a system call that the machine of the rule lacks."""

from __future__ import annotations

from auditlint.analysis.unknown_syscalls import WrongName, call_lists, without_name, wrong_names
from auditlint.checks.api import Entry, Fix, Hits, RulesContext, at_span, caused, line_bytes, refusal, rewritten


def check(context: RulesContext) -> Hits:
    for entry in caused(context, "syscall-not-on-machine"):
        names = wrong_names(context, entry)
        absent = [name for name in names if name.check == "syscall-not-on-machine"]
        what = f"{absent[0].machine} has no system call {', '.join(dict.fromkeys(name.text for name in absent))}"
        instead = {name.text: name.instead for name in absent if name.instead}
        if instead:
            what += f" (use {', '.join(dict.fromkeys(instead.values()))})"
        base = entry.line.span[0]
        at = at_span(entry, (base + absent[0].start, base + absent[0].end))
        yield refusal(context, entry, what, _fix(context, entry, names), at)


def _fix(context: RulesContext, entry: Entry, names: list[WrongName]) -> Fix | None:
    """Each absent name becomes the call that does its job, or goes; a -S that is left empty goes too."""
    text = line_bytes(entry)
    there = {word for start, end in call_lists(text) for word in text[start:end].split(b",")}
    for name in reversed(names):
        start, end = name.start, name.end
        new = (name.instead or "").encode()
        if new and new not in there:
            there.add(new)
            text = text[:start] + new + text[end:]
        else:
            text = without_name(text, start, end)
    if b"-S" not in text:
        return None
    return rewritten(context, entry, "unsafe", "Replace the missing system calls", text)
