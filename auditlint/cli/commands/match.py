"""`auditlint match`: which rule decides for an event, and why the others do not (docs/match.md)."""

from __future__ import annotations

import sys

from auditlint.auditctl.augenrules import DEFAULT_AWK
from auditlint.auditctl.render import shown
from auditlint.cli import options
from auditlint.core.errors import UserError
from auditlint.core.escaping import log_line
from auditlint.core.target import NO_KERNEL
from auditlint.io.inputs import STDIN, read_file, read_inputs, read_stdin
from auditlint.io.output import write_lines, write_records
from auditlint.kernel.decision_trace import rule_name, steps
from auditlint.kernel.effects import behind
from auditlint.kernel.evaluate import decide
from auditlint.kernel.event_json import BadEvent, event_from_json
from auditlint.kernel.storage import store
from auditlint.load.program import load_input
from auditlint.reports.decision import decision_record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from auditlint.core.facts import Facts
    from auditlint.core.run_options import RunOptions
    from auditlint.core.target import Target
    from auditlint.io.image import Image
    from auditlint.kernel.evaluate import Decision, Switch
    from auditlint.kernel.event import Event
    from auditlint.kernel.storage import Storage
    from auditlint.load.program import Program


def run(argv: list[str]) -> int:
    """Judge every event of a file; 0 when all could be read."""
    words = _words(argv)
    image = options.open_root(words)
    common = options.read_common(words, image)
    options.say_remarks(common)
    if common.target.kernel == NO_KERNEL:
        raise UserError("match needs a kernel version: --kernel none has no filters")
    program = _program(words, common, image)
    switch = _switch(program, common.facts)
    loaded = store(program.loaded, common.target, common.facts)
    judged = (
        (storage, event, decide(storage, event, switch)) for storage, event in _meetings(words, common.target, loaded)
    )
    if words.format == "text":
        for storage, event, decision in judged:
            write_lines(map(log_line, _text(storage, event, decision, words.explain)))
    else:
        write_records(
            decision_record(storage, event if words.explain else None, decision) for storage, event, decision in judged
        )
    return 0


def _meetings(words: Any, target: Target, loaded: Storage) -> Iterator[tuple[Storage, Event]]:
    """Every event with the rules as it finds them: freshly loaded, or as the events before it left them."""
    storage = loaded
    for where, event in _events(words.events, target):
        yield storage, event
        if words.in_order:
            left = behind(storage, event)
            if left is None:
                raise UserError(f"{where}: --in-order needs `exit` or `success` of a call that makes or removes names")
            storage = left


def _words(argv: list[str]) -> Any:
    parser = options.make_parser(
        "match",
        "Show whether system calls, given as JSON lines, are recorded, with which key and by which rule.",
        "%(prog)s [OPTION]... PATH|- --events FILE|-",
    )
    parser.add_argument("path", metavar="PATH", help="rule file, rules.d directory, or - for standard input")
    parser.add_argument(
        "--events", required=True, metavar="FILE", help="file with one event a line, or - for standard input"
    )
    parser.add_argument("--explain", action="store_true", help="add the steps of each decision")
    parser.add_argument(
        "--in-order",
        action="store_true",
        help="events happen one after the other: a rule that one event moves or removes stays so for the next",
    )
    parser.add_argument("--format", choices=("json", "text"), default="json", help="JSON Lines, or text for people")
    options.add_inputs(parser, ("rules", "rules.d"))
    options.add_target(parser)
    options.add_facts(parser)
    options.add_settings(parser)
    words = parser.parse_args(argv)
    if words.events == words.path == STDIN:
        raise UserError("standard input (-) can be read only once")
    return words


def _program(words: Any, common: RunOptions, image: Image | None) -> Program:
    """The rule file or directory, loaded. Says on standard error when not all of it takes effect."""
    release = common.target.auditctl
    (only,) = read_inputs(
        [words.path],
        auditctl=release,
        kind=words.kind or "rules",
        stdin_name=words.stdin_filename,
        search=False,
        image=image,
    )
    program = load_input(only, common.target, common.facts, common.awk or DEFAULT_AWK)
    stop = program.stopped_by
    if program.run.refused is not None:
        _say(f"{only.path}: {program.run.refused.message}: no rule is loaded")
    elif stop is not None:
        place = f"{stop.at.source.path}:{stop.at.line}"
        _say(f"{place}: the load stops here; later lines are ignored")
    return program


def _say(text: str) -> None:
    sys.stderr.write(log_line(f"auditlint: {text}") + "\n")


def _switch(program: Program, facts: Facts) -> Switch:
    """Whether auditing is on after the load: the last `-e`, else the state before; taken to be on."""
    enabled = program.run.enabled if program.run.enabled is not None else facts.kernel_enabled
    return "off" if enabled == 0 else "on"


def _events(path: str, target: Target) -> Iterator[tuple[str, Event]]:
    """The events of a file, one a line, each with its place. Raises UserError naming the line."""
    source = read_stdin() if path == STDIN else read_file(path)
    lookup = _syscall_numbers(target)
    for number, line in enumerate(source.data.split(b"\n"), 1):
        if line.strip():
            where = f"{shown(source.path)}:{number}"
            yield where, _event(where, line, target, lookup)


def _event(where: str, line: bytes, target: Target, lookup: Callable[[str, int], int | None]) -> Event:
    import json

    try:
        return event_from_json(json.loads(line.decode("utf-8", "surrogateescape")), target, lookup)
    except BadEvent as error:
        raise UserError(f"{where}: {shown(str(error))}") from None
    except json.JSONDecodeError as error:
        if line.lstrip().startswith((b"type=", b"node=", b"----", b"time->")):
            raise UserError(
                f"{where}: a line of an audit log; match reads events as JSON objects, one a line (docs/match.md "
                "shows how to convert a log)"
            ) from None
        raise UserError(f"{where}: not valid JSON: {error.msg} at column {error.colno}") from None
    except (ValueError, RecursionError):
        raise UserError(f"{where}: not valid JSON") from None


def _syscall_numbers(target: Target) -> Callable[[str, int], int | None]:
    """Numbers by name, from the kernel's own tables first, then as auditctl spells them."""
    from auditlint.auditctl import tables

    def lookup(name: str, arch: int) -> int | None:
        machine = tables.machine_of_elf(arch, target.auditctl)
        if machine is None:
            return None
        number = tables.kernel_calls(machine.name).get(name)
        return number if number is not None else tables.calls(machine.name, target.auditctl).get(name)

    return lookup


def _text(storage: Storage, event: Event, decision: Decision, explain: bool) -> list[str]:
    *walk, outcome = steps(storage, event, decision)
    if decision.by is not None and rule_name(decision.by) not in outcome:
        outcome += f" ({rule_name(decision.by)})"
    return [outcome, *(f"  {step}" for step in walk)] if explain else [outcome]
