"""AL109: the list entry is gone."""

from __future__ import annotations

import re

from auditlint.checks._edit import rewritten
from auditlint.checks._load import refusal
from auditlint.checks._text import line_bytes
from auditlint.subjects import at_span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditlint.findings import Hit
    from auditlint.subjects import RulesSubject

_ENTRY = re.compile(rb"(-[aAd] *)(entry(?=,)|(?<=always,)entry|(?<=never,)entry|(?:always|never),entry)", re.IGNORECASE)


def check(subject: RulesSubject) -> Iterator[Hit]:
    for entry in subject.caused("entry-list"):
        option = next(option for option in reversed(entry.line.options) if option.name in ("-a", "-A", "-d"))
        changed = _ENTRY.sub(lambda found: found[0].lower().replace(b"entry", b"exit"), line_bytes(entry), count=1)
        fix = rewritten(subject, entry, "unsafe", "Use the list exit", changed)
        at = at_span(entry, option.arg_span or option.span)
        yield refusal(subject, entry, "there is no list entry any more; its rules belong on exit", fix, at)
