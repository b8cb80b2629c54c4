"""What one architecture defines: {name: {"type", "edge", "defs": [{prompt, dep, defaults, selects, implies}]}}, and its
choices; from a kernel tree, from a table of definitions, or from both."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

from auditlint.kconfig import engine, macros
from auditlint.kconfig.tree import Tree, Whole, kinds, variables
from tools.kconfig_slices.expressions import Y, names_in, parse, without


def definition(prompt: Any, dep: Any, defaults: Any, selects: Any, implies: Any) -> Any:
    return {
        "prompt": None if prompt is None else without(prompt, dep),
        "dep": dep,
        "defaults": [(value, without(guard, dep)) for value, guard in defaults],
        "selects": [(name, without(guard, dep)) for name, guard in selects],
        "implies": [(name, without(guard, dep)) for name, guard in implies],
    }


def from_table(table: Any, arch: Any) -> Any:
    def here(entry: Any) -> Any:
        return entry["arches"] == "all" or arch in entry["arches"]

    def guard(text: Any) -> Any:
        return parse(text) if text else Y

    symbols = {}
    for name, entries in table["symbols"].items():
        for entry in filter(here, entries):
            symbol = {"type": entry["type"], "edge": entry.get("edge", False)}
            if symbol["edge"]:
                default = entry["default"]
                value = default if entry["type"] in ("bool", "tristate") else (default or "").strip('"')
                given = [] if value in ("n", "", None) else [(("const", value), Y)]
                symbol["defs"] = [definition(Y if entry["prompt"] else None, Y, given, [], [])]
            else:
                symbol["defs"] = [
                    definition(
                        parse(d["prompt_if"]) if "prompt_if" in d else None,
                        guard(d.get("dep")),
                        [(parse(value), guard(condition)) for value, condition in d.get("defaults", ())],
                        [(target, guard(condition)) for target, condition in d.get("selects", ())],
                        [(target, guard(condition)) for target, condition in d.get("implies", ())],
                    )
                    for d in entry["defs"]
                ]
            symbols[name] = symbol
    choices = [
        {
            "type": entry["type"],
            "optional": entry["optional"],
            "members": [name for name in entry["members"] if name in symbols],
            "prompt": parse(entry["defs"][0]["prompt_if"]),
            "defaults": [(value, guard(condition)) for value, condition in entry["defs"][0].get("defaults", ())],
        }
        for entry in filter(here, table["choices"])
    ]
    return symbols, choices


class LenientTree(Tree):
    """For trees that somebody has thinned out: a missing file is an empty one."""

    def glob(self, pattern: Any) -> Any:
        return super().glob(pattern) or [pattern]

    def text(self, name: Any) -> Any:
        try:
            return super().text(name)
        except engine.KconfigProblem:
            print(f"  missing: {name}", file=sys.stderr)
            return ""


class TreeFacts:
    """The definitions of a tree for one architecture, looked up as they are asked for."""

    def __init__(self, tree: Any, arch: Any) -> None:
        name, srcarch, subarch = kinds(arch)
        self.model = engine.load(
            Whole(tree), tree.top(srcarch), variables(name, srcarch, subarch, tree.release), macros.answer
        )
        self.model.configure([])
        self.order = {name: number for number, name in enumerate(self.model) if self.model.type(name) != "unknown"}
        self.looked: dict[Any, Any] = {}
        self.found: dict[Any, Any] = {}
        self.choices = [
            {
                "type": choice.type,
                "optional": choice.optional,
                "members": list(choice.members),
                "prompt": parse(str(choice.prompt)) if choice.prompt is not None else Y,
                "defaults": [(member, parse(str(guard))) for member, guard in choice.defaults],
            }
            for choice in self.model.choices()
        ]

    def get(self, name: Any) -> Any:
        if name not in self.found:
            self.looked[name] = self.model.look(name)
            self.found[name] = facts_of(self.looked[name])
        return self.found[name]

    def sources(self, name: Any) -> Any:
        """Who selects or implies it, with the names in the condition of that."""
        self.get(name)
        pairs = (*self.looked[name].selected, *self.looked[name].implied)
        return [(source, names_in(parse(str(guard)))) for source, guard in pairs]


class MergedFacts:
    """A table of definitions, and a tree of a near release for what the table leaves out."""

    def __init__(self, symbols: Any, choices: Any, tree: Any) -> None:
        self.table, self.tree = symbols, tree
        self.order = {name: number for number, name in enumerate([*tree.order, *(symbols.keys() - tree.order.keys())])}
        mine = {member for choice in choices for member in choice["members"]}
        self.choices = choices + [c for c in tree.choices if not mine & set(c["members"])]
        self.selectors: dict[Any, Any] = {}
        for name, symbol in symbols.items():
            for d in symbol["defs"]:
                for target, guard in d["selects"] + d["implies"]:
                    self.selectors.setdefault(target, []).append((name, names_in(guard) | names_in(d["dep"])))

    def whole(self, name: Any) -> Any:
        return name in self.table and not self.table[name]["edge"]

    def get(self, name: Any) -> Any:
        if self.whole(name) or name not in self.tree.order:
            more = {"allnoconfig_y": self.tree.get(name)["allnoconfig_y"]} if name in self.tree.order else {}
            return {"value": "n", **more, **self.table[name]}
        return self.tree.get(name)

    def sources(self, name: Any) -> Any:
        more = self.tree.sources(name) if name in self.tree.order else []
        return self.selectors.get(name, []) + [pair for pair in more if not self.whole(pair[0])]


def facts_of(symbol: Any) -> Any:
    return {
        "type": symbol.type,
        "edge": False,
        "value": symbol.value,
        "allnoconfig_y": symbol.allnoconfig_y,
        "defs": [
            definition(
                parse(str(place.prompt)) if place.prompt is not None else None,
                parse(str(place.depends)),
                [(parse(str(value)), parse(str(guard))) for value, guard in place.defaults],
                [(target, parse(str(guard))) for target, guard in place.selects],
                [(target, parse(str(guard))) for target, guard in place.implies],
            )
            for place in symbol.places
        ],
    }


def mentions(symbol: Any) -> Iterator[Any]:
    for d in symbol["defs"]:
        for e in (d["prompt"] or Y, d["dep"], *(e for pair in d["defaults"] for e in pair)):
            yield from names_in(e)
