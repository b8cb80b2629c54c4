"""AL411: perm=w looks at how a file is opened, not at what is done to it."""

from __future__ import annotations

from auditlint.analysis.rule_pairs import entry_of, more, own
from auditlint.auditctl.model import PERM_R, PERM_W
from auditlint.context.rules import at_field
from auditlint.core.findings import Hit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditlint.context.rules import RulesContext


def check(context: RulesContext) -> Iterator[Hit]:
    affected = [
        stored
        for stored in context.storage.rules
        if stored.rule.action == "always"
        and own(context, stored)
        and any(f.name == "perm" and int(f.value) & (PERM_R | PERM_W) == PERM_W for f in stored.rule.fields)
    ]
    if affected:
        rest = more(len(affected) - 1, "rule")
        message = (
            "perm=w misses files truncated or created by an open for reading (O_TRUNC, O_CREAT), and writes to files "
            f"already open{rest}"
        )
        yield Hit(at_field(entry_of(affected[0]), "perm"), message)
