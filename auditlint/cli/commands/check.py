"""`auditlint check`: lint rule files, rules.d directories, kernel configurations and command lines."""

from __future__ import annotations

import os
import sys

from auditlint.cli import options
from auditlint.cli.progress import Progress
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
from auditlint.core.errors import UserError
from auditlint.core.escaping import log_line
from auditlint.core.findings import SEVERITIES
from auditlint.core.frozen import replace
from auditlint.core.target import BY_DEFAULT, configured
from auditlint.io.inputs import KINDS, STDIN, read_inputs
from auditlint.lint.linter import Linter, counts
from auditlint.lint.results import Result
from auditlint.lint.runner import Selection, validate

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable, Sequence

    from auditlint.core.findings import Finding, FixLevel
    from auditlint.core.run_options import RunOptions
    from auditlint.io.image import Image
    from auditlint.io.inputs import Input
    from auditlint.lint.linter import LintResult

_OF_USER_SPACE = ("AL881", "AL882", "AL883")
"""Checks of rules against the programs and services of the image that they lie in."""
MOST_PATHS = 4
"""Inputs that a note names."""


def _parser() -> argparse.ArgumentParser:
    parser = options.make_parser(
        "check",
        "Find mistakes in audit rule files, rules.d directories, kernel configurations and kernel command lines.",
        epilog="Exit status: 0 no finding at or above --fail-on, 1 findings, 2 wrong usage or unreadable input.",
    )
    parser.add_argument("paths", nargs="+", metavar="PATH", help="file, directory, or - for standard input")
    options.add_target(parser, arch=True)
    options.add_tree(parser)
    options.add_facts(parser)
    options.add_inputs(parser, KINDS)
    options.add_settings(parser)
    parser.add_argument(
        "--policy", choices=("audit", "no-audit"), help="whether audit is meant to be on (default: not set)"
    )
    parser.add_argument(
        "--profile",
        metavar="NAME",
        help="events that the rules must record, such as stig (see auditlint list --profiles)",
    )
    which = parser.add_argument_group("checks")
    which.add_argument(
        "--select", action="append", metavar="CHECK,...", help="run only these checks (codes, names or prefixes)"
    )
    which.add_argument("--ignore", action="append", metavar="CHECK,...", help="do not run these checks")
    which.add_argument("--pedantic", action="store_true", help="also run style and low-confidence checks")
    which.add_argument("--fail-on", choices=FAIL_ON, help="lowest severity that gives exit status 1 (default: warning)")
    which.add_argument("--baseline", metavar="FILE", help="ignore findings that are in FILE")
    which.add_argument(
        "--write-baseline", metavar="FILE", help="write the present findings to FILE, to ignore them with --baseline"
    )
    report = parser.add_argument_group("report")
    report.add_argument("--format", action="append", metavar="FORM[:FILE]", help=f"{', '.join(FORMS)}; repeatable")
    report.add_argument("--output", metavar="FILE", help="write the report to FILE")
    report.add_argument("--min-severity", choices=SEVERITIES, help="show only findings of this severity or above")
    report.add_argument("--statistics", action="store_true", help="count findings by check instead of showing them")
    change = parser.add_argument_group("fixes")
    change.add_argument("--fix", action="store_true", help="apply safe fixes")
    change.add_argument("--unsafe-fixes", action="store_true", help="also apply fixes that may change what is recorded")
    change.add_argument("--diff", action="store_true", help="show what the fixes would change, and change nothing")
    return parser


def run(argv: list[str]) -> int:
    """Check everything named; see the exit status in the help text."""
    words = options.parse(_parser, argv)
    image = options.open_root(words)
    common = options.read_common(words, image)
    common = options.override(common, policy=words.policy, profile=words.profile)
    settings = common.settings
    if settings.profile is not None:
        from auditlint.analysis import profiles

        profiles.load(settings.profile)  # a name that is none is said before anything is read
    selection = Selection(
        words_of(words.select) or settings.select,
        (*settings.ignore, *words_of(words.ignore)),
        words.pedantic or settings.pedantic,
    )
    per_path = (word for each in settings.per_path for word in each.ignore)
    validate((*selection.select, *selection.ignore, *settings.severity, *per_path))
    forms = forms_of(words)
    baseline_file = words.baseline
    if baseline_file is None and settings.baseline is not None and words.write_baseline is None:
        baseline_file = os.path.join(os.path.dirname(settings.file), settings.baseline)
    known = _baseline(baseline_file)
    levels: frozenset[FixLevel] = frozenset(("safe", "unsafe") if words.unsafe_fixes else ("safe",))
    fixing = words.fix or words.unsafe_fixes or words.diff
    from_stdin = STDIN in words.paths
    if fixing and from_stdin and len(words.paths) > 1:
        raise UserError("--fix with standard input (-) accepts no other path")

    reports = [path for _, path in forms]
    refuse_read(written(reports), (words.baseline,))
    targets = written([*reports, words.write_baseline])
    refuse_read(targets, asides(words, settings))
    inputs = read_inputs(
        words.paths,
        auditctl=common.target.auditctl,
        kind=words.kind,
        stdin_name=words.stdin_filename,
        image=image,
    )
    linter = Linter(common, selection, _names_rules(words.paths), tree=words.tree, no_tree=bool(words.no_tree))
    results: list[LintResult] = []
    changed = False
    with Progress() as progress:
        for number, entry in enumerate(inputs):
            progress.show(number, entry.path)
            refuse_read(targets, (entry.path, *(source.path for source in entry.sources)))
            if fixing:
                from auditlint.lint.fixer import fix

                checked, applied = fix(linter, entry, levels)
                progress.clear()
                changed |= _write(entry, checked.input, words.diff, from_stdin, words.paths, image)
                if entry.by_content and any(finding.fix is not None for finding in checked.findings):
                    sys.stderr.write(
                        log_line(
                            f"auditlint: {entry.path}: not fixed: recognized only by its content; name it to fix it"
                        )
                        + "\n"
                    )
                if applied and not words.diff:
                    sys.stderr.write(log_line(f"auditlint: {entry.path}: {_applied(applied, entry, checked)}") + "\n")
                    if words.unsafe_fixes and entry.kind in ("rules", "rules.d") and (defaults := _defaults(common)):
                        sys.stderr.write(f"auditlint: {defaults}\n")
                for finding in checked.left:
                    sys.stderr.write(log_line(f"auditlint: {_left(finding)}") + "\n")
            else:
                checked = linter.check(entry)
            results.append(checked if image is None or fixing else _with_user_space(linter, checked, image))
    if not results:
        raise UserError(f"{' '.join(words.paths)}: no rule file, configuration or command line found")

    findings = tuple(finding for checked in results for finding in checked.findings)
    if words.write_baseline is not None:
        from auditlint.lint import baseline

        write_text(words.write_baseline, (baseline.dump(findings, *_folders(words.write_baseline)),))
        sys.stderr.write(f"auditlint: {words.write_baseline}: {len(findings)} findings written\n")
        return 0
    if known is not None:
        from auditlint.lint import baseline

        findings = tuple(baseline.new_findings(findings, known, *_folders(baseline_file)))
    if words.diff:
        unsafe = sum(each.fix is not None and each.fix.level not in levels for each in findings)
        if unsafe:
            sys.stderr.write(f"auditlint: {unsafe} {'fix needs' if unsafe == 1 else 'fixes need'} --unsafe-fixes\n")
        return 1 if changed else 0
    fail_on = words.fail_on or settings.fail_on or "warning"
    shown = findings
    if words.min_severity is not None:
        lowest = SEVERITIES.index(words.min_severity)
        shown = tuple(finding for finding in findings if SEVERITIES.index(finding.severity) <= lowest)
    result = replace(_result(common, results, shown), fail_on=fail_on)
    to_standard_output = sys.stderr if fixing and from_stdin else sys.stdout
    for form, path in forms:
        counted = words.statistics and form == "text"
        pieces = (_statistics(result),) if counted else render(form, result, path is None)
        if path is None:
            to_standard_output.writelines(pieces)
        else:
            write_text(path, pieces)
    return status(findings, fail_on)


def _applied(count: int, before: Input, checked: LintResult) -> str:
    """How many fixes there were, and in how many files."""
    pairs = zip(before.sources, checked.input.sources, strict=True)
    files = len({old.path for old, new in pairs if old.data != new.data})
    return f"{count} {'fix' if count == 1 else 'fixes'} in {files} {'file' if files == 1 else 'files'}"


def _defaults(common: RunOptions) -> str:
    """For what rules were fixed, where the user did not say all of it: a fix may name calls that are newer."""
    target = common.target
    parts = ("kernel", "machine", "auditctl")
    missing = ", ".join(f"--{part}" for part in parts if getattr(target.source, part) == BY_DEFAULT)
    if not missing:
        return ""
    known = f"Linux {target.kernel}, {target.machine}, auditctl {target.auditctl}"
    return f"fixed for {known}; choose another target with {missing}"


def _left(finding: Finding) -> str:
    source = finding.at.source
    where = f"{source.path}:{finding.at.line}"
    return f"{where}: {finding.code} {finding.name} not fixed: its fix would conflict with the other rules"


def _folders(path: str) -> tuple[str, str]:
    """The folder of a file and the one that paths of inputs are relative to, with slashes."""
    current = os.getcwd()
    return os.path.dirname(os.path.abspath(path)).replace(os.sep, "/"), current.replace(os.sep, "/")


def _baseline(path: str | None) -> dict[str, int] | None:
    if path is None:
        return None
    from auditlint.io.inputs import read_file
    from auditlint.lint import baseline

    return dict(baseline.load(read_file(path).data.decode("utf-8", "replace"), path))


def _with_user_space(linter: Linter, checked: LintResult, image: Image) -> LintResult:
    """With what the programs and services of an image say about the rules in it: do they get into the kernel?"""
    entry = checked.input
    if entry.kind not in ("rules", "rules.d") or image.inside(entry.path) is None:
        return checked
    from auditlint.context.rules import RulesContext
    from auditlint.context.system import SystemContext
    from auditlint.lint.runner import sort_findings

    common = linter.common
    rules = RulesContext(linter.program(entry), common.settings)
    context = SystemContext(
        None, (), (rules,), common.target, common.facts, common.settings, user_space=image.user_space
    )
    more = [finding for finding in linter.together(context) if finding.code in _OF_USER_SPACE]
    paths = [source.path for source in entry.sources]
    return replace(checked, findings=tuple(sort_findings([*checked.findings, *more], paths))) if more else checked


def _real_in(image: Image) -> Callable[[str], str]:
    """Where a path leads: within the image for a path of it."""

    def real(path: str) -> str:
        place = image.inside(path)
        if place is None:
            return os.path.realpath(path)
        root = os.path.realpath(image.root)
        return os.path.join(root, (image.tree.resolve(place) or place).lstrip("/"))

    return real


def _write(
    before: Input, after: Input, diff: bool, from_stdin: bool, named: Sequence[str], image: Image | None
) -> bool:
    """Write what fixing changed, or show it. Standard input goes to standard output. No link leads the writing out of
    the paths that were `named`."""
    pairs = list(zip(before.sources, after.sources, strict=True))
    changes = [(old.path, old.data, new.data) for old, new in pairs if old.data != new.data]
    if diff:
        sys.stdout.write("".join(_diff(*change) for change in changes))
    elif from_stdin:
        sys.stdout.flush()
        sys.stdout.buffer.write(b"".join(new.data for _, new in pairs))
    elif changes:
        from auditlint.io.rewriting import rewrite_all

        real = os.path.realpath if image is None else _real_in(image)
        rewrite_all(changes, [old.path for old, _ in pairs], [path for path in named if path != STDIN], real)
    return bool(changes)


def _diff(path: str, old: bytes, new: bytes) -> str:
    """A unified diff that `patch` takes; control characters and what a CI takes for a command are escaped."""
    from difflib import unified_diff

    from auditlint.core.escaping import printable

    def lines(data: bytes) -> list[str]:
        *whole, rest = data.decode("utf-8", "surrogateescape").split("\n")
        return [line + "\n" for line in whole] + ([rest] if rest else [])

    name = printable(path)
    return "".join(
        log_line(row.removesuffix("\n")) + ("\n" if row.endswith("\n") else "\n\\ No newline at end of file\n")
        for row in unified_diff(lines(old), lines(new), name, name)
    )


def _result(common: RunOptions, results: Iterable[LintResult], findings: tuple[Finding, ...]) -> Result:
    results = list(results)
    paths = dict.fromkeys(source.path for checked in results for source in checked.input.sources)
    judged = tuple(checked.judged for checked in results)
    target = common.target
    if all(each.arch is not None for each in judged) and len({(each.kernel, each.machine) for each in judged}) == 1:
        target = configured(target, judged[0].kernel, judged[0].machine)  # the configurations say
    return Result(
        target,
        findings,
        tuple(paths),
        sum(checked.rules for checked in results),
        sum(checked.suppressed for checked in results),
        (*common.remarks, *_notes(results)),
        judged,
        tuple(checked.profile for checked in results if checked.profile is not None),
    )


def _names_rules(paths: Iterable[str]) -> bool:
    """Are rules among the inputs? Then a command line beside them is meant to have audit on."""
    for path in paths:
        if path.endswith(".rules"):
            return True
        try:
            if os.path.isdir(path) and any(name.endswith(".rules") for name in os.listdir(path)):
                return True
        except OSError:
            continue  # reading it will say so
    return False


def _notes(results: Iterable[LintResult]) -> tuple[str, ...]:
    """What there is to say about inputs as a whole; said once where it is the same for several."""
    same: dict[str, list[str]] = {}
    for checked in results:
        if checked.note:
            same.setdefault(checked.note, []).append(checked.input.path)
    return tuple(f"{_several(paths)}: {note}" for note, paths in same.items())


def _several(paths: list[str]) -> str:
    shown = ", ".join(paths[:MOST_PATHS])
    left = len(paths) - MOST_PATHS
    return f"{shown} and {left} more (--format json names them)" if left > 0 else shown


def _statistics(result: Result) -> str:
    from auditlint.reports.text import summary

    rows = [f"{count:6}  {name}\n" for name, count in counts(result.findings).items()]
    return "".join(rows) + summary(result) + "\n"
