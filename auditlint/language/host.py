"""What auditctl asks of the host while it reads a line: users, groups, directories. Answered from facts."""

from __future__ import annotations

import re

from auditlint.language.tables import usual_directories

TYPE_CHECKING = False
if TYPE_CHECKING:
    from auditlint.facts import Facts


_NAME = re.compile(r"[^\s:,/<>=!&|*?;'\"$+-][^\s:,/<>=!&|*?;'\"]*")
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
    return name if _NAME.fullmatch(name) and name != "unset" else None


def is_directory(facts: Facts, path: str) -> bool:
    """Whether `path` is a directory when the rules are loaded.

    Facts decide where they can, symbolic links included. Otherwise a usual directory is one. How the path is written
    must not count: `/x` and `/x/` are one place, and two watches on it are equal rules.
    """
    resolved = _resolve(facts, path)
    if resolved in facts.directories:
        return True
    if resolved is None or facts.directories_complete or resolved in facts.paths_missing:
        return False
    return resolved in usual_directories() or path in usual_directories()


def _resolve(facts: Facts, path: str) -> str | None:
    """The path with dots and known symbolic links followed, at most 40 links as in the kernel.

    None when it goes on behind something that is known to be no directory.
    """
    if not facts.symlinks and "//" not in path and "/." not in path:
        return path
    done: list[str] = []
    waiting = path.split("/")[::-1]
    links = 0
    while waiting:
        part = waiting.pop()
        if part in (".", ".."):
            if facts.directories_complete and done and "/" + "/".join(done) not in facts.directories:
                return None
            if part == "..":
                del done[-1:]
        elif part:
            target = facts.symlinks.get("/" + "/".join([*done, part]))
            if target is None or links == 40:
                done.append(part)
            else:
                links += 1
                if target.startswith("/"):
                    done.clear()
                waiting += target.split("/")[::-1]
    return "/" + "/".join(done)
