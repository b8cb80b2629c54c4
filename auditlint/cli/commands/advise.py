"""`auditlint advise`: one report over configuration, command line, rules and image, for build pipelines."""

from __future__ import annotations

import sys

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
from auditlint.context.system import SystemContext, runs_32bit
from auditlint.core import target_names
from auditlint.core.errors import UserError
from auditlint.core.escaping import log_line, without_commands
from auditlint.core.frozen import replace
from auditlint.core.target import version
from auditlint.io.image import CMDLINES, RULES, open_image, read_rules
from auditlint.io.inputs import Input, listed, names_files, read_file
from auditlint.kconfig.config_file import holds_settings
from auditlint.lint.linter import Linter
from auditlint.lint.registry import matches
from auditlint.lint.results import Result
from auditlint.lint.runner import Selection, sort_findings, validate

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse

    from auditlint.context.cmdline import CmdlineContext
    from auditlint.context.config import ConfigContext
    from auditlint.context.rules import RulesContext
    from auditlint.core.findings import Finding
    from auditlint.core.run_options import RunOptions
    from auditlint.io.inputs import Kind
    from auditlint.lint.linter import LintResult

_VOID = {
    "AL871": (
        "AL0",
        "AL1",
        "AL2",
        "AL3",
        "AL4",
        "AL5",
        "AL6",
        "AL7",
        "AL872",
        "AL873",
        "AL874",
        "AL876",
        "AL877",
        "AL9",
    ),
    "AL872": ("AL2", "AL3", "AL4", "AL5", "AL873", "AL874", "AL877"),
}
"""What it says becomes void, for no rule, or none for calls and files, is taken: codes of the rules and of the parts
together."""


def _parser() -> argparse.ArgumentParser:
    parser = options.make_parser(
        "advise",
        "Check configuration, command line and rules of one system together. With --root, parts that are not named are "
        "read\nfrom the image. Reports errors and warnings of each part, and also notes about parts that contradict.",
        usage="%(prog)s [--config FILE]... [--cmdline FILE] [--rules DIR|FILE]... [--root DIR] [OPTION]...",
        epilog="Exit status: 0 no finding at or above --fail-on, 1 findings, 2 wrong usage or unreadable input.",
    )
    parts = parser.add_argument_group("parts (at least one)")
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
    if not (words.configs or words.cmdline or words.rules or words.root):
        raise UserError("nothing to check: use --config, --cmdline, --rules or --root (see auditlint advise --help)")
    common = options.override(options.read_common(words), policy=words.policy)
    settings = common.settings
    selection = Selection(words_of(words.select) or settings.select, (*settings.ignore, *words_of(words.ignore)))
    validate((*selection.select, *selection.ignore, *settings.severity))
    forms = forms_of(words)
    notes: list[str] = []

    linter = Linter(common, selection, tree=words.tree, no_tree=words.no_tree)
    config, cmdline, sets = _parts(words, common, notes)
    parts = [part for part in (config, cmdline, *sets) if part is not None]
    read = [source.path for part in parts for source in part.sources]
    named = [*(words.configs or ()), words.cmdline, *asides(words, settings)]
    refuse_read(written(path for _, path in forms), [*read, *named])
    common, results, together = _judge(linter, config, cmdline, sets, notes)
    void = tuple(code for each in together for code in _VOID.get(each.code, ()))
    if void:
        together = [each for each in together if not matches(each, void)]
        results = [_without(checked, void) for checked in results]
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
    )
    for form, path in forms:
        pieces = (_text(result),) if form == "text" else render(form, result, path is None)
        if path is None:
            sys.stdout.writelines(pieces)
        else:
            write_text(path, pieces)
    return status(findings, fail_on)


def _parts(
    words: argparse.Namespace, common: RunOptions, notes: list[str]
) -> tuple[Input | None, Input | None, list[Input]]:
    """Configuration, command line and sets of rules: as named, else as the image has them."""
    config = _config(words.configs) if words.configs else None
    cmdline = Input("cmdline", words.cmdline, (read_file(words.cmdline),)) if words.cmdline else None
    sets = []
    if words.root:
        image = open_image(words.root)
        installed = image.rules(common.target.auditctl)
        if installed is not None:
            sets.append(installed)
            notes.append(f"{installed.path}: read from the image")
        elif not words.rules:
            notes.append(f"{words.root}: no rules found ({_or(RULES)})")
        if cmdline is None:
            cmdline = image.cmdline()
            notes.append(
                f"{cmdline.path}: read from the image"
                if cmdline is not None
                else f"{words.root}: no kernel command line found ({_or(CMDLINES)})"
            )
        if config is None and (found := image.configs(common.kernel)):
            config = _config(found[:1])
            more = f", the newest of {len(found)}" if len(found) > 1 else ""
            notes.append(f"{found[0]}: read from the image{more}")
    for path in words.rules or ():
        named = read_rules(path, common.target.auditctl)
        if not named.sources:
            raise UserError(f"{path}: no rule file found")
        sets.append(named)
    return config, cmdline, sets


def _or(paths: tuple[str, ...]) -> str:
    return " or ".join(path.lstrip("/") for path in paths)


def _without(checked: LintResult, void: tuple[str, ...]) -> LintResult:
    """What was found in a set of rules, without what is void; so is its closing note then."""
    if checked.input.kind not in ("rules", "rules.d"):
        return checked
    return replace(checked, findings=tuple(each for each in checked.findings if not matches(each, void)), note="")


def _judge(
    linter: Linter, entry: Input | None, cmdline: Input | None, sets: list[Input], notes: list[str]
) -> tuple[RunOptions, list[LintResult], list[Finding]]:
    """What the parts are judged for, the findings of each part, and those of the parts together. The configuration
    decides what the rules are judged for, the rules decide whether audit is meant to work."""
    judged: list[tuple[Input, RulesContext | ConfigContext | CmdlineContext]] = []
    config: ConfigContext | None = None
    cmdlines: list[CmdlineContext] = []
    if entry is not None:
        config = linter.context(entry)  # type: ignore[assignment]
        assert config is not None
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
    rules: list[RulesContext] = [linter.context(each) for each in sets]  # type: ignore[misc]
    if cmdline is not None:
        given: CmdlineContext = linter.context(cmdline)  # type: ignore[assignment]
        judged.append((cmdline, given))
        cmdlines.append(given)
    judged += zip(sets, rules, strict=True)
    common = linter.common
    context = SystemContext(config, cmdlines, rules, common.target, common.facts, common.settings)
    for each in cmdlines:
        each.rules = context.rule_count > 0
    results = [linter.check(entry, found) for entry, found in judged]
    return common, results, linter.together(context)


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


def _config(paths: list[str]) -> Input:
    """One configuration, or layers merged in order; all of them fragments, or not. A list of files stands for them."""
    from auditlint.io.detection import detect

    entries = []
    for path in paths:
        source = read_file(path)
        if names_files(source):
            entries.append(listed(source))
        else:
            kind: Kind = "fragment" if detect(source.path, source.data) == "fragment" else "config"
            entries.append(Input(kind, path, (source,)))
    partial = all(entry.kind == "fragment" for entry in entries)
    return Input(
        "fragment" if partial else "config",
        paths[-1],
        tuple(source for entry in entries for source in entry.sources),
        note="; ".join(entry.note for entry in entries if entry.note),
        told=tuple(  # type: ignore[arg-type]
            next((entry.told[which] for entry in reversed(entries) if entry.told[which]), None) for which in (0, 1)
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
    if facts.lsm is None and not config.fragment and not any(map(config.on, _LABELLING)):
        facts = replace(facts, lsm="none")
    if runs_32bit(config) is False:
        facts = replace(facts, programs_32bit=False)
    return replace(common, target=target, facts=facts)


def _note_defaults(common: RunOptions, notes: list[str]) -> None:
    """A note about what is judged by default, without a configuration that would tell."""
    missing = [
        option for option, value in (("--kernel", common.kernel), ("--machine", common.machine)) if value is None
    ]
    if missing:
        target = common.target
        notes.append(f"checked for Linux {target.kernel} on {target.machine}; choose with {' and '.join(missing)}")


_LABELLING = ("SECURITY_SELINUX", "SECURITY_SMACK", "SECURITY_APPARMOR")
"""Modules that know the label fields of rules (security_audit_rule_init(), security/security.c)."""
