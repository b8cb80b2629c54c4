"""Where the grammar and its table are, and what ties one to the other."""

from __future__ import annotations

from binascii import crc32

GRAMMAR = "grammars/rule.lark"


TABLE = "grammars/rule.table.tsv"


def digest(grammar: str) -> str:
    """What ties a table to the text of its grammar (it guards against a stale table, not against malice)."""
    return f"{crc32(grammar.encode()):08x}"
