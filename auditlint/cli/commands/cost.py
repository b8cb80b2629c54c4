"""`auditlint cost`: what a rule set costs at each system call."""

from __future__ import annotations

import argparse
import re
import sys

from auditlint.auditctl.render import shown
from auditlint.cli import options
from auditlint.core import target_names
from auditlint.core.errors import UserError
from auditlint.core.escaping import json_text, log_line
from auditlint.core.frozen import replace
from auditlint.core.target import BY_OPTION
from auditlint.core.target_choice import TargetWish, choose, parts_of
from auditlint.cost.operations import DEFAULT_ACTOR, actors, operation_names
from auditlint.cost.price import Pricing
from auditlint.cost.sources import of as sources_of
from auditlint.io.inputs import read_file, read_inputs, read_stdin
from auditlint.kernel.storage import store
from auditlint.lint.cost_advice import PricedRules, ranked_advice
from auditlint.load.program import load_input, with_written_directories
from auditlint.reports import cost as report

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from auditlint.core.facts import Facts
    from auditlint.core.settings import Settings
    from auditlint.core.target import Target
    from auditlint.cost.model import Cost
    from auditlint.cost.operations import Actor
    from auditlint.cost.workload import Entry, WorkloadCost
    from auditlint.io.image import Image
    from auditlint.io.inputs import Input
    from auditlint.load.program import Program

_RULE = re.compile(rb" *-[aAwWDbefriR-]")


def parser() -> argparse.ArgumentParser:
    """The options of the command."""
    found = options.make_parser("cost", "Show what a rule set costs at each system call, in instructions.")
    found.add_argument("paths", nargs="*", metavar="PATH", help="rule file, rules.d directory, or - for standard input")
    found.add_argument(
        "--actor", metavar="NAME", default=DEFAULT_ACTOR, help=f"user who makes the calls: {', '.join(actors())}"
    )
    found.add_argument(
        "--operation", metavar="NAME", action="append", default=[], help="show only this operation (repeatable)"
    )
    found.add_argument("--running", action="store_true", help="assume a task that ran before the rules were loaded")
    found.add_argument(
        "--workload",
        metavar="FILE",
        action="append",
        help="system calls of a workload: output of strace -c or perf trace -s, or lines `syscall count`",
    )
    found.add_argument(
        "--against",
        metavar="OTHER",
        action="append",
        help="compare with another rule set, or with another target such as kernel=5.10",
    )
    found.add_argument("--sources", action="store_true", help="show where the numbers come from, and published figures")
    found.add_argument(
        "--format", choices=("text", "json"), default="text", help="format of the report (default: text)"
    )
    options.add_target(found)
    options.add_facts(found)
    options.add_settings(found)
    options.add_inputs(found, ("rules", "rules.d"))
    return found


def run(argv: Sequence[str]) -> int:
    """Run the command; 0 when everything could be priced."""
    words = parser().parse_args(argv)
    if words.sources:
        _print_sources(words.format)
        if not words.paths:
            return 0
    elif not words.paths:
        raise UserError("cost needs a rule file, a rules.d directory or -")
    for name in ("workload", "against"):
        given = getattr(words, name) or [None]
        if len(given) > 1:
            raise UserError(f"--{name} can be given once, not {len(given)} times")
        setattr(words, name, given[0])
    actor = _actor(words.actor)
    only = _operations(words.operation)
    image = options.open_root(words)
    common = options.read_common(words, image)
    options.say_remarks(common)
    inputs = list(
        read_inputs(
            words.paths,
            auditctl=common.target.auditctl,
            kind=words.kind,
            stdin_name=words.stdin_filename,
            search=False,
            image=image,
        )
    )
    for each in inputs:
        if each.kind not in ("rules", "rules.d"):
            raise UserError(f"{each.path}: not a rule file but a {each.kind}; only rules have a cost")
        _has_rules(each)
    if words.against is not None:
        if len(inputs) != 1:
            raise UserError("--against compares with exactly one PATH")
        _compare(inputs[0], words, common.target, common.facts, image, actor, only, _workload(words.workload))
        return 0
    workload = _workload(words.workload)
    for each in inputs:
        _price(each, words, common.target, common.facts, common.settings, actor, only, workload)
    return 0


def _has_rules(given: Input) -> None:
    """Raises UserError for what holds no rule file at all: its price would be that of a mistake."""
    if given.kind == "rules.d" and not given.sources:
        raise UserError(f"{given.path}: no rule file (*.rules) found")
    for source in given.sources:
        if b"\0" in source.data and not any(map(_RULE.match, source.data.split(b"\n"))):
            raise UserError(f"{source.path}: not a rule file: it contains NUL bytes and no rule")


def _workload(name: str | None) -> tuple[list[Entry], str] | None:
    """What `--workload` names: its system calls, and the path for messages."""
    if name is None:
        return None
    from auditlint.cost.workload import read_workload

    source = read_stdin() if name == "-" else read_file(name)
    return read_workload(source), source.path


def _priced(workload: tuple[list[Entry], str] | None, pricing: Pricing) -> WorkloadCost | None:
    if workload is None:
        return None
    from auditlint.cost.workload import price_workload

    return price_workload(pricing, *workload)


def _actor(name: str) -> Actor:
    known = actors()
    if name not in known:
        raise UserError(f"--actor {name}: unknown actor; expected one of {', '.join(known)}")
    return known[name]


def _operations(names: Sequence[str]) -> list[str]:
    known = operation_names()
    chosen = [name for word in names for name in word.split(",")]
    if "" in chosen:
        raise UserError(f"--operation {','.join(names)}: a name is missing between the commas")
    for name in chosen:
        if name not in known:
            from difflib import get_close_matches

            near = get_close_matches(name, known, 1)
            hint = f"did you mean {near[0]}?" if near else f"expected one of {', '.join(known)}"
            raise UserError(f"--operation {name}: unknown operation; {hint}")
    return chosen


def _price(
    given: Input,
    words: argparse.Namespace,
    target: Target,
    facts: Facts,
    settings: Settings,
    actor: Actor,
    only: Sequence[str],
    workload: tuple[list[Entry], str] | None,
) -> None:
    program = load_input(given, target, with_written_directories(facts, given.sources))
    # Checks look at all rules that a repaired file would load; here only what loads counts.
    context = PricedRules(replace(program, loaded_with_c=program.loaded), settings, actor)
    pricing = Pricing(context.storage, actor, program.run.enabled, words.running)
    cost = pricing.cost(only)
    work = _priced(workload, pricing)
    if workload is not None:
        from auditlint.cost.workload import work_calls

        context.workload = work_calls(pricing, *workload)
    advice = ranked_advice(context)
    if words.format == "json":
        found = report.to_json(cost, shown(given.path), program, sources_of(pricing.prices))
        found["advice"] = report.advice_json(advice)
        found["advice_for"] = "operations" if work is None else "workload"
        if work is not None:
            found["workload"] = report.workload_json(work, shown(words.workload))
        _print_json(found)
        return
    lines = [*report.head(cost, pricing.prices, given.path, program), ""]
    lines += [*report.table(cost, pricing.prices), "", *report.dearest(cost)]
    if work is not None:
        lines += report.workload_text(work, words.workload, len(report.unloaded(program)))
    lines += report.advice_text(advice, work is not None, _same_advice(words, given, target))
    sys.stdout.write("\n".join(map(log_line, lines)) + "\n")


def _same_advice(words: argparse.Namespace, given: Input, target: Target) -> str:
    """The command that gives all advice on the same rules for the same target."""
    import shlex

    told = ["--kernel", target.kernel, "--machine", target.machine, "--auditctl", target.auditctl]
    for name in ("facts", "root", "settings", "kind"):
        value = getattr(words, name, None)
        if value:
            told += [f"--{name}", str(value)]
    if getattr(words, "no_settings", False):
        told.append("--no-settings")
    return shlex.join(["auditlint", "check", "--select", "AL5", *told, given.path])


def _compare(
    given: Input,
    words: argparse.Namespace,
    target: Target,
    facts: Facts,
    image: Image | None,
    actor: Actor,
    only: Sequence[str],
    workload: tuple[list[Entry], str] | None,
) -> None:
    other_target, other = _other(words.against, given, target, image)
    pairs: list[tuple[Cost, Pricing, Program]] = []
    for each, to in ((given, target), (other, other_target)):
        program = load_input(each, to, with_written_directories(facts, each.sources))
        storage = store(program.loaded, program.target, program.facts)
        pricing = Pricing(storage, actor, program.run.enabled, words.running)
        pairs.append((pricing.cost(only), pricing, program))
    paths = (given.path, other.path)
    works = [work for _, pricing, _ in pairs if (work := _priced(workload, pricing)) is not None]
    if words.format == "json":
        reports = [
            report.to_json(cost, shown(path), program, sources_of(pricing.prices))
            for path, (cost, pricing, program) in zip(paths, pairs, strict=True)
        ]
        for found, work in zip(reports, works, strict=False):
            found["workload"] = report.workload_json(work, shown(words.workload))
        _print_json({**reports[0], "against": reports[1]})
        return
    lines = []
    for letter, path, (cost, pricing, program) in zip("AB", paths, pairs, strict=True):
        lines += [f"{letter}: {line}" for line in report.head(cost, pricing.prices, path, program)]
    names = (paths[0], words.against)
    lines += ["", *report.comparison(pairs[0][0], pairs[1][0], names)]
    if works:
        lines += report.workload_comparison(works[0], works[1], words.workload)
    sys.stdout.write("\n".join(map(log_line, lines)) + "\n")


def _other(word: str, given: Input, target: Target, image: Image | None) -> tuple[Target, Input]:
    """What --against names: `kernel=5.10,machine=aarch64,auditctl=3.0.9` (a part is enough) or a path."""
    parts = [part.partition("=") for part in word.split(",")]
    if all(key in ("kernel", "machine", "auditctl") and value for key, _, value in parts):
        said = {key: value for key, _, value in parts}
        wish = TargetWish(
            BY_OPTION,
            target_names.kernel_line(said["kernel"]) if "kernel" in said else None,
            target_names.machine_name(said["machine"]) if "machine" in said else None,
            target_names.auditctl_release(said["auditctl"]) if "auditctl" in said else None,
        )
        return choose([wish, *parts_of(target)])[0], given
    found = list(read_inputs([word], auditctl=target.auditctl, search=False, image=image))
    return target, found[0]


def _print_json(found: dict[str, Any]) -> None:
    sys.stdout.write(json_text(found, None))


def _print_sources(form: str) -> None:
    from auditlint.cost import sources

    if form == "json":
        _print_json(sources.data())
    else:
        sys.stdout.write("\n".join(sources.text()) + "\n")
