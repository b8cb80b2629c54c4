"""Which rule decides for a system call, what is written, and how the kernel got there.

Source: audit_alloc(), __audit_syscall_entry(), __audit_syscall_exit(), audit_log_exit() and the filters in
kernel/auditsc.c, audit_log_start() in kernel/audit.c, Linux 6.1.192; compared with real kernels 5.10, 6.1
and 6.12 (tests/kernel/test_decisions.py).
"""

from __future__ import annotations

from auditlint.core.frozen import dataclass, replace
from auditlint.kernel import event_records as records
from auditlint.kernel.effects import NONE, Effects, effects
from auditlint.kernel.eval_context import EvalContext, ResolvedPath
from auditlint.kernel.event import ANY, Outcome, PathObject
from auditlint.kernel.exclude import excluded
from auditlint.kernel.filesystem_filter import withheld
from auditlint.kernel.rule_walk import Visit, Walk, bucket_of, visit
from auditlint.kernel.storage import EXIT, HASH, TASK, TOP_PRIORITY, in_mask

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Literal, TypeAlias, TypeVar

    from auditlint.kernel.event import Event, Tristate
    from auditlint.kernel.storage import Storage, Stored

    T = TypeVar("T")

Switch: TypeAlias = "Literal['on', 'off', 'never', 'boot-off']"
"""Auditing while the call runs: on; switched off by `-e 0`; never switched on since boot; `audit=0`."""

_SWITCHED_OFF = {
    "off": "auditing is switched off (-e 0): system calls are not looked at",
    "never": "auditing was never switched on since boot: tasks have no audit context",
    "boot-off": "audit=0 on the kernel command line switches auditing off until the next boot",
}

_BUILD, _RECORD, _DISABLED = "build", "record", "disabled"
_UNKNOWN_OBJECT = ResolvedPath(PathObject(None, mode=0), True, None, None, None, None, None, ANY, ANY)


@dataclass(frozen=True, slots=True)
class Decision:
    """What becomes of a system call. None in `logged` means not known; `reasons` say why.

    `logged`: a SYSCALL record is written. `key` is the key it shows. `by` is the rule that decides, None
    when no rule matches or when it is not known; `place` the list that holds it. `records` are the types
    written, also without a SYSCALL record (an ANOM_LINK alone), None when not known. `walks` are the
    passes over the rules in the order the kernel makes them; of an uncertain event, one possible course.
    """

    logged: Tristate
    key: str | None = None
    by: Stored | None = None
    place: str | None = None
    records: tuple[str, ...] | None = None
    walks: tuple[Walk, ...] = ()
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class _Context:
    """The fields of struct audit_context that the filters read and write."""

    state: str = _BUILD
    prio: int = 0
    key: str | None = None
    by: Stored | None = None

    def won(self, stored: Stored) -> _Context:
        """After a rule has matched: a rule without key leaves the key of an earlier one (measured)."""
        state = _RECORD if stored.rule.action == "always" else _DISABLED
        key = stored.rule.key
        return _Context(state, stored.prio, self.key if key is None else key, stored)

    def auditable(self) -> _Context:
        """After another part of the kernel has logged a record in this call (auditsc_get_stamp())."""
        return replace(self, state=_RECORD, prio=1) if self.prio == 0 else self


@dataclass(frozen=True, slots=True)
class _World:
    """One way the call may have gone where the event does not say all."""

    objects: tuple[ResolvedPath, ...] | None
    vanished: int
    fx: Effects
    outcome: Outcome
    maybe_changes: bool = False


def decide(storage: Storage, event: Event, switch: Switch = "on") -> Decision:
    """What becomes of one system call with these rules freshly loaded."""
    if switch != "on":
        return Decision(False, records=(), reasons=(_SWITCHED_OFF[switch],))
    final, walks = _courses(storage, event)
    return _merge(final, tuple(walks))


def possible(storage: Storage, event: Event) -> list[Decision]:
    """Every decision that what the event leaves open allows: one when all is known. Without walks.

    Who knows more of the outcome, such as the key in the log, can choose among them.
    """
    return list(dict.fromkeys(_courses(storage, event)[0]))


def _courses(storage: Storage, event: Event) -> tuple[list[Decision], list[Walk]]:
    """The decisions of all ways that the call may have gone, and the passes over the rules of the first."""
    fork, starts = _fork(storage, event)
    walks = [fork] if storage.task else []
    final: list[Decision] = []
    for start in starts:
        if start.state == _DISABLED:
            why = "the task has no audit context (task list, never)"
            final.append(Decision(False, None, start.by, TASK, (), reasons=(why,)))
        elif not storage.counted and not records.starts_with_anomaly(event):
            why = "no rule on the task, exit and io_uring lists: contexts are dummies"
            final.append(Decision(False, records=(), reasons=(why,)))
        else:
            for world in _worlds(storage, event):
                found, passes = _call(storage, event, world, start)
                final.extend(found)
                if len(walks) <= 1:
                    walks += passes
    return final, walks


def _fork(storage: Storage, event: Event) -> tuple[Walk, list[_Context]]:
    """The task list at the fork: first match wins; what may have come out (audit_filter_task())."""
    evaluation = EvalContext(event, storage.target, storage.facts, ())
    task = event.task
    evaluation.on_task = True
    evaluation.ids, evaluation.groups, evaluation.pid = task.ids, task.groups, task.pid
    evaluation.pers, evaluation.session = task.pers, task.session
    visits: list[Visit] = []
    starts: list[_Context] = []
    for stored in storage.task:
        seen = visit(stored, evaluation)
        visits.append(seen)
        if seen.matched is not False:
            always = stored.rule.action == "always"
            key = stored.rule.key if always else None
            starts.append(_Context(_RECORD if always else _DISABLED, TOP_PRIORITY, key, stored))
        if seen.matched:
            break
    else:
        starts.append(_Context())
    return Walk(TASK, "fork", len(visits), tuple(visits)), starts


def _worlds(storage: Storage, event: Event) -> list[_World]:
    """The courses of the call that the event leaves open: what was withheld, and whether it succeeded."""
    success = event.outcome.success
    worlds: list[_World] = []
    for objects, vanished in withheld(storage, event):
        fx = NONE
        if objects is not None and success is not False and event.outcome.returned is not False:
            fx = effects(storage, objects)
        doubtful = objects is None and success is not False and _may_remove(storage, event)
        if fx is NONE or success:
            worlds.append(_World(objects, vanished, fx, event.outcome, doubtful))
        else:
            worlds.append(_World(objects, vanished, fx, replace(event.outcome, returned=True, success=True)))
            worlds.append(_World(objects, vanished, NONE, replace(event.outcome, success=False)))
    return worlds


def _may_remove(storage: Storage, event: Event) -> bool:
    """Whether a call of unknown objects may remove a watched directory and so log CONFIG_CHANGE."""
    if event.nr is None or not any(stored.path for stored in (*storage.exit, *storage.hashed)):
        return event.nr is None
    evaluation = EvalContext(event, storage.target, storage.facts, None)
    return evaluation.abi is None or (event.nr >= 0 and bool(evaluation.abi.dir_write >> min(event.nr, 2048) & 1))


def _call(storage: Storage, event: Event, world: _World, start: _Context) -> tuple[list[Decision], list[Walk]]:
    """One course of a call of a task with a context: entry to exit."""
    fx = world.fx
    evaluation = EvalContext(event, storage.target, storage.facts, world.objects)
    evaluation.outcome = world.outcome
    walks: list[Walk] = []
    first: list[str | None] = []
    contexts = [start]

    if fx.lost:
        early = EvalContext(event, storage.target, storage.facts, fx.early)
        early.outcome = _before_return(storage, event)
        early_walks, contexts = _hash(storage, early, contexts, "removal", Effects())
        walks += early_walks

    evaluation.gone, evaluation.bound = fx.gone, fx.bound
    if records.starts_with_anomaly(event):
        contexts = _logged_before(storage, evaluation, contexts, "ANOM_LINK", first)
    for _ in range(fx.changes):
        contexts = _logged_before(storage, evaluation, contexts, "CONFIG_CHANGE", first)
    if world.maybe_changes:
        first.append(None)
        contexts = _distinct([*contexts, *(each.auditable() for each in contexts)])

    list_walk, contexts = _list(storage, evaluation, contexts, fx)
    walks.append(list_walk)
    hash_walks, contexts = _hash(storage, evaluation, contexts, "exit", fx)
    walks += hash_walks
    return [_written(storage, event, evaluation, world, each, tuple(first)) for each in contexts], walks


def _before_return(storage: Storage, event: Event) -> Outcome:
    """The return value that a filter sees in the middle of a call: none, before 5.16 that of the last call."""
    if storage.target.kernel_at_least("5.16"):
        return Outcome(False)
    return event.last.outcome if event.last is not None else Outcome()


def _logged_before(
    storage: Storage, evaluation: EvalContext, contexts: list[_Context], name: str, first: list[str | None]
) -> list[_Context]:
    """A record of another part of the kernel, unless the exclude list drops it; None in `first`: not known."""
    dropped, _ = excluded(storage.exclude, name, evaluation)
    if dropped:
        return contexts
    first.append(name if dropped is False else None)
    marked = [each.auditable() for each in contexts]
    return marked if dropped is False else _distinct([*contexts, *marked])


def _distinct(contexts: list[_Context]) -> list[_Context]:
    return list(dict.fromkeys(contexts))


def _list(
    storage: Storage, evaluation: EvalContext, contexts: list[_Context], fx: Effects
) -> tuple[Walk, list[_Context]]:
    """The exit list: the first rule of greater priority that matches wins (audit_filter_syscall())."""
    number = evaluation.event.nr
    met = storage.exit if number is None else storage.exit_rules(number)
    if fx.dropped:
        met = tuple(stored for stored in met if stored.index not in fx.dropped)
    results: list[_Context] = []
    shown: Walk | None = None
    for context in contexts:
        visits: list[Visit] = []
        length = len(storage.exit)
        for stored in met:
            if stored.prio <= context.prio:
                visits.append(Visit(stored, 0, False, True))
                continue
            seen = _masked(visit(stored, evaluation), number)
            visits.append(seen)
            if seen.matched is not False:
                results.append(context.won(stored))
            if seen.matched:
                length = stored.position + 1
                break
        else:
            results.append(context)
        shown = shown or Walk(EXIT, "exit", length, tuple(visits))
    return shown or Walk(EXIT, "exit", 0, ()), _distinct(results)


def _masked(seen: Visit, number: int | None) -> Visit:
    """With an unknown number no mask is sure to have it."""
    return replace(seen, matched=None) if number is None and seen.matched else seen


def _hash(
    storage: Storage, evaluation: EvalContext, contexts: list[_Context], moment: str, fx: Effects
) -> tuple[list[Walk], list[_Context]]:
    """The inode hash for each path object: the first match of a bucket wins, the first object with a match
    ends the search (audit_filter_inodes())."""
    objects = evaluation.objects if evaluation.objects is not None else (_UNKNOWN_OBJECT,)
    if not storage.hashed or not objects:
        return [], contexts
    number = evaluation.event.nr
    chains = [_chain(storage, seen, fx) for seen in objects]
    results: list[_Context] = []
    shown: list[Walk] | None = None
    for context in contexts:
        walks: list[Walk] = []
        for at, seen in enumerate(objects):
            visits, winners = _bucket(chains[at], evaluation, seen, at, context, number)
            walks.append(Walk(HASH, moment, len(chains[at]), visits, at))
            results += winners
            if visits and visits[-1].matched:
                break
        else:
            results.append(context)
        shown = shown if shown is not None else walks
    return shown or [], _distinct(results)


def _bucket(
    chain: Sequence[Stored],
    evaluation: EvalContext,
    seen: ResolvedPath,
    at: int,
    context: _Context,
    number: int | None,
) -> tuple[tuple[Visit, ...], list[_Context]]:
    visits: list[Visit] = []
    winners: list[_Context] = []
    for stored in chain:
        if number is not None and not in_mask(stored, number):
            continue
        if stored.prio <= context.prio:
            visits.append(Visit(stored, 0, False, True, (), at))
            continue
        found = _masked(visit(stored, evaluation, seen, at), number)
        visits.append(found)
        if found.matched is not False:
            winners.append(context.won(stored))
        if found.matched:
            break
    return tuple(visits), winners


def _chain(storage: Storage, seen: ResolvedPath, fx: Effects) -> list[Stored]:
    """The hashed rules that a path object may match or surely meets, in the order of its bucket."""
    bucket = bucket_of(seen)
    found: dict[int, Stored] = {}
    if seen.exists and seen.path is None:
        # Only its number tells which file it is: any rule without number may be meant.
        rules = storage.hashed if bucket is None else (*storage.in_bucket(bucket), *storage.in_bucket(None))
    elif bucket is None:
        rules = (*storage.rules_on(seen.path or ""), *storage.rules_on(None))
    else:
        on_path = storage.rules_on(seen.path) if seen.path is not None else ()
        rules = (*storage.in_bucket(bucket), *(stored for stored in on_path if stored.bucket is None))
    if fx.bound:
        rules = (*rules, *(stored for stored in storage.hashed if stored.index in fx.bound))
    for stored in rules:
        if stored.index not in fx.dropped:
            found[stored.index] = stored
    return sorted(found.values(), key=lambda stored: fx.order.get(stored.index, stored.position))


def _written(
    storage: Storage,
    event: Event,
    evaluation: EvalContext,
    world: _World,
    context: _Context,
    before: tuple[str | None, ...],
) -> Decision:
    """What is written when the filters have left this context."""
    first = tuple(name for name in before if name is not None)
    sure = len(first) == len(before)
    if context.state != _RECORD:
        return Decision(False, None, context.by, _place(context), first if sure else None)
    dropped, by = excluded(storage.exclude, "SYSCALL", evaluation)
    if dropped:
        why = "the exclude list drops the SYSCALL record and with it the rest of the event"
        return Decision(False, None, by, by.place if by else None, first if sure else None, reasons=(why,))
    written = records.remaining(storage, event, evaluation, first, world.vanished) if sure else None
    if dropped is None:
        return Decision(None, context.key, context.by, _place(context), None)
    return Decision(True, context.key, context.by, _place(context), written)


def _place(context: _Context) -> str | None:
    return context.by.place if context.by is not None else None


def _merge(found: list[Decision], walks: tuple[Walk, ...]) -> Decision:
    """One decision from all that are possible: where they differ, not known."""
    logged = _same([each.logged for each in found])
    reasons: tuple[str, ...] = ()
    if logged is False:
        reasons = tuple(dict.fromkeys(reason for each in found for reason in each.reasons))
    keys = list(dict.fromkeys(each.key for each in found))
    if logged and len(keys) > 1:
        names = " or ".join("none" if key is None else key for key in keys)
        reasons = (f"which key is shown is not known: {names}",)
    by = _same([each.by for each in found])
    return Decision(
        logged,
        keys[0] if logged and len(keys) == 1 else None,
        by,
        by.place if by is not None else None,
        _same([each.records for each in found]) if logged is not None else None,
        walks,
        reasons,
    )


def _same(values: list[T]) -> T | None:
    """The value on which all agree, else None."""
    first = values[0]
    return first if all(value == first for value in values[1:]) else None
