"""`auditlint diff`: whether two rule sets record the same, or an event that tells them apart (docs/diff.md)."""

from __future__ import annotations

import sys
import time

from auditlint.cli import options
from auditlint.core.errors import UserError
from auditlint.core.frozen import replace
from auditlint.core.target import NO_KERNEL
from auditlint.io.inputs import STDIN, Input, read_inputs
from auditlint.io.output import write_lines, write_records
from auditlint.kernel.storage import store
from auditlint.load.program import load_input

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from auditlint.core.facts import Facts
    from auditlint.core.run_options import RunOptions
    from auditlint.core.target import Target
    from auditlint.io.image import Image
    from auditlint.kernel.evaluate import Switch
    from auditlint.load.program import Program
    from auditlint.reports.diff import Result

DIFFERENT = 1


def run(argv: list[str]) -> int:
    """Compare two rule sets; 0 when they are proved the same, 1 when they differ or it is not known."""
    words = _words(argv)
    image = options.open_root(words)
    common = options.read_common(words, image)
    options.say_remarks(common)
    if common.target.kernel == NO_KERNEL:
        raise UserError("diff needs a kernel line: --kernel none has no filters")
    targets = (common.target, _against(words, common.target))
    paths = words.path if len(words.path) == 2 else words.path * 2
    inputs = _inputs(paths, words, common, image)
    programs = (load_input(inputs[0], targets[0], common.facts), load_input(inputs[1], targets[1], common.facts))
    result = compared(paths, programs, words, common.facts)
    _write(result, words)
    if words.events_out is not None:
        _write_events(words.events_out, result)
    verdict = result.verdict
    if verdict == "unknown":
        return 0 if words.allow_unknown else DIFFERENT
    return 0 if verdict == "same" else DIFFERENT


def compared(paths: list[str], programs: tuple[Program, Program], words: argparse.Namespace, facts: Facts) -> Result:
    """The comparison of two loaded inputs."""
    from auditlint.compare.comparison import compare
    from auditlint.compare.findings import Options
    from auditlint.compare.settings import load_change, setting_changes
    from auditlint.reports.diff import Result, Side

    a, b = programs
    storages = (store(a.loaded, a.target, facts), store(b.loaded, b.target, facts))
    end = time.monotonic() + words.limit
    how = Options(
        keys=words.keys,
        foreign=words.foreign,
        switches=(_switch(a, facts), _switch(b, facts)),
        expired=lambda: time.monotonic() > end,
    )
    return Result(
        Side(paths[0], storages[0], a.target),
        Side(paths[1], storages[1], b.target),
        compare(*storages, how),
        "at-least" if words.at_least else "same",
        setting_changes(a, b),
        tuple(change for change in (load_change(a, "a"), load_change(b, "b")) if change is not None),
        words.foreign,
    )


def _switch(program: Program, facts: Facts) -> Switch:
    """Whether auditing is on after the load: the last `-e`, else the state before; taken to be on."""
    enabled = program.run.enabled if program.run.enabled is not None else facts.kernel_enabled
    return "off" if enabled == 0 else "on"


def _words(argv: list[str]) -> argparse.Namespace:
    parser = options.make_parser(
        "diff",
        "Whether two rule sets record the same events with the same keys: a proof, or an example for each difference.",
        "%(prog)s [OPTION]... A B\n       %(prog)s [OPTION]... PATH --against kernel=6.12,auditctl=4.2",
    )
    parser.add_argument(
        "path", nargs="+", metavar="PATH", help="rule file, rules.d directory, REV:PATH of a git repository, or -"
    )
    parser.add_argument("--at-least", action="store_true", help="only ask whether B records all that A records")
    parser.add_argument(
        "--keys",
        choices=("same", "more", "any"),
        default="same",
        help="same: equal keys (default); more: B may add keys",
    )
    parser.add_argument("--against", metavar="NAME=VALUE,...", help="target of B: kernel, machine, auditctl")
    parser.add_argument("--foreign", action="store_true", help="count what only shows in records such as AVC")
    parser.add_argument("--allow-unknown", action="store_true", help="exit status 0 also when something is not known")
    parser.add_argument("--limit", type=float, default=60.0, metavar="SECONDS", help="time for the proof (default: 60)")
    parser.add_argument("--events-out", metavar="FILE", help="write the examples as events for match")
    parser.add_argument("--explain", action="store_true", help="add the steps of both decisions to each example")
    parser.add_argument("--format", choices=("text", "json"), default="text", help="form of the report")
    options.add_inputs(parser, ("rules", "rules.d"))
    options.add_target(parser)
    options.add_facts(parser)
    options.add_settings(parser)
    words = parser.parse_args(argv)
    if len(words.path) > 2 or (len(words.path) == 1 and words.against is None):
        raise UserError("diff compares two inputs: A B, or one PATH with --against")
    if words.path.count(STDIN) > 1:
        raise UserError("standard input (-) can be read only once")
    return words


def _against(words: argparse.Namespace, target: Target) -> Target:
    """The target of B: that of A with what --against changes. Raises UserError."""
    from auditlint.core.target_names import auditctl_release, kernel_line, machine_name

    if words.against is None:
        return target
    readers = {"kernel": kernel_line, "machine": machine_name, "auditctl": auditctl_release}
    for word in words.against.split(","):
        name, equals, value = word.partition("=")
        if name not in readers or not equals:
            raise UserError(f"--against {word}: write kernel=LINE, machine=NAME or auditctl=RELEASE")
        read = readers[name](value)
        if name == "kernel":
            target = replace(target, kernel=read)
        elif name == "machine":
            target = replace(target, machine=read)
        else:
            target = replace(target, auditctl=read)
    if target.kernel == NO_KERNEL:
        raise UserError("--against kernel=none: has no filters")
    return target


def _inputs(paths: list[str], words: argparse.Namespace, common: RunOptions, image: Image | None) -> list[Input]:
    from auditlint.io.git import read_revision

    inputs: list[Input] = []
    for path in paths:
        if inputs and paths[0] == path:
            inputs.append(inputs[0])
            continue
        revision = read_revision(path)
        if revision is not None:
            inputs.append(revision)
            continue
        (only,) = read_inputs(
            [path],
            auditctl=common.target.auditctl,
            kind=words.kind or "rules" if path == STDIN else words.kind,
            stdin_name=words.stdin_filename,
            search=False,
            image=image,
        )
        inputs.append(only)
    return inputs


def _write(result: Result, words: argparse.Namespace) -> None:
    from auditlint.reports import diff

    if words.format == "json":
        write_records([diff.json_record(result)])
    else:
        write_lines(diff.text_lines(result, words.explain))


def _write_events(path: str, result: Result) -> None:
    import json

    from auditlint.compare.groups import groups
    from auditlint.io.output import write_file

    events = [group.witness.event for group in groups(result.comparison.findings) if group.witness is not None]
    if path == STDIN:
        sys.stdout.flush()
        write_records(events)
    else:
        write_file(path, ((json.dumps(event) + "\n").encode() for event in events))
