"""AL121: a second operator splits the field at the wrong place."""

from __future__ import annotations

import re

from auditlint.analysis.line_edits import offset, rewritten
from auditlint.analysis.line_text import line_bytes
from auditlint.analysis.load_summary import refusal
from auditlint.analysis.refusal_causes import caused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditlint.context.rules import RulesContext
    from auditlint.core.findings import Hit

MEANT = {"=>": ">=", "=<": "<=", "==": "=", "<>": "!=", "=!": "!=", "=&": "&=", "!==": "!=", "===": "="}
_OPERATOR = re.compile(r"[=<>!&]+")


def check(context: RulesContext) -> Iterator[Hit]:
    for entry in caused(context, "operator-in-value"):
        option = entry.line.options[-1]
        arg = option.arg or ""
        found = _OPERATOR.search(arg)
        assert found is not None
        meant = MEANT.get(found[0])
        what = f"{arg} is split at the wrong place: auditctl searches it for !=, >=, <=, &=, =, >, <, & in this order"
        fix = None
        if meant is not None and option.arg_span is not None:
            text = line_bytes(entry)
            start = offset(entry, option.arg_span[0]) + len(arg[: found.start()].encode("utf-8", "surrogateescape"))
            changed = text[:start] + meant.encode("utf-8", "surrogateescape") + text[start + len(found[0]) :]
            fix = rewritten(context, entry, "unsafe", f"Use {meant}", changed)
            what = f"no operator {found[0]}; did you mean {meant}?"
        yield refusal(context, entry, what, fix)
