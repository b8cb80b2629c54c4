"""Runs the LALR table of grammars/rule.lark over the tokens of one line."""

from __future__ import annotations

from functools import cache, lru_cache

from auditlint.auditctl.grammar_files import GRAMMAR, TABLE, digest
from auditlint.core.data import read_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, TypeAlias, TypeVar

    Value = TypeVar("Value")
    Rule: TypeAlias = "tuple[str, int, dict[int, int]]"
    """Name, length, and the state to go to by the state below."""
    State: TypeAlias = "Rule | dict[str, int | Rule]"
    """The one rule to reduce by, or by symbol the state to shift to or the rule to reduce by."""


def read_table(text: str) -> list[State]:
    """The states of a table, the start state first."""
    rules: list[Rule] = []
    states: list[State] = []
    for line in text.split("\n"):
        head, *cells = line.split("\t")
        if head == "rule":
            rules.append((cells[0], int(cells[1]), {}))
        elif head == "state":
            actions: dict[str, int | Rule] = {}
            for cell in cells:
                symbol, _, action = cell.partition("=")
                if action[0] == "r":
                    actions[symbol] = rules[int(action[1:])]
                elif action[0] == "s":
                    actions[symbol] = int(action[1:])
            only = actions.get("*")
            states.append(only if isinstance(only, tuple) else actions)
    for number, state in enumerate(states):
        if isinstance(state, dict):
            for name, _, below in rules:
                target = state.get(name)
                if isinstance(target, int):
                    below[number] = target
    return states


@cache
def table() -> list[State]:
    """The shipped table when it belongs to the grammar, else one that Lark compiles now."""
    grammar = read_text(GRAMMAR)
    try:
        text = read_text(TABLE)
    except FileNotFoundError:
        text = ""
    if f"\ndigest\t{digest(grammar)}\n" not in text:
        from auditlint.auditctl.compile_grammar import compile_table

        text = compile_table(grammar)
    return read_table(text)


def parts(types: Sequence[str], values: Sequence[Value]) -> list[tuple[str, Value]]:
    """The parts of a line in order: the name of each, and the value of its first token. Tokens that belong to no part
    stand for themselves. `types` ends with `$END`."""
    return [(name, values[at]) for name, at in _parts(tuple(types))]


@lru_cache(maxsize=512)
def _parts(types: tuple[str, ...]) -> tuple[tuple[str, int], ...]:
    """The parts with the number of their first token: most lines have the same kinds of tokens as another one."""
    nodes = parse(types, range(len(types)))
    return tuple((types[node], node) if isinstance(node, int) else (node[0], node[1]) for node in nodes)


def parse(types: Sequence[str], values: Sequence[Any]) -> list[Any]:
    """The nodes of a line: `(rule, child, ...)` for each part, in order. The children of a part are token values.

    Rules whose names begin with an underscore are spliced into their parent, as in Lark. `types` ends with `$END`.
    Raises KeyError for a sequence of tokens that the lexer does not make.
    """
    states = table()
    stack = [0]
    nodes: list[Any] = []
    at = 0
    state = states[0]
    while True:
        action: int | Rule
        if type(state) is dict:
            action = state[types[at]]
            if type(action) is int:
                stack.append(action)
                nodes.append(values[at])
                at += 1
                state = states[action]
                continue
        else:
            action = state  # type: ignore[assignment]
        name, length, below = action  # type: ignore[misc]
        if name == "line":
            return _spliced(nodes)
        if length == 2 and name[0] == "_" and type(nodes[-2]) is list and type(nodes[-1]) is tuple:
            child = nodes.pop()
            left: Any = nodes[-1]
            left.append(child)
        else:
            children = nodes[-length:]
            del nodes[-length:]
            nodes.append(_spliced(children) if name[0] == "_" else (name, *children))
        del stack[-length:]
        target = below[stack[-1]]
        stack.append(target)
        state = states[target]


def _spliced(children: list[Any]) -> list[Any]:
    """Children in one list, those of spliced rules (which are lists) in their place."""
    if children and type(children[0]) is list:
        node = children[0]
        rest = children[1:]
    else:
        node, rest = [], children
    for child in rest:
        if type(child) is list:
            node += child
        else:
            node.append(child)
    return node
