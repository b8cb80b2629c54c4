"""`auditlint diff`: whether two rule sets record the same, or an event that tells them apart (docs/diff.md)."""

from __future__ import annotations

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
    from collections.abc import Callable, Iterator

    from auditlint.compare.findings import Region
    from auditlint.core.facts import Facts
    from auditlint.core.run_options import RunOptions
    from auditlint.core.target import Target
    from auditlint.io.image import Image
    from auditlint.kernel.evaluate import Switch
    from auditlint.load.program import Program
    from auditlint.reports.diff import Result

DIFFERENT = 1
FORMS = ("text", "json", "markdown", "github", "html")


def run(argv: list[str]) -> int:
    """Compare two rule sets; 0 when they are proved the same, 1 when they differ or it is not known."""
    words = _words(argv)
    image = options.open_root(words)
    common = options.read_common(words, image)
    options.say_remarks(common)
    if common.target.kernel == NO_KERNEL:
        raise UserError("diff needs a kernel line: --kernel none has no filters")
    runs = [(common.target, _changed(words.against, common.target, "--against"))]
    for text in words.other_targets:
        target = _changed(text, common.target, "--for")
        runs.append((target, _changed(words.against, target, "--against")))
    paths = words.path if len(words.path) == 2 else words.path * 2
    inputs = _inputs(paths, words, common, image)
    region = _region(words)
    results = []
    for targets in runs:
        if words.profile:
            inputs[0] = _profile(words.profile, targets[0], common.facts.uid_min or 1000)
            paths = [inputs[0].path, words.path[0]]
        a = load_input(inputs[0], targets[0], common.facts)
        b = load_input(inputs[1], targets[1], common.facts)
        results.append(compared(paths, (a, b), words, common.facts, region))
    _write(results, words)
    if words.events_out is not None:
        _write_events(words.events_out, results)
    verdicts = {result.verdict for result in results}
    if "different" in verdicts or ("unknown" in verdicts and not words.allow_unknown):
        return DIFFERENT
    return 0


def compared(
    paths: list[str], programs: tuple[Program, Program], words: argparse.Namespace, facts: Facts, region: Region
) -> Result:
    """The comparison of two loaded inputs."""
    from auditlint.compare.comparison import compare
    from auditlint.compare.findings import Options
    from auditlint.compare.settings import load_change, setting_changes
    from auditlint.reports.diff import Result, Side

    a, b = programs
    storages = (store(a.loaded, a.target, facts), store(b.loaded, b.target, facts))
    end = time.monotonic() + words.limit
    how = Options(
        keys="any" if words.profile else words.keys,
        region=region,
        foreign=words.foreign,
        switches=(_switch(a, facts), _switch(b, facts)),
        expired=lambda: time.monotonic() > end,
    )
    return Result(
        Side(paths[0], storages[0], a.target),
        Side(paths[1], storages[1], b.target),
        compare(*storages, how),
        "at-least" if words.at_least or words.profile else "same",
        () if words.profile or "settings" in words.ignore else setting_changes(a, b),
        tuple(change for change in (load_change(a, "a"), load_change(b, "b")) if change is not None),
        words.foreign,
        "any" if words.profile else words.keys,
        bool(region),
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
    parser.add_argument("--profile", metavar="NAME", help="whether PATH records at least what a profile asks")
    parser.add_argument(
        "--for",
        dest="other_targets",
        action="append",
        default=[],
        metavar="NAME=VALUE,...",
        help="compare once more for this target (kernel, machine, auditctl); may be repeated",
    )
    parser.add_argument(
        "--only", action="append", default=[], metavar="calls=NAME,...", help="look at these calls only"
    )
    parser.add_argument(
        "--ignore",
        action="append",
        default=[],
        metavar="WHAT",
        help="ignore calls=NAME,..., key=KEY, path=PATH (also below it) or settings; may be repeated",
    )
    parser.add_argument("--against", metavar="NAME=VALUE,...", help="target of B: kernel, machine, auditctl")
    parser.add_argument("--foreign", action="store_true", help="count what only shows in records such as AVC")
    parser.add_argument("--allow-unknown", action="store_true", help="exit status 0 also when something is not known")
    parser.add_argument("--limit", type=float, default=60.0, metavar="SECONDS", help="time for the proof (default: 60)")
    parser.add_argument("--events-out", metavar="FILE", help="write the examples as events for match")
    parser.add_argument("--explain", action="store_true", help="add the steps of both decisions to each example")
    parser.add_argument("--format", choices=FORMS, default="text", help="form of the report")
    options.add_inputs(parser, ("rules", "rules.d"))
    options.add_target(parser)
    options.add_facts(parser)
    options.add_settings(parser)
    words = parser.parse_args(argv)
    if words.profile:
        if len(words.path) != 1 or words.against:
            raise UserError("--profile compares one PATH with the lines of a profile")
    elif len(words.path) > 2 or (len(words.path) == 1 and words.against is None):
        raise UserError("diff compares two inputs: A B, or one PATH with --against")
    if not words.limit > 0:
        raise UserError("--limit must be a number of seconds above 0")
    if words.path.count(STDIN) > 1:
        raise UserError("standard input (-) can be read only once")
    return words


def _changed(text: str | None, target: Target, option: str) -> Target:
    """A target with what an option such as --against changes. Raises UserError."""
    from auditlint.core.target_names import auditctl_release, kernel_line, machine_name

    if text is None:
        return target
    readers = {"kernel": kernel_line, "machine": machine_name, "auditctl": auditctl_release}
    for word in text.split(","):
        name, equals, value = word.partition("=")
        if name not in readers or not equals:
            raise UserError(f"{option} {word}: write kernel=LINE, machine=NAME or auditctl=RELEASE")
        known = readers[name](value)
        if name == "kernel":
            target = replace(target, kernel=known)
        elif name == "machine":
            target = replace(target, machine=known)
        else:
            target = replace(target, auditctl=known)
    if target.kernel == NO_KERNEL:
        raise UserError(f"{option} kernel=none: has no filters")
    return target


def _region(words: argparse.Namespace) -> Region:
    """--only and --ignore. Raises UserError."""
    from auditlint.auditctl.tables import all_calls
    from auditlint.compare.findings import Region

    only: set[str] = set()
    ignored: set[str] = set()
    keys: set[str] = set()
    paths: list[str] = []
    for option, texts in (("--only", words.only), ("--ignore", words.ignore)):
        for text in texts:
            name, equals, value = text.partition("=")
            if option == "--ignore" and text == "settings":
                continue
            if not equals or not value or name not in (("calls",) if option == "--only" else ("calls", "key", "path")):
                allowed = "calls=NAME,..." if option == "--only" else "calls=NAME,..., key=KEY, path=PATH or settings"
                raise UserError(f"{option} {text}: write {allowed}")
            if name == "calls":
                wanted = value.split(",")
                wrong = next((call for call in wanted if call not in all_calls()), None)
                if wrong is not None:
                    raise UserError(f"{option} {text}: no system call is called {wrong}")
                (only if option == "--only" else ignored).update(wanted)
            elif name == "key":
                keys.add(value)
            else:
                paths.append(value.rstrip("/") or "/")
    return Region(frozenset(only), frozenset(ignored), frozenset(keys), tuple(paths))


def _profile(name: str, target: Target, uid_min: int) -> Input:
    """The lines that a profile asks for on a target, as a rule file."""
    from auditlint.analysis.abi_gaps import live_calls
    from auditlint.analysis.profiles import load, ways
    from auditlint.analysis.rule_calls import machines_of
    from auditlint.core.source import Source

    machines = machines_of(target)
    live = {machine.name: live_calls(machine.name, target) for machine in machines}
    lines: dict[str, None] = {}
    for requirement in load(name).requirements:
        for event in requirement.events:
            for each in ways(event, machines, live, uid_min)[:1]:
                lines.update(dict.fromkeys(each))
    return Input("rules", f"profile {name}", (Source(f"profile {name}", ("\n".join(lines) + "\n").encode()),))


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


def _write(results: list[Result], words: argparse.Namespace) -> None:
    from auditlint.reports import diff, diff_forms

    first, *others = results
    if words.format == "json":
        record = diff.json_record(first)
        if others:
            record["for"] = [diff.json_record(result) for result in others]
        write_records([record])
        return
    lines: dict[str, Callable[[Result], Iterator[str]]] = {
        "text": lambda result: diff.text_lines(result, words.explain),
        "markdown": diff_forms.markdown_lines,
        "github": diff_forms.github_lines,
        "html": diff_forms.html_lines,
    }
    shown: dict[str, str] = {}
    for number, result in enumerate(results):
        same = diff.same_answer(result)
        target = diff.target_text(result.b.target)
        if number and words.format == "text":
            write_lines([""])
        if same in shown and words.format == "text":
            write_lines([f"for {target}: the same answer as for {shown[same]}"])
            continue
        shown[same] = target
        write_lines(lines[words.format](result))


def _write_events(path: str, results: list[Result]) -> None:
    import json

    from auditlint.compare.groups import groups
    from auditlint.io.output import write_file

    events = [
        group.witness.event
        for result in results
        for group in groups(result.comparison.findings)
        if group.witness is not None and "io_uring" not in group.witness.event
    ]
    if path == STDIN:
        write_records(events)
    else:
        write_file(path, ((json.dumps(event) + "\n").encode() for event in events))
