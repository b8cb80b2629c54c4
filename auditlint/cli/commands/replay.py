"""`auditlint replay`: which rule fills the log, what other rules would have recorded, what would quiet it."""

from __future__ import annotations

import sys

from auditlint.auditctl.augenrules import DEFAULT_AWK
from auditlint.cli import log_engines as engines
from auditlint.cli import options
from auditlint.core.errors import UserError
from auditlint.core.escaping import json_text, log_line, plain
from auditlint.core.frozen import replace
from auditlint.core.target import BY_DEFAULT, NO_KERNEL, Target, target_record
from auditlint.io.inputs import STDIN, read_inputs
from auditlint.io.log_files import (
    PIECE,
    is_directory,
    log_files,
    look_at,
    pieces,
    read_piece,
    read_stream,
    standard_input,
)
from auditlint.io.output import write_file, write_lines
from auditlint.logs.evidence import evidence
from auditlint.logs.forms import form_of, transformed
from auditlint.logs.pieces import Sum, summarize
from auditlint.logs.recipe import Recipe, load, question, with_rule
from auditlint.logs.summary import rule_place, summary
from auditlint.logs.tally import TABLES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

    from auditlint.core.run_options import RunOptions
    from auditlint.io.image import Image
    from auditlint.io.inputs import Input
    from auditlint.io.log_files import LogFile
    from auditlint.load.program import Program
    from auditlint.logs.replayer import Question
    from auditlint.logs.tally import Tally

_TOP = 10
_FROM_LOG = "log"


def run(argv: list[str]) -> int:
    """Read the logs and print what fills them; 0 when all could be read."""
    words = _words(argv)
    image = options.open_root(words)
    common = options.read_common(words, image)
    options.say_remarks(common)
    if common.target.kernel == NO_KERNEL:
        raise UserError("replay needs a kernel line: --kernel none has no filters")
    logs, path = _split(words.path)
    if path is None:
        for name in ("with_rules", "quiet", "propose", "events_out", "quiet_top"):
            if getattr(words, name):
                option = "--" + name.removesuffix("_rules").replace("_", "-")
                raise UserError(f"{option} needs the rules that recorded the log: name them after the logs")
    files = log_files([name for name in logs if name != STDIN])
    common, notes = _informed(common, files)
    run_of = _Run(words, _recipe(words, common, path, image), files, STDIN in logs)
    if words.learn:
        run_of = run_of.learned()
    tally = run_of.tally()
    recipe, asked = run_of.recipe, run_of.question
    program = None if recipe.rules is None else load(recipe, recipe.rules)
    if program is not None:
        _say_stop(program)
        notes += _kind_notes(tally, asked)
    answer: dict[str, Any] = {"version": 1, "target": target_record(recipe.target)}
    answer |= _named(summary(tally, asked, words.by, words.top), logs, files, program)
    for name, other in zip(
        [*(words.with_rules or ()), *(rule for rule, _ in recipe.added)], answer.get("with", ()), strict=True
    ):
        other["name"] = plain(name)
    answer["assumed"] = notes
    count = words.quiet_top or (0 if not words.propose else None)
    answer["proposals"], answer["declined"] = _proposed(run_of, tally, program, count) if count != 0 else ([], [])
    answer["facts_learned"] = _facts_learned(tally, recipe)
    _write_outputs(words, run_of, tally)
    _show(words, answer)
    return 0


def _show(words: Any, answer: dict[str, Any]) -> None:
    if words.html is not None:
        from auditlint.reports.replay_html import page

        write_file(words.html, (part.encode("utf-8", "backslashreplace") for part in page(answer, words.by)))
    if words.format == "json":
        sys.stdout.write(json_text(answer))
    else:
        from auditlint.reports.replay import text

        write_lines(log_line(line) for line in text(answer, words.by))


def _recipe(words: Any, common: RunOptions, path: str | None, image: Image | None) -> Recipe:
    release = common.target.auditctl

    def given(name: str) -> Input:
        (only,) = read_inputs([name], auditctl=release, kind="rules", search=False, image=image)
        return only

    return Recipe(
        target=common.target,
        facts=common.facts,
        awk=common.awk or DEFAULT_AWK,
        rules=None if path is None else given(path),
        others=tuple(map(given, words.with_rules or ())),
        added=tuple((rule, 0) for rule in words.quiet or ()),
        since=_time(words.since, "--since"),
        until=_time(words.until, "--until"),
        host=words.host,
        key=words.key,
        paths="path" in words.by,
    )


class _Run:
    """The reading of the logs, once or several times, for one recipe."""

    def __init__(self, words: Any, recipe: Recipe, files: Sequence[LogFile], stdin: bool) -> None:
        self.words = words
        self.recipe = recipe
        self.files = files
        self.stdin = stdin
        self.question = _question(recipe)
        self.engine = engines.engine_of(words.engine)
        self.jobs = engines.jobs_of(words.jobs, sum(file.size for file in files))
        self.pieces = pieces(files, words.piece)
        if stdin and (words.learn or words.propose or words.quiet_top or words.events_out):
            raise UserError("--learn, --propose, --quiet-top and --events-out read the log twice: name a file, not -")
        if stdin and self.engine is not None:
            raise UserError("--engine dask reads files, not standard input")

    def with_recipe(self, recipe: Recipe) -> _Run:
        return _Run(self.words, recipe, self.files, self.stdin)

    def learned(self) -> _Run:
        """The same with the facts that a first reading has taught."""
        from auditlint.logs.learned import with_learned

        return self.with_recipe(replace(self.recipe, facts=with_learned(self.recipe.facts, self.tally())))

    def tally(self) -> Tally:
        from auditlint.cli.progress import Progress

        total = Sum(self.question)
        with Progress() as progress:
            done = 0

            def each(size: int) -> None:
                nonlocal done
                done += size
                progress.show_text(f"{done >> 20} MiB read")

            for found in self._summaries(each):
                total.add(found)
        return total.finish()

    def _summaries(self, each: Callable[[int], None]) -> Iterator[Any]:
        if self.engine is not None:
            yield from engines.by_dask(self.recipe, self.pieces, self.engine, self.jobs, each)
        elif self.jobs > 1 and len(self.pieces) > 1:
            yield from engines.by_processes(self.recipe, self.pieces, self.jobs, each)
        else:
            yield from engines.here(self.recipe, self.pieces, each)
        if self.stdin:
            recipe = self.recipe

            def chunks(skip: Callable[[str, int], None]) -> Iterator[bytes]:
                return transformed(read_stream(standard_input(), skip), recipe.target, recipe.facts, skip)

            yield summarize(self.question, chunks, STDIN, each=each)


def _question(recipe: Recipe) -> Question:
    """The question, after a look at the rules that were added by options."""
    if recipe.rules is not None:
        program = load(recipe, recipe.rules)
        if program.run.refused is not None:
            raise UserError(f"{recipe.rules.path}: {program.run.refused.message}: no rule is loaded")
        for rule, index in recipe.added:
            wider = with_rule(program, rule, index)
            entry = next((each for each in wider.entries if rule in each.line.source.text(each.line.span)), None)
            if entry is None or entry.problem is not None or entry.rule is None or not entry.loaded:
                reason = entry.problem.message if entry is not None and entry.problem is not None else "is not a rule"
                raise UserError(f"--quiet {rule}: {reason}")
    return question(recipe)


def _say_stop(program: Program) -> None:
    stop = program.stopped_by
    if stop is not None:
        place = f"{stop.at.source.path}:{stop.at.source.line_of(stop.at.span[0])}"
        sys.stderr.write(log_line(f"auditlint: {place}: the load stops here, later lines do not count") + "\n")


def _kind_notes(tally: Tally, asked: Question) -> list[str]:
    """Where the log contradicts what a rule was taken to watch."""
    notes = []
    assert asked.rules is not None
    for stored in asked.rules.rules:
        for field in stored.rule.fields:
            kind = tally.kinds.get(str(field.value).rstrip("/")) if field.name in ("path", "dir") else None
            if kind is not None and kind != {"path": "file", "dir": "directory"}[field.name]:
                kind = "a file and a directory at different times" if kind == "both" else f"a {kind}"
                taken = "file" if field.name == "path" else "directory"
                value = plain(str(field.value))
                notes.append(f"{value} is taken for a {taken}, but in the log it is {kind}: use --learn or --facts")
    return list(dict.fromkeys(notes))[:10]


def _proposed(run_of: _Run, tally: Tally, program: Program | None, count: int | None) -> tuple[list[Any], list[Any]]:
    """Proposals, each tried on the log and compared with the rules as they are."""
    from auditlint.logs import proposals as of

    assert program is not None and run_of.question.rules is not None
    abis = _abis(run_of.recipe.target)
    candidates, declined = of.proposals(tally, abis)
    candidates = candidates[:count]
    by_index = {stored.index: stored for stored in run_of.question.rules.rules}
    left = [
        {
            "rule": _short_place(by_index[source.index]),
            "exe": plain(source.exe),
            "events": source.events,
            "bytes": source.bytes,
            "why": source.why,
        }
        for source in declined
    ]
    if not candidates:
        return [], left
    variants = [(rule, candidate) for candidate in candidates for rule in candidate.variants]
    added = tuple((rule, candidate.index) for rule, candidate in variants)
    tried = run_of.with_recipe(replace(run_of.recipe, others=(), added=added))
    again = tried.tally()
    accepted: list[dict[str, Any]] = []
    done = set()
    for number, (rule, candidate) in enumerate(variants):
        lost, unknown = of.taken(again.alternates[number])
        events, size = (sum(row[at] for row in lost.values()) for at in (0, 1))
        if candidate.rule in done or unknown or events < candidate.events:
            continue  # it does not do what it is meant for, or its narrower form does
        done.add(candidate.rule)
        also = [
            {**_short_place(by_index[slot[1]]), "events": row[0], "bytes": row[1]}
            for slot, row in sorted(lost.items(), key=lambda row: (-row[1][1], repr(row[0])))
            if slot[0] == "rule" and slot[1] != candidate.index
        ]
        accepted.append(
            {
                "rule": rule,
                "place": {"before": _short_place(by_index[candidate.index])},
                "exe": plain(candidate.exe),
                "events": events,
                "bytes": size,
                "also": also,
                "silences": _silenced(run_of, tried, number),
                "price": _price(run_of, tried, number),
            }
        )
    accepted.sort(key=lambda proposal: (-proposal["bytes"], proposal["rule"]))
    return accepted, left


def _silenced(run_of: _Run, tried: _Run, number: int) -> dict[str, Any]:
    """What the rules no longer record with the proposal, in this log or not: the groups of `diff`."""
    import time

    from auditlint.compare.comparison import compare
    from auditlint.compare.findings import Options
    from auditlint.reports.diff import Result, Side, region

    assert run_of.question.rules is not None
    target = run_of.recipe.target
    end = time.monotonic() + 10
    one, two = run_of.question.rules, tried.question.others[number]
    comparison = compare(one, two, Options(keys="any", expired=lambda: time.monotonic() > end))
    result = Result(Side("rules", one, target), Side("proposal", two, target), comparison, "at-least")
    groups = [group for group in result.counted() if group.kind == "less"]
    regions = list(dict.fromkeys(plain(region(result, group)) for group in groups))
    return {"groups": regions, "proved": not comparison.unknown}


def _price(run_of: _Run, tried: _Run, number: int) -> dict[str, Any] | None:
    """What the proposal adds to the cheapest system call, in instructions; None where the kernel is not measured."""
    from auditlint.cost.operations import actors
    from auditlint.cost.price import Pricing

    assert run_of.question.rules is not None
    actor = actors()["root-unset"]
    amounts = [
        Pricing(storage, actor, 1).cost(["getppid"]).operations[0].overhead
        for storage in (run_of.question.rules, tried.question.others[number])
    ]
    return {"operation": "getppid", "amount": round(amounts[1] - amounts[0], 1), "unit": "instructions"}


def _short_place(stored: Any) -> dict[str, Any]:
    place = rule_place(stored)
    return {"file": place["file"], "line": place["line"]}


def _abis(target: Target) -> dict[int, str]:
    from auditlint.kernel import syscall_classes

    tables = syscall_classes.tables(target)
    abis = {tables.native.elf: "b64" if tables.native.elf & 0x80000000 else "b32"}
    if tables.compat is not None:
        abis[tables.compat.elf] = "b32"
    return abis


def _facts_learned(tally: Tally, recipe: Recipe) -> dict[str, Any]:
    from auditlint.logs.learned import links

    return {
        "directories": sorted(plain(place) for place, kind in tally.kinds.items() if kind == "directory"),
        "symlinks": {plain(name): plain(exe) for name, exe in links(tally, recipe.facts).items()},
        "inodes": len(tally.inodes),
    }


def _write_outputs(words: Any, run_of: _Run, tally: Tally) -> None:
    """--facts-out, --workload-out and --events-out."""
    recipe = run_of.recipe
    if words.facts_out is not None:
        from auditlint.logs.learned import facts_toml

        name = ", ".join(plain(file.path) for file in run_of.files[:3]) or STDIN
        lines = [line + "\n" for line in facts_toml(tally, recipe.facts, name)]
        write_file(words.facts_out, (line.encode("utf-8", "backslashreplace") for line in lines))
    if words.workload_out is not None:
        from auditlint.kernel import syscall_classes
        from auditlint.logs.events import workload_lines

        native = syscall_classes.tables(recipe.target).native.elf
        write_file(words.workload_out, [line.encode() + b"\n" for line in workload_lines(tally.joint.rows, native)])
    if words.events_out is not None:
        write_file(words.events_out, _events(run_of))


def _events(run_of: _Run) -> Iterator[bytes]:
    """The system calls of the logs as lines of JSON."""
    import json

    from auditlint.logs.assembly import Assembler
    from auditlint.logs.events import EventReader

    reader = EventReader(run_of.question)
    recipe = run_of.recipe

    def ignore(*_: object) -> None:
        return None

    assembler = Assembler(reader.take, ignore, ignore)

    def written() -> bytes:
        lines = [json.dumps(event) + "\n" for event in reader.found]
        reader.found.clear()
        return "".join(lines).encode("ascii")

    for piece in run_of.pieces:
        for chunk in transformed(read_piece(piece, ignore), recipe.target, recipe.facts, ignore):
            assembler.feed(chunk)
            yield written()
    for event in assembler.unfinished():
        reader.take(event)
    yield written()


def _words(argv: list[str]) -> Any:
    parser = options.make_parser(
        "replay",
        "Which rule fills an audit log, what other rules would have recorded, and what would quiet it.\n"
        "LOG is audit.log, rotated or packed logs, a directory that holds them, or - for standard input; RULES is the\n"
        "rule file or rules.d directory that recorded them.",
        "%(prog)s [OPTION]... LOG... [RULES]",
    )
    parser.add_argument("path", nargs="+", metavar="LOG", help="logs, then the rules that recorded them")
    parser.add_argument(
        "--by",
        type=_tables,
        default=("key", "exe", "call"),
        metavar="TABLE,...",
        help=f"tables besides that of the rules: {', '.join(name for name in TABLES if name != 'rule')} "
        "(default: key,exe,call)",
    )
    parser.add_argument("--top", type=int, default=_TOP, metavar="N", help=f"rows of each table (default: {_TOP})")
    parser.add_argument("--format", choices=("text", "json"), default="text", help="text for people, or JSON")
    group = parser.add_argument_group("which events count")
    group.add_argument("--since", metavar="TIME", help="from this time on: 2024-05-29T16:26, or seconds since 1970")
    group.add_argument("--until", metavar="TIME", help="up to this time")
    group.add_argument("--host", metavar="NODE", help="events of this node= only")
    group.add_argument("--key", metavar="KEY", help="events with this key only")
    group = parser.add_argument_group("other rules")
    group.add_argument(
        "--with", dest="with_rules", action="append", metavar="RULES", help="the same log under another rule set"
    )
    group.add_argument(
        "--quiet", action="append", metavar="RULE", help="what one more rule before the others takes (repeatable)"
    )
    group.add_argument(
        "--propose", action="store_true", help="never rules for the sources of noise, each tried on the log"
    )
    group.add_argument("--quiet-top", type=_count, metavar="N", help="the same, for the N largest sources")
    group = parser.add_argument_group("what else is written")
    group.add_argument("--html", metavar="FILE", help="a page with events over time by rule, tables and proposals")
    group.add_argument("--learn", action="store_true", help="read twice: first the directories and links of the host")
    group.add_argument("--facts-out", metavar="FILE", help="the facts that the log tells, as TOML")
    group.add_argument("--workload-out", metavar="FILE", help="the recorded calls as a workload for cost and optimize")
    group.add_argument("--events-out", metavar="FILE", help="the system calls as events for match")
    group = parser.add_argument_group("speed")
    group.add_argument("--jobs", default="auto", metavar="N", help="processes (default: auto, by the size of the logs)")
    group.add_argument(
        "--engine", metavar="NAME", help="local (default), dask for a cluster on this machine, or dask:SCHEDULER"
    )
    group.add_argument(
        "--piece",
        type=_size,
        default=PIECE,
        metavar="MIB",
        help=f"MiB of a log that are read in one go (default: {PIECE >> 20})",
    )
    options.add_target(parser)
    options.add_facts(parser)
    options.add_settings(parser, synonyms=False)
    return parser.parse_args(argv)


def _tables(text: str) -> tuple[str, ...]:
    names = tuple(dict.fromkeys(text.split(",")))
    for name in names:
        if name not in TABLES:
            raise UserError(f"--by {name}: is not one of {', '.join(TABLES)}")
    return names


def _count(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= 100:
        raise UserError(f"--quiet-top {text}: is not a number from 1 to 100")
    return int(text)


def _size(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= 4096:
        raise UserError(f"--piece {text}: is not a number of MiB from 1 to 4096")
    return int(text) << 20


def _time(text: str | None, option: str) -> float | None:
    """Seconds since 1970; a time without zone is UTC."""
    if text is None:
        return None
    from datetime import datetime, timezone

    try:
        return float(text) if text.replace(".", "", 1).isdecimal() else _iso(datetime.fromisoformat(text), timezone.utc)
    except (ValueError, OverflowError):
        raise UserError(f"{option} {text}: is not a time such as 2024-05-29T16:26 or 1717000000") from None


def _iso(time: Any, utc: Any) -> float:
    seconds: float = (time if time.tzinfo is not None else time.replace(tzinfo=utc)).timestamp()
    return seconds


def _split(paths: Sequence[str]) -> tuple[list[str], str | None]:
    """The logs, and the rules that the last word names if it names rules."""
    if paths.count(STDIN) > 1:
        raise UserError("standard input (-) can be read only once")
    last = paths[-1]
    if len(paths) > 1 and last != STDIN and _is_rules(last):
        return list(paths[:-1]), last
    return list(paths), None


def _is_rules(path: str) -> bool:
    if is_directory(path):
        import os

        try:
            names = os.listdir(path)
        except OSError:
            return False
        return any(name.endswith(".rules") for name in names) and not any(
            name.startswith("audit.log") for name in names
        )
    if path.endswith(".rules"):
        return True
    return form_of(look_at(path).head) is None


def _informed(common: RunOptions, files: Sequence[LogFile]) -> tuple[RunOptions, list[str]]:
    """The options with what the logs tell about the host, where nobody else does; and remarks on it."""
    notes: list[str] = []
    told = evidence(b"\n".join(file.head for file in files[:8]))
    target, facts = common.target, common.facts
    source = target.source
    if source.kernel == BY_DEFAULT and told.kernel is not None:
        from auditlint.core.target_names import kernel_line

        target = replace(target, kernel=kernel_line(told.kernel), source=replace(source, kernel=_FROM_LOG))
        source = target.source
    if source.auditctl == BY_DEFAULT and told.auditctl is not None:
        target = replace(target, auditctl=told.auditctl, source=replace(source, auditctl=_FROM_LOG))
        source = target.source
    if source.machine == BY_DEFAULT and told.arch is not None:
        machine = _machine(told.arch, target)
        if machine is not None and machine != target.machine:
            target = replace(target, machine=machine, source=replace(source, machine=_FROM_LOG))
    if facts.lsm is None and told.lsm is not None:
        facts = replace(facts, lsm=told.lsm)
        notes.append(f"security module: {told.lsm}, by the subj fields of the log")
    return replace(common, target=target, facts=facts), notes


def _machine(arch: int, target: Target) -> str | None:
    from auditlint.auditctl.tables import machine_of_elf

    found = machine_of_elf(arch, target.auditctl)
    return None if found is None else found.name


def _named(
    answer: dict[str, Any], logs: Sequence[str], files: Sequence[LogFile], program: Program | None
) -> dict[str, Any]:
    """The answer with the names of what was read."""
    from auditlint.auditctl.render import shown

    names = [shown(file.path) for file in files] + (["-"] if STDIN in logs else [])
    answer["log"] = {"files": names, **answer["log"]}
    if program is not None:
        sent = sum(1 for entry in program.entries if entry.rule is not None)
        answer["rule_set"] = {"path": shown(program.merged.path), "loaded": len(program.loaded), "of": sent}
    return answer
