"""AL122: no such field."""

from __future__ import annotations

from auditlint.analysis.load_summary import refusal
from auditlint.analysis.refusal_causes import caused
from auditlint.analysis.unknown_names import unknown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditlint.context.rules import RulesContext
    from auditlint.core.findings import Hit

HINTS = {
    "comm": "the name of a program is part of the record only; use exe with its path",
    "cmdline": "the command line is part of the record only; use exe with the path of the program",
    "name": "use path or dir",
    "file": "use path",
    "obj": "the fields of the object are obj_user, obj_role, obj_type, obj_uid and obj_gid; of the program exe",
    "subj": "the fields of the task are subj_user, subj_role, subj_type, subj_sen and subj_clr",
    "type": "record types are msgtype",
    "syscall": "system calls are given with -S",
    "user": "use uid or auid",
    "group": "use gid",
    "ses": "use sessionid",
    "loginuid_set": "use auid!=unset",
}


def check(context: RulesContext) -> Iterator[Hit]:
    known = [name for name in context.reader().pairs.fields if name != "loginuid"]
    hits = unknown(context, "unknown-field", "unknown field", known)
    for entry, hit in zip(caused(context, "unknown-field"), hits, strict=True):
        word = entry.problem.context.lower() if entry.problem is not None else ""
        hint = HINTS.get(word)
        yield hit if hint is None else refusal(context, entry, f"unknown field {word}: {hint}")
