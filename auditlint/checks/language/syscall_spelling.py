"""AL117: a system call in a spelling that auditctl does not know."""

from __future__ import annotations

from auditlint.analysis.unknown_syscalls import wrong_names
from auditlint.checks.api import Hits, RulesContext, at_span, caused, line_bytes, refusal, rewritten


def check(context: RulesContext) -> Hits:
    for entry in caused(context, "syscall-spelling"):
        names = [name for name in wrong_names(context, entry) if name.check == "syscall-spelling"]
        text = line_bytes(entry)
        for name in reversed(names):
            text = (
                text[: name.start] + (name.instead or name.text).encode("utf-8", "surrogateescape") + text[name.end :]
            )
        pairs = ", ".join(f"{name.instead} for {name.text}" for name in names)
        base = entry.line.span[0]
        at = at_span(entry, (base + names[0].start, base + names[0].end))
        fix = rewritten(context, entry, "safe", "Use the names that auditctl knows", text)
        yield refusal(
            context,
            entry,
            f"on {names[0].machine} auditctl knows these system calls by other names: use {pairs}",
            fix,
            at,
        )
