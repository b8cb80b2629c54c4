"""The laboratory: measures what audit costs on real kernels in an emulated machine.

    python -m tools.laboratory measure --kernel 6.1            all scenarios of the tables
    python -m tools.laboratory rules FILE --against FILE       one rule set next to another
    python -m tools.laboratory fit MEASUREMENTS                prices of the tables from measurements
    python -m tools.laboratory events                          which operations the kernel logs

docs/laboratory.md tells what is measured and how.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from pathlib import Path

from auditlint.core.errors import UserError
from tools.laboratory import comparison, events, fit, machine
from tools.laboratory.kernels import MACHINES, Kernel, Store
from tools.laboratory.measure import measure, merged, row, text
from tools.laboratory.rule_files import named_paths, scenario_of
from tools.laboratory.scenarios import QUICK, SCENARIOS, scenarios

DECISIONS = Path(__file__).resolve().parents[2] / "tests/kernel/data/decisions.json.gz"
"""What real kernels logged; `match` is tested with it."""


def cache_folder() -> Path:
    """Where kernels and audit programs are kept: AUDITLINT_LABORATORY, or the user's cache."""
    home = os.environ.get("AUDITLINT_LABORATORY")
    if home:
        return Path(home)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "auditlint-laboratory"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="python -m tools.laboratory",
        description="Measure what audit costs on real kernels in an emulated machine.",
    )
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("--kernel", default="6.1", metavar="LINE", help="kernel line, for example 6.1 (default)")
    common.add_argument("--machine", choices=MACHINES, default="x86_64", help="emulated machine (default: x86_64)")
    common.add_argument(
        "--package", metavar="NAME", help="Debian package of the kernel, instead of the one of the line"
    )
    common.add_argument("--image", type=Path, metavar="FILE", help="kernel image, instead of a package")
    common.add_argument(
        "--boot", metavar="ARGUMENTS", help=f"kernel command line beside audit= (default: {machine.PLAIN})", default=""
    )
    common.add_argument("--kvm", action="store_true", help="run on this processor and count ticks of its clock")

    one = commands.add_parser("measure", parents=[common], help="measure scenarios")
    one.add_argument("--scenarios", type=Path, default=SCENARIOS, metavar="FILE", help="scenarios of your own (TOML)")
    one.add_argument("--only", metavar="NAMES", help="some scenarios, separated by commas")
    one.add_argument("--quick", action="store_true", help=f"only {', '.join(QUICK)}")
    one.add_argument(
        "--output", type=Path, metavar="FILE", help="add the rows to this file, replacing older ones of the line"
    )
    one.add_argument("--compare", type=Path, metavar="FILE", help="print the differences from this measurements file")
    one.set_defaults(run=_measure)

    two = commands.add_parser("rules", parents=[common], help="measure rule files")
    two.add_argument("file", type=Path, metavar="FILE")
    two.add_argument("--against", type=Path, metavar="FILE", help="a second rule file, for example an optimized one")
    two.add_argument("--auditctl", default="3.0.9", metavar="RELEASE", help="release that loads them (default: 3.0.9)")
    two.add_argument("--uid", type=int, default=0, help="user of the measured task (default: 0)")
    two.add_argument("--auid", type=int, help="its login id (default: not set)")
    two.add_argument("--format", choices=("text", "json"), default="text")
    two.set_defaults(run=_rules)

    three = commands.add_parser("fit", help="compute the tables of prices from measurements")
    three.add_argument("file", type=Path, metavar="MEASUREMENTS")
    three.add_argument("--write", action="store_true", help="write the tables instead of printing what differs")
    three.add_argument("--tables", type=Path, default=fit.DATA, metavar="DIR", help="default: rulesets/cost")
    three.add_argument("--add", metavar="LINE", help="add a kernel line to the tables")
    three.add_argument("--version", default="", help="with --add: the measured version, for example 7.2.13")
    three.add_argument(
        "--since", metavar="LINE", help="with --add: the oldest kernel line that it serves (default: itself)"
    )
    three.set_defaults(run=_fit)

    four = commands.add_parser("events", parents=[common], help="compare which operations a kernel logs")
    four.add_argument("file", type=Path, nargs="?", default=DECISIONS, metavar="DECISIONS")
    four.add_argument("--quick", action="store_true", help=f"the first {events.QUICK_SETS} rule sets only")
    four.set_defaults(run=_events)
    return parser


def _kernel(arguments: argparse.Namespace, store: Store) -> Kernel:
    if arguments.image:
        if not arguments.image.is_file():
            raise UserError(f"{arguments.image}: no such file")
        return Kernel(arguments.kernel, "unknown", arguments.image, arguments.machine)
    return store.kernel(arguments.kernel, arguments.machine, arguments.package)


def _measure(arguments: argparse.Namespace) -> int:
    store = Store(cache_folder())
    names = list(QUICK) if arguments.quick else arguments.only.split(",") if arguments.only else []
    try:
        chosen = scenarios(arguments.scenarios, names)
    except KeyError as error:
        raise UserError(f"{arguments.scenarios}: no scenario {error}") from None
    kernel = _kernel(arguments, store)
    print(f"kernel {kernel.version}, {kernel.machine}, {len(chosen)} scenarios", file=sys.stderr)
    measurements = measure(chosen, kernel, store, arguments.boot, arguments.kvm)
    rows = [row(measurement, kernel.line) for measurement in measurements]
    for measurement in measurements:
        for note in measurement.notes:
            print(f"{measurement.scenario.name}: {note}", file=sys.stderr)
        written = sum(rule.startswith(("-a", "-A", "-w")) for rule in measurement.scenario.rules)
        if measurement.held is not None and measurement.held != written:
            print(
                f"{measurement.scenario.name}: the kernel holds {measurement.held} of {written} rules", file=sys.stderr
            )
    if arguments.output:
        old = _rows(arguments.output) if arguments.output.exists() else []
        arguments.output.write_text(text(merged(old, rows)), encoding="utf-8")
    if arguments.compare:
        print(comparison.differences(comparison.cells(rows, _rows(arguments.compare), kernel.line)))
    if not arguments.output and not arguments.compare:
        print(text(rows), end="")
    return 0


def _rules(arguments: argparse.Namespace) -> int:
    store = Store(cache_folder())
    files = [path for path in (arguments.file, arguments.against) if path]
    chosen = [scenario_of("none", "", arguments)]
    texts = []
    for number, path in enumerate(files):
        try:
            content = path.read_text(encoding="utf-8", errors="surrogateescape")
        except OSError as error:
            raise UserError(f"{path}: {error.strerror}") from None
        texts.append(content)
        chosen.append(scenario_of(f"file{number}", content, arguments))
    kernel = _kernel(arguments, store)
    # A rule set may lock itself: each has a boot of its own.
    paths = named_paths("\n".join(texts))
    measured = [measure([scenario], kernel, store, arguments.boot, arguments.kvm, paths)[0] for scenario in chosen]
    names = ["no rules", *map(str, files)]
    if arguments.format == "json":
        print(
            json.dumps(
                {"kernel": kernel.version, "machine": kernel.machine, **comparison.as_json(measured, names)}, indent=2
            )
        )
    else:
        print(f"Linux {kernel.version}, {kernel.machine}, auditctl {arguments.auditctl}: instructions per operation")
        print(comparison.side_by_side(measured, names))
    return 0


def _fit(arguments: argparse.Namespace) -> int:
    if not arguments.file.is_file():
        raise UserError(f"{arguments.file}: no such file")
    if not arguments.add:
        return fit.check(arguments.file, arguments.write, arguments.tables)
    version, since = arguments.version or arguments.add, arguments.since or arguments.add
    fit.add_line(fit.read(arguments.file), arguments.add, version, since, arguments.tables)
    return 0


def _events(arguments: argparse.Namespace) -> int:
    store = Store(cache_folder())
    sets = events.recorded(arguments.file, arguments.kernel)
    if arguments.quick:
        sets = sets[: events.QUICK_SETS]
    kernel = _kernel(arguments, store)
    table, differing = events.report(sets, events.perform(sets, kernel, store))
    print(f"Linux {kernel.version}, {kernel.machine}")
    print(table)
    return 1 if differing else 0


def _rows(path: Path) -> list[dict]:  # type: ignore[type-arg]
    try:
        with path.open(encoding="utf-8") as file:
            return [json.loads(line) for line in file]
    except OSError as error:
        raise UserError(f"{path}: {error.strerror}") from None
    except ValueError as error:
        raise UserError(f"{path}: no measurements file: {error}") from None


def main(argv: list[str] | None = None) -> int:
    """Runs a command: 0, or 2 with one line on standard error."""
    arguments = _parser().parse_args(argv)
    try:
        status: int = arguments.run(arguments)
    except UserError as error:
        print(f"laboratory: {error}", file=sys.stderr)
        return 2
    return status


if __name__ == "__main__":
    sys.exit(main())
