"""AL883: audit is meant to work, and no daemon takes the records."""

from __future__ import annotations

from auditlint.checks.api import Hit, Hits, Location, SystemContext, at_line


def check(context: SystemContext) -> Hits:
    user_space = context.user_space
    if (
        user_space is None
        or not user_space.whole
        or context.settings.policy != "audit"
        or user_space.daemon_at_boot is not False
    ):
        return
    if user_space.auditd is None:
        why = "the image has no auditd; install the audit package"
    else:
        state = next((service for service in user_space.services if service.name == "auditd"), None)
        why = "no service starts auditd"
        if state is not None:
            why = f"auditd is {state.state} ({state.source}); enable it"
    place = _place(context)
    if place is not None:
        yield Hit(place, f"no daemon writes the audit log, so records go to the kernel log and get lost: {why}")


def _place(context: SystemContext) -> Location | None:
    """Where audit is asked for: on the command line, in the rules, in the configuration."""
    for cmdline in context.cmdlines:
        for line in cmdline.lines:
            parameter = line.last("audit")
            return parameter.location() if parameter is not None else Location(line.source, line.span)
    for rules in context.rules:
        if rules.rules:
            return at_line(rules.rules[0][1])
    return None if context.config is None else context.config.at("AUDIT")
