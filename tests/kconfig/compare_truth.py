"""Compares evaluations with the recorded truth, row by row, and lists every difference.

    python -m tests.kconfig.compare_truth [FILE...] [--tree LINE=DIR] [--configs LINE=DIR] [--explicit] [--quiet]

FILE are truth-*.jsonl, derived-*.jsonl.gz or fragments-*.jsonl.gz of the reference data (default: all). `--configs`
names a kernel tree whose defconfigs are the input of that line; without one, or for a row whose `explicit` does not
fit the file there, the row's `explicit` is the input: sound only as far as the defconfig says nothing else that
matters (EMBEDDED, TRACING, the CPUs of arm, ...), so such rows are counted apart. `--tree` evaluates with that tree.
"""

from __future__ import annotations

import argparse
import gzip
import json
import lzma
import os
import sys
import time
from collections import Counter
from pathlib import Path
from typing import Any

from auditlint.core.data import rows as table
from auditlint.core.source import Source
from auditlint.kconfig.config_file import read_config
from auditlint.kconfig.evaluate import Evaluator

ROOT = Path(__file__).resolve().parent.parent.parent

GROUPS = dict(table("kconfig/recorded.tsv"))


def load(path: Any) -> Any:
    opener = gzip.open if path.name.endswith(".gz") else open
    with opener(path, "rt", encoding="utf-8") as file:
        return [json.loads(line) for line in file]


def as_text(explicit: Any) -> str:
    return "".join(f"# CONFIG_{n} is not set\n" if v == "n" else f"CONFIG_{n}={v}\n" for n, v in explicit.items())


def arch_of(row: Any) -> Any:
    return "um-i386" if row["arch"] == "um" and row.get("subarch") == "i386" else row["arch"]


class Inputs:
    """The text of a row's configuration."""

    def __init__(self, configs: Any, debian: Any) -> None:
        self.configs = configs
        self.debian = debian

    def defconfig(self, line: Any, path: Any) -> Any:
        place = self.configs.get(line)
        file = Path(place, path) if place else None
        return file.read_bytes() if file is not None and file.is_file() else None

    def of(self, row: Any) -> Any:
        """Bytes, and whether they are the real file."""
        if row.get("distro_config"):
            file = Path(self.debian, row["distro_config"])
            if file.is_file():
                return lzma.decompress(file.read_bytes()), True
        elif row.get("defconfig"):
            data = self.defconfig(row["line"], row["defconfig"])
            if data is not None and self.fits(data, row):
                return data, True
        elif row["target"] in ("alldefconfig", "allnoconfig", "allyesconfig", "allmodconfig"):
            return b"", True
        return as_text(row["explicit"]).encode(), False

    def fits(self, data: Any, row: Any) -> Any:
        """Does the file say of the recorded symbols what the row's did?"""
        said = {}
        for assignment in read_config(Source("x_defconfig", data), kernel=row["line"]).assignments:
            if GROUPS.get(assignment.symbol, "known") != "known":
                said[assignment.symbol] = assignment.value
        return said == row["explicit"]


def parsed(path: Any, data: Any, line: Any) -> Any:
    return read_config(Source(path, data), kernel=line)


def evaluate_row(evaluator: Any, row: Any, inputs: Any, fragments: Any, tree: Any = None) -> Any:
    """(evaluation, real input?) of a truth or derived row, or of a fragment row."""
    line, arch = row["line"], arch_of(row)
    if "fragment" not in row:
        data, real = inputs.of(row)
        base = row["target"] if row["target"].startswith("all") else None
        name = row.get("defconfig") or row.get("distro_config") or "config"
        return evaluator.evaluate([parsed(name, data, line)], line, arch, base=base, tree=tree), real
    text = fragments[row["fragment"]]["text"].encode()
    kind, _, path = row["base"].partition(":")
    if kind in ("allnoconfig", "alldefconfig"):
        return evaluator.evaluate([parsed("x.config", text, line)], line, arch, base=kind, tree=tree), True
    under = inputs.defconfig(line, path)
    if under is None:
        return None, False
    if kind == "append":
        if not under.endswith(b"\n"):
            under += b"\n"
        return evaluator.evaluate([parsed(path, under + text, line)], line, arch, tree=tree), True
    base = parsed(path, under, line)
    return evaluator.evaluate([parsed("x.config", text, line)], line, arch, base=base, tree=tree), True


def differences(row: Any, evaluation: Any, fragment: Any) -> Any:
    """(symbol, wanted, got) of every value that is not as recorded, `dropped` included for fragments."""
    found = []
    for name, wanted in row["values"].items():
        got = evaluation.symbols[name].value if name in evaluation.symbols else "absent"
        if got != wanted and not (got is None and wanted == ""):
            found.append((name, wanted, got))
    if "fragment" not in row:
        found.extend((name, "absent", v.value) for name, v in evaluation.symbols.items() if name not in row["values"])
        return found
    asked = {name for name, _ in fragment["read_as"]} | {name for name, _ in fragment.get("read_as_6_12", ())}
    dropped = sorted({d.assignment.symbol for d in evaluation.dropped} & asked)
    if dropped != sorted(row["dropped"]):
        found.append(("dropped", sorted(row["dropped"]), dropped))
    return found


def compare(path: Any, evaluator: Any, inputs: Any, fragments: Any, trees: Any, quiet: Any, out: Any) -> Any:
    score: Any = Counter()
    start = time.process_time()
    for row in load(path):
        tree = trees.get(row["line"])
        evaluation, real = evaluate_row(evaluator, row, inputs, fragments, tree)
        if evaluation is None:
            score["rows left out"] += 1
            continue
        kind = "real" if real else "explicit"
        score[f"{kind} rows"] += 1
        wrong = differences(row, evaluation, fragments.get(row.get("fragment")))
        for name in row["values"]:
            score[f"{kind} {GROUPS.get(name, 'other')} values"] += 1
        if "fragment" in row:
            score[f"{kind} dropped values"] += 1
        for name, wanted, got in wrong:
            score[f"{kind} {GROUPS.get(name, 'dropped')} wrong"] += 1
            if not quiet:
                print(f"  {row['id']} [{kind}] {name}: {wanted!r} recorded, {got!r} evaluated", file=out)
    print(f"{path.name}: {time.process_time() - start:.1f} s", file=out)
    for kind in ("real", "explicit"):
        for group in ("audit", "lsm", "other", "dropped"):
            values, wrong = score[f"{kind} {group} values"], score[f"{kind} {group} wrong"]
            if values:
                share = 100 * (values - wrong) / values
                counts = f"{score[f'{kind} rows']:5} rows {values:7} values {wrong:5} differ"
                print(f"  {kind:8} {group:7} {counts}  {share:.3f} %", file=out)
    if score["rows left out"]:
        print(f"  left out, no base file here: {score['rows left out']}", file=out)
    return score


def main(argv: Any = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--shared", type=Path, default=ROOT.parent / "shared")
    parser.add_argument("--tree", action="append", default=[], metavar="LINE=DIR")
    parser.add_argument("--configs", action="append", default=[], metavar="LINE=DIR")
    parser.add_argument("--debian", type=Path, default=Path("/usr/src"))
    parser.add_argument("--explicit", action="store_true", help="use the explicit column even where a file is there")
    parser.add_argument("--quiet", action="store_true", help="no single differences")
    options = parser.parse_args(argv)
    from auditlint.kconfig.tree import Tree

    folder = options.shared / "kconfig"
    files = options.files or [
        path for kind in ("truth", "derived", "fragments") for path in sorted(folder.glob(f"{kind}-*.json*"))
    ]
    configs = {} if options.explicit else dict(pair.split("=", 1) for pair in options.configs)
    sources = Path(os.environ.get("AUDITLINT_LINUX", "/usr/src/linux-source-6.1"))
    if not options.explicit and (sources / "Kconfig").is_file():
        configs.setdefault("6.1", str(sources))
    trees = {line: Tree(path) for line, path in (pair.split("=", 1) for pair in options.tree)}
    fragments = json.loads((folder / "fragments.json").read_text(encoding="utf-8"))
    evaluator = Evaluator()
    inputs = Inputs(configs, options.debian if not options.explicit else Path("/nonexistent"))
    for path in files:
        compare(path, evaluator, inputs, fragments, trees, options.quiet, sys.stdout)


if __name__ == "__main__":
    main()
