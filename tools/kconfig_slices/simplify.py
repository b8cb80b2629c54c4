"""Folding what is constant for an architecture, and leaving out what nothing needs then."""

from __future__ import annotations

import re
from typing import Any

from tools.kconfig_slices.expressions import N, Y, all_of, names_in, replace
from tools.kconfig_slices.facts import definition, mentions

NUMBER = re.compile(r"-?\d+|0x[0-9a-fA-F]+")
"""An unquoted number is a symbol that is not defined and stands for its name."""


def simplify(symbols: Any, choices: Any, wanted: Any) -> Any:
    """Constants folded, what nothing needs left out."""
    while True:
        chosen = {member for choice in choices for member in choice["members"]}
        reached = set()
        for symbol in symbols.values():
            for d in symbol["defs"]:
                reached |= {target for target, guard in d["selects"] + d["implies"] if guard != N}
        known = {}
        for name in (
            {name for symbol in symbols.values() for name in mentions(symbol)}
            | {
                name
                for s in symbols.values()
                for d in s["defs"]
                for _, g in d["selects"] + d["implies"]
                for name in names_in(g)
            }
            | {name for c in choices for g in [c["prompt"], *(g for _, g in c["defaults"])] for name in names_in(g)}
        ):
            if name not in symbols and not NUMBER.fullmatch(name):
                known[name] = "n"
        for name, symbol in symbols.items():
            if name in chosen or symbol["type"] not in ("bool", "tristate"):
                continue
            if any(d["prompt"] is not None and d["prompt"] != N and d["dep"] != N for d in symbol["defs"]):
                continue
            live = [(v, all_of([g, d["dep"]])) for d in symbol["defs"] for v, g in d["defaults"]]
            live = [(value, guard) for value, guard in live if guard != N]
            if live and live[0][1] == Y and live[0][0] == Y:
                known[name] = "y"
            elif name not in reached and all(value == N for value, _ in live):
                known[name] = "n"
        before = repr((symbols, choices))
        bare = compared(symbols, choices)
        # A recorded symbol stays visible in conditions: explanations name it.
        known = {n: v for n, v in known.items() if (n in symbols and n not in wanted) or n not in bare | symbols.keys()}
        symbols = {name: fold(symbol, known, symbols) for name, symbol in symbols.items()}
        for choice in choices:
            choice["prompt"] = replace(choice["prompt"], known)
            choice["defaults"] = [(member, replace(guard, known)) for member, guard in choice["defaults"]]
        needed = closure(symbols, choices, wanted)
        symbols = {name: symbol for name, symbol in symbols.items() if name in needed}
        choices = [choice for choice in choices if any(name in symbols for name in choice["members"])]
        if repr((symbols, choices)) == before:
            return symbols, choices


def compared(symbols: Any, choices: Any) -> Any:
    """Names that stand in a comparison: an undefined one there is its own name, not n."""
    found = set()

    def visit(e: Any) -> None:
        if e[0] in ("=", "!=", "<", ">", "<=", ">="):
            found.update(names_in(e))
        elif e[0] == "not":
            visit(e[1])
        elif e[0] in ("and", "or"):
            for part in e[1]:
                visit(part)

    for symbol in symbols.values():
        for d in symbol["defs"]:
            for e in (d["prompt"] or Y, d["dep"], *(e for pair in d["defaults"] for e in pair)):
                visit(e)
            for _, guard in d["selects"] + d["implies"]:
                visit(guard)
    for choice in choices:
        visit(choice["prompt"])
    return found


def fold(symbol: Any, known: Any, symbols: Any) -> Any:
    defs = []
    for d in symbol["defs"]:
        dep = replace(d["dep"], known)
        prompt = None if d["prompt"] is None else replace(d["prompt"], known)
        folded = definition(
            prompt,
            dep,
            [(replace(v, known), replace(g, known)) for v, g in d["defaults"]],
            [(t, replace(g, known)) for t, g in d["selects"] if t in symbols],
            [(t, replace(g, known)) for t, g in d["implies"] if t in symbols],
        )
        folded["prompt"] = None if folded["prompt"] == N or dep == N else folded["prompt"]
        for kind in ("defaults", "selects", "implies"):
            folded[kind] = [] if dep == N else [(t, g) for t, g in folded[kind] if g != N]
        defs.append(folded)
    live = [d for d in defs if d["dep"] != N]
    return {**symbol, "defs": live or defs[:1]}


def closure(symbols: Any, choices: Any, wanted: Any) -> Any:
    sources: dict[Any, Any] = {}
    for name, symbol in symbols.items():
        for d in symbol["defs"]:
            for target, guard in d["selects"] + d["implies"]:
                sources.setdefault(target, []).append((name, guard))
    choice_of = {member: choice for choice in choices for member in choice["members"]}
    needed, todo = set(), [name for name in wanted if name in symbols]
    while todo:
        name = todo.pop()
        if name in needed:
            continue
        needed.add(name)
        todo.extend(n for n in mentions(symbols[name]) if n in symbols)
        for source, guard in sources.get(name, ()):
            todo.append(source)
            todo.extend(n for n in names_in(guard) if n in symbols)
        choice = choice_of.get(name)
        if choice is not None:
            todo.extend(choice["members"])
            todo.extend(n for n in names_in(choice["prompt"]) if n in symbols)
            todo.extend(n for _, g in choice["defaults"] for n in names_in(g) if n in symbols)
    return needed
