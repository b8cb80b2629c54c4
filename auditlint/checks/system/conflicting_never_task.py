"""AL877: one part of the system turns the auditing of tasks off, and another one relies on it."""

from __future__ import annotations

from auditlint.analysis.audit_parameters import switches
from auditlint.checks.api import Entry, Hit, Hits, Location, SystemContext, at_line
from auditlint.context.system import unconditional_never

TYPE_CHECKING = False
if TYPE_CHECKING:
    from auditlint.kernel.storage import Stored


def check(context: SystemContext) -> Hits:
    never = unconditional_never(context.combined)
    if never is not None and never.entry is not None:
        yield from _kills(context, never.entry)
        yield from _forced_on(context, never.entry)
    if len(context.rules) > 1:
        yield from _defeated(context, never)


def _kills(context: SystemContext, never: Entry) -> Hits:
    """Rules of another set that can never match; AL307 reports those of the same set."""
    own = context.set_of(never.at.source)
    storage = context.combined.storage
    dead = [
        stored.entry
        for stored in (*storage.exit, *storage.hashed, *storage.uring)
        if stored.entry is not None and context.set_of(stored.entry.at.source) != own
    ]
    if dead:
        dead.sort(key=lambda entry: (entry.at.source.path, entry.at.span))
        count = "a rule" if len(dead) == 1 else f"{len(dead)} rules"
        yield Hit(
            at_line(never),
            f"{count} of other files never match{'es' if len(dead) == 1 else ''} a task started after the load: "
            "this rule leaves those tasks without an audit context",
            (at_line(dead[0], "never matches" if len(dead) == 1 else "the first of them"),),
        )


def _forced_on(context: SystemContext, never: Entry) -> Hits:
    places: list[Location] = []
    for cmdline in context.cmdlines:
        for line in cmdline.lines:
            given = switches(line, cmdline)
            if given and all(switch.on for switch in given):
                places.append(given[-1].parameter.location("turns audit on from the first process"))
    if places:
        yield Hit(
            at_line(never),
            "only services started before the load are audited and pay for it: the command line turns audit on, and "
            "this rule turns it off for later tasks",
            tuple(places),
            severity="warning",
        )


def _defeated(context: SystemContext, combined: Stored | None) -> Hits:
    """A `never,task` that works in its own rule set, but not together with the others."""
    for rules in context.rules:
        alone = unconditional_never(rules)
        if alone is None or alone.entry is None or combined is not None:
            continue
        if alone.entry.at.source not in context.combined.program.sources:
            continue  # the other set replaces the file
        first = context.combined.storage.task[:1]
        by = first[0].entry if first else None
        related: tuple[Location, ...] = ()
        reason = "another file deletes it"
        if by is not None and by.at != alone.entry.at:
            related = (at_line(by, "comes first and matches every task"),)
            reason = "a rule of another file comes first"
        elif by is not None:
            continue
        yield Hit(at_line(alone.entry), f"this rule has no effect together with the other files: {reason}", related)
