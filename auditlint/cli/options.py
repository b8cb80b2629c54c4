"""The options that commands share: what the inputs are judged for, facts about the host, the settings file."""

from __future__ import annotations

import re
import sys

from auditlint.core.errors import UserError
from auditlint.core.facts import UNKNOWN, Facts
from auditlint.core.frozen import replace
from auditlint.core.run_options import RunOptions
from auditlint.core.settings import DEFAULT, Settings
from auditlint.core.target import BY_OPTION, BY_SETTINGS, DEFAULT_AUDITCTL, DEFAULT_KERNEL, DEFAULT_MACHINE, OF_IMAGE
from auditlint.core.target_choice import TargetWish, choose, of_release, with_release_facts
from auditlint.core.target_names import (
    auditctl_release,
    kernel_line,
    kernel_vendor,
    machine_and_arch,
    machine_name,
    vendor_faults,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Sequence
    from typing import NoReturn

    from _typeshed import SupportsWrite

    from auditlint.core.targets import Release
    from auditlint.io.image import Image


SETTINGS_FILE = "auditlint.toml"
PROJECT_FILE = "pyproject.toml"
HELP_WIDTH = 100
_OWN_TABLE = rb"""\btool["']?\s*(?:\.\s*["']?auditlint\b|[]=])"""
"""Where the settings in a pyproject.toml may begin: `[tool.auditlint]` in any spelling, or a table `tool`."""


def add_target(parser: argparse.ArgumentParser, *, arch: bool = False, rules: bool = True) -> None:
    """--kernel, --machine, --auditctl, and --arch for commands that read configurations. A command without `rules` has
    no defaults, for configurations say what they are for."""
    group = parser.add_argument_group("target")
    kernel, machine = "kernel version, such as 6.1", "machine, as printed by uname -m"
    if rules:
        kernel += f"; none stands for a kernel that accepts everything (default: {DEFAULT_KERNEL})"
        machine += f" (default: {DEFAULT_MACHINE})"
    else:
        kernel += " (default: as the configuration says)"
        machine += ", instead of --arch"
    group.add_argument(
        "--target", metavar="NAME", help="a release such as debian-12: its kernel, auditctl, links (list --targets)"
    )
    group.add_argument("--kernel", metavar="LINE", help=kernel)
    group.add_argument("--machine", metavar="NAME", help=machine)
    group.add_argument("--auditctl", metavar="RELEASE", help=f"release of auditctl (default: {DEFAULT_AUDITCTL})")
    if arch:
        group.add_argument("--arch", metavar="ARCH", help="ARCH of the kernel for configurations, such as x86 or arm64")


def add_tree(parser: argparse.ArgumentParser) -> None:
    """--tree and --no-tree, for commands that judge configurations."""
    group = parser.add_argument_group("kernel tree for configurations").add_mutually_exclusive_group()
    group.add_argument(
        "--tree", metavar="DIR", help="evaluate with this kernel tree instead of the embedded definitions"
    )
    group.add_argument("--no-tree", action="store_true", help="ignore the kernel tree that contains the file")


def add_facts(parser: argparse.ArgumentParser) -> None:
    """--facts and --root."""
    group = parser.add_argument_group("facts about the host (this machine is read only with --root /)")
    group.add_argument("--facts", metavar="FILE", help="TOML file with facts (see docs/facts.md)")
    group.add_argument("--root", metavar="DIR", help="an image or chroot: what it is, its users, groups, paths")


def add_settings(parser: argparse.ArgumentParser, *, synonyms: bool = True) -> None:
    """--settings and --no-settings. `synonyms`: --config and --no-config are understood, too, and not shown."""
    import argparse

    group = parser.add_argument_group("settings").add_mutually_exclusive_group()
    group.add_argument("--settings", metavar="FILE", help=f"settings file (default: the nearest {SETTINGS_FILE})")
    group.add_argument("--no-settings", action="store_true", help="read no settings file")
    if synonyms:
        group.add_argument("--config", dest="settings", metavar="FILE", help=argparse.SUPPRESS)
        group.add_argument("--no-config", dest="no_settings", action="store_true", help=argparse.SUPPRESS)


def add_inputs(parser: argparse.ArgumentParser, kinds: Sequence[str]) -> None:
    """--kind and --stdin-filename."""
    group = parser.add_argument_group("inputs")
    group.add_argument("--kind", choices=kinds, help="kind of the inputs (default: by name and content)")
    group.add_argument("--stdin-filename", metavar="NAME", help="name to report for standard input (-)")


def read_common(words: argparse.Namespace, image: Image | None = None) -> RunOptions:
    """The shared options of a parsed command line, checked; those that the command does not have count as not said.

    `image` is what --root names, when it is open already. Raises UserError, one line that names the option or key.
    """
    settings, folder = _settings(words)
    kernel = _said(words, "kernel", settings.kernel)
    auditctl = _said(words, "auditctl", settings.auditctl)
    machine = _said(words, "machine", settings.machine)
    arch = _said(words, "arch", settings.arch)
    try:
        kernel = None if kernel is None else kernel_line(kernel)
        auditctl = None if auditctl is None else auditctl_release(auditctl)
        machine = None if machine is None else machine_name(machine)
        machine, arch = machine_and_arch(machine, arch)
        named = _release(getattr(words, "target", None))
        usual = _release(settings.target)
    except UserError as error:
        said = str(error).removeprefix("--")
        if settings.file and getattr(words, said.partition(" ")[0], None) is None:
            raise UserError(f"{settings.file}: {said}") from None
        raise
    vendor = None if (text := _said(words, "kernel", settings.kernel)) is None else kernel_vendor(text)
    faults = () if text is None else vendor_faults(text)
    by_option = TargetWish(
        BY_OPTION,
        kernel if getattr(words, "kernel", None) is not None else None,
        machine if any(getattr(words, name, None) is not None for name in ("machine", "arch")) else None,
        auditctl if getattr(words, "auditctl", None) is not None else None,
        vendor=vendor,
        vendor_faults=faults,
    )
    image = image or open_root(words)
    of_image, image_release, remarks = _of_image(image)
    wishes = [
        by_option,
        *of_image,
        of_release(BY_OPTION, named),
        *image_release,
        TargetWish(BY_SETTINGS, kernel, machine, auditctl, vendor=vendor, vendor_faults=faults),
        of_release(BY_SETTINGS, usual),
    ]
    target, nearest = choose(wishes)
    facts = _facts(words, settings, folder, image)
    if image is not None:
        remarks = (*image.remarks, *remarks)
    release = next((wish.release for wish in wishes if wish.release is not None), None)
    if release is not None:
        facts = with_release_facts(facts, release, links=not facts.paths_complete)
    awk = None if release is None else release.awk
    return RunOptions(kernel, machine, auditctl, arch, target, facts, settings, awk, (*remarks, *nearest))


def say_remarks(common: RunOptions) -> None:
    """The remarks about the target on standard error, for commands whose report has no place for them."""
    from auditlint.core.escaping import log_line

    for remark in common.remarks:
        sys.stderr.write(log_line(f"auditlint: {remark}") + "\n")


def open_root(words: argparse.Namespace) -> Image | None:
    """The image that --root names. Raises UserError when it is not a directory."""
    root: str | None = getattr(words, "root", None)
    if root is None:
        return None
    from auditlint.io.image import Image

    return Image(root)


def _release(name: str | None) -> Release | None:
    if name is None:
        return None
    from auditlint.core.targets import release

    return release(name)


def _of_image(image: Image | None) -> tuple[list[TargetWish], list[TargetWish], tuple[str, ...]]:
    """What an image says of itself, part by part; what its release shipped; and remarks."""
    if image is None:
        return [], [], ()
    told = image.target
    wishes = [
        TargetWish(
            OF_IMAGE + source,
            **{part: value},
            vendor=kernel_vendor(told.kernel_release or "") if part == "kernel" else None,
            vendor_faults=vendor_faults(told.kernel_release or "") if part == "kernel" else (),
        )
        for part, value, source in (
            ("kernel", *(told.kernel or (None, ""))),
            ("machine", *(told.machine or (None, ""))),
            ("auditctl", *(told.auditctl or (None, ""))),
        )
        if value is not None
    ]
    release = [of_release(OF_IMAGE + told.name_source, told.name)] if told.name is not None else []
    return wishes, release, told.remarks


def override(common: RunOptions, *, policy: str | None = None, profile: str | None = None) -> RunOptions:
    """The same with what the command line says about policy and profile."""
    settings = common.settings
    changed = replace(settings, policy=policy or settings.policy, profile=profile or settings.profile)
    return replace(common, settings=changed)


def _said(words: argparse.Namespace, name: str, setting: str | None) -> str | None:
    said: str | None = getattr(words, name, None)
    return setting if said is None else said


def _facts(words: argparse.Namespace, settings: Settings, folder: str, image: Image | None) -> Facts:
    """--facts and --root together; the facts of the settings file lie relative to it."""
    path: str | None = getattr(words, "facts", None)
    if path is None and settings.facts is not None:
        import os

        path = os.path.join(folder, settings.facts)
    if path is None:
        return UNKNOWN if image is None else image.facts
    from auditlint.io import facts_file
    from auditlint.io.inputs import read_file, read_stdin

    source = read_stdin() if path == "-" else read_file(path)
    facts = facts_file.facts_from_toml(source.text((0, len(source.data))), path)
    return facts if image is None else facts_file.join(facts, image.facts)


def _settings(words: argparse.Namespace) -> tuple[Settings, str]:
    """The settings, and the folder of their file."""
    path: str | None = getattr(words, "settings", None)
    if (path is None and not hasattr(words, "no_settings")) or getattr(words, "no_settings", False):
        return DEFAULT, "."
    import os

    if path is not None:
        table = _table(path)
        if table is None:
            raise UserError(f"{path}: no section [tool.auditlint]")
        return _from_table(table, path)
    try:
        folder = os.getcwd()
    except OSError:
        return DEFAULT, "."  # the current directory was removed
    while True:
        for name in (SETTINGS_FILE, PROJECT_FILE):
            path = os.path.join(folder, name)
            if os.path.isfile(path):
                table = _table(path)
                if table is not None:
                    return _from_table(table, path)
        above = os.path.dirname(folder)
        if above == folder:
            return DEFAULT, "."
        folder = above


def _from_table(table: dict[str, object], path: str) -> tuple[Settings, str]:
    import os

    from auditlint.core.settings import settings_from_table

    settings, folder = settings_from_table(table, path), path.rpartition("/")[0] or "."
    try:
        current = os.getcwd()
    except OSError:
        return settings, folder  # the current directory was removed
    return replace(settings, file=os.path.normpath(os.path.join(current, path)), current=current), folder


def _table(path: str) -> dict[str, object] | None:
    """The settings in a file; None for a pyproject.toml without them. Raises UserError for bad TOML."""
    from auditlint.core.data import parse_toml
    from auditlint.io.inputs import read_file

    source = read_file(path)
    if path.rpartition("/")[2] == PROJECT_FILE and re.search(_OWN_TABLE, source.data) is None:
        return None  # most projects have no settings for us: do not read TOML for nothing
    try:
        table = parse_toml(source.text((0, len(source.data))))
    except ValueError as error:
        raise UserError(f"{path}: {' '.join(str(error).split())}") from error
    if path.rpartition("/")[2] != PROJECT_FILE:
        return table
    section = table.get("tool", {})
    found = section.get("auditlint") if isinstance(section, dict) else None
    if found is not None and not isinstance(found, dict):
        raise UserError(f"{path}: tool.auditlint: must be a table")
    return found


class OnlyPaths:
    """What a parser makes of words that are all paths, when each of its options is None or False unless it is given.

    Most runs are like that, and argparse takes 7 ms: as much as reading 400 rules.
    """

    def __init__(self, paths: list[str]) -> None:
        self.paths = paths

    def __getattr__(self, name: str) -> None:
        return None


def parse(parser: Callable[[], argparse.ArgumentParser], argv: list[str]) -> argparse.Namespace:
    """The words of a command line of which `parser` takes paths, and options of which none has a default."""
    if argv and not any(word.startswith("-") for word in argv):
        return OnlyPaths(argv)  # type: ignore[return-value]
    return parser().parse_args(argv)


def make_parser(
    command: str, description: str, usage: str = "%(prog)s [OPTION]... [PATH|-]...", epilog: str | None = None
) -> argparse.ArgumentParser:
    """A parser whose errors are a UserError: one line, no usage text.

    Its help has a fixed width: to ask the terminal, argparse imports shutil at every start, help or not.
    """
    import argparse

    class Parser(argparse.ArgumentParser):
        def error(self, message: str) -> NoReturn:
            raise UserError(f"{message} (see {self.prog} --help)")

        def print_help(self, file: SupportsWrite[str] | None = None) -> None:
            # argparse passes over a full disk.
            (file or sys.stdout).write(self.format_help())

    class Formatter(argparse.RawDescriptionHelpFormatter):
        def __init__(self, prog: str) -> None:
            super().__init__(prog, max_help_position=30, width=HELP_WIDTH)

    return Parser(
        prog=f"auditlint {command}",
        usage=usage,
        description=description,
        epilog=epilog,
        allow_abbrev=False,
        formatter_class=Formatter,
    )
