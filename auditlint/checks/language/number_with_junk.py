"""AL141: text behind a number is ignored."""

from __future__ import annotations

from auditlint.analysis.written_numbers import numbers
from auditlint.checks.api import Hit, Hits, RulesContext


def check(context: RulesContext) -> Hits:
    for number in numbers(context):
        junk = number.junk.rstrip("\r")
        if junk and not (junk.isdigit() and number.digits.startswith("0")):
            read = number.sign + number.digits
            yield Hit(number.at, f"auditctl reads {read} and silently ignores {junk} after it")
