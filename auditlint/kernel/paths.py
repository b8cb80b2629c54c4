"""Where a path leads, from facts alone: links inside it followed, dots and doubled slashes removed."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from auditlint.facts import Facts

_MOST_LINKS = 40
"""The kernel gives up with ELOOP after 40 links (MAXSYMLINKS, include/linux/namei.h)."""


def resolve(path: str, facts: Facts, *, follow: bool) -> str:
    """The absolute path that a look-up of `path` reaches; the last component is followed only on demand.

    Only `facts.symlinks` are links. With more than 40 links the rest is left as it stands.
    """
    links = facts.symlinks
    if not links and "//" not in path and "/." not in path:
        return path.rstrip("/") or "/"
    rest = [part for part in path.split("/") if part not in ("", ".")]
    done: list[str] = []
    seen = 0
    rest.reverse()
    while rest:
        part = rest.pop()
        if part == "..":
            if done:
                done.pop()
            continue
        done.append(part)
        if (rest or follow) and seen < _MOST_LINKS and links:
            target = links.get("/" + "/".join(done))
            if target is not None:
                seen += 1
                done.pop()
                if target.startswith("/"):
                    done.clear()
                rest.extend(piece for piece in reversed(target.split("/")) if piece not in ("", "."))
    return "/" + "/".join(done)


def inside(path: str, directory: str) -> bool:
    """Whether `path` is the directory or lies below it."""
    return directory == "/" or path == directory or path.startswith(directory + "/")
