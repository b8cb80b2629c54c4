"""Lines written another way that are the same rule to the kernel."""

from __future__ import annotations

from auditlint.analysis.line_edits import rewritten
from auditlint.analysis.trial_parse import reread

TYPE_CHECKING = False
if TYPE_CHECKING:
    from auditlint.auditctl.entries import Entry
    from auditlint.context.rules import RulesContext
    from auditlint.core.findings import Fix


def same_rule(context: RulesContext, entry: Entry, title: str, text: bytes) -> Fix | None:
    """The line replaced, safe because the rule is the same down to its last byte; None when it is not."""
    if entry.rule is None or reread(context, text).line.rule != entry.rule:
        return None
    return rewritten(context, entry, "safe", title, text)
