"""Paths of programs."""

from __future__ import annotations

import re

PROGRAMS = re.compile(r"/(?:s?bin|libexec)(?:/|$)")
"""Where programs and nothing else lie."""


def usual_perm(path: str) -> str:
    """What a watch is usually about: execution of a program, changes of another file."""
    return "x" if PROGRAMS.search(path) else "wa"
