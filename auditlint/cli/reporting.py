"""What commands that report findings share: the forms and files of --format, and the exit status."""

from __future__ import annotations

import os
import stat
import sys
from contextlib import suppress

from auditlint.core.errors import UserError
from auditlint.core.findings import SEVERITIES
from auditlint.io.output import write_file

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Iterable, Iterator, Mapping

    from auditlint.core.findings import Finding
    from auditlint.core.settings import Settings
    from auditlint.lint.results import Result

FORMS = ("text", "json", "sarif", "github", "gitlab", "junit")
FAIL_ON = (*SEVERITIES, "never")


def words_of(given: list[str] | None) -> tuple[str, ...]:
    return tuple(word.strip() for group in given or () for word in group.split(",") if word.strip())


def forms_of(words: argparse.Namespace) -> list[tuple[str, str | None]]:
    """Report forms with the file each goes to, None for standard output, which only one may use."""
    forms = []
    for given in words.format or ["text"]:
        form, colon, path = given.partition(":")
        if form not in FORMS:
            raise UserError(f"--format {given}: unknown format; expected one of {', '.join(FORMS)}")
        if colon and not path:
            raise UserError(f"--format {given}: the name of the file is missing")
        forms.append((form, path or None))
    if words.output is not None:
        if len(forms) > 1:
            raise UserError("--output accepts one --format; use --format FORM:FILE for several")
        forms = [(forms[0][0], words.output)]
    if sum(path is None for _, path in forms) > 1:
        raise UserError("only one report can go to standard output; use --format FORM:FILE for the others")
    files = [os.path.normpath(path) for _, path in forms if path is not None]
    for path in files:
        if files.count(path) > 1 and not path.startswith("/dev/"):
            raise UserError(f"--format: two reports go to {path}")
    return forms


def render(form: str, result: Result, standard_output: bool) -> Iterable[str]:
    """A report finding by finding, so that a long one need not be held."""
    if form == "text":
        from auditlint.reports import text

        return text.parts(result, standard_output and colour())
    from importlib import import_module

    pieces: Iterable[str] = import_module(f"auditlint.reports.{form}").parts(result)
    return pieces


def colour() -> bool:
    """Only on a terminal, and never with NO_COLOR (no-color.org) or a dumb terminal."""
    return sys.stdout.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


def status(findings: Iterable[Finding], fail_on: str) -> int:
    if fail_on == "never":
        return 0
    words: tuple[str, ...] = SEVERITIES
    counted = words[: words.index(fail_on) + 1]
    return int(any(finding.severity in counted for finding in findings))


def write_text(path: str, pieces: Iterable[str]) -> None:
    write_file(path, (piece.encode("utf-8", "backslashreplace") for piece in pieces))


def written(paths: Iterable[str | None]) -> dict[tuple[int, int], str]:
    """The regular files that reports will replace, by device and inode."""
    found = {}
    for path in paths:
        with suppress(OSError, ValueError):
            if path is not None and stat.S_ISREG((status := os.stat(path)).st_mode):
                found[status.st_dev, status.st_ino] = path
    return found


def refuse_read(targets: Mapping[tuple[int, int], str], read: Iterable[str | None]) -> None:
    """A report never replaces what the run reads. Raises UserError."""
    for path in read if targets else ():
        with suppress(OSError, ValueError):
            if path is not None:
                status = os.stat(path)
                target = targets.get((status.st_dev, status.st_ino))
                if target is not None:
                    raise UserError(f"{target}: the report would overwrite this input")


def asides(words: argparse.Namespace, settings: Settings) -> Iterator[str | None]:
    """What is read besides the inputs: the settings file and the facts."""
    yield settings.file or None
    yield getattr(words, "facts", None)
    if settings.facts is not None:
        yield os.path.join(os.path.dirname(settings.file), settings.facts)
