"""Kconfig expressions as tuples.

("sym", X), ("const", text), ("not", e), ("and", [e]), ("or", [e]), (comparison, a, b).
"""

from __future__ import annotations

import re
from typing import Any

TOKEN = re.compile(r'\s*(<choice[^>]*>|&&|\|\||!=|<=|>=|[!()=<>]|"(?:[^"\\]|\\.)*"|[\w./-]+)')
Y, N = ("const", "y"), ("const", "n")


def parse(text: Any) -> Any:
    tokens = TOKEN.findall(text)
    at = 0

    def peek() -> Any:
        return tokens[at] if at < len(tokens) else None

    def take() -> Any:
        nonlocal at
        at += 1
        return tokens[at - 1]

    def either() -> Any:
        terms = [both()]
        while peek() == "||":
            take()
            terms.append(both())
        return any_of(terms)

    def both() -> Any:
        terms = [factor()]
        while peek() == "&&":
            take()
            terms.append(factor())
        return all_of(terms)

    def factor() -> Any:
        token = take()
        if token == "!":
            return negate(factor())
        if token == "(":
            inner = either()
            assert take() == ")", text
            return inner
        left = atom(token)
        if peek() in ("=", "!=", "<", ">", "<=", ">="):
            operator = take()
            return compare(operator, left, atom(take()))
        return left

    result = either()
    assert at == len(tokens), (text, tokens[at:])
    return result


def atom(token: Any) -> Any:
    if token[0] == '"':
        return ("const", re.sub(r"\\(.)", r"\1", token[1:-1]))
    if token.startswith("<choice"):
        return Y  # the choice's own condition is written on the choice
    return ("const", token) if token in ("y", "m", "n") else ("sym", token)


def all_of(terms: Any) -> Any:
    flat = []
    for term in terms:
        for part in term[1] if term[0] == "and" else [term]:
            if part == N:
                return N
            if part != Y and part not in flat:
                flat.append(part)
    if not flat:
        return Y
    return flat[0] if len(flat) == 1 else ("and", flat)


def any_of(terms: Any) -> Any:
    flat = []
    for term in terms:
        for part in term[1] if term[0] == "or" else [term]:
            if part == Y:
                return Y
            if part != N and part not in flat:
                flat.append(part)
    if not flat:
        return N
    return flat[0] if len(flat) == 1 else ("or", flat)


def negate(term: Any) -> Any:
    if term == Y:
        return N
    return Y if term == N else ("not", term)


def compare(operator: Any, left: Any, right: Any) -> Any:
    if left[0] == right[0] == "const" and operator in ("=", "!="):
        return Y if (left[1] == right[1]) == (operator == "=") else N
    return (operator, left, right)


def show(e: Any, inside: bool = False) -> Any:
    if e[0] == "const":
        return e[1] if e[1] in ("y", "m", "n") else '"' + e[1].replace("\\", "\\\\").replace('"', '\\"') + '"'
    if e[0] == "sym":
        return e[1]
    if e[0] == "not":
        return "!" + (show(e[1]) if e[1][0] == "sym" else f"({show(e[1])})")
    if e[0] in ("and", "or"):
        text = (" && " if e[0] == "and" else " || ").join(show(part, True) for part in e[1])
        return f"({text})" if inside else text
    return f"{show(e[1])} {e[0]} {show(e[2])}"


def names_in(e: Any) -> Any:
    if e[0] == "sym":
        return {e[1]}
    if e[0] == "const":
        return set()
    parts = e[1] if e[0] in ("and", "or") else e[1:]
    return set().union(*map(names_in, parts))


def replace(e: Any, known: Any) -> Any:
    """With the symbols of `known` as constants."""
    if e[0] == "sym":
        return ("const", known[e[1]]) if e[1] in known else e
    if e[0] == "const":
        return e
    if e[0] == "not":
        return negate(replace(e[1], known))
    if e[0] == "and":
        return all_of([replace(part, known) for part in e[1]])
    if e[0] == "or":
        return any_of([replace(part, known) for part in e[1]])
    return compare(e[0], replace(e[1], known), replace(e[2], known))


def without(e: Any, dep: Any) -> Any:
    """`e` without the terms that `dep` already demands."""
    demanded = dep[1] if dep[0] == "and" else [dep]
    parts = e[1] if e[0] == "and" else [e]
    return all_of([part for part in parts if part not in demanded])
