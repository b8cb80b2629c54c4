"""`auditlint merge DIR`: the file that augenrules would write, byte for byte, or where its lines come from."""

from __future__ import annotations

import sys

from auditlint.auditctl.augenrules import AWKS, DEFAULT_AWK, merge
from auditlint.cli import options
from auditlint.core.escaping import log_line
from auditlint.io.inputs import read_rules_d
from auditlint.io.output import write_bytes, write_records

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from auditlint.auditctl.augenrules import Merge


def run(argv: list[str]) -> int:
    """Write the merged file (or its map) to standard output, and what is left out to standard error; 0."""
    parser = options.make_parser(
        "merge", "Print the file that augenrules would write from a rules.d directory.", "%(prog)s [OPTION]... DIR"
    )
    parser.add_argument("directory", metavar="DIR", help="rules.d directory")
    parser.add_argument(
        "--map", action="store_true", help="write JSON Lines instead: each merged line, its source file and line"
    )
    parser.add_argument(
        "--awk", choices=AWKS, help=f"the awk that runs it (default: that of the target, else {DEFAULT_AWK})"
    )
    parser.add_argument("--target", metavar="NAME", help="a release such as debian-12 (list --targets)")
    parser.add_argument("--auditctl", metavar="RELEASE", help="release of auditctl")
    options.add_settings(parser)
    words = parser.parse_args(argv)
    common = options.read_common(words)
    options.say_remarks(common)
    release = common.target.auditctl
    found = read_rules_d(words.directory, release)
    merged = merge(found.sources, release, words.awk or common.awk or DEFAULT_AWK)
    if words.map:
        write_records(_map(merged))
    else:
        write_bytes(merged.text.data)
    for left in found.left_out:
        line = f"auditlint: {found.path}: augenrules ignores {left.name!r}: {left.reason}"
        sys.stderr.write(log_line(line) + "\n")
    return 0


def _map(merged: Merge) -> Iterator[dict[str, Any]]:
    """`source` is null for what augenrules adds itself; `sources` are all places of a line glued from several files."""
    from auditlint.load.records import place_record

    for number, line in enumerate(merged.lines, 1):
        places = [place_record(part) for part in line.parts]
        record: dict[str, Any] = {"line": number, "source": places[0] if places else None}
        if len(places) > 1:
            record["sources"] = places
        yield record
