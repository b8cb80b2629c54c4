"""AL207: a socket address family by name."""

from __future__ import annotations

from auditlint.analysis.rule_fields import source_of, with_value
from auditlint.auditctl.tables import address_families
from auditlint.checks.api import Hit, Hits, RulesContext, at_number, fields_named

_ALIASES = {"ipv4": "inet", "ip": "inet", "ip4": "inet", "ipv6": "inet6", "ip6": "inet6"}


def check(context: RulesContext) -> Hits:
    for _, entry, number, field in fields_named(context, "saddr_fam"):
        source = source_of(entry, number) if field.value == 0 else None
        if source is None or source.text[:1].isdigit():
            continue
        name = source.text.lower().removeprefix("af_").removeprefix("pf_")
        family = address_families().get(_ALIASES.get(name, name)) if name != "max" else None
        message = f"auditctl reads {source.text} as 0, AF_UNSPEC: saddr_fam accepts only numbers"
        fix = None
        if family:
            message += f"; use {family} for {source.text}"
            fix = with_value(context, entry, number, "unsafe", f"Use {family}", str(family))
        yield Hit(at_number(entry, number), message, (), fix)
