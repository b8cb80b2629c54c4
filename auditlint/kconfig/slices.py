"""The embedded slices: for each kernel line one small Kconfig file with what decides the recorded symbols."""

from __future__ import annotations

from auditlint.core.data import list_names, read_text, rows
from auditlint.core.errors import UserError
from auditlint.core.kernel_version import line_of_release
from auditlint.core.target import version
from auditlint.kconfig.engine import KconfigProblem

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


class Slice:
    """The slice of one kernel line. `arches` are the values of ARCH it knows (`um-i386` is um with SUBARCH=i386)."""

    def __init__(self, line: str) -> None:
        self.line = line
        text = read_text(f"rulesets/kconfig/{line}.kconfig")
        head, *self._sections = text.split("\n#@ ")
        self.arches: tuple[str, ...] = tuple(head.rpartition("\n#! ")[2].split())

    def text(self, arch: str) -> str:
        """The Kconfig text for one architecture."""
        parts = []
        for section in self._sections:
            names, _, body = section.partition("\n")
            if names == "*" or arch in names.split():
                parts.append(body)
        return "\n".join(parts) + "\n"


class OneFile:
    """A single text as the files of a tree."""

    def __init__(self, text: str) -> None:
        self._text = text

    def read(self, name: str) -> str:
        if name != "Kconfig":
            raise KconfigProblem(f"{name}: no such file in a slice")
        return self._text

    def glob(self, pattern: str) -> list[str]:
        return []


def lines() -> tuple[str, ...]:
    """Kernel lines that have a slice, oldest first."""
    found = (name.removesuffix(".kconfig") for name in list_names("rulesets/kconfig") if name.endswith(".kconfig"))
    return tuple(sorted(found, key=version))


def line_for(kernel: str) -> str:
    """The slice for a kernel: that of its own line, else of the nearest line that is not newer.

    Raises UserError for what is no kernel release, and for one before 2.6.32.
    """
    wanted = line_of_release(kernel)
    if wanted is None:
        raise UserError(f"{kernel!r} is not a kernel release such as 6.1 or 5.10.262")
    older = [line for line in lines() if version(line) <= version(wanted)]
    if not older:
        raise UserError(f"nothing is known about kernels before {lines()[0]} ({kernel} was asked for)")
    return older[-1]


def groups() -> Mapping[str, str]:
    """The recorded symbols and the group of each: audit, lsm, other or known (evaluated but not reported)."""
    return {row[0]: row[1] for row in rows("kconfig/recorded.tsv")}
