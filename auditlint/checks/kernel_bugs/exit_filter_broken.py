"""AL701: kernels 5.16 to 5.19 test exit and success before they are known."""

from __future__ import annotations

from auditlint.checks.api import Hit, Hits, RulesContext, at_number, fields_named, written
from auditlint.core.target import NO_KERNEL, version

_SINCE, _MENDED = "5.16", "6.0"


def check(context: RulesContext) -> Hits:
    kernel = context.target.kernel
    if kernel == NO_KERNEL or not version(_SINCE) <= version(kernel) < version(_MENDED):
        return
    for rule, entry, number, _ in fields_named(context, "exit", "success"):
        if rule.list == "exit":
            message = f"Linux {kernel} looks at {written(entry, number)} before there is a result: no event matches"
            yield Hit(at_number(entry, number), f"{message} (mended in {_MENDED} and late updates of 5.19)")
