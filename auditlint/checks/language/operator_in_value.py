"""AL121: a second operator splits the field at the wrong place."""

from __future__ import annotations

import re

from auditlint.checks.api import Hits, RulesContext, caused, line_bytes, offset, refusal, rewritten

MEANT = {"=>": ">=", "=<": "<=", "==": "=", "<>": "!=", "=!": "!=", "=&": "&=", "!==": "!=", "===": "="}
_OPERATOR = re.compile(r"[=<>!&]+")


def check(context: RulesContext) -> Hits:
    for entry in caused(context, "operator-in-value"):
        option = entry.line.options[-1]
        arg = option.arg or ""
        found = _OPERATOR.search(arg)
        assert found is not None
        meant = MEANT.get(found[0])
        what = f"auditctl splits {arg} at the wrong place: at the first of !=, >=, <=, &=, =, >, <, & that it contains"
        fix = None
        if meant is not None and option.arg_span is not None:
            text = line_bytes(entry)
            start = offset(entry, option.arg_span[0]) + len(arg[: found.start()].encode("utf-8", "surrogateescape"))
            changed = text[:start] + meant.encode("utf-8", "surrogateescape") + text[start + len(found[0]) :]
            fix = rewritten(context, entry, "unsafe", f"Use {meant}", changed)
            what = f"unknown operator {found[0]}; did you mean {meant}?"
        yield refusal(context, entry, what, fix)
