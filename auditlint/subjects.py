"""What checks look at: a judged rule set with the indexes that keep every check linear."""

from __future__ import annotations

from functools import cached_property

from auditlint.source import Location

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from auditlint.facts import Facts
    from auditlint.language.model import FieldSource, Option, Rule
    from auditlint.program import Entry, LoadedRule, Program
    from auditlint.settings import Settings
    from auditlint.source import Source, Span
    from auditlint.target import Target


class RulesSubject:
    """A program and the questions that checks ask of it. Indexes are built once, when first asked for."""

    def __init__(self, program: Program, settings: Settings) -> None:
        self.program = program
        self.settings = settings

    @property
    def target(self) -> Target:
        return self.program.target

    @property
    def facts(self) -> Facts:
        return self.program.facts

    @property
    def entries(self) -> Sequence[Entry]:
        """Every line that is neither blank nor comment, in the order auditctl reads them."""
        return self.program.entries

    @property
    def loaded(self) -> Sequence[LoadedRule]:
        """The rules in the kernel after the plain load, in load order."""
        return self.program.loaded

    @cached_property
    def rules(self) -> Sequence[tuple[Rule, Entry]]:
        """Every rule that a line adds and that the kernel would take if the load came that far."""
        return [
            (entry.rule, entry) for entry in self.program.entries if entry.rule is not None and entry.verdict == "rule"
        ]

    @cached_property
    def by_field(self) -> dict[str, list[tuple[Rule, Entry]]]:
        """The rules that have a field of that name (a rule counts once per name)."""
        found: dict[str, list[tuple[Rule, Entry]]] = {}
        for pair in self.rules:
            for name in {field.name for field in pair[0].fields}:
                found.setdefault(name, []).append(pair)
        return found

    def with_field(self, name: str) -> Sequence[tuple[Rule, Entry]]:
        """The rules that have a field of that name, in file order."""
        return self.by_field.get(name, ())

    @cached_property
    def by_list(self) -> dict[str, list[tuple[Rule, Entry]]]:
        found: dict[str, list[tuple[Rule, Entry]]] = {}
        for pair in self.rules:
            found.setdefault(pair[0].list, []).append(pair)
        return found

    def on_list(self, name: str) -> Sequence[tuple[Rule, Entry]]:
        """The rules of a filter list, in file order."""
        return self.by_list.get(name, ())

    @cached_property
    def by_problem(self) -> dict[str, list[Entry]]:
        """The refused lines by the kind of their problem."""
        found: dict[str, list[Entry]] = {}
        for entry in self.program.entries:
            if entry.problem is not None:
                found.setdefault(entry.problem.kind, []).append(entry)
        return found

    def refused(self, *kinds: str) -> Iterator[Entry]:
        """The refused lines with one of these kinds, in file order per kind."""
        for kind in kinds:
            yield from self.by_problem.get(kind, ())

    @cached_property
    def by_option(self) -> dict[str, list[tuple[Option, Entry]]]:
        """The options of all lines by name (`-e`, `--reset-lost`)."""
        found: dict[str, list[tuple[Option, Entry]]] = {}
        for entry in self.program.entries:
            for option in entry.line.options:
                found.setdefault(option.name, []).append((option, entry))
        return found

    def options(self, *names: str) -> Iterator[tuple[Option, Entry]]:
        for name in names:
            yield from self.by_option.get(name, ())

    @cached_property
    def features(self) -> frozenset[str]:
        """What there is to look at, for the `when` column of `rulesets/checks.tsv`.

        `list:NAME`, `field:NAME`, `problem:KIND`, `warning:KIND`, `option:NAME`, `action:NAME`,
        `rules` (any rule at all), `directory` (a rules.d directory), `dropped`, `lost` (lines the load never
        reaches), `refused` (the file
        as a whole).
        """
        found = {"*"}
        found.update("field:" + name for name in self.by_field)
        found.update("list:" + name for name in self.by_list)
        found.update("problem:" + kind for kind in self.by_problem)
        found.update("option:" + name for name in self.by_option)
        found.update("action:" + rule.action for rule, _ in self.rules)
        for entry in self.program.entries:
            found.update("warning:" + warning.kind for warning in entry.line.warnings)
            if entry.lost:
                found.add("lost")
            if entry.line.dropped:
                found.add("dropped")
        if self.rules:
            found.add("rules")
        if self.program.is_directory:
            found.add("directory")
        if self.program.run.refused is not None:
            found.add("refused")
        return frozenset(found)


def at_line(entry: Entry, message: str = "") -> Location:
    """The whole line of an entry."""
    return Location(entry.at.source, entry.at.span, message)


def at_span(entry: Entry, span: Span, message: str = "") -> Location:
    """A part of the line: `span` is a span of `entry.line` (its own source), moved into the user's file."""
    shift = entry.at.span[0] - entry.line.span[0]
    return Location(entry.at.source, (span[0] + shift, span[1] + shift), message)


def at_field(entry: Entry, name: str, message: str = "") -> Location:
    """The first field of that name as written, or the whole line when the text does not show it."""
    source = field_source(entry, name)
    return at_line(entry, message) if source is None else at_span(entry, source.option.span, message)


def field_source(entry: Entry, name: str) -> FieldSource | None:
    """Where the first field of that name was written."""
    if entry.rule is None:
        return None
    for source in entry.line.field_sources:
        if source.index < len(entry.rule.fields) and entry.rule.fields[source.index].name == name:
            return source
    return None


def at_start(source: Source, message: str = "") -> Location:
    """The file as a whole."""
    return Location(source, (0, 0), message)
