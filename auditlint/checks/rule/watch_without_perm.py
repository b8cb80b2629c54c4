"""AL239: -w without -p."""

from __future__ import annotations

from auditlint.analysis.line_edits import offset
from auditlint.analysis.line_text import line_bytes
from auditlint.analysis.program_paths import usual_perm
from auditlint.analysis.rule_fields import changed
from auditlint.context.rules import at_span
from auditlint.core.findings import Hit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditlint.context.rules import RulesContext


def check(context: RulesContext) -> Iterator[Hit]:
    for _, entry in context.on_list("exit"):
        names = entry.line.option_names
        if "-w" not in names or "-p" in names:
            continue
        watch = next(option for option in entry.line.options if option.name == "-w")
        if entry.rule is None or sum(field.name == "perm" for field in entry.rule.fields) > 1:
            continue
        text = line_bytes(entry)
        end = offset(entry, watch.span[1])
        word = f"-p {usual_perm(watch.arg or '')}"
        fix = changed(context, entry, "unsafe", f"Add {word}", text[:end] + b" " + word.encode() + text[end:])
        message = f"without -p all of rwxa is meant: every open of {watch.arg} for reading is recorded"
        yield Hit(at_span(entry, watch.span), message, (), fix)
