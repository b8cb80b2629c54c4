"""Facts about the target host: a `--facts` file, or an image below `--root`. Checks every key, never guesses."""

from __future__ import annotations

import stat
from collections.abc import Mapping

from auditlint.core.errors import UserError
from auditlint.core.facts import UNKNOWN, Facts, FileFacts, Mount
from auditlint.core.frozen import fields, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from auditlint.io.rooted import RootedTree

_LSMS = ("selinux", "apparmor", "smack", "none")
_FILE_TYPES = ("regular", "directory", "symlink", "device", "missing")
_NOT_ALLOWED = 0
"""Stands for the mode of a path that may be there: a directory before it cannot be searched."""
_UINT_MAX = 0xFFFFFFFF


def facts_from_toml(text: str, name: str) -> Facts:
    """Facts from the text of a `--facts` file (docs/facts.md). `name` is the file, for messages.

    Raises UserError naming the key for unknown keys, with the nearest one, and for values of the wrong kind.
    """
    from auditlint.core.data import parse_toml

    try:
        table = parse_toml(text)
    except ValueError as error:
        raise UserError(f"{name}: {' '.join(str(error).split())}") from error
    return facts_from_table(table, name)


def facts_from_table(table: Mapping[str, Any], name: str) -> Facts:
    """The same from parsed TOML."""
    values: dict[str, Any] = {}
    for key, value in table.items():
        reader = _READERS.get(key)
        if reader is None:
            raise UserError(f"{name}: {key}: unknown fact{_near(key, _READERS)}")
        values.update(reader(_Place(name, key), value))
    return Facts(**values)


def _near(word: str, known: Mapping[str, object] | tuple[str, ...]) -> str:
    from difflib import get_close_matches

    near = get_close_matches(word, list(known), 1)
    return f"; did you mean {near[0]}?" if near else f"; expected one of {', '.join(known)}"


class _Place:
    """Where a value stands, for messages."""

    __slots__ = ("key", "name")

    def __init__(self, name: str, key: str) -> None:
        self.name = name
        self.key = key

    def wrong(self, what: str) -> UserError:
        return UserError(f"{self.name}: {self.key}: {what}")

    def __truediv__(self, key: str) -> _Place:
        return _Place(self.name, f"{self.key}.{key}")

    def table(self, value: object) -> Mapping[str, Any]:
        if not isinstance(value, dict):
            raise self.wrong("must be a table")
        return value

    def text(self, value: object) -> str:
        if not isinstance(value, str):
            raise self.wrong("must be a string")
        return value

    def word(self, value: object, words: tuple[str, ...]) -> str:
        text = self.text(value)
        if text not in words:
            raise self.wrong(f"must be one of {', '.join(words)}, not {text!r}")
        return text

    def number(self, value: object, most: int = _UINT_MAX) -> int:
        if not isinstance(value, int) or isinstance(value, bool) or not 0 <= value <= most:
            raise self.wrong(f"must be a number from 0 to {most}")
        return value

    def path(self, value: object) -> str:
        text = self.text(value)
        if not text.startswith("/") or "\0" in text:
            raise self.wrong(f"must be an absolute path, not {text!r}")
        return "/" + "/".join(part for part in text.split("/") if part)

    def texts(self, value: object, read: Callable[[object], str] | None = None) -> list[str]:
        if not isinstance(value, list):
            raise self.wrong("must be a list")
        return [(read or self.text)(item) for item in value]

    def flag(self, value: object) -> bool:
        if not isinstance(value, bool):
            raise self.wrong("must be true or false")
        return value


def _ids(key: str) -> Callable[[_Place, object], dict[str, Any]]:
    def read(place: _Place, value: object) -> dict[str, Any]:
        return {key: {name: (place / name).number(number) for name, number in place.table(value).items()}}

    return read


def _directories(place: _Place, value: object) -> dict[str, Any]:
    listed = place.texts(value, place.path)
    found = {"/"}
    for path in listed:
        while path not in found:
            found.add(path)
            path = path.rpartition("/")[0] or "/"
    return {"directories": frozenset(found)}


def _symlinks(place: _Place, value: object) -> dict[str, Any]:
    links: dict[str, str] = {}
    for path, target in place.table(value).items():
        links[place.path(path)] = (place / path).text(target)
        if not target:
            raise (place / path).wrong("must not be empty")
    return {"symlinks": links}


def _file(place: _Place, value: object) -> dict[str, Any]:
    table = place.table(value)
    for key in table:
        if key not in ("uid", "mode", "type"):
            raise (place / key).wrong("unknown fact" + _near(key, ("uid", "mode", "type")))
    uid, mode, kind = table.get("uid"), table.get("mode"), table.get("type")
    return {
        "file": FileFacts(
            None if uid is None else (place / "uid").number(uid),
            None if mode is None else _mode(place / "mode", mode),
            None if kind is None else (place / "type").word(kind, _FILE_TYPES),
        )
    }


def _mode(place: _Place, value: object) -> int:
    """Octal digits as in chmod; a TOML number (0o640) is taken as it is."""
    if isinstance(value, str):
        try:
            value = int(value, 8)
        except ValueError:
            raise place.wrong(f'must be octal digits such as "0640", not {value!r}') from None
    return place.number(value, 0o7777)


def _kernel(place: _Place, value: object) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for key, what in place.table(value).items():
        if key == "enabled":
            found["kernel_enabled"] = (place / key).number(what, 2)
        elif key == "rules":
            found["kernel_rules"] = tuple((place / key).texts(what))
        else:
            raise (place / key).wrong("unknown fact" + _near(key, ("enabled", "rules")))
    return found


def _mounts(place: _Place, value: object) -> dict[str, Any]:
    found: dict[str, Mount] = {}
    for path, what in place.table(value).items():
        inner = place / path
        table = inner.table(what)
        for key in table:
            if key not in ("dev", "fstype"):
                raise (inner / key).wrong("unknown fact" + _near(key, ("dev", "fstype")))
        dev, fstype = table.get("dev"), table.get("fstype")
        found[place.path(path)] = Mount(
            None if dev is None else _device(inner / "dev", dev),
            None if fstype is None else (inner / "fstype").number(fstype),
        )
    return {"mounts": found}


def _device(place: _Place, value: object) -> str:
    text = place.text(value)
    major, colon, minor = text.partition(":")
    if not (colon and major.isdecimal() and minor.isdecimal()):
        raise place.wrong(f'must be "major:minor", not {text!r}')
    return text


def _inodes(place: _Place, value: object) -> dict[str, Any]:
    table = place.table(value)
    return {
        "inodes": {place.path(path): (place / path).number(number, (1 << 64) - 1) for path, number in table.items()}
    }


def _paths(place: _Place, value: object) -> dict[str, Any]:
    return {place.key: frozenset(place.texts(value, place.path))}


def _names(place: _Place, value: object) -> dict[str, Any]:
    return {place.key: frozenset(place.texts(value))}


_READERS: dict[str, Callable[[_Place, Any], dict[str, Any]]] = {
    "users": _ids("users"),
    "groups": _ids("groups"),
    "users_missing": _names,
    "paths_missing": _paths,
    "directories": _directories,
    "directories_complete": lambda place, value: {"directories_complete": place.flag(value)},
    "symlinks": _symlinks,
    "scripts": _paths,
    "lsm": lambda place, value: {"lsm": place.word(value, _LSMS)},
    "labels": _names,
    "uid_min": lambda place, value: {"uid_min": place.number(value)},
    "file": _file,
    "kernel": _kernel,
    "inodes": _inodes,
    "mounts": _mounts,
}


def facts_from_root(root: str) -> Facts:
    """Facts from an image or chroot; see `facts_from_tree`. Raises UserError when `root` is not a directory."""
    from auditlint.io.rooted import RootedTree

    return facts_from_tree(RootedTree(root))


def facts_from_tree(tree: RootedTree, remarks: list[str] | None = None) -> Facts:
    """Facts from an image: users, groups, the lowest user id, and the paths, looked at when asked for.

    What the image lacks (no etc/passwd) stays unknown; so does what is not read, and `remarks` gets a line about it.
    """
    image = _Image(tree)
    passwd, group, defs = (image.text("/etc/" + name, remarks) for name in ("passwd", "group", "login.defs"))
    return Facts(
        users=_name_table(passwd),
        groups=_name_table(group),
        uid_min=_uid_min(defs),
        paths_missing=_Missing(image),
        paths_complete=True,
        paths_unknown=_Unknown(image),
        directories=_Directories(image),
        directories_complete=True,
        symlinks=_Links(image),
        scripts=_Scripts(image),
    )


def join(first: Facts, second: Facts) -> Facts:
    """Both together: what `first` (the file) says counts, `second` (the image) fills in the rest."""
    said = {
        field.name: value
        for field in fields(Facts)
        if (value := getattr(first, field.name)) != getattr(UNKNOWN, field.name)
    }
    return replace(second, **said)


class _Image:
    """Looks paths up in an image, each once. No path that is asked for may have a link before its last component."""

    def __init__(self, tree: RootedTree) -> None:
        self._tree = tree
        self._modes: dict[str, int | None] = {}

    def mode(self, path: str) -> int | None:
        """File mode of an absolute path, its last link not followed; None when it is not there, _NOT_ALLOWED when this
        user may not look."""
        path = path.rstrip("/")
        if path not in self._modes:
            try:
                status = self._tree.status(path)
                self._modes[path] = None if status is None else status.st_mode
            except PermissionError:
                self._modes[path] = _NOT_ALLOWED
        return self._modes[path]

    def link(self, path: str) -> str | None:
        """Text of a symbolic link; None for anything else."""
        return self._tree.link(path) if stat.S_ISLNK(self.mode(path) or 0) else None

    def start(self, path: str, size: int) -> bytes:
        """The first bytes of a regular file; nothing when there is none."""
        from auditlint.io.rooted import Refused

        if not stat.S_ISREG(self.mode(path) or 0):
            return b""
        try:
            file = self._tree.open(path)
            if file is None:
                return b""
            with file:
                return file.read(0, size)
        except (Refused, OSError):
            return b""

    def text(self, path: str, remarks: list[str] | None) -> str | None:
        """Text of a file of the image, links followed inside it; None when there is none or it is not read."""
        from auditlint.io.rooted import Refused

        try:
            data = self._tree.read(path)
        except Refused as error:
            if remarks is not None:
                remarks.append(str(error))
            return None
        return None if data is None else data.decode("utf-8", "surrogateescape")


class _Missing:
    def __init__(self, image: _Image) -> None:
        self._image = image

    def __contains__(self, path: object) -> bool:
        return isinstance(path, str) and self._image.mode(path) is None


class _Unknown:
    def __init__(self, image: _Image) -> None:
        self._image = image

    def __contains__(self, path: object) -> bool:
        return isinstance(path, str) and self._image.mode(path) == _NOT_ALLOWED


class _Directories:
    def __init__(self, image: _Image) -> None:
        self._image = image

    def __contains__(self, path: object) -> bool:
        mode = self._image.mode(path) if isinstance(path, str) else None
        return mode is not None and stat.S_ISDIR(mode)


class _Scripts:
    def __init__(self, image: _Image) -> None:
        self._image = image

    def __contains__(self, path: object) -> bool:
        return isinstance(path, str) and self._image.start(path, 2) == b"#!"


class _Links(Mapping[str, str]):
    """The symbolic links of an image. They cannot be listed; the mapping counts as non-empty."""

    def __init__(self, image: _Image) -> None:
        self._image = image

    def __getitem__(self, path: str) -> str:
        target = self._image.link(path)
        if target is None:
            raise KeyError(path)
        return target

    def __iter__(self) -> Iterator[str]:
        return iter(())

    def __len__(self) -> int:
        return 1


def _name_table(text: str | None) -> dict[str, int] | None:
    """Names and numbers of a passwd or group file; lines that are none are passed over, the first of a name counts."""
    if text is None:
        return None
    found: dict[str, int] = {}
    for line in text.split("\n"):
        parts = line.split(":", 3)
        if len(parts) > 2 and not line.startswith(("#", "+", "-")):
            number = _small_number(parts[2])
            if number is not None:
                found.setdefault(parts[0], number)
    return found


def _uid_min(text: str | None) -> int | None:
    for line in (text or "").split("\n"):
        words = line.split()
        if len(words) > 1 and words[0] == "UID_MIN":
            return _small_number(words[1])
    return None


def _small_number(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= 10 else None
