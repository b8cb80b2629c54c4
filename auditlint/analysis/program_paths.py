"""Paths of programs."""

from __future__ import annotations

import re

PROGRAMS = r"/(?:s?bin|libexec)(?:/|$)|/systemd/systemd(?:-[a-z]+)?$"
"""Where programs and nothing else lie; and the services of systemd, which lie below lib."""


def usual_perm(path: str) -> str:
    """What a watch is usually about: execution of a program, changes of another file."""
    return "x" if re.search(PROGRAMS, path) else "wa"
