"""AL117: a system call in a spelling that auditctl does not know."""

from __future__ import annotations

from auditlint.checks._edit import rewritten
from auditlint.checks._load import refusal
from auditlint.checks._syscalls import in_kernel, without_name, wrong_names
from auditlint.checks._text import line_bytes
from auditlint.subjects import at_span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditlint.findings import FixLevel, Hit
    from auditlint.subjects import RulesSubject


def check(subject: RulesSubject) -> Iterator[Hit]:
    for entry in subject.caused("syscall-spelling"):
        names = [name for name in wrong_names(subject, entry) if name.check == "syscall-spelling"]
        absent = [name for name in names if (name.instead or "").isdigit() and not in_kernel(subject, name.text)]
        text = line_bytes(entry)
        for name in reversed(names):
            if name in absent:
                text = without_name(text, name.start, name.end)
                continue
            text = (
                text[: name.start] + (name.instead or name.text).encode("utf-8", "surrogateescape") + text[name.end :]
            )
        pairs = ", ".join(
            f"{name.text} is {name.instead}"
            + (f", and Linux {subject.target.kernel} does not have it" if name in absent else "")
            for name in names
        )
        base = entry.line.span[0]
        at = at_span(entry, (base + names[0].start, base + names[0].end))
        level: FixLevel = "unsafe" if absent else "safe"
        fix = rewritten(subject, entry, level, "Use the name that auditctl knows", text) if b"-S" in text else None
        yield refusal(subject, entry, f"auditctl has other names on {names[0].machine}: {pairs}", fix, at)
