"""Rule files of a git revision, read from the object store: nothing is checked out, and no hook or filter runs."""

from __future__ import annotations

import os
import subprocess

from auditlint.core.errors import UserError
from auditlint.core.source import Source
from auditlint.io.inputs import LARGEST, Input, kind_of

_PROTECTED = ("-c", "core.fsmonitor=false", "-c", "core.hooksPath=/dev/null", "-c", "protocol.allow=never")
_SECONDS = 30


def read_revision(word: str) -> Input | None:
    """The input that `REV:PATH` names: a file, or a directory as rules.d. None when the word is a path, or no revision.

    PATH counts from the top of the repository, `REV:./PATH` from here. Raises UserError when the revision or the path
    is not there.
    """
    revision, colon, _ = word.partition(":")
    if not colon or not revision or os.path.lexists(word) or "\0" in word or revision.startswith("-"):
        return None
    what = _git("cat-file", "-t", word)
    kind = what.decode("ascii", "replace").strip()
    if kind == "blob":
        source = Source(word, _blob(word, word))
        return Input(kind_of(source, "rules"), word, (source,))
    if kind != "tree":
        raise UserError(f"{word}: names a {kind}, not a file or directory")
    names = [name for mode, name in _entries(word) if mode.startswith(b"100") and name.endswith(b".rules")]
    if not names:
        raise UserError(f"{word}: holds no *.rules")
    sources = []
    for name in sorted(names):
        text = os.fsdecode(name)
        sources.append(Source(f"{word.rstrip('/')}/{text}", _blob(f"{word.rstrip('/')}/{text}", word)))
    return Input("rules.d", word, tuple(sources))


def _entries(word: str) -> list[tuple[bytes, bytes]]:
    found = []
    for row in _git("ls-tree", "-z", word).split(b"\0"):
        head, tab, name = row.partition(b"\t")
        if tab:
            found.append((head.split(b" ")[0], name))
    return found


def _blob(name: str, word: str) -> bytes:
    size = _git("cat-file", "-s", name)
    if int(size) > LARGEST:
        raise UserError(f"{name}: is larger than {LARGEST >> 20} MiB")
    return _git("cat-file", "blob", name)


def _git(*words: str) -> bytes:
    """The output of one git command. Raises UserError with what git says."""
    environment = {**os.environ, "GIT_NO_LAZY_FETCH": "1", "GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0"}
    try:
        done = subprocess.run(
            ["git", "--no-pager", "--no-replace-objects", *_PROTECTED, *words],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            env=environment,
            timeout=_SECONDS,
            check=False,
        )
    except FileNotFoundError:
        raise UserError(f"{words[-1]}: git is not installed") from None
    except subprocess.TimeoutExpired:
        raise UserError(f"{words[-1]}: git does not answer") from None
    if done.returncode:
        lines = done.stderr.decode("utf-8", "replace").strip().splitlines() or ["no such revision or path"]
        raise UserError(f"{words[-1]}: {lines[-1].removeprefix('fatal: ')}")
    return done.stdout
