"""Before and after for advice: what a change of some rules does to the price of a few named operations."""

from __future__ import annotations

from functools import cached_property

from auditlint.cost.chance import CHANCE
from auditlint.cost.fields import FieldPrices
from auditlint.cost.meeting import meet
from auditlint.cost.operations import DEFAULT_ACTOR, actors, operations
from auditlint.cost.prices import prices
from auditlint.cost.shapes import Shapes
from auditlint.frozen import dataclass, replace
from auditlint.kernel.situation import Situation, see
from auditlint.kernel.storage import EXIT, HASH, number_bit
from auditlint.kernel.walk import bucket_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from auditlint.kernel.situation import Seen
    from auditlint.kernel.storage import Storage, Stored
    from auditlint.language.model import Rule

    _Call = tuple[Situation, FieldPrices, tuple[Seen, ...]]

NAMED = (
    *("getppid", "close_bad", "read", "write", "fstat", "kill0"),
    *("access_ok", "access_fail", "stat", "open", "open_w", "chmod", "creat_unlink"),
)
"""The operations that advice names: each kind of call once."""
_NUMBERS = (1 << 2032) - 1
"""The bits of a mask that are system call numbers; those above stand for classes."""
_WORTH = 5.0
"""Instructions below which a difference is not worth a word (true and false tests differ by up to 3)."""


@dataclass(frozen=True, slots=True)
class Gain:
    """What a change saves, in instructions per operation; negative where it costs more."""

    saved: Mapping[str, float]
    about: bool = False

    @property
    def most(self) -> float:
        return max(self.saved.values(), default=0.0)

    @property
    def least(self) -> float:
        return min(self.saved.values(), default=0.0)

    @property
    def total(self) -> float:
        return sum(self.saved.values())

    def __str__(self) -> str:
        """`saves 152 instructions at getppid, read; 104 at stat; costs 19 at open`, greatest first."""
        groups: dict[int, list[str]] = {}
        for name, amount in sorted(self.saved.items(), key=lambda pair: -pair[1]):
            if abs(amount) >= _WORTH:
                groups.setdefault(round(amount), []).append(name)
        words: list[str] = []
        sign = 0
        about = "about " if self.about else ""
        for amount, names in groups.items():
            verb = "" if sign == (amount > 0) - (amount < 0) else f"saves {about}" if amount > 0 else f"costs {about}"
            sign = (amount > 0) - (amount < 0)
            unit = "" if words else " instructions"
            place = "every measured operation" if len(names) == len(NAMED) else ", ".join(names)
            words.append(f"{verb}{abs(amount):,}{unit} at {place}")
        return "; ".join(words) or "nothing at the measured operations"


class Advisor:
    """Prices single rules of a loaded rule set, as long as no rule in front ends the walk."""

    def __init__(self, storage: Storage, actor: str = DEFAULT_ACTOR) -> None:
        self.storage = storage
        self.prices = prices(storage.target)
        who = actors()[actor]
        self._operations = [each for each in operations(storage.target, who) if each.name in NAMED]
        self._order = {name: number for number, name in enumerate(NAMED)}
        self._operations.sort(key=lambda operation: self._order[operation.name])
        events = [call.event for each in self._operations for call in each.calls]
        self._shapes = Shapes(
            storage, who.ids, [thing.name or "" for event in events for thing in event.objects or ()], []
        )
        self._numbers = 0
        for event in events:
            self._numbers |= number_bit(event.nr) if event.nr is not None else 0
        self._known: dict[tuple[int, int], dict[str, float]] = {}

    @cached_property
    def _situations(self) -> list[tuple[str, list[_Call]]]:
        """Per operation its calls, ready to be asked."""
        storage, values = self.storage, self.prices.values
        found = []
        for operation in self._operations:
            calls = []
            for call in operation.calls:
                objects = tuple(see(thing, storage.facts) for thing in call.event.objects or ())
                situation = Situation(call.event, storage.target, storage.facts, objects)
                calls.append((situation, FieldPrices(values, situation, False, False), objects))
            found.append((operation.name, calls))
        return found

    def calls(self, name: str) -> int:
        """How many system calls a named operation makes."""
        return next(len(operation.calls) for operation in self._operations if operation.name == name)

    def amounts(self, stored: Stored) -> Mapping[str, float]:
        """What one rule adds to each named operation."""
        key = self.shape(stored)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = {name: self._amount(stored, calls) for name, calls in self._situations}
        return found

    def _amount(self, stored: Stored, calls: Sequence[_Call]) -> float:
        mask = self.prices.values["mask"]
        amount = 0.0
        for situation, fields, objects in calls:
            number = situation.event.nr
            entered = number is not None and stored.mask & number_bit(number)
            if stored.place == EXIT:
                amount += mask + (meet(stored, situation, None, fields).total if entered else 0.0)
            elif stored.place == HASH:
                for seen in objects:
                    chance = _chance(stored, seen)
                    if chance:
                        met = meet(stored, situation, seen, fields).total if entered else 0.0
                        amount += chance * (mask + met)
        return amount

    def change(self, before: Sequence[Stored], after: Iterable[Rule]) -> Gain:
        """What is saved when `after` takes the place of `before`; the new rules name the same files."""
        saved = dict.fromkeys((name for name, _ in self._situations), 0.0)
        for stored in before:
            for name, amount in self.amounts(stored).items():
                saved[name] += amount
        for rule in after:
            stored = replace(before[0], rule=rule, mask=rule.mask & _NUMBERS)
            for name, calls in self._situations:
                saved[name] -= self._amount(stored, calls)
        return self.gain(saved)

    def ends(self, stored: Stored) -> dict[str, list[_Call]]:
        """The calls of named operations that surely match a rule of the exit list, by operation."""
        found = {}
        for name, calls in self._situations:
            hit = [
                call
                for call in calls
                if call[0].event.nr is not None
                and stored.mask & number_bit(call[0].event.nr)
                and meet(stored, call[0], None, call[1]).matched
            ]
            if hit:
                found[name] = hit
        return found

    def cut(self, ending: Stored, passed: Sequence[Stored]) -> Gain:
        """What is saved when a rule of the exit list that ends walks stands before rules it came behind."""
        found = self.ends(ending)
        return self.gain({name: sum(self._amount(stored, calls) for stored in passed) for name, calls in found.items()})

    def gain(self, saved: Mapping[str, float]) -> Gain:
        return Gain({name: round(amount, 1) for name, amount in saved.items()}, bool(self.prices.spread))

    def shape(self, stored: Stored) -> tuple[int, int]:
        """Rules of one shape have the same price, and every change of them saves the same."""
        return self._shapes.of(stored), stored.mask & self._numbers


def _chance(stored: Stored, seen: Seen) -> float:
    """How likely a path object meets a hashed rule."""
    bucket = bucket_of(seen)
    if stored.bucket is not None and bucket is not None:
        return float(stored.bucket == bucket)
    if seen.exists and stored.path is not None and stored.path == seen.path:
        return 1.0
    return CHANCE
