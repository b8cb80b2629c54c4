"""The command line: picks the command, imports only that, and turns errors into one line and exit status 2."""

from __future__ import annotations

import os
import sys

from auditlint.core.errors import UserError

COMMANDS = {
    "check": "find mistakes in audit rules, kernel configurations and kernel command lines",
    "parse": "show what auditctl and the kernel do with each line",
    "merge": "print the file that augenrules would write",
    "kconfig": "show what Kconfig makes of a configuration, and why",
    "cost": "show what a rule set costs at each system call",
    "diff": "show whether two rule sets record the same, with a proof or an example",
    "match": "show which rule decides an event, and why",
    "replay": "show which rule fills an audit log, and what would quiet it",
    "advise": "check configuration, command line and rules together",
    "explain": "print the page of a check",
    "list": "list all checks",
}
"""Each command is a module `auditlint.cli.commands.NAME` with `run(argv) -> int`."""

_QUICK = ("-h", "--help", "--version")

USAGE_ERROR = 2
INTERRUPTED = 130
READER_GONE = 141
"""128 + SIGPIPE."""


def _usage() -> str:
    width = max(map(len, COMMANDS))
    rows = "\n".join(f"  {name:{width}}  {what}" for name, what in COMMANDS.items())
    return (
        "usage: auditlint [COMMAND] [OPTION]... [PATH|-]...\n\n"
        f"commands (default when the first word is a path: check):\n{rows}\n\n"
        "auditlint COMMAND --help lists the options of a command; auditlint --version prints the version.\n"
    )


def main(argv: list[str]) -> int:
    """`run` for a process of its own: its streams made fit, and no failure of the tool shown as a traceback.

    `python -X dev` shows tracebacks, for those who work on auditlint.
    """
    try:
        _fit_streams()
        if argv and argv[0] not in _QUICK:
            from auditlint.core import signals as interrupts

            interrupts.once()
        return run(argv)
    except KeyboardInterrupt:
        return _interrupted()
    except Exception as error:
        if sys.flags.dev_mode:
            raise
        _say(f"internal error, please report it: {type(error).__name__}: {error}{_raised_at(error)}")
        _drop_output()
        return USAGE_ERROR


def run(argv: list[str]) -> int:
    """Run one command line and return its exit status."""
    try:
        try:
            status = _command(argv)
        except UserError as error:
            sys.stdout.flush()  # what was found before stands in front
            _say(str(error))
            return USAGE_ERROR
        sys.stdout.flush()
        return status
    except KeyboardInterrupt:
        return _interrupted()
    except BrokenPipeError:
        # The reader is gone, as behind `| head`: end as a shell reports a program that SIGPIPE ended, without a word.
        _drop_output()
        return READER_GONE
    except OSError as error:
        # Commands name what they cannot read; what is left is a full disk or a closed stream behind the output.
        _drop_output()
        _say(f"{error.filename or 'standard output'}: {error.strerror}")
        return USAGE_ERROR


def _command(argv: list[str]) -> int:
    if argv and argv[0] in ("-h", "--help"):
        sys.stdout.write(_usage())
        return 0
    if argv == ["--version"]:
        from auditlint import __version__

        sys.stdout.write(f"auditlint {__version__}\n")
        return 0
    if not argv:
        sys.stderr.write(_usage())
        return USAGE_ERROR
    if argv[0] not in COMMANDS:
        _refuse_slip(argv[0])
    command = argv[0] if argv[0] in COMMANDS else "check"
    rest = argv[1:] if argv[0] in COMMANDS else argv
    from importlib import import_module

    try:
        status: int = import_module(f"auditlint.cli.commands.{command}").run(rest)
    except SystemExit as end:  # argparse, behind --help
        return int(end.code or 0)
    return status


def _refuse_slip(word: str) -> None:
    """Raises UserError for a word that is nearly a command and no path."""
    if word.startswith("-") or "/" in word or os.path.exists(word):
        return
    from difflib import get_close_matches

    near = get_close_matches(word, COMMANDS, 1)
    if near:
        raise UserError(f"{word}: neither a command nor a file; did you mean {near[0]}?")


def _say(text: str) -> None:
    """One line on standard error, if anybody can hear it."""
    from contextlib import suppress

    from auditlint.core.escaping import log_line

    with suppress(OSError):
        sys.stderr.write(log_line(f"auditlint: {text}") + "\n")


def _interrupted() -> int:
    _drop_output()
    _say("interrupted")
    return INTERRUPTED


def _drop_output() -> None:
    """Keep Python from writing at its end what could not be written before."""
    try:
        number = sys.stdout.fileno()
    except (OSError, ValueError):
        return  # no real stream: a test that listens
    os.dup2(os.open(os.devnull, os.O_WRONLY), number)


def _fit_streams() -> None:
    """Output is UTF-8 whatever the locale says. A closed stream is replaced by one that fails when it is written to
    (standard output) or hears nothing (standard error)."""
    if sys.stdout is None:
        sys.stdout = open(os.open(os.devnull, os.O_RDONLY), "w")  # noqa: SIM115
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115
    sys.stdout.reconfigure(encoding="utf-8", errors="backslashreplace")  # type: ignore[union-attr]


def _raised_at(error: BaseException) -> str:
    """` (file.py:12)`: where an exception was raised."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return "" if trace is None else f" ({os.path.basename(trace.tb_frame.f_code.co_filename)}:{trace.tb_lineno})"
