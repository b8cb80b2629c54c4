"""AL901: a rule without a key."""

from __future__ import annotations

from auditlint.context.rules import at_line
from auditlint.core.findings import Hit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditlint.context.rules import RulesContext


def check(context: RulesContext) -> Iterator[Hit]:
    for name in ("exit", "io_uring"):
        for rule, entry in context.on_list(name):
            if rule.action == "always" and rule.key is None:
                yield Hit(at_line(entry), "no key: nothing in the events says which rule recorded them; add -k NAME")
