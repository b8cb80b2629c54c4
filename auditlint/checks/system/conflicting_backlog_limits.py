"""AL876: the queue has another size at boot than once the rules are loaded."""

from __future__ import annotations

from auditlint.analysis.audit_parameters import DEFAULT_LIMIT, LIMIT_SINCE, limit, off_for_good
from auditlint.checks.api import Entry, Hit, Hits, Option, RulesContext, SystemContext, at_span


def check(context: SystemContext) -> Hits:
    for rules in context.rules:
        last = _last(rules)
        if last is None:
            continue
        option, entry, size = last
        for cmdline in context.cmdlines:
            if cmdline.without_audit or not cmdline.kernel_at_least(LIMIT_SINCE):
                continue
            for line in cmdline.lines:
                given = limit(line)
                if given is None or off_for_good(line, cmdline) is not None or given[1] == size:
                    continue
                parameter, boot = given
                smaller = size != 0 and (boot == 0 or size < boot)
                effect = "shrinks" if smaller else "grows"
                yield Hit(
                    at_span(entry, option.span),
                    f"the queue {effect} from {_records(boot)} at boot to {_records(size)} when the rules are loaded"
                    + ("" if smaller else "; the boot writes more records than usual, yet has the smaller queue"),
                    (parameter.location("the size until then"),),
                    severity="warning" if smaller or boot <= DEFAULT_LIMIT else "advice",
                )


def _last(rules: RulesContext) -> tuple[Option, Entry, int] | None:
    """The last `-b` that takes effect, with its number."""
    taken = None
    for option, entry in rules.options("-b"):
        for sent in entry.control:
            size = sent.get("backlog_limit")
            if isinstance(size, int) and not entry.lost:
                taken = option, entry, size
    return taken


def _records(size: int) -> str:
    return "no limit" if size == 0 else f"{size} record" + ("" if size == 1 else "s")
