"""Why an event is or is not logged, step by step in the order of the kernel's walk."""

from __future__ import annotations

from auditlint.auditctl import tables
from auditlint.kernel.event import ID_NAMES, UNSET, Range
from auditlint.kernel.storage import EXIT, HASH, TASK, number_bit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from auditlint.auditctl.model import Field
    from auditlint.kernel.evaluate import Decision
    from auditlint.kernel.event import Event, Number
    from auditlint.kernel.rule_walk import Visit, Walk
    from auditlint.kernel.storage import Storage, Stored

_MOMENTS = {"fork": "at the fork: ", "removal": "when the name goes away: ", "exit": ""}
_LETTERS = ((4, "r"), (2, "w"), (1, "x"), (8, "a"))


def rule_name(stored: Stored) -> str:
    """The place of the rule (`a.rules:4`), or its number when it comes from no file."""
    if stored.entry is None:
        return f"rule {stored.index + 1}"
    at = stored.entry.at
    return f"{at.source.path}:{at.line}"


def field_text(stored: Stored, number: int) -> str:
    """A condition as the user wrote it, or as auditctl would."""
    field = stored.rule.fields[number]
    if stored.entry is not None:
        for source in stored.entry.line.field_sources:
            if source.index == number and source.option.name in ("-F", "-C") and source.option.arg:
                return source.option.arg
    return plain_text(field)


def plain_text(field: Field) -> str:
    """A condition in the words of auditctl, numbers where it has no names."""
    value = field.value
    if field.name == "field_compare" and isinstance(value, int):
        left, right, _ = tables.comparison_pairs().get(value, (str(value), "?", False))
        return f"{left}{field.op}{right}"
    if field.name == "perm" and isinstance(value, int):
        return f"perm{field.op}" + "".join(letter for bit, letter in _LETTERS if value & bit)
    if field.name == "arch" and isinstance(value, int):
        return f"arch{field.op}{tables.arch_values().get(value, hex(value))}"
    if value == UNSET and field.name in ("auid", "sessionid"):
        return f"{field.name}{field.op}unset"
    return f"{field.name}{field.op}{value}"


def call_text(event: Event, storage: Storage) -> str:
    """A system call as name and number, as far as they are known."""
    if event.nr is None:
        return "this system call"
    machine = tables.machine_of_elf(event.arch, storage.target.auditctl) if event.arch is not None else None
    name = tables.kernel_call_names(machine.name).get(event.nr) if machine is not None else None
    return f"{name} ({event.nr})" if name is not None else f"system call {event.nr}"


def steps(storage: Storage, event: Event, decision: Decision) -> list[str]:
    """The steps of a decision, for people."""
    lines = list(decision.reasons) if not decision.walks else []
    met: set[int] = set()
    for walk in decision.walks:
        lines += _walk_steps(storage, event, walk)
        met.update(visit.stored.index for visit in walk.visits)
    if any(walk.place == HASH and walk.moment == "exit" for walk in decision.walks) or (
        decision.walks and storage.hashed
    ):
        files = {(stored.path, stored.inode): stored for stored in storage.hashed if stored.index in met}
        lines += [
            _not_met(stored, files) for stored in storage.hashed if stored.index not in met and decision.place != TASK
        ]
    lines += [reason for reason in decision.reasons if reason not in lines]
    lines.append(_outcome(decision))
    return lines


def _not_met(stored: Stored, files: Mapping[tuple[str | None, int | None], Stored]) -> str:
    """Why a rule on a path was not tested. `files` are the rules that were, by their file."""
    rule = f"{rule_name(stored)} {_place_text(stored)}"
    first = files.get((stored.path, stored.inode))
    if first is not None:
        return f"{rule} is not tested: {rule_name(first)}, on the same file, has already decided"
    return f"{rule} is not a path object of the call"


def _place_text(stored: Stored) -> str:
    for number, field in enumerate(stored.rule.fields):
        if field.name in ("path", "inode"):
            return field_text(stored, number)
    return "its file"


def _walk_steps(storage: Storage, event: Event, walk: Walk) -> Iterator[str]:
    before = _MOMENTS[walk.moment]
    about = ""
    if walk.object is not None and event.objects is not None and walk.object < len(event.objects):
        thing = event.objects[walk.object]
        about = f"for {thing.name or thing.file or '(null)'}: "
    visits = {visit.stored.index: visit for visit in walk.visits}
    chain: tuple[Stored, ...] = tuple(visit.stored for visit in walk.visits)
    if walk.place == EXIT:
        chain = storage.exit[: walk.length]
    for stored in chain:
        visit = visits.get(stored.index)
        if visit is not None:
            yield f"{before}{rule_name(stored)} {about}{_visit_text(event, visit)}"
        elif event.nr is not None and not stored.mask & number_bit(event.nr):
            yield f"{before}{rule_name(stored)} does not name {call_text(event, storage)}"
        else:
            yield f"{before}{rule_name(stored)} is gone: the call removed the directory that it watches"
    if walk.place == EXIT and walk.length < len(storage.exit):
        yield f"{before}later rules on the exit list are not tested"


def _visit_text(event: Event, visit: Visit) -> str:
    stored = visit.stored
    if visit.outranked:
        return "is not tested: a rule loaded before it has already decided"
    unknown = ", ".join(field_text(stored, number) for number in visit.unknown)
    if visit.matched:
        key = f", key {stored.rule.key}" if stored.rule.key is not None else ", no key"
        return f"matches: {stored.rule.action}{key}"
    if visit.matched is None:
        return f"may match: the event does not show enough for {unknown or 'its system calls'}"
    number = visit.tested - 1
    actual = _actual(event, stored.rule.fields[number])
    return f"{field_text(stored, number)} is false" + (f": {actual}" if actual else "")


def _actual(event: Event, field: Field) -> str:
    """What the event has in place of the value that the field wants."""
    if field.name in ID_NAMES:
        return f"{field.name} is {_number(getattr(event.ids, field.name))}"
    if field.name == "arch" and event.arch is not None:
        return f"the call is {tables.arch_values().get(event.arch, hex(event.arch))}"
    if field.name in ("exit", "success"):
        if event.outcome.returned is False:
            return "the call did not return"
        if event.outcome.success is not None and field.name == "success":
            return "the call succeeded" if event.outcome.success else "the call failed"
        return f"exit is {_number(event.outcome.exit)}" if field.name == "exit" else ""
    if field.name in ("a0", "a1", "a2", "a3"):
        return f"{field.name} is {_number(event.args[int(field.name[1])])}"
    if field.name == "exe" and event.exe:
        return f"exe is {event.exe}"
    if field.name in ("pid", "ppid", "pers"):
        return f"{field.name} is {_number(getattr(event, field.name))}"
    if field.name == "sessionid":
        return f"sessionid is {_number(event.session)}"
    return ""


def _number(value: Number) -> str:
    if isinstance(value, Range):
        return "not known" if value.lo != value.hi else _number(value.lo)
    if value == UNSET:
        return "unset"
    return str(value) if value < 0xFFFFF000 or value > UNSET else str(value - (1 << 32))


def _outcome(decision: Decision) -> str:
    if decision.logged is None:
        return "not known whether the event is logged"
    if decision.logged:
        key = f"with key {decision.key}" if decision.key is not None else "without a key"
        if decision.by is None and decision.records and decision.records[0] != "SYSCALL":
            return f"logged {key}: {decision.records[0]} was written in this call, and no never rule matches"
        if decision.by is None:
            return f"logged {key}"
        beaten = next(
            (walk.winner for walk in decision.walks if walk.winner not in (None, decision.by) and walk.place == EXIT),
            None,
        )
        front = f", which was loaded before {rule_name(beaten)}" if beaten is not None else ""
        return f"logged {key}, by {rule_name(decision.by)}{front}"
    if decision.by is not None:
        return f"not logged, because of {rule_name(decision.by)}"
    return "not logged" if decision.reasons else "not logged: no rule matches"
