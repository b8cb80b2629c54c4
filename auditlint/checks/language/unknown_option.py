"""AL101: no option of auditctl."""

from __future__ import annotations

from auditlint.analysis.spelling import Words, suggestion
from auditlint.checks.api import Hits, RulesContext, at_problem, caused, line_bytes, refusal, rewritten


def check(context: RulesContext) -> Hits:
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
