"""AL122: no such field."""

from __future__ import annotations

from auditlint.analysis.unknown_names import unknown
from auditlint.checks.api import Hits, RulesContext, caused, refusal

HINTS = {
    "comm": "only records contain the name of a program; use exe with its path",
    "cmdline": "only records contain the command line; use exe with the path of the program",
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


def check(context: RulesContext) -> Hits:
    known = [name for name in context.reader().pairs.fields if name != "loginuid"]
    hits = unknown(context, "unknown-field", "unknown field", known)
    for entry, hit in zip(caused(context, "unknown-field"), hits, strict=True):
        word = entry.problem.context.lower() if entry.problem is not None else ""
        hint = HINTS.get(word)
        yield hit if hint is None else refusal(context, entry, f"unknown field {word}: {hint}")
