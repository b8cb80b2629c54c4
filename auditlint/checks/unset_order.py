"""AL135: auid compared with unset by order."""

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

_BELOW = re.compile(rb"(-F *(?:auid|loginuid))<(?=(?:unset|-1|4294967295)(?: |\Z))", re.IGNORECASE)


def check(subject: RulesSubject) -> Iterator[Hit]:
    for entry in subject.caused("unset-order"):
        fix = rewritten(subject, entry, "safe", "Use !=", _BELOW.sub(rb"\1!=", line_bytes(entry)))
        yield refusal(subject, entry, "the kernel compares auid with unset by = and != only", fix)
