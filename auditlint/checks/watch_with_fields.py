"""AL904: -F behind -w."""

from __future__ import annotations

from auditlint.findings import Hit
from auditlint.subjects import at_span

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditlint.subjects import RulesSubject


def check(subject: RulesSubject) -> Iterator[Hit]:
    for _, entry in subject.on_list("exit"):
        names = entry.line.option_names
        if "-w" not in names or "-F" not in names:
            continue
        option = next(option for option in entry.line.options if option.name == "-F")
        message = f"-F {option.arg} behind -w works, but no manual says so: write -a always,exit with -F path or dir"
        yield Hit(at_span(entry, option.span), message)
