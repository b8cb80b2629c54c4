"""The options that commands share: what the inputs are judged for, facts about the host, the settings file."""

from __future__ import annotations

import re
import sys

from auditlint.core.data import rows
from auditlint.core.errors import UserError
from auditlint.core.facts import UNKNOWN, Facts
from auditlint.core.frozen import dataclass, replace
from auditlint.core.settings import DEFAULT, Settings
from auditlint.core.target import DEFAULT_AUDITCTL, DEFAULT_KERNEL, DEFAULT_MACHINE, NO_KERNEL, Target, version

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Sequence
    from typing import NoReturn

    from _typeshed import SupportsWrite


OLDEST_KERNEL = "3.10"
OLDEST_CONFIGURATION = "2.6.32"
OLDEST_AUDITCTL = "2.8"
SETTINGS_FILE = "auditlint.toml"
PROJECT_FILE = "pyproject.toml"
HELP_WIDTH = 100
_OWN_TABLE = rb"""\btool["']?\s*(?:\.\s*["']?auditlint\b|[]=])"""
"""Where the settings in a pyproject.toml may begin: `[tool.auditlint]` in any spelling, or a table `tool`."""


@dataclass(frozen=True, slots=True)
class Common:
    """What the shared options and the settings file say together; the command line wins.

    `kernel`, `machine` and `auditctl` are None when nobody said them; `target` has the defaults in their place.
    `arch` is the kernel's ARCH, as said or as the machine implies it.
    """

    kernel: str | None
    machine: str | None
    auditctl: str | None
    arch: str | None
    target: Target
    facts: Facts
    settings: Settings


def add_target(parser: argparse.ArgumentParser, *, arch: bool = False, rules: bool = True) -> None:
    """--kernel, --machine, --auditctl, and --arch for commands that read configurations. A command without `rules` has
    no defaults, for configurations say what they are for."""
    group = parser.add_argument_group("target")
    kernel, machine = "kernel line, such as 6.1", "machine as in uname -m"
    if rules:
        kernel += f"; none acknowledges everything (default: {DEFAULT_KERNEL})"
        machine += f" (default: {DEFAULT_MACHINE})"
    else:
        kernel += " (default: what the configuration says)"
        machine += ", instead of --arch"
    group.add_argument("--kernel", metavar="LINE", help=kernel)
    group.add_argument("--machine", metavar="NAME", help=machine)
    group.add_argument("--auditctl", metavar="RELEASE", help=f"audit user space (default: {DEFAULT_AUDITCTL})")
    if arch:
        group.add_argument("--arch", metavar="ARCH", help="the kernel's ARCH for configurations, such as x86 or arm64")


def add_tree(parser: argparse.ArgumentParser) -> None:
    """--tree and --no-tree, for commands that judge configurations."""
    group = parser.add_argument_group("kernel tree of configurations").add_mutually_exclusive_group()
    group.add_argument("--tree", metavar="DIR", help="evaluate with this kernel tree instead of the embedded slices")
    group.add_argument("--no-tree", action="store_true", help="do not use the tree that a file lies in")


def add_facts(parser: argparse.ArgumentParser) -> None:
    """--facts and --root."""
    group = parser.add_argument_group(
        "facts about the host (nothing is read from this machine unless --root / says so)"
    )
    group.add_argument("--facts", metavar="FILE", help="facts as TOML (docs/facts.md)")
    group.add_argument("--root", metavar="DIR", help="an image or chroot: its users, groups, directories")


def add_settings(parser: argparse.ArgumentParser) -> None:
    """--config and --no-config."""
    group = parser.add_argument_group("settings").add_mutually_exclusive_group()
    group.add_argument("--config", metavar="FILE", help=f"settings file (default: the nearest {SETTINGS_FILE})")
    group.add_argument("--no-config", action="store_true", help="no settings file")


def add_inputs(parser: argparse.ArgumentParser, kinds: Sequence[str]) -> None:
    """--kind and --stdin-filename."""
    group = parser.add_argument_group("inputs")
    group.add_argument("--kind", choices=kinds, help="what the inputs are (default: told by name and content)")
    group.add_argument("--stdin-filename", metavar="NAME", help="name of what is read from standard input (-)")


def read_common(words: argparse.Namespace) -> Common:
    """The shared options of a parsed command line, checked; those that the command does not have count as not said.

    Raises UserError, one line that names the option or key.
    """
    settings, folder = _settings(words)
    kernel = _said(words, "kernel", settings.kernel)
    auditctl = _said(words, "auditctl", settings.auditctl)
    machine = _said(words, "machine", settings.machine)
    arch = _said(words, "arch", settings.arch)
    try:
        kernel = None if kernel is None else kernel_line(kernel, hasattr(words, "arch"))
        auditctl = None if auditctl is None else auditctl_release(auditctl)
        machine = None if machine is None else machine_name(machine)
        machine, arch = machine_and_arch(machine, arch)
    except UserError as error:
        said = str(error).removeprefix("--")
        if settings.file and getattr(words, said.partition(" ")[0], None) is None:
            raise UserError(f"{settings.file}: {said}") from None
        raise
    target = Target(kernel or DEFAULT_KERNEL, machine or DEFAULT_MACHINE, auditctl or DEFAULT_AUDITCTL)
    return Common(kernel, machine, auditctl, arch, target, _facts(words, settings, folder), settings)


def override(common: Common, *, policy: str | None = None, profile: str | None = None) -> Common:
    """The same with what the command line says about policy and profile."""
    settings = common.settings
    changed = replace(settings, policy=policy or settings.policy, profile=profile or settings.profile)
    return replace(common, settings=changed)


def _said(words: argparse.Namespace, name: str, setting: str | None) -> str | None:
    said: str | None = getattr(words, name, None)
    return setting if said is None else said


def kernel_line(text: str, configurations: bool = False) -> str:
    """`6.1` for `6.1`, `v6.1.192` and `6.1.0-13-amd64`, `2.6.32` for `2.6.32.67`; `none` stays.

    Commands that read `configurations` take older lines than those that read rules; check_rules_kernel() tells.
    Raises UserError for anything else.
    """
    if text == NO_KERNEL:
        return text
    found = re.fullmatch(r"v?(2\.6\.\d{1,2}|\d{1,4}\.\d{1,4})(?:[.-][\w.+~-]*)?", text, re.ASCII)
    if found is None:
        raise UserError(f"--kernel {text}: is no kernel line such as 6.1, nor none")
    line = ".".join(str(number) for number in version(found[1]))
    oldest = OLDEST_CONFIGURATION if configurations else OLDEST_KERNEL
    if version(line) < version(oldest):
        raise UserError(f"--kernel {text}: lines before {oldest} are not known")
    return line


def check_rules_kernel(line: str) -> None:
    """Raises UserError for a line that is known for configurations only."""
    if line != NO_KERNEL and version(line) < version(OLDEST_KERNEL):
        raise UserError(f"--kernel {line}: for rules, lines before {OLDEST_KERNEL} are not known")


def auditctl_release(text: str) -> str:
    """`3.0.9` for `3.0.9` and `1:3.0.9-1`. Raises UserError for anything else."""
    found = re.fullmatch(r"(?:\d+:)?v?(\d{1,4}(?:\.\d{1,4}){1,2})(?:-[\w.+~]*)?", text, re.ASCII)
    if found is None:
        raise UserError(f"--auditctl {text}: is no release such as {DEFAULT_AUDITCTL} or 3.0.9")
    if version(found[1]) < version(OLDEST_AUDITCTL):
        raise UserError(f"--auditctl {text}: releases before {OLDEST_AUDITCTL} are not known")
    return found[1]


def machine_name(text: str) -> str:
    """The name of a machine as `uname -m` says it, in any case; as distributions call it will do (amd64, arm64).

    Machines that auditctl does not know are machines, too: there every arch and -S fails. Raises UserError.
    """
    word = text.lower()
    names: list[str] = []
    for row in rows("machines.tsv"):
        aliases = [alias.partition(":")[0] for alias in row[1].split() if alias != "-"]
        if word in (row[0], *aliases):
            return row[0]
        names += [row[0], *aliases]
    others = [row[0] for row in rows("machines-kernel-only.tsv") if row[0] not in names]
    if word in others:
        return word
    usual = {row[0]: row[1] for row in rows("arch-machines.tsv")}
    for row in rows("arch-names.tsv"):
        if row[0] == word and row[1] in usual:
            return usual[row[1]]
    raise UserError(f"--machine {text}: is not known{_nearest(word, names + others)}")


def machine_and_arch(machine: str | None, arch: str | None) -> tuple[str | None, str | None]:
    """Each fills in the other (`rulesets/arch-machines.tsv`): an ARCH stands for its usual machine. The name of a
    machine stands for its ARCH.

    Raises UserError when one is not known, or when they contradict.
    """
    machines = {row[0]: [row[1], *(row[2].split() if len(row) > 2 else ())] for row in rows("arch-machines.tsv")}
    if arch is not None and arch not in machines:  # as distributions and uname call it: aarch64, amd64
        arch = next((row[1] for row in rows("arch-names.tsv") if row[0] == arch.lower()), arch)
    if arch is None:
        # The ARCH that usually means the machine, else one that can mean it.
        fitting = [each for each, names in machines.items() if machine in names]
        fitting.sort(key=lambda each: machines[each][0] != machine)
        return machine, fitting[0] if fitting else None
    names = machines.get(arch)
    if names is None:
        known = sorted({row[1] for row in rows("arch-names.tsv")} | machines.keys())
        if arch not in known:
            raise UserError(f"--arch {arch}: is no ARCH of the kernel{_nearest(arch, known)}")
        return machine, arch
    if machine is not None and machine not in names:
        raise UserError(f"--machine {machine} and --arch {arch} contradict: that is {' or '.join(names)}")
    return machine or names[0], arch


def _nearest(word: str, known: Sequence[str]) -> str:
    from difflib import get_close_matches

    near = get_close_matches(word, known, 1)
    return f"; did you mean {near[0]}?" if near else f"; known are {', '.join(known)}"


def _facts(words: argparse.Namespace, settings: Settings, folder: str) -> Facts:
    """--facts and --root together; the facts of the settings file lie relative to it."""
    path: str | None = getattr(words, "facts", None)
    root: str | None = getattr(words, "root", None)
    if path is None and settings.facts is not None:
        import os

        path = os.path.join(folder, settings.facts)
    if path is None and root is None:
        return UNKNOWN
    from auditlint.io import facts_file as facts_read
    from auditlint.io.inputs import read_file, read_stdin

    facts = UNKNOWN
    if path is not None:
        source = read_stdin() if path == "-" else read_file(path)
        facts = facts_read.facts_from_toml(source.text((0, len(source.data))), path)
    return facts if root is None else facts_read.join(facts, facts_read.facts_from_root(root))


def _settings(words: argparse.Namespace) -> tuple[Settings, str]:
    """The settings, and the folder of their file."""
    path: str | None = getattr(words, "config", None)
    if (path is None and not hasattr(words, "no_config")) or getattr(words, "no_config", False):
        return DEFAULT, "."
    import os

    if path is not None:
        table = _table(path)
        if table is None:
            raise UserError(f"{path}: has no section [tool.auditlint]")
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
