"""What auditctl asks of the host while it reads a line: users, groups, directories. Answered from facts."""

from __future__ import annotations

import re

from auditlint.auditctl.model import ACCOUNT_FIELDS
from auditlint.auditctl.tables import usual_directories
from auditlint.core import path_lookup as lookup

TYPE_CHECKING = False
if TYPE_CHECKING:
    from auditlint.core.facts import Facts


_NAME = r"[^\s:,/<>=!&|*?;'\"$+-][^\s:,/<>=!&|*?;'\"]*"
"""What may be the name of a user or group somewhere; `-1` and `>0` are none."""


def user_number(facts: Facts, name: str) -> int | str | None:
    """The number of a user; None when the host has no such user; the name itself when nobody knows.

    Without a list of users only root is certain: any other word that can be a name is taken to exist.
    """
    if name in facts.users_missing:
        return None
    if facts.users is not None:
        return facts.users.get(name)
    return _guess(name)


def group_number(facts: Facts, name: str) -> int | str | None:
    """The same for a group."""
    return _guess(name) if facts.groups is None else facts.groups.get(name)


def _guess(name: str) -> int | str | None:
    if name == "root":
        return 0
    # `-F uid!=euid`: no host has an account that is called like a field.
    return name if re.fullmatch(_NAME, name) and name != "unset" and name not in ACCOUNT_FIELDS else None


def is_directory(facts: Facts, path: str) -> bool:
    """Whether `path` is a directory when the rules are loaded.

    Facts decide where they can, symbolic links included. Otherwise a usual directory is one. How the path is written
    must not count: `/x` and `/x/` are one place, and two watches on it are equal rules.
    """
    known = lookup.is_directory(path, facts)
    if known is not None:
        return known
    return (
        path in facts.likely_directories
        or path in usual_directories()
        or lookup.reached(path, facts) in usual_directories()
    )
