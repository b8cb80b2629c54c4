"""The shipped LALR table: made from the grammar, and the same trees as Lark's own parser gives."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lark import Token, Tree

from auditlint.auditctl import compile_grammar, grammar
from auditlint.auditctl.compile_grammar import compile_table, lark_parser
from auditlint.auditctl.grammar_files import GRAMMAR, TABLE
from auditlint.auditctl.lexer import split_words, tokens
from auditlint.auditctl.tables import options
from auditlint.core.data import data_path, read_text
from tests.package_copy import PackageCopy

LARK = lark_parser(read_text(GRAMMAR))


def ours(types: list[str]) -> list[Any]:
    """Our nodes over token numbers; tokens spliced into the line stand alone."""
    return grammar.parse(types, list(range(len(types))))


def theirs(types: list[str]) -> list[Any]:
    """Lark's tree in our form."""
    tree = LARK.parse([Token(kind, str(number)) for number, kind in enumerate(types[:-1])])
    return [_plain(child) for child in tree.children]


def _plain(node: Any) -> Any:
    return (node.data, *map(_plain, node.children)) if isinstance(node, Tree) else int(node)


def test_the_shipped_table_is_the_compiled_grammar() -> None:
    assert read_text(TABLE) == compile_table(read_text(GRAMMAR))


def test_trees_of_real_lines(shared: Path) -> None:
    seen = set()
    for path in sorted((shared / "corpus" / "rules").iterdir()):
        for line in path.read_bytes().decode("latin-1").split("\n"):
            words = split_words(line)
            if words and words[0][0][0] != "#":
                seen.add(tuple(tokens(words, options("4.2"))[0]))
    assert len(seen) > 100
    for types in seen:
        assert ours(list(types)) == theirs(list(types))


OPTIONS = [f"-{letter}" for letter in "awSFCkpbmqRtilDZ-"]
WORDS = [*OPTIONS, "x", "--signal", "--back=1", "--reset-lost", "-ix", "-", "exit,always"]


@given(st.lists(st.sampled_from(WORDS), min_size=1, max_size=8), st.sampled_from(["2.8.5", "3.0.9", "4.2"]))
def test_every_line_has_a_tree_and_it_is_larks(words: list[str], release: str) -> None:
    types, _ = tokens(split_words(" ".join(words)), options(release))
    assert ours(types) == theirs(types)


def test_what_the_lexer_does_not_make_is_an_error() -> None:
    with pytest.raises(KeyError):
        grammar.parse(["TEXT", "$END"], [0])


@pytest.fixture
def fresh_table() -> Iterator[None]:
    grammar.table.cache_clear()
    yield
    grammar.table.cache_clear()


@pytest.mark.usefixtures("fresh_table")
@pytest.mark.parametrize("present", [True, False])
def test_a_stale_or_missing_table_is_compiled(monkeypatch: pytest.MonkeyPatch, present: bool) -> None:
    shipped = grammar.read_table(read_text(TABLE))

    def read(name: str) -> str:
        if name == TABLE:
            if present:
                return "digest\t00000000\n"
            raise FileNotFoundError(name)
        return read_text(name)

    monkeypatch.setattr(grammar, "read_text", read)
    assert len(grammar.table()) == len(shipped)
    assert ours(["LIST", "TEXT", "WORD", "$END"]) == [("list", 0, 1), ("word", 2)]


def test_the_command_writes_the_table(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(compile_grammar, "data_path", lambda name: str(tmp_path / Path(name).name))
    compile_grammar.main()
    assert (tmp_path / "rule.table.tsv").read_text() == Path(data_path(TABLE)).read_text()


def test_the_parts_of_a_line_are_the_heads_of_its_tree() -> None:
    types, values = tokens(split_words("-w /a x -p wa --reset-lost y"), options("4.2"))
    nodes = grammar.parse(types, values)
    assert any(node[0] == "REST" for node in nodes)
    assert [part[1] for part in grammar.parts(types, values)] == [
        node if node[0] == "REST" else node[1] for node in nodes
    ]


def test_a_changed_grammar_changes_the_parser(tmp_path: Path) -> None:
    """The grammar is the definition: with the names of two parts exchanged in a copy, -p gives the key and -k the
    permissions, at once by a table that Lark makes, and after a rebuild by the table that is shipped."""
    copy = PackageCopy(tmp_path)

    def fields() -> object:
        done = copy.run("parse", "--no-settings", "-", stdin="-w /a -p r -k x\n")
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout.splitlines()[1])["rule"]["fields"]

    assert fields() == [["path", "=", "/a"], ["perm", "=", 4], ["key", "=", "x"]]
    grammar = tmp_path / GRAMMAR
    text = grammar.read_text(encoding="utf-8")
    text = re.sub(r"^key: KEY TEXT", "perm: KEY TEXT", text, flags=re.MULTILINE)
    text = re.sub(r"^perm: PERM TEXT", "key: PERM TEXT", text, flags=re.MULTILINE)
    grammar.write_text(text, encoding="utf-8")
    exchanged = [["path", "=", "/a"], ["perm", "=", 1], ["key", "=", "r"]]
    assert fields() == exchanged
    before = (tmp_path / TABLE).read_bytes()
    assert copy.python("-m", "auditlint.auditctl.compile_grammar").returncode == 0
    assert (tmp_path / TABLE).read_bytes() != before
    assert fields() == exchanged
