"""AL515: the cost of the PROCTITLE record in each event."""

from __future__ import annotations

from auditlint.auditctl.tables import record_types
from auditlint.checks.api import Hit, Hits, RulesContext, at_line


def check(context: RulesContext) -> Hits:
    storage = context.storage
    number = record_types(context.target.auditctl).get("PROCTITLE")
    if any((field := stored.rule.get("msgtype")) is not None and field.value == number for stored in storage.exclude):
        return
    writers = [
        stored
        for stored in (*storage.exit, *storage.hashed, *storage.task)
        if stored.rule.action == "always" and stored.entry is not None
    ]
    if not writers:
        return
    first = min(writers, key=lambda stored: stored.index)
    assert first.entry is not None
    events = context.advisor.prices.events
    title = events["PROCTITLE", "reader"]
    whole = title + events["SYSCALL", "reader"]
    yield Hit(
        at_line(first.entry),
        f"{100 * title / whole:.0f} % of every event ({title:,.0f} of {whole:,.0f} instructions, without paths) is its "
        "PROCTITLE record; if unused, add `-a always,exclude -F msgtype=PROCTITLE`",
        weight=title,
    )
