"""Advice on cost: what a change of some rules saves at a few measured operations."""

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
    from auditlint.kernel.eval_context import ResolvedPath
    from auditlint.kernel.event import Event
    from auditlint.kernel.storage import Storage, Stored

    _Call = tuple[EvalContext, FieldPrices, tuple[ResolvedPath, ...], float]

NAMED = (
    *("getppid", "close_bad", "read", "write", "fstat", "kill0"),
    *("access_ok", "access_fail", "stat", "open", "open_w", "chmod", "creat_unlink"),
)
"""The operations that advice compares: each kind of call once."""
_SPOKEN = {
    "getppid": "the cheapest system call",
    "kill0": "kill()",
    "access_ok": "access()",
    "access_fail": "a failed file look-up",
    "open": "opening a file",
    "open_w": "opening a file for writing",
    "creat_unlink": "creating and removing a file",
}
"""What messages call an operation; others are called by their system call."""
_UNSPOKEN = frozenset({"close_bad"})
"""Operations that no message names."""
_WORTH = 5.0
"""Instructions below which a difference is not mentioned (true and false tests differ by up to 3)."""


def spoken(operation: str) -> str:
    """What a message calls a measured operation: `the cheapest system call`, `read()`."""
    return _SPOKEN.get(operation, f"{operation}()")


def share(amount: float, base: float | None) -> str:
    """`38 % of` for an amount of a call that takes `base` instructions without audit; empty when that is unknown."""
    if not base:
        return ""
    percent = 100 * abs(amount) / base
    return f"{percent:.0f} %" if percent >= 1 else "less than 1 %"


@dataclass(frozen=True, slots=True)
class WorkCalls:
    """A system call of a workload: its possible events, each with its share of the calls, and the number of calls."""

    name: str
    events: tuple[tuple[Event, float], ...]
    count: int


@dataclass(frozen=True, slots=True)
class Gain:
    """The instructions that a change saves, by operation; negative where it costs more."""

    saved: Mapping[str, float]
    about: bool = False
    who: str = ""
    """Whose calls are meant, when it is not a daemon of root."""
    counts: Mapping[str, int] | None = None
    """How often each call is made; None: every operation counts once."""
    bases: Mapping[str, float] | None = None
    """Instructions of each operation without audit, as far as measured."""

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
        """`saves 38 % of read() (152 instructions) but adds 2 % to opening a file (19 instructions)`."""
        amounts = {name: amount for name, amount in self.saved.items() if name not in _UNSPOKEN}
        best = max(amounts, key=self._rank, default=None)
        worst = min(amounts, key=self._rank, default=None)
        parts = []
        if best is not None and amounts[best] >= _WORTH:
            parts.append(self._part("saves", "of", best))
        if worst is not None and amounts[worst] <= -_WORTH:
            parts.append(self._part("adds", "to", worst))
        nothing = "saves nothing at " + ("the measured calls" if self.counts is None else "these calls")
        return (" but ".join(parts) or nothing) + (self.who and f", {self.who}")

    def _rank(self, name: str) -> float:
        """Operations are compared by what they gain over a workload, else by their share."""
        if self.counts is not None:
            return self.saved[name] * self.counts[name]
        base = (self.bases or {}).get(name)
        return self.saved[name] / base if base else self.saved[name]

    def _part(self, verb: str, preposition: str, name: str) -> str:
        amount = self.saved[name]
        about = "about " if self.about else ""
        percent = share(amount, (self.bases or {}).get(name))
        instructions = f"{about}{abs(round(amount)):,} instructions"
        if not percent:
            return f"{verb} {instructions} at {spoken(name)}"
        return f"{verb} {percent} {preposition} {spoken(name)} ({instructions})"


class Advisor:
    """Prices single rules of a loaded rule set where the calls of an actor meet them.

    A call does not meet rules after the one that ends its walk, and no rule at all where auditing is off (`enabled` 0)
    or where the task list gives the actor no context.
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
        self._bases = self.prices.user_bases if who.uid else self.prices.bases
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
        """The gain when a rule of the exit list that ends walks moves before the `passed` rules."""
        found = self.ends(ending)
        return self.gain({name: sum(self._amount(stored, calls) for stored in passed) for name, calls in found.items()})

    def gain(self, saved: Mapping[str, float]) -> Gain:
        """A gain with its instructions by operation."""
        rounded = {name: round(amount, 1) for name, amount in saved.items()}
        bases = {name: base.off for name, base in self._bases.items() if name in rounded}
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
