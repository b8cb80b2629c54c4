"""The price of one system call of a task with a live audit context: exit list, inode hash, records.

Which rules are met and how far they are tested comes from `auditlint.kernel`; this module counts and multiplies.
"""

from __future__ import annotations

from auditlint.cost.fields import FieldPrices
from auditlint.cost.hash_buckets import CHANCE, bounds
from auditlint.cost.rule_visit import RuleVisitCost, meet
from auditlint.kernel.eval_context import EvalContext
from auditlint.kernel.evaluate import decide
from auditlint.kernel.event_records import full
from auditlint.kernel.filesystem_filter import withheld
from auditlint.kernel.rule_walk import bucket_rules
from auditlint.kernel.storage import BUCKETS, MISSING_BUCKET, number_bit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from auditlint.cost.breakdown import CostBreakdown
    from auditlint.cost.cost_classes import Shapes
    from auditlint.cost.prices import Prices
    from auditlint.kernel.eval_context import ResolvedPath
    from auditlint.kernel.event import Event, Tristate
    from auditlint.kernel.storage import Storage, Stored

LIST = "exit list walked at all"
MASKS = "exit-list mask tests"
HASH = "inode hash"
TREES = "watched tree visited before"
FILESYSTEM = "filesystem list"
EVENTS = "records written"


class CallPricing:
    """One system call. `touched`: the task has visited a watched tree before or in this call; `within`: in it."""

    def __init__(
        self,
        storage: Storage,
        prices: Prices,
        shapes: Shapes,
        event: Event,
        breakdown: CostBreakdown,
        touched: bool,
        within: bool,
    ) -> None:
        self.storage = storage
        self.prices = prices
        self.values = prices.values
        self.shapes = shapes
        self.event = event
        self.breakdown = breakdown
        self.touched = touched
        self.within = within
        self.objects = withheld(storage, event)[0][0]
        self.evaluation = EvalContext(event, storage.target, storage.facts, self.objects)
        self.fields = FieldPrices(self.values, self.evaluation, touched, within)
        self.bit = number_bit(event.nr) if event.nr is not None else 0
        self.doubtful = False

    def run(self, has_trees: bool, recorded: bool, daemon: str) -> Tristate:
        """Price the call and say whether it is logged. `recorded`: the task list has the task recorded."""
        if has_trees:
            self._trees()
        if self.storage.filesystem and self.objects:
            self._filesystem()
        winner = self._exit_list()
        if self.storage.hashed:
            for seen in self.objects or ():
                found = self._bucket(seen, winner)
                if found is not None:
                    winner = found
                    break
        if winner is None and not self.doubtful and not recorded:
            return False
        return self._records(daemon)

    def _meet(self, stored: Stored, at: ResolvedPath | None) -> RuleVisitCost:
        found = meet(stored, self.evaluation, at, self.fields)
        self.doubtful = self.doubtful or found.matched is None
        return found

    def _trees(self) -> None:
        tree = self.values["tree"]
        if self.touched:
            self.breakdown.add(TREES, tree)
        if not self.within:
            # A task that lives long enough visits every tree sooner or later, a short one perhaps none.
            self.breakdown.range(*((tree, 0.0) if self.touched else (0.0, tree)))

    def _filesystem(self) -> None:
        rules = self.storage.filesystem
        each = len(self.objects or ()) * self.values["filesystem"]
        self.breakdown.add(FILESYSTEM, each * len(rules), None, len(rules))
        for stored in rules:
            self.breakdown.charge(stored.index, each)

    def _exit_list(self) -> Stored | None:
        """Walk the exit list; the rule that ends it."""
        rules = self.storage.exit
        if not rules:
            return None
        self.breakdown.add(LIST, self.values["list"])
        groups = self.shapes.exit_groups(self.event.nr) if self.event.nr is not None else {}
        met = {shape: self._meet(group[0], None) for shape, group in groups.items()}
        matching = [groups[shape][0] for shape, meeting in met.items() if meeting.likely]
        winner = min(matching, key=lambda stored: stored.position) if matching else None
        length = len(rules) if winner is None else winner.position + 1
        mask = self.values["mask"]
        self.breakdown.add(MASKS, length * mask, None, length)
        for stored in rules[:length]:
            self.breakdown.charge(stored.index, mask)
        for shape, meeting in met.items():
            group = groups[shape]
            if winner is not None:
                group = [stored for stored in group if stored.position < length]
            self._enter(group, shape, meeting, 1.0)
        if self.doubtful:
            self._perhaps_shorter(groups, met, length)
        return winner

    def _perhaps_shorter(
        self, groups: Mapping[int, Sequence[Stored]], met: Mapping[int, RuleVisitCost], length: int
    ) -> None:
        """The bounds hold a walk that ends at the first rule that may match, and one that ends where it surely does."""
        ends = [(groups[shape][0].position + 1, meeting.matched) for shape, meeting in met.items()]
        least = min((end for end, matched in ends if matched is not False), default=length)
        most = min((end for end, matched in ends if matched), default=len(self.storage.exit))
        self.breakdown.range(
            self._stretch(groups, met, least, length), self._stretch(groups, met, length, max(most, length))
        )

    def _stretch(
        self, groups: Mapping[int, Sequence[Stored]], met: Mapping[int, RuleVisitCost], start: int, end: int
    ) -> float:
        """The price of a stretch of the exit list."""
        price = max(0, end - start) * self.values["mask"]
        for shape, group in groups.items():
            price += met[shape].total * sum(start <= stored.position < end for stored in group)
        return price

    def _enter(
        self, group: Sequence[Stored], shape: int, meeting: RuleVisitCost, chance: float, what: str = ""
    ) -> None:
        """Enter the price of rules of one shape, under their own parts or all under `what`."""
        count = len(group)
        if not count:
            return
        for reason, amount in meeting.parts:
            self.breakdown.add(what or reason, amount * count * chance, shape, count)
        for stored in group:
            self.breakdown.charge(stored.index, meeting.total * chance)
        self.breakdown.range((meeting.total - meeting.low) * count * chance, 0.0)
        trees = meeting.trees * count * chance
        self.breakdown.range(*((trees, 0.0) if self.touched else (0.0, trees)))
        for label in meeting.labels:
            self.breakdown.not_known[f"tests of {label}"] = None

    def _bucket(self, seen: ResolvedPath, winner: Stored | None) -> Stored | None:
        """The bucket of one path object: rules surely met, and the expectation over those that may be."""
        sure, maybe = bucket_rules(self.storage, seen)
        prio = winner.prio if winner is not None else 0
        met: dict[int, RuleVisitCost] = {}
        found = self._bucket_winner(sure, seen, prio, met)
        if found is not None:
            sure = [stored for stored in sure if stored.position <= found.position]
            maybe = [stored for stored in maybe if stored.position < found.position]
        for shape, rules in self.shapes.group(sure).items():
            self._bucket_group(shape, rules, seen, prio, met, 1.0)
        if sure:
            self.breakdown.add(HASH, self.values["bucket"])
        elif maybe:
            self._bucket_maybe_used(maybe)
        together = singles = 0.0
        for shape, rules in self.shapes.group(maybe).items():
            price = self._bucket_group(shape, rules, seen, prio, met, CHANCE)
            missing = sum(stored.bucket == MISSING_BUCKET for stored in rules) / len(rules)
            together += price * missing
            singles += price - price * missing
        if maybe:
            files = len(_files(maybe))
            low, high = bounds(files, singles / files if files else 0.0, together)
            expected = (singles + together) / BUCKETS
            self.breakdown.range(max(0.0, expected - low), max(0.0, high - expected))
        return found

    def _bucket_winner(
        self, sure: Sequence[Stored], seen: ResolvedPath, prio: int, met: dict[int, RuleVisitCost]
    ) -> Stored | None:
        """The first rule of the bucket that matches and outranks the winner of the exit list."""
        for stored in sure:
            if stored.mask & self.bit and stored.prio > prio:
                shape = self.shapes.of(stored)
                meeting = met.get(shape)
                if meeting is None:
                    meeting = met[shape] = self._meet(stored, seen)
                if meeting.likely:
                    return stored
        return None

    def _bucket_maybe_used(self, maybe: Sequence[Stored]) -> None:
        """What it costs that the bucket is not empty, times the chance that it is not."""
        inodes = len(_files(maybe)) + any(stored.bucket == MISSING_BUCKET for stored in maybe)
        self.breakdown.add(HASH, self.values["bucket"] * (1 - (1 - CHANCE) ** inodes))

    def _bucket_group(
        self,
        shape: int,
        rules: Sequence[Stored],
        seen: ResolvedPath,
        prio: int,
        met: dict[int, RuleVisitCost],
        chance: float,
    ) -> float:
        """Enter rules of one shape that are in the bucket with some chance; the price when all of them are."""
        mask = self.values["mask"]
        price = len(rules) * mask
        self.breakdown.add(HASH, price * chance, shape, len(rules))
        for stored in rules:
            self.breakdown.charge(stored.index, mask * chance)
        entered = [stored for stored in rules if stored.mask & self.bit]
        if prio and self.storage.target.kernel_at_least("5.16"):
            # Older kernels look at the priority only when the fields have been tested.
            skipped = [stored for stored in entered if stored.prio <= prio]
            entered = [stored for stored in entered if stored.prio > prio]
            self.breakdown.add(HASH, len(skipped) * self.values["prio"] * chance, shape, len(rules))
            for stored in skipped:
                self.breakdown.charge(stored.index, self.values["prio"] * chance)
            price += len(skipped) * self.values["prio"]
        if entered:
            meeting = met.get(shape)
            if meeting is None:
                meeting = met[shape] = self._meet(entered[0], seen)
            self._enter(entered, shape, meeting, chance, HASH)
            price += meeting.total * len(entered)
        return price

    def _records(self, daemon: str) -> Tristate:
        """What a logged call pays for its records."""
        decision = decide(self.storage, self.event)
        if decision.logged is False and not decision.records:
            if decision.place == "exclude list":
                self.breakdown.add(EVENTS, self.values["event"])
            return False
        events = self.prices.events
        amount = least = self.values["event"]
        # Where it is not known what is written, everything may be, or nothing.
        written = decision.records
        for record in (full(self.event) or ("SYSCALL", "PROCTITLE")) if written is None else written:
            if (record, daemon) in events:
                amount += events[record, daemon]
                least += min(events[record, "limited"], events[record, "none"]) if written is not None else 0.0
            elif record != "EOE":
                self.breakdown.not_known[f"record {record}"] = None
        if decision.key is not None or decision.logged is None:
            amount += events["key", daemon]
        spread = amount * self.prices.event_spread
        if not decision.logged:
            self.breakdown.range(0.0, amount + spread)
            return decision.logged
        self.breakdown.add(EVENTS, amount)
        self.breakdown.range(max(amount - least, spread), spread)
        if decision.by is not None:
            self.breakdown.charge(decision.by.index, amount)
        return True


def _files(rules: Sequence[Stored]) -> set[object]:
    """The files of hashed rules, missing ones left out: each has a bucket of its own."""
    return {stored.path or stored.inode for stored in rules if stored.bucket != MISSING_BUCKET}
