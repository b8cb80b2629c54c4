"""AL134: unset for another id than auid."""

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

_UNSET = re.compile(rb"(-F *)(?:uid|euid|suid|fsuid)(!?=(?:unset|-1|4294967295)(?: |\Z))", re.IGNORECASE)


def check(subject: RulesSubject) -> Iterator[Hit]:
    for entry in subject.caused("unset-id"):
        changed = _UNSET.sub(rb"\1auid\2", line_bytes(entry))
        fix = rewritten(subject, entry, "unsafe", "Use auid", changed)
        yield refusal(subject, entry, "only auid can be unset; the kernel refuses the value for other ids", fix)
