"""Facts that a log tells about its host: kinds of places, inode numbers, links, the security module."""

from __future__ import annotations

from auditlint.core.frozen import replace
from auditlint.core.path_lookup import resolve

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from auditlint.core.facts import Facts
    from auditlint.logs.tally import Tally


def links(tally: Tally, facts: Facts) -> dict[str, str]:
    """Names under which a program was started whose inode is that of another name: symbolic or hard links. A name that
    is a script runs an interpreter with another inode."""
    own = {exe: ident for name, (exe, ident) in tally.starts.items() if name == exe}
    found = {}
    for name, (exe, ident) in sorted(tally.starts.items()):
        if name != exe and own.get(exe) == ident and resolve(name, facts, follow=True) != exe:
            found[name] = exe
    return found


def with_learned(facts: Facts, tally: Tally) -> Facts:
    """The facts with what the log adds to them; what they say themselves counts."""
    places = {place for place, kind in tally.kinds.items() if kind == "directory"}
    directories = facts.directories
    if not facts.directories_complete and isinstance(directories, frozenset):
        directories = directories | _with_ancestors(places)
    symlinks: Mapping[str, str] = facts.symlinks
    learned = links(tally, facts)
    if learned and not facts.paths_complete:
        symlinks = {**learned, **facts.symlinks}
    return replace(facts, directories=directories, symlinks=symlinks)


def _with_ancestors(places: set[str]) -> frozenset[str]:
    found = set(places)
    for place in places:
        while place:
            place = place.rpartition("/")[0]
            found.add(place or "/")
    return frozenset(found)


def facts_toml(tally: Tally, facts: Facts, log: str) -> Iterator[str]:
    """A facts file of what the log tells. Inode numbers are those seen last."""
    yield f"# learned from {log}"
    if facts.lsm is not None:
        yield f"lsm = {_text(facts.lsm)}"
    places = sorted(place for place, kind in tally.kinds.items() if kind == "directory")
    if places:
        yield "directories = [" + ", ".join(map(_text, places)) + "]"
    learned = links(tally, facts)
    if learned:
        yield "symlinks = { " + ", ".join(f"{_text(name)} = {_text(exe)}" for name, exe in learned.items()) + " }"
    if tally.inodes:
        rows = ", ".join(f"{_text(path)} = {number}" for path, number in sorted(tally.inodes.items()))
        yield "# inodes change when a file is replaced: remove the number sign if these are still right"
        yield "# inodes = { " + rows + " }"


def _text(text: str) -> str:
    """A TOML string."""
    import json

    safe = text.encode("utf-8", "surrogateescape").decode("utf-8", "replace")
    return json.dumps(safe, ensure_ascii=True)
