"""What the checks of rules look at: a judged rule set with the indexes that keep every check linear, and how they name
places in it. The subjects of configurations and command lines are in `kconfig/subject.py` and `cmdline_context.py`."""

from __future__ import annotations

from functools import cached_property

from auditlint.context.base import Context
from auditlint.core.source import Location

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Literal

    from auditlint.auditctl.entries import Entry, LoadedRule
    from auditlint.auditctl.model import Option, Rule
    from auditlint.auditctl.parse import Reader
    from auditlint.core.facts import Facts
    from auditlint.core.settings import Settings
    from auditlint.core.source import Source, Span
    from auditlint.core.target import Target
    from auditlint.cost.advice import Advisor
    from auditlint.kernel.algebra import Algebra
    from auditlint.kernel.coverage import Coverage
    from auditlint.kernel.shadow import Shadow
    from auditlint.kernel.storage import Storage, Stored
    from auditlint.load.program import Program


class RulesContext(Context):
    """A program and the questions that checks ask of it. Indexes are built once, when first asked for."""

    kind: Literal["rules"] = "rules"

    def __init__(self, program: Program, settings: Settings) -> None:
        super().__init__()
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
    def storage(self) -> Storage:
        """The rules where the kernel keeps them, once no refused line stops the load."""
        from auditlint.kernel.storage import store

        return store(self.program.loaded_with_c, self.target, self.facts)

    @cached_property
    def algebra(self) -> Algebra:
        """Reasoning about the rules in `storage`."""
        from auditlint.kernel.algebra import Algebra

        return Algebra(self.storage)

    @cached_property
    def shadows(self) -> Sequence[Shadow]:
        """The rules that never decide, in load order."""
        from auditlint.kernel.shadow import shadows

        return shadows(self.algebra)

    @cached_property
    def stored_of(self) -> Mapping[int, Stored]:
        """The stored rule of an entry, by its `id`; a line that is refused has none."""
        return {id(stored.entry): stored for stored in self.storage.rules if stored.entry is not None}

    @cached_property
    def coverage(self) -> Coverage:
        """Which `always` rules record what."""
        from auditlint.kernel.coverage import Coverage

        return Coverage(self.algebra)

    @cached_property
    def advisor(self) -> Advisor:
        """Prices of the loaded rules for advice, for a daemon of root."""
        from auditlint.cost.advice import Advisor

        return Advisor(self.storage, enabled=self.program.run.enabled)

    @cached_property
    def user_advisor(self) -> Advisor:
        """The same for a user who has logged in."""
        from auditlint.cost.advice import Advisor

        return Advisor(self.storage, "user", self.program.run.enabled)

    @cached_property
    def rules(self) -> Sequence[tuple[Rule, Entry]]:
        """Every rule that a line adds and that the kernel would take if the load came that far."""
        return [
            (entry.rule, entry) for entry in self.program.entries if entry.rule is not None and entry.verdict == "rule"
        ]

    @cached_property
    def meant(self) -> Sequence[tuple[Rule, Entry]]:
        """The same, and the rules that are refused only because of this host: an account or directory is missing there.

        What checks say about the meaning of single rules goes for them, too; the indexes hold them.
        """
        if not self.by_problem:
            return self.rules
        from auditlint.context.intended_rules import intended_rules

        return intended_rules(self.entries, self.by_problem, self.target, self.facts)

    @cached_property
    def _by_identity(self) -> dict[int, Rule]:
        """A rule by the hash of what the kernel compares of it; the identities of 100,000 rules would take 50 MiB."""
        from auditlint.kernel.acceptance import identity

        return {hash(identity(rule, self.target)): rule for rule, _ in self.rules}

    def has_rule(self, rule: Rule) -> bool:
        """Whether an equal rule is there already: the kernel refuses a second one, so no fix may make it."""
        from auditlint.kernel.acceptance import identity

        wanted = identity(rule, self.target)
        known = self._by_identity.get(hash(wanted))
        if known is None or identity(known, self.target) == wanted:
            return known is not None
        return any(identity(other, self.target) == wanted for other, _ in self.rules)  # two rules have one hash

    @cached_property
    def by_field(self) -> dict[str, list[tuple[Rule, Entry]]]:
        """The rules that have a field of that name (a rule counts once per name)."""
        found: dict[str, list[tuple[Rule, Entry]]] = {}
        for pair in self.meant:
            for name in {field.name for field in pair[0].fields}:
                found.setdefault(name, []).append(pair)
        return found

    def with_field(self, name: str) -> Sequence[tuple[Rule, Entry]]:
        """The rules that have a field of that name, in file order."""
        return self.by_field.get(name, ())

    @cached_property
    def by_list(self) -> dict[str, list[tuple[Rule, Entry]]]:
        found: dict[str, list[tuple[Rule, Entry]]] = {}
        for pair in self.meant:
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

    @cached_property
    def _readers(self) -> dict[str, Reader]:
        return {}

    def reader(self, auditctl: str | None = None) -> Reader:
        """A reader for lines that do not stand in the file, of the target's auditctl or of another one."""
        from auditlint.auditctl.parse import Reader
        from auditlint.core.target import Target

        release = auditctl or self.target.auditctl
        found = self._readers.get(release)
        if found is None:
            target = Target(self.target.kernel, self.target.machine, release)
            found = self._readers[release] = Reader(target, self.facts)
        return found

    def refused(self, *kinds: str) -> Iterator[Entry]:
        """The refused lines with one of these kinds, in file order per kind."""
        for kind in kinds:
            yield from self.by_problem.get(kind, ())

    @cached_property
    def by_option(self) -> dict[str, list[Entry]]:
        """The lines by the names of their options (`-e`, `--reset-lost`), each once for a name."""
        found: dict[str, list[Entry]] = {}
        for entry in self.program.entries:
            for name in dict.fromkeys(entry.line.option_names):
                found.setdefault(name, []).append(entry)
        return found

    def options(self, *names: str) -> Iterator[tuple[Option, Entry]]:
        """The options of these names with their lines, name by name, in file order."""
        for name in names:
            for entry in self.by_option.get(name, ()):
                for option in entry.line.options:
                    if option.name == name:
                        yield option, entry


def at_line(entry: Entry, message: str = "") -> Location:
    """The whole line of an entry."""
    return Location(entry.at.source, entry.at.span, message)


def at_span(entry: Entry, span: Span, message: str = "") -> Location:
    """A part of the line: `span` is a span of `entry.line` (its own source), moved into the user's file."""
    return entry.place(span, message)


def at_field(entry: Entry, name: str, message: str = "") -> Location:
    """The first field of that name as written, or the whole line when the text does not show it."""
    if entry.rule is not None:
        for field, option in zip(entry.rule.fields, entry.line.field_options):  # noqa: B905 - a refused line has fewer
            if field.name == name:
                return at_span(entry, option.span, message)
    return at_line(entry, message)


def at_start(source: Source, message: str = "") -> Location:
    """The file as a whole."""
    return Location(source, (0, 0), message)
