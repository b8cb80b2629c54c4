"""AL134: unset for another id than auid."""

from __future__ import annotations

import re

from auditlint.analysis.line_edits import rewritten
from auditlint.analysis.line_text import line_bytes
from auditlint.analysis.load_summary import refusal
from auditlint.analysis.refusal_causes import caused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditlint.context.rules import RulesContext
    from auditlint.core.findings import Hit

_UNSET = re.compile(rb"(-F *)(?:uid|euid|suid|fsuid)(!?=(?:unset|-1|4294967295)(?: |\Z))", re.IGNORECASE)


def check(context: RulesContext) -> Iterator[Hit]:
    for entry in caused(context, "unset-id"):
        changed = _UNSET.sub(rb"\1auid\2", line_bytes(entry))
        fix = rewritten(context, entry, "unsafe", "Use auid", changed)
        yield refusal(context, entry, "only auid can be unset; the kernel refuses the value for other ids", fix)
