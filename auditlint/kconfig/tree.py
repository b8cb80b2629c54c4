"""A kernel source tree as a source of Kconfig files. Only regular files inside the tree are read."""

from __future__ import annotations

import os
import re
import stat
from glob import escape, glob

from auditlint.core.data import rows
from auditlint.core.errors import UserError
from auditlint.core.kernel_version import line_of_release
from auditlint.kconfig import compat, macros
from auditlint.kconfig.engine import STUBS, KconfigProblem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

DEEPEST = 12
"""Folders between a configuration and the top of its tree."""
SHELL_SECONDS = 60
MAX_FILE = 2 << 20
"""Bytes of one Kconfig file; the largest in Linux has about 120 KiB."""
MAX_FILES = 20_000
"""Files of one tree; Linux 7.1 sources about 1,700."""
MAX_TOTAL = 24 << 20
"""Bytes of all files; those of Linux 7.1 have about 7 MiB."""
MAX_LINE = 32 << 10

_MAKE_VARIABLE = re.compile(r"^(VERSION|PATCHLEVEL|SUBLEVEL|EXTRAVERSION)[ \t]*=[ \t]*(.*?)[ \t]*$", re.M)


class Tree:
    """The tree at `path`. Raises UserError when that is no kernel tree."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.root = os.path.realpath(path)
        if not os.path.isdir(self.root):
            raise UserError(f"{path}: no such directory")
        if not os.path.isfile(os.path.join(self.root, "Makefile")) or not os.path.isdir(
            os.path.join(self.root, "arch")
        ):
            raise UserError(f"{path}: not a kernel tree (no Makefile or no arch/)")
        self.release = self._release()

    def _release(self) -> str:
        """`6.1.192` from the top Makefile."""
        found: dict[str, str] = dict(_MAKE_VARIABLE.findall(self.text("Makefile")[:4000]))
        if not found.get("VERSION", "").isdigit() or not found.get("PATCHLEVEL", "").isdigit():
            raise UserError(f"{self.path}: Makefile names no kernel version")
        release = f"{found['VERSION']}.{found['PATCHLEVEL']}"
        sub = found.get("SUBLEVEL", "")
        return (f"{release}.{sub}" if sub else release) + found.get("EXTRAVERSION", "")

    @property
    def line(self) -> str:
        """The kernel line: two numbers, three for 2.6."""
        return line_of_release(self.release) or self.release

    def architectures(self) -> tuple[str, ...]:
        """The names under arch/."""
        folder = os.path.join(self.root, "arch")
        return tuple(sorted(name for name in os.listdir(folder) if os.path.isdir(os.path.join(folder, name))))

    def top(self, srcarch: str) -> str:
        """Where the configuration program starts: before 2.6.38 in the folder of the architecture."""
        return "Kconfig" if os.path.isfile(os.path.join(self.root, "Kconfig")) else f"arch/{srcarch}/Kconfig"

    def text(self, name: str) -> str:
        """The text of a regular file in the tree. Raises KconfigProblem."""
        path = os.path.realpath(os.path.join(self.root, name))
        if not path.startswith(self.root + os.sep):
            raise KconfigProblem(f"{name}: lies outside the tree {self.path}")
        try:
            # O_NONBLOCK: opening a FIFO must not wait for a writer.
            handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
        except OSError as error:
            raise KconfigProblem(f"{name}: {error.strerror}") from None
        with os.fdopen(handle, "rb") as file:
            status = os.fstat(handle)
            if not stat.S_ISREG(status.st_mode):
                raise KconfigProblem(f"{name}: not a regular file")
            if status.st_size > MAX_FILE:
                raise KconfigProblem(f"{name}: {status.st_size} bytes are too many for a Kconfig file")
            data = file.read(MAX_FILE + 1)
        if len(data) > MAX_LINE and max(map(len, data.split(b"\n"))) > MAX_LINE:
            raise KconfigProblem(f"{name}: has a line of more than {MAX_LINE >> 10} KiB")
        return data.decode("utf-8", "surrogateescape").replace("\r\n", "\n")

    def glob(self, pattern: str) -> list[str]:
        """The files that a `source` line names."""
        if not any(c in pattern for c in "*?["):
            return [pattern] if os.path.isfile(os.path.join(self.root, pattern)) else []
        width = len(self.root) + 1
        return sorted(name[width:] for name in glob(os.path.join(escape(self.root), pattern)))


class Whole:
    """All Kconfig files of a tree, for one reading of it."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._count = 0
        self._total = 0

    def read(self, name: str) -> str:
        """A Kconfig file, rewritten for Kconfiglib. Raises KconfigProblem."""
        text = self._tree.text(name)
        self._count += 1
        self._total += len(text)
        if self._count > MAX_FILES or self._total > MAX_TOTAL:
            raise KconfigProblem(f"{name}: the Kconfig files of {self._tree.path} are too many or too large altogether")
        return compat.rewrite(text)

    def glob(self, pattern: str) -> list[str]:
        """The files that a `source` line names."""
        return self._tree.glob(pattern)


class RelevantFiles(Whole):
    """The files of a tree that matter for the recorded symbols (`rulesets/kconfig/cone.tsv`); the others are empty.

    Behind the last line of the top file stand the symbols that the read files mention and nothing defines, as symbols
    that take what a configuration asks of them.
    """

    def __init__(self, tree: Tree, top: str) -> None:
        super().__init__(tree)
        self._top = top
        listed = list(rows("kconfig/cone.tsv"))
        self._skip = tuple(name for what, name in listed if what == "skip")
        self._keep = frozenset(name for what, name in listed if what == "keep")
        self._recorded = frozenset(row[0] for row in rows("kconfig/recorded.tsv"))
        self.mentioned: Callable[[], list[str]] = list

    def read(self, name: str) -> str:
        if name == STUBS:
            outside = (symbol for symbol in self.mentioned() if symbol not in self._recorded)
            return "".join(f'config {symbol}\n\ttristate "{symbol}"\n' for symbol in outside)
        if name.startswith(self._skip) and os.path.normpath(name) not in self._keep:
            return ""
        text = super().read(name)
        return text + f'\nsource "{STUBS}"\n' if name == self._top else text

    def glob(self, pattern: str) -> list[str]:
        if pattern == STUBS or (pattern.startswith(self._skip) and pattern not in self._keep and "*" not in pattern):
            return [pattern]
        return self._tree.glob(pattern)


def enclosing(path: str) -> str | None:
    """The kernel tree that a file lies in: the nearest folder above it that looks like the top of one."""
    folder = os.path.dirname(os.path.abspath(path))
    for _ in range(DEEPEST):
        wanted = ("Makefile", "Kconfig", "init/Kconfig", "security/Kconfig")
        if all(os.path.isfile(os.path.join(folder, name)) for name in wanted):
            return folder
        above = os.path.dirname(folder)
        if above == folder:
            return None
        folder = above
    return None


def kinds(arch: str) -> tuple[str, str, str]:
    """ARCH, SRCARCH (the folder under arch/) and SUBARCH for the name of an architecture."""
    found = next((row[1:4] for row in rows("kconfig/architectures.tsv") if row[0] == arch), (arch, arch, arch))
    return found[0], found[1], found[2]


def run_shell(tree: Tree) -> Callable[[str], str]:
    """Really run the commands of a tree's macros, in the tree. Only for a trusted tree (--allow-shell)."""
    import subprocess

    def run(command: str) -> str:
        environment = {**macros.VARIABLES, **os.environ}
        try:
            done = subprocess.run(
                ["/bin/sh", "-c", command], cwd=tree.root, env=environment, capture_output=True, timeout=SHELL_SECONDS
            )
        except (OSError, subprocess.TimeoutExpired) as error:
            raise KconfigProblem(f"--allow-shell: {command[:80]}: {error}") from None
        return done.stdout.decode("utf-8", "replace").rstrip("\n").replace("\n", " ")

    return run


def variables(arch: str, srcarch: str, subarch: str, release: str) -> dict[str, str]:
    """What `make ARCH=arch` exports to the configuration program."""
    return {
        **macros.VARIABLES,
        "ARCH": arch,
        "SRCARCH": srcarch,
        "SUBARCH": subarch,
        "HEADER_ARCH": "x86" if srcarch == "um" else srcarch,
        "KERNELVERSION": release,
        "KERNELRELEASE": release,
    }
