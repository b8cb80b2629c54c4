"""AL004: NUL bytes."""

from __future__ import annotations

from auditlint.checks.api import Edit, Entry, Fix, Hit, Hits, Location, RulesContext, caused, consequence


def check(context: RulesContext) -> Hits:
    refused: dict[tuple[int, int], Entry] = {}
    for entry in caused(context, "nul-byte"):
        refused.setdefault((id(entry.at.source), entry.at.line), entry)
    for source in context.program.sources:
        at = source.data.find(b"\0")
        while at >= 0:
            line = source.line_of(at)
            start, end = source.line_span(line)
            rest = source.data[at:end].strip(b"\0 \r")
            wrong = refused.get((id(source), line))
            if wrong is not None or (rest and not source.data[start:at].lstrip(b" ").startswith(b"#")):
                stop = at
                while source.data[stop : stop + 1] == b"\0":
                    stop += 1
                what = "auditctl ignores the rest of the line"
                if wrong is not None:
                    what = f"auditctl reads the line only up to here; {consequence(context, wrong)}"
                fix = Fix("unsafe", "Remove the NUL byte", (Edit(source, at, stop, b""),))
                yield Hit(Location(source, (at, stop)), f"NUL byte: {what}", (), fix)
            at = source.data.find(b"\0", end)
