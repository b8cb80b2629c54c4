"""`auditlint kconfig`: what Kconfig makes of a configuration, and why."""

from __future__ import annotations

import sys

from auditlint.cli import options
from auditlint.core.errors import UserError
from auditlint.core.kernel_version import parse_kernel_version

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from auditlint.core.source import Source
    from auditlint.core.target import Target
    from auditlint.io.inputs import Input
    from auditlint.kconfig.evaluate import Session
    from auditlint.kconfig.minimal_change import Change
    from auditlint.kconfig.model import Assignment, ConfigFile, Evaluation
    from auditlint.kconfig.tree import Tree

_USAGE = "%(prog)s [OPTION]... PATH|-..."
_MOST_CHANGES = 20
"""Dropped requests for which a change is looked for, and lines that are told of."""
MOST_EFFECTS = 6
"""Symbols that a change brings along, named unless --all or --want asks for more."""


def run(argv: list[str]) -> int:
    """Evaluate the files, merged in order; 0 unless the use is wrong."""
    from auditlint.kconfig.model import BASES

    parser = options.make_parser("kconfig", "Show what Kconfig makes of a configuration, and why.", _USAGE)
    parser.add_argument(
        "paths", nargs="*", metavar="PATH", help="configuration or fragment; several are merged in order"
    )
    parser.add_argument(
        "--format", choices=("text", "json"), default="text", help="text for people, or one JSON object (default: text)"
    )
    parser.add_argument("--output", metavar="FILE", help="write to FILE instead of standard output")
    parser.add_argument(
        "--base", metavar="BASE", help=f"base that the files are merged over: {', '.join(BASES)} or a FILE"
    )
    parser.add_argument(
        "--symbol", action="append", default=[], metavar="NAME", help="show only this symbol (repeatable)"
    )
    parser.add_argument(
        "--all", action="store_true", help="show every symbol that auditlint knows, not only those of audit and LSM"
    )
    parser.add_argument(
        "--want", action="append", metavar="NAME=VALUE", help="show the smallest change that gives NAME this value"
    )
    parser.add_argument("--stdin-filename", metavar="NAME", help="name to report for standard input (-)")
    group = parser.add_argument_group("kernel tree")
    group.add_argument(
        "--tree", metavar="DIR", help="evaluate with this kernel tree instead of the embedded definitions"
    )
    group.add_argument("--no-tree", action="store_true", help="ignore the kernel tree that contains the file")
    group.add_argument("--full-tree", action="store_true", help="read every Kconfig file of the tree")
    group.add_argument("--allow-shell", action="store_true", help="run the commands in the macros of a trusted tree")
    options.add_target(parser, arch=True, rules=False)
    options.add_settings(parser)
    words = parser.parse_args(argv)
    if not words.paths:
        hint = f": {words.settings} (--settings names the settings of auditlint)" if words.settings else ""
        raise UserError(f"PATH is missing: name the configuration without an option{hint}")
    text = _answer(words)
    if words.output is None:
        sys.stdout.flush()
        sys.stdout.buffer.write(text)
        return 0
    from auditlint.io.output import write_file

    write_file(words.output, (text,))
    return 0


def _answer(words: Namespace) -> bytes:
    from auditlint.context.config import disagreements
    from auditlint.kconfig.evaluate import Evaluator
    from auditlint.kconfig.minimal_change import smallest_change
    from auditlint.kconfig.model import BASES

    if words.tree is None and (words.allow_shell or words.full_tree) and words.no_tree:
        raise UserError("--allow-shell and --full-tree need a tree")
    kernel, words.kernel = words.kernel, None  # older lines are known here than to other commands
    common = options.read_common(words)
    kernel = _release(kernel) or common.kernel
    files, base, entries = _files(words, kernel)
    tree, automatic = _tree(words, kernel)
    asked = kernel, common.arch
    kernel = kernel or (tree.line if tree is not None else None) or _told(files, entries, "kernel", common.target)
    arch = common.arch or _told(files, entries, "arch", common.target)
    files = [_in_line(file, kernel) for file in files]
    under = words.base if base is None or words.base in BASES else _in_line(base, kernel)
    if words.output is not None:
        from auditlint.cli.reporting import asides, refuse_read, written

        read = [file.source.path for file in files]
        refuse_read(written([words.output]), [*read, *words.paths, words.base, *asides(words, common.settings)])
    evaluator = Evaluator(allow_shell=words.allow_shell, full_tree=words.full_tree)
    try:
        session = evaluator.session(files, kernel, arch, base=under, tree=tree)
        warning = None
    except UserError as error:
        if not automatic:
            raise
        warning = f"the kernel tree that contains {files[-1].source.path} is not used: {error}"
        session = evaluator.session(files, kernel, arch, base=under)
    wanted = _wanted(words.want)
    symbols = [name.removeprefix("CONFIG_") for name in words.symbol]
    for option, names in (("--symbol", symbols), ("--want", [wanted[0]] if wanted else [])):
        for name in names:
            _refuse_unknown(option, name, session)
    evaluation = evaluator.result(session, symbols)
    change = None if wanted is None else smallest_change(session, *wanted)
    notes = [*evaluation.notes, *([warning] if warning else [])]
    notes += disagreements(files, *asked)
    notes += [f"{entry.path}: {entry.note}" for entry in entries if entry.note]
    if words.base is None and all(file.partial for file in files):
        notes.append("a fragment, merged over the defaults of Kconfig only; choose a base with --base FILE")
    if words.format == "json":
        from auditlint.core.escaping import json_text

        return json_text(_record(evaluation, session, notes, change), None).encode("utf-8", "backslashreplace")
    from auditlint.core.escaping import log_line

    lines = _text(evaluation, session, notes, change, words)
    return "".join(log_line(line) + "\n" for line in lines).encode()


def _wanted(wants: list[str] | None) -> tuple[str, str] | None:
    """Name and value of --want."""
    if not wants:
        return None
    if len(wants) > 1:
        raise UserError("--want can be given only once")
    name, _, value = wants[0].removeprefix("CONFIG_").partition("=")
    if value not in ("y", "m", "n") or not name:
        raise UserError(f"--want {wants[0]}: expected NAME=y, NAME=m or NAME=n")
    return name, value


def _refuse_unknown(option: str, name: str, session: Session) -> None:
    """Raises UserError for a symbol of which nothing can be said. The embedded definitions, and of a tree the files
    that are read, tell only of the recorded symbols what they are and whether they exist."""
    from auditlint.kconfig.slices import groups

    found = session.definitions
    recorded = groups().get(name, "known") != "known"
    if name in found.names and (found.complete or recorded or option == "--want"):
        return
    if not found.complete and not recorded and "AUDIT" not in name:
        raise UserError(
            f"{option} {name}: not a symbol that auditlint knows; use --tree DIR --full-tree for every symbol"
        )
    if option == "--symbol":
        raise UserError(f"{option} {name}: Linux {found.line} has no such symbol for {found.arch}")


def _files(words: Namespace, kernel: str | None) -> tuple[list[ConfigFile], ConfigFile | None, list[Input]]:
    """The files to merge, the base below them, and what was named."""
    from auditlint.kconfig.config_file import holds_settings
    from auditlint.kconfig.model import BASES

    if words.paths.count("-") > 1:
        raise UserError("standard input (-) can be read only once")
    entries = [_sources(path, words.stdin_filename) for path in words.paths]
    files = [_read(source, kernel) for entry in entries for source in entry.sources]
    for file in files:
        if not holds_settings(file):
            raise UserError(f"{file.source.path}: not a kernel configuration")
    if words.base is None or words.base in BASES:
        return files, None, entries
    if "/" not in words.base and words.base.startswith("all"):
        raise UserError(f"--base {words.base}: expected {', '.join(BASES)}, or a file")
    source = _sources(words.base, None).sources[0]
    return files, _read(source, kernel), entries


def _sources(path: str, stdin_name: str | None) -> Input:
    from auditlint.io.inputs import Input, listed, names_files, read_file, read_stdin

    source = read_stdin(stdin_name or "-") if path == "-" else read_file(path)
    return listed(source) if names_files(source) else Input("config", source.path, (source,))


def _release(kernel: str | None) -> str | None:
    """The release that --kernel names, as files write it: `v6.1` is 6.1, `latest` the newest line."""
    parsed = parse_kernel_version(kernel) if kernel is not None else None
    return kernel if parsed is None else parsed.release


def _read(source: Source, kernel: str | None) -> ConfigFile:
    from auditlint.core.compression import UnreadableInput
    from auditlint.core.kernel_version import line_of_release
    from auditlint.kconfig.config_file import read_config

    try:
        return read_config(source, kernel=line_of_release(kernel) if kernel else None)
    except UnreadableInput as error:
        raise UserError(f"{source.path}: {error}") from None


def _in_line(file: ConfigFile, kernel: str) -> ConfigFile:
    """The file as the reader of that kernel takes it."""
    from auditlint.core.kernel_version import line_of_release

    return (
        file
        if file.version and line_of_release(file.version) == line_of_release(kernel)
        else _read(file.source, kernel)
    )


def _told(files: Sequence[ConfigFile], entries: Sequence[Input], what: str, target: Target) -> str:
    """The kernel line or the architecture as the last list of files that knows it says, or else the last file, or else
    the target. Raises UserError when none does."""
    from auditlint.core.kernel_version import line_of_release
    from auditlint.core.target import BY_DEFAULT, NO_KERNEL

    for entry in reversed(entries):
        said = entry.told[what == "arch"]
        if said is not None:
            return said
    for file in reversed(files):
        if what == "kernel" and file.version and (line := line_of_release(file.version)):
            return line
        if what == "arch" and file.arch:
            return file.arch
    source = target.source
    if what == "kernel" and source.kernel != BY_DEFAULT and target.kernel != NO_KERNEL:
        return target.kernel
    if what == "arch" and (source.machine != BY_DEFAULT or source.release is not None):
        from auditlint.core.target_names import machine_and_arch

        usual = machine_and_arch(target.machine, None)[1]
        if usual is not None:
            return usual
    context = "kernel line" if what == "kernel" else "architecture"
    example = "--kernel 6.1" if what == "kernel" else "--arch arm64"
    raise UserError(
        f"{files[-1].source.path}: header, path and content do not show its {context}; use for example {example}"
    )


def _tree(words: Namespace, kernel: str | None) -> tuple[Tree | None, bool]:
    """The tree to use, and whether it was found by itself."""
    from auditlint.core.kernel_version import line_of_release
    from auditlint.kconfig.tree import Tree, enclosing

    if words.tree is not None:
        return Tree(words.tree), False
    if words.no_tree or words.paths[-1] == "-":
        return None, False
    folder = enclosing(words.paths[-1])
    if folder is None:
        return None, False
    try:
        tree = Tree(folder)
    except UserError:
        return None, False
    return (tree, True) if kernel is None or line_of_release(kernel) == tree.line else (None, False)


def _record(evaluation: Evaluation, session: Session, notes: list[str], change: Change | None) -> dict[str, Any]:
    def asked(assignment: Assignment | None) -> str | None:
        if assignment is None:
            return None
        model = session.definitions.model
        name = assignment.symbol
        plain = name in model and model.type(name) in ("bool", "tristate")
        fitting = model.fits(name, assignment.value) if plain else None
        return fitting or assignment.value

    record: dict[str, Any] = {
        "version": 1,
        "kernel": evaluation.kernel,
        "arch": evaluation.arch.partition("-")[0],
        "source": evaluation.source,
        "line": evaluation.line,
        "symbols": {
            name: {"value": found.value, "requested": asked(found.requested), "why": list(found.why)}
            for name, found in evaluation.symbols.items()
        },
        "dropped": [
            {
                "symbol": found.assignment.symbol,
                "requested": found.assignment.value,
                "value": found.value,
                "file": found.assignment.source.path,
                "line": found.assignment.line,
                "reason": found.reason,
                "why": found.why,
            }
            for found in evaluation.dropped
        ],
        "unknown": list(evaluation.unknown),
        "ignored": [
            {"symbol": line.symbol, "file": line.source.path, "line": line.line, "reason": line.reason}
            for file in session.files
            for line in file.ignored
        ],
        "contradictions": [
            {
                "symbol": found.symbol,
                "value": found.value,
                "expected": found.expected,
                "line": None if found.assignment is None else found.assignment.line,
                "why": found.why,
            }
            for found in evaluation.contradictions
        ],
        "notes": notes,
    }
    if change is not None:
        record["change"] = _change_record(change)
    for entry, found in zip(record["dropped"], _changes(evaluation, session), strict=False):
        if found is not None:
            entry["change"] = _change_record(found)
    return record


def _change_record(change: Change) -> dict[str, Any]:
    return {
        "symbol": change.symbol,
        "value": change.value,
        "possible": change.possible,
        "edits": [
            {
                "symbol": edit.symbol,
                "value": edit.value,
                "file": None if edit.assignment is None else edit.assignment.source.path,
                "line": None if edit.assignment is None else edit.assignment.line,
            }
            for edit in change.edits
        ],
        "effects": [{"symbol": name, "before": before, "after": after} for name, before, after in change.effects],
        "advice": list(change.advice),
        "why": change.why,
    }


def _changes(evaluation: Evaluation, session: Session) -> Iterator[Change | None]:
    """The smallest change for each dropped request that a change can reach."""
    from auditlint.kconfig.minimal_change import smallest_change

    for number, found in enumerate(evaluation.dropped):
        value = found.assignment.value[:1]
        if found.value is None or found.reason == "invalid" or value not in ("y", "m", "n") or number >= _MOST_CHANGES:
            yield None
        else:
            yield smallest_change(session, found.assignment.symbol, value)


def _text(
    evaluation: Evaluation, session: Session, notes: list[str], change: Change | None, words: Namespace
) -> Iterator[str]:
    from auditlint.kconfig.minimal_change import described

    names = ", ".join(file.source.path for file in session.files)
    how = "a kernel tree" if evaluation.source == "tree" else f"the embedded definitions of Linux {evaluation.line}"
    yield f"{names}: Linux {evaluation.kernel} on {evaluation.arch}, evaluated with {how}"
    yield from (f"note: {note}" for note in notes)
    chosen = [name.removeprefix("CONFIG_") for name in words.symbol]
    only = {*chosen, *([change.symbol] if change is not None else [])} if not words.all else set()
    places = {name: f"line {found.line}" for name, found in session.requests.valid.items()}
    blocks = [_values(evaluation, chosen, only, words.all), _passed_over(session.files, only)]
    if not only:
        blocks += [_not_honoured(evaluation, session, places, words.all), _contradictions(evaluation)]
    if change is not None:
        blocks.append(iter([described(change, places)]))
    for block in map(list, blocks):
        if block:
            yield ""
            yield from block


def _values(evaluation: Evaluation, chosen: list[str], only: set[str], everything: bool) -> Iterator[str]:
    """The symbols that are shown, with the reasons. Of a change that is looked for, that change is the answer."""
    from auditlint.kconfig.slices import groups

    group = groups()
    for name, found in evaluation.symbols.items():
        asked = found.requested is not None
        if only and name not in chosen:
            continue
        if not only and not everything and group.get(name) == "other" and not asked:
            continue
        yield f"{name}={'(no value)' if found.value is None else found.value}"
        steps = found.why if chosen or everything or group[name] == "audit" else found.why[:1]
        yield from (f"    {step}" for step in steps)


def _passed_over(files: Sequence[ConfigFile], only: set[str]) -> Iterator[str]:
    """The lines that only look like settings: often the answer to why something is off."""
    from auditlint.kconfig.model import PASSED_OVER

    lines = [line for file in files for line in file.ignored if line.symbol or not only]
    lines = [line for line in lines if not only or (line.symbol or "").upper() in only]
    if lines:
        yield "ignored by Kconfig:"
    for line in lines[:_MOST_CHANGES]:
        text = line.source.text(line.span).strip()
        yield f"  {line.source.path}:{line.line}: {text[:80]}: {PASSED_OVER[line.reason]}"
    if len(lines) > _MOST_CHANGES:
        yield f"  and {len(lines) - _MOST_CHANGES} more lines"


def _not_honoured(
    evaluation: Evaluation, session: Session, places: Mapping[str, str], everything: bool
) -> Iterator[str]:
    from auditlint.kconfig.minimal_change import described

    if evaluation.dropped:
        yield "without effect:"
        for drop, found_change in zip(evaluation.dropped, _changes(evaluation, session), strict=True):
            line = drop.assignment
            yield f"  {line.source.path}:{line.line}: {line.symbol}={line.value}: {drop.why}"
            if found_change is not None:
                yield f"    {described(found_change, places, None if everything else MOST_EFFECTS)}"


def _contradictions(evaluation: Evaluation) -> Iterator[str]:
    if evaluation.contradictions:
        yield "the file is a complete .config; where it differs from Kconfig, its own values are used:"
        for contradiction in evaluation.contradictions:
            said = "nothing" if contradiction.assignment is None else f"{contradiction.value}"
            yield f"  {contradiction.symbol}: the file says {said}; Kconfig: {contradiction.why}"
