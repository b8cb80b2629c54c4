"""AL213: system calls without the ABI they belong to."""

from __future__ import annotations

from auditlint.checks._calls import machines_of, named, numbers
from auditlint.checks._edit import offset
from auditlint.checks._fields import changed
from auditlint.checks._text import line_bytes
from auditlint.findings import Hit
from auditlint.language.model import ALL_SYSCALLS
from auditlint.language.tables import call_names, kernel_call_names
from auditlint.subjects import at_line, at_span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditlint.findings import Fix
    from auditlint.program import Entry
    from auditlint.subjects import RulesSubject


def check(subject: RulesSubject) -> Iterator[Hit]:
    machines = machines_of(subject.target)
    if len(machines) < 2:
        return
    own, other = machines
    ours, theirs = call_names(own.name, subject.target.auditctl), kernel_call_names(other.name)
    same = kernel_call_names(own.name)
    for rule, entry in subject.on_list("exit"):
        if not rule.mask or rule.mask == ALL_SYSCALLS or rule.get("arch") is not None:
            continue
        mask = named(entry, rule)
        wrong = [number for number in numbers(mask) if number in ours and same.get(number) != theirs.get(number)]
        if not wrong or mask == ALL_SYSCALLS:
            continue
        number = wrong[0]
        there = f"that is {theirs[number]}" if number in theirs else "there is no such call"
        message = (
            f"no arch: {ours[number]} is number {number} of {own.name}, which is compared for every ABI; "
            f"on {other.name} {there}"
        )
        option = next((option for option in entry.line.options if option.name == "-S"), None)
        at = at_line(entry) if option is None else at_span(entry, option.span)
        yield Hit(at, message, (), None if option is None else _fix(subject, entry, option.span[0]))


def _fix(subject: RulesSubject, entry: Entry, place: int) -> Fix | None:
    """The rule for both ABIs, each with its own numbers."""
    text = line_bytes(entry)
    at = offset(entry, place)
    both = b"\n".join(text[:at] + b"-F arch=" + arch + b" " + text[at:] for arch in (b"b64", b"b32"))
    return changed(subject, entry, "unsafe", "Write it for both ABIs", both)
