"""AL126: a user or group that the host lacks."""

from __future__ import annotations

from auditlint.checks._load import refusal
from auditlint.checks._near import Words, suggestion
from auditlint.data import rows
from auditlint.findings import Hit
from auditlint.subjects import at_field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditlint.subjects import RulesSubject

_GROUPS = frozenset(("gid", "egid", "sgid", "fsgid", "obj_gid"))
_USERS = frozenset(("uid", "euid", "suid", "fsuid", "auid", "obj_uid"))


def check(subject: RulesSubject) -> Iterator[Hit]:
    facts = subject.facts
    users, groups = Words(facts.users or ()), Words(facts.groups or ())
    for entry in subject.caused("unknown-user"):
        assert entry.problem is not None
        word = entry.problem.subject
        group = entry.problem.kind == "unknown-group"
        near = "unset" if word.lower() == "unset" and not group else (groups if group else users).near(word)
        what = f"no {'group' if group else 'user'} {word} on this host"
        if group and word.lower() in ("unset", "-1"):
            what = f"{word} is no group"
        yield refusal(subject, entry, what + suggestion(near))
    if facts.users is None or facts.groups is None:
        yield from _uncertain(subject)


def _uncertain(subject: RulesSubject) -> Iterator[Hit]:
    """Names of which nobody says whether the host has them; those that every host has are left out."""
    everywhere = {(row[0], row[1]) for row in rows("base-accounts.tsv")}
    for rule, entry in subject.rules:
        for field in rule.fields:
            kind = "group" if field.name in _GROUPS else "user" if field.name in _USERS else ""
            if kind and isinstance(field.value, str) and (kind, field.value) not in everywhere:
                message = f"a host without the {kind} {field.value} refuses this line and stops the load"
                yield Hit(at_field(entry, field.name), message, (), None, "advice")
