"""What the reading of one line has come to: shared by the modules that take its options."""

from __future__ import annotations

from auditlint.auditctl.lexer import source_offset
from auditlint.auditctl.model import Problem, Request

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from auditlint.auditctl.lexer import Token, Word
    from auditlint.auditctl.model import Action, Field, FilterList, ProblemKind, RequestKind
    from auditlint.auditctl.tables import Machine
    from auditlint.auditctl.vocabulary import Vocabulary
    from auditlint.core.source import Span

NO_LIST: FilterList = "0xffffffff"
"""What auditctl sends for a list word that it took without understanding it."""
SAYS_NOTHING: ProblemKind = "no-message"
"""Kind of a refusal for which auditctl prints no reason."""
ERROR, SILENT, REPLY, RULE = -1, -2, 0, 1
"""What setopt() returns: refused, done without a rule, done, a rule to send."""


class State:
    """The state of setopt() for one line: what the handlers of the options read and change.

    `text` is the piece as Latin-1, `span` its place in the source, `base` the start of that. `names` are those of the
    options so far, `origins` say for each field which option it came from.
    """

    __slots__ = (
        "action",
        "add",
        "base",
        "calls_added",
        "calls_seen",
        "consumed",
        "delete",
        "dropped",
        "escaped",
        "exclude",
        "exe_added",
        "fields",
        "finished",
        "fs_added",
        "in_file",
        "key",
        "key_token",
        "listed",
        "lists",
        "machine",
        "mask",
        "names",
        "origins",
        "perm_added",
        "prepend",
        "problem",
        "reader",
        "requests",
        "result",
        "span",
        "switches",
        "text",
        "warnings",
        "words",
    )

    def __init__(self, reader: Vocabulary, text: str, words: list[Word], span: Span, in_file: bool) -> None:
        self.reader = reader
        self.switches = reader.switches
        self.text = text
        self.escaped = in_file and ("\\" in text or "\x07" in text or "\x04" in text)
        self.words = words
        self.span = span
        self.base = span[0]
        self.in_file = in_file
        self.add: FilterList | None = None
        self.delete: FilterList | None = None
        self.action: Action | None = None
        self.prepend = self.exclude = False
        self.lists = 0
        self.mask = 0
        self.fields: list[Field] = []
        self.origins: list[Token] = []
        self.key = ""
        self.key_token: Token | None = None
        self.machine: Machine | None = None
        self.calls_added = self.perm_added = self.exe_added = self.fs_added = self.listed = False
        self.calls_seen: list[tuple[Token, Machine | None]] = []
        self.consumed = 0
        self.requests: list[Request] = []
        self.warnings: list[Problem] = []
        self.problem: Problem | None = None
        self.result = REPLY
        self.finished = self.dropped = False
        self.names: list[str] = []

    def refuse(
        self, kind: ProblemKind, message: str, start: int, end: int, context: str = "", status: int | None = None
    ) -> None:
        """End the walk with a problem; only the first one counts."""
        if self.problem is None:
            self.problem = Problem(kind, message, (self.base + start, self.base + end), context, status)
        self.result = ERROR

    def warn(self, kind: ProblemKind, message: str, start: int, end: int, context: str = "") -> None:
        self.warnings.append(Problem(kind, message, (self.base + start, self.base + end), context))

    def send(
        self, token: Token, kind: RequestKind, control: dict[str, Any] | None = None, key: str | None = None
    ) -> None:
        self.requests.append(Request(kind, (self.base + token[2], self.base + token[3]), None, key, control))

    @property
    def silent(self) -> bool:
        """Whether the line is refused without a message."""
        return self.problem is not None and self.problem.kind == SAYS_NOTHING and self.problem.status is None

    @property
    def filter_list(self) -> str | None:
        """The list whose rules apply to a field. A list that was not understood counts as the last one."""
        found = self.add if self.add is not None else self.delete
        return "io_uring" if found == NO_LIST else found

    def inside(self, token: Token, offset: int) -> int:
        """Where the character `offset` of an argument stands in the piece."""
        start = token[4]
        if not self.escaped or start < self.words[0][2]:
            return start + offset
        return start + source_offset(self.text[start : token[5]], offset)
