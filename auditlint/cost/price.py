"""Prices a rule set: the kernel's walk for each measured operation, multiplied with measured prices.

The formula is that of docs/cost-model.md.
"""

from __future__ import annotations

from functools import cached_property

from auditlint.core.frozen import replace
from auditlint.core.path_lookup import inside
from auditlint.cost.breakdown import CostBreakdown
from auditlint.cost.call import CallPricing
from auditlint.cost.cost_classes import Shapes
from auditlint.cost.fields import FieldPrices
from auditlint.cost.model import Cost, OperationCost, RuleCost
from auditlint.cost.operations import Call, operations
from auditlint.cost.prices import prices, unmeasured
from auditlint.cost.rule_visit import meet
from auditlint.cost.sources import quote
from auditlint.kernel.eval_context import EvalContext
from auditlint.kernel.evaluate import decide
from auditlint.kernel.storage import TASK

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from auditlint.cost.operations import Actor, Operation
    from auditlint.kernel.event import Event, PathObject, Tristate
    from auditlint.kernel.storage import Storage, Stored

ON = "auditing switched on"
RULES = "first rule: contexts filled and cleared"
NAMES = "path names collected"
MARKS = "file notification marks"
SIGNAL = "signal target noted"
FORK = "task list at the fork"
DISABLED = "switched off with -e 0"
CONTEXT = "audit context of the new task"

_SIGNAL_NOISE = 17.0
"""kill0 differs by 17 instructions between groups of scenarios, for a reason that is not known."""
_NAMES_SPREAD = 0.05
"""Collecting a name differs by that share between the measured operations (access_ok, open, stat, chmod, open_deep)."""
_DISABLED_SPREAD = 0.15
"""The same after -e 0 (e0_forked_after)."""
_DEPTHS = (-1, 8)
"""A name of a workload is taken to have two components; the bounds hold one to ten."""
_NOTES = 40.0
"""What a call may pay to note data of its own (mmap, pipe): a few stores, read from the source, not measured."""
_NOT_MEASURED = {
    "address": "socket addresses",
    "io_uring": "operations of io_uring",
    "label": "labels of IPC objects and traced tasks",
    "module": "names of kernel modules",
}
_WITHOUT_RULE = ("io_uring",)
"""What is done even while contexts are dummies."""
# Every caller of audit_signal_info(), kernel/signal.c, 6.1.
_KILLS = ("kill", "tkill", "tgkill", "rt_sigqueueinfo", "rt_tgsigqueueinfo", "pidfd_send_signal")
_FORKS = ("fork", "vfork", "clone", "clone3")
_EXECS = ("execve", "execveat")
_OF_THE_CHILD = (*_EXECS, "exit_group")
"""Calls of the measured operations that are not made by the measured task, but by the one it forks."""


class Pricing:
    """Prices loaded rules; holds what the operations of one pricing have in common.

    `enabled` is the state that the load leaves (0: `-e 0`). `running`: the task was there before the rules
    were loaded, so that the task list did not see it. `daemon` is who takes the records: `reader` (a daemon),
    `none`, or `limited` (the rate limit drops them).
    """

    def __init__(
        self,
        storage: Storage,
        actor: Actor,
        enabled: int | None = None,
        running: bool = False,
        daemon: str = "reader",
        line: str | None = None,
    ) -> None:
        self.storage = storage
        self.actor = actor
        self.enabled = enabled if enabled is not None else storage.facts.kernel_enabled
        self.said = enabled is not None
        self.running = running
        self.daemon = daemon
        self.prices = prices(storage.target, line)
        self.values = self.prices.values
        self.operations = operations(storage.target, actor)
        events = [call.event for operation in self.operations for call in operation.calls]
        names = [thing.name for operation in self.operations for thing in operation.visited if thing.name]
        names += [thing.name for event in events for thing in event.objects or () if thing.name]
        self.shapes = Shapes(storage, actor.ids, names, [event.exe for event in events if event.exe])
        lists = (storage.exit, storage.hashed, storage.task, storage.uring, storage.user, storage.exclude)
        self.rules = sorted((stored for rules in (*lists, storage.filesystem) for stored in rules), key=_load_order)
        self.trees = {stored.path for stored in storage.exit if stored.path is not None}
        self.parents = {stored.path.rpartition("/")[0] for stored in storage.hashed if stored.path is not None}
        self.marked = any(field.name in ("path", "dir", "exe") for stored in self.rules for field in stored.rule.fields)
        walked = (*storage.exit, *storage.hashed)
        self.asked = {field.name for stored in walked for field in stored.rule.fields}
        """What the rules that calls may meet ask for."""

    @cached_property
    def beside(self) -> tuple[Pricing, ...]:
        """The same with the prices of the measured lines that the bounds must hold, too."""
        where = (self.storage, self.actor, self.enabled if self.said else None, self.running, self.daemon)
        return tuple(Pricing(*where, line) for line in self.prices.beside)

    def cost(self, only: Sequence[str] = ()) -> Cost:
        """All operations, or those named."""
        priced = []
        for operation in self.operations:
            if not only or operation.name in only:
                breakdown = CostBreakdown()
                one = self.operation(operation, breakdown)
                for other in self.beside:
                    one = _holding(
                        one, other.operation(other.operations[self.operations.index(operation)], CostBreakdown())
                    )
                priced.append((one, breakdown))
        rules = [
            RuleCost(
                stored, {found.name: round(breakdown.rules.get(stored.index, 0.0), 1) for found, breakdown in priced}
            )
            for stored in self.rules
        ]
        found = tuple(found for found, _ in priced)
        return Cost(self.storage.target, self.actor, found, tuple(rules), self._remarks())

    def _remarks(self) -> tuple[str, ...]:
        remarks = list(self.prices.remarks)
        if self.storage.uring:
            remarks.append("rules of the io_uring list count as loaded; what io_uring work itself costs is not known")
            remarks.append(quote("io-uring-2021"))
        if self.storage.target.machine in ("aarch64", "arm"):
            remarks.append(quote("auditsyscall-forced-on-arm-2019"))
        facts = self.storage.facts
        files = sum(stored.path is not None for stored in self.storage.hashed)
        if files and not (facts.paths_missing or facts.directories or facts.directories_complete):
            remarks.append(
                f"watched paths ({files}) are taken to be files that exist; --root or --facts tells directories "
                "(tested at every call) and missing files (met by every failed look-up)"
            )
        if self.enabled == 0:
            remarks.append(self._switched_off())
        return tuple(remarks)

    def _switched_off(self) -> str:
        """What is priced when auditing is off at the end."""
        who = "a task that was running before" if self.running else "tasks forked afterwards"
        if self.said:
            return f"the load ends with auditing switched off (-e 0): measured differences, for {who}"
        return (
            "auditing is switched off in the kernel (facts: kernel.enabled = 0), and the load leaves it so: priced for "
            f"{who}, as after -e 0; where auditing was never on since the boot nothing is paid (the lower bound)"
        )

    def operation(self, operation: Operation, breakdown: CostBreakdown) -> OperationCost:
        """One measured operation, entered into the account."""
        base = (self.prices.user_bases if self.actor.uid else self.prices.bases)[operation.name]
        calls = len(operation.calls)
        breakdown.range(base.noise, base.noise)
        logged: Tristate = False
        start = "off" if self.enabled == 0 else self._start(operation.calls[0].event)
        spared = self._spared(operation) if start == "build" else ()
        if start != "never":
            saved = len(spared) * self.values["on"] + self.values["context"] if spared else 0.0
            breakdown.add(ON, base.on - base.off - saved)
        if start == "off":
            self._disabled(breakdown, calls, sum(len(call.event.objects or ()) for call in operation.calls))
        elif start != "never":
            if self.storage.counted:
                breakdown.add(RULES, (calls - len(spared)) * self.values["rules"])
                if not spared:
                    breakdown.add(NAMES, base.first - base.on - calls * self.values["rules"])
            logged = self._calls(breakdown, operation, start == "always", spared)
        self._marks(breakdown, operation, base.marks)
        parts = breakdown.parts()
        overhead = round(sum(part.amount for part in parts), 1)
        spread = self.prices.spread * max(overhead, 0.0)
        return OperationCost(
            operation.name,
            calls,
            base.off,
            overhead,
            self.at_least(overhead - breakdown.below - spread),
            None if breakdown.not_known or self.prices.foreign else round(overhead + breakdown.above + spread, 1),
            parts,
            logged,
            (*breakdown.not_known, *self.unknown),
            base.on,
        )

    @property
    def unknown(self) -> tuple[str, ...]:
        """What is not known of the target as a whole."""
        return (unmeasured(self.prices),) if self.prices.foreign else ()

    def at_least(self, least: float) -> float:
        """A lower bound; nothing is known of other machines and of a kernel that may never have audited."""
        if self.prices.foreign or (self.enabled == 0 and not self.said):
            return min(0.0, round(least, 1))
        return round(least, 1)

    def _start(self, event: Event) -> str:
        """What the task list has made of the task: `build`, `never` (no context) or `always` (recorded)."""
        if self.storage.task and not self.running:
            decision = decide(self.storage, event)
            if decision.place == TASK:
                return "always" if decision.logged else "never"
        return "build"

    def _disabled(self, breakdown: CostBreakdown, calls: int, names: int) -> None:
        """`-e 0`: no rule is looked at, the slow path stays.

        A task that was there before pays less, unless rules were loaded: then its context is no dummy either, and it
        pays what one pays that was forked afterwards (e0_forked_before_miss75).
        """
        if self.running and not self.storage.counted:
            breakdown.add(DISABLED, calls * self.values["disabled_early"])
            return
        amount = names * self.values["disabled_name"]
        breakdown.add(DISABLED, calls * self.values["disabled"] + amount)
        breakdown.range(_DISABLED_SPREAD * amount, _DISABLED_SPREAD * amount)

    def _marks(self, breakdown: CostBreakdown, operation: Operation, marks: float) -> None:
        """Notification marks are felt by every task, also by those without audit context."""
        outcomes = [call.event.outcome for call in operation.calls]
        if not self.marked or not marks or any(outcome.success is False for outcome in outcomes):
            return
        names = [thing.name or "" for call in operation.calls for thing in call.event.objects or ()]
        if operation.calls[-1].name == "close":
            marks += self.values["mark_parent"] * any(name.rpartition("/")[0] in self.parents for name in names)
        breakdown.add(MARKS, marks)

    def _spared(self, operation: Operation) -> tuple[Call, ...]:
        """The calls of a child that the task list refuses a context, its parent being older than the rules."""
        first = operation.calls[0]
        if first.name not in _FORKS or not self._refused(first.event):
            return ()
        return tuple(call for call in operation.calls if call.name in _OF_THE_CHILD)

    def _refused(self, event: Event) -> bool:
        """Whether the task list lets a task that is forked now go without context (audit_alloc())."""
        judged = decide(self.storage, event) if self.storage.task else None
        return judged is not None and judged.place == TASK and judged.logged is False

    def _calls(
        self, breakdown: CostBreakdown, operation: Operation, recorded: bool, spared: Sequence[Call]
    ) -> Tristate:
        """The calls of an operation by a task with a context; whether one of them is logged."""
        touched = self._inside(thing.name for thing in operation.visited if thing.name)
        logged: Tristate = False
        for call in operation.calls:
            if call in spared:
                continue
            within = self._inside(thing.name for thing in call.event.objects or () if thing.name and thing.mode)
            touched = touched or within
            answer = self._call(breakdown, call, touched, within, recorded)
            logged = logged or answer if answer is not False else logged
        return logged

    def _call(self, breakdown: CostBreakdown, call: Call, touched: bool, within: bool, recorded: bool) -> Tristate:
        """One system call of a task with a context; whether it is logged."""
        storage = self.storage
        logged: Tristate = False
        if storage.counted:
            pricing = CallPricing(storage, self.prices, self.shapes, call.event, breakdown, touched, within)
            logged = pricing.run(bool(self.trees), recorded, self.daemon)
        if storage.signals and call.name in _KILLS:
            breakdown.add(SIGNAL, self.values["signal" if storage.counted else "signal_dummy"])
            breakdown.range(_SIGNAL_NOISE, _SIGNAL_NOISE)
        if storage.task and call.name in _FORKS:
            self._task_list(breakdown, call)
        return logged

    def single(self, breakdown: CostBreakdown, name: str, event: Event, marks: str) -> Tristate:
        """A system call that no measured operation stands for, priced from its parts: entered into the account.

        `marks` are words of `syscalls.tsv`.
        """
        values, storage = self.values, self.storage
        things = event.objects or ()
        start = "off" if self.enabled == 0 else self._start(event)
        if start != "never":
            breakdown.add(ON, values["on"] + values["on_name"] * len(things))
        logged: Tristate = False
        if name in _FORKS and event.outcome.success:
            self._context(breakdown, event, start)
        if name in _EXECS:
            # That much exec differs from the sum of its calls in the laboratory, or from itself.
            noise = self.prices.bases["exec"].noise
            breakdown.range(noise, noise)
        if start == "off":
            self._disabled(breakdown, 1, len(things))
        elif start != "never":
            call = Call(name, event)
            if storage.counted:
                breakdown.add(RULES, values["rules"])
                names = sum(self._collecting(thing) for thing in things)
                breakdown.add(NAMES, names)
                breakdown.range(_NAMES_SPREAD * names, _NAMES_SPREAD * names)
                found = sum(thing.mode is not None and thing.type in ("NORMAL", "PARENT") for thing in things)
                breakdown.range(-_DEPTHS[0] * found * values["depth"], _DEPTHS[1] * found * values["depth"])
            touched = within = self._inside(thing.name for thing in things if thing.name and thing.mode)
            logged = self._call(breakdown, call, touched, within, start == "always")
        for word in marks.split(","):
            self._beyond(breakdown, word, logged, start in ("build", "always") and storage.counted > 0)
        return logged

    def _beyond(self, breakdown: CostBreakdown, word: str, logged: Tristate, noted: bool) -> None:
        """What a call does beside look-ups and rules. `noted`: its context is no dummy."""
        if word in _NOT_MEASURED:
            if noted or word in _WITHOUT_RULE:
                breakdown.not_known[_NOT_MEASURED[word]] = None
        elif word == "note":
            if noted:
                breakdown.range(0.0, _NOTES)
                if logged is not False:
                    breakdown.not_known["the record of the call's own data"] = None
        elif self.marked and word != "-":
            breakdown.add(MARKS, self.values["mark_" + word])

    def _context(self, breakdown: CostBreakdown, event: Event, start: str) -> None:
        """A new task gets an audit context, unless the task list says never."""
        if start == "never" or self._refused(event):
            return
        noise = self.prices.bases["fork"].noise
        breakdown.add(CONTEXT, self.values["context"])
        breakdown.range(noise, noise)

    def _collecting(self, thing: PathObject) -> float:
        values = self.values
        if thing.mode is None:
            return values["name_missing"]
        if thing.type in ("CREATE", "DELETE"):
            return values["name_child"]
        return values["name"] + values["depth"] * (thing.name or "/").rstrip("/").count("/")

    def _inside(self, names: Iterable[str]) -> bool:
        return any(inside(name, tree) for name in names for tree in self.trees)

    def _task_list(self, breakdown: CostBreakdown, call: Call) -> None:
        """The task list is walked once per new task; priced like the exit list (not measured)."""
        evaluation = EvalContext(call.event, self.storage.target, self.storage.facts, ())
        evaluation.on_task = True
        fields = FieldPrices(self.values, evaluation, False, False)
        for stored in self.storage.task:
            amount = meet(stored, evaluation, None, fields).total + self.values["mask"]
            breakdown.add(FORK, amount, stored.index, 1)
            breakdown.charge(stored.index, amount)


def _holding(one: OperationCost, other: OperationCost) -> OperationCost:
    """The same price with bounds that hold another pricing, too."""
    high = None if one.high is None or other.high is None else max(one.high, other.high)
    not_known = tuple(dict.fromkeys((*one.not_known, *other.not_known)))
    return replace(one, low=min(one.low, other.low), high=high, not_known=not_known)


def _load_order(stored: Stored) -> int:
    return stored.index
