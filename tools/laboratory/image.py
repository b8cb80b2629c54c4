"""The file system of the guest: the C programs of `guest/`, auditctl, the measured files, and the plan."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from tools.laboratory.cpio import DEVICE, DIRECTORY, FILE, Member, archive
from tools.laboratory.kernels import run

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

GUEST = Path(__file__).parent / "guest"
COMPILERS = {"x86_64": "gcc", "aarch64": "aarch64-linux-gnu-gcc"}
PROGRAMS = {
    "init": ["-static"],
    "bench": ["-static"],
    "tiny": ["-static", "-nostdlib", "-Wl,--build-id=none"],
}
FOLDERS = (
    "bin",
    "data",
    "data/a",
    "dev",
    "etc",
    "etc/test",
    "etc/td",
    "proc",
    "root",
    "sys",
    "tmp",
    "usr",
    "usr/include",
)
MODES = {"tmp": 0o1777, "data": 0o777}
WATCHED_FILES = 300
WATCHED_FOLDERS = 90


def compiled(machine: str = "x86_64", names: tuple[str, ...] = ("init", "bench", "tiny")) -> dict[str, bytes]:
    """The C programs of the guest, statically linked."""
    out = {}
    with tempfile.TemporaryDirectory(prefix="auditlint-laboratory.") as folder:
        for name in names:
            target = Path(folder) / name
            flags = ["-O2", "-fno-stack-protector", "-Wall", *PROGRAMS.get(name, ["-static"])]
            run([COMPILERS[machine], *flags, "-o", str(target), str(GUEST / f"{name}.c")])
            out[name] = target.read_bytes()
    return out


def measured_tree() -> list[Member]:
    """The files that the operations and the scenarios name (docs/cost-model.md)."""
    members = [Member(folder, DIRECTORY | MODES.get(folder, 0o755)) for folder in FOLDERS]
    deep = "data/a"
    for name in "bcdef":
        deep += f"/{name}"
        members.append(Member(deep, DIRECTORY | 0o755))
    members += [Member(f"{deep}/plain", FILE | 0o644, b"plain\n"), Member("data/plain", FILE | 0o644, b"plain\n")]
    members += [Member(f"etc/test/f{number}", FILE | 0o666, b"watched\n") for number in range(WATCHED_FILES)]
    members += [Member(f"etc/td/d{number}", DIRECTORY | 0o755) for number in range(WATCHED_FOLDERS)]
    # The console must be there before the first process.
    members.append(Member("dev/console", DEVICE | 0o600, device=(5, 1)))
    members.append(Member("dev/null", DEVICE | 0o666, device=(1, 3)))
    members.append(Member("dev/zero", DEVICE | 0o666, device=(1, 5)))
    members.append(Member("bin/busybox", FILE | 0o755, b"#!/tiny\n"))
    return members


def build(
    programs: Mapping[str, bytes],
    loaders: Mapping[str, Mapping[str, bytes]],
    files: Mapping[str, str],
    paths: Sequence[Member] = (),
) -> bytes:
    """The initramfs: programs at the root, each auditctl in a folder of its own, further text files by name, and
    `paths` that are not in the measured tree."""
    members = measured_tree()
    names = {member.name for member in members}
    members += [member for member in paths if member.name not in names]
    members += [Member(name, FILE | 0o755, content) for name, content in programs.items()]
    for folder, parts in loaders.items():
        members.append(Member(folder, DIRECTORY | 0o755))
        members += [Member(f"{folder}/{name}", FILE | 0o755, content) for name, content in parts.items()]
    folders = sorted({str(Path(name).parent) for name in files} - {"."})
    members += [Member(folder, DIRECTORY | 0o755) for folder in folders]
    # auditctl -R refuses files that others than root can write, and reads nothing else of the mode.
    members += [Member(name, FILE | 0o640, text.encode()) for name, text in files.items()]
    return archive(members)
