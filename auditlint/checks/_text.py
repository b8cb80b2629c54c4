"""The text of a line as checks look at it: what it would be without a tab, a quote or a comment, and how auditctl
would read that."""

from __future__ import annotations

import re

from auditlint.source import Source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from auditlint.kernel.accept import Refusal
    from auditlint.language.model import Line, Rule
    from auditlint.program import Entry, Program
    from auditlint.subjects import RulesSubject

PROGRAM = re.compile(rb" *(?:(?:/usr)?(?:/s?bin/)?(?:sudo|auditctl) +)+")
"""Program names in front of a line, as typed in a shell."""
TYPOGRAPHIC = re.compile(rb"\xe2\x80[\x90-\x95\x98-\x9f\xa8\xaf]|\xe2\x88\x92|\xc2[\xa0\xad]|\xe2\x80\x8b")
"""UTF-8 of dashes, curly quotes, non-breaking and invisible blanks that stand in for plain characters."""
CURLY = re.compile(rb"[\"']")
_QUOTED = re.compile(rb"(?<![^ =<>!&])([\"'])(.*?)\1(?= |\Z)|(?<![^ ])([\"'])(\S*?)\3")
_PLAIN = {b"\xc2\xa0": b" ", b"\xe2\x80\xaf": b" ", b"\xc2\xad": b"", b"\xe2\x80\x8b": b"", b"\xe2\x88\x92": b"-"}
_WORD = re.compile(rb"(?:[^ \\]+|\\.?)+", re.DOTALL)
_PLAIN_WORD = re.compile(rb"[^ ]+")
"""The same where there is no backslash, several times as fast."""
_MOST_READINGS = 16
"""Lines tried last that are kept: a fix looks at its new text several times."""
_RULE_OPTIONS = frozenset(("-a", "-A", "-d", "-w", "-W"))


def line_bytes(entry: Entry) -> bytes:
    """The bytes of the line as auditctl gets it, without LF."""
    start, end = entry.line.span
    return entry.line.source.data[start:end]


def words(text: bytes) -> list[tuple[int, int]]:
    """The spans of the words of a line: anything between spaces, escapes kept."""
    return [found.span() for found in (_WORD if b"\\" in text else _PLAIN_WORD).finditer(text)]


def plain(text: bytes) -> bytes:
    """The line with typographic characters replaced by the plain ones they stand for.

    Two dashes that became one long one (`--reset-lost` as an en dash) are not guessed.
    """

    def replace(found: re.Match[bytes]) -> bytes:
        mark = found[0]
        if mark in _PLAIN:
            return _PLAIN[mark]
        if mark[:2] == b"\xe2\x80" and 0x90 <= mark[2] <= 0x95:
            return b"-"
        return b"'" if 0x98 <= mark[2] <= 0x9B else b'"'

    text = TYPOGRAPHIC.sub(replace, text)
    return unquoted(text)[0] if CURLY.search(text) else text


def unquoted(text: bytes) -> tuple[bytes, bool]:
    """The line without quotes around words and values, blanks inside escaped; and whether a path held a blank."""
    blank_in_path = False

    def replace(found: re.Match[bytes]) -> bytes:
        nonlocal blank_in_path
        inside: bytes = found[2] if found[2] is not None else found[4]
        value = re.split(rb"[=<>]", inside, maxsplit=1)[-1]
        blank_in_path |= b" " in inside and value.startswith(b"/")
        return re.sub(rb"(?<!\\) ", rb"\\ ", inside)

    return _QUOTED.sub(replace, text), blank_in_path


def comment_start(text: bytes) -> int | None:
    """Where a comment behind a rule begins: the first word after the first that starts with `#`."""
    for start, _ in words(text)[1:]:
        if text[start : start + 1] == b"#":
            return start
    return None


def continues(text: bytes) -> bool:
    """Does the line end in a backslash of its own, as if it went on in the next one?"""
    stripped = text.rstrip(b" \t\r")
    return stripped.endswith(b"\\") and not stripped.startswith(b"#") and not stripped.endswith(b"\\\\")


def rule_starts(entry: Entry) -> list[int]:
    """Where in the line options stand that begin a rule, offsets into its bytes. The walk may have ended before
    the later ones, so the words are looked at."""
    text = line_bytes(entry)
    found = []
    previous = b""
    for start, end in words(text):
        word = text[start:end]
        if word[:2].decode("latin-1") in _RULE_OPTIONS and previous not in (b"-k", b"-F", b"-S", b"-p", b"-C"):
            found.append(start)
        previous = word
    return found


def takes_argument(option: str) -> bool:
    """Is this an option of auditctl that takes an argument?"""
    from auditlint.language.tables import options
    from auditlint.target import DEFAULT_AUDITCTL

    known = options(DEFAULT_AUDITCTL)
    name = option if option.startswith("--") else option[:2]
    return name in known and known[name][0]


_STRUCTURE = frozenset(
    (
        "bad-option-count",
        "bad-path",
        "invalid-option",
        "key-without-watch-or-syscall",
        "list-missing",
        "multiple-rules",
        "no-message",
        "perm-without-watch",
        "stray-parameter",
        "watch-with-syscall",
    )
)
"""Problems with the words of the line as a whole, not with the value of one."""


class Reading:
    """How far auditctl and the kernel get with a line: the kind of the refusal, and the options read before it."""

    __slots__ = ("kind", "line", "options")

    def __init__(self, subject: RulesSubject, line: Line) -> None:
        self.line = line
        self.options = len(line.option_names)
        self.kind = line.problem.kind if line.problem is not None else None
        rule = line.rule
        if self.kind is None and rule is not None:
            refusal = kernel_refusal(subject, rule)
            self.kind = refusal.errno if refusal is not None else None

    def further_than(self, other: Reading) -> bool:
        """Is this one accepted, refused for another reason, or refused later in the line?"""
        if self.kind is None:
            return other.kind is not None
        return self.kind != other.kind or self.options > other.options

    def gets_past(self, other: Reading) -> bool:
        """As `further_than`, but another fault of the same word does not count."""
        return (
            self.kind is None or self.options > other.options or (other.kind in _STRUCTURE and self.further_than(other))
        )

    def takes_more_than(self, other: Reading) -> bool:
        """Does this one take the word at which the other one stops?"""
        if self.kind is None:
            return other.kind is not None
        rule = self.line.rule
        return self.options > other.options and (rule is None or not rule.list.startswith("0x"))


def reread(subject: RulesSubject, text: bytes, auditctl: str | None = None) -> Reading:
    """How auditctl would read this text instead; a blank line or a comment is accepted."""
    known = subject.readings
    found = known.get((text, auditctl))
    if found is None:
        if len(known) >= _MOST_READINGS:
            known.clear()
        found = known[text, auditctl] = _read(subject, text, auditctl)
    return found


def _read(subject: RulesSubject, text: bytes, auditctl: str | None) -> Reading:
    from auditlint.language.model import Line

    source = Source("", text)
    line = next(iter(subject.reader(auditctl).read(source)), None)
    return Reading(subject, line or Line(source, 1, 0, (0, len(text))))


def kernel_refusal(subject: RulesSubject, rule: Rule, newest: bool = False) -> Refusal | None:
    """Why the kernel does not take the rule into an empty list; `newest` asks the newest kernel we know."""
    from auditlint.kernel.accept import refusal
    from auditlint.target import DEFAULT_KERNEL, Target

    target = subject.target
    if newest:
        target = Target(DEFAULT_KERNEL, target.machine, target.auditctl)
    return refusal(rule, target, subject.facts)


def joined_to(entry: Entry) -> Source | None:
    """The file whose first line augenrules glued to this line, because its own file has no final newline."""
    return entry.parts[1].source if len(entry.parts) > 1 else None


def following(program: Program, source: Source) -> Source | None:
    """The next file of a directory that is not empty."""
    seen = False
    for other in program.sources:
        if seen and other.data:
            return other
        seen = seen or other is source
    return None
