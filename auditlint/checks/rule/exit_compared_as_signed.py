"""AL203: the return value compared as if it had a sign."""

from __future__ import annotations

from auditlint.analysis.call_outcome import FIRST_ERROR
from auditlint.analysis.rule_fields import behind, with_field
from auditlint.checks.api import Field, Hit, Hits, Rule, RulesContext, at_number, fields_named, written

_HALF = 1 << 31
_LAST = (1 << 32) - 1


def check(context: RulesContext) -> Hits:
    for rule, entry, number, field in fields_named(context, "exit"):
        found = _misread(rule, field)
        if found is None:
            continue
        what, word, never = found
        if word == "success=1" and not never and field.value:
            fix = behind(context, entry, number, "unsafe", f"Add {word}", f"-F {word}")
        else:
            fix = with_field(context, entry, number, "unsafe", f"Use {word}", word)
        message = f"{written(entry, number)} {what}: return values are compared as unsigned numbers"
        yield Hit(at_number(entry, number), message, (), fix, "error" if never else "warning")


def _misread(rule: Rule, field: Field) -> tuple[str, str, bool] | None:
    """What the condition means instead, the field for what was meant, and whether it is never true."""
    value, op = field.value, field.op
    if not isinstance(value, int):
        return None
    if (op == "<" and value == 0) or (op == ">" and value == _LAST):
        return "is never true", "success=0" if op == "<" else "success=1", True
    if rule.get("success") is not None:
        return None
    lows, highs = _bounds(rule)
    if op in ("<", "<=") and value >= _HALF and not any(low >= _HALF for low in lows):
        others = "everything" if (op, value) == ("<=", _LAST) else "all successful calls and other errors"
        return f"also matches {others}", "success=0", False
    # Another bound tells that errors are wanted, or leaves them out.
    known = any(high < FIRST_ERROR for high in highs) or any(low >= FIRST_ERROR for low in lows)
    if op in (">", ">=") and value < _HALF and not known:
        return "is also true for every error", "success=1", False
    return None


def _bounds(rule: Rule) -> tuple[list[int], list[int]]:
    """The values that `exit` must be above and below, or equal to."""
    lows, highs = [], []
    for field in rule.fields:
        if field.name == "exit" and isinstance(field.value, int):
            if field.op in (">", ">=", "="):
                lows.append(field.value)
            if field.op in ("<", "<=", "="):
                highs.append(field.value)
    return lows, highs
