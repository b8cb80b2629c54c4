"""AL131: a path that does not begin with a slash."""

from __future__ import annotations

import re

from auditlint.checks._edit import rewritten
from auditlint.checks._load import refusal
from auditlint.checks._text import line_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditlint.findings import Hit
    from auditlint.subjects import RulesSubject

_USUAL = re.compile(
    rb"(-[wW] *|-F *(?:path|dir|exe)=)(?=(?:bin|boot|dev|etc|home|lib|lib64|opt|root|run|sbin|srv|tmp|usr|var)/)",
    re.IGNORECASE,
)


def check(subject: RulesSubject) -> Iterator[Hit]:
    for entry in subject.caused("path-not-absolute"):
        changed = _USUAL.sub(rb"\1/", line_bytes(entry))
        fix = rewritten(subject, entry, "unsafe", "Put a slash in front", changed)
        yield refusal(subject, entry, "a path must begin with a slash", fix)
