"""AL015: augenrules moves a -b, -f or -e line with all that stands on it."""

from __future__ import annotations

import re

from auditlint.checks.api import Edit, Fix, Hit, Hits, Location, RulesContext, Source, Span

_CONTROL = re.compile(rb"[ \t]*(-[bfe]) *[^ \n]+ +(?=-)[^\n]*")
_OPTION = re.compile(rb" +(?=-)")


def check(context: RulesContext) -> Hits:
    if not context.program.is_directory:
        return
    dropped = {(id(old.source), old.span): new for old, new in context.program.overridden}
    for source in context.program.sources:
        for number in range(1, len(source.starts) + 1):
            span = source.line_span(number)
            found = _CONTROL.fullmatch(source.data, *span)
            if found is None:
                continue
            new = dropped.get((id(source), span))
            option = found[1].decode()
            what = f"augenrules moves this whole line to the place of {option}"
            related: tuple[Location, ...] = ()
            if new is not None:
                what = f"augenrules drops this whole line: a later {option} line replaces it"
                related = (Location(new.source, new.span, "augenrules keeps this one"),)
            yield Hit(Location(source, span), what, related, _split(source, span, safe=not context.program.overridden))


def _split(source: Source, span: Span, safe: bool) -> Fix:
    """Write one option a line. Nothing changes when no other line of these kinds exists."""
    text = source.data[slice(*span)].rstrip(b"\r")
    edits = tuple(
        Edit(source, span[0] + found.start(), span[0] + found.end(), b"\n")
        for found in _OPTION.finditer(text)
        if found.start()
    )
    return Fix("safe" if safe else "unsafe", "Write one option a line", edits)
