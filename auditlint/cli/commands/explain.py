"""`auditlint explain CODE-OR-NAME`: the page of a check, in the terminal."""

from __future__ import annotations

import sys

from auditlint.cli.options import make_parser
from auditlint.core.data import read_text
from auditlint.lint.registry import all_checks
from auditlint.lint.runner import unknown_check


def run(argv: list[str]) -> int:
    """Print the page. An unknown word is exit status 2 with the nearest name."""
    parser = make_parser("explain", "Print the page of a check.", "%(prog)s CODE-OR-NAME")
    parser.add_argument("check", metavar="CODE-OR-NAME", help="such as AL301 or duplicate-rule")
    word = parser.parse_args(argv).check
    for check in all_checks():
        if word.upper() == check.code or word.lower() == check.name:
            sys.stdout.write(read_text(f"pages/{check.code}.md"))
            return 0
    raise unknown_check(word)
