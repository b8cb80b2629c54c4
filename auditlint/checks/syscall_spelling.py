"""AL117: a system call in a spelling that auditctl does not know."""

from __future__ import annotations

from auditlint.checks._edit import rewritten
from auditlint.checks._load import refusal
from auditlint.checks._syscalls import wrong_names
from auditlint.checks._text import line_bytes
from auditlint.subjects import at_span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditlint.findings import Hit
    from auditlint.subjects import RulesSubject


def check(subject: RulesSubject) -> Iterator[Hit]:
    for entry in subject.caused("syscall-spelling"):
        names = [name for name in wrong_names(subject, entry) if name.check == "syscall-spelling"]
        text = line_bytes(entry)
        for name in reversed(names):
            text = (
                text[: name.start] + (name.instead or name.text).encode("utf-8", "surrogateescape") + text[name.end :]
            )
        pairs = ", ".join(f"{name.text} is {name.instead}" for name in names)
        base = entry.line.span[0]
        at = at_span(entry, (base + names[0].start, base + names[0].end))
        fix = rewritten(subject, entry, "safe", "Use the name that auditctl knows", text)
        yield refusal(subject, entry, f"auditctl has other names on {names[0].machine}: {pairs}", fix, at)
