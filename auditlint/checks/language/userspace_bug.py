"""AL145: a fault of this auditctl spoils the rule."""

from __future__ import annotations

import re

from auditlint.checks.api import Entry, Fix, Hit, Hits, RulesContext, at_span, caused, line_bytes, refusal, rewritten

_DELETES = "-A deletes a rule instead of adding one"
_PERM = re.compile(rb" +-F *perm=[^ ]+", re.IGNORECASE)
_ARCH = re.compile(rb" +-F *arch=[^ ]+", re.IGNORECASE)


def check(context: RulesContext) -> Hits:
    release = context.target.auditctl
    for entry in caused(context, "userspace-bug"):
        assert entry.problem is not None
        what = _DELETES if entry.stage == "kernel" else entry.problem.message
        yield refusal(context, entry, f"{what}: a bug of auditctl {release}", _perm_first(context, entry))
    if "prepend-deletes" not in context.reader().switches:
        return
    for option, entry in context.options("-A"):
        if entry.verdict != "error":
            yield Hit(at_span(entry, option.span), f"{_DELETES}: a bug of auditctl {release}")


def _perm_first(context: RulesContext, entry: Entry) -> Fix | None:
    """-F perm in front of -F arch: the same events, tested at every system call."""
    text = line_bytes(entry)
    perm, arch = _PERM.search(text), _ARCH.search(text)
    if perm is None or arch is None or perm.start() < arch.start():
        return None
    without = text[: perm.start()] + text[perm.end() :]
    moved = without[: arch.start()] + perm[0] + without[arch.start() :]
    return rewritten(context, entry, "safe", "Move perm before arch", moved)
