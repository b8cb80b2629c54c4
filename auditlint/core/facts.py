"""Facts about the target host: given in a file or read from an image, never guessed. None means unknown."""

from __future__ import annotations

from auditlint.core.frozen import dataclass, field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Mapping


@dataclass(frozen=True, slots=True)
class FileFacts:
    """How a rules file will be installed; `auditctl -R` checks it. `type` is regular, directory, symlink,
    device or missing."""

    uid: int | None = None
    mode: int | None = None
    type: str | None = None


@dataclass(frozen=True, slots=True)
class Mount:
    """A mounted file system: device as "major:minor" and magic number."""

    dev: str | None = None
    fstype: int | None = None


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known about the host; the keys are those of `--facts` in docs/interfaces.md.

    `directories` holds the ancestors of its members too. `paths_missing`, `directories`, `symlinks` and
    `scripts` (files that begin with `#!`) may look at an image when asked (io/facts_file.py): ask them for a path, do
    not list them. `paths_complete`: what is not in `paths_missing` is there. `paths_unknown` may be there, and of what
    kind is not known: what an image does not let the user look at. `likely_directories` are taken for directories where
    nothing else is known. `labels` are the AppArmor labels. `programs_32bit`: the 64-bit kernel runs 32-bit programs
    (no key: the configuration of the kernel tells).
    """

    users: Mapping[str, int] | None = None
    groups: Mapping[str, int] | None = None
    users_missing: frozenset[str] = frozenset()
    paths_missing: Container[str] = frozenset()
    paths_complete: bool = False
    paths_unknown: Container[str] = frozenset()
    directories: Container[str] = frozenset()
    directories_complete: bool = False
    likely_directories: frozenset[str] = frozenset()
    symlinks: Mapping[str, str] = field(default_factory=dict)
    scripts: Container[str] = frozenset()
    lsm: str | None = None
    labels: frozenset[str] = frozenset()
    uid_min: int | None = None
    file: FileFacts | None = None
    kernel_enabled: int | None = None
    kernel_rules: tuple[str, ...] = ()
    inodes: Mapping[str, int] = field(default_factory=dict)
    mounts: Mapping[str, Mount] = field(default_factory=dict)
    programs_32bit: bool | None = None


UNKNOWN = Facts()
