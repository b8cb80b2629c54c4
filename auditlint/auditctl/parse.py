"""Reads rule files and command lines as a release of auditctl does: bytes to `Line` values.

    reader = Reader(Target(auditctl="3.0.9"), facts)
    for line in reader.read(source): ...

A reader keeps what it has read (texts of -F, comma lists of -S), so one reader should read all files of a run.
"""

from __future__ import annotations

from auditlint.auditctl.fields import OPERATORS, PAIR_OPERATORS, as_text, split_pair
from auditlint.auditctl.grammar import parts
from auditlint.auditctl.lexer import split_words, tokens
from auditlint.auditctl.lines import pieces, readable_end
from auditlint.auditctl.model import FieldSource, Line, Option, Problem
from auditlint.auditctl.options import run
from auditlint.auditctl.render import call_numbers
from auditlint.auditctl.state import State
from auditlint.auditctl.vocabulary import Vocabulary, keep
from auditlint.core.source import Source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import TypeVar

    from auditlint.auditctl.lexer import Token, Word
    from auditlint.core.facts import Facts
    from auditlint.core.source import Span
    from auditlint.core.target import Target

    Key = TypeVar("Key")
    Value = TypeVar("Value")


class CommandLine(Source):
    """The words of a command line, joined by spaces so that they have positions."""

    __slots__ = ("words",)

    def __init__(self, words: Sequence[bytes] | Sequence[str]) -> None:
        self.words: list[Word] = []
        at = 0
        for word in words:
            raw = word if isinstance(word, bytes) else word.encode("utf-8", "surrogateescape")
            text = raw.partition(b"\0")[0].decode("latin-1")
            self.words.append((text, at, at + len(text)))
            at += len(text) + 1
        super().__init__("(command line)", " ".join(text for text, _, _ in self.words).encode("latin-1"))


class Reader(Vocabulary):
    """Reads lines for one target and one host."""

    def __init__(self, target: Target, facts: Facts) -> None:
        super().__init__(target, facts)
        self._names: dict[tuple[str, ...], tuple[str, ...]] = {}
        self._read_again: tuple[Line, State] | None = None

    def read(self, source: Source) -> Iterator[Line]:
        """The lines of a source that are neither blank nor a comment, in order."""
        data = source.data
        for number, part, start, end in pieces(data):
            text = data[start : readable_end(data, start, end)].decode("latin-1")
            first = text.lstrip(" ")
            if first and first[0] != "#":
                span = (start, end)
                yield self._line(source, number, part, span, self._walk(text, split_words(text), span, True))

    def read_words(self, words: Sequence[bytes] | Sequence[str]) -> Line:
        """One command line of auditctl, without the program name. Spans are those of its words joined by spaces.

        `-R FILE` alone is refused as a missing file: an existing one is to be read with `read`.
        """
        source = CommandLine(words)
        span = (0, len(source.data))
        if not source.words:
            return Line(source, 1, 0, span, problem=Problem("usage", "the line has no option", span, "", 1))
        state = self._walk(source.data.decode("latin-1"), source.words, span, False)
        return self._line(source, 1, 0, span, state)

    def words(self, line: Line) -> list[tuple[str, Span]]:
        """The words of a line as auditctl sees them, escapes resolved, with their spans."""
        base = line.span[0]
        _, words = self._text_and_words(line)
        return [(as_text(text), (base + start, base + end)) for text, start, end in words]

    def options_of(self, line: Line) -> tuple[Option, ...]:
        """The options of a line, as many as were read."""
        text, words = self._text_and_words(line)
        most, _ = self._most_words(text, words, not isinstance(line.source, CommandLine))
        found = [token for name, token in parts(*tokens(words[:most], self.options)) if name != "word"]
        return tuple([_option(token, line.span[0]) for token in found[: len(line.option_names)]])

    def field_sources(self, line: Line) -> tuple[FieldSource, ...]:
        """For each field of the rule of a line where it came from."""
        state = self._again(line)
        base = line.span[0]
        found = []
        for index, token in enumerate(state.origins):
            text = token[6] or ""
            name_end = value_start = 0
            if token[0] == "COMPARE" or (token[0] == "FIELD" and not text.startswith("key=")):
                name_end, value_start = split_pair(text, PAIR_OPERATORS if token[0] == "COMPARE" else OPERATORS)
            elif token[0] == "FIELD":
                name_end, value_start = 3, 4
            start, end = base + token[4], base + token[5]
            operator, value = base + state.inside(token, name_end), base + state.inside(token, value_start)
            option = _option(token, base)
            spans = (start, operator), (operator, value), (value, end)
            found.append(FieldSource(index, option, *spans, as_text(text[value_start:])))
        return tuple(found)

    def field_options(self, line: Line) -> tuple[Option, ...]:
        """The option that each field of the rule of a line came from, in the order of the fields."""
        return tuple([_option(token, line.span[0]) for token in self._again(line).origins])

    def syscall_words(self, line: Line) -> tuple[tuple[str, Span, tuple[int, ...]], ...]:
        """Every element of the -S options of a line: its text, its span, the numbers it stands for."""
        state = self._again(line)
        base = line.span[0]
        found = []
        for token, machine in state.calls_seen:
            text = token[6] or ""
            at = 0
            for element in text.split(","):
                if element or "," not in text:
                    span = base + state.inside(token, at), base + state.inside(token, at + len(element))
                    mask, _ = self.operations(element) if machine is None else self.calls(machine, element)
                    found.append((as_text(element), span, call_numbers(mask)))
                at += len(element) + 1
        return tuple(found)

    def _text_and_words(self, line: Line) -> tuple[str, list[Word]]:
        if isinstance(line.source, CommandLine):
            return line.source.data.decode("latin-1"), line.source.words
        data = line.source.data
        text = data[line.span[0] : readable_end(data, *line.span)].decode("latin-1")
        return text, split_words(text)

    def _again(self, line: Line) -> State:
        """What the reading of a line comes to; that of the last line asked for is kept."""
        if self._read_again is None or self._read_again[0] is not line:
            state = self._walk(*self._text_and_words(line), line.span, not isinstance(line.source, CommandLine))
            self._read_again = line, state
        return self._read_again[1]

    def _most_words(self, text: str, words: list[Word], in_file: bool) -> tuple[int, list[Word]]:
        """How many words auditctl reads, and those that it leaves out."""
        most = len(text) // 3 + 1
        return (most, words[most:]) if in_file and "words-limited" in self.switches else (len(words), [])

    def _walk(self, text: str, words: list[Word], span: Span, in_file: bool) -> State:
        most, lost = self._most_words(text, words, in_file)
        state = State(self, text, words[:most] if lost else words, span, in_file)
        run(state, parts(*tokens(state.words, self.options)))
        if lost:
            message = f"auditctl reads only {most} words of a line of {len(text)} bytes and ignores the rest"
            state.warn("words-ignored", message, lost[0][1], lost[-1][2], as_text(lost[0][0]))
        return state

    def _line(self, source: Source, number: int, part: int, span: Span, state: State) -> Line:
        requests, warnings = tuple(state.requests), tuple(state.warnings)
        names = tuple(state.names)
        names = self._names.get(names) or keep(self._names, names, names)  # few differ
        return Line(source, number, part, span, requests, state.problem, warnings, state.dropped, names, self)


def _option(token: Token, base: int) -> Option:
    """The option of a token of a piece that begins at `base`."""
    _, name, start, end, arg_start, arg_end, arg, _ = token
    span = (base + start, base + end)
    return (
        Option(name, None, span, None)
        if arg is None
        else Option(name, as_text(arg), span, (base + arg_start, base + arg_end))
    )
