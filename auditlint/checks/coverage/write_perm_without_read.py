"""AL411: perm=w looks at how a file is opened, not at what is done to it."""

from __future__ import annotations

from auditlint.analysis.rule_pairs import more
from auditlint.auditctl.model import PERM_R, PERM_W
from auditlint.checks.api import Hit, Hits, RulesContext, at_field, entry_of, own


def check(context: RulesContext) -> Hits:
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
