"""AL135: auid compared with unset by order."""

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

_BELOW = re.compile(rb"(-F *(?:auid|loginuid))<(?=(?:unset|-1|4294967295)(?: |\Z))", re.IGNORECASE)


def check(context: RulesContext) -> Iterator[Hit]:
    for entry in caused(context, "unset-order"):
        fix = rewritten(context, entry, "safe", "Use !=", _BELOW.sub(rb"\1!=", line_bytes(entry)))
        yield refusal(context, entry, "the kernel compares auid with unset by = and != only", fix)
