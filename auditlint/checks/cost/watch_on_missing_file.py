"""AL510: watches on files that do not exist, which every failed look-up tests."""

from __future__ import annotations

from auditlint.analysis.cost_rules import count, others
from auditlint.checks.api import Hit, Hits, RulesContext, at_field
from auditlint.kernel.storage import MISSING_BUCKET


def check(context: RulesContext) -> Hits:
    missing = [
        stored
        for stored in context.storage.hashed
        if stored.bucket == MISSING_BUCKET and stored.inode is None and stored.entry is not None
    ]
    if not missing:
        return
    entries = [stored.entry for stored in missing if stored.entry is not None]
    gain = context.advisor.change(missing, ())
    files = "a file that does not exist" if len(missing) == 1 else "files that do not exist"
    yield Hit(
        at_field(entries[0], "path"),
        f"every failed look-up of any name tests {count(len(missing), 'rule')} on {files}; removing "
        f"{'it' if len(missing) == 1 else 'them'} {gain}",
        others(entries[1:], "does not exist either"),
        weight=gain.total,
        saved=gain.saved,
    )
