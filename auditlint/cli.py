"""The command line: picks the command, imports only that, and turns errors into one line and exit status 2."""

from __future__ import annotations

import os
import sys

from auditlint.errors import UserError

COMMANDS = {
    "check": "lint rule files, rules.d directories, kernel configurations and command lines",
    "parse": "what auditctl would do with each line",
    "merge": "the file augenrules would write",
    "kconfig": "what Kconfig makes of a configuration, and why",
    "cost": "what a rule set costs",
    "match": "which rule decides for an event, and why",
    "advise": "one report over configuration, command line and rules",
    "explain": "the page of a check",
    "list": "all checks",
}
"""Each command is a module `auditlint.commands.NAME` with `run(argv) -> int`."""

USAGE_ERROR = 2


def _usage() -> str:
    width = max(map(len, COMMANDS))
    rows = "\n".join(f"  {name:{width}}  {what}" for name, what in COMMANDS.items())
    return (
        "usage: auditlint [COMMAND] [OPTION]... [PATH|-]...\n\n"
        f"commands (default when the first word is a path: check):\n{rows}\n\n"
        "auditlint COMMAND --help lists the options of a command; auditlint --version prints the version.\n"
    )


def run(argv: list[str]) -> int:
    """Run one command line and return its exit status."""
    if argv and argv[0] in ("-h", "--help"):
        sys.stdout.write(_usage())
        return 0
    if not argv:
        sys.stderr.write(_usage())
        return USAGE_ERROR
    command = argv[0] if argv[0] in COMMANDS else "check"
    rest = argv[1:] if argv[0] in COMMANDS else argv
    try:
        from importlib import import_module

        status: int = import_module(f"auditlint.commands.{command}").run(rest)
        sys.stdout.flush()
        return status
    except UserError as error:
        from auditlint.reports.safe import log_line

        sys.stderr.write(log_line(f"auditlint: {error}") + "\n")
        return USAGE_ERROR
    except KeyboardInterrupt:
        sys.stderr.write("auditlint: interrupted\n")
        return 130
    except BrokenPipeError:
        # The reader is gone; nothing more can be said. Keep Python from complaining at shutdown.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return USAGE_ERROR
