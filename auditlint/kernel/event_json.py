"""Events from their JSON form (docs/match.md): strict about types, silent about keys it does not know."""

from __future__ import annotations

from auditlint.kernel import syscall_classes as classes
from auditlint.kernel.event import (
    ANY,
    ID_NAMES,
    SOME_PID,
    SOME_SESSION,
    U32,
    UNSET,
    Event,
    Ids,
    Last,
    Outcome,
    Parent,
    PathObject,
    Range,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, TypeGuard

    from auditlint.core.target import Target
    from auditlint.kernel.event import Number

_OBJECT_TYPES = ("NORMAL", "PARENT", "CREATE", "DELETE", "UNKNOWN")
_REGISTER_MAX = (1 << 64) - 1
_ERRORS = Range(U32 - 4094, U32)
"""-4095..-1, what failing calls return."""
_VALUE_TELLS_SUCCESS = ("x86_64", "i386", "i486", "i586", "i686", "aarch64", "arm", "riscv64", "riscv32", "s390x")
"""Machines whose kernel derives success from the return value (is_syscall_success(), arch headers, 6.1)."""


class BadEvent(ValueError):
    """The JSON value is not an event; the text says which key and why."""


def event_from_json(data: object, target: Target, syscall_number: Callable[[str, int], int | None]) -> Event:
    """One event. `syscall_number(name, arch)` looks a system call name up; raises BadEvent."""
    if not isinstance(data, dict):
        raise BadEvent("an event must be a JSON object")
    arch = _arch(data, target)
    records = _records(data)
    ids = _ids(data, "ids")
    outcome = _outcome(data, target)
    session = _session(data, ids.auid)
    pers = _number(data, "pers")
    return Event(
        nr=_syscall(data, arch, syscall_number),
        arch=arch,
        args=_args(data),
        outcome=outcome,
        ids=ids,
        groups=_groups(data),
        pid=_number(data, "pid"),
        ppid=_number(data, "ppid"),
        pers=pers,
        session=session,
        exe=_exe(data),
        family=_family(data, records),
        flags=_number(data, "flags", 0),
        label=_text(data, "subj"),
        objects=_objects(data, records),
        task=_task(data, pers),
        last=_last(data, target),
        records=records,
    )


def _wrong(key: str, what: str) -> BadEvent:
    return BadEvent(f'"{key}" must be {what}')


def _integer(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _number(data: Mapping[str, Any], key: str, missing: Number = ANY) -> Number:
    """A number, cut to 32 bits as the kernel compares it; `"pid"` is some process id above 1."""
    value = data.get(key)
    if value is None:
        return missing
    if value == "pid":
        return SOME_PID
    if value == "unset":
        return UNSET
    if not _integer(value):
        raise _wrong(key, "a number")
    return int(value) & U32


def _text(data: Mapping[str, Any], key: str) -> str | None:
    value = data.get(key)
    if value is not None and not _is_text(value):
        raise _wrong(key, "a text")
    return value


def _is_text(value: object) -> TypeGuard[str]:
    """Text that can be written as UTF-8; bytes that are none came in as surrogate escapes. JSON allows more."""
    try:
        return isinstance(value, str) and value.encode("utf-8", "surrogateescape") is not None
    except UnicodeEncodeError:
        return False


def _arch(data: Mapping[str, Any], target: Target) -> int | None:
    """`abi`: 64 or 32 bits of the target machine, or an AUDIT_ARCH_* number."""
    abi = data.get("abi")
    if abi is None:
        return None
    if isinstance(abi, str):
        try:
            abi = int(abi, 16)
        except ValueError:
            raise _wrong("abi", "64, 32 or an AUDIT_ARCH number") from None
    if not _integer(abi):
        raise _wrong("abi", "64, 32 or an AUDIT_ARCH number")
    if abi not in (32, 64):
        return int(abi) & U32
    tables = classes.tables(target)
    for each in (tables.native, tables.compat):
        if each is not None and bool(each.elf & 0x80000000) is (abi == 64):
            return each.elf
    raise BadEvent(f'"abi": {abi} is not known for the machine {target.machine}')


def _syscall(data: Mapping[str, Any], arch: int | None, lookup: Callable[[str, int], int | None]) -> int | None:
    number = data.get("nr")
    if number is not None:
        if not _integer(number):
            raise _wrong("nr", "a number")
        return int(number)
    name = data.get("name")
    if name is None:
        return None
    if not _is_text(name):
        raise _wrong("name", "the name of a system call")
    if arch is None:
        return None
    found = lookup(name, arch)
    if found is None:
        raise BadEvent(f'"name": {name} is not a system call of this ABI; give "nr"')
    return found


def _args(data: Mapping[str, Any]) -> tuple[Number, Number, Number, Number]:
    """`a`: hexadecimal texts or null; missing ones are not known."""
    given = data.get("a")
    if given is None:
        given = []
    if not isinstance(given, list) or len(given) > 4:
        raise _wrong("a", "a list of up to four hexadecimal texts")
    values: list[Number] = []
    for word in given:
        if word is None:
            values.append(ANY)
            continue
        try:
            value = int(word, 16) if isinstance(word, str) else int(word) if _integer(word) else _refuse()
        except ValueError:
            raise _wrong("a", "a list of up to four hexadecimal texts") from None
        if not 0 <= value <= _REGISTER_MAX:
            raise _wrong("a", "numbers from 0 to ffffffffffffffff")
        values.append(value)
    values += [ANY] * (4 - len(values))
    return values[0], values[1], values[2], values[3]


def _refuse() -> int:
    raise ValueError


def _outcome(data: Mapping[str, Any], target: Target) -> Outcome:
    """`exit` and `success`; null for both: the call did not return."""
    success = data.get("success")
    if success is not None and not isinstance(success, bool):
        raise _wrong("success", "true, false or null")
    if "exit" in data and data["exit"] is None and success is None:
        return Outcome(False)
    if data.get("exit") is None:
        if success is None:
            return Outcome(None)
        failed = success is False and target.machine in _VALUE_TELLS_SUCCESS
        return Outcome(True, _ERRORS if failed else ANY, success)
    value = data["exit"]
    if value == "pid":
        return Outcome(True, SOME_PID, True if success is None else success)
    if not _integer(value):
        raise _wrong("exit", 'a number, "pid" or null')
    if -516 <= value <= -512 and value != -515:
        # Codes that restart the call are shown as -EINTR (audit_return_fixup()); -ENOIOCTLCMD is none.
        value = -4
    if success is None and target.machine in _VALUE_TELLS_SUCCESS:
        success = not -4095 <= value <= -1
    return Outcome(True, value & U32, success)


def _ids(data: Mapping[str, Any], key: str) -> Ids:
    given = data.get(key)
    if given is None:
        return Ids()
    if not isinstance(given, dict):
        raise _wrong(key, "an object of ids")
    return Ids(*(_number(given, name) for name in ID_NAMES))


def _groups(data: Mapping[str, Any]) -> frozenset[int] | None:
    given = data.get("groups")
    if given is None:
        return None
    if not isinstance(given, list) or not all(map(_integer, given)):
        raise _wrong("groups", "a list of group numbers")
    return frozenset(given)


def _session(data: Mapping[str, Any], auid: Number) -> Number:
    """`"set"`, `"unset"` or a number. When missing: a session is set exactly when the login id is
    (audit_set_loginuid(), kernel/auditsc.c, 6.1)."""
    value = data.get("session")
    if value == "set":
        return SOME_SESSION
    if value is not None:
        return _number(data, "session")
    if auid == UNSET:
        return UNSET
    return SOME_SESSION if isinstance(auid, int) or auid.hi < UNSET else ANY


def _exe(data: Mapping[str, Any]) -> str | None:
    """`exe`: the path of the program; null is a task without one, such as a kernel thread."""
    if "exe" in data and data["exe"] is None:
        return ""
    return _text(data, "exe")


def _family(data: Mapping[str, Any], records: tuple[str, ...] | None) -> Number | None:
    """`family`; without it a call whose records have no SOCKADDR passed no address."""
    if "family" in data and data["family"] is None:
        return None
    if "family" not in data:
        return None if records is not None and "SOCKADDR" not in records else ANY
    return _number(data, "family")


def _records(data: Mapping[str, Any]) -> tuple[str, ...] | None:
    given = data.get("records")
    if given is None:
        return None
    if _is_text(given):
        return tuple(given.split())
    if not isinstance(given, list) or not all(map(_is_text, given)):
        raise _wrong("records", "record types, as one text or a list")
    return tuple(given)


def _task(data: Mapping[str, Any], pers: Number) -> Parent:
    """`task`: what the task list saw. The personality is inherited, and taken to be that of the event."""
    given = data.get("task")
    if given is None:
        return Parent(pers=pers)
    if not isinstance(given, dict):
        raise _wrong("task", "an object")
    ids = _ids(given, "ids")
    return Parent(
        ids=ids,
        groups=_groups(given),
        pid=_number(given, "ppid"),
        pers=_number(given, "pers", pers),
        session=_session(given, ids.auid),
        label=_text(given, "subj"),
    )


def _last(data: Mapping[str, Any], target: Target) -> Last | None:
    given = data.get("last")
    if given is None:
        return None
    if not isinstance(given, dict):
        raise _wrong("last", "an object")
    family = _number(given, "family") if given.get("family") is not None else None
    if given.get("exit") is None and given.get("success") is None:
        return Last(family, Outcome(False))
    return Last(family, _outcome(given, target))


def _objects(data: Mapping[str, Any], records: tuple[str, ...] | None) -> tuple[PathObject, ...] | None:
    """`objects`; without them a call whose records have no PATH has none."""
    given = data.get("objects")
    if given is None:
        return () if records is not None and "PATH" not in records else None
    if not isinstance(given, list):
        raise _wrong("objects", "a list of path objects")
    return tuple(_object(each) for each in given)


def _object(data: object) -> PathObject:
    if not isinstance(data, dict):
        raise _wrong("objects", "a list of path objects")
    name = _text(data, "name")
    kind = data.get("type", "NORMAL")
    if kind not in _OBJECT_TYPES:
        raise _wrong("type", "one of " + ", ".join(_OBJECT_TYPES))
    inode = data.get("inode")
    if inode is not None and not _integer(inode):
        raise _wrong("inode", "a number")
    return PathObject(
        name=None if name == "(null)" else name,
        type=kind,
        file=_text(data, "file"),
        mode=_mode(data),
        ouid=_number(data, "ouid"),
        ogid=_number(data, "ogid"),
        inode=inode,
        dev=_device(data, "dev"),
        rdev=_device(data, "rdev"),
        fstype=_fstype(data),
        label=_text(data, "obj"),
    )


def _mode(data: Mapping[str, Any]) -> int | None:
    """`mode`: octal as in a PATH record."""
    value = data.get("mode")
    if value is None:
        return None
    if _integer(value):
        return int(value)
    try:
        if isinstance(value, str) and value.isalnum():
            return int(value, 8)
    except ValueError:
        pass
    raise _wrong("mode", "an octal text as in a PATH record")


def _device(data: Mapping[str, Any], key: str) -> tuple[int, int] | None:
    value = data.get(key)
    if value is None:
        return None
    if isinstance(value, str):
        major, colon, minor = value.partition(":")
        if colon and major.isdecimal() and minor.isdecimal() and value.isascii():
            return int(major), int(minor)
    raise _wrong(key, 'a device as "major:minor"')


def _fstype(data: Mapping[str, Any]) -> int | None:
    """`fstype`: the magic number, or the name of a filesystem."""
    value = data.get("fstype")
    if value is None or _integer(value):
        return value
    if isinstance(value, str):
        if value.lower().startswith("0x"):
            try:
                return int(value, 16)
            except ValueError:
                pass
        else:
            from auditlint.auditctl.tables import filesystem_magics

            found = filesystem_magics().get(value.lower())
            if found is not None:
                return found
    raise _wrong("fstype", "a magic number or the name of a filesystem")
