"""Which symbols a slice has: the recorded ones and what they depend on, cut where that no longer matters."""

from __future__ import annotations

import heapq
from typing import Any

from tools.kconfig_slices.expressions import Y, all_of, names_in
from tools.kconfig_slices.facts import definition, mentions

REACH = 3.0
"""How far from the recorded symbols the cut is. A step to a symbol with a prompt costs 1: a file that wants it says so.
What has no prompt follows from others and costs less, and so does what selects the symbol at hand. Symbols that need
not be exact start with a handicap."""
PROMPT_STEP, PLAIN_STEP, HEAD_START = 1.0, 0.5, 1.0
EXACT = ("audit", "lsm")


def cone(facts: Any, wanted: Any, reach: Any) -> Any:
    """The symbols within reach of the wanted ones: whole definitions, and the edges around them."""
    choice_of = {member: choice for choice in facts.choices for member in choice["members"]}

    def selecting(name: Any) -> Any:
        return {source for source, _ in facts.sources(name)} & facts.order.keys()

    def near(name: Any) -> Any:
        found = set(mentions(facts.get(name)))
        for source, names in facts.sources(name):
            found.add(source)
            found |= names
        choice = choice_of.get(name)
        if choice is not None:
            found |= set(choice["members"]) | names_in(choice["prompt"])
            for _, guard in choice["defaults"]:
                found |= names_in(guard)
        return found & facts.order.keys()

    todo = [(0 if group in EXACT else HEAD_START, name) for name, group in wanted.items() if name in facts.order]
    heapq.heapify(todo)
    whole = {}
    while todo:
        cost, name = heapq.heappop(todo)
        if name in whole:
            continue
        whole[name] = cost
        selectors = selecting(name)
        for other in near(name) - whole.keys():
            prompt = any(d["prompt"] is not None for d in facts.get(other)["defs"])
            step = PROMPT_STEP if prompt and other not in selectors else PLAIN_STEP
            if cost + step <= reach:
                heapq.heappush(todo, (cost + step, other))
    edges = {other for name in whole for other in near(name)} - whole.keys()
    kept = {}
    for name in sorted(whole.keys() | edges, key=facts.order.__getitem__):
        symbol = facts.get(name)
        if name in whole:
            kept[name] = symbol
            continue
        kept[name] = {**symbol, "edge": True, "defs": edge(symbol, whole, whole.keys() | edges)}
    for choice in facts.choices:
        choice["members"] = [name for name in choice["members"] if name in kept]
    return kept, [choice for choice in facts.choices if any(name in whole for name in choice["members"])]


def edge(symbol: Any, whole: Any, kept: Any) -> Any:
    """The definitions of a symbol at the cut: conditions on what lies behind it count as met."""
    value = symbol["value"]
    plain = symbol["type"] in ("bool", "tristate")
    given = [] if value in ("n", None, '""') else [(("const", value if plain else value.strip('"')), Y)]
    defs = []
    for d in symbol["defs"]:
        terms = d["dep"][1] if d["dep"][0] == "and" else [d["dep"]]
        met = all(names_in(e) <= kept for pair in d["defaults"] for e in pair)
        selects = [(target, guard) for target, guard in d["selects"] if target in whole]
        implies = [(target, guard) for target, guard in d["implies"] if target in whole]
        defs.append(
            definition(
                None if d["prompt"] is None else d["prompt"] if names_in(d["prompt"]) <= kept else Y,
                all_of([term for term in terms if names_in(term) <= kept]),
                d["defaults"] if met else given,
                selects,
                implies,
            )
        )
    return defs
