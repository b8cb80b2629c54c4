"""What we and auditctl make of the lines of a file, in one form; and how to make a difference small."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

from auditlint.auditctl.model import Line, Request, Rule
from auditlint.auditctl.parse import Reader
from auditlint.core.facts import Facts
from auditlint.core.source import Source
from auditlint.core.target import Target
from tests.differential.standin import DIRECTORIES, GROUPS, USERS, Auditctl, Piece

FACTS = Facts(users=USERS, groups=GROUPS, directories=frozenset(DIRECTORIES), directories_complete=True)
RELEASE = "3.0.9"


@dataclass(frozen=True, slots=True)
class Verdict:
    """Why a line is refused (None: it is not), what was sent to the kernel or the daemon, in order, and what auditctl
    warned about."""

    kind: str | None
    sent: tuple[Any, ...]
    warned: frozenset[str] = frozenset()


NOTHING = Verdict(None, ())
WARNINGS = {
    "32/64 bit syscall mismatch": "arch-mismatch",
    "relative path notation": "relative-path",
    "wildcard notation": "wildcard",
    "has illegal character": "key-illegal-character",
    "is deprecated": "deprecated-possible",
}
"""What auditctl 3.0.9 warns about, and our word for it."""
"""A blank line, a comment, and an option that only changes how auditctl goes on."""


def read(data: bytes, machine: str = "x86_64") -> list[Line]:
    """The lines of a file as we read them."""
    reader = Reader(Target(kernel="none", machine=machine, auditctl=RELEASE), FACTS)
    return list(reader.read(Source("x.rules", data)))


def _request(request: Request) -> object:
    if request.kind in ("add", "delete"):
        return (request.kind, request.rule)
    if request.kind in ("delete-all", "list"):
        return "list"
    if request.kind == "status":
        return "status"
    if request.kind == "signal":
        assert request.control is not None
        return ("signal", request.control["signal"])
    return request.control


def of_line(line: Line) -> Verdict:
    """The verdict of one of our lines."""
    sent = [_request(request) for request in line.requests if request.kind not in ("ignore", "continue")]
    warned = {warning.kind for warning in line.warnings}
    return Verdict(line.problem.kind if line.problem else None, tuple(sent), frozenset(warned & set(WARNINGS.values())))


def of_piece(piece: Piece) -> Verdict:
    """The verdict of auditctl. It asks for the list twice on the way through `-D`."""
    sent: list[Any] = []
    for what in piece.sent:
        if what != "list" or sent[-1:] != ["list"]:
            sent.append(what)
    warned = (word for text, word in WARNINGS.items() if any(text in message for message in piece.messages))
    return Verdict(piece.kind, tuple(sent), frozenset(warned))


def defined(line: bytes) -> bool:
    """Whether auditctl reads only its own bytes: a single 0x04 or 0x07 at the end of a word sends it on behind it."""
    marked = line.partition(b"\0")[0].replace(b"\\ ", b"\7\7").replace(b"\\\\", b"\4\4")
    for word in marked.split(b" ")[1:]:
        at = 0
        while at < len(word):
            if word[at] in b"\4\7":
                at += 1
                if at == len(word):
                    return False
            at += 1
    return True


def differences(auditctl: Auditctl, data: bytes, machine: str = "x86_64") -> Iterator[tuple[bytes, Verdict, Verdict]]:
    """The lines of a file on which we differ: their bytes, what auditctl says, what we say."""
    ours = {line.span[0]: of_line(line) for line in read(data, machine)}
    for piece in auditctl.judge(data, machine):
        theirs = of_piece(piece)
        mine = ours.pop(piece.span[0], NOTHING)
        line = data[slice(*piece.span)].removesuffix(b"\n")
        if mine != theirs and defined(line):
            yield line, theirs, mine
    for start, mine in ours.items():
        yield data[start : start + 80], NOTHING, mine


def command_line(auditctl: Auditctl, words: list[bytes]) -> tuple[Verdict, Verdict]:
    """One command line: what auditctl says, what we say."""
    reader = Reader(Target(kernel="none", auditctl=RELEASE), FACTS)
    return of_piece(auditctl.words(words).pieces[0]), of_line(reader.read_words(words))


def smaller(auditctl: Auditctl, line: bytes, machine: str = "x86_64") -> bytes:
    """A shorter line on which we still differ, and in the same way as far as the kinds tell."""

    def kinds(text: bytes) -> tuple[str | None, str | None] | None:
        found = next(differences(auditctl, text, machine), None)
        return (found[1].kind, found[2].kind) if found and found[0] == text else None

    return shrink(line, lambda text: kinds(text) == wanted) if (wanted := kinds(line)) is not None else line


def shrink(line: bytes, still: Callable[[bytes], bool]) -> bytes:
    """Leave out words, then bytes, as long as `still` holds."""
    for mark in (b" ", b""):
        parts = line.split(mark) if mark else [line[at : at + 1] for at in range(len(line))]
        size = max(len(parts) // 2, 1)
        while size:
            at = 0
            while at < len(parts):
                fewer = parts[:at] + parts[at + size :]
                if fewer and still(mark.join(fewer)):
                    parts = fewer
                else:
                    at += size
            size //= 2
        line = mark.join(parts)
    return line


def plain(verdict: Verdict) -> dict[str, object]:
    """A verdict in the form of found.toml: `kind`, and `sent` as text that a person can read."""
    told: dict[str, object] = {"kind": verdict.kind} if verdict.kind else {}
    if verdict.warned:
        told["warned"] = sorted(verdict.warned)
    return {**told, "sent": [_plain(what) for what in verdict.sent]}


def _plain(what: object) -> str:
    if isinstance(what, tuple) and isinstance(what[1], Rule):
        rule = what[1]
        bits = [number for number in range(2048) if rule.mask >> number & 1]
        calls = "all" if len(bits) == 2048 else ",".join(map(str, bits)) or "none"
        prepend = " prepend" if rule.prepend else ""
        fields = " ".join(f"{f.name}{f.op}{f.value!r}" for f in rule.fields)
        return f"{what[0]}{prepend} {rule.list} {rule.action} calls={calls} {fields}".rstrip()
    if isinstance(what, tuple):
        return f"{what[0]} {what[1]}"
    if isinstance(what, dict):
        return " ".join(f"{name}={value!r}" if name != "type" else str(value) for name, value in what.items())
    return str(what)
