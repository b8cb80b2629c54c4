"""What checks look at: a judged rule set, configuration or command line, with the indexes that keep every check
linear."""

from __future__ import annotations

from functools import cached_property

from auditlint.features import features
from auditlint.source import Location

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Any

    from auditlint.advise import TogetherSubject
    from auditlint.checks._load import LoadSummary
    from auditlint.checks._nevers import LateNever
    from auditlint.checks._permissions import Lack
    from auditlint.checks._profile import Judged
    from auditlint.checks._reread import Reading
    from auditlint.checks._twins import Gap
    from auditlint.cmdline import CommandLine
    from auditlint.cost.advice import Advisor
    from auditlint.facts import Facts
    from auditlint.kconfig.model import Assignment, ConfigFile, Dropped, Evaluation
    from auditlint.kernel.algebra import Algebra, Shadow
    from auditlint.kernel.coverage import Coverage
    from auditlint.kernel.storage import Storage, Stored
    from auditlint.language.model import Option, Rule
    from auditlint.language.parse import Reader
    from auditlint.options import Common
    from auditlint.program import Entry, LoadedRule, Program
    from auditlint.settings import Settings
    from auditlint.source import Source, Span
    from auditlint.suppress import Suppression
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
    def storage(self) -> Storage:
        """The rules where the kernel keeps them, once no refused line stops the load."""
        from auditlint.kernel.storage import store

        return store(self.program.standing, self.target, self.facts)

    @cached_property
    def algebra(self) -> Algebra:
        """Reasoning about the rules in `storage`."""
        from auditlint.kernel.algebra import Algebra

        return Algebra(self.storage)

    @cached_property
    def shadows(self) -> Sequence[Shadow]:
        """The rules that never decide, in load order."""
        return self.algebra.shadows()

    @cached_property
    def stored_of(self) -> Mapping[int, Stored]:
        """The stored rule of an entry, by its `id`; a line that is refused has none."""
        return {id(stored.entry): stored for stored in self.storage.rules if stored.entry is not None}

    @cached_property
    def deciding(self) -> Sequence[Stored]:
        """The rules of the user's files that decide about some event."""
        from auditlint.checks._together import own

        dead = {shadow.stored.index for shadow in self.shadows}
        can_match = self.algebra.can_match
        return [
            stored
            for stored in self.storage.rules
            if stored.index not in dead and own(self, stored) and can_match(stored) is not False
        ]

    @cached_property
    def by_conditions(self) -> Mapping[int, Sequence[Stored]]:
        """The `always` rules with arch that decide, by the hash of its value and of their other conditions."""
        from auditlint.checks._twins import by_conditions

        return by_conditions(self.deciding)

    @cached_property
    def coverage(self) -> Coverage:
        """Which `always` rules record what."""
        from auditlint.kernel.coverage import Coverage

        return Coverage(self.algebra)

    @cached_property
    def arch_gaps(self) -> Sequence[Gap]:
        """The rules for one ABI that leave a gap in the other one."""
        from auditlint.checks._twins import gaps

        return list(gaps(self))

    @cached_property
    def lacks(self) -> Sequence[Lack]:
        """The rules with perm whose mask lacks calls of the permission."""
        from auditlint.checks._permissions import lacks

        return list(lacks(self))

    @cached_property
    def required(self) -> Sequence[Judged]:
        """What the profile of the settings wants, and how far the rules record it."""
        from auditlint.checks._profile import judge

        return judge(self)

    @cached_property
    def late_nevers(self) -> Sequence[LateNever]:
        """The `never` rules behind `always` rules that record some of their events."""
        from auditlint.checks._nevers import late_nevers

        return list(late_nevers(self))

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
        from auditlint.checks._meant import meant

        return meant(self)

    @cached_property
    def _by_identity(self) -> dict[int, Rule]:
        """A rule by the hash of what the kernel compares of it; the identities of 100,000 rules would take 50 MiB."""
        from auditlint.kernel.accept import identity

        return {hash(identity(rule, self.target)): rule for rule, _ in self.rules}

    def has_rule(self, rule: Rule) -> bool:
        """Whether an equal rule is there already: the kernel refuses a second one, so no fix may make it."""
        from auditlint.kernel.accept import identity

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

    @cached_property
    def readings(self) -> dict[tuple[bytes, str | None], Reading]:
        """How the texts that checks tried last were read."""
        return {}

    def reader(self, auditctl: str | None = None) -> Reader:
        """A reader for lines that do not stand in the file, of the target's auditctl or of another one."""
        from auditlint.language.parse import Reader
        from auditlint.target import Target

        release = auditctl or self.target.auditctl
        found = self._readers.get(release)
        if found is None:
            target = Target(self.target.kernel, self.target.machine, release)
            found = self._readers[release] = Reader(target, self.facts)
        return found

    @cached_property
    def by_cause(self) -> dict[str, list[Entry]]:
        """The refused lines by the name of the one check that explains each of them."""
        if not self.by_problem:
            return {}
        from auditlint.checks._causes import attribute

        return attribute(self)

    def caused(self, name: str) -> Sequence[Entry]:
        """The refused lines that the check of that name explains, in file order."""
        return self.by_cause.get(name, ())

    @cached_property
    def load(self) -> LoadSummary:
        """Where the plain load stops and how many rules that costs."""
        from auditlint.checks._load import summarize

        return summarize(self.program)

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

    @cached_property
    def features(self) -> frozenset[str]:
        """What there is to look at, for the `when` column of `rulesets/checks.tsv`; the words stand in features.py."""
        return features(self)


class SuppressionsSubject:
    """What became of the suppression comments once all other checks had run."""

    def __init__(self, unused: Sequence[Suppression], wrong: Sequence[Suppression]) -> None:
        self.unused = unused
        self.wrong = wrong

    @property
    def features(self) -> frozenset[str]:
        return frozenset(name for name in ("unused", "wrong") if getattr(self, name))


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


class ConfigSubject:
    """One kernel configuration (or fragments merged in order) with what Kconfig makes of it.

    `kernel` and `arch` are what it is judged for; `origin` says for each where that came from, and is `assumed` when
    neither options nor file said so.
    """

    def __init__(
        self,
        files: Sequence[ConfigFile],
        evaluation: Evaluation,
        settings: Settings,
        origin: Mapping[str, str],
        evaluate: Callable[[Sequence[ConfigFile]], Evaluation],
        fragment: bool = False,
        strict: Evaluation | None = None,
    ) -> None:
        self.files = tuple(files)
        self.evaluation = evaluation
        self.settings = settings
        self.origin = origin
        self.evaluate = evaluate
        """Evaluates other files for the same kernel, architecture and definitions."""
        self.fragment = fragment
        self.strict = strict
        """Of a fragment: the evaluation without AUDIT being assumed from elsewhere."""

    @property
    def kernel(self) -> str:
        return self.evaluation.kernel

    @property
    def arch(self) -> str:
        return self.evaluation.arch

    @property
    def policy(self) -> str | None:
        return self.settings.policy

    def kernel_at_least(self, line: str) -> bool:
        from auditlint.target import version

        return version(self.kernel) >= version(line)

    @property
    def resolved(self) -> bool:
        """Is it the output of the configuration program of that kernel, so that its own values are the truth?"""
        from auditlint.kconfig.origin import kernel_line

        first = self.files[0]
        return len(self.files) == 1 and first.resolved and kernel_line(first.version or "") in (None, self.kernel)

    @property
    def where(self) -> str:
        """`Linux 6.1 on arm64`; what is assumed is said once for the file, by `note`."""
        return f"Linux {self.kernel} on {self.arch}"

    @property
    def note(self) -> str:
        """One line about what had to be assumed, with the option that says it, and about what was asked for although
        the file says otherwise; empty when there is nothing of that."""
        from auditlint.kconfig.subject import disagreements

        words = {"kernel": ("the kernel", "--kernel"), "arch": ("the architecture", "--arch")}
        unknown = [words[key] for key in words if self.assumed(key)]
        notes = list(self.evaluation.notes)
        if unknown:
            names, options = " and ".join(name for name, _ in unknown), " and ".join(option for _, option in unknown)
            notes.insert(0, f"{names} cannot be told from the file; judged for {self.where}, say {options}")
        asked = {key: value for key, value in (("kernel", self.kernel), ("arch", self.arch)) if self.asked(key)}
        notes += disagreements(self.files, asked.get("kernel"), asked.get("arch"))
        return "; ".join(notes)

    def assumed(self, key: str) -> bool:
        return self.origin.get(key) == "assumed"

    def asked(self, key: str) -> bool:
        return self.origin.get(key) == "option"

    def request(self, symbol: str) -> Assignment | None:
        """The last line about a symbol."""
        return self._requests.get(symbol)

    @cached_property
    def known(self) -> frozenset[str]:
        """Every symbol that the tables know of, in any kernel."""
        from auditlint.data import rows

        return frozenset(symbol for symbol, _ in rows("kconfig/recorded.tsv"))

    @cached_property
    def _requests(self) -> dict[str, Assignment]:
        found: dict[str, Assignment] = {}
        for file in self.files:
            for assignment in file.assignments.of(self.evaluation.symbols):
                found[assignment.symbol] = assignment
        return found

    def explicit(self, symbol: str) -> str | None:
        """The value of the last line about any symbol, recorded or not; None when there is none."""
        for file in reversed(self.files):
            last = file.assignments.last(symbol)
            if last is not None:
                return last.value
        return None

    def value(self, symbol: str) -> str:
        """The final value, `n` for a symbol that does not exist."""
        known = self.evaluation.symbols.get(symbol)
        return (known.value or "n") if known is not None else "n"

    def on(self, symbol: str) -> bool:
        return self.value(symbol) in ("y", "m")

    @cached_property
    def syscalls_possible(self) -> bool:
        """Would AUDITSYSCALL be on if a line asked for it?"""
        from auditlint.kconfig.subject import with_setting

        changed = with_setting(self, "AUDITSYSCALL", "y").symbols.get("AUDITSYSCALL")
        return changed is not None and changed.value == "y"

    def why(self, symbol: str) -> str:
        """The chain of reasons for a value, as one text."""
        known = self.evaluation.symbols.get(symbol)
        return "; ".join(known.why) if known is not None else f"Linux {self.kernel} has no {symbol}"

    def dropped(self, *reasons: str) -> Iterator[Dropped]:
        """Requests of the user's own lines that were not honoured for one of these reasons. None in a resolved file:
        it shows what its kernel made of it, and a difference is a contradiction."""
        if self.resolved:
            return
        for drop in self.evaluation.dropped:
            if drop.reason in reasons and any(drop.assignment.source is file.source for file in self.files):
                yield drop

    def at(self, symbol: str, message: str = "") -> Location:
        """The line about a symbol, or the file as a whole."""
        request = self.request(symbol)
        if request is None:
            return at_start(self.files[-1].source, message)
        return Location(request.source, request.span, message)

    @cached_property
    def builtin(self) -> CmdlineSubject | None:
        """The command line that is built in, where there is one."""
        if not any(file.assignments.last("CMDLINE") for file in self.files):
            return None
        from auditlint.kconfig.builtin import built_in

        found = built_in(self)
        if found is None:
            return None
        machine = "x86_64" if self.arch.startswith(("x86", "i386")) else self.arch
        return CmdlineSubject(
            (found[0],),
            self.kernel,
            machine,
            self.settings,
            False,
            found[1],
            not self.fragment and not self.on("AUDIT"),
        )

    @cached_property
    def features(self) -> frozenset[str]:
        """`dropped:REASON`, `ignored` (a line looks like a setting and is none), `fragment`, `contradiction` (a
        resolved file differs from the tables), `on:AUDIT`, `off:AUDIT`, `on:SECURITY`, `policy:NAME`."""
        found = {"*"}
        found.update("dropped:" + drop.reason for drop in self.evaluation.dropped)
        if any(file.ignored for file in self.files):
            found.add("ignored")
        found.add("on:AUDIT" if self.on("AUDIT") else "off:AUDIT")
        if self.on("SECURITY"):
            found.add("on:SECURITY")
        if self.fragment:
            found.add("fragment")
        if self.evaluation.contradictions:
            found.add("contradiction")
        if self.policy:
            found.add("policy:" + self.policy)
        return frozenset(found)


class CmdlineSubject:
    """The command lines of one file (or the one built into a configuration), judged for a kernel.

    `rules`: rule files are judged in the same run, so audit is meant to work. `remark` is a place that says when a
    built-in command line counts. `without_audit`: the kernel is known to have no CONFIG_AUDIT.
    """

    def __init__(
        self,
        lines: Sequence[CommandLine],
        kernel: str,
        machine: str,
        settings: Settings,
        rules: bool = False,
        remark: Location | None = None,
        without_audit: bool = False,
    ) -> None:
        self.lines = tuple(lines)
        self.kernel = kernel
        self.machine = machine
        self.settings = settings
        self.rules = rules
        self.remark = remark
        self.without_audit = without_audit

    @property
    def policy(self) -> str | None:
        return self.settings.policy

    def kernel_at_least(self, line: str) -> bool:
        from auditlint.target import NO_KERNEL, version

        return self.kernel == NO_KERNEL or version(self.kernel) >= version(line)

    @cached_property
    def features(self) -> frozenset[str]:
        """`param:NAME` for each name (with `_` for `-`) that a command line holds, `policy:NAME`, `rules`."""
        found = {"*"}
        for line in self.lines:
            found.update("param:" + parameter.key for parameter in line.parameters)
        if self.policy:
            found.add("policy:" + self.policy)
        if self.rules:
            found.add("rules")
        return frozenset(found)


def cmdline_subject(sources: Sequence[Source], common: Common, rules: bool = False) -> CmdlineSubject:
    """The command lines of a file, for the target of the run. Raises UserError for a file that is too large."""
    from auditlint.cmdline import read_cmdline
    from auditlint.errors import UserError
    from auditlint.packed import UnreadableInput

    lines: list[CommandLine] = []
    for source in sources:
        try:
            lines += read_cmdline(source)
        except UnreadableInput as error:
            raise UserError(f"{source.path}: {error}") from None
    return CmdlineSubject(lines, common.target.kernel, common.target.machine, common.settings, rules)


def subject_from_case(
    kind: str, sources: Sequence[Source], body: Mapping[str, Any], settings: Settings, facts: Facts
) -> ConfigSubject | CmdlineSubject | TogetherSubject:
    """The subject that a case file describes: `kind` is config, cmdline or together, `body` its table (`target`,
    `arch`, `fragment`)."""
    from auditlint.target import Target

    target = Target(**body.get("target", {}))
    if kind == "cmdline":
        from auditlint.cmdline import read_cmdline

        lines = [line for source in sources for line in read_cmdline(source)]
        return CmdlineSubject(lines, target.kernel, target.machine, settings, bool(body.get("rules_present")))
    if kind == "together":
        from auditlint.advise import together_from_case

        return together_from_case(sources, body, settings, facts)
    from auditlint.kconfig.subject import config_subject

    return config_subject(
        sources,
        settings,
        kernel=body.get("target", {}).get("kernel"),
        arch=body.get("arch"),
        machine=body.get("target", {}).get("machine"),
        fragment=body.get("fragment"),
    )
