"""AL126: a user or group that the host lacks."""

from __future__ import annotations

from auditlint.checks._load import refusal
from auditlint.checks._near import Words, suggestion

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditlint.findings import Hit
    from auditlint.subjects import RulesSubject


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
