"""Why a symbol has its value: short statements, each about one symbol, that a person can follow."""

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
"""Name of what a fragment is taken to be merged over; its lines are no place to point at."""
MOST_STEPS = 8
"""Statements of a chain."""
MOST_NAMES = 4
"""Names in one statement; the rest are counted."""

_RANK = {"n": 0, "m": 1, "y": 2}


@dataclass(frozen=True, slots=True)
class Cause:
    """What decided a value. `kind` is requested, selected, implied, default, chosen, unmet (a dependency is n),
    invisible (the prompt's condition is n), nothing (no one turns it on), unasked or valueless. `causes` are the
    symbols behind it."""

    kind: str
    text: str
    causes: tuple[str, ...] = ()


class Explainer:
    """Tells about one configuration in one model. `requests` are the assignments that count; `places` says whether
    the definitions have lines worth naming (those of a tree)."""

    def __init__(self, model: Model, requests: Mapping[str, Assignment], line: str, arch: str, places: bool) -> None:
        self._model = model
        self._requests = requests
        self._line = line
        self._arch = arch
        self._places = places
        self._looked: dict[str, Symbol] = {}
        self._caused: dict[str, Cause] = {}
        self._many = len({assignment.source.path for assignment in requests.values()} - {ASSUMED}) > 1

    def chain(self, name: str) -> tuple[str, ...]:
        """The statement about the symbol, then those about what it rests on, each symbol once."""
        first = self.cause(name)
        told = [first.text + self._place(name)]
        seen = {name}
        todo = list(first.causes)
        while todo and len(told) < MOST_STEPS:
            other = todo.pop(0)
            if other in seen:
                continue
            seen.add(other)
            if other not in self._model:
                told.append(f"{other}=n: does not exist here")
                continue
            cause = self.cause(other)
            told.append(f"{other}={_shown(self.look(other).value)}: {cause.text}{self._place(other)}")
            todo.extend(cause.causes)
        return tuple(told)

    def prose(self, name: str) -> str:
        """One sentence with the reasons behind the first reason."""
        value = _shown(self.look(name).value)
        cause = self.cause(name)
        if cause.kind == "default" and cause.causes:
            parts = [self._short(other) for other in cause.causes[:MOST_NAMES]]
            return f"{name}={value} because {listed(parts)}"
        if cause.kind in ("selected", "implied"):
            verb = "selects" if cause.kind == "selected" else "implies"
            return f"{name}={value} because {self._with_request(cause.causes[0])} {verb} it"
        if cause.kind == "unmet" and cause.causes:
            hopeless = (
                other for other in cause.causes if other not in self._model or self.cause(other).kind == "nothing"
            )
            return f"{name}={value}: {cause.text}; {self._short(next(hopeless, cause.causes[0]))}"
        return f"{name}={value}: {cause.text}"

    def drop(self, name: str, assignment: Assignment) -> str:
        """Why a request was not honoured."""
        symbol = self.look(name)
        where = self._where(assignment)
        fitting = self._model.fits(name, assignment.value)
        if fitting is None:
            what = assignment.value or "nothing"
            return f"{what} is no value for a {symbol.type}, so {where} is passed over; {self.prose(name)}"
        if symbol.type in ("bool", "tristate") and fitting == symbol.value:
            return f"only the first letter counts, {where} is read as {fitting}"
        if not symbol.has_prompt:
            since = self._history(name, "no-prompt")
            ending = f"no prompt since {since}" if since else "it has no prompt"
            return f"{self.prose(name)}; {ending}, so {where} has no effect"
        if fitting == "m" and symbol.value == "y" and symbol.type == "tristate" and self._model.value("MODULES") == "n":
            return f"without MODULES there is no m, so {where} means y"
        return f"{self.prose(name)}, so {where} has no effect"

    def absent(self, name: str) -> str:
        """Why a symbol is not there."""
        since = self._history(name, "gone")
        if since:
            return f"gone since Linux {since}"
        return f"Linux {self._line} has no symbol {name} for {self._arch}"

    def look(self, name: str) -> Symbol:
        if name not in self._looked:
            self._looked[name] = self._model.look(name)
        return self._looked[name]

    def cause(self, name: str) -> Cause:
        """What decided the value of a defined symbol."""
        if name not in self._caused:
            symbol = self.look(name)
            if symbol.type not in ("bool", "tristate"):
                cause = self._of_text(symbol)
            elif symbol.choice:
                cause = self._of_member(symbol)
            elif symbol.value == "n":
                cause = self._of_off(symbol)
            else:
                cause = self._of_on(symbol)
            self._caused[name] = cause
        return self._caused[name]

    def _of_text(self, symbol: Symbol) -> Cause:
        request = self._requests.get(symbol.name)
        if symbol.visible != "n" and request is not None:
            return Cause("requested", f"requested ({self._where(request)})")
        if symbol.visible == "n" and symbol.value is None:
            return self._unmet(symbol)
        active = next(((value, guard) for value, guard in symbol.defaults if guard.value != "n"), None)
        if active is None:
            return Cause("valueless", "not requested, and there is no default")
        return Cause("default", "default" + _given(active[1]), _names(_true(active[1])))

    def _of_member(self, symbol: Symbol) -> Cause:
        request = self._requests.get(symbol.name)
        if symbol.value != "n":
            if request is not None and request.value[:1] != "n":
                return Cause("requested", f"requested ({self._where(request)})")
            return Cause("chosen", "the default of its choice")
        if symbol.visible == "n":
            return self._unmet(symbol)
        taken = next((other for other in symbol.choice if self._model.value(other) == "y"), None)
        if taken is None:
            return Cause("unasked", "nothing of its choice is set")
        return Cause("chosen", f"{taken} is taken in the same choice", (taken,))

    def _of_on(self, symbol: Symbol) -> Cause:
        request = self._requests.get(symbol.name)
        rank = _RANK[symbol.value or "n"]
        if request is not None and symbol.visible != "n":
            asked = self._model.fits(symbol.name, request.value)
            if asked is not None and min(_RANK[asked], _RANK[symbol.visible]) == rank:
                limit = "" if asked == symbol.value else f", at most {symbol.visible}" + _given(symbol.depends)
                what = "requested" if asked == symbol.value else f"requested {asked}"
                return Cause("requested", f"{what} ({self._where(request)}){limit}")
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
                behind = (*_names(_true(value)), *_names(_true(guard)))
                return Cause("default", f"default {shown}" + _given(guard), behind)
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
            return Cause("unasked", "not requested, and not on by default")
        if symbol.has_prompt:
            return self._unmet(symbol)
        if symbol.defaults and symbol.defaults[0][1].value == "n":
            texts, names = _false(symbol.defaults[0][1])
            return Cause("unmet", "needs " + listed(texts), names)
        if symbol.selecting:
            selectors = tuple(dict.fromkeys(name for name, _ in symbol.selecting))
            return Cause("nothing", "nothing that is on selects it; could: " + self._list(selectors))
        return Cause("nothing", f"nothing turns it on for {self._arch}")

    def _unmet(self, symbol: Symbol) -> Cause:
        condition = symbol.depends
        kind = "unmet"
        if condition.value != "n":
            kind = "invisible"
            if not symbol.prompts:
                return Cause("nothing", f"nothing turns it on for {self._arch}")
            condition = symbol.prompts[0]
        texts, names = _false(condition)
        if not texts:
            return Cause(kind, "not possible here")
        return Cause(kind, ("needs " if kind == "unmet" else "can only be set with ") + listed(texts), names)

    def _short(self, name: str) -> str:
        """A clause about one symbol: `AUDIT=y, selected by SECURITY_APPARMOR (line 214)`."""
        if name not in self._model:
            return f"{name} does not exist here"
        value = _shown(self.look(name).value)
        cause = self.cause(name)
        if cause.kind == "selected":
            source = cause.causes[0]
            if name.startswith("HAVE_") and not self.look(source).has_prompt:
                return f"{source} provides {name}"
            return f"{name}={value}, selected by {self._with_request(source)}"
        if cause.kind == "requested":
            said = cause.text.removeprefix("requested").strip().removeprefix(f"{value} ")
            return f"{name}={value} {said}".strip()
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

    def _history(self, name: str, what: str) -> str | None:
        """The line since which it is so, None when that is not known or later than ours."""
        for symbol, line, change in rows("kconfig/history.tsv"):
            if symbol == name and change == what and version(line) <= version(self._line):
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
        found = [fact for term in condition.terms for fact in _true(term)]
        return list(dict.fromkeys(found))
    if condition.op == "or":
        best = max(condition.terms, key=lambda term: _RANK.get(term.value, 0))
        return _true(best)
    if condition.op == "not":
        texts, names = _false(condition.terms[0])
        return [(listed(texts), names)] if texts else []
    return [(str(condition), tuple(symbol.name for symbol in condition.symbols()))]


def _false(condition: Condition) -> tuple[list[str], tuple[str, ...]]:
    """What keeps a condition from holding."""
    if condition.op == "and":
        texts: list[str] = []
        names: list[str] = []
        for term in condition.terms:
            if term.value == "n":
                more, behind = _false(term)
                texts += [text for text in more if text not in texts]
                names += behind
        return texts[:MOST_NAMES], tuple(dict.fromkeys(names))
    if condition.op == "or":
        parts = [_false(term) for term in condition.terms]
        texts = [" with ".join(part) for part, _ in parts if part]
        shown = " or ".join(texts[:MOST_NAMES]) + (" or others" if len(texts) > MOST_NAMES else "")
        return [shown] if shown else [], tuple(dict.fromkeys(name for _, behind in parts for name in behind))
    if condition.op == "symbol":
        return [f"{condition.name} (n)"], (condition.name,)
    if condition.op == "not":
        facts = _true(condition.terms[0])
        return ([f"no {names[0]} ({text.partition('=')[2]})" for text, names in facts[:1] if names], _names(facts[:1]))
    if condition.op in ("constant", "choice"):
        return [], ()
    return [str(condition)], tuple(symbol.name for symbol in condition.symbols())
