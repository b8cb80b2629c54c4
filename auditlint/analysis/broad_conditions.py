"""Conditions that select no purpose but a kind of process: everybody, root, daemons, interpreters."""

from __future__ import annotations

import re

from auditlint.auditctl.field_table import TASK_IDS
from auditlint.auditctl.model import UNSET

TYPE_CHECKING = False
if TYPE_CHECKING:
    from auditlint.auditctl.model import Field

_RUNS_ANYTHING = (
    r".*/((ba|da|z|k|c|tc|fi|a|mk)?sh|busybox|env|sudo|su|xargs|java|node|nodejs|systemd|"
    r"(python|perl|ruby|php|lua)[-\d.]*)"
)
"""Programs that do what others tell them: shells, interpreters, starters."""
_PEOPLE = 60000
"""UID_MAX of login.defs: from here on ids belong to no people."""


def who(field: Field) -> str:
    """Whose actions a condition, alone in its rule, is about; empty when it is one program or account."""
    name, op, value = field.name, field.op, field.value
    if name == "exe" and op == "=" and re.fullmatch(_RUNS_ANYTHING, str(value)):
        return f"what {value} is asked to run"
    if name not in TASK_IDS or not isinstance(value, int):
        return ""
    if name == "auid" and value == UNSET and op == "=":
        return "what daemons, and intruders through them, do"
    if op in ("<", "<=") or (op == "=" and value == 0) or (op in (">", ">=") and value < _PEOPLE):
        return f"what processes with {name}{op}{value} do"
    return ""
