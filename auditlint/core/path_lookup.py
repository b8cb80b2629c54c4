"""Looking paths up in the facts, as the kernel would on the host: what is missing, what is a directory."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from auditlint.core.facts import Facts

NAME_MAX = 255
"""Bytes in one component of a path (include/uapi/linux/limits.h)."""
PATH_MAX = 4096
"""Bytes of a path with its closing NUL."""
_LINKS_MAX = 40


def look_up(path: str, facts: Facts, *, parent: bool = False, directory: bool = False) -> str | None:
    """The errno of looking up an absolute path as far as the facts tell, or None. What they do not name exists.

    A symbolic link as last component is not followed, unless a slash stands behind it. With `parent` only the
    directory of the last component must exist, and that component must be a name (kern_path_locked(), fs/namei.c).
    `directory`: the path is meant to be one, so that a complete list of directories without it says that it is missing.
    """
    error, place, _ = _walk(path, facts, parent, path.endswith("/"))
    if error is None and directory and facts.directories_complete and not facts.paths_complete:
        known = place == "" or place in facts.directories or place in facts.symlinks
        return None if known else "ENOENT"
    return error


def is_directory(path: str, facts: Facts) -> bool | None:
    """Is the path a directory, all links followed? None when the facts do not say."""
    place = reached(path, facts)
    if place is None:
        return False
    if place == "/" or place in facts.directories:
        return True
    if place in facts.paths_unknown:
        return None
    return False if facts.directories_complete else None


def reached(path: str, facts: Facts) -> str | None:
    """The path without links, dots and doubled slashes that a look-up ends at, all links followed; None on an error."""
    error, place, _ = _walk(path, facts, False, True)
    return None if error is not None else place or "/"


def resolve(path: str, facts: Facts, *, follow: bool) -> str:
    """The place that `path` names, there or not: links inside it followed, the last one only on demand, dots and
    doubled slashes removed. Where a look-up would fail, the rest is taken as it is written."""
    if not facts.symlinks and "//" not in path and "/." not in path:
        return path.rstrip("/") or "/"
    _, place, rest = _walk(path, facts, False, follow)
    for name in reversed(rest):
        place = place.rpartition("/")[0] if name == ".." else f"{place}/{name}"
    return place or "/"


def inside(path: str, directory: str) -> bool:
    """Whether `path` is the directory or lies below it."""
    return directory == "/" or path == directory or path.startswith(directory + "/")


def _walk(path: str, facts: Facts, parent: bool, follow: bool) -> tuple[str | None, str, list[str]]:
    """The error of a look-up, the place that was reached (without links; empty for the root), and with an error the
    names that are left, the first one last. `follow` means the last link."""
    silent = not (facts.symlinks or facts.paths_missing or facts.directories_complete)
    if silent and len(path) < NAME_MAX // 3 and "/." not in path and "//" not in path and path[-1:] != "/":
        return None, path, []  # most paths of most runs
    todo = _components(path)
    if len(path.encode("utf-8", "surrogateescape")) >= PATH_MAX:
        return "ENAMETOOLONG", "", todo
    if parent and path.rstrip("/").rpartition("/")[2] in ("", ".", ".."):
        return "EINVAL", "", todo
    here = ""
    links = 0
    while todo:
        name = todo.pop()
        if name == "..":
            here = here.rpartition("/")[0]
            continue
        if len(name.encode("utf-8", "surrogateescape")) > NAME_MAX:
            return "ENAMETOOLONG", here, [*todo, name]
        if parent and not todo:
            break
        there = f"{here}/{name}"
        target = facts.symlinks.get(there) if todo or follow else None
        if target is not None:
            links += 1
            if links > _LINKS_MAX:
                return "ELOOP", here, [*todo, name]
            if target.startswith("/"):
                here = ""
            todo += _components(target)
            continue
        if there in facts.paths_missing:
            return "ENOENT", here, [*todo, name]
        here = there
        if todo and facts.directories_complete and here not in facts.directories:
            if here in facts.paths_unknown:
                continue
            return "ENOTDIR" if facts.paths_complete else "ENOENT", here, todo
    return None, here, []


def _components(path: str) -> list[str]:
    """The names of a path, the first one last, so that they can be popped."""
    return [name for name in reversed(path.split("/")) if name not in ("", ".")]
