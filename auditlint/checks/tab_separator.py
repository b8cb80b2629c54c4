"""AL006: tabs where only a space separates words."""

from __future__ import annotations

from auditlint.checks._edit import rewritten
from auditlint.checks._load import refusal
from auditlint.checks._text import line_bytes
from auditlint.subjects import at_span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditlint.findings import Hit
    from auditlint.subjects import RulesSubject


def check(subject: RulesSubject) -> Iterator[Hit]:
    for entry in subject.caused("tab-separator"):
        text = line_bytes(entry)
        tab = entry.line.span[0] + text.index(b"\t")
        fix = rewritten(subject, entry, "safe", "Replace tabs by spaces", text.replace(b"\t", b" "))
        at = at_span(entry, (tab, tab + 1))
        yield refusal(subject, entry, "a tab is part of a word; only spaces separate words", fix, at)
