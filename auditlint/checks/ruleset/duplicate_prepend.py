"""AL302: -A adds a rule that the kernel already has."""

from __future__ import annotations

from auditlint.analysis.fix_safety import removal
from auditlint.analysis.load_summary import place
from auditlint.checks.api import Entry, Hit, Hits, RulesContext, at_line


def check(context: RulesContext) -> Hits:
    from auditlint.kernel.acceptance import identity

    seen: dict[object, Entry] = {}
    for entry in context.entries:
        rule = entry.rule
        if any(request.kind == "delete-all" for request in entry.line.requests):
            seen.clear()
        if rule is None or entry.verdict not in ("rule", "delete"):
            continue
        key = identity(rule, context.target)
        first = seen.get(key)
        if entry.verdict == "delete":
            seen.pop(key, None)
        elif first is None:
            seen[key] = entry
        elif rule.prepend:
            where = place(first, context.program)
            message = f"the kernel stores and tests this rule twice: {where} already loads it"
            later = context.stored_of.get(id(entry))
            fix = removal(context, first, f"Remove {where}", () if later is None else (later,))
            yield Hit(at_line(entry), message, (at_line(first, "the same rule"),), fix)
            seen[key] = entry
