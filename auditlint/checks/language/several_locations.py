"""AL133: two of path, dir and inode, or two exe, in one rule."""

from __future__ import annotations

from auditlint.checks.api import Entry, Fix, Hits, RulesContext, caused, line_bytes, offset, refusal, rewritten

_LOCATIONS = ("path", "dir", "inode")


def check(context: RulesContext) -> Hits:
    for entry in caused(context, "several-locations"):
        rule = entry.rule
        assert rule is not None
        places = sum(field.name in _LOCATIONS for field in rule.fields)
        what = "a rule can have only one of path, dir and inode" if places > 1 else "a rule can have only one exe"
        yield refusal(context, entry, what, _split(context, entry, _LOCATIONS if places > 1 else ("exe",)))


def _split(context: RulesContext, entry: Entry, names: tuple[str, ...]) -> Fix | None:
    """Write a rule for each of the fields."""
    rule = entry.rule
    assert rule is not None
    if len(entry.line.field_sources) != len(rule.fields):
        return None
    text = line_bytes(entry)
    spans = []
    for source in entry.line.field_sources:
        if rule.fields[source.index].name in names and source.option.name == "-F":
            spans.append((offset(entry, source.option.span[0]), offset(entry, source.option.span[1])))
    if len(spans) < 2:
        return None
    lines = []
    for kept in spans:
        line = text
        for start, end in reversed(spans):
            if (start, end) != kept:
                line = line[:start].rstrip(b" ") + line[end:]
        lines.append(line)
    return rewritten(context, entry, "unsafe", "Write a rule for each", b"\n".join(lines))
