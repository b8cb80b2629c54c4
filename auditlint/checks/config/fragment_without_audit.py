"""AL819: a fragment asks for something that needs AUDIT and leaves AUDIT to others."""

from __future__ import annotations

from auditlint.analysis.dropped_requests import asked, asks_for_more, at
from auditlint.checks.api import ConfigContext, Hit, Hits


def check(context: ConfigContext) -> Hits:
    if context.strict is None:
        return
    own = {file.source for file in context.files}
    fine = {drop.assignment for drop in context.evaluation.dropped}
    for drop in context.strict.dropped:
        line = drop.assignment
        if line.source in own and line not in fine and drop.reason == "depends" and asks_for_more(drop):
            yield Hit(
                at(line),
                f"{asked(line)} is silently dropped over a base without AUDIT=y, which it depends on; "
                "set CONFIG_AUDIT=y in this fragment",
            )
