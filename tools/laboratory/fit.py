"""Prices from measurements: rulesets/cost/prices.tsv, bases.tsv and events.tsv follow from them by formulas.

The formula of a price stands in the column `from` of prices.tsv.
"""

from __future__ import annotations

import ast
import json
import operator
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from auditlint.core.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Sequence

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "rulesets" / "cost"
KERNELS = ("5.10", "6.1", "6.12")
CALLS = {"creat_unlink": 3, "fork": 3, "exec": 4, "open": 2, "open_w": 2, "open_deep": 2}
CALLS |= {"open_watch": 2, "open_watch_w": 2}
OPERATIONS = [
    "getppid",
    "close_bad",
    "access_ok",
    "access_fail",
    "open",
    "open_w",
    "open_fail",
    "open_deep",
    "open_watch",
    "open_watch_w",
    "read",
    "write",
    "stat",
    "fstat",
    "chmod",
    "kill0",
    "creat_unlink",
    "fork",
    "exec",
]
OFF = ("audit0", "dflt_never_enabled", "never_task", "never_task_miss75")
ON = ("base_norules", "base_norules_rep", "exclude_30", "user_30", "fs_2")
MISS = {"miss_1": 1, "miss_2": 2, "miss_5": 5, "miss_10": 10, "miss_25": 25, "miss_50_rep": 50, "miss_50_auid1000": 50}
MISS |= {"miss_75": 75, "miss_150": 150, "miss_300": 300}
EXE = {"fail_exe_10": 10, "fail_exe_30": 30, "hit50_exe": 50}
MARKED = ("open", "open_w", "open_deep", "open_watch", "open_watch_w", "chmod", "creat_unlink")
"""Operations whose files carry notification marks: a successful open, a change of attributes or of a directory."""
_OPERATORS = {ast.Add: operator.add, ast.Sub: operator.sub, ast.Mult: operator.mul, ast.Div: operator.truediv}

Measured = dict[str, dict[str, dict[str, float]]]


def read(path: Path) -> Measured:
    """Scenario, kernel, operation: instructions. A .json file holds one kernel line (tools/laboratory/measured)."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".json":
        table = json.loads(text)
        return {scenario: {table["line"]: costs} for scenario, costs in table["instructions"].items()}
    return {row["scenario"]: row["instructions"] for row in map(json.loads, text.splitlines())}


def bases(measured: Measured, kernel: str) -> dict[str, list[float]]:
    """Per operation: off, on, first, marks, user, noise, as the header of bases.tsv explains them."""

    def total(scenario: str, operation: str) -> float:
        return measured[scenario][kernel][operation]

    mask = (total("miss_300", "getppid") - total("miss_50_rep", "getppid")) / 250
    head = total("miss_1", "getppid") - total("never_task_forked_before", "getppid") - mask
    enter_exe = (total("fail_exe_30", "getppid") - total("never_task_forked_before", "getppid") - head) / 30
    found = {}
    for operation in OPERATIONS:
        calls = CALLS.get(operation, 1)
        off = [total(name, operation) for name in (OFF[:2] if operation.startswith("open_watch") else OFF)]
        # One rule of the exclude, user or filesystem list already makes a kill dearer.
        on = [total(name, operation) for name in (ON[:2] if operation == "kill0" else ON)]
        first = [total(name, operation) - calls * (head + n * mask) for name, n in MISS.items()]
        first.append(total("never_task_forked_before", operation))
        marks = 0.0
        if operation in MARKED:
            with_marks = [total(name, operation) - calls * (head + n * enter_exe) for name, n in EXE.items()]
            marks = median(with_marks) - median(first)
        noise = max(max(abs(value - median(group)) for value in group) for group in (off, on, first))
        user = total("base_norules_user", operation)
        found[operation] = [round(x, 1) for x in (median(off), median(on), median(first), marks, user, noise)]
    return found


def evaluate(
    formula: str, kernel: str, measured: Measured, base: dict[str, list[float]], known: dict[str, float]
) -> Any:
    """The value of a formula of prices.tsv."""
    columns = {"off": 0, "on": 1, "first": 2, "marks": 3}

    def value(node: ast.AST) -> float:
        match node:
            case ast.Expression(body=body):
                return value(body)
            case ast.BinOp(left=left, op=op, right=right):
                return float(_OPERATORS[type(op)](value(left), value(right)))
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                return -value(operand)
            case ast.Constant(value=int() | float() as number):
                return number
            case ast.Name(id=name) if name in known:
                return known[name]
            case ast.Name(id=name):
                return measured[name][kernel]["getppid"]
            case ast.Attribute(value=ast.Name(id=name), attr=operation):
                return measured[name][kernel][operation]
            case ast.Call(func=ast.Name(id="median"), args=args):
                return median(map(value, args))
            case ast.Call(func=ast.Name(id=name), args=[ast.Name(id=operation)]) if name in columns:
                return base[operation][columns[name]]
        raise ValueError(f"not understood: {formula}")

    return value(ast.parse(formula, mode="eval"))


def derive(measured: Measured, lines: list[str], kernels: Sequence[str] = KERNELS) -> tuple[list[str], list[str]]:
    """The lines of prices.tsv with their numbers, and the rows of bases.tsv.

    `kernels` are the columns. A kernel that the lines do not have yet gets its column after the others; where its
    price is a given number and no formula, it takes that of the kernel before it.
    """
    base = {kernel: bases(measured, kernel) for kernel in kernels}
    known: dict[str, dict[str, float]] = {kernel: {} for kernel in kernels}
    out = []
    for line in lines:
        if line.startswith("# name\t"):
            line = "\t".join(["# name", *kernels, "from", "meaning"])
        if line.startswith("#") or not line.strip():
            out.append(line)
            continue
        name, *_, formula, meaning = line.split("\t")
        given = formula.replace(" ", "").isdigit()
        if given:
            constants = formula.split()
            constants += constants[-1:] * (len(kernels) - len(constants))
            formula = " ".join(constants)
        for number, kernel in enumerate(kernels):
            if formula.startswith("="):
                known[kernel][name] = known[kernel][formula[1:]]
            elif given:
                known[kernel][name] = float(constants[number])
            else:
                known[kernel][name] = evaluate(formula, kernel, measured, base[kernel], known[kernel])
        numbers = [f"{round(known[kernel][name], 1) + 0.0:.1f}".removesuffix(".0") for kernel in kernels]
        out.append("\t".join([name, *numbers, formula, meaning]))
    table = [
        "\t".join([operation, kernel, *(f"{x:.1f}".removesuffix(".0") for x in base[kernel][operation])])
        for operation in OPERATIONS
        for kernel in kernels
    ]
    return out, table


def record_prices(measured: Measured, kernel: str) -> dict[tuple[str, str], float]:
    """What a record costs, by its type and the state of the daemon, as the column `from` of events.tsv says."""

    def added(scenario: str, operation: str) -> float:
        return measured[scenario][kernel][operation] - measured["miss_1"][kernel][operation]

    with_reader = added("event_drain", "stat")
    proctitle = added("event_drain", "stat") - added("event_excluded_proctitle", "stat")
    key = added("event_drain", "stat") - added("event_drain_nokey", "stat")
    out: dict[tuple[str, str], float] = {}
    for state, scenario in (("reader", "event_drain"), ("none", "event_nodaemon"), ("limited", "event_nodaemon_r1")):
        event = added(scenario, "close_bad")
        of_title = proctitle * (added(scenario, "stat") / with_reader)
        with_path = added(scenario, "stat") - event
        path = (added(scenario, "creat_unlink") - 3 * event - 2 * with_path) / 2
        out["SYSCALL", state] = event - of_title - key
        out["PROCTITLE", state] = of_title
        out["CWD", state] = with_path - path
        out["PATH", state] = path
        out["EXECVE", state] = added(scenario, "exec") - added(scenario, "stat")
        out["key", state] = key
    return out


def records(measured: Measured, lines: list[str], kernel: str) -> list[str]:
    """The lines of events.tsv with a column for a kernel before the last one; rounded to hundreds, `key` to ones."""
    prices = record_prices(measured, kernel)
    out = []
    for line in lines:
        cells = line.split("\t")
        if line.startswith("# record"):
            cells.insert(-1, kernel)
        elif not line.startswith("#"):
            price = prices[cells[0], cells[1]]
            cells.insert(-1, f"{price:.0f}" if cells[0] == "key" else f"{round(price, -2):.0f}")
        out.append("\t".join(cells))
    return out


def add_line(measured: Measured, kernel: str, version: str, since: str, folder: Path = DATA) -> None:
    """Adds the columns and rows of a new kernel line to the tables of a folder; the other columns stay as they are.

    `since` is the oldest kernel line that this one serves. Where a price is a given number and no formula, the new line
    takes that of the line before it. Raises UserError when the line is there already or was not measured.
    """
    table = (folder / "lines.tsv").read_text(encoding="utf-8").splitlines()
    if kernel in [line.split("\t")[0] for line in table]:
        raise UserError(f"{kernel} is in {folder / 'lines.tsv'} already; fit --write computes it again")
    missing = [name for name in (*ON, *OFF, *MISS, *EXE) if kernel not in measured.get(name, {})]
    if missing:
        raise UserError(f"not measured on {kernel}: {', '.join(missing)}")
    events = (folder / "events.tsv").read_text(encoding="utf-8").splitlines()
    old = (folder / "prices.tsv").read_text(encoding="utf-8").splitlines()
    old_base = (folder / "bases.tsv").read_text(encoding="utf-8").splitlines()
    last_only = ["\t".join(_last_given(line.split("\t"))) for line in old]
    fresh, rows = derive(measured, last_only, [kernel])
    prices = []
    for line, new in zip(old, fresh, strict=True):
        cells = line.split("\t")
        if line.startswith("# name\t"):
            cells.insert(-2, kernel)
        elif line.strip() and not line.startswith("#"):
            cells.insert(-2, new.split("\t")[1])
            if cells[-2].replace(" ", "").isdigit():
                cells[-2] += " " + cells[-2].split()[-1]
        prices.append("\t".join(cells))
    base = []
    for number, line in enumerate(old_base):
        base.append(line)
        operation = line.split("\t")[0]
        if not line.startswith("#") and not any(later.startswith(f"{operation}\t") for later in old_base[number + 1 :]):
            base += [row for row in rows if row.startswith(f"{operation}\t")]
    _write(folder / "events.tsv", records(measured, events, kernel))
    _write(folder / "prices.tsv", prices)
    _write(folder / "bases.tsv", base)
    *_, spread, share = table[-1].split("\t")
    _write(folder / "lines.tsv", [*table, "\t".join([kernel, since, version, spread, share])])


def _last_given(cells: list[str]) -> list[str]:
    """The cells of a row of prices.tsv with the last of the given numbers instead of one for each line."""
    if len(cells) > 2 and cells[-2].replace(" ", "").isdigit():
        return [*cells[:-2], cells[-2].split()[-1], cells[-1]]
    return cells


def _write(path: Path, lines: list[str]) -> None:
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


def check(path: Path, write: bool = False, folder: Path = DATA) -> int:
    """Computes prices.tsv and bases.tsv of a folder again; prints what differs, or writes them. 1 when they differ."""
    measured = read(path)
    prices, base = folder / "prices.tsv", folder / "bases.tsv"
    old = prices.read_text(encoding="utf-8").splitlines()
    old_base = base.read_text(encoding="utf-8").splitlines()
    comments = [line for line in old_base if line.startswith("#")]
    new, table = derive(measured, old)
    if write:
        _write(prices, new)
        _write(base, comments + table)
        return 0
    differences = [f"- {a}\n+ {b}" for a, b in zip(old + old_base, new + comments + table, strict=True) if a != b]
    print("\n".join(differences) or "prices.tsv and bases.tsv follow from the measurements")
    return 1 if differences else 0
