"""Kconfiglib behind one door: files in, values and definitions out. No type of Kconfiglib leaves this module.

Kconfiglib asks the process for its environment, for files, for a module with extra macros and for a shell. Here it
gets none of them: files come from a `Files`, variables from a mapping, and macros from a function that is given to it.
"""

from __future__ import annotations

import gc
import io
import re
from contextlib import contextmanager
from functools import cached_property
from types import SimpleNamespace

import kconfiglib as _lib  # type: ignore[import-untyped,unused-ignore]

from auditlint.core.frozen import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from typing import Any, Protocol

    class Files(Protocol):
        """Where Kconfig files come from. Names are relative to the top of the tree, with `/`."""

        def read(self, name: str) -> str:
            """The text; raises KconfigProblem when there is none."""

        def glob(self, pattern: str) -> list[str]:
            """The existing files that a `source` line names, sorted.

            An attribute `mentioned` is set to a function that gives the names used and not defined so far.
            """


STUBS = "auditlint.stubs"
"""A file that is in no tree: a `Files` that leaves files out defines there what these would define."""
MAX_EXPANSIONS = 200_000
"""Macro calls in one tree; Linux 6.1 makes about 3,000."""
MAX_EXPANDED = 100_000
"""Characters that one macro may grow to; the longest in Linux has about 300."""


_PLAIN = re.compile(r"(?!\d+$|0x)[A-Z0-9_a-z]+", re.A)


class KconfigProblem(Exception):
    """The Kconfig files cannot be read. The text is one line that names file and line."""


@dataclass(frozen=True, slots=True)
class Condition:
    """An expression and the value it had: `y`, `m` or `n`.

    `op` is `symbol`, `constant`, `choice`, `not`, `and`, `or`, or a comparison such as `=`; and/or have two or more
    `terms`, a comparison has two. `name` is set for symbols, constants and choices. The `value` of a symbol that is a
    string or a number is that string.
    """

    op: str
    value: str
    name: str = ""
    terms: tuple[Condition, ...] = ()

    def __str__(self) -> str:
        if self.op == "constant":
            return self.name if self.name in ("y", "m", "n") else f'"{self.name}"'
        if self.op == "symbol":
            return self.name
        if self.op == "choice":
            return "<choice>"
        if self.op == "not":
            inner = self.terms[0]
            return f"!({inner})" if inner.terms else f"!{inner}"
        if self.op in ("and", "or"):
            word = " && " if self.op == "and" else " || "
            return word.join(f"({term})" if term.op in ("and", "or") else str(term) for term in self.terms)
        return f"{self.terms[0]} {self.op} {self.terms[1]}"

    def symbols(self) -> Iterator[Condition]:
        """The symbols in it, left to right, repeated as they occur."""
        if self.op == "symbol":
            yield self
        for term in self.terms:
            yield from term.symbols()


@dataclass(frozen=True, slots=True)
class Place:
    """One definition of a symbol: where it stands, the condition of its prompt (None: no prompt) and its `depends on`
    with all that surrounds it. Defaults, selects and implies carry their own conditions."""

    file: str
    line: int
    prompt: Condition | None
    depends: Condition
    defaults: tuple[tuple[Condition, Condition], ...]
    selects: tuple[tuple[str, Condition], ...]
    implies: tuple[tuple[str, Condition], ...]


class Symbol:
    """A symbol with the state it has while the model is not configured anew; what is asked for is looked up then.

    `value` is as in a `.config`. `visible` is the upper bound of what a request can set (`n`: a request has no
    effect). `allnoconfig_y`: `make allnoconfig` sets it to y (EMBEDDED from 3.15 to 5.12).
    """

    def __init__(self, symbol: Any, value: str | None) -> None:
        self._lib = symbol
        self.name: str = symbol.name
        self.type = _TYPES.get(symbol.orig_type, "unknown")
        self.value = value
        self.visible: str = _lib.TRI_TO_STR[symbol.visibility]
        self.has_prompt: bool = any(node.prompt for node in symbol.nodes)
        self.allnoconfig_y: bool = symbol.is_allnoconfig_y

    @property
    def place(self) -> tuple[str, int]:
        """File and line of the first definition."""
        node = self._lib.nodes[0]
        return node.filename, node.linenr

    @cached_property
    def places(self) -> tuple[Place, ...]:
        """All definitions."""
        return tuple(_place(node) for node in self._lib.nodes)

    @cached_property
    def prompts(self) -> tuple[Condition, ...]:
        """The conditions of its prompts."""
        return tuple(_condition(node.prompt[1]) for node in self._lib.nodes if node.prompt)

    @cached_property
    def depends(self) -> Condition:
        """`depends on` of all definitions, with all that surrounds them."""
        return _condition(self._lib.direct_dep)

    @cached_property
    def defaults(self) -> tuple[tuple[Condition, Condition], ...]:
        """Values and conditions of the defaults, the first that holds counts."""
        return tuple((_condition(value), _condition(guard)) for value, guard in self._lib.defaults)

    @cached_property
    def selected(self) -> tuple[tuple[str, Condition], ...]:
        """The symbols that select it, and the condition of that."""
        return _sources(self._lib.rev_dep)

    @cached_property
    def implied(self) -> tuple[tuple[str, Condition], ...]:
        """The symbols that imply it, and the condition of that."""
        return _sources(self._lib.weak_rev_dep)

    @property
    def selecting(self) -> list[tuple[str, str]]:
        """The symbols that could select it, and how far each does so: n, m or y."""
        return _strengths(self._lib.rev_dep)

    @property
    def implying(self) -> list[tuple[str, str]]:
        """The same for implies."""
        return _strengths(self._lib.weak_rev_dep)

    @property
    def choice(self) -> tuple[str, ...]:
        """The members of its choice."""
        return tuple(member.name for member in self._lib.choice.syms) if self._lib.choice is not None else ()


@dataclass(frozen=True, slots=True)
class Choice:
    """A group of symbols of which one is y (or, for a tristate choice, several are m)."""

    type: str
    optional: bool
    members: tuple[str, ...]
    prompt: Condition | None
    defaults: tuple[tuple[str, Condition], ...]


@contextmanager
def _isolated(variables: Mapping[str, str], files: Files) -> Iterator[None]:
    """Kconfiglib without this process: its view of environment, modules and files is replaced while it parses."""

    def no_module(name: str) -> None:
        raise ImportError(name)  # kconfigfunctions.py of a hostile working directory

    def expand(text: str) -> str:
        for name in sorted(variables, key=len, reverse=True):
            text = text.replace(f"${{{name}}}", variables[name]).replace(f"${name}", variables[name])
        return text

    def own(name: str, default: str | None = None) -> str | None:
        return default  # settings of Kconfiglib itself, not variables that Kconfig files see

    host = SimpleNamespace(environ=variables, getenv=own, sep="/")
    replaced = {
        "os": host,
        "importlib": SimpleNamespace(import_module=no_module),
        "realpath": lambda path: "",
        "expandvars": expand,
        "iglob": lambda pattern: ["/" + name for name in files.glob(pattern[1:])],
    }
    before = {name: getattr(_lib, name) for name in replaced}
    vars(_lib).update(replaced)
    try:
        yield
    finally:
        vars(_lib).update(before)


class _Parser(_lib.Kconfig):  # type: ignore[misc]
    """Kconfiglib with our files and macros."""

    def __init__(self, files: Files, top: str, shell: Callable[[str], str]) -> None:
        self._files = files
        self._shell = shell
        self._expansions = 0
        if hasattr(files, "mentioned"):
            files.mentioned = self._undefined
        super().__init__(top, warn=False)

    def _undefined(self) -> list[str]:
        """Names that were used so far and not defined."""
        return [name for name, symbol in self.syms.items() if not symbol.nodes and _PLAIN.fullmatch(name)]

    def _open(self, filename: str, mode: str) -> io.StringIO:
        return io.StringIO(self._files.read(filename.removeprefix("/")))

    def _fn_val(self, args: list[str]) -> str:
        self._expansions += 1
        name = args[0]
        if self._expansions > MAX_EXPANSIONS:
            raise KconfigProblem(f"{self.filename}:{self.linenr}: too many macro calls")
        if name not in self.variables:
            if name == "shell":
                return self._shell(args[1] if len(args) == 2 else ",".join(args[1:]))
            if name in ("info", "warning-if"):
                return ""
        if sum(map(len, args)) > MAX_EXPANDED:  # a macro that calls itself with more and more
            raise KconfigProblem(f"{self.filename}:{self.linenr}: macro {name[:80]!r} grows beyond all bounds")
        value: str = super()._fn_val(args)
        if len(value) > MAX_EXPANDED:
            raise KconfigProblem(f"{self.filename}:{self.linenr}: macro {name!r} grows beyond all bounds")
        return value


def load(files: Files, top: str, variables: Mapping[str, str], shell: Callable[[str], str]) -> Model:
    """Parse the file `top` and all it sources.

    `variables` are the environment of the configuration program (ARCH, SRCARCH, ...); `shell` answers `$(shell,...)`.
    Raises KconfigProblem.
    """
    collecting = gc.isenabled()
    gc.disable()  # everything that is made here stays
    try:
        with _isolated(variables, files):
            return Model(_Parser(files, top, shell))
    except (_lib.KconfigError, OSError) as error:
        raise KconfigProblem(_one_line(str(error))) from None
    except KconfigProblem:
        raise
    except RecursionError:
        raise KconfigProblem("Kconfig files are nested too deeply") from None
    except Exception as error:  # Kconfiglib has faults of its own on files that are none
        raise KconfigProblem(f"Kconfig files that Kconfiglib cannot take ({type(error).__name__}: {error})") from None
    finally:
        if collecting:
            gc.enable()


def _one_line(text: str) -> str:
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    return " ".join(lines)[:500]


_NAMES = {_lib.AND: "and", _lib.OR: "or", _lib.NOT: "not"}
_TYPES = {_lib.BOOL: "bool", _lib.TRISTATE: "tristate", _lib.STRING: "string", _lib.INT: "int", _lib.HEX: "hex"}


class Model:
    """Parsed Kconfig files and one set of user values."""

    def __init__(self, parser: Any) -> None:
        self._lib = parser

    def __contains__(self, name: str) -> bool:
        """Is it defined (not only mentioned)?"""
        symbol = self._lib.syms.get(name)
        return symbol is not None and bool(symbol.nodes)

    def __iter__(self) -> Iterator[str]:
        return (symbol.name for symbol in self._lib.unique_defined_syms)

    def stubs(self) -> frozenset[str]:
        """The symbols that only `STUBS` defines."""
        return frozenset(symbol.name for symbol in self._lib.unique_defined_syms if symbol.nodes[0].filename == STUBS)

    def files(self) -> tuple[str, ...]:
        """The Kconfig files that were read, in order, repeated when sourced twice."""
        return tuple(self._lib.kconfig_filenames)

    def type(self, name: str) -> str:
        """bool, tristate, string, int or hex; `unknown` for a symbol that got none."""
        return _TYPES.get(self._lib.syms[name].orig_type, "unknown")

    def fits(self, name: str, value: str) -> str | None:
        """What the reader makes of `value` for this symbol: the value it sets, or None when it is not valid.

        conf_set_sym_val(), scripts/kconfig/confdata.c: only the first letter counts for a bool or tristate.
        """
        kind = self.type(name)
        if kind in ("bool", "tristate"):
            first = value[:1]
            return first if first in ("y", "n") or (first == "m" and kind == "tristate") else None
        if kind == "string":
            match = _lib._conf_string_match(value)
            return None if match is None else _lib.unescape(match.group(1))
        text = value.strip()
        return text if _lib._is_base_n(text, 16 if kind == "hex" else 10) else None

    def configure(self, requests: Iterable[tuple[str, str]], unset: str = "default") -> None:
        """Forget all user values and set these; a later one wins. Values must have come from `fits`.

        `unset` is what becomes of the rest: `default`, or as in `make all...config`: `n`, `y` or `m`.
        """
        library = self._lib
        library.unset_values()
        if unset != "default":
            self._set_all(unset)
        for name, value in requests:
            symbol = library.syms[name]
            if symbol.choice is not None and value in ("y", "m"):
                symbol.choice.set_value(value)
            symbol.set_value(value)

    def _set_all(self, value: str) -> None:
        for symbol in self._lib.unique_defined_syms:
            if symbol.orig_type not in (_lib.BOOL, _lib.TRISTATE) or symbol.nodes[0].filename == STUBS:
                continue
            if value == "n":
                symbol.set_value(2 if symbol.is_allnoconfig_y else 0)
            elif value == "y":
                symbol.set_value(1 if symbol.choice else 2)
            elif symbol.orig_type is _lib.BOOL:
                symbol.set_value(0 if symbol.choice else 2)
            else:
                symbol.set_value(1)
        if value != "n":
            for choice in self._lib.unique_choices:
                choice.set_value(2 if value == "y" or choice.orig_type is _lib.BOOL else 1)

    def value(self, name: str) -> str | None:
        """As in a `.config`; None for a string or number without value, and for a symbol that is not defined."""
        symbol = self._lib.syms.get(name)
        if symbol is None or not symbol.nodes:
            return None
        if symbol.orig_type in (_lib.BOOL, _lib.TRISTATE):
            value: str = symbol.str_value
            return value
        written = symbol.config_string
        return written.partition("=")[2].removesuffix("\n") if written.startswith("CONFIG_") else None

    def look(self, name: str) -> Symbol:
        """All about a symbol, as things stand."""
        return Symbol(self._lib.syms[name], self.value(name))

    def choices(self) -> Iterator[Choice]:
        """All choices, as things stand."""
        for choice in self._lib.unique_choices:
            prompts = [node.prompt[1] for node in choice.nodes if node.prompt]
            yield Choice(
                _TYPES.get(choice.orig_type, "unknown"),
                choice.is_optional,
                tuple(member.name for member in choice.syms),
                _condition(prompts[0]) if prompts else None,
                tuple((symbol.name, _condition(guard)) for symbol, guard in choice.defaults),
            )


def _place(node: Any) -> Place:
    return Place(
        node.filename,
        node.linenr,
        _condition(node.prompt[1]) if node.prompt else None,
        _condition(node.dep),
        tuple((_condition(value), _condition(guard)) for value, guard in node.defaults),
        tuple((target.name, _condition(guard)) for target, guard in node.selects),
        tuple((target.name, _condition(guard)) for target, guard in node.implies),
    )


def _condition(expression: Any) -> Condition:
    if expression.__class__ is not tuple:
        if expression.__class__ is _lib.Choice:
            return Condition("choice", _lib.TRI_TO_STR[expression.tri_value], expression.name or "")
        if expression.is_constant:
            return Condition("constant", _lib.TRI_TO_STR[expression.tri_value], expression.name)
        plain = expression.orig_type in (_lib.BOOL, _lib.TRISTATE) or not expression.nodes
        value = _lib.TRI_TO_STR[expression.tri_value] if plain else expression.str_value
        return Condition("symbol", value, expression.name)
    operator = expression[0]
    value = _lib.TRI_TO_STR[_lib.expr_value(expression)]
    if operator is _lib.NOT:
        return Condition("not", value, "", (_condition(expression[1]),))
    if operator in (_lib.AND, _lib.OR):
        parts = _lib.split_expr(expression, operator)
        return Condition(_NAMES[operator], value, "", tuple(_condition(part) for part in parts))
    terms = (_condition(expression[1]), _condition(expression[2]))
    return Condition(_lib.REL_TO_STR[operator], value, "", terms)


def _strengths(reverse: Any) -> list[tuple[str, str]]:
    found = []
    for part in _lib.split_expr(reverse, _lib.OR):
        source = part[1] if part.__class__ is tuple else part
        if not source.is_constant:
            found.append((source.name, _lib.TRI_TO_STR[_lib.expr_value(part)]))
    return found


def _sources(reverse: Any) -> tuple[tuple[str, Condition], ...]:
    """Who selects or implies, from the `A && condition || B` that Kconfiglib gathers; always n without any."""
    found = []
    for part in _lib.split_expr(reverse, _lib.OR):
        if part.__class__ is tuple:
            found.append((part[1].name, _condition(part)))
        elif not part.is_constant:
            found.append((part.name, _condition(part)))
    return tuple(found)
