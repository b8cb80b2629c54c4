"""What `advise --root` reads from an image: its rules, its kernel command line, the configuration of its kernel."""

from __future__ import annotations

import os

from auditlint.core.errors import UserError
from auditlint.core.frozen import dataclass
from auditlint.core.path_lookup import reached
from auditlint.core.target import version
from auditlint.io.facts_file import facts_from_root
from auditlint.io.inputs import Input, read_file, read_inputs
from auditlint.kconfig.origin import kernel_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from auditlint.core.facts import Facts

RULES = ("/etc/audit/rules.d", "/etc/audit/audit.rules")
CMDLINES = ("/etc/kernel/cmdline", "/usr/lib/kernel/cmdline", "/etc/default/grub")
"""Where an image keeps them; the first that is there counts."""
MODULES = ("/usr/lib/modules", "/lib/modules")
"""Folders with one folder for each kernel, in which distributions keep its `config`; Debian's is `/boot/config-*`."""


@dataclass(frozen=True, slots=True)
class Image:
    """The tree below a directory, links followed inside it."""

    root: str
    facts: Facts

    def place(self, path: str) -> str | None:
        """Where a path of the image is on this machine, None when it is not there."""
        found = None if path in self.facts.paths_missing else reached(path, self.facts)
        return None if found is None else self.root.rstrip("/") + found

    def rules(self, auditctl: str) -> Input | None:
        """Its rules.d, or the file beside it when that holds no rule file."""
        for name in RULES:
            path = self.place(name)
            if path is not None:
                found = read_rules(path, auditctl)
                if found.sources:
                    return found
        return None

    def cmdline(self) -> Input | None:
        path = next((path for name in CMDLINES if (path := self.place(name)) is not None), None)
        return None if path is None else Input("cmdline", path, (read_file(path),))

    def configs(self, kernel: str | None) -> list[str]:
        """The configurations of its kernels, the newest first; only those of a line when one is meant."""
        found = {}
        for name in self._names("/boot"):
            if name.startswith("config-"):
                found[name[7:]] = f"/boot/{name}"
        for folder in MODULES:
            for name in self._names(folder):
                found.setdefault(name, f"{folder}/{name}/config")
        numbered = {release: line for release in found if (line := kernel_line(release)) is not None}
        order = sorted(numbered, key=lambda each: (version(numbered[each]), _numbers(each)), reverse=True)
        places = (self.place(found[each]) for each in order if kernel in (None, numbered[each]))
        return [path for path in places if path is not None]

    def _names(self, folder: str) -> list[str]:
        path = self.place(folder)
        try:
            return sorted(os.listdir(path)) if path is not None else []
        except OSError:
            return []


def open_image(root: str) -> Image:
    """Raises UserError when the directory holds no image."""
    image = Image(root, facts_from_root(root))
    if all(path in image.facts.paths_missing for path in ("/etc", "/usr", "/boot")):
        raise UserError(f"{root}: not an image: it has no etc, usr or boot (--root)")
    return image


def read_rules(path: str, auditctl: str) -> Input:
    """A rules.d directory, or a file whose kind is known."""
    kind = None if os.path.isdir(path) else "rules"
    (found,) = read_inputs([path], auditctl=auditctl, kind=kind, search=False)  # type: ignore[arg-type]
    return found


def _numbers(release: str) -> list[int]:
    import re

    return [int(number) for number in re.findall(r"\d{1,9}", release)]
