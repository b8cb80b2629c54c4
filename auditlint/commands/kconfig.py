"""`auditlint kconfig`: what Kconfig makes of a configuration, and why."""

from __future__ import annotations

import sys

from auditlint import options
from auditlint.errors import UserError

TYPE_CHECKING = False
if TYPE_CHECKING:
    from argparse import Namespace
    from collections.abc import Iterator, Sequence
    from typing import Any

    from auditlint.kconfig.change import Change
    from auditlint.kconfig.evaluate import Session
    from auditlint.kconfig.model import Assignment, ConfigFile, Evaluation
    from auditlint.kconfig.tree import Tree
    from auditlint.source import Source

_USAGE = "%(prog)s [OPTION]... PATH|-..."
_MOST_CHANGES = 20
"""Dropped requests for which a change is looked for."""


def run(argv: list[str]) -> int:
    """Evaluate the files, merged in order; 0 unless the use is wrong."""
    parser = options.make_parser("kconfig", "What Kconfig makes of a configuration, and why.", _USAGE)
    parser.add_argument(
        "paths", nargs="+", metavar="PATH", help="configuration or fragment; several are merged in order"
    )
    parser.add_argument("--format", choices=("text", "json"), default="text", help="for people (default) or one object")
    parser.add_argument("--output", metavar="FILE", help="write there instead of standard output")
    parser.add_argument("--base", metavar="BASE", help="what lies under the files: alldefconfig, allnoconfig or a FILE")
    parser.add_argument(
        "--symbol", action="append", default=[], metavar="NAME", help="show only this symbol (repeatable)"
    )
    parser.add_argument("--all", action="store_true", help="show every recorded symbol, not only audit and LSM")
    parser.add_argument("--want", metavar="NAME=VALUE", help="look for the smallest change that gives it this value")
    parser.add_argument("--stdin-filename", metavar="NAME", help="name of what is read from standard input (-)")
    group = parser.add_argument_group("kernel tree")
    group.add_argument("--tree", metavar="DIR", help="evaluate with this kernel tree instead of the embedded slices")
    group.add_argument("--no-tree", action="store_true", help="do not use the tree that the file lies in")
    group.add_argument("--full-tree", action="store_true", help="read every Kconfig file of the tree")
    group.add_argument("--allow-shell", action="store_true", help="run the commands that a trusted tree's macros name")
    options.add_target(parser, arch=True)
    options.add_settings(parser)
    words = parser.parse_args(argv)
    text = _answer(words)
    if words.output is None:
        sys.stdout.flush()
        sys.stdout.buffer.write(text)
        return 0
    from auditlint.output import write_file

    write_file(words.output, (text,))
    return 0


def _answer(words: Namespace) -> bytes:
    from auditlint.kconfig.change import smallest_change
    from auditlint.kconfig.evaluate import BASES, Evaluator

    if words.tree is None and (words.allow_shell or words.full_tree) and words.no_tree:
        raise UserError("--allow-shell and --full-tree need a tree")
    kernel, words.kernel = words.kernel, None  # older lines are known here than to other commands
    common = options.read_common(words)
    kernel = kernel or common.kernel
    files, base = _files(words, kernel)
    tree, automatic = _tree(words, files, kernel)
    kernel = kernel or (tree.line if tree is not None else None) or _told(files, "kernel")
    arch = common.arch or _told(files, "arch")
    files = [_in_line(file, kernel) for file in files]
    under = words.base if base is None or words.base in BASES else _in_line(base, kernel)
    evaluator = Evaluator(allow_shell=words.allow_shell, full_tree=words.full_tree)
    try:
        session = evaluator.session(files, kernel, arch, base=under, tree=tree)
        warning = None
    except UserError as error:
        if not automatic:
            raise
        warning = f"the kernel tree around {files[-1].source.path} is not used: {error}"
        session = evaluator.session(files, kernel, arch, base=under)
    evaluation = evaluator.result(session)
    change = None
    if words.want is not None:
        name, _, value = words.want.removeprefix("CONFIG_").partition("=")
        if value not in ("y", "m", "n") or not name:
            raise UserError(f"--want {words.want}: say NAME=y, NAME=m or NAME=n")
        change = smallest_change(session, name, value)
    notes = [*evaluation.notes, *([warning] if warning else [])]
    if words.format == "json":
        import json

        return (
            json.dumps(_record(evaluation, session, notes, change), ensure_ascii=False).encode(
                "utf-8", "backslashreplace"
            )
            + b"\n"
        )
    from auditlint.reports.safe import printable

    lines = _text(evaluation, session, notes, change, words)
    return "".join(printable(line) + "\n" for line in lines).encode()


def _files(words: Namespace, kernel: str | None) -> tuple[list[ConfigFile], ConfigFile | None]:
    from auditlint.kconfig.evaluate import BASES

    if words.paths.count("-") > 1:
        raise UserError("standard input (-) can be read only once")
    files = [_read(source, kernel) for path in words.paths for source in _sources(path, words.stdin_filename)]
    if words.base is None or words.base in BASES:
        return files, None
    if "/" not in words.base and words.base.startswith("all"):
        raise UserError(f"--base {words.base}: say {', '.join(BASES)}, or a file")
    (source,) = _sources(words.base, None)[:1]
    return files, _read(source, kernel)


def _sources(path: str, stdin_name: str | None) -> Sequence[Source]:
    from auditlint.inputs import read_file, read_inputs, read_stdin

    if path == "-":
        return (read_stdin(stdin_name or "-"),)
    source = read_file(path)
    if path.endswith(".scc") or b"BR2_LINUX_KERNEL_" in source.data:
        return [each for found in read_inputs([path], auditctl="4.2", kind="fragment") for each in found.sources]
    return (source,)


def _read(source: Source, kernel: str | None) -> ConfigFile:
    from auditlint.kconfig.origin import kernel_line
    from auditlint.kconfig.read import read_config
    from auditlint.packed import UnreadableInput

    try:
        return read_config(source, kernel=kernel_line(kernel) if kernel else None)
    except UnreadableInput as error:
        raise UserError(f"{source.path}: {error}") from None


def _in_line(file: ConfigFile, kernel: str) -> ConfigFile:
    """The file as the reader of that kernel takes it."""
    from auditlint.kconfig.origin import kernel_line

    return file if file.version and kernel_line(file.version) == kernel_line(kernel) else _read(file.source, kernel)


def _told(files: Sequence[ConfigFile], what: str) -> str:
    """The kernel line or the architecture as the last file that knows it says. Raises UserError when none does."""
    from auditlint.kconfig.origin import kernel_line

    for file in reversed(files):
        if what == "kernel" and file.version and (line := kernel_line(file.version)):
            return line
        if what == "arch" and file.arch:
            return file.arch
    subject = "kernel line" if what == "kernel" else "architecture"
    example = "--kernel 6.1" if what == "kernel" else "--arch arm64"
    raise UserError(
        f"{files[-1].source.path}: its {subject} cannot be told from header, path or content; say {example}"
    )


def _tree(words: Namespace, files: Sequence[ConfigFile], kernel: str | None) -> tuple[Tree | None, bool]:
    """The tree to use, and whether it was found by itself."""
    from auditlint.kconfig.origin import kernel_line
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
    return (tree, True) if kernel is None or kernel_line(kernel) == tree.line else (None, False)


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
    from auditlint.kconfig.change import smallest_change

    for number, found in enumerate(evaluation.dropped):
        value = found.assignment.value[:1]
        if found.value is None or found.reason == "invalid" or value not in ("y", "m", "n") or number >= _MOST_CHANGES:
            yield None
        else:
            yield smallest_change(session, found.assignment.symbol, value)


def _text(
    evaluation: Evaluation, session: Session, notes: list[str], change: Change | None, words: Namespace
) -> Iterator[str]:
    from auditlint.kconfig.change import described
    from auditlint.kconfig.slices import groups

    names = ", ".join(file.source.path for file in session.files)
    how = "a kernel tree" if evaluation.source == "tree" else f"the embedded definitions of Linux {evaluation.line}"
    yield f"{names}: Linux {evaluation.kernel} on {evaluation.arch}, evaluated with {how}"
    yield from (f"note: {note}" for note in notes)
    chosen = [name.removeprefix("CONFIG_") for name in words.symbol]
    for name in chosen:
        if name not in evaluation.symbols:
            raise UserError(f"--symbol {name}: is no recorded symbol of Linux {evaluation.line} on {evaluation.arch}")
    group = groups()
    yield ""
    for name, found in evaluation.symbols.items():
        asked = found.requested is not None
        if chosen and name not in chosen:
            continue
        if not chosen and not words.all and group[name] == "other" and not asked:
            continue
        yield f"{name}={'(no value)' if found.value is None else found.value}"
        steps = found.why if chosen or words.all or group[name] == "audit" else found.why[:1]
        yield from (f"    {step}" for step in steps)
    if chosen and change is None:
        return
    places = {name: f"line {found.line}" for name, found in session.requests.valid.items()}
    if evaluation.dropped and not chosen:
        yield ""
        yield "not honoured:"
        for drop, found_change in zip(evaluation.dropped, _changes(evaluation, session), strict=True):
            line = drop.assignment
            yield f"  {line.source.path}:{line.line}: {line.symbol}={line.value}: {drop.why}"
            if found_change is not None:
                yield f"    {described(found_change, places)}"
    if evaluation.contradictions and not chosen:
        yield ""
        yield "the file is resolved and says otherwise than Kconfig of that line would; the file is believed:"
        for contradiction in evaluation.contradictions:
            said = "nothing" if contradiction.assignment is None else f"{contradiction.value}"
            yield f"  {contradiction.symbol}: the file says {said}; Kconfig: {contradiction.why}"
    if change is not None:
        yield ""
        yield described(change, places)
