"""Which refused lines are told, and how often: every one must be an error finding of one check."""

from __future__ import annotations

from collections import Counter
from typing import Any

from auditlint.context.rules import RulesContext
from auditlint.core.facts import Facts
from auditlint.core.settings import DEFAULT
from auditlint.lint.runner import Selection, run_checks

USERS = {"root": 0, "daemon": 1, "bin": 2, "sys": 3, "nobody": 65534}
GROUPS = {"root": 0, "daemon": 1, "bin": 2, "sys": 3, "adm": 4, "tty": 5, "disk": 6, "nogroup": 65534}
HOST = Facts(users=USERS, groups=GROUPS)
LOADING = Selection(select=("AL0", "AL1", "AL301", "AL302"))
LOSES_TEXT = {"AL003", "AL004", "AL008"}
"""Checks that are errors although a line loads: a part of it is lost."""


def find(program: Any) -> Any:
    return run_checks(RulesContext(program, DEFAULT), LOADING)


def untold(program: Any) -> list[str]:
    """Lines where the number of refusals that are told is wrong."""
    told: Counter[str] = Counter()
    lossy: set[str] = set()
    for finding in find(program):
        if finding.severity == "error" and finding.at.span != (0, 0):
            told[place(finding.at)] += 1
            if finding.code in LOSES_TEXT:
                lossy.add(place(finding.at))
    refused = {place(entry.at) for entry in program.entries if entry.verdict == "error"}
    return [
        f"{at}: {told[at]} errors"
        for at in sorted(refused | set(told))
        if (told[at] != 1 if at in refused else at not in lossy)
    ]


def place(at: Any) -> str:
    return f"{at.source.path}:{at.source.line_of(at.span[0])}"
