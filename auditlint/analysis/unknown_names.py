"""One loop for values and names that do not exist: the nearest one that does, and the edit that puts it in."""

from __future__ import annotations

from auditlint.analysis.line_edits import offset, rewritten
from auditlint.analysis.line_text import line_bytes
from auditlint.analysis.load_summary import refusal
from auditlint.analysis.refusal_causes import caused
from auditlint.analysis.spelling import Words, suggestion

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from auditlint.context.rules import RulesContext
    from auditlint.core.findings import Hit


def unknown(context: RulesContext, check: str, what: str, known: Iterable[str], prefix: str = "") -> Iterator[Hit]:
    """A hit for each line of that cause: `what` and the wrong word. `prefix` may stand in front of the word."""
    words = Words(known)
    for entry in caused(context, check):
        problem = entry.problem
        assert problem is not None
        word = problem.context
        near = words.near(word.removeprefix(prefix))
        fix = None
        if near is not None:
            near = prefix + near if prefix and word.startswith(prefix) else near
            text = line_bytes(entry)
            start, end = offset(entry, problem.span[0]), offset(entry, problem.span[1])
            fix = rewritten(context, entry, "unsafe", f"Use {near}", text[:start] + near.encode() + text[end:])
        hint = "; a field takes one value" if "," in word else suggestion(near)
        yield refusal(context, entry, f"{what} {word}{hint}", fix)
