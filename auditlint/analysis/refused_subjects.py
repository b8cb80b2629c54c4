"""What refused lines were about: a rule that the user has written, only with a fault, was not forgotten."""

from __future__ import annotations

import re

from auditlint.analysis.line_text import line_bytes
from auditlint.analysis.unknown_syscalls import call_lists
from auditlint.auditctl import tables
from auditlint.core.target import DEFAULT_AUDITCTL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from auditlint.context.rules import RulesContext

ARCH = re.compile(rb"arch=([^ ]+)", re.IGNORECASE)
"""The arch of a line."""

_PERM = re.compile(rb"perm=([rwxaRWXA]+)", re.IGNORECASE)


def calls_of_refused(context: RulesContext, bits: int) -> frozenset[str]:
    """The system calls that refused lines name for the ABI of that width, or for any ABI, or mean by perm."""
    known = tables.machine_names(context.target.auditctl)
    found: set[str] = set()
    for entry in context.entries:
        if entry.verdict != "error":
            continue
        text = line_bytes(entry)
        arch = ARCH.search(text)
        word = arch[1].decode("utf-8", "replace").lower() if arch else ""
        machine = known.get(word)
        if word != f"b{96 - bits}" and (machine is None or machine.bits == bits):
            lists = call_lists(text)
            for start, end in lists:
                found.update(text[start:end].decode("utf-8", "surrogateescape").lower().split(","))
            perm = _PERM.search(text) if not lists else None
            for letter in perm[1].decode().lower() if perm else "":
                found.update(tables.perm_calls(DEFAULT_AUDITCTL).get(letter, ()))
    return frozenset(found)
