"""AL407: `-S all` on the io_uring list does not cover all operations."""

from __future__ import annotations

from auditlint.analysis.rule_fields import changed
from auditlint.auditctl.tables import io_uring_operations
from auditlint.checks.api import Hit, Hits, RulesContext, at_span, line_bytes, offset

_MOST_NAMED = 6


def check(context: RulesContext) -> Hits:
    operations = io_uring_operations(context.target.auditctl)
    for rule, entry in context.on_list("io_uring"):
        absent = [name for name, number in operations.items() if not rule.mask >> number & 1]
        span = next((span for word, span, _ in entry.line.syscall_words if word == "all"), None)
        if not absent or span is None or rule.action != "always":
            continue
        shown = ", ".join(absent[:_MOST_NAMED]) + (f" and {len(absent) - _MOST_NAMED} more" if len(absent) > 6 else "")
        text = line_bytes(entry)
        names = ",".join(operations).encode()
        text = text[: offset(entry, span[0])] + names + text[offset(entry, span[1]) :]
        fix = changed(context, entry, "unsafe", "Name every operation after -S", text)
        yield Hit(at_span(entry, span), f"-S all does not cover {shown} on the io_uring list", (), fix)
