"""Fields of rules that load: where they were written, and their lines with one of them changed or left out."""

from __future__ import annotations

from auditlint.analysis.line_edits import offset, rewritten
from auditlint.analysis.line_text import line_bytes
from auditlint.analysis.trial_parse import reread
from auditlint.context.rules import at_line, at_span
from auditlint.core.frozen import replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from auditlint.auditctl.entries import Entry
    from auditlint.auditctl.model import Field, FieldSource, Rule
    from auditlint.context.rules import RulesContext
    from auditlint.core.findings import Fix, FixLevel
    from auditlint.core.source import Location


def fields_named(context: RulesContext, *names: str) -> Iterator[tuple[Rule, Entry, int, Field]]:
    """Every field of these names in the rules that load, with its number in the rule."""
    for name in names:
        for rule, entry in context.with_field(name):
            for number, field in enumerate(rule.fields):
                if field.name == name:
                    yield rule, entry, number, field


def source_of(entry: Entry, number: int) -> FieldSource | None:
    """Where a field of the rule was written; None for the path of `-w`, which is more than a field."""
    for source in entry.line.field_sources:
        if source.index == number:
            return source if source.option.name != "-w" else None
    return None


def at_number(entry: Entry, number: int, message: str = "") -> Location:
    """A field as written, or the whole line."""
    options = entry.line.field_options
    return at_span(entry, options[number].span, message) if number < len(options) else at_line(entry, message)


def written(entry: Entry, number: int) -> str:
    """A field as it stands in the line, `auid>=1000`; without its place there, as the rule has it."""
    source = source_of(entry, number)
    if source is not None and source.option.arg is not None:
        return source.option.arg
    assert entry.rule is not None
    field = entry.rule.fields[number]
    return f"{field.name}{field.op}{field.value}"


def without(context: RulesContext, entry: Entry, number: int, level: FixLevel | None, title: str) -> Fix | None:
    """The line without one field."""
    text = text_without(entry, number)
    return None if text is None else changed(context, entry, level, title, text)


def text_without(entry: Entry, number: int) -> bytes | None:
    """The bytes of the line without one field; None when the text does not show where that is."""
    source = source_of(entry, number)
    if source is None:
        return None
    text = line_bytes(entry)
    start, end = (offset(entry, place) for place in source.option.span)
    rest = text[end:].lstrip(b" ")
    return text[:start].rstrip(b" ") + (b" " + rest if rest else b"")


def with_value(
    context: RulesContext, entry: Entry, number: int, level: FixLevel | None, title: str, value: str
) -> Fix | None:
    """The line with another value in one field."""
    source = source_of(entry, number)
    return None if source is None else _spliced(context, entry, level, title, source.value_span, escaped(value))


def escaped(value: str) -> str:
    """A value as it is written in a line."""
    return value.replace("\\", "\\\\").replace(" ", "\\ ")


def with_field(
    context: RulesContext, entry: Entry, number: int, level: FixLevel | None, title: str, text: str
) -> Fix | None:
    """The line with another text, name and operator too, in one field."""
    source = source_of(entry, number)
    if source is None or source.option.arg_span is None:
        return None
    return _spliced(context, entry, level, title, source.option.arg_span, text)


def behind(
    context: RulesContext, entry: Entry, number: int, level: FixLevel | None, title: str, text: str
) -> Fix | None:
    """The line with further words behind one field."""
    source = source_of(entry, number)
    if source is None:
        return None
    end = source.option.span[1]
    return _spliced(context, entry, level, title, (end, end), " " + text)


def _spliced(
    context: RulesContext, entry: Entry, level: FixLevel | None, title: str, span: tuple[int, int], text: str
) -> Fix | None:
    line = line_bytes(entry)
    start, end = offset(entry, span[0]), offset(entry, span[1])
    return changed(context, entry, level, title, line[:start] + text.encode("utf-8", "surrogateescape") + line[end:])


def changed(context: RulesContext, entry: Entry, level: FixLevel | None, title: str, text: bytes) -> Fix | None:
    """The line replaced; None when a new line would be refused, also because its rule is loaded already, or has a rule
    that can never match.

    Without a `level` it is decided by proof: safe when every event is judged as before.
    """
    fix = rewritten(context, entry, level or "unsafe", title, text)
    if fix is None:
        return None
    from auditlint.kernel.acceptance import identity
    from auditlint.kernel.equivalence import never_matches

    own = None if entry.rule is None else identity(entry.rule, context.target)
    made: set[object] = set()
    for line in text.split(b"\n"):
        rule = reread(context, line).line.rule
        if rule is None:
            continue
        known = identity(rule, context.target)
        if known in made or (known != own and context.has_rule(rule)) or never_matches(context.algebra, rule):
            return None
        made.add(known)
    if level is None:
        from auditlint.analysis.fix_level import level_of

        fix = replace(fix, level=level_of(context, entry, text))
    return fix


def addable(context: RulesContext, text: bytes) -> bool:
    """Whether a further line loads, with a rule that is not there yet and can match."""
    from auditlint.kernel.equivalence import never_matches

    read = reread(context, text)
    rule = read.line.rule
    if read.kind is not None or rule is None or context.has_rule(rule):
        return False
    return not never_matches(context.algebra, rule)


def one_rule_each(
    context: RulesContext, entry: Entry, numbers: Sequence[int], level: FixLevel | None, title: str
) -> Fix | None:
    """A line for each of these fields, without the others."""
    spans = []
    for number in numbers:
        source = source_of(entry, number)
        if source is None:
            return None
        spans.append((offset(entry, source.option.span[0]), offset(entry, source.option.span[1])))
    lines = []
    for kept in spans:
        line = line_bytes(entry)
        for start, end in sorted(spans, reverse=True):
            if (start, end) != kept:
                line = line[:start].rstrip(b" ") + line[end:]
        lines.append(line)
    return changed(context, entry, level, title, b"\n".join(lines))


def of_objects(field: Field) -> bool:
    """Whether the field is a comparison of an id with the owner of a file."""
    if field.name != "field_compare" or not isinstance(field.value, int):
        return False
    from auditlint.auditctl.tables import comparison_pairs

    pair = comparison_pairs().get(field.value)
    return pair is not None and pair[2]


def reordered(context: RulesContext, entry: Entry, wanted: Rule, title: str) -> Fix | None:
    """The line with its fields in another order, each in the place of another one; None when that is read otherwise."""
    if entry.rule is None:
        return None
    old, new = entry.rule.fields, list(wanted.fields)
    text = line_bytes(entry)
    moved = [number for number, field in enumerate(old) if field != new[number]]
    options = entry.line.field_options
    if any(number >= len(options) or options[number].name == "-w" for number in moved):
        return None
    spans = [(offset(entry, options[number].span[0]), offset(entry, options[number].span[1])) for number in moved]
    words = [text[start:end] for start, end in spans]
    left = list(range(len(moved)))
    for place in reversed(range(len(moved))):
        taken = next((at for at in reversed(left) if old[moved[at]] == new[moved[place]]), None)
        if taken is None:
            return None
        left.remove(taken)
        start, end = spans[place]
        text = text[:start] + words[taken] + text[end:]
    if reread(context, text).line.rule != wanted or context.has_rule(wanted):
        return None
    from auditlint.analysis.fix_level import level_of

    return rewritten(context, entry, level_of(context, entry, text), title, text)
