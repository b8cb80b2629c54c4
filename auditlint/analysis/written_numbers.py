"""The numbers of a rule set as they were written: field values and the values of control options."""

from __future__ import annotations

import re

from auditlint.analysis.triggers import PATTERNS
from auditlint.context.rules import at_span
from auditlint.core.frozen import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditlint.auditctl.entries import Entry
    from auditlint.context.rules import RulesContext
    from auditlint.core.source import Location, Span

NUMBER_KINDS = frozenset(
    ("int", "uid", "gid", "exit", "argument", "session", "bool", "saddr", "msgtype", "fstype", "arch")
)
"""Kinds of rulesets/fields.tsv that are read as numbers when they begin like one."""
SETTINGS = ("-b", "-r", "--backlog_wait_time")
_PARTS = re.compile(r"(-?)(0[xX][0-9a-fA-F]+|0[0-7]*|[1-9][0-9]*)(.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Number:
    """A number as written. `digits` is what C reads, `junk` the text behind it, `name` the field or option."""

    entry: Entry
    span: Span
    text: str
    name: str
    sign: str
    digits: str
    junk: str

    @property
    def at(self) -> Location:
        return at_span(self.entry, self.span)

    @property
    def value(self) -> int:
        """What C makes of it before anything is cut."""
        digits = self.digits
        if digits[:2] in ("0x", "0X"):
            number = int(digits, 16)
        elif len(digits) > 1 and digits[0] == "0":
            number = int(digits, 8)
        else:
            number = int(digits[:400])
        return -number if self.sign else number


def numbers(context: RulesContext) -> Iterator[Number]:
    """The numbers that auditctl reads in lines that load, without those of lines where no number looks odd."""
    fields = context.reader().pairs.fields
    odd = PATTERNS["number:odd"]
    for _, entry in context.rules:
        if not odd.search(entry.line.source.data, *entry.line.span):
            continue
        for source in entry.line.field_sources:
            if source.option.name != "-F":
                continue
            name = entry.line.source.text(source.name_span)
            info = fields.get(name.lower())
            if info is not None and info.kind in NUMBER_KINDS:
                yield from _number(entry, source.value_span, source.text, info.name)
    for option, entry in context.options(*SETTINGS):
        if option.arg_span is not None and entry.verdict != "error":
            yield from _number(entry, option.arg_span, option.arg or "", option.name)


def _number(entry: Entry, span: Span, text: str, name: str) -> Iterator[Number]:
    found = _PARTS.match(text)
    if found is not None:
        yield Number(entry, span, text, name, *found.groups())
