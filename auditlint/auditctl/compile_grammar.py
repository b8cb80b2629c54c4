"""Compiles grammars/rule.lark into the LALR table that is shipped beside it.

`python -m auditlint.auditctl.compile_grammar` rewrites grammars/rule.table.tsv. Importing Lark costs as much as
reading a rule set, so the table is made once and auditlint/auditctl/grammar.py runs it.
"""

from __future__ import annotations

from auditlint.auditctl.grammar_files import GRAMMAR, digest
from auditlint.core.data import data_path, read_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any


def lark_parser(grammar: str) -> Any:
    """Lark's own LALR parser for the grammar. It parses an iterable of Lark tokens instead of text."""
    from lark import Lark
    from lark.lexer import Lexer

    class Given(Lexer):
        def __init__(self, lexer_conf: Any) -> None:
            pass

        def lex(self, lexer_state: Any, parser_state: Any = None) -> Iterator[Any]:
            return iter(lexer_state)

    return Lark(grammar, parser="lalr", lexer=Given, start="line")


def compile_table(grammar: str) -> str:
    """The table as text: the digest of the grammar, the rules (name and length), the actions of each state.

    An action is the symbol, `s` and the state to go to, `r` and the rule to reduce by, or `a` to accept. A state
    whose only action is one reduction has it under `*`. States and rules are numbered in the order in which they
    are reached from state 0, so the text depends on the grammar alone.
    """
    from lark.parsers.lalr_analysis import Shift

    table = lark_parser(grammar).parser.parser._parse_table
    end = table.end_states["line"]
    numbers: dict[Any, int] = {table.start_states["line"]: 0}
    rules: dict[Any, int] = {}
    states = []
    waiting = list(numbers)
    for state in waiting:
        cells = []
        for symbol, (action, argument) in sorted(table.states[state].items()):
            if action is not Shift:
                cells.append(f"{symbol}=r{rules.setdefault(argument, len(rules))}")
            elif argument == end:
                cells.append(f"{symbol}=a")
            else:
                if argument not in numbers:
                    numbers[argument] = len(numbers)
                    waiting.append(argument)
                cells.append(f"{symbol}=s{numbers[argument]}")
        actions = {cell.partition("=")[2] for cell in cells}
        if len(actions) == 1 and next(iter(actions)).startswith("r"):
            cells = ["*=" + actions.pop()]
        states.append("\t".join(["state", *cells]))
    head = [
        "# LALR table of rule.lark, made by python -m auditlint.auditctl.compile_grammar; do not edit.",
        f"digest\t{digest(grammar)}",
    ]
    named = [f"rule\t{rule.origin.name}\t{len(rule.expansion)}" for rule in rules]
    return "\n".join([*head, *named, *states]) + "\n"


def main() -> None:
    """Write the table beside the grammar."""
    text = compile_table(read_text(GRAMMAR))
    path = data_path(GRAMMAR).removesuffix("rule.lark") + "rule.table.tsv"
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


if __name__ == "__main__":
    main()
