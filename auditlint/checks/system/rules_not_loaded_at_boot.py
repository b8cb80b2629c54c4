"""AL882: rules that no service loads at boot."""

from __future__ import annotations

from auditlint.checks.api import Hit, Hits, SystemContext, at_line


def check(context: SystemContext) -> Hits:
    user_space = context.user_space
    if user_space is None or user_space.auditctl is None or user_space.loads_at_boot is not False:
        return
    states = ", ".join(f"{service.name} is {service.state} ({service.source})" for service in user_space.services)
    for rules in context.rules:
        if rules.rules:
            yield Hit(
                at_line(rules.rules[0][1]),
                f"no service loads these rules at boot: {states}; enable {user_space.services[-1].name}",
            )
            return
