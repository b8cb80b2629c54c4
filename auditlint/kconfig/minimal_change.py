"""The smallest change of a configuration that gives a symbol a wanted value: found by search, verified by evaluation.

Smallest means: the fewest recorded symbols come out otherwise than before, then the fewest lines change.
"""

from __future__ import annotations

from itertools import islice, product

from auditlint.core.data import rows
from auditlint.core.frozen import dataclass
from auditlint.kconfig.explainer import Explainer

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping
    from typing import TypeAlias

    from auditlint.kconfig.engine import Condition, Model
    from auditlint.kconfig.evaluate import Session
    from auditlint.kconfig.model import Assignment

    Way: TypeAlias = "frozenset[tuple[str, str]]"

DEEPEST = 6
"""Steps from the wanted symbol to the line that is changed."""
MOST_WAYS = 12
"""Ways that are kept for each step."""


@dataclass(frozen=True, slots=True)
class ConfigEdit:
    """A symbol to set. `assignment` is the line that sets it now, None when there is none."""

    symbol: str
    value: str
    assignment: Assignment | None


@dataclass(frozen=True, slots=True)
class Change:
    """How `symbol` gets `value`. Without `edits` it has it already, or `why` says what is in the way.

    `effects` are the recorded symbols that come out otherwise (name, before, after), the wanted one included;
    `advice` are ways without a change of the configuration.
    """

    symbol: str
    value: str
    possible: bool
    edits: tuple[ConfigEdit, ...]
    effects: tuple[tuple[str, str | None, str | None], ...]
    advice: tuple[str, ...]
    why: str


def smallest_change(session: Session, symbol: str, value: str) -> Change:
    """The smallest change for a bool or tristate `symbol` to become `value` (y, m or n).

    The session's model is left with the requests of the session.
    """
    advice = tuple(row[2] for row in rows("kconfig/advice.tsv") if row[:2] == [symbol, value])
    model = session.apply()
    if symbol not in session.definitions.names:
        return Change(symbol, value, False, (), (), (), _explainer(session, model).absent(symbol))
    before = _values(session, model)
    if model.value(symbol) == value:
        return Change(symbol, value, True, (), (), (), "")
    why = _explainer(session, model).prose(symbol)
    best: tuple[tuple[int, int, int], Way] | None = None
    for way in _Search(model).reach(symbol, value, DEEPEST, frozenset()):
        way = _needed(session, way, symbol, value)
        if not way:
            continue
        after = _values(session, session.apply(dict(way)))
        changed = sum(before[name] != after[name] for name in before)
        score = (changed, len(way), sum(name not in before for name, _ in way))
        if best is None or score < best[0]:
            best = score, way
    if best is None:
        session.apply()
        return Change(symbol, value, False, (), (), advice, why)
    after = _values(session, session.apply(dict(best[1])))
    session.apply()
    effects = tuple((name, before[name], after[name]) for name in before if before[name] != after[name])
    requests = session.requests.valid
    edits = tuple(
        ConfigEdit(name, new, requests.get(name))
        for name, new in sorted(best[1], key=lambda pair: (pair[0] != symbol, pair))
    )
    return Change(symbol, value, True, edits, effects, advice, why)


def _explainer(session: Session, model: Model) -> Explainer:
    definitions = session.definitions
    return Explainer(model, session.requests.valid, definitions.line, definitions.arch, False)


def _values(session: Session, model: Model) -> dict[str, str | None]:
    return {
        row[0]: model.value(row[0])
        for row in rows("kconfig/recorded.tsv")
        if row[1] != "known" and row[0] in session.definitions.names
    }


def _needed(session: Session, way: Way, symbol: str, value: str) -> Way:
    """The way without what does not contribute; empty when it does not lead there."""
    if session.apply(dict(way)).value(symbol) != value:
        return frozenset()
    for pair in sorted(way, key=lambda pair: pair[0] == symbol):
        less = way - {pair}
        if less and session.apply(dict(less)).value(symbol) == value:
            way = less
    return way


class _Search:
    """Ways to a value, from the definitions as things stand. A way is a set of settings."""

    def __init__(self, model: Model) -> None:
        self._model = model

    def reach(self, name: str, value: str, depth: int, path: frozenset[str]) -> list[Way]:
        """Ways to give a symbol a value, those with few settings first; none when there is no way in sight."""
        if self._model.value(name) == value or (value == "y" and self._model.value(name) == "m"):
            return [frozenset()]
        if depth == 0 or name in path or name not in self._model:
            return []
        path |= {name}
        ways = self._off(name, depth, path) if value == "n" else self._on(name, value, depth, path)
        return _fewest(ways)

    def _on(self, name: str, value: str, depth: int, path: frozenset[str]) -> Iterator[Way]:
        symbol = self._model.look(name)
        setting: Way = frozenset({(name, value)})
        for prompt in symbol.prompts:
            for way in self.hold(prompt, True, depth - 1, path):
                yield way | setting
        for target, guard in symbol.defaults:
            if target.op == "constant" and target.value != "n":
                yield from self.hold(guard, True, depth - 1, path)
        for _, guard in symbol.selected[:MOST_WAYS]:
            yield from self.hold(guard, True, depth - 1, path)

    def _off(self, name: str, depth: int, path: frozenset[str]) -> Iterator[Way]:
        symbol = self._model.look(name)
        active = [guard for _, guard in symbol.selected if guard.value != "n"]
        freed = _together(self.hold(guard, False, depth - 1, path) for guard in active)
        if symbol.visible != "n" and not symbol.choice:
            yield from (way | {(name, "n")} for way in freed)
        elif not symbol.choice:
            for prompt in symbol.prompts:
                opened = self.hold(prompt, True, depth - 1, path)
                yield from (way | {(name, "n")} for way in _products([freed, opened]))
        if not symbol.has_prompt:
            guards = [guard for value, guard in symbol.defaults if guard.value != "n" and value.value != "n"]
            ended = _together(self.hold(guard, False, depth - 1, path) for guard in guards)
            yield from _products([freed, ended])
        if not active:
            yield from self.hold(symbol.depends, False, depth - 1, path)
        for other in symbol.choice:
            if other != name:
                yield from self.reach(other, "y", depth - 1, path)

    def hold(self, condition: Condition, wanted: bool, depth: int, path: frozenset[str]) -> list[Way]:
        """Ways to make a condition hold, or not hold."""
        if (condition.value != "n") == wanted and condition.op != "symbol":
            return [frozenset()]
        if condition.op == "symbol":
            return self.reach(condition.name, "y" if wanted else "n", depth, path)
        if condition.op == "not":
            return self.hold(condition.terms[0], not wanted, depth, path)
        if condition.op in ("and", "or"):
            each = [self.hold(term, wanted, depth, path) for term in condition.terms]
            if (condition.op == "and") == wanted:
                return _fewest(_products(each))
            return _fewest(way for ways in each for way in ways)
        if condition.op in ("=", "!=") and condition.terms[0].op == "symbol" and condition.terms[1].op == "constant":
            name, value = condition.terms[0].name, condition.terms[1].name
            if value not in ("y", "n", "m") or name not in self._model:
                return []
            if (condition.op == "=") == wanted:
                return self.reach(name, value, depth, path)
            return self.reach(name, "y" if value == "n" else "n", depth, path)
        return []


def _together(each: Iterable[list[Way]]) -> list[Way]:
    return _fewest(_products(list(each)))


def _products(each: list[list[Way]]) -> Iterator[Way]:
    """One way of each, together; none when they set a symbol twice."""
    for combined in islice(product(*each), MOST_WAYS * MOST_WAYS):
        way: Way = frozenset().union(*combined)
        if len({name for name, _ in way}) == len(way):
            yield way


def _fewest(ways: Iterable[Way]) -> list[Way]:
    return sorted(set(ways), key=lambda way: (len(way), sorted(way)))[:MOST_WAYS]


def described(change: Change, places: Mapping[str, str], most: int | None = None) -> str:
    """One sentence for people; `places` says for a symbol in which line it is set. Of the effects, `most` are named;
    all when it is None."""
    if not change.possible:
        sentence = f"{change.symbol}={change.value} is not possible: {change.why}"
    elif not change.edits:
        sentence = f"{change.symbol} is already {change.value}"
    else:
        settings = [
            f"{edit.symbol}={edit.value}" + (f" ({places[edit.symbol]})" if edit.symbol in places else "")
            for edit in change.edits
        ]
        sentence = f"to get {change.symbol}={change.value}, set {', '.join(settings)}"
        wanted = {edit.symbol for edit in change.edits} | {change.symbol}
        effects = [f"{name}={after}" for name, _, after in change.effects if name not in wanted and after is not None]
        if effects:
            shown = effects[:most]
            rest = f" and {len(effects) - len(shown)} more (--all lists them)" if len(effects) > len(shown) else ""
            sentence += f"; this also gives {', '.join(shown)}{rest}"
    return sentence + "".join(f"; or {advice}" for advice in change.advice)
