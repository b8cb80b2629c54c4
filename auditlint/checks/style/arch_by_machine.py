"""AL910: arch by the name or number of one machine."""

from __future__ import annotations

import re

from auditlint.analysis.rule_calls import machines_of
from auditlint.analysis.rule_fields import source_of, with_value
from auditlint.checks.api import Hit, Hits, RulesContext, at_number, fields_named, line_bytes

_BY_MACHINE = re.compile(rb"arch *!?= *(?!b(?:32|64)\b)", re.IGNORECASE)


def check(context: RulesContext) -> Hits:
    machines = machines_of(context.target)
    words = {machine.elf: "b32" for machine in machines}
    if machines and machines[0].b32 != machines[0].name:
        words[machines[0].elf] = "b64"
    for _, entry, number, field in fields_named(context, "arch"):
        if not isinstance(field.value, int) or field.value not in words or not _BY_MACHINE.search(line_bytes(entry)):
            continue
        source = source_of(entry, number)
        if source is None or source.text.lower() in ("b32", "b64"):
            continue
        word = words[field.value]
        fix = with_value(context, entry, number, "unsafe", f"Write {word}", word)
        yield Hit(
            at_number(entry, number), f"{source.text} works on one machine only; {word} is the same here", (), fix
        )
