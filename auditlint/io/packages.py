"""Which audit user space an image has: from its package database, else from the version string in the binary.

Nothing is run. Where each database lies and what its records look like: rulesets/target-sources.tsv names the
packages that hold auditctl; the forms are those of dpkg (deb822), apk (`installed`), opkg, pacman (`desc`), portage
and rpm (sqlite). rpm's ndb and Berkeley DB forms are not read: there the binary tells.
"""

from __future__ import annotations

import re

from auditlint.core.frozen import dataclass
from auditlint.io.rooted import Refused

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from auditlint.io.rooted import RootedTree

STATUS_MAX = 64 << 20
"""Bytes of a text database; Debian's of 3,000 packages has 4 MiB."""
SQLITE_MAX = 512 << 20
"""Bytes of rpmdb.sqlite; a desktop's has about 100 MiB."""
SQLITE_STEPS = 20_000
"""Thousands of steps that a query may take: a hostile schema can make one that never ends."""
BINARY_MAX = 16 << 20
"""Bytes of auditctl; distributions' have 50 KiB to 200 KiB, a static one about 2 MiB."""
HEADER_MAX = 32 << 20
"""Bytes of one header of an rpm database (the limit of rpm itself is 256 MiB)."""

_PACKAGES = ("audit-rules", "auditd", "audit")
"""Packages that hold auditctl, the surest one first: Fedora and EL 10 split audit-rules off audit."""
_VERSION = re.compile(r"(\d{1,4}\.\d{1,4}(?:\.\d{1,4})?)(?![\d])")
_PROGRAMS = ("/usr/sbin/auditctl", "/sbin/auditctl", "/usr/bin/auditctl", "/bin/auditctl")
_FORMAT = b"\0auditctl version %s\n\0"
"""What auditctl prints its version with (src/auditctl.c): the version is the string before it."""
_STANZA = re.compile(r"^Package:[ \t]*(auditd|audit-rules|audit)[ \t]*$", re.M)
_RPM = tuple(
    f"/{folder}/rpm/{name}"
    for folder in ("usr/lib/sysimage", "var/lib", "usr/share")
    for name in ("rpmdb.sqlite", "Packages.db", "Packages")
)


@dataclass(frozen=True, slots=True)
class Installed:
    """The release of auditctl in an image: upstream version, and the file of the image that says so. `package` is the
    version with all that the distribution adds."""

    version: str
    source: str
    package: str = ""


def auditctl_release(tree: RootedTree) -> tuple[Installed | None, tuple[str, ...]]:
    """The release of the audit user space, None when the image does not tell; and remarks about what was not read."""
    remarks: list[str] = []
    for read in (_dpkg, _rpm, _apk, _opkg, _pacman, _portage):
        try:
            named = read(tree, remarks.append)
        except Refused as error:
            remarks.append(str(error))
            continue
        if named is not None:
            return named, tuple(remarks)
    try:
        return _binary(tree), tuple(remarks)
    except Refused as error:
        return None, (*remarks, str(error))


def upstream(text: str) -> str | None:
    """`4.0.2` for `1:4.0.2-2+deb13u1` and `4.0.3-r0`; None for what begins with no version."""
    match = _VERSION.match(text.rpartition(":")[2])
    return match[1] if match else None


def program(tree: RootedTree) -> str | None:
    """Where auditctl lies in the image."""
    return next((path for path in _PROGRAMS if tree.kind(path) == "regular"), None)


def _named(version: str, source: str) -> Installed | None:
    release = upstream(version)
    return None if release is None else Installed(release, source.lstrip("/"), version)


def _text(tree: RootedTree, path: str, most: int = STATUS_MAX) -> str | None:
    data = tree.read(path, most)
    return None if data is None else data.decode("utf-8", "replace")


def _best(found: dict[str, Installed]) -> Installed | None:
    return next((found[name] for name in _PACKAGES if name in found), None)


def _dpkg(tree: RootedTree, say: Callable[[str], None]) -> Installed | None:
    """`status`, and the files of `status.d` in images without dpkg."""
    paths = ["/var/lib/dpkg/status"]
    paths += [f"/var/lib/dpkg/status.d/{name}" for name in tree.names("/var/lib/dpkg/status.d")]
    return _stanzas(tree, paths)


def _opkg(tree: RootedTree, say: Callable[[str], None]) -> Installed | None:
    return _stanzas(tree, ("/usr/lib/opkg/status", "/var/lib/opkg/status"))


def _stanzas(tree: RootedTree, paths: list[str] | tuple[str, ...]) -> Installed | None:
    """The package in files of deb822 stanzas. One whose state is not `installed` has left its configuration behind;
    the files of status.d have no state."""
    found: dict[str, Installed] = {}
    for path in paths:
        if path.endswith(".md5sums") or (text := _text(tree, path)) is None:
            continue
        for stanza in text.split("\n\n"):
            match = _STANZA.search(stanza)
            fields = dict(_fields(stanza)) if match is not None else {}
            if match is None or fields.get("Status", "install ok installed").split()[-1:] != ["installed"]:
                continue
            named = _named(fields.get("Version", ""), path)
            if named is not None:
                found[match[1]] = named
    return _best(found)


def _fields(stanza: str) -> Iterator[tuple[str, str]]:
    for line in stanza.split("\n"):
        name, colon, value = line.partition(":")
        if colon and not line.startswith((" ", "\t")):
            yield name, value.strip()


def _apk(tree: RootedTree, say: Callable[[str], None]) -> Installed | None:
    """apk-tools 2 and 3 keep stanzas of one-letter fields; merged /usr moved the file."""
    for path in ("/lib/apk/db/installed", "/usr/lib/apk/db/installed"):
        text = _text(tree, path)
        if text is None:
            continue
        for stanza in text.split("\n\n"):
            version = re.search(r"^V:(\S+)$", stanza, re.M) if re.search(r"^P:audit$", stanza, re.M) else None
            if version is not None:
                return _named(version[1], path)
    return None


def _pacman(tree: RootedTree, say: Callable[[str], None]) -> Installed | None:
    """One folder for each package: NAME-VERSION-RELEASE, with the same in its `desc`."""
    folder = "/var/lib/pacman/local"
    for name in tree.names(folder):
        if not name.startswith("audit-") or name.rsplit("-", 2)[0] != "audit":
            continue
        path = f"{folder}/{name}/desc"
        match = re.search(r"^%VERSION%\n(\S+)$", _text(tree, path) or "", re.M)
        return _named(match[1] if match else name.removeprefix("audit-"), path)
    return None


def _portage(tree: RootedTree, say: Callable[[str], None]) -> Installed | None:
    folder = "/var/db/pkg/sys-process"
    for name in tree.names(folder):
        if re.fullmatch(r"audit-\d[\w.-]*", name):
            return _named(name.removeprefix("audit-"), f"{folder}/{name}")
    return None


def _rpm(tree: RootedTree, say: Callable[[str], None]) -> Installed | None:
    for path in _RPM:
        if tree.kind(path) != "regular":
            continue
        if path.endswith("rpmdb.sqlite"):
            return _rpm_sqlite(tree, path, say)
        form = "ndb" if path.endswith(".db") else "Berkeley DB"
        say(f"{tree.label(path)}: rpm database in {form} form is not read; the version string in auditctl counts")
        return None
    return None


def _rpm_sqlite(tree: RootedTree, path: str, say: Callable[[str], None]) -> Installed | None:
    """The header of the package. The database is opened as a private copy, with its write-ahead log: sqlite follows
    links and writes beside what it opens."""
    import contextlib
    import os
    import tempfile

    with tempfile.TemporaryDirectory(prefix="auditlint-") as folder:
        copy = os.path.join(folder, "rpmdb.sqlite")
        for ending in ("", "-wal"):
            file = tree.open(path + ending)
            if file is None:
                continue
            with file, open(copy + ending, "wb") as out:
                if file.size > SQLITE_MAX:
                    raise Refused(tree.label(path + ending), f"larger than {SQLITE_MAX >> 20} MiB; not read")
                for start in range(0, file.size, 1 << 20):
                    out.write(file.read(start, 1 << 20))
        try:
            import sqlite3

            with contextlib.closing(sqlite3.connect(copy)) as database:
                steps = iter(range(SQLITE_STEPS))
                database.set_progress_handler(lambda: next(steps, None) is None, 1000)
                database.execute("PRAGMA trusted_schema = OFF")
                versions = dict(_rpm_versions(database))
        except ImportError:
            say(f"{tree.label(path)}: this Python has no sqlite3; the version string in auditctl counts")
            return None
        except sqlite3.Error as error:
            say(f"{tree.label(path)}: {error}; the version string in auditctl counts")
            return None
    named = {name: Installed(upstream(text) or "", path.lstrip("/"), text) for name, text in versions.items()}
    return _best({name: entry for name, entry in named.items() if entry.version})


def _rpm_versions(database: object) -> Iterator[tuple[str, str]]:
    """Name and VERSION-RELEASE of the audit packages."""
    query = "SELECT blob FROM Packages WHERE hnum IN (SELECT hnum FROM Name WHERE key = ?) AND length(blob) <= ?"
    for name in _PACKAGES:
        for (blob,) in database.execute(query, (name, HEADER_MAX)):  # type: ignore[attr-defined]
            fields = rpm_header(blob) if isinstance(blob, bytes) else {}
            if fields.get(1000) == name and 1001 in fields:
                yield name, f"{fields[1001]}-{fields.get(1002, '')}".rstrip("-")


def rpm_header(blob: bytes) -> dict[int, str]:
    """The strings of an rpm header by tag (1000 name, 1001 version, 1002 release); empty for what is none.

    A header is a count of entries, a count of data bytes, entries of 16 bytes (tag, type, offset, count, all
    big-endian) and the data; type 6 is a string that ends with NUL.
    """
    import struct

    if len(blob) < 8:
        return {}
    count, size = struct.unpack_from(">II", blob)
    base = 8 + 16 * count
    if count > 1 << 16 or base + size > len(blob):
        return {}
    fields = {}
    for number in range(count):
        tag, kind, offset, _ = struct.unpack_from(">iIiI", blob, 8 + 16 * number)
        if kind == 6 and 0 <= offset < size and tag in (1000, 1001, 1002):
            end = blob.find(b"\0", base + offset, base + size)
            if end >= 0:
                fields[tag] = blob[base + offset : end].decode("utf-8", "replace")
    return fields


def _binary(tree: RootedTree) -> Installed | None:
    """The version string in auditctl: what stands before the format it is printed with."""
    path = program(tree)
    data = None if path is None else tree.read(path, BINARY_MAX)
    if path is None or data is None:
        return None
    at = data.find(_FORMAT)
    start = data.rfind(b"\0", 0, at) + 1 if at > 0 else 0
    text = data[start:at].decode("latin-1") if 0 < at - start <= 64 else ""
    if not re.fullmatch(r"\d+\.\d+(?:\.\d+)*[A-Za-z0-9.-]*", text):
        return None
    return _named(text, path)


_ELF_MACHINES = {
    # e_machine of include/uapi/linux/elf-em.h, class in bits, little endian: what uname -m says there.
    (62, 64, True): "x86_64",
    (3, 32, True): "i386",
    (183, 64, True): "aarch64",
    (40, 32, True): "arm",
    (243, 64, True): "riscv64",
    (243, 32, True): "riscv32",
    (21, 64, True): "ppc64le",
    (21, 64, False): "ppc64",
    (20, 32, False): "ppc",
    (22, 64, False): "s390x",
    (22, 32, False): "s390",
    (258, 64, True): "loongarch64",
    (8, 32, False): "mips",
    (8, 32, True): "mipsel",
    (8, 64, False): "mips64",
    (8, 64, True): "mips64el",
    (2, 32, False): "sparc",
    (43, 64, False): "sparc64",
    (50, 64, True): "ia64",
    (0x9026, 64, True): "alpha",
}
_USUAL_PROGRAMS = (
    *_PROGRAMS,
    "/usr/lib/systemd/systemd",
    "/lib/systemd/systemd",
    "/sbin/init",
    "/bin/busybox",
    "/bin/sh",
)


def machine(tree: RootedTree) -> tuple[str, str] | None:
    """The machine that the programs of the image run on, and the file that says so; None when none does."""
    for path in _USUAL_PROGRAMS:
        try:
            file = tree.open(path)
        except Refused:
            continue
        if file is None:
            continue
        with file:
            head = file.read(0, 20)
        if len(head) < 20 or head[:4] != b"\x7fELF":
            continue
        little = head[5] == 1
        number = int.from_bytes(head[18:20], "little" if little else "big")
        name = _ELF_MACHINES.get((number, {1: 32, 2: 64}.get(head[4], 0), little))
        if name is not None:
            return name, path.lstrip("/")
    return None
