"""AL126: a user or group that the host lacks."""

from __future__ import annotations

import re

from auditlint.analysis.spelling import Words, suggestion
from auditlint.auditctl.model import ACCOUNT_FIELDS
from auditlint.checks.api import Hits, RulesContext, caused, line_bytes, refusal, rewritten


def check(context: RulesContext) -> Hits:
    facts = context.facts
    users, groups = Words(facts.users or ()), Words(facts.groups or ())
    for entry in caused(context, "unknown-user"):
        assert entry.problem is not None
        word = entry.problem.context
        group = entry.problem.kind == "unknown-group"
        near = "unset" if word.lower() == "unset" and not group else (groups if group else users).near(word)
        what = f"no {'group' if group else 'user'} {word} on this host"
        if group and word.lower() in ("unset", "-1"):
            what = f"{word} is not a group"
        fix = None
        if word in ACCOUNT_FIELDS:
            what, near = f"{word} is a field, which -F takes for the name of {'a group' if group else 'a user'}", None
            compared = re.sub(rb"-F( *[a-z_]+!?=%s(?![^ ]))" % word.encode(), rb"-C\1", line_bytes(entry))
            fix = rewritten(context, entry, "unsafe", "Use -C to compare the two fields", compared)
            what += "; use -C to compare two fields" if fix else ""
        yield refusal(context, entry, what + suggestion(near), fix)
