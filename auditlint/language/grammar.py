"""Runs the LALR table of grammars/rule.lark over the tokens of one line."""

from __future__ import annotations

from binascii import crc32
from functools import cache

from auditlint.data import read_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    Actions = dict[str, tuple[int, int]]
    Table = tuple[list[Actions], list[tuple[str, int]]]

GRAMMAR = "grammars/rule.lark"
TABLE = "grammars/rule.table.tsv"
SHIFT, REDUCE, ACCEPT = 0, 1, 2
_CODES = {"s": SHIFT, "r": REDUCE, "a": ACCEPT}


def digest(grammar: str) -> str:
    """What ties a table to the text of its grammar (it guards against a stale table, not against malice)."""
    return f"{crc32(grammar.encode()):08x}"


def read_table(text: str) -> Table:
    """Actions of every state by symbol, and the rules (name and length), from the text of a table."""
    states: list[Actions] = []
    rules = []
    for line in text.split("\n"):
        head, *cells = line.split("\t")
        if head == "state":
            actions = {}
            for cell in cells:
                symbol, _, action = cell.partition("=")
                actions[symbol] = _CODES[action[0]], int(action[1:] or 0)
            states.append(actions)
        elif head == "rule":
            rules.append((cells[0], int(cells[1])))
    return states, rules


@cache
def table() -> Table:
    """The shipped table when it belongs to the grammar, else one that Lark compiles now."""
    grammar = read_text(GRAMMAR)
    try:
        text = read_text(TABLE)
    except FileNotFoundError:
        text = ""
    if f"\ndigest\t{digest(grammar)}\n" not in text:
        from auditlint.language.compile_grammar import compile_table

        text = compile_table(grammar)
    return read_table(text)


def parse(types: Sequence[str], values: Sequence[Any]) -> list[Any]:
    """The nodes of a line: `(rule, child, ...)` for each part, in order. The children of a part are token values.

    Rules whose names begin with an underscore are spliced into their parent, as in Lark. `types` ends with `$END`.
    Raises KeyError for a sequence of tokens that the lexer does not make.
    """
    states, rules = table()
    stack = [0]
    nodes: list[Any] = []
    at = 0
    symbol = types[0]
    while True:
        actions = states[stack[-1]]
        code, number = actions.get(symbol) or actions["*"]
        if code == SHIFT:
            stack.append(number)
            nodes.append(values[at])
            at += 1
            symbol = types[at]
        elif code == REDUCE:
            name, length = rules[number]
            node: list[Any] | tuple[Any, ...]
            if name[0] == "_" or name == "line":
                node = []
                for child in nodes[-length:] if length else ():
                    if type(child) is not list:
                        node.append(child)
                    elif node:
                        node += child
                    else:
                        node = child
            else:
                children = nodes[-length:]
                node = (name, *children[0], *children[1:]) if type(children[0]) is list else (name, *children)
            if length:
                del stack[-length:], nodes[-length:]
            if name == "line":
                return node  # type: ignore[return-value]
            stack.append(states[stack[-1]][name][1])
            nodes.append(node)
        else:  # pragma: no cover - reached only through the start symbol, which returns above
            raise AssertionError(symbol)
