"""AL143: a list, field or operator that the kernel does not know yet."""

from __future__ import annotations

from auditlint.checks.api import Hits, RulesContext, caused, refusal, replace


def check(context: RulesContext) -> Hits:
    vendor = context.target.vendor
    for entry in caused(context, "kernel-too-old"):
        assert entry.problem is not None
        if vendor is None:
            yield refusal(context, entry, f"{entry.problem.message}; a newer kernel accepts it")
            continue
        what = f"{entry.problem.message}; whether {vendor} has taken it over is not known"
        yield replace(refusal(context, entry, what), severity="warning")
