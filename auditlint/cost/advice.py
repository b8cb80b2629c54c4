"""Before and after for advice: what a change of some rules does to the price of a few named operations."""

from __future__ import annotations

from bisect import bisect_right
from functools import cached_property

from auditlint.core.frozen import dataclass, replace
from auditlint.cost.cost_classes import Shapes
from auditlint.cost.fields import FieldPrices
from auditlint.cost.hash_buckets import CHANCE
from auditlint.cost.operations import DEFAULT_ACTOR, actors, operations
from auditlint.cost.prices import prices
from auditlint.cost.rule_visit import meet
from auditlint.kernel.acceptance import STORED_BITS
from auditlint.kernel.eval_context import EvalContext, see
from auditlint.kernel.rule_walk import bucket_of
from auditlint.kernel.storage import EXIT, HASH, TASK, number_bit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from auditlint.auditctl.model import Rule
    from auditlint.cost.prices import Base
    from auditlint.kernel.eval_context import ResolvedPath
    from auditlint.kernel.event import Event
    from auditlint.kernel.storage import Storage, Stored

    _Call = tuple[EvalContext, FieldPrices, tuple[ResolvedPath, ...], float]

NAMED = (
    *("getppid", "close_bad", "read", "write", "fstat", "kill0"),
    *("access_ok", "access_fail", "stat", "open", "open_w", "chmod", "creat_unlink"),
)
"""The operations that advice names: each kind of call once."""
OPERATION_LABELS = {
    "getppid": "the cheapest system call",
    "read": "read()",
    "write": "write()",
    "fstat": "fstat()",
    "kill0": "kill()",
    "access_ok": "access()",
    "access_fail": "a failed file look-up",
    "stat": "stat()",
    "open": "opening a file",
    "open_w": "opening a file to write",
    "chmod": "chmod()",
    "creat_unlink": "creating and removing a file",
}
"""How messages name the operations; an operation without a label is not shown."""
_WORTH = 5.0
"""Instructions below which a difference is not worth a note (true and false tests differ by up to 3)."""


@dataclass(frozen=True, slots=True)
class WorkCalls:
    """A system call of a workload: what it may be, each with its share of the calls, and how many there are."""

    name: str
    events: tuple[tuple[Event, float], ...]
    count: int


@dataclass(frozen=True, slots=True)
class Gain:
    """What a change saves, in instructions per operation; negative where it costs more."""

    saved: Mapping[str, float]
    about: bool = False
    who: str = ""
    """Whose calls are meant, when it is not a daemon of root."""
    counts: Mapping[str, int] | None = None
    """How often each call is made; None: every operation counts once."""
    bases: Mapping[str, Base] | None = None
    """The prices of the operations themselves; None for the calls of a workload."""

    @property
    def most(self) -> float:
        return max(self.saved.values(), default=0.0)

    @property
    def least(self) -> float:
        return min(self.saved.values(), default=0.0)

    @property
    def total(self) -> float:
        """Over all operations, or over all calls of a workload."""
        if self.counts is not None:
            return sum(amount * self.counts[name] for name, amount in self.saved.items())
        return sum(self.saved.values())

    def __str__(self) -> str:
        """`saves 45 % of the cheapest system call (147 instructions); costs 9 % of fstat() (30 instructions)`.

        The operation that gains the largest share comes first, then the one that gains the most instructions, if that
        is another one, then the one that loses the most. Calls of a workload have no measured price of their own:
        `saves 137 instructions at read, write; costs 19 at open`, greatest first.
        """
        about = "about " if self.about else ""
        words = self._of_workload(about) if self.bases is None else self._of_operations(about)
        nothing = "saves nothing at " + ("the measured operations" if self.counts is None else "these calls")
        return ("; ".join(words) or nothing) + (self.who and f" ({self.who})")

    def _of_operations(self, about: str) -> list[str]:
        bases = self.bases or {}
        shares = {
            name: amount / bases[name].off
            for name, amount in self.saved.items()
            if name in OPERATION_LABELS and name in bases and abs(amount) >= _WORTH
        }
        if not shares:
            return []
        best = max(shares, key=lambda name: shares[name])
        most = max(shares, key=lambda name: self.saved[name])
        worst = min(shares, key=lambda name: self.saved[name])
        words = []
        if self.saved[best] > 0:
            gains = [best] if self.saved[most] <= self.saved[best] else [best, most]
            words.append(f"saves {about}" + " and ".join(share(name, self.saved[name], bases) for name in gains))
        if self.saved[worst] < 0:
            words.append(f"costs {about}" + share(worst, -self.saved[worst], bases))
        return words

    def _of_workload(self, about: str) -> list[str]:
        groups: dict[int, list[str]] = {}
        for name, amount in sorted(self.saved.items(), key=lambda pair: -pair[1]):
            if abs(amount) >= _WORTH:
                groups.setdefault(round(amount), []).append(name)
        words: list[str] = []
        sign = 0
        for amount, names in groups.items():
            verb = "" if sign == (amount > 0) - (amount < 0) else f"saves {about}" if amount > 0 else f"costs {about}"
            sign = (amount > 0) - (amount < 0)
            unit = "" if words else " instructions"
            place = "every call" if len(names) == len(self.saved) > 1 else ", ".join(names)
            words.append(f"{verb}{abs(amount):,}{unit} at {place}")
        return words


def share(name: str, amount: float, bases: Mapping[str, Base]) -> str:
    """An amount as a share of a measured operation: `45 % of the cheapest system call (147 instructions)`.

    The price of the operation is the one without audit. Raises KeyError for an operation without a label or a price.
    """
    part = 100 * amount / bases[name].off
    percentage = f"{part:.0f}" if part >= 1 else "less than 1"
    return f"{percentage} % of {OPERATION_LABELS[name]} ({amount:,.0f} instructions)"


class Advisor:
    """Prices single rules of a loaded rule set where the calls of an actor meet them.

    A rule after the one that ends the walk of a call is not tested, and no rule is where auditing is switched off
    (`enabled` 0) or where the task list gives the actor no context.
    """

    def __init__(
        self,
        storage: Storage,
        actor: str = DEFAULT_ACTOR,
        enabled: int | None = None,
        workload: Sequence[WorkCalls] = (),
    ) -> None:
        self.storage = storage
        self.prices = prices(storage.target)
        self._early = storage.target.kernel_at_least("5.16")
        """Whether a hashed rule that cannot win is skipped before its fields are tested."""
        self._won: dict[int, int] = {}
        """The priority of the rule that ends a walk, by the id of the situation."""
        self._enabled = enabled if enabled is not None else storage.facts.kernel_enabled
        who = actors()[actor]
        self._whose = "" if actor == DEFAULT_ACTOR else f"for {who.what}"
        named: list[tuple[str, list[tuple[Event, float]]]] = []
        if workload:
            named = [(each.name, list(each.events)) for each in workload]
        else:
            by_name = {each.name: each for each in operations(storage.target, who)}
            named = [(name, [(call.event, 1.0) for call in by_name[name].calls]) for name in NAMED]
        self._named = named
        self.counts = {each.name: each.count for each in workload} or None
        """How often a workload makes each call."""
        events = [event for _, calls in named for event, _ in calls]
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
        for name, events in self._named:
            calls = []
            for event, share in events:
                objects = tuple(see(thing, storage.facts) for thing in event.objects or ())
                evaluation = EvalContext(event, storage.target, storage.facts, objects)
                calls.append((evaluation, FieldPrices(values, evaluation, False, False), objects, share))
            found.append((name, calls))
        return found

    @cached_property
    def _walked(self) -> dict[int, int]:
        """How many rules of the exit list a call meets, by the id of its situation; -1 without a live context."""
        return {
            id(call[0]): self._length(call[0], call[1]) if self._audited(call[0]) else -1
            for _, calls in self._situations
            for call in calls
        }

    @cached_property
    def _lengths(self) -> list[int]:
        return sorted(set(self._walked.values()))

    def _audited(self, evaluation: EvalContext) -> bool:
        """Whether the task that makes the call has a live context."""
        if self._enabled == 0:
            return False
        if not self.storage.task:
            return True
        from auditlint.kernel.evaluate import decide

        judged = decide(self.storage, evaluation.event)
        return judged.place != TASK or judged.logged is not False

    def _length(self, evaluation: EvalContext, fields: FieldPrices) -> int:
        number = evaluation.event.nr
        if number is None:
            return len(self.storage.exit)
        groups = self._shapes.exit_groups(number).values()
        ends = [group[0] for group in groups if meet(group[0], evaluation, None, fields).likely]
        if not ends:
            return len(self.storage.exit)
        winner = min(ends, key=lambda stored: stored.position)
        self._won[id(evaluation)] = winner.prio
        return winner.position + 1

    def amounts(self, stored: Stored) -> Mapping[str, float]:
        """What one rule adds to each named operation."""
        key = self.shape(stored)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = {name: self._amount(stored, calls) for name, calls in self._situations}
        return found

    def entries(self, stored: Stored) -> dict[str, float]:
        """The same for a rule of the exit list without its mask tests: what it costs that its mask has the calls."""
        return {name: self._amount(stored, calls, 0.0) for name, calls in self._situations}

    def _amount(self, stored: Stored, calls: Sequence[_Call], mask: float | None = None) -> float:
        mask = self.prices.values["mask"] if mask is None else mask
        amount = 0.0
        for evaluation, fields, objects, share in calls:
            number = evaluation.event.nr
            entered = number is not None and stored.mask & number_bit(number)
            walked = self._walked[id(evaluation)]
            if walked < 0:
                continue
            if stored.place == EXIT:
                if stored.position < walked:
                    amount += share * (mask + (meet(stored, evaluation, None, fields).total if entered else 0.0))
            elif stored.place == HASH:
                for seen in objects:
                    chance = _chance(stored, seen)
                    if chance:
                        met = 0.0
                        if entered and self._early and stored.prio <= self._won.get(id(evaluation), 0):
                            met = self.prices.values["prio"]
                        elif entered:
                            met = meet(stored, evaluation, seen, fields).total
                        amount += share * chance * (mask + met)
        return amount

    def change(self, before: Sequence[Stored], after: Iterable[Rule]) -> Gain:
        """What is saved when `after` takes the place of `before`; the new rules name the same files."""
        saved = dict.fromkeys((name for name, _ in self._situations), 0.0)
        for stored in before:
            for name, amount in self.amounts(stored).items():
                saved[name] += amount
        for rule in after:
            stored = replace(before[0], rule=rule, mask=rule.mask & STORED_BITS)
            for name, calls in self._situations:
                saved[name] -= self._amount(stored, calls)
        return self.gain(saved)

    def ends(self, stored: Stored) -> dict[str, list[_Call]]:
        """The calls of named operations whose walk a rule of the exit list surely ends, by operation."""
        found = {}
        for name, calls in self._situations:
            hit = [
                call
                for call in calls
                if call[0].event.nr is not None
                and self._walked[id(call[0])] == stored.position + 1
                and stored.mask & number_bit(call[0].event.nr)
                and meet(stored, call[0], None, call[1]).matched
            ]
            if hit:
                found[name] = hit
        return found

    def cut(self, ending: Stored, passed: Sequence[Stored]) -> Gain:
        """What is saved when a rule of the exit list that ends walks stands before rules that it came after."""
        found = self.ends(ending)
        return self.gain({name: sum(self._amount(stored, calls) for stored in passed) for name, calls in found.items()})

    def gain(self, saved: Mapping[str, float]) -> Gain:
        rounded = {name: round(amount, 1) for name, amount in saved.items()}
        bases = self.prices.bases if self.counts is None else None
        return Gain(rounded, bool(self.prices.spread), self._whose, self.counts, bases)

    def shape(self, stored: Stored) -> tuple[int, int]:
        """Rules of one shape have the same price, and every change of them saves the same."""
        reached = bisect_right(self._lengths, stored.position) if stored.place == EXIT else 0
        return self._shapes.of(stored) * (len(self._lengths) + 1) + reached, stored.mask & self._numbers


def _chance(stored: Stored, seen: ResolvedPath) -> float:
    """How likely a path object meets a hashed rule."""
    bucket = bucket_of(seen)
    if stored.bucket is not None and bucket is not None:
        return float(stored.bucket == bucket)
    if seen.exists and stored.path is not None and stored.path == seen.path:
        return 1.0
    return CHANCE
