"""The program that a load executes: rules.d merged, what is sent in which order, where the load stops, what is lost.

Source: main() and fileopt() of audit-userspace src/auditctl.c, 2.8.5 to 4.2.1.
"""

from __future__ import annotations

from itertools import pairwise

from auditlint.auditctl.entries import Entry, LoadedRule, Run
from auditlint.auditctl.model import Problem
from auditlint.core.frozen import dataclass, replace
from auditlint.core.source import Location, Source
from auditlint.core.target import NO_KERNEL
from auditlint.kernel.acceptance import LOCKED

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from auditlint.auditctl.augenrules import LeftOut, MergedLine
    from auditlint.auditctl.model import Line, ProblemKind
    from auditlint.core.facts import Facts, FileFacts
    from auditlint.core.target import Target
    from auditlint.io.inputs import Input

COMMAND_LINE_ERROR = 255
"""Exit status of a failed single command: main() returns -1."""


@dataclass(frozen=True, slots=True)
class Program:
    """A rule file, or a rules.d directory after its merge, judged for one target.

    `sources` are the user's files in the order they take effect; `merged` is the text that auditctl reads
    (the file itself, or what augenrules writes). `loaded` are the rules in the kernel at the end of the
    plain run, `loaded_with_c` those of a run in which refused lines stop nothing (`-c`).
    `overridden` are control lines that the merge drops, each with the later one that takes its place, `left_out` the
    names that it does not read. `installed` is the merged file that lies beside the directory, if it was given too.
    """

    target: Target
    facts: Facts
    is_directory: bool
    sources: tuple[Source, ...]
    merged: Source
    entries: tuple[Entry, ...]
    run: Run
    loaded: tuple[LoadedRule, ...]
    loaded_with_c: tuple[LoadedRule, ...] = ()
    overridden: tuple[tuple[Location, Location], ...] = ()
    left_out: tuple[LeftOut, ...] = ()
    installed: Source | None = None

    @property
    def stopped_by(self) -> Entry | None:
        """The entry at which the plain run ends early, None when it reads to the end or is refused as a whole."""
        if self.run.read_to_end or self.run.refused is not None:
            return None
        before = None
        for entry in self.entries:
            if entry.lost:
                break
            before = entry
        return before


@dataclass(frozen=True, slots=True)
class CommandResult:
    """What one command line of auditctl does: its entry and exit status (minus a signal for a crash)."""

    entry: Entry
    exit: int


def load_input(given: Input, target: Target, facts: Facts, awk: str = "gawk") -> Program:
    """Judge a rule file or a rules.d directory, as what it is."""
    if given.kind == "rules.d":
        return load_directory(given.sources, target, facts, awk, given.path, given.left_out)
    return load_file(given.sources[0], target, facts)


def with_written_directories(facts: Facts, sources: Iterable[Source]) -> Facts:
    """Facts in which the paths that `-w` gives a slash at their end are likely directories: for prices.

    auditctl asks the host and not the slash. Facts that say what is a directory win.
    """
    likely = frozenset(path for source in sources for path in _watched_with_slash(source))
    return replace(facts, likely_directories=likely) if likely else facts


def _watched_with_slash(source: Source) -> Iterator[str]:
    """The paths of `-w` with a slash at their end, without it."""
    for line in source.data.split(b"\n"):
        if b"/ " in line or line.endswith(b"/"):
            words = line.split()
            for before, word in pairwise(words):
                if before == b"-w" and word.startswith(b"/") and word.endswith(b"/"):
                    yield word.rstrip(b"/").decode("utf-8", "surrogateescape")


def load_file(source: Source, target: Target, facts: Facts) -> Program:
    """Judge `auditctl -R` of one file."""
    refused = _file_refused(facts.file, target) or _locked(target, facts)
    return _load(source, (source,), target, facts, refused, None)


def load_directory(
    files: Sequence[Source],
    target: Target,
    facts: Facts,
    awk: str = "gawk",
    path: str = "rules.d",
    left_out: Sequence[LeftOut] = (),
) -> Program:
    """Judge `augenrules --load` of a rules.d directory.

    `files` are its files; their base names decide about order and about what takes part. An `audit.rules` in the
    folder above is the file that augenrules wrote before. `path` names the merged text, `left_out` are names that
    are known to be left out already. The merged file is taken to be installed by augenrules itself, so `facts.file`
    does not count.
    """
    from auditlint.auditctl.augenrules import merge, plan

    installed = _installed(files)
    by_name = {source.path.rpartition("/")[2]: source for source in files if source is not installed}
    chosen = plan(dict.fromkeys(by_name, "regular"), target.auditctl)
    sources = tuple(by_name[name] for name in chosen.order)
    merged = merge(sources, target.auditctl, awk, path)
    program = _load(merged.text, sources, target, facts, _locked(target, facts), merged.lines)
    return replace(
        program,
        overridden=tuple((old.parts[0], new.parts[0]) for old, new in merged.overridden),
        left_out=(*left_out, *chosen.left_out),
        installed=installed,
    )


def _installed(files: Sequence[Source]) -> Source | None:
    """The `audit.rules` that lies in the folder above all other files."""
    for source in files:
        folder, _, name = source.path.rpartition("/")
        others = [other.path.rpartition("/")[0] for other in files if other is not source]
        if name == "audit.rules" and others and all(other.rpartition("/")[0] == folder != other for other in others):
            return source
    return None


def judge_words(words: Sequence[str], target: Target, facts: Facts) -> CommandResult:
    """Judge one command line of auditctl; `words` stand behind the program's name."""
    from auditlint.auditctl.parse import Reader
    from auditlint.load.simulator import LoadSimulator

    reader = Reader(target, facts)
    line = reader.read_words(words)
    at = Location(line.source, line.span)
    locked = _locked(target, facts)
    if locked is not None and any(request.rule is not None for request in line.requests):
        return CommandResult(Entry(line, at, "error", "kernel", locked[0], line.rule), locked[1])
    entry = LoadSimulator(target, facts, reader).judge(line, at)
    if entry.problem is None:
        return CommandResult(entry, 0)
    status = entry.problem.status
    return CommandResult(entry, COMMAND_LINE_ERROR if status is None else status)


def kernel_order(loaded: Iterable[LoadedRule]) -> list[LoadedRule]:
    """Loaded rules as `auditctl -l` lists them."""
    from auditlint.load.simulator import listing_key

    numbered = [(listing_key(each.rule, number), each) for number, each in enumerate(loaded, 1)]
    return [each for _, each in sorted(numbered, key=lambda pair: pair[0])]


def _file_refused(file: FileFacts | None, target: Target) -> tuple[Problem, int] | None:
    """What fileopt() finds wrong with the file before it reads it, and the exit status."""
    if file is None:
        return None
    if file.type == "missing":
        status = 1 if target.auditctl_at_least("3.0") else 0
        return Problem("file-missing", "the rule file does not exist", (0, 0)), status
    wrong = {
        "owner": file.uid not in (None, 0),
        "writable": file.mode is not None and bool(file.mode & 0o002),
        "type": file.type not in (None, "regular", "symlink"),
    }
    checks = next(checks for until, checks in _FILE_CHECKS if until is None or not target.auditctl_at_least(until))
    kind = next((check for check in checks if wrong[check]), None)
    if kind is None:
        return None
    problem, message = _FILE_PROBLEMS[kind]
    return Problem(problem, message, (0, 0)), 1


_FILE_CHECKS: tuple[tuple[str | None, tuple[str, ...]], ...] = (
    ("3.1.2", ("owner", "writable", "type")),
    ("4.1.4", ("type",)),
    (None, ("type", "writable")),
)
"""What auditctl releases before the bound look at, in their order (fileopt(); measured in 3.0.9 and 4.2)."""

_FILE_PROBLEMS: Mapping[str, tuple[ProblemKind, str]] = {
    "owner": ("file-owner", "the rule file does not belong to root"),
    "writable": ("file-world-writable", "everybody can write to the rule file"),
    "type": ("file-not-regular", "the rule file is not a regular file"),
}


def _locked(target: Target, facts: Facts) -> tuple[Problem, int] | None:
    """is_ready(): a locked kernel ends auditctl at once, with status 0 before 3.1.2."""
    if facts.kernel_enabled != 2 or target.kernel == NO_KERNEL:
        return None
    return Problem("kernel-locked", LOCKED, (0, 0)), 1 if target.auditctl_at_least("3.1.2") else 0


def _load(
    text: Source,
    sources: tuple[Source, ...],
    target: Target,
    facts: Facts,
    refused: tuple[Problem, int] | None,
    merged: Sequence[MergedLine] | None,
) -> Program:
    from auditlint.auditctl.parse import Reader
    from auditlint.load.simulator import LoadSimulator, StopOnErrorRun

    reader = Reader(target, facts)
    judge = LoadSimulator(target, facts, reader)
    entries = judge.entries
    known = len(entries)  # those of the rules that are in the kernel already
    plain = StopOnErrorRun()
    for line in reader.read(text):
        at, parts = _places(line, merged)
        plain.step(judge.judge(line, at, parts), judge)
    run, loaded = plain.outcome(text, judge)
    stop = plain.stop
    loaded_with_c = loaded if stop is None else list(judge.kernel.loaded.values())
    if refused is not None:
        problem, status = refused
        run = Run(status, False, 0, 0, 0, 0, None, None, problem, status, False)
        loaded = [pair for pair in loaded if pair[1] < known]
        stop = known
    if stop is not None:
        entries[stop:] = [replace(entry, loaded=False, lost=True) for entry in entries[stop:]]
    in_kernel = tuple(LoadedRule(rule, entries[index]) for rule, index in loaded)
    all_good = (
        in_kernel
        if loaded_with_c is loaded
        else tuple(LoadedRule(rule, entries[index]) for rule, index in loaded_with_c)
    )
    return Program(target, facts, merged is not None, sources, text, tuple(entries[known:]), run, in_kernel, all_good)


def _places(line: Line, merged: Sequence[MergedLine] | None) -> tuple[Location, tuple[Location, ...]]:
    """Where a line of the text comes from in the user's files."""
    if merged is None:
        return Location(line.source, line.span), ()
    parts = merged[line.number - 1].parts
    start = line.source.starts[line.number - 1]
    first, last = line.span[0] - start, line.span[1] - start
    found = []
    at = 0
    for part in parts:
        size = part.span[1] - part.span[0]
        low, high = max(first - at, 0), min(last - at, size)
        if low < high:
            found.append(Location(part.source, (part.span[0] + low, part.span[0] + high)))
        at += size
    return found[0], tuple(found) if len(found) > 1 else ()
