"""The program that a load executes: rules.d merged, what is sent in which order, where the load stops, what is lost."""

from __future__ import annotations

from dataclasses import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from auditlint.facts import Facts
    from auditlint.language.model import Line, Problem, Rule
    from auditlint.source import Location, Source
    from auditlint.target import Target


@dataclass(frozen=True, slots=True)
class Entry:
    """A line that is neither blank nor comment, with what becomes of it.

    `verdict` is one of `rule delete control none dropped error`, judged as in the second run of the corpus:
    as if `-c` stood in front, in the state that the lines before left. `stage` says who refuses (`auditctl`
    or `kernel`), `problem` why. `rule` is the rule sent, loaded or not; `more` holds further rules sent for
    the same line. `loaded` tells whether the rule is in the kernel right after the line in the plain run;
    `lost` whether the plain run never reaches the line. `at` is the place in the user's own file: in a
    rules.d directory the fragment, not the merged text.
    """

    line: Line
    at: Location
    verdict: str
    stage: str | None = None
    problem: Problem | None = None
    rule: Rule | None = None
    more: tuple[Rule, ...] = ()
    control: tuple[dict[str, object], ...] = ()
    lists_rules: bool = False
    signal: int | None = None
    loaded: bool = False
    lost: bool = False


@dataclass(frozen=True, slots=True)
class LoadedRule:
    """A rule that is in the kernel when the plain run has ended, in load order."""

    rule: Rule
    entry: Entry


@dataclass(frozen=True, slots=True)
class Run:
    """Outcome of `auditctl -R` without `-c` in front: the `run` record of `parse`."""

    exit: int
    read_to_end: bool
    last_line_read: int
    rules_sent: int
    rules_loaded: int
    failed_lines: int
    first_failed_line: int | None
    enabled: int | None
    refused: Problem | None
    """The file was refused as a whole before its first line (mode, owner, type, locked kernel)."""


@dataclass(frozen=True, slots=True)
class Program:
    """A rule file, or a rules.d directory after its merge, judged for one target.

    `sources` are the user's files in the order they take effect; `merged` is the text that auditctl reads
    (the file itself, or what augenrules writes). `loaded` are the rules in the kernel at the end of the
    plain run; `rules` all rules the lines describe, loaded or not, for checks that look at single rules.
    """

    target: Target
    facts: Facts
    is_directory: bool
    sources: tuple[Source, ...]
    merged: Source
    entries: tuple[Entry, ...]
    run: Run
    loaded: tuple[LoadedRule, ...]
