"""Rule files of users, made ready for the guest."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from tools.laboratory.cpio import DIRECTORY, FILE, Member
from tools.laboratory.scenarios import Scenario

if TYPE_CHECKING:
    import argparse

_FILE = re.compile(r"(?:-F\s*|\s)(?:path|exe)=(/\S+)")
_FOLDER = re.compile(r"(?:-F\s*|\s)dir=(/\S+)")
_WATCH = re.compile(r"^\s*-w\s+(/\S*)", re.M)


def scenario_of(name: str, content: str, arguments: argparse.Namespace) -> Scenario:
    """The scenario of a rule file: its lines as they are, loaded with auditctl -R."""
    lines = tuple(content.splitlines())
    return Scenario(name, lines, arguments.auditctl, arguments.uid, arguments.auid)


def named_paths(content: str) -> list[Member]:
    """The files and folders that rules name, with their folders, so that they exist in the guest.

    A watch whose path ends in a slash, and `dir`, name a folder.
    """
    folders = {path.rstrip("/") for path in _FOLDER.findall(content)}
    files = set(_FILE.findall(content))
    for path in _WATCH.findall(content):
        (folders if path.endswith("/") else files).add(path.rstrip("/"))
    files -= folders
    every = {path for path in folders | files if path and ".." not in path.split("/")}
    parents = {"/".join(path.split("/")[:depth]) for path in every for depth in range(2, path.count("/") + 1)}
    folders = (folders | parents) & (every | parents)
    members = [Member(path[1:], DIRECTORY | 0o755) for path in sorted(folders - {""})]
    return members + [Member(path[1:], FILE | 0o644, b"named\n") for path in sorted((files & every) - folders)]
