"""AL017: -i hides that lines failed."""

from __future__ import annotations

from auditlint.checks.api import Fix, Hit, Hits, RulesContext, at_span, offset, part


def check(context: RulesContext) -> Hits:
    for entry in context.entries:
        kinds = [request.kind for request in entry.line.requests]
        if "continue" in kinds:
            return
        if "ignore" not in kinds:
            continue
        option = next(option for option in entry.line.options if option.name == "-i")
        start = offset(entry, option.span[0])
        fix = Fix("unsafe", "Use -c instead of -i", (part(entry, start, start + 2, b"-c"),))
        refused = sum(1 for other in context.entries if other.verdict == "error")
        now = f" ({refused} here)" if refused else ""
        message = f"-i hides errors: lines that fail are skipped{now} and the exit status is 0; use -c instead"
        yield Hit(at_span(entry, option.span), message, (), fix)
        return
