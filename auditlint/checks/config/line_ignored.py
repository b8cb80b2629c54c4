"""AL807: a line that looks like a setting is ignored."""

from __future__ import annotations

from auditlint.checks.api import ConfigContext, Edit, Fix, Hit, Hits, Location
from auditlint.kconfig.model import PASSED_OVER

TYPE_CHECKING = False
if TYPE_CHECKING:
    from auditlint.kconfig.model import Ignored

MOST = 20
"""Lines reported for one file; a file of another format would have thousands."""


def check(context: ConfigContext) -> Hits:
    for file in context.files:
        lines = [line for line in file.ignored if line.reason != "misspelt-prefix"]
        for line in lines[:MOST]:
            yield _hit(line, context)
        if len(lines) > MOST:
            last = lines[MOST]
            yield Hit(Location(last.source, last.span), f"{len(lines) - MOST} more lines like these are ignored")


def _hit(line: Ignored, context: ConfigContext) -> Hit:
    how = "ignored with a warning" if line.warned else "silently ignored"
    fixed = _fixed(line)
    at = Location(line.source, line.span)
    name = line.symbol.upper() if line.symbol is not None else ""
    recorded = name in context.evaluation.symbols
    return Hit(
        at,
        f"this line is {how}: {PASSED_OVER[line.reason]}" + (_outcome(name, context) if recorded else ""),
        fix=_fix(line, fixed) if fixed else None,
        severity="advice" if line.symbol is None or (line.reason == "no-blank" and not recorded) else None,
    )


def _outcome(name: str, context: ConfigContext) -> str:
    """What became of the symbol. What a fragment does not set, others decide."""
    if context.fragment and context.request(name) is None:
        return f"; so this fragment does not set {name}"
    return f"; {name} is {context.value(name)}"


def _fix(line: Ignored, fixed: str) -> Fix:
    end = line.span[1] - line.source.data[: line.span[1]].endswith(b"\r")  # a carriage return stays
    text = fixed.encode("utf-8", "surrogateescape")
    return Fix("unsafe", f"Write {fixed}", (Edit(line.source, line.span[0], end, text),))


def _fixed(line: Ignored) -> str | None:
    """The line as it was meant, where that is plain."""
    if line.symbol is None or line.reason in ("byte-order-mark", "no-value", "utf-16"):
        return None
    symbol = line.symbol.upper() if line.reason == "lower-case" else line.symbol
    text = line.source.text(line.span).rstrip("\r")
    if "is not set" in text:
        return f"# CONFIG_{symbol} is not set"
    value = text.partition("=")[2].strip()
    return f"CONFIG_{symbol}={value}" if value else None
