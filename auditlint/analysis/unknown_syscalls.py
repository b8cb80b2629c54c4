"""Names behind -S that auditctl does not know on the machine of the rule, and what each of them is."""

from __future__ import annotations

from functools import cache

from auditlint.analysis.line_text import line_bytes, words
from auditlint.core.data import rows
from auditlint.core.frozen import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from auditlint.auditctl.entries import Entry
    from auditlint.auditctl.tables import Machine
    from auditlint.context.rules import RulesContext


@dataclass(frozen=True, slots=True)
class WrongName:
    """One element of a -S list: its text, where it stands in the line, the check that tells about it, and the name
    that works on `machine` instead."""

    text: str
    start: int
    end: int
    check: str
    machine: str
    instead: str | None = None


def wrong_names(context: RulesContext, entry: Entry) -> list[WrongName]:
    """The elements of the -S lists of a line that are no system calls of its machine, from left to right.

    The walk of auditctl ends at the first; here all lists of the line are looked at.
    """
    from auditlint.auditctl import tables

    release = context.target.auditctl
    machine = machine_of(context, entry)
    if machine is None or _is_io_uring(entry):
        return []
    known = {name.lower() for name in tables.calls(machine.name, release)}
    text = line_bytes(entry)
    found = []
    for start, stop in call_lists(text):
        for word in text[start:stop].split(b","):
            name = word.decode("utf-8", "surrogateescape")
            end = start + len(word)
            if name and name != "all" and name.lower() not in known and not name.isdigit():
                found.append(_judge(name, start, end, machine))
            start = end + 1
    return found


def call_lists(text: bytes) -> list[tuple[int, int]]:
    """Where the arguments of -S stand in a line."""
    found = []
    before = b""
    for start, end in words(text):
        word = text[start:end]
        if before == b"-S":
            found.append((start, end))
            word = b""
        elif word.startswith(b"-S") and len(word) > 2 and before not in (b"-k", b"-F"):
            found.append((start + 2, end))
        before = word
    return found


def in_kernel(context: RulesContext, name: str) -> bool:
    """Whether the kernel of the target has a call of that name; yes without a target, and where it is not known."""
    from auditlint.auditctl import tables
    from auditlint.core.target import NO_KERNEL, version

    since, kernel = tables.call_since_kernel().get(name.lower()), context.target.kernel
    return since is None or kernel == NO_KERNEL or version(kernel) >= version(since)


def without_name(text: bytes, start: int, end: int) -> bytes:
    """The line without one element of a -S list; a -S that is left empty goes, too."""
    if text[end : end + 1] == b",":
        return text[:start] + text[end + 1 :]
    if text[start - 1 : start] == b",":
        return text[: start - 1] + text[end:]
    before = text[:start].rstrip(b" ")
    return before[:-2].rstrip(b" ") + text[end:] if before.endswith(b"-S") else text


def machine_of(context: RulesContext, entry: Entry) -> Machine | None:
    """The machine whose table auditctl looks names up in: the last arch of the line, or its own."""
    from auditlint.auditctl import tables

    reader = context.reader().pairs
    machine = reader.native
    for option in entry.line.options:
        if option.name == "-F" and (option.arg or "").lower().startswith("arch"):
            field = reader.read(option.arg or "", "exit").field
            if field is not None and isinstance(field.value, int):
                machine = tables.machine_of_elf(field.value, context.target.auditctl)
    return machine


def _is_io_uring(entry: Entry) -> bool:
    return any(
        "io_uring" in (option.arg or "").lower() for option in entry.line.options if option.name in ("-a", "-A", "-d")
    )


def _judge(name: str, start: int, end: int, machine: Machine) -> WrongName:
    from auditlint.auditctl import tables

    folded = name.lower()
    spelling = tables.kernel_spelling(machine.name).get(folded)
    if spelling is not None:
        return WrongName(name, start, end, "syscall-spelling", machine.name, spelling)
    number = tables.kernel_calls(machine.name).get(folded)
    if number is not None:
        return WrongName(name, start, end, "syscall-spelling", machine.name, str(number))
    if folded in tables.all_calls():
        return WrongName(name, start, end, "syscall-not-on-machine", machine.name, replacement(folded, machine))
    return WrongName(name, start, end, "unknown-syscall", machine.name)


@cache
def _replacements() -> Mapping[str, tuple[str, ...]]:
    return {row[0]: tuple(row[1].split(",")) for row in rows("replacements.tsv")}


def replacement(name: str, machine: Machine) -> str | None:
    """The system call that does the same job on the machine, or None when we know of none."""
    from auditlint.auditctl import tables
    from auditlint.core.target import DEFAULT_AUDITCTL

    known = tables.calls(machine.name, DEFAULT_AUDITCTL)
    return next((other for other in _replacements().get(name, ()) if other in known), None)
