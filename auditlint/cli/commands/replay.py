"""`auditlint replay`: which rule fills the log, what other rules would have recorded, what would quiet it."""

from __future__ import annotations

import sys
from functools import partial

from auditlint.auditctl.augenrules import DEFAULT_AWK
from auditlint.cli import options
from auditlint.core.errors import UserError
from auditlint.core.escaping import json_text, log_line
from auditlint.core.frozen import replace
from auditlint.core.target import BY_DEFAULT, NO_KERNEL, Target, target_record
from auditlint.io.inputs import STDIN, read_inputs
from auditlint.io.log_files import (
    is_directory,
    log_files,
    look_at,
    pieces,
    read_piece,
    read_stream,
    standard_input,
)
from auditlint.io.output import write_lines
from auditlint.kernel.storage import store
from auditlint.load.program import load_input
from auditlint.logs.evidence import evidence
from auditlint.logs.pieces import Sum, summarize
from auditlint.logs.replayer import Question
from auditlint.logs.summary import summary
from auditlint.logs.tally import TABLES

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from auditlint.core.run_options import RunOptions
    from auditlint.io.image import Image
    from auditlint.io.log_files import LogFile
    from auditlint.load.program import Program
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
    logs, rules = _split(words.path)
    if rules is None and (words.with_rules or words.quiet):
        raise UserError("--with and --quiet compare with the rules that recorded the log: name them after the logs")
    files = log_files([path for path in logs if path != STDIN])
    common, notes = _informed(common, files, words)
    program = _program(rules, common, image) if rules is not None else None
    others = [_program(path, common, image) for path in words.with_rules or ()]
    question = Question(
        target=common.target,
        facts=common.facts,
        rules=None if program is None else store(program.loaded, common.target, common.facts),
        others=tuple(store(other.loaded, common.target, common.facts) for other in others),
        since=_time(words.since, "--since"),
        until=_time(words.until, "--until"),
        host=words.host,
        key=words.key,
        paths="path" in words.by,
    )
    tally = _tally(question, files, STDIN in logs)
    answer = {
        "version": 1,
        "target": target_record(common.target),
        **_named(summary(tally, question, words.by, words.top), logs, files, program),
        "assumed": notes,
    }
    if words.format == "json":
        sys.stdout.write(json_text(answer))
    else:
        from auditlint.reports.replay import text

        write_lines(log_line(line) for line in text(answer, words.by))
    return 0


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
    group.add_argument("--quiet", action="append", metavar="RULE", help="what one more never or exclude rule takes")
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
    from auditlint.logs.forms import form_of

    return form_of(look_at(path).head) is None


def _informed(common: RunOptions, files: Sequence[LogFile], words: Any) -> tuple[RunOptions, list[str]]:
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


def _program(path: str, common: RunOptions, image: Image | None) -> Program:
    (only,) = read_inputs([path], auditctl=common.target.auditctl, kind="rules", search=False, image=image)
    program = load_input(only, common.target, common.facts, common.awk or DEFAULT_AWK)
    if program.run.refused is not None:
        raise UserError(f"{only.path}: {program.run.refused.message}: no rule is loaded")
    stop = program.stopped_by
    if stop is not None:
        place = f"{stop.at.source.path}:{stop.at.source.line_of(stop.at.span[0])}"
        sys.stderr.write(log_line(f"auditlint: {place}: the load stops here, later lines do not count") + "\n")
    return program


def _tally(question: Question, files: Sequence[LogFile], stdin: bool) -> Tally:
    from auditlint.cli.progress import Progress

    total = Sum(question)
    with Progress() as progress:
        done = 0

        def each(size: int) -> None:
            nonlocal done
            done += size
            progress.show_text(f"{done >> 20} MiB read")

        for piece in pieces(files):
            total.add(summarize(question, partial(read_piece, piece), piece.source, each=each))
        if stdin:
            total.add(summarize(question, lambda skip: read_stream(standard_input(), skip), STDIN, each=each))
    return total.finish()


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
