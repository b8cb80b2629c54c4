"""Why a request has no effect, as one word, and which symbols prevent it."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditlint.kconfig.engine import Condition, Model

_RANK = {"n": 0, "m": 1, "y": 2}


def _rank(value: str | None) -> int:
    """n, m or y as 0, 1, 2. In a condition, a symbol that is a string or a number counts as n."""
    return _RANK.get(value or "n", 0)


def reason(model: Model, name: str, wanted: str) -> tuple[str, tuple[str, ...]]:
    """The `reason` and `blame` of `Dropped` for a defined symbol that did not get the value `wanted`.

    The model must still hold the configuration.
    """
    fitting = model.fits(name, wanted)
    if fitting is None:
        return "invalid", ()
    symbol = model.look(name)
    if symbol.type in _TRISTATES and fitting == symbol.value:
        return "spelling", ()
    if symbol.type not in _TRISTATES:
        if symbol.depends.value == "n":
            return "depends", tuple(dict.fromkeys(_unmet(symbol.depends)))
        return "no-prompt", ()
    if not symbol.has_prompt:
        impossible = symbol.depends.op == "constant" and symbol.depends.value == "n"
        if impossible and not name.startswith(("AUDIT", "HAVE_", "HAS_")):
            return "depends", ()  # not on this architecture: the slice leaves out its prompt; audit's own have none
        if _rank(symbol.value) < _rank(fitting):
            unmet = dict.fromkeys(_unmet(symbol.depends))
            return "no-prompt", tuple(name for name in unmet if model.look(name).has_prompt)
        return "no-prompt", ()
    if _rank(fitting) < _rank(symbol.value):
        selectors = tuple(
            selector for selector, guard in symbol.selected if guard.value != "n" and _on(model, selector)
        )
        return ("selected", selectors) if selectors else ("choice" if symbol.choice else "no-prompt", ())
    if _rank(symbol.depends.value) < _rank(fitting):
        return "depends", tuple(dict.fromkeys(_unmet(symbol.depends)))
    others = tuple(member for member in symbol.choice if member != name and _on(model, member))
    return ("choice", others) if others else ("no-prompt", ())


_TRISTATES = ("bool", "tristate")


def _on(model: Model, name: str) -> bool:
    return model.value(name) in ("y", "m")


def _unmet(condition: Condition) -> Iterator[str]:
    """The symbols that keep a condition from being y, left to right."""
    if condition.value == "y" and condition.op != "not":
        return
    if condition.op == "symbol":
        yield condition.name
    elif condition.op == "not":
        yield from (symbol.name for symbol in condition.symbols())
    elif condition.op in ("and", "or"):
        for term in condition.terms:
            if term.value != "y":
                yield from _unmet(term)
    else:
        yield from (symbol.name for symbol in condition.symbols())
