"""AL411: perm=w looks at how a file is opened, not at what is done to it."""

from __future__ import annotations

from auditlint.analysis.rule_pairs import more
from auditlint.auditctl.model import PERM_R, PERM_W
from auditlint.checks.api import Hit, Hits, RulesContext, at_field, entry_of, own


def check(context: RulesContext) -> Hits:
    found = [
        stored
        for stored in context.storage.rules
        if stored.rule.action == "always"
        and own(context, stored)
        and any(f.name == "perm" and int(f.value) & (PERM_R | PERM_W) == PERM_W for f in stored.rule.fields)
    ]
    if found:
        rest = more(len(found) - 1, "rule")
        message = (
            "perm=w without r passes by an open for reading that empties or makes the file (O_TRUNC, O_CREAT), and "
            f"what is written through a descriptor that was open already{rest}"
        )
        yield Hit(at_field(entry_of(found[0]), "perm"), message)
