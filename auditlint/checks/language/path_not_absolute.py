"""AL131: a path that does not begin with a slash."""

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

_USUAL = re.compile(
    rb"(-[wW] *|-F *(?:path|dir|exe)=)(?=(?:bin|boot|dev|etc|home|lib|lib64|opt|root|run|sbin|srv|tmp|usr|var)/)",
    re.IGNORECASE,
)


def check(context: RulesContext) -> Iterator[Hit]:
    for entry in caused(context, "path-not-absolute"):
        changed = _USUAL.sub(rb"\1/", line_bytes(entry))
        fix = rewritten(context, entry, "unsafe", "Put a slash in front", changed)
        yield refusal(context, entry, "a path must begin with a slash", fix)
