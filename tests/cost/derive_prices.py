"""Computes rulesets/cost/prices.tsv and bases.tsv again from the measurements.

    python -m tests.cost.derive_prices [MEASUREMENTS] [--write]

Without --write it prints what differs by more than 0.05 instructions and exits 1 when anything does.
"""

from __future__ import annotations

import ast
import json
import operator
import sys
from pathlib import Path
from statistics import median

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
    """Scenario, kernel, operation: instructions."""
    with path.open(encoding="utf-8") as file:
        return {row["scenario"]: row["instructions"] for row in map(json.loads, file)}


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


def evaluate(formula: str, kernel: str, measured: Measured, base: dict[str, list[float]], known: dict[str, float]):
    """The value of a formula of prices.tsv."""
    columns = {"off": 0, "on": 1, "first": 2, "marks": 3}

    def value(node: ast.AST) -> float:
        match node:
            case ast.Expression(body=body):
                return value(body)
            case ast.BinOp(left=left, op=op, right=right):
                return _OPERATORS[type(op)](value(left), value(right))
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


def derive(measured: Measured, lines: list[str]) -> tuple[list[str], list[str]]:
    """The lines of prices.tsv with their numbers, and the rows of bases.tsv."""
    base = {kernel: bases(measured, kernel) for kernel in KERNELS}
    known: dict[str, dict[str, float]] = {kernel: {} for kernel in KERNELS}
    out = []
    for line in lines:
        if line.startswith("#") or not line.strip():
            out.append(line)
            continue
        name, *_, formula, meaning = line.split("\t")
        for number, kernel in enumerate(KERNELS):
            if formula.startswith("="):
                known[kernel][name] = known[kernel][formula[1:]]
            elif formula.replace(" ", "").isdigit():
                known[kernel][name] = float(formula.split()[number])
            else:
                known[kernel][name] = evaluate(formula, kernel, measured, base[kernel], known[kernel])
        numbers = [f"{known[kernel][name]:.1f}".removesuffix(".0").replace("-0", "0") for kernel in KERNELS]
        numbers = [f"{round(known[kernel][name], 1) + 0.0:.1f}".removesuffix(".0") for kernel in KERNELS]
        out.append("\t".join([name, *numbers, formula, meaning]))
    table = [
        "\t".join([operation, kernel, *(f"{x:.1f}".removesuffix(".0") for x in base[kernel][operation])])
        for operation in OPERATIONS
        for kernel in KERNELS
    ]
    return out, table


def main(argv: list[str]) -> int:
    write = "--write" in argv
    paths = [word for word in argv if not word.startswith("-")]
    measured = read(Path(paths[0]) if paths else ROOT.parent / "shared" / "cost" / "measurements.jsonl")
    prices, base = DATA / "prices.tsv", DATA / "bases.tsv"
    old = prices.read_text(encoding="utf-8").splitlines()
    old_base = base.read_text(encoding="utf-8").splitlines()
    comments = [line for line in old_base if line.startswith("#")]
    new, table = derive(measured, old)
    if write:
        prices.write_text("\n".join(new) + "\n", encoding="utf-8")
        base.write_text("\n".join(comments + table) + "\n", encoding="utf-8")
        return 0
    differences = [f"- {a}\n+ {b}" for a, b in zip(old + old_base, new + comments + table, strict=True) if a != b]
    print("\n".join(differences) or "prices.tsv and bases.tsv follow from the measurements")
    return 1 if differences else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
