"""Explains why a symbol has its value: short statements, each about one symbol, that a person can follow."""

from __future__ import annotations

from auditlint.core.data import rows
from auditlint.core.findings import listed
from auditlint.core.frozen import dataclass
from auditlint.core.target import version

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from auditlint.kconfig.engine import Condition, Model, Symbol
    from auditlint.kconfig.model import Assignment

ASSUMED = "(assumed)"
"""Name of the base that a fragment is assumed to be merged over; no finding points at its lines."""
MOST_STEPS = 8
"""Largest number of statements in a chain."""
MOST_NAMES = 4
"""Names shown in one statement; the rest are counted."""

_RANK = {"n": 0, "m": 1, "y": 2}


@dataclass(frozen=True, slots=True)
class Cause:
    """What decided a value. `kind` is requested, selected, implied, default, chosen, unmet (a dependency is n),
    invisible (the prompt's condition is n), nothing (no symbol can turn it on), unasked or valueless. `causes` are
    the symbols that it rests on."""

    kind: str
    text: str
    causes: tuple[str, ...] = ()
    simple: bool = False
    """For an unmet dependency: does it hold once all of `causes` are on?"""


class Explainer:
    """Explains one configuration in one model. `requests` are the assignments that count; `places` says whether
    statements name the lines of the definitions (those of a tree)."""

    def __init__(self, model: Model, requests: Mapping[str, Assignment], line: str, arch: str, places: bool) -> None:
        self._model = model
        self._requests = requests
        self._line = line
        self._arch = arch
        self._places = places
        self._symbols: dict[str, Symbol] = {}
        self._causes: dict[str, Cause] = {}
        self._many = len({assignment.source.path for assignment in requests.values()} - {ASSUMED}) > 1

    def chain(self, name: str) -> tuple[str, ...]:
        """The statement about the symbol, then those about what it rests on, each symbol once."""
        first = self.cause(name)
        statements = [first.text + self._place(name)]
        seen = {name}
        todo = list(first.causes)
        while todo and len(statements) < MOST_STEPS:
            other = todo.pop(0)
            if other in seen:
                continue
            seen.add(other)
            if other not in self._model:
                statements.append(f"{other}=n: does not exist for {self._arch}")
                continue
            cause = self.cause(other)
            statements.append(f"{other}={_shown(self.look(other).value)}: {cause.text}{self._place(other)}")
            todo.extend(cause.causes)
        return tuple(statements)

    def prose(self, name: str) -> str:
        """One sentence: the value, its cause, and the causes of that cause."""
        value = _shown(self.look(name).value)
        cause = self.cause(name)
        if cause.kind == "default" and cause.causes:
            parts = [self._short(other) for other in cause.causes[:MOST_NAMES]]
            return f"{name}={value} because {listed(parts)}"
        if cause.kind in ("selected", "implied"):
            return f"{name}={value} because {self._driver(cause)} it"
        if cause.kind == "unmet" and cause.causes:
            return f"{name}={value}: {cause.text}{self._obstacle(cause)}"
        return f"{name}={value}: {cause.text}"

    def drop(self, name: str, assignment: Assignment) -> str:
        """Why a request has no effect: a clause that follows `X=y has no effect:`."""
        symbol = self.look(name)
        fitting = self._model.fits(name, assignment.value)
        if fitting is None:
            value = assignment.value or "an empty value"
            article = "an" if symbol.type[:1] in "aeiou" else "a"
            return f"{value} is not a valid value of {article} {symbol.type} symbol; {self.prose(name)}"
        if symbol.type in ("bool", "tristate") and fitting == symbol.value:
            return f"Kconfig reads only the first letter, so {self._where(assignment)} means {fitting}"
        if not symbol.has_prompt:
            since = self._history(name, "no-prompt")
            start = f"it has no prompt since Linux {since}" if since else "it has no prompt"
            return f"{start}; {self.prose(name)}"
        if fitting == "m" and symbol.value == "y" and symbol.type == "tristate" and self._model.value("MODULES") == "n":
            return f"without MODULES there is no m, so {self._where(assignment)} means y"
        cause = self.cause(name)
        if cause.kind in ("selected", "implied"):
            return f"{self._driver(cause)} it"
        if cause.kind == "unmet" and cause.causes:
            return f"it {cause.text}{self._obstacle(cause)}"
        if cause.kind == "invisible":
            return f"it {cause.text}"
        return self.prose(name)

    def _driver(self, cause: Cause) -> str:
        """`SECURITY_APPARMOR (line 4) selects`."""
        return f"{self._with_request(cause.causes[0])} {'selects' if cause.kind == 'selected' else 'implies'}"

    def _obstacle(self, cause: Cause) -> str:
        """What to do about dependencies that are off, or why one of them stays off."""
        for other in cause.causes:
            if other not in self._model or self.cause(other).kind == "nothing":
                return f"; {self._short(other)}"
        if cause.simple and all(self.look(other).prompts and self.look(other).visible != "n" for other in cause.causes):
            return f"; turn {'it' if len(cause.causes) == 1 else 'both' if len(cause.causes) == 2 else 'them'} on"
        return f"; {self._short(cause.causes[0])}"

    def absent(self, name: str) -> str:
        """Why a symbol does not exist."""
        since = self._history(name, "gone")
        if since:
            return f"removed in Linux {since}"
        return f"Linux {self._line} has no symbol {name} for {self._arch}"

    def look(self, name: str) -> Symbol:
        """The symbol with its definitions and its value in the model."""
        if name not in self._symbols:
            self._symbols[name] = self._model.look(name)
        return self._symbols[name]

    def cause(self, name: str) -> Cause:
        """What decided the value of a defined symbol."""
        if name not in self._causes:
            symbol = self.look(name)
            if symbol.type not in ("bool", "tristate"):
                cause = self._of_text(symbol)
            elif symbol.choice:
                cause = self._of_member(symbol)
            elif symbol.value == "n":
                cause = self._of_off(symbol)
            else:
                cause = self._of_on(symbol)
            self._causes[name] = cause
        return self._causes[name]

    def _of_text(self, symbol: Symbol) -> Cause:
        request = self._requests.get(symbol.name)
        if symbol.visible != "n" and request is not None:
            return Cause("requested", f"requested ({self._where(request)})")
        if symbol.visible == "n" and symbol.value is None:
            return self._unmet(symbol)
        active = next(((value, guard) for value, guard in symbol.defaults if guard.value != "n"), None)
        if active is None:
            return Cause("valueless", "not requested, and it has no default")
        return Cause("default", "default" + _given(active[1]), _names(_true(active[1])))

    def _of_member(self, symbol: Symbol) -> Cause:
        request = self._requests.get(symbol.name)
        if symbol.value != "n":
            if request is not None and request.value[:1] != "n":
                return Cause("requested", f"requested ({self._where(request)})")
            return Cause("chosen", "the default of its choice")
        if symbol.visible == "n":
            return self._unmet(symbol)
        chosen = next((other for other in symbol.choice if self._model.value(other) == "y"), None)
        if chosen is None:
            return Cause("unasked", "no symbol of its choice is set")
        return Cause("chosen", f"{chosen} is set in the same choice", (chosen,))

    def _of_on(self, symbol: Symbol) -> Cause:
        request = self._requests.get(symbol.name)
        rank = _RANK[symbol.value or "n"]
        if request is not None and symbol.visible != "n":
            asked = self._model.fits(symbol.name, request.value)
            if asked is not None and min(_RANK[asked], _RANK[symbol.visible]) == rank:
                limit = "" if asked == symbol.value else f", at most {symbol.visible}" + _given(symbol.depends)
                requested = "requested" if asked == symbol.value else f"requested {asked}"
                return Cause("requested", f"{requested} ({self._where(request)}){limit}")
            if asked == "m" and symbol.value == "y" and self._model.value("MODULES") == "n":
                return Cause(
                    "requested", f"requested m ({self._where(request)}), which is y without MODULES", ("MODULES",)
                )
        active = [(name, strength) for name, strength in symbol.selecting if strength != "n"]
        selecting = [name for name, strength in active if _RANK[strength] == rank or strength == "y"]
        selecting = selecting or [name for name, _ in active]
        if selecting:
            return Cause("selected", "selected by " + self._list(selecting), tuple(selecting))
        for value, guard in symbol.defaults:
            if guard.value != "n":
                if value.value == "n":
                    break
                shown = value.name if value.op == "constant" else f"{value}"
                causes = (*_names(_true(value)), *_names(_true(guard)))
                return Cause("default", f"default {shown}" + _given(guard), causes)
        implying = [name for name, strength in symbol.implying if strength != "n"]
        if implying:
            return Cause("implied", "implied by " + self._list(implying), tuple(implying))
        return Cause("requested", "requested")

    def _of_off(self, symbol: Symbol) -> Cause:
        if symbol.depends.value == "n":
            return self._unmet(symbol)
        request = self._requests.get(symbol.name)
        if symbol.visible != "n":
            if request is not None:
                return Cause("requested", f"requested n ({self._where(request)})")
            return Cause("unasked", "not requested, and off by default")
        if symbol.has_prompt:
            return self._unmet(symbol)
        if symbol.defaults and symbol.defaults[0][1].value == "n":
            condition = symbol.defaults[0][1]
            return Cause("unmet", _dependencies(condition), _false(condition)[1], _simple(condition))
        if symbol.selecting:
            selectors = tuple(dict.fromkeys(name for name, _ in symbol.selecting))
            return Cause("nothing", f"off, because nothing selects it; these could: {self._list(selectors)}")
        return Cause("nothing", f"no symbol can turn it on for {self._arch}")

    def _unmet(self, symbol: Symbol) -> Cause:
        condition = symbol.depends
        kind = "unmet"
        if condition.value != "n":
            kind = "invisible"
            if not symbol.prompts:
                return Cause("nothing", f"no symbol can turn it on for {self._arch}")
            condition = symbol.prompts[0]
        texts, names = _false(condition)
        if not texts:
            return Cause(kind, f"cannot be set for {self._arch}")
        text = _dependencies(condition)
        if kind == "invisible":
            text = f"can be set only if {listed(texts)}"
        return Cause(kind, text, names, _simple(condition))

    def _short(self, name: str) -> str:
        """A clause about one symbol: `AUDIT=y, selected by SECURITY_APPARMOR (line 214)`."""
        if name not in self._model:
            return f"{name} does not exist for {self._arch}"
        value = _shown(self.look(name).value)
        cause = self.cause(name)
        if cause.kind == "selected":
            source = cause.causes[0]
            if name.startswith("HAVE_") and not self.look(source).has_prompt:
                return f"{source} provides {name}"
            return f"{name}={value}, selected by {self._with_request(source)}"
        if cause.kind == "requested":
            source = cause.text.removeprefix("requested").strip().removeprefix(f"{value} ")
            return f"{name}={value} {source}".strip()
        return f"{name}={value}: {cause.text}" if value == "n" else f"{name}={value}"

    def _with_request(self, name: str) -> str:
        request = self._requests.get(name)
        return name if request is None else f"{name} ({self._where(request)})"

    def _list(self, names: Iterable[str]) -> str:
        unique = list(dict.fromkeys(names))
        unique.sort(key=lambda name: name not in self._requests)
        shown = [self._with_request(name) for name in unique[:MOST_NAMES]]
        return (
            listed(shown) if len(unique) <= MOST_NAMES else ", ".join(shown) + f" and {len(unique) - MOST_NAMES} more"
        )

    def _where(self, assignment: Assignment) -> str:
        if assignment.source.path == ASSUMED:
            return "assumed"
        return f"{assignment.source.path}:{assignment.line}" if self._many else f"line {assignment.line}"

    def _place(self, name: str) -> str:
        if not self._places:
            return ""
        file, line = self.look(name).place
        return f" [{file}:{line}]"

    def _history(self, name: str, change: str) -> str | None:
        """The kernel line that made this change to the symbol; None when unknown or later than ours."""
        for symbol, line, made in rows("kconfig/history.tsv"):
            if symbol == name and made == change and version(line) <= version(self._line):
                return line
        return None


def _shown(value: str | None) -> str:
    return "(no value)" if value is None else value


def _given(guard: Condition) -> str:
    """`: A=y and B=y` for a condition that holds; nothing for one that always does."""
    texts = [text for text, _ in _true(guard)][:MOST_NAMES]
    return ": " + listed(texts) if texts else ""


def _names(facts: list[tuple[str, tuple[str, ...]]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for _, names in facts for name in names))


def _true(condition: Condition) -> list[tuple[str, tuple[str, ...]]]:
    """What makes a condition hold, as statements with the symbols in them."""
    if condition.op in ("constant", "choice"):
        return []
    if condition.op == "symbol":
        return [(f"{condition.name}={condition.value}", (condition.name,))]
    if condition.op == "and":
        return list(dict.fromkeys(fact for term in condition.terms for fact in _true(term)))
    if condition.op == "or":
        best = max(condition.terms, key=lambda term: _RANK.get(term.value, 0))
        return _true(best)
    if condition.op == "not":
        texts, names = _false(condition.terms[0])
        return [(listed(texts), names)] if texts else []
    return [(str(condition), tuple(symbol.name for symbol in condition.symbols()))]


def _simple(condition: Condition) -> bool:
    """Does the condition hold once every symbol that `_false` names is on?"""
    if condition.op == "and":
        return all(_simple(term) for term in condition.terms if term.value == "n")
    return condition.op == "symbol"


def _dependencies(condition: Condition) -> str:
    """`depends on A and B, which are off`, `requires A=n, but it is y`: why a condition does not hold."""
    texts, names = _false(condition)
    if _simple(condition):
        return f"depends on {listed(names[:MOST_NAMES])}, which {'is' if len(names) == 1 else 'are'} off"
    first, stated, value = texts[0].partition(", but it is ") if texts else ("", "", "")
    if len(texts) == 1 and stated:
        return f"requires {first}, but it is {value}"
    return f"depends on {listed(texts)}"


def _false(condition: Condition) -> tuple[list[str], tuple[str, ...]]:
    """What keeps a condition from holding: statements, and the symbols in them."""
    if condition.op == "and":
        texts: list[str] = []
        names: list[str] = []
        for term in condition.terms:
            if term.value == "n":
                more, symbols = _false(term)
                texts += [text for text in more if text not in texts]
                names += symbols
        return texts[:MOST_NAMES], tuple(dict.fromkeys(names))
    if condition.op == "or":
        parts = [_false(term) for term in condition.terms]
        texts = [" with ".join(part) for part, _ in parts if part]
        shown = " or ".join(texts[:MOST_NAMES]) + (" or others" if len(texts) > MOST_NAMES else "")
        return [shown] if shown else [], tuple(dict.fromkeys(name for _, symbols in parts for name in symbols))
    if condition.op == "symbol":
        return [f"{condition.name} (off)"], (condition.name,)
    if condition.op == "not":
        facts = _true(condition.terms[0])[:1]
        return [f"{names[0]}=n, but it is {text.partition('=')[2]}" for text, names in facts if names], _names(facts)
    if condition.op in ("constant", "choice"):
        return [], ()
    return [str(condition)], tuple(symbol.name for symbol in condition.symbols())
