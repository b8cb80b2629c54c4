"""`auditlint advise`: one report over configuration, command line, rules and image, for build pipelines."""

from __future__ import annotations

import os
import sys

from auditlint.analysis.system_state import system_state
from auditlint.cli import options
from auditlint.cli.reporting import (
    FAIL_ON,
    FORMS,
    asides,
    forms_of,
    refuse_read,
    render,
    status,
    words_of,
    write_text,
    written,
)
from auditlint.context.builtin_cmdline import builtin_cmdline
from auditlint.context.cmdline import CmdlineContext
from auditlint.context.system import SystemContext, runs_32bit
from auditlint.core import target_names
from auditlint.core.errors import UserError
from auditlint.core.escaping import log_line, without_commands
from auditlint.core.frozen import dataclass, replace
from auditlint.core.target import BY_DEFAULT, OF_IMAGE, configured, version
from auditlint.core.target_choice import TargetWish, choose, parts_of
from auditlint.io.image import CMDLINES, RULES
from auditlint.io.inputs import Input, listed, names_files, read_file, read_inputs
from auditlint.kconfig.config_file import holds_settings, read_config
from auditlint.lint.linter import Linter
from auditlint.lint.registry import all_checks, without_void
from auditlint.lint.results import Result
from auditlint.lint.runner import Selection, sort_findings, validate

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from auditlint.analysis.system_state import SystemState
    from auditlint.bootargs.command_line import CommandLine
    from auditlint.context.config import ConfigContext
    from auditlint.context.rules import RulesContext
    from auditlint.core.findings import Finding
    from auditlint.core.run_options import RunOptions
    from auditlint.core.source import Source
    from auditlint.io.image import Image, Kernel
    from auditlint.io.inputs import Kind
    from auditlint.lint.linter import LintResult


def _parser() -> argparse.ArgumentParser:
    parser = options.make_parser(
        "advise",
        "Check configuration, command line and rules of one system together. With --root, parts that are not named are "
        "read\nfrom the image. Reports errors and warnings of each part, and also notes about parts that contradict.",
        usage="%(prog)s [--config FILE]... [--cmdline FILE] [--rules DIR|FILE]... [IMAGE] [OPTION]...",
        epilog="Exit status: 0 no finding at or above --fail-on, 1 findings, 2 wrong usage or unreadable input.",
    )
    parts = parser.add_argument_group("parts (at least one)")
    parts.add_argument("image", nargs="?", metavar="IMAGE", help="the same as --root IMAGE")
    parts.add_argument(
        "--config", action="append", dest="configs", metavar="FILE", help="kernel configuration, or layers in order"
    )
    parts.add_argument("--cmdline", metavar="FILE", help="kernel command line, or a boot loader configuration")
    parts.add_argument(
        "--rules", action="append", metavar="DIR|FILE", help="rules.d directory or rule file (repeatable)"
    )
    parts.add_argument(
        "--root",
        metavar="DIR",
        help="image to read users, directories, programs, rules, command line and configuration from",
    )
    options.add_target(parser, arch=True)
    options.add_tree(parser)
    parser.add_argument("--facts", metavar="FILE", help="TOML file with facts about the host (see docs/facts.md)")
    parser.add_argument(
        "--policy", choices=("audit", "no-audit"), help="whether audit is meant to be on (default: not set)"
    )
    which = parser.add_argument_group("checks")
    which.add_argument(
        "--select", action="append", metavar="CHECK,...", help="run only these checks (codes, names or prefixes)"
    )
    which.add_argument("--ignore", action="append", metavar="CHECK,...", help="do not run these checks")
    which.add_argument("--fail-on", choices=FAIL_ON, help="lowest severity that gives exit status 1 (default: warning)")
    report = parser.add_argument_group("report")
    report.add_argument("--format", action="append", metavar="FORM[:FILE]", help=f"{', '.join(FORMS)}; repeatable")
    report.add_argument("--output", metavar="FILE", help="write the report to FILE")
    options.add_settings(parser, synonyms=False)
    return parser


def run(argv: list[str]) -> int:
    """Judge all parts; see the exit status in the help text."""
    words = _parser().parse_args(argv)
    if not (words.configs or words.cmdline or words.rules or words.root or words.image):
        raise UserError("nothing to check: use --config, --cmdline, --rules or --root (see auditlint advise --help)")
    if words.image is not None:
        if words.root is not None:
            raise UserError("advise: IMAGE and --root IMAGE say the same; give one")
        words.root = words.image
    image = options.open_root(words)
    if image is not None:
        image.check_is_image()
    common = options.override(options.read_common(words, image), policy=words.policy)
    settings = common.settings
    selection = Selection(words_of(words.select) or settings.select, (*settings.ignore, *words_of(words.ignore)))
    validate((*selection.select, *selection.ignore, *settings.severity))
    forms = forms_of(words)
    notes: list[str] = list(common.remarks)

    own_config = image is not None and not words.configs  # a tree around an image is not the tree of its kernel
    linter = Linter(common, selection, tree=words.tree, no_tree=words.no_tree or (own_config and words.tree is None))
    parts = _parts(words, common, image, notes)
    inputs = [part for part in (parts.config, parts.cmdline, *parts.sets) if part is not None]
    read = [source.path for part in inputs for source in part.sources]
    named = [*(words.configs or ()), words.cmdline, *asides(words, settings)]
    refuse_read(written(path for _, path in forms), [*read, *named])
    common, results, together, state = _judge(linter, parts, notes)
    results = [_without(checked, together) for checked in results]
    together = without_void(together, together)
    findings = [each for checked in results for each in checked.findings if each.severity != "advice"]
    findings = sort_findings([*findings, *together])
    notes += [f"{checked.input.path}: {checked.note}" for checked in results if checked.note]
    fail_on = words.fail_on or settings.fail_on or "warning"
    result = Result(
        common.target,
        tuple(findings),
        tuple(dict.fromkeys(source.path for checked in results for source in checked.input.sources)),
        sum(checked.rules for checked in results),
        sum(checked.suppressed for checked in results),
        tuple(notes),
        tuple(checked.judged for checked in results),
        fail_on=fail_on,
        state=state,
    )
    for form, path in forms:
        pieces = (_text(result),) if form == "text" else render(form, result, path is None)
        if path is None:
            sys.stdout.writelines(pieces)
        else:
            write_text(path, pieces)
    return status(findings, fail_on)


@dataclass(frozen=True, slots=True)
class _Parts:
    """Configuration, command line and sets of rules: as named, else as the image has them. `lines` are the command
    lines when they are not simply those of `cmdline`; `others` are the kernels of the image besides the first."""

    config: Input | None
    cmdline: Input | None
    sets: tuple[Input, ...]
    image: Image | None = None
    lines: tuple[CommandLine, ...] | None = None
    others: tuple[Kernel, ...] = ()


def _parts(words: argparse.Namespace, common: RunOptions, image: Image | None, notes: list[str]) -> _Parts:
    config = _config(words.configs, image) if words.configs else None
    cmdline = Input("cmdline", words.cmdline, (_read(words.cmdline, image),)) if words.cmdline else None
    lines: tuple[CommandLine, ...] | None = None
    others: tuple[Kernel, ...] = ()
    sets = []
    if image is not None:
        installed = image.rules(common.target.auditctl)
        if installed is not None:
            sets.append(installed)
            notes.append(f"{installed.path}: read from the image")
        elif not words.rules:
            notes.append(f"{image.root}: no rules found ({_or(RULES)})")
        if cmdline is None:
            cmdline, lines = _boot_cmdline(image, notes)
        if config is None:
            kernels = _kernels(image, common)
            first = next((kernel for kernel in kernels if kernel.config is not None), None)
            if first is not None and first.config is not None and (source := image.source(first.config)) is not None:
                config = _config_of([source], source.path)
                configured_kernels = sum(kernel.config is not None for kernel in kernels)
                more = f", the newest of {configured_kernels}" if configured_kernels > 1 else ""
                notes.append(f"{source.path}: read from the image{more}")
            others = tuple(kernel for kernel in kernels if kernel is not first)
    for path in words.rules or ():
        (named,) = read_inputs(
            [path],
            auditctl=common.target.auditctl,
            kind=None if os.path.isdir(path) else "rules",
            search=False,
            image=image,
        )
        if not named.sources:
            raise UserError(f"{path}: no rule file found")
        sets.append(named)
    return _Parts(config, cmdline, tuple(sets), image, lines, others)


def _boot_cmdline(image: Image, notes: list[str]) -> tuple[Input | None, tuple[CommandLine, ...] | None]:
    """The command line that boots, else the one that the next boot entry is to get."""
    boot = image.boot
    notes += boot.remarks
    chosen = boot.booting.line if boot.booting is not None else next(iter(_preferred(boot.inputs)), None)
    if chosen is None:
        notes.append(f"{image.root}: no kernel command line found ({_or(CMDLINES)})")
        return None, None
    sources = tuple(dict.fromkeys((chosen.source, *(parameter.source for parameter in chosen.parameters))))
    notes.append(f"{chosen.source.path}: read from the image")
    if boot.booting is None:
        notes.append(f"{image.root}: holds no boot entry; judged is what the next one would get")
    return Input("cmdline", chosen.source.path, sources), (chosen,)


def _preferred(lines: tuple[CommandLine, ...]) -> list[CommandLine]:
    """kernel-install's file before GRUB's defaults."""
    return sorted(lines, key=lambda line: line.label.startswith("GRUB"))


def _kernels(image: Image, common: RunOptions) -> list[Kernel]:
    """The kernels of the image, the one that boots first; only those of a line when one is asked for."""
    kernels = [kernel for kernel in image.kernels if common.kernel in (None, kernel.line)]
    release = image.target.kernel_release
    return sorted(kernels, key=lambda kernel: kernel.release != release)


def _read(path: str, image: Image | None) -> Source:
    """A file that the user names; one in the image is read through it."""
    place = image.inside(path) if image is not None else None
    if image is None or place is None:
        return read_file(path)
    source = image.source(place, path)
    if source is None:
        raise UserError(f"{path}: no such file in the image, links followed inside it")
    return source


def _or(paths: tuple[str, ...]) -> str:
    return " or ".join(path.lstrip("/") for path in paths)


def _without(checked: LintResult, together: list[Finding]) -> LintResult:
    """What was found in a set of rules, without what the findings over all parts make void; then its closing note is
    void, too."""
    voiding = {name for check in all_checks() for name in check.void_where}
    if checked.input.kind not in ("rules", "rules.d") or voiding.isdisjoint(finding.name for finding in together):
        return checked
    return replace(checked, findings=tuple(without_void(checked.findings, together)), note="")


def _judge(
    linter: Linter, parts: _Parts, notes: list[str]
) -> tuple[RunOptions, list[LintResult], list[Finding], SystemState]:
    """What the parts are judged for, the findings of each part, those of the parts together, and what comes of it all.

    The configuration decides what the rules are judged for, the rules decide whether audit is meant to work.
    """
    entry, cmdline, sets = parts.config, parts.cmdline, parts.sets
    judged: list[tuple[Input, RulesContext | ConfigContext | CmdlineContext]] = []
    config: ConfigContext | None = None
    cmdlines: list[CmdlineContext] = []
    if entry is not None:
        config = linter.config(entry)
        for file in config.files:
            if not holds_settings(file):
                raise UserError(f"{file.source.path}: not a kernel configuration")
        judged.append((entry, config))
        common = _as_configured(linter.common, config, notes)
        linter = replace(linter, common=common, without_audit=not config.on("AUDIT"))
        builtin = config.get(builtin_cmdline)
        if builtin is not None:
            cmdlines.append(builtin)
    else:
        _note_defaults(linter.common, notes)
    rules: list[RulesContext] = [linter.rules(each) for each in sets]
    if cmdline is not None:
        given = _cmdline_context(linter, cmdline, parts.lines)
        judged.append((cmdline, given))
        cmdlines.append(given)
    judged += zip(sets, rules, strict=True)
    common = linter.common
    context = _system(linter, config, cmdlines, rules, parts.image)
    for each in cmdlines:
        each.rules = context.rule_count > 0
    results = [linter.check(entry, found) for entry, found in judged]
    together = linter.together(context)
    known = [finding for checked in results for finding in checked.findings] + together
    for kernel in parts.others[:_MOST_KERNELS]:
        assert parts.image is not None
        more = _of_kernel(linter, kernel, parts, known, notes)
        known += more
        together += more
    if parts.others:
        left = len(parts.others) - _MOST_KERNELS
        names = ", ".join(kernel.release for kernel in parts.others[:_MOST_KERNELS])
        unread = f"; not for {left} more" if left > 0 else ""
        notes.append(f"also checked for the other kernels of the image: {names}{unread}")
    return common, results, together, system_state(context)


def _system(
    linter: Linter,
    config: ConfigContext | None,
    cmdlines: list[CmdlineContext],
    rules: list[RulesContext],
    image: Image | None,
) -> SystemContext:
    common = linter.common
    boot = image.boot if image is not None else None
    user_space = image.user_space if image is not None else None
    return SystemContext(config, cmdlines, rules, common.target, common.facts, common.settings, boot, user_space)


def _cmdline_context(linter: Linter, entry: Input, lines: tuple[CommandLine, ...] | None) -> CmdlineContext:
    """The command lines of a file, or the one that was put together from the files of a boot loader."""
    if lines is None:
        return linter.cmdline(entry)
    common = linter.common
    return CmdlineContext(
        lines,
        common.target.kernel,
        common.target.machine,
        common.settings,
        linter.with_rules,
        without_audit=linter.without_audit,
    )


def _of_kernel(linter: Linter, kernel: Kernel, parts: _Parts, known: list[Finding], notes: list[str]) -> list[Finding]:
    """What is new about another kernel of the image: its configuration, and the rules and the command line on it."""
    image = parts.image
    assert image is not None
    target, _ = choose([TargetWish(OF_IMAGE + kernel.source, kernel=kernel.line), *parts_of(linter.common.target)])
    linter = replace(linter, common=replace(linter.common, target=target))
    results: list[Finding] = []
    config: ConfigContext | None = None
    source = None if kernel.config is None else image.source(kernel.config)
    if source is not None and holds_settings(read_config(source)):
        entry = _config_of([source], source.path)
        config = linter.config(entry)
        linter = replace(linter, without_audit=not config.on("AUDIT"))
        results += linter.check(entry, config).findings
    rules: list[RulesContext] = [linter.rules(entry) for entry in parts.sets]
    for entry, found in zip(parts.sets, rules, strict=True):
        results += linter.check(entry, found).findings
    cmdlines = []
    if parts.cmdline is not None:
        cmdlines.append(_cmdline_context(linter, parts.cmdline, parts.lines))
        cmdlines[0].rules = any(found.rules for found in rules)
        results += linter.check(parts.cmdline, cmdlines[0]).findings
    results = [finding for finding in results if finding.severity != "advice"]
    results += linter.together(_system(linter, config, cmdlines, rules, image))
    seen = {_same(finding) for finding in known}
    return [
        replace(finding, message=f"{finding.message} (kernel {kernel.release} of the image)")
        for finding in without_void(results, results)
        if _same(finding) not in seen
    ]


def _same(finding: Finding) -> tuple[str, str, int]:
    """What makes findings for two kernels one: the check, and the place, which for configurations is any."""
    source = finding.at.source
    path = source.path.rpartition("/")[2]
    if path.startswith("config"):
        return finding.code, "", 0
    return finding.code, source.path, finding.at.line


def _text(result: Result) -> str:
    """One line for each finding, notes, and a last line that never changes its form."""
    lines = [_line(finding) for finding in result.findings]
    lines += [log_line(note) for note in result.notes]
    counts = f"{result.count('error')} errors, {result.count('warning')} warnings, {result.count('advice')} advice"
    lines.append(f"auditlint advise: {counts}")
    return without_commands("\n".join(lines)) + "\n"


def _line(finding: Finding) -> str:
    from auditlint.core.escaping import printable
    from auditlint.reports.text import place

    text = f"{place(finding.at)}: {finding.severity}: {printable(finding.message)} [{finding.code} {finding.name}]"
    related = [place(each) + (f" ({printable(each.message)})" if each.message else "") for each in finding.related]
    where = ", ".join(related)
    return f"{text}; see {where}" if where else text


def _config(paths: list[str], image: Image | None) -> Input:
    """One configuration, or layers merged in order; all of them fragments, or not. A list of files stands for them."""
    return _config_of([_read(path, image) for path in paths], paths[-1])


def _config_of(sources: list[Source], path: str) -> Input:
    from auditlint.io.detection import detect

    entries = []
    for source in sources:
        if names_files(source):
            entries.append(listed(source))
        else:
            kind: Kind = "fragment" if detect(source.path, source.data) == "fragment" else "config"
            entries.append(Input(kind, source.path, (source,)))
    partial = all(entry.kind == "fragment" for entry in entries)
    return Input(
        "fragment" if partial else "config",
        path,
        tuple(source for entry in entries for source in entry.sources),
        note="; ".join(entry.note for entry in entries if entry.note),
        told=(
            next((entry.told[0] for entry in reversed(entries) if entry.told[0]), None),
            next((entry.told[1] for entry in reversed(entries) if entry.told[1]), None),
        ),
    )


def _as_configured(common: RunOptions, config: ConfigContext, notes: list[str]) -> RunOptions:
    """The target and facts that the configuration tells, where nobody said them."""
    target, facts = common.target, common.facts
    told = []
    more = ""
    if common.kernel is None and not config.assumed("kernel"):
        known = version(config.kernel) >= version(target_names.OLDEST_KERNEL)
        target = replace(target, kernel=config.kernel if known else target_names.OLDEST_KERNEL)
        told.append(f"Linux {config.kernel}")
        if not known:
            more = (
                f"; rules and command line for {target_names.OLDEST_KERNEL}, the oldest that auditlint knows for them"
            )
    if common.machine is None and not config.assumed("arch"):
        machine = target_names.machine_and_arch(None, config.arch)[0]
        if machine is not None:
            target = replace(target, machine=machine)
            told.append(machine)
    if told:
        notes.append(f"checked for {' on '.join(told)}, as the configuration says{more}")
    target = configured(common.target, target.kernel, target.machine)
    if facts.lsm is None and not config.fragment and not any(map(config.on, _LABELLING)):
        facts = replace(facts, lsm="none")
    if runs_32bit(config) is False:
        facts = replace(facts, programs_32bit=False)
    return replace(common, target=target, facts=facts)


def _note_defaults(common: RunOptions, notes: list[str]) -> None:
    """A note about what is judged by default, without a configuration that would tell."""
    source = common.target.source
    missing = [f"--{part}" for part in ("kernel", "machine") if getattr(source, part) == BY_DEFAULT]
    if missing:
        target = common.target
        notes.append(f"checked for Linux {target.kernel} on {target.machine}; choose with {' and '.join(missing)}")


_MOST_KERNELS = 8
"""Kernels of an image that are judged besides the one that boots; distributions keep two or three."""
_LABELLING = ("SECURITY_SELINUX", "SECURITY_SMACK", "SECURITY_APPARMOR")
"""Modules that know the label fields of rules (security_audit_rule_init(), security/security.c)."""
