"""What a line of a rule file means: typed, frozen, with byte spans. No text survives into later reasoning."""

from __future__ import annotations

from auditlint.core.frozen import dataclass
from auditlint.core.frozen import field as dataclass_field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Literal, Protocol, TypeAlias

    from auditlint.core.source import Source, Span

    FilterList: TypeAlias = Literal["task", "exit", "user", "exclude", "filesystem", "io_uring", "0xffffffff"]
    """A filter list of the kernel; the last one is what auditctl sends for a list that it did not understand."""
    Action: TypeAlias = Literal["always", "never"]
    Operator: TypeAlias = Literal["=", "!=", "<", "<=", ">", ">=", "&", "&="]
    RequestKind: TypeAlias = Literal[
        "add", "delete", "delete-all", "list", "status", "control", "signal", "ignore", "continue"
    ]

    ProblemKind: TypeAlias = Literal[
        "arch-after-syscall",
        "arch-mismatch",
        "bad-control-value",
        "bad-equivalent",
        "bad-list-or-action",
        "bad-message",
        "bad-option-count",
        "bad-path",
        "bad-perm",
        "bad-signal",
        "compare-field-missing",
        "compare-field-unknown",
        "compare-incompatible",
        "compare-value-missing",
        "compare-value-unknown",
        "deprecated-possible",
        "field-exit-only",
        "field-name-missing",
        "field-operator-missing",
        "field-value-missing",
        "field-value-not-number",
        "file-missing",
        "file-not-regular",
        "file-owner",
        "file-world-writable",
        "kernel-EEXIST",
        "kernel-EINVAL",
        "kernel-ELOOP",
        "kernel-ENAMETOOLONG",
        "kernel-ENOENT",
        "kernel-ENOTDIR",
        "kernel-EPERM",
        "kernel-locked",
        "key-illegal-character",
        "key-too-long",
        "key-without-watch-or-syscall",
        "list-missing",
        "multiple-rules",
        "nested-rule-file",
        "operator-not-allowed",
        "other",
        "perm-without-arch",
        "perm-without-watch",
        "relative-path",
        "rule-not-sent",
        "stray-parameter",
        "string-too-long",
        "syscall-on-wrong-list",
        "too-many-fields",
        "unknown-arch",
        "unknown-field",
        "unknown-fstype",
        "unknown-syscall",
        "usage",
        "watch-deprecated",
        "watch-with-syscall",
        "wildcard",
        "field-not-for-exclude",
        "field-value-too-large",
        "msgtype-wrong-list",
        "field-wrong-list",
        "unknown-io_uring-op",
        "invalid-option",
        "no-message",
        "unknown-group",
        "unknown-user",
        "unknown-msgtype",
        "unknown-errno",
        "words-ignored",
    ]
    """Why a line is refused, or what auditctl warns about (docs/parse.md)."""

    class Tracer(Protocol):
        """What a line asks to say where its parts came from: the reader that made it."""

        def options_of(self, line: Line) -> tuple[Option, ...]: ...
        def field_sources(self, line: Line) -> tuple[FieldSource, ...]: ...
        def field_options(self, line: Line) -> tuple[Option, ...]: ...
        def syscall_words(self, line: Line) -> tuple[tuple[str, Span, tuple[int, ...]], ...]: ...


ALL_SYSCALLS = (1 << 2048) - 1
"""Mask of a rule for all system calls: every one of the 2048 bits."""
UNSET = 4294967295
PERM_X, PERM_W, PERM_R, PERM_A = 1, 2, 4, 8
ACCOUNT_FIELDS = frozenset(
    ("auid", "uid", "euid", "suid", "fsuid", "obj_uid", "gid", "egid", "sgid", "fsgid", "obj_gid")
)
"""Fields whose value is a number in the kernel and may be a name in the file."""


@dataclass(frozen=True, slots=True)
class Field:
    """One condition as the kernel gets it: name, operator, unsigned 32-bit number or text.

    Text is UTF-8 with surrogate escapes. `-C a=b` is the field `field_compare` with the number of the pair.
    """

    name: str
    op: Operator
    value: int | str

    @property
    def by_name(self) -> bool:
        """Whether the value is a user or group of which nobody knows the number: nothing follows from it."""
        return isinstance(self.value, str) and self.name in ACCOUNT_FIELDS


@dataclass(frozen=True, slots=True)
class Rule:
    """`struct audit_rule_data` without loss. Equality without `prepend` is what EEXIST compares.

    `list` is a filter list (`task exit user exclude filesystem io_uring`) or the hexadecimal number that
    auditctl sends for a list it did not understand. `mask` is the set of system call numbers, bit n for
    number n; an empty mask is 0.
    """

    list: FilterList
    action: Action
    mask: int
    fields: tuple[Field, ...]
    prepend: bool = False

    def get(self, name: str) -> Field | None:
        """The first field of that name."""
        for field in self.fields:
            if field.name == name:
                return field
        return None

    @property
    def key(self) -> str | None:
        """The text of the key field (several keys are joined by 0x01), or None."""
        field = self.get("key")
        return field.value if field is not None and isinstance(field.value, str) else None


@dataclass(frozen=True, slots=True)
class Option:
    """One option of a line as getopt delivers it.

    `name` is the short letter with its dash (`-F`) or the full long name (`--reset-lost`), however it was
    shortened; `arg` is None for options without argument. `span` covers the option as written with its
    argument, `arg_span` the argument alone. Spans are absolute in the source.
    """

    name: str
    arg: str | None
    span: Span
    arg_span: Span | None


@dataclass(frozen=True, slots=True)
class FieldSource:
    """Where field number `index` of a rule came from: the option, and the three parts of its text.

    For `-k`, `-w`, `-p` the name and operator spans are empty. `text` is the value as written.
    """

    index: int
    option: Option
    name_span: Span
    op_span: Span
    value_span: Span
    text: str


@dataclass(frozen=True, slots=True)
class Problem:
    """Why a line is refused, or what auditctl warns about.

    `kind` is a word of the list in docs/parse.md. A warning is one of `arch-mismatch`, `perm-without-arch`,
    `relative-path`, `wildcard`, `watch-deprecated`, `key-illegal-character`, `deprecated-possible` (auditctl tells
    these, some releases without words), `rule-not-sent` and `words-ignored` (it does not). `span` is the guilty
    word (or the part of it), never outside the line; `message` is our own wording; `context` is the name or value
    that is wrong. `status` is set when auditctl ends itself at once, whatever `-i` says: its exit status, or minus
    the signal it dies of.
    """

    kind: ProblemKind
    message: str
    span: Span
    context: str = ""
    status: int | None = None


@dataclass(frozen=True, slots=True)
class Request:
    """One thing a line asks of the kernel or the daemon, in the order it is sent.

    kind       meaning
    add        add `rule`
    delete     delete the rule equal to `rule` (`-d`, `-W`)
    delete-all delete all rules, or those whose key holds `key` (`-D`, `-D -k KEY`); lists the rules first
    list       list the rules (`-l`)
    status     ask for the status (`-s`)
    control    any other request; `control` is the record of `parse` (`{"type": "SET", "failure": 1}`)
    signal     signal the daemon; `control` holds `{"signal": number}`
    ignore     errors no longer stop the load (`-i`)
    continue   the same, and the exit status tells (`-c`)
    """

    kind: RequestKind
    span: Span
    rule: Rule | None = None
    key: str | None = None
    control: dict[str, Any] | None = None


@dataclass(frozen=True, slots=True)
class Line:
    """One line as auditctl reads it, judged without any kernel.

    `number` is the 1-based line of the source, `part` is above 0 for the later pieces of a line too long
    for auditctl's buffer. `span` is the piece without LF. `problem` is auditctl's own refusal: requests
    in front of it are still sent. `warnings` do not refuse. `dropped` is an accepted and ignored rule line
    (action `possible`). `option_names` are the names of all options that were read, up to the one with the problem.
    """

    source: Source
    number: int
    part: int
    span: Span
    requests: tuple[Request, ...] = ()
    problem: Problem | None = None
    warnings: tuple[Problem, ...] = ()
    dropped: bool = False
    option_names: tuple[str, ...] = ()
    reader: Tracer | None = dataclass_field(default=None, compare=False, repr=False)

    @property
    def options(self) -> tuple[Option, ...]:
        """The options of `option_names` with their places. The line is read again: for findings, not for scans."""
        return self.reader.options_of(self) if self.reader else ()

    @property
    def field_sources(self) -> tuple[FieldSource, ...]:
        """For each field of the rule where it came from. Read again, as `options`."""
        return self.reader.field_sources(self) if self.reader else ()

    @property
    def field_options(self) -> tuple[Option, ...]:
        """The option that each field of the rule came from. Read again, as `options`."""
        return self.reader.field_options(self) if self.reader else ()

    @property
    def syscall_words(self) -> tuple[tuple[str, Span, tuple[int, ...]], ...]:
        """Every `-S` element: its text, its span, the numbers it stands for. Read again, as `options`."""
        return self.reader.syscall_words(self) if self.reader else ()

    @property
    def rule(self) -> Rule | None:
        """The rule that the line adds or deletes."""
        for request in self.requests:
            if request.rule is not None:
                return request.rule
        return None
