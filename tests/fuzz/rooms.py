"""Any bytes into every reader: no exception but UserError, every span inside its file, the same bytes printed again.

`feed(data)` is the one entry. Its first byte chooses the room, the second the target; the rest is the input.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from importlib.util import find_spec

from auditlint.auditctl import augenrules as merge
from auditlint.auditctl.lines import pieces
from auditlint.auditctl.model import Line
from auditlint.auditctl.parse import Reader
from auditlint.bootargs.command_line import read_cmdline
from auditlint.cli.commands.parse import _table as parse_table
from auditlint.core.compression import UnreadableInput
from auditlint.core.data import parse_toml
from auditlint.core.errors import UserError
from auditlint.core.facts import Facts
from auditlint.core.run_options import RunOptions
from auditlint.core.settings import DEFAULT, settings_from_table
from auditlint.core.source import Location, Source, Span
from auditlint.core.target import AUDITCTL_RELEASES, Target
from auditlint.cost.workload import read_workload
from auditlint.io.detection import detect
from auditlint.io.facts_file import facts_from_toml
from auditlint.io.inputs import Input
from auditlint.kconfig.config_file import read_config
from auditlint.kernel.event_json import event_from_json
from auditlint.lint.fixer import fix as fix_input
from auditlint.lint.fixes import choose
from auditlint.lint.linter import Linter, LintResult
from auditlint.lint.results import Result
from auditlint.lint.runner import Selection
from auditlint.load import program, records
from auditlint.reports import github, gitlab, junit, sarif, text
from auditlint.reports import json as json_report

KERNELS = ("7.3", "6.12", "6.1", "5.10", "4.4", "3.10", "none")
MACHINES = ("x86_64", "i386", "aarch64", "armv7l", "ppc64le", "s390x", "riscv64", "nosuch")
FACTS = (
    Facts(),
    Facts(users={"root": 0}, groups={"root": 0}, directories=frozenset(("/", "/etc")), directories_complete=True),
    Facts(
        paths_missing=frozenset(("/etc/x",)), symlinks={"/bin": "usr/bin", "/a": "/a"}, lsm="apparmor", kernel_enabled=2
    ),
)


def feed(data: bytes) -> None:
    """One input into one room."""
    if len(data) < 2:
        return
    ROOMS[data[0] % len(ROOMS)](data[2:], data[1])


def target_of(choice: int) -> tuple[Target, Facts]:
    """A target and facts that a byte chooses."""
    release = AUDITCTL_RELEASES[choice % len(AUDITCTL_RELEASES)]
    target = Target(KERNELS[choice // 5 % len(KERNELS)], MACHINES[choice // 3 % len(MACHINES)], release)
    return target, FACTS[choice % len(FACTS)]


def rules(data: bytes, choice: int) -> None:
    """A rule file: lines, program, records, checks, reports, fixes."""
    target, facts = target_of(choice)
    source = Source("fuzz.rules", data)
    printed = b""
    for _, _, start, end in pieces(data):
        printed += b"\n" * (start - len(printed)) + data[start:end]
    assert printed + b"\n" * (len(data) - len(printed)) == data, "the pieces are not the file"
    reader = Reader(target, facts)
    for line in reader.read(source):
        _line(reader, line)
    found = program.load_file(source, target, facts)
    judge(found, Input("rules", source.path, (source,)), facts, choice % 4 == 0)


def _line(reader: Reader, line: Line) -> None:
    start, end = line.span
    inside((line.span,), (0, len(line.source.data)))
    inside((option.span for option in line.options), line.span)
    inside((option.arg_span for option in line.options if option.arg_span is not None), line.span)
    problems = [*line.warnings, *([line.problem] if line.problem else [])]
    inside((problem.span for problem in problems), line.span)
    inside((request.span for request in line.requests), line.span)
    for source in line.field_sources:
        inside((source.name_span, source.op_span, source.value_span, source.option.span), line.span)
    inside((span for _, span, _ in line.syscall_words), line.span)
    # Between the words there are spaces only, so the words with the spaces are the line up to a NUL.
    at = start
    for _, (word_start, word_end) in reader.words(line):
        assert not line.source.data[at:word_start].strip(b" "), "something between two words"
        at = word_end
    assert not line.source.data[at:end].partition(b"\0")[0].strip(b" "), "something behind the last word"


def judge(found: program.Program, given: Input, facts: Facts, fixing: bool) -> None:
    """A program through records and tables, and its input through the checks, the fixes and every report."""
    for entry in found.entries:
        inside((entry.at.span,), (0, len(entry.at.source.data)))
    for record in records.program_records(found, "fuzz"):
        json.dumps(record)
    list(parse_table(found, "fuzz"))
    check_input(given, found.target, facts, fixing)


def check_input(given: Input, target: Target, facts: Facts, fixing: bool) -> None:
    common = RunOptions(target.kernel, target.machine, target.auditctl, None, target, facts, DEFAULT)
    linter = Linter(common, Selection(pedantic=True))
    checked = linter.check(given)
    report(checked, target)
    for fix in choose(checked.findings, frozenset(("safe", "unsafe"))):
        for edit in fix.edits:
            assert 0 <= edit.start <= edit.end <= len(edit.source.data), "an edit outside its file"
    if fixing:
        fixed, applied = fix_input(linter, given, frozenset(("safe",)))
        _, again = fix_input(linter, fixed.input, frozenset(("safe",)))
        assert not again or applied, "a second run finds something left to fix"
        report(fixed, target)


def report(checked: LintResult, target: Target) -> None:
    for finding in checked.findings:
        for place in (finding.at, *finding.related):
            _place(place)
    result = Result(target, checked.findings, ("fuzz",), checked.rules, checked.suppressed, (checked.note,))
    for form in (text, json_report, sarif, github, gitlab, junit):
        "".join(form.parts(result)).encode("utf-8")


def _place(place: Location) -> None:
    inside((place.span,), (0, len(place.source.data)))
    line, column = place.source.position(place.span[0])
    assert line >= 1 and column >= 1


def inside(spans: Iterable[Span], whole: Span) -> None:
    for start, end in spans:
        assert whole[0] <= start <= end <= whole[1], f"span {(start, end)} is not in {whole}"


def directory(data: bytes, choice: int) -> None:
    """A rules.d directory: the parts between lines of `===`; the first line of each is its name."""
    target, facts = target_of(choice)
    awk = merge.AWKS[choice % 2]
    files = {}
    for part in data.split(b"\n===\n"):
        name, _, body = part.partition(b"\n")
        plain = name.decode("utf-8", "surrogateescape").replace("/", "_").replace("\0", "_") or "a"
        files[plain + ".rules"] = body
    sources = [Source("rules.d/" + name, body) for name, body in files.items()]
    found = program.load_directory(sources, target, facts, awk)
    judge(found, Input("rules.d", "rules.d", found.sources), facts, choice % 4 == 0)


def config(data: bytes, choice: int) -> None:
    """A kernel configuration."""
    name = ("x86_64_defconfig", ".config", "a.cfg", "a.scc", "config-6.1", "kernel.config")[choice % 6]
    source = Source(name, data)
    found = read_config(source)
    inside((each.span for each in found.assignments), (0, len(data)))
    inside((each.span for each in found.ignored), (0, len(data)))
    detect(name, data)
    if find_spec("auditlint.context.config") is None:
        return
    target, facts = target_of(choice)
    check_input(Input("fragment" if choice % 2 else "config", name, (source,)), target, facts, choice % 4 == 0)


def cmdline(data: bytes, choice: int) -> None:
    """Kernel command lines."""
    name = ("cmdline", "/etc/default/grub", "loader/entries/a.conf", "extlinux.conf", "x")[choice % 5]
    source = Source(name, data)
    for line in read_cmdline(source):
        inside((line.span,), (0, len(data)))
    target, facts = target_of(choice)
    check_input(Input("cmdline", name, (source,)), target, facts, choice % 4 == 0)


def tables(data: bytes, choice: int) -> None:
    """Settings and facts, which are TOML."""
    told = data.decode("utf-8", "surrogateescape")
    facts_from_toml(told, "facts.toml")
    settings_from_table(parse_toml(told), "auditlint.toml")


def events(data: bytes, choice: int) -> None:
    """Events for match, and workloads for cost."""
    target, _ = target_of(choice)
    read_workload(Source("workload", data)) if choice % 2 else event_from_json(
        json.loads(data), target, lambda name, arch: 1
    )


ROOMS: tuple[Callable[[bytes, int], None], ...] = (
    rules,
    rules,
    rules,
    rules,
    directory,
    config,
    cmdline,
    tables,
    events,
)


def check(data: bytes) -> None:
    """`feed`, where a clear word to the user is fine."""
    try:
        feed(data)
    except (UserError, UnreadableInput):
        pass
    except ValueError:  # bad TOML, bad JSON; the commands turn it into one line
        if ROOMS[data[0] % len(ROOMS)] not in (tables, events):
            raise
