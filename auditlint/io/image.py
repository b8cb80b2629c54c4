"""What is read from an image below --root: rules, what really boots, kernels, user space, and what it is.

Every path is opened through one RootedTree, so nothing outside the image is ever read.
"""

from __future__ import annotations

from functools import cached_property

from auditlint.core.errors import UserError
from auditlint.core.frozen import dataclass
from auditlint.core.kernel_version import line_of_release
from auditlint.core.source import Source
from auditlint.core.target import version
from auditlint.io.inputs import LARGEST, Input, check_rule_lines
from auditlint.io.rooted import Refused, RootedTree

TYPE_CHECKING = False
if TYPE_CHECKING:
    from auditlint.bootargs.boot_entries import BootArguments
    from auditlint.core.facts import Facts
    from auditlint.core.targets import Release
    from auditlint.core.user_space import UserSpace

RULES = ("/etc/audit/rules.d", "/etc/audit/audit.rules")
MODULES = ("/usr/lib/modules", "/lib/modules")
"""Folders with one folder for each kernel, in which distributions keep its `config`; Debian's is `/boot/config-*`."""
CMDLINES = ("a boot entry", "etc/kernel/cmdline", "etc/default/grub")
"""Where a kernel command line is looked for, in words."""
_KERNEL_FILES = ("vmlinuz-", "vmlinux-", "kernel-", "Image-", "config-")
_OF_MODULES = ("vmlinuz", "config", "kernel", "modules.dep")
_OS_RELEASES = ("/etc/os-release", "/usr/lib/os-release")
_OS_RELEASE_MAX = 1 << 16


@dataclass(frozen=True, slots=True)
class Kernel:
    """A kernel of the image: its release, line, the file of the image that says so, and where its configuration is."""

    release: str
    line: str
    source: str
    config: str | None


@dataclass(frozen=True, slots=True)
class ImageTarget:
    """What an image says about the target; each part with the file that says so, None where it does not.

    `name` is the release of the distribution. `remarks` say what was not read.
    """

    name: Release | None
    name_source: str
    kernel: tuple[str, str] | None
    kernel_release: str | None
    machine: tuple[str, str] | None
    auditctl: tuple[str, str] | None
    remarks: tuple[str, ...]


class Image:
    """The tree below a directory, links followed inside it. Raises UserError when there is no directory."""

    def __init__(self, root: str) -> None:
        self.tree = RootedTree(root)
        self.root = root
        self.remarks: list[str] = []
        """Lines about what was not read."""

    def check_is_image(self) -> None:
        """Raises UserError when the directory holds nothing that an image has."""
        if not any(self.tree.kind(path) == "directory" for path in ("/etc", "/usr", "/boot")):
            raise UserError(f"{self.root}: not an image: it holds neither etc nor usr nor boot (--root)")

    @cached_property
    def facts(self) -> Facts:
        from auditlint.io.facts_file import facts_from_tree

        return facts_from_tree(self.tree, self.remarks)

    @cached_property
    def boot(self) -> BootArguments:
        """The command lines that boot, and those that only feed them."""
        from auditlint.bootargs.boot_entries import find_boot_arguments
        from auditlint.core.frozen import replace
        from auditlint.io.boot_files import ImageBootFiles

        files = ImageBootFiles(self.tree)
        arguments = find_boot_arguments(files)
        return replace(arguments, remarks=(*files.remarks, *arguments.remarks))

    @cached_property
    def user_space(self) -> UserSpace:
        from auditlint.io.user_space import user_space

        return user_space(self.tree)

    @cached_property
    def kernels(self) -> tuple[Kernel, ...]:
        """The kernels of /boot and of the folders of modules, the newest first."""
        sources: dict[str, str] = {}
        configs: dict[str, str] = {}
        names = self._names_or_remark("/boot")
        for prefix in _KERNEL_FILES:
            for name in names:
                if name.startswith(prefix):
                    release = name.removeprefix(prefix)
                    sources.setdefault(release, f"boot/{name}")
                    if prefix == "config-":
                        configs[release] = f"/boot/{name}"
        for folder in MODULES:
            for name in self._names_or_remark(folder):
                if not any(self.tree.exists(f"{folder}/{name}/{file}") for file in _OF_MODULES):
                    continue  # what a removed kernel leaves
                sources.setdefault(name, f"{folder.lstrip('/')}/{name}")
                if name not in configs and self.tree.kind(f"{folder}/{name}/config") == "regular":
                    configs[name] = f"{folder}/{name}/config"
        kernels = [
            Kernel(release, line, sources[release], configs.get(release))
            for release in sources
            if (line := line_of_release(release)) is not None
        ]
        kernels.sort(key=lambda kernel: (version(kernel.line), _numbers(kernel.release)), reverse=True)
        return tuple(kernels)

    @cached_property
    def target(self) -> ImageTarget:
        """Distribution, kernel, machine and audit user space. The kernel is the one that boots, else the newest."""
        from auditlint.core.targets import of_os_release, os_release_fields
        from auditlint.io import packages

        remarks: list[str] = []
        name, name_source = None, ""
        for path in _OS_RELEASES:
            data = self._read(path, remarks)
            if data is not None:
                name, name_source = of_os_release(os_release_fields(data.decode("utf-8", "replace"))), path.lstrip("/")
                break
        booting = self.boot.booting
        kernel = next(
            (kernel for kernel in self.kernels if booting is not None and kernel.release == booting.release), None
        ) or next(iter(self.kernels), None)
        installed, more = packages.auditctl_release(self.tree)
        return ImageTarget(
            name,
            name_source,
            None if kernel is None else (kernel.line, kernel.source),
            None if kernel is None else kernel.release,
            packages.machine(self.tree),
            None if installed is None else (installed.version, installed.source),
            (*remarks, *more),
        )

    def source(self, place: str, shown: str | None = None) -> Source | None:
        """A file of the image under the name that a report shows; None when it is not there. Raises UserError."""
        try:
            data = self.tree.read(place, LARGEST)
        except Refused as error:
            raise UserError(str(error)) from None
        return None if data is None else Source(shown or self.tree.label(place), data)

    def kind(self, place: str) -> str:
        """`regular`, `directory`, `missing`, `pipe`, `socket` or `device`, links followed inside the image."""
        return self.tree.kind(place)

    def names(self, place: str) -> tuple[str, ...]:
        """Sorted names of a directory. Raises UserError when there are too many."""
        try:
            return self.tree.names(place)
        except Refused as error:
            raise UserError(str(error)) from None

    def _names_or_remark(self, place: str) -> tuple[str, ...]:
        try:
            return self.tree.names(place)
        except Refused as error:
            if str(error) not in self.remarks:
                self.remarks.append(str(error))
            return ()

    def host(self, place: str) -> str:
        """Where a place that is there lies on this machine; no link is on the way below the image."""
        return self.tree.label(self.tree.resolve(place) or place)

    def rules(self, auditctl: str) -> Input | None:
        """Its rules.d, or the file beside it when that holds no rule file."""
        for path in RULES:
            kind = self.tree.kind(path)
            if kind == "unreadable":
                raise UserError(f"{self.tree.label(path)}: Permission denied")
            if kind == "directory":
                entry = self.rules_directory(path, auditctl)
                if entry.sources:
                    return entry
            elif kind != "missing" and (source := self.source(path)) is not None:
                check_rule_lines(source)
                return Input("rules", source.path, (source,))
        return None

    def rules_directory(self, place: str, auditctl: str, shown: str | None = None) -> Input:
        """The fragments of a directory of the image as augenrules of that release takes them. Raises UserError."""
        from auditlint.auditctl.augenrules import plan

        label = shown or self.tree.label(place)
        chosen = plan({name: self.tree.kind(f"{place}/{name}") for name in self.names(place)}, auditctl)
        sources: dict[str, Source] = {}
        for name in dict.fromkeys(chosen.order):
            source = self.source(f"{place}/{name}", f"{label.rstrip('/')}/{name}")
            if source is not None:
                sources[name] = source
        if sum(len(source.data) for source in sources.values()) > LARGEST:
            raise UserError(f"{label}: its files have more than {LARGEST >> 20} MiB together")
        if sources:
            check_rule_lines(*sources.values())
        order = tuple(sources[name] for name in chosen.order if name in sources)
        return Input("rules.d", label, order, chosen.left_out)

    def inside(self, path: str) -> str | None:
        """The path in the image that a path of this machine means when it leads into the image; None for others.

        Only links before the image are followed by the rules of this machine.
        """
        import os

        root = os.stat(self.root)
        parts = os.path.abspath(path).split("/")
        for count in range(1, len(parts) + 1):
            try:
                if os.path.samestat(os.stat("/".join(parts[:count]) or "/"), root):
                    return "/" + "/".join(part for part in parts[count:] if part)
            except (OSError, ValueError):
                return None
        return None

    def _read(self, path: str, remarks: list[str]) -> bytes | None:
        try:
            return self.tree.read(path, _OS_RELEASE_MAX)
        except Refused as error:
            remarks.append(str(error))
            return None


def _numbers(release: str) -> list[int]:
    import re

    return [int(number) for number in re.findall(r"\d{1,9}", release)]
