"""The lexer of a line: one regular expression for words, then what GNU getopt_long makes of them.

Text is handled as Latin-1, one character a byte, so that positions are byte offsets.
"""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import TypeAlias

    Word: TypeAlias = "tuple[str, int, int]"
    """Text as auditctl sees it, start and end in the piece."""

    Token: TypeAlias = "tuple[str, str, int, int, int, int, str | None, int]"
    """(type, name, start, end, argument start, argument end, argument, index of the next word).

    The name is that of the option, or the text of a word that belongs to none. Start and end cover the option as
    written with its argument; the argument is None, and its positions are -1, where there is none. For a letter
    glued behind another option the next word is the word itself.
    """

WORD = re.compile(r"(?:[^ \\]+|\\.?)+", re.DOTALL)
"""A word: anything but spaces; a backslash takes the next byte with it, even a space (src/auditctl.c, preprocess)."""

_ESCAPED = re.compile(r"\\([ \\])")
_MARKS = {" ": "\x07\x07", "\\": "\x04\x04"}


def _mark(text: str) -> str:
    """What preprocess() makes of escapes: two bytes 0x07 for a space, two bytes 0x04 for a backslash."""
    return _ESCAPED.sub(lambda found: _MARKS[found[1]], text)


def _unmark(text: str) -> str:
    """What postprocess() makes of the marks, and of such bytes in the input: the byte behind each is lost."""
    out = []
    at = 0
    while at < len(text):
        byte = text[at]
        if byte == "\x07" or byte == "\x04":
            out.append(" " if byte == "\x07" else "\\")
            at += 2
        else:
            out.append(byte)
            at += 1
    return "".join(out)


def split_words(piece: str) -> list[Word]:
    """The words of a piece. The first one keeps its escapes as marks, as in auditctl."""
    if "\\" not in piece and "\x07" not in piece and "\x04" not in piece:
        # what WORD finds without backslashes, three times as fast
        plain = []
        end = -1
        for text in piece.split(" "):
            start = end + 1
            end = start + len(text)
            if text:
                plain.append((text, start, end))
        return plain
    marked = [(_mark(found[0]), found.start(), found.end()) for found in WORD.finditer(piece)]
    return marked[:1] + [(_unmark(text), start, end) for text, start, end in marked[1:]]


def source_offset(raw: str, offset: int) -> int:
    """Where in the raw text of a word (not the first of its line) the character `offset` of its value begins."""
    marked = _mark(raw)
    at = 0
    for _ in range(offset):
        at += 2 if marked[at : at + 1] in ("\x07", "\x04") else 1
    return min(at, len(raw))


def tokens(words: Sequence[Word], options: Mapping[str, tuple[bool, str]]) -> tuple[list[str], list[Token]]:
    """Types and values of the tokens of a line; the types end with `$END`.

    Mirrors glibc getopt_long with permutation: words that belong to no option do not end the options. Behind an
    option that ends the line all words are REST.
    """
    types: list[str] = []
    values: list[Token] = []
    at = 0
    count = len(words)
    while at < count:
        token: Token
        text, start, end = words[at]
        at += 1
        if text[:1] != "-" or len(text) == 1:
            types.append("WORD")
            values.append(("WORD", text, start, end, -1, -1, None, at))
            continue
        if text[1] != "-":
            name = text[:2]
            found = options.get(name)
            if found is None:
                token = ("WRONG", name, start, end, -1, -1, None, at)
            elif not found[0]:
                token = (found[1], name, start, start + 2, -1, -1, None, at if len(text) == 2 else at - 1)
            elif len(text) > 2:
                types += found[1], "TEXT"
                token = (found[1], name, start, end, start + 2, end, text[2:], at)
                values += token, token
                if found[1] in ENDING:
                    break
                continue
            elif at < count:
                value, value_start, value_end = words[at]
                at += 1
                types += found[1], "TEXT"
                token = (found[1], name, start, value_end, value_start, value_end, value, at)
                values += token, token
                if found[1] in ENDING:
                    break
                continue
            else:
                token = ("WRONG", name, start, end, -1, -1, None, at)
        elif len(text) == 2:
            types.append("END")
            values.append(("END", text, start, end, -1, -1, None, at))
            for value, value_start, value_end in words[at:]:
                at += 1
                types.append("WORD")
                values.append(("WORD", value, value_start, value_end, -1, -1, None, at))
            break
        else:
            token = _long(words, at, options)
            if token[6] is not None:
                types += token[0], "TEXT"
                values += token, token
                at = token[7]
                if token[0] in ENDING:
                    break
                continue
        types.append(token[0])
        values.append(token)
        break
    rest = words[values[-1][7] if values else 0 :]
    if types and types[-1] not in ("WORD", "END"):
        for text, start, end in rest:
            types.append("REST")
            values.append(("REST", text, start, end, -1, -1, None, 0))
    types.append("$END")
    return types, values


ENDING = frozenset(("MESSAGE", "EQUIVALENT", "SIGNAL", "NESTED"))
"""Tokens with an argument behind which no word is read as an option."""


def _long(words: Sequence[Word], at: int, options: Mapping[str, tuple[bool, str]]) -> Token:
    """The token of the long option in the word before `at`: exact, or any unambiguous beginning of a name."""
    text, start, end = words[at - 1]
    name, equals, value = text.partition("=")
    if name not in options:
        matches = [option for option in options if option.startswith(name)]
        if len(matches) != 1:
            return "WRONG", name, start, end, -1, -1, None, at
        name = matches[0]
    takes, token = options[name]
    if equals and takes:
        # a value that was un-escaped is shorter than its source; the argument reaches to the end of the word
        return token, name, start, end, start + len(text) - len(value), end, value, at
    if equals:
        return "WRONG", name, start, end, -1, -1, None, at
    if not takes:
        return token, name, start, end, -1, -1, None, at
    if at < len(words):
        value, value_start, value_end = words[at]
        return token, name, start, value_end, value_start, value_end, value, at + 1
    return "WRONG", name, start, end, -1, -1, None, at
