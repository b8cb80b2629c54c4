"""AL101: no option of auditctl."""

from __future__ import annotations

from auditlint.analysis.line_edits import rewritten
from auditlint.analysis.line_text import line_bytes
from auditlint.analysis.load_summary import at_problem, refusal
from auditlint.analysis.refusal_causes import caused
from auditlint.analysis.spelling import Words, suggestion

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditlint.context.rules import RulesContext
    from auditlint.core.findings import Hit


def check(context: RulesContext) -> Iterator[Hit]:
    from auditlint.auditctl.tables import options

    known = options(context.target.auditctl)
    long_options = Words(name for name in known if name.startswith("--"))
    spelled = {_plain(name): name for name in known if name.startswith("--")}
    for entry in caused(context, "unknown-option"):
        assert entry.problem is not None
        word = entry.problem.context
        longer = sorted(name for name in known if name.startswith(word)) if word.startswith("--") else []
        if len(longer) > 1:
            yield refusal(context, entry, f"{word} may be {' or '.join(longer)}")
            continue
        near = long_options.near(word) or spelled.get(_plain(word)) if word.startswith("--") else None
        text = line_bytes(entry)
        changed = text.replace(word.encode("utf-8", "surrogateescape"), near.encode(), 1) if near else text
        fix = rewritten(context, entry, "unsafe", f"Use {near}", changed)
        yield refusal(context, entry, f"unknown option {word}{suggestion(near)}", fix, at_problem(entry))


def _plain(option: str) -> str:
    """The name without what is easily mixed up: dashes and underscores."""
    return option.lower().replace("-", "").replace("_", "")
