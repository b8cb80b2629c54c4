"""Releases of distributions: what they ship, and how os-release names them (rulesets/targets.tsv)."""

from __future__ import annotations

from functools import cache

from auditlint.core.data import rows
from auditlint.core.errors import UserError
from auditlint.core.frozen import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_NOT_SAID = "-"
_NOT_KNOWN = "?"


@dataclass(frozen=True, slots=True)
class Release:
    """A release of a distribution as it was published. None: not known.

    `kernel` is a line such as `6.1`; `auditctl` the upstream version; `lsm` as in facts; `awk` is what runs augenrules
    (`mawk` or `gawk`); `package` holds auditctl; `auditd_enabled`: once it is installed; `sources` are keys of
    rulesets/target-sources.tsv.
    """

    name: str
    os_id: str | None
    versions: tuple[str, ...]
    codenames: tuple[str, ...]
    kernel: str | None
    auditctl: str | None
    lsm: str | None
    uid_min: int | None
    awk: str | None
    package: str | None
    accounts: tuple[str, ...]
    auditd_enabled: bool | None
    sources: tuple[str, ...]

    @property
    def vendor(self) -> str | None:
        """Whose kernel it is when that takes over features of later lines (rulesets/vendor-kernels.tsv)."""
        return next((row[2] for row in rows("vendor-kernels.tsv") if self.os_id in row[1].split()), None)


@cache
def releases() -> Mapping[str, Release]:
    """All releases by name, in the order of the table."""
    cells = {row[0]: row for row in rows("targets.tsv")}
    return {name: _release(row, cells) for name, row in cells.items()}


def release(name: str) -> Release:
    """The release that --target names; a minor version stands for its major one (`rhel-9.4`).

    Raises UserError with the nearest name.
    """
    every = releases()
    word = name.strip().lower()
    while word not in every:
        shorter, dot, _ = word.rpartition(".")
        if not dot:
            break
        word = shorter
    if word in every:
        return every[word]
    for entry in every.values():  # debian-bookworm
        if entry.os_id is not None and word in {f"{entry.os_id}-{code}" for code in entry.codenames}:
            return entry
    from difflib import get_close_matches

    near = get_close_matches(name, list(every), 1)
    raise UserError(
        f"--target {name}: unknown release"
        + (f"; did you mean {near[0]}?" if near else "")
        + " (auditlint list --targets names all)"
    )


def of_os_release(fields: Mapping[str, str]) -> Release | None:
    """The release that the fields of an os-release file name; None for one that is not in the table.

    A derivative of Enterprise Linux is told by PLATFORM_ID, other derivatives are not guessed from ID_LIKE: their
    kernels and packages differ.
    """
    from fnmatch import fnmatchcase

    os_id, number, code = fields.get("ID", ""), fields.get("VERSION_ID", ""), fields.get("VERSION_CODENAME", "")
    for entry in releases().values():
        if entry.os_id != os_id:
            continue
        if code in entry.codenames and (not number or not entry.versions):
            return entry
        if any(fnmatchcase(number, pattern) for pattern in entry.versions):
            return entry
    platform = fields.get("PLATFORM_ID", "")
    return (
        releases().get("rhel-" + platform.removeprefix("platform:el")) if platform.startswith("platform:el") else None
    )


def os_release_fields(text: str) -> dict[str, str]:
    """The assignments of an os-release file (os-release(5)): shell words, without expansion; the last one counts."""
    import shlex

    fields = {}
    for line in text.split("\n"):
        name, equals, value = line.strip().partition("=")
        if not equals or not name.replace("_", "").isalnum() or len(value) > 1024:
            continue
        try:
            words = shlex.split(value)
        except ValueError:
            continue  # an open quote
        fields[name] = words[0] if words else ""
    return fields


@cache
def links(name: str) -> Mapping[str, str]:
    """The symbolic links of a release: canonical path of the link to its text. Empty when none are known."""
    own = {row[0]: row[1] for row in rows("target-links.tsv") if name in row[2].split()}
    found: dict[str, str] = {}
    for path in sorted(own, key=lambda path: path.count("/")):
        above, _, last = path.rpartition("/")
        place = _absolute(above, found[above]) if above in found else above
        found[f"{place}/{last}"] = own[path]
    return found


def _absolute(link: str, text: str) -> str:
    from posixpath import join, normpath

    return normpath(join(link.rpartition("/")[0] or "/", text))


def _release(row: Sequence[str], cells: Mapping[str, Sequence[str]]) -> Release:
    """A row with what the release that it is like says in the places it leaves open."""
    base = cells.get(row[1])

    def cell(column: int) -> str | None:
        text = row[column]
        if text == _NOT_SAID and base is not None:
            text = base[column]
        return None if text in (_NOT_SAID, _NOT_KNOWN) else text

    def words(column: int) -> tuple[str, ...]:
        return tuple((cell(column) or "").split())

    uid_min, enabled = cell(8), cell(12)
    own = tuple(word for word in row[13].split() if word != _NOT_SAID)
    more = () if base is None else tuple(word for word in base[13].split() if word != _NOT_SAID and word not in own)
    return Release(
        row[0],
        None if row[2] == _NOT_SAID else row[2],
        tuple(row[3].split()) if row[3] != _NOT_SAID else (),
        tuple(row[4].split()) if row[4] != _NOT_SAID else (),
        cell(5),
        cell(6),
        cell(7),
        None if uid_min is None else int(uid_min),
        cell(9),
        cell(10),
        words(11),
        None if enabled is None else enabled == "yes",
        own + more,
    )
