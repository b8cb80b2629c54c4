"""`auditlint match`: which rule decides for an event, and why the others do not."""

from __future__ import annotations

import argparse
import json
import sys

from auditlint.errors import UserError
from auditlint.inputs import STDIN, read_file, read_inputs, read_stdin
from auditlint.kernel.evaluate import decide
from auditlint.kernel.explain import rule_name, steps
from auditlint.kernel.read import BadEvent, event_from_json
from auditlint.kernel.storage import store
from auditlint.language.render import shown
from auditlint.options import add_facts, add_inputs, add_settings, add_target, read_common
from auditlint.program import load_directory, load_file
from auditlint.target import NO_KERNEL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

    from auditlint.facts import Facts
    from auditlint.kernel.evaluate import Decision, Switch
    from auditlint.kernel.event import Event
    from auditlint.kernel.storage import Storage
    from auditlint.options import Common
    from auditlint.program import Program
    from auditlint.source import Location, Source
    from auditlint.target import Target


def run(argv: Sequence[str]) -> int:
    """Judge every event of a file; 0 when all could be read."""
    words = _words(argv)
    common = read_common(words)
    if common.target.kernel == NO_KERNEL:
        raise UserError("match needs a kernel line: --kernel none filters nothing")
    program = _program(words, common)
    storage = store(program.loaded, common.target, common.facts)
    switch = _switch(program, common.facts)
    for event in _events(words.events, common.target):
        decision = decide(storage, event, switch)
        if words.format == "text":
            print(_text(storage, event, decision, words.explain))
        else:
            print(json.dumps(_record(storage, event, decision, words.explain)))
    return 0


def _words(argv: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="auditlint match",
        description="Say for system calls, given as JSON lines, whether they are logged, under which key and why.",
    )
    parser.add_argument("paths", nargs="+", metavar="PATH", help="a rule file, a rules.d directory, or -")
    parser.add_argument("--events", required=True, metavar="FILE", help="events, one JSON object a line, or -")
    parser.add_argument("--explain", action="store_true", help="add the steps of each decision")
    parser.add_argument("--format", choices=("json", "text"), default="json", help="form of the answer")
    add_target(parser)
    add_facts(parser)
    add_settings(parser)
    add_inputs(parser, ("rules", "rules.d"))
    words = parser.parse_args(argv)
    if words.events == STDIN and STDIN in words.paths:
        raise UserError("standard input (-) can be read only once")
    return words


def _program(words: argparse.Namespace, common: Common) -> Program:
    """The one rule file or directory, loaded; says on standard error when not all of it loads."""
    inputs = [
        each
        for each in read_inputs(
            words.paths,
            auditctl=common.target.auditctl,
            kind=words.kind,
            stdin_name=words.stdin_filename,
            search=False,
        )
        if each.kind in ("rules", "rules.d")
    ]
    if len(inputs) != 1:
        raise UserError(f"match judges one rule file or rules.d directory, not {len(inputs)}")
    (only,) = inputs
    if only.kind == "rules.d":
        program = load_directory(only.sources, common.target, common.facts, path=only.path)
    else:
        program = load_file(only.sources[0], common.target, common.facts)
    stop = program.stopped_by
    if program.run.refused is not None:
        print(f"auditlint: {only.path}: {program.run.refused.message}: no rule is loaded", file=sys.stderr)
    elif stop is not None:
        place = f"{stop.at.source.path}:{stop.at.source.line_of(stop.at.span[0])}"
        print(f"auditlint: {place}: the load stops here; the lines behind it do not count", file=sys.stderr)
    return program


def _switch(program: Program, facts: Facts) -> Switch:
    """Whether auditing is on after the load: the last `-e`, else the state before; taken to be on."""
    enabled = program.run.enabled if program.run.enabled is not None else facts.kernel_enabled
    return "off" if enabled == 0 else "on"


def _events(path: str, target: Target) -> Iterator[Event]:
    """The events of a file, one a line. Raises UserError naming the line."""
    source = read_stdin() if path == STDIN else read_file(path)
    lookup = _syscall_numbers(target)
    for number, line in enumerate(source.data.split(b"\n"), 1):
        if not line.strip():
            continue
        yield _event(source, number, line, target, lookup)


def _event(source: Source, number: int, line: bytes, target: Target, lookup: Callable[[str, int], int | None]) -> Event:
    try:
        data = json.loads(line.decode("utf-8", "surrogateescape"))
        return event_from_json(data, target, lookup)
    except BadEvent as error:
        raise UserError(f"{source.path}:{number}: {error}") from None
    except json.JSONDecodeError as error:
        raise UserError(f"{source.path}:{number}: no JSON: {error.msg} at column {error.colno}") from None
    except (ValueError, RecursionError):
        raise UserError(f"{source.path}:{number}: no JSON that can be read") from None


def _syscall_numbers(target: Target) -> Callable[[str, int], int | None]:
    """Numbers by name, from the kernel's own tables first, then as auditctl spells them."""
    from auditlint.language import tables

    def lookup(name: str, arch: int) -> int | None:
        machine = tables.machine_of_elf(arch, target.auditctl)
        if machine is None:
            return None
        number = tables.kernel_calls(machine.name).get(name)
        return number if number is not None else tables.calls(machine.name, target.auditctl).get(name)

    return lookup


def _record(storage: Storage, event: Event, decision: Decision, explain: bool) -> dict[str, Any]:
    by = decision.by
    record: dict[str, Any] = {
        "logged": decision.logged,
        "key": None if decision.key is None else shown(decision.key),
        "by": None if by is None or by.entry is None else _location(by.entry.at),
        "list": None if by is None else by.rule.list,
        "records": None if decision.records is None else list(decision.records),
    }
    if explain:
        record["steps"] = [shown(step) for step in steps(storage, event, decision)]
    return record


def _location(at: Location) -> dict[str, Any]:
    return {"file": shown(at.source.path), "line": at.source.line_of(at.span[0])}


def _text(storage: Storage, event: Event, decision: Decision, explain: bool) -> str:
    lines = steps(storage, event, decision)
    name = rule_name(decision.by) if decision.by is not None else ""
    head = lines[-1] if name in lines[-1] else f"{lines[-1]} ({name})"
    return shown("\n".join([head, *(f"  {line}" for line in lines[:-1])]) if explain else head)
