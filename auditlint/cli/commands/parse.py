"""`auditlint parse`: what auditctl would do with each line, as JSON Lines (docs/parse.md) or as a table."""

from __future__ import annotations

from auditlint.cli import options
from auditlint.core.errors import UserError
from auditlint.io.output import write_lines, write_records

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from auditlint.auditctl.entries import Entry
    from auditlint.auditctl.model import Rule
    from auditlint.core.run_options import RunOptions
    from auditlint.core.target import Target
    from auditlint.io.image import Image
    from auditlint.load.program import Program

_USAGE = """%(prog)s [OPTION]... PATH|-...
       %(prog)s [OPTION]... --argv -- WORD...
       %(prog)s [OPTION]... --argv-json FILE|-"""


def run(argv: list[str]) -> int:
    """Judge files, directories, standard input or command lines; 0 unless the use is wrong."""
    single = None
    if "--argv" in argv:
        at = argv.index("--argv")
        if argv[at + 1 : at + 2] != ["--"]:
            raise UserError("--argv must be followed by -- and the words of the command line")
        argv, single = argv[:at], argv[at + 2 :]
    parser = options.make_parser("parse", "Show what auditctl and the kernel do with each line.", _USAGE)
    parser.add_argument(
        "paths", nargs="*", metavar="PATH", help="rule file, rules.d directory, or - for standard input"
    )
    parser.add_argument(
        "--argv-json", metavar="FILE", help="read command lines instead: one JSON array of words a line"
    )
    parser.add_argument("--format", choices=("json", "text"), default="json", help="JSON Lines, or a table for people")
    parser.add_argument(
        "--encode", action="store_true", help="add each rule as auditctl sends it to the kernel, in hexadecimal"
    )
    parser.add_argument(
        "--awk", choices=("gawk", "mawk"), help="awk that merges directories (default: that of the target, else gawk)"
    )
    options.add_inputs(parser, ("rules", "rules.d"))
    options.add_target(parser)
    options.add_facts(parser)
    options.add_settings(parser)
    words = parser.parse_args(argv)
    if (single is not None) + (words.argv_json is not None) + bool(words.paths) != 1:
        raise UserError("expected either paths, or --argv, or --argv-json (see auditlint parse --help)")
    image = options.open_root(words)
    common = options.read_common(words, image)
    options.say_remarks(common)
    if single is not None:
        write_records([_answer(single, common, words.encode)])
    elif words.argv_json is not None:
        write_records(_answer(each, common, words.encode) for each in _command_lines(words.argv_json))
    else:
        _parse(words, common, image)
    return 0


def _parse(words: Any, common: RunOptions, image: Image | None) -> None:
    from auditlint.core.escaping import log_line
    from auditlint.io.inputs import read_inputs
    from auditlint.load.program import load_input

    release = common.target.auditctl
    for each in read_inputs(
        words.paths,
        auditctl=release,
        kind=words.kind or "rules",
        stdin_name=words.stdin_filename,
        search=False,
        image=image,
    ):
        program = load_input(each, common.target, common.facts, words.awk or common.awk or "gawk")
        if words.format == "text":
            write_lines(map(log_line, _table(program, each.path)))
        else:
            write_records(_records(program, each.path, words.encode))


def _records(program: Program, path: str, encode: bool) -> Iterator[dict[str, Any]]:
    from auditlint.load.records import program_records

    records = program_records(program, path)
    yield next(records)
    for record, entry in zip(records, program.entries, strict=False):
        yield _encoded(record, entry, program.target) if encode else record


def _answer(words: Sequence[str], common: RunOptions, encode: bool) -> dict[str, Any]:
    from auditlint.load.program import judge_words
    from auditlint.load.records import answer_record

    answer = judge_words(words, common.target, common.facts)
    record = answer_record(words, answer)
    return _encoded(record, answer.entry, common.target) if encode else record


def _encoded(record: dict[str, Any], entry: Entry, target: Target) -> dict[str, Any]:
    """The record with `encoded`, and `more_encoded`: `struct audit_rule_data` of what is sent, in hexadecimal."""
    if entry.rule is not None:
        record["encoded"] = _hex(entry.rule, target)
    if entry.more:
        record["more_encoded"] = [_hex(rule, target) for rule in entry.more]
    return record


def _hex(rule: Rule, target: Target) -> str | None:
    """None when a user or group name has no known number."""
    from auditlint.auditctl.encode import encode
    from auditlint.auditctl.tables import machines

    native = machines().get(target.machine)
    try:
        return encode(rule, native is not None and native.big_endian).hex()
    except ValueError:
        return None


def _command_lines(path: str) -> Iterator[list[str]]:
    import json

    from auditlint.io.inputs import STDIN, read_file, read_stdin

    source = read_stdin() if path == STDIN else read_file(path)
    for number, line in enumerate(source.data.split(b"\n"), 1):
        if not line.strip():
            continue
        try:
            words = json.loads(line.decode("utf-8", "surrogateescape"))
        except (ValueError, RecursionError) as error:
            raise UserError(f"{source.path}:{number}: not valid JSON ({error})") from error
        if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
            raise UserError(f"{source.path}:{number}: not a JSON array of strings")
        if any("\ud800" <= char <= "\udbff" or "\udc00" <= char < "\udc80" for word in words for char in word):
            raise UserError(f"{source.path}:{number}: contains half a character (a lone surrogate)")
        yield words


def _table(program: Program, path: str) -> Iterator[str]:
    """A heading with the outcome, then a row for every line."""
    run = program.run
    yield f"{path}: {_outcome(program)}"
    rows = [
        (_where(program, entry), entry.verdict + (" (lost)" if entry.lost else ""), _what(entry))
        for entry in program.entries
    ]
    widths = [max((len(row[column]) for row in rows), default=0) for column in (0, 1)]
    for where, verdict, what in rows:
        yield f"  {where:>{widths[0]}}  {verdict:{widths[1]}}  {what}".rstrip()
    if run.refused is None and not run.read_to_end:
        lost = sum(entry.lost for entry in program.entries)
        yield f"  loading stops at line {run.last_line_read}; {lost} later line{'' if lost == 1 else 's'} lost"


def _outcome(program: Program) -> str:
    run = program.run
    if run.refused is not None:
        return f"refused as a whole: {run.refused.message} (exit status {run.exit})"
    failed = f", {run.failed_lines} failed" if run.failed_lines else ""
    count = len(program.loaded)
    return f"{count} rule{'' if count == 1 else 's'} loaded{failed} (exit status {run.exit})"


def _where(program: Program, entry: Entry) -> str:
    number = entry.line.number
    if program.is_directory:
        source = entry.at.source
        return f"{source.path.rpartition('/')[2]}:{entry.at.line}"
    return f"{number}.{entry.line.part}" if entry.line.part else str(number)


def _what(entry: Entry) -> str:
    from auditlint.load.records import rule_text

    parts = []
    if entry.problem is not None:
        parts.append(f"{entry.problem.kind}: {entry.problem.message}")
    if entry.rule is not None:
        parts.append(rule_text(entry.rule))
    for control in entry.control:
        parts.append(" ".join(f"{key}={value}" for key, value in control.items() if key != "data"))
    return "; ".join(parts)
