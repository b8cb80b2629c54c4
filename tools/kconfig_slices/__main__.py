"""Writes `rulesets/kconfig/<line>.kconfig`: the Kconfig facts behind the recorded symbols of one kernel line.

    python -m tools.kconfig_slices --line 6.6 --tree DIR
        from an unpacked kernel tree
    python -m tools.kconfig_slices --line 7.3 --facts cone-7.3.json.gz [--tree DIR]
        from a table of definitions; what it leaves out comes from the tree of a near release

A slice has the recorded symbols (`rulesets/kconfig/recorded.tsv`) and what they depend on, cut where that no longer
matters: behind a cut a symbol keeps its type, whether it has a prompt, and the value its defaults give. Expressions
are simplified for each architecture (its own symbols are constant there), and what is equal for several architectures
is written once. Only names and relations are taken over; prompts and help texts are not.
"""

from __future__ import annotations

import argparse
import gzip
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from auditlint.core.data import rows
from auditlint.kconfig import engine
from auditlint.kconfig.tree import Tree
from tools.kconfig_slices.cut import REACH, cone
from tools.kconfig_slices.facts import LenientTree, MergedFacts, TreeFacts, from_table
from tools.kconfig_slices.simplify import simplify
from tools.kconfig_slices.writing import write

ROOT = Path(__file__).resolve().parent.parent.parent


def kinds_of(tree: Any, table: Any) -> Iterator[Any]:
    """The names of architectures that the table lists, or the tree has."""
    if table:
        yield from table["arches"]
        return
    for folder in tree.architectures():
        place = Path(tree.root, "arch", folder, "Kconfig")
        if not place.is_file():
            continue
        names = [row[0] for row in rows("kconfig/architectures.tsv") if row[2] == folder] or [folder]
        for name in names:
            if name not in ("parisc64", "sh64") or name in place.read_text(encoding="utf-8", errors="replace"):
                yield name


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--line", required=True)
    parser.add_argument("--tree")
    parser.add_argument("--source", help="what the header says the facts are from")
    parser.add_argument("--facts")
    parser.add_argument("--lenient", action="store_true", help="missing Kconfig files of the tree are empty")
    parser.add_argument("--reach", type=float, default=REACH)
    parser.add_argument("--only", nargs="*", help="only these architectures")
    parser.add_argument("--output", type=Path)
    options = parser.parse_args()
    wanted = dict(rows("kconfig/recorded.tsv"))
    table = None
    if options.facts:
        with gzip.open(options.facts, "rt", encoding="utf-8") as file:
            table = json.load(file)
    tree = (LenientTree if options.lenient else Tree)(options.tree) if options.tree else None
    facts = {}
    for arch in kinds_of(tree, table):
        if options.only and arch not in options.only:
            continue
        symbols, choices = from_table(table, arch) if table else ({}, [])
        if tree is not None:
            try:
                found = TreeFacts(tree, arch)
            except engine.KconfigProblem as problem:
                print(f"  {arch}: {problem}", file=sys.stderr)
                continue
            symbols, choices = cone(MergedFacts(symbols, choices, found) if table else found, wanted, options.reach)
        facts[arch] = simplify(symbols, choices, wanted)
    source = options.source or (
        Path(options.facts).name if table else f"a tree of Linux {tree.release if tree is not None else options.line}"
    )
    out = options.output or ROOT / "rulesets" / "kconfig" / f"{options.line}.kconfig"
    out.parent.mkdir(parents=True, exist_ok=True)
    write(options.line, source, facts, out)
    print(f"{out.name}: {len(facts)} architectures, {out.stat().st_size} bytes", file=sys.stderr)


if __name__ == "__main__":
    main()
