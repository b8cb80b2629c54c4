"""How far a long run is: one line on a terminal, which goes again; nothing anywhere else."""

from __future__ import annotations

import os
import sys
import time
from contextlib import suppress

from auditlint.core.escaping import printable

TYPE_CHECKING = False
if TYPE_CHECKING:
    from types import TracebackType

FIRST = 0.5
"""Seconds until the line is shown: a short run shows none."""
EACH = 0.1
"""Seconds between two changes of the line."""


_ECHO = len("^C")


class Progress:
    """A context; `show` says what is looked at, `clear` takes the line away before something else is printed.

    The line is made of letters, blanks and carriage returns: nothing in it is a colour or an escape sequence. A dumb
    terminal gets none, as it need not know a carriage return.
    """

    def __init__(self) -> None:
        self._on = sys.stderr.isatty() and os.environ.get("TERM") not in (None, "", "dumb")
        self._next = time.monotonic() + FIRST
        self._width = 0

    def __enter__(self) -> Progress:
        return self

    def __exit__(self, *_raised: type[BaseException] | BaseException | TracebackType | None) -> None:
        self.clear()

    def show(self, number: int, path: str) -> None:
        """The `number`th input is at hand."""
        self.show_text(f"{number} checked, at {path}")

    def show_text(self, line: str) -> None:
        """How far the run is, in words."""
        if not self._on or time.monotonic() < self._next:
            return
        try:
            columns = os.get_terminal_size(sys.stderr.fileno()).columns
        except OSError:
            columns = 0
        # ASCII only, so that a character is a column; room for the ^C that a terminal echoes stays free.
        room = max(0, (columns or 80) - 1 - _ECHO)
        text = printable(line).encode("ascii", "replace").decode()[:room]
        self._width = max(self._width, len(text))  # before it stands there: Ctrl-C may come in between
        self._write("\r" + text.ljust(self._width))
        self._next = time.monotonic() + EACH

    def clear(self) -> None:
        if self._width:
            self._write("\r" + " " * (self._width + _ECHO) + "\r")
            self._width = 0

    def _write(self, text: str) -> None:
        with suppress(OSError):
            sys.stderr.write(text)
            sys.stderr.flush()
