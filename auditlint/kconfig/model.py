"""What a kernel configuration file says, line by line, before Kconfig has judged it; and what Kconfig makes of it."""

from __future__ import annotations

from collections.abc import Sequence

from auditlint.core.frozen import dataclass, field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Container, Iterator, Mapping

    from auditlint.core.source import Source, Span

BASES = ("alldefconfig", "allnoconfig", "allyesconfig", "allmodconfig")
"""What may lie under the files: the defaults of Kconfig, or every symbol as far as it goes at n, y or m."""


@dataclass(frozen=True, slots=True)
class Assignment:
    """A line that sets a symbol, as the kernel's own reader of that line takes it.

    `value` is the text after the equals sign, without a final CR: `y`, `m`, `n`, a number, a string with its
    quotes; a line `# CONFIG_X is not set` has `n`. Whether the value fits the symbol's type is for the evaluation to
    say (`y # remark` and `yes` are y for a bool: only the first letter counts there).
    `symbol` has no CONFIG_ prefix. `span` is the whole line without LF.
    """

    symbol: str
    value: str
    source: Source
    line: int
    span: Span
    symbol_span: Span
    value_span: Span


class Assignments(Sequence["Assignment"]):
    """The assignments of one file, all of them and in order, made when they are looked at.

    A distribution's `.config` has about ten thousand lines and a caller wants a hundred of them: `of` and `last`
    make only those. It compares, iterates and indexes like the tuple of all.
    """

    __slots__ = ("_made", "names", "numbers", "prefix", "source")

    def __init__(self, source: Source, names: list[str], numbers: list[int], prefix: str = "CONFIG_") -> None:
        self.source = source
        self.names = names
        """Symbols without prefix, one for each assignment."""
        self.numbers = numbers
        """Their 1-based line numbers."""
        self.prefix = prefix
        self._made: dict[int, Assignment] = {}

    def __len__(self) -> int:
        return len(self.names)

    def __getitem__(self, index):  # type: ignore[no-untyped-def]  # the two overloads of Sequence
        if isinstance(index, slice):
            return tuple(self._make(i) for i in range(*index.indices(len(self.names))))
        if index < 0:
            index += len(self.names)
        if not 0 <= index < len(self.names):
            raise IndexError(index)
        return self._make(index)

    def __iter__(self) -> Iterator[Assignment]:
        for index in range(len(self.names)):
            yield self._make(index)

    def __eq__(self, other: object) -> bool:
        return tuple(self) == tuple(other) if isinstance(other, (Assignments, tuple)) else NotImplemented

    __hash__ = None  # type: ignore[assignment]

    def of(self, symbols: Container[str]) -> tuple[Assignment, ...]:
        """The assignments of these symbols, in file order."""
        return tuple(self._make(i) for i, name in enumerate(self.names) if name in symbols)

    def last(self, symbol: str) -> Assignment | None:
        """The last assignment of a symbol."""
        for i in range(len(self.names) - 1, -1, -1):
            if self.names[i] == symbol:
                return self._make(i)
        return None

    def _make(self, index: int) -> Assignment:
        made = self._made.get(index)
        if made is not None:
            return made
        line = self.numbers[index]
        start, end = self.source.line_span(line)
        data = self.source.data
        if data[start] == 35:  # "# CONFIG_X is not set"
            first = start + 2 + len(self.prefix)
            after = data.index(b" ", first)
            value, value_start, value_end = "n", after + 1, after + 1 + len("is not set")
        else:
            first = start + len(self.prefix)
            after = data.index(b"=", first)
            value_start, value_end = after + 1, end
            nul = data.find(b"\0", value_start, end)
            if nul >= 0:  # the reader works on C strings
                value_end = nul
            elif end > value_start and data[end - 1] == 13:
                value_end = end - 1
            value = self.source.text((value_start, value_end))
        made = Assignment(
            self.names[index], value, self.source, line, (start, end), (first, after), (value_start, value_end)
        )
        self._made[index] = made
        return made


@dataclass(frozen=True, slots=True)
class Ignored:
    """A line that looks like a setting and that the kernel's reader ignores. `reason` is a word of
    `docs/kconfig-files.md` (`byte-order-mark`, `leading-blank`, `blank-around-equals`, `no-prefix`, `lower-case`,
    `not-set-trailing`, ...); `warned` tells whether the reader prints a warning."""

    source: Source
    line: int
    span: Span
    reason: str
    symbol: str | None
    warned: bool


PASSED_OVER = {
    "byte-order-mark": "it starts with a byte order mark",
    "utf-16": "the file is UTF-16, and Kconfig reads none of its lines",
    "leading-blank": "it starts with a blank",
    "blank-around-equals": "the blank before = makes it set a symbol whose name ends with a blank",
    "no-prefix": "the prefix CONFIG_ is missing",
    "lower-case": "CONFIG_ must be in upper case",
    "not-set-trailing": "since Linux 6.8 nothing may follow `is not set`",
    "blanks-in-not-set": "exactly one blank must follow #",
    "no-blank": "without a blank after # it is a comment",
    "no-value": "it has no =value",
    "not-a-setting": "it is neither a setting nor a comment",
    "misspelt-prefix": "it does not start with CONFIG_",
}
"""Why the reader ignores a line, by the `reason` of Ignored."""


@dataclass(frozen=True, slots=True)
class ConfigFile:
    """One file as read. `form` is a word such as `dotconfig`, `defconfig`, `fragment`, `openwrt`, `one-symbol`.

    `resolved`: written by the configuration program (a complete .config). `version` and `arch` are what the
    file itself or its path says, None when neither does; `origin` tells in words where they came from
    (keys `version` and `arch`). `partial`: a fragment or a layer, where an unmentioned symbol is unknown; also a
    nameless file that says nothing of NET.
    """

    source: Source
    form: str
    resolved: bool
    assignments: Assignments
    ignored: tuple[Ignored, ...]
    version: str | None
    arch: str | None
    origin: Mapping[str, str] = field(default_factory=dict)
    partial: bool = False


@dataclass(frozen=True, slots=True)
class SymbolValue:
    """What became of a symbol. `value` as in a .config, None for a string or number without value;
    `requested` is the request that counted (the last valid one), None when the input does not mention it.
    `why` is a chain that a person can follow, the symbol itself first."""

    value: str | None
    requested: Assignment | None
    why: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Dropped:
    """A request that was not honoured, and why.

    `reason` is one word for it; `blame` names the symbols that stand in the way, the decisive ones first.

    reason       meaning
    unknown      there is no such symbol
    invalid      the value does not fit the type; an earlier value stays
    no-prompt    no prompt, or none that is visible although the dependencies are met (`blame`: dependencies that could
                 be switched on)
    depends      a dependency is not met (`blame`)
    selected     another symbol selects it (`blame`), so it cannot be lower
    choice       another member of the choice was taken (`blame`)
    spelling     it came out as meant and is only written otherwise (`yes`); merge_config.sh counts that as dropped
    """

    assignment: Assignment
    value: str | None
    why: str
    reason: str = ""
    blame: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ContradictingRequests:
    """A resolved file says otherwise than Kconfig would. The file outranks the tables: vendor kernels change Kconfig.

    `assignment` is the line that says so, None when the file leaves the symbol out. `value` is what the file says
    (and what `Evaluation.symbols` has), `expected` what Kconfig makes of the rest of the file, and `why` explains
    that.
    """

    symbol: str
    assignment: Assignment | None
    value: str | None
    expected: str | None
    why: str


@dataclass(frozen=True, slots=True)
class Evaluation:
    """All recorded symbols of one configuration for one kernel line and architecture.

    `source` is `slice` or `tree`; `unknown` are the requested symbols that do not exist there. `line` is the kernel
    line whose definitions were used: that of `kernel`, or the nearest known one that is not newer, and then `notes`
    says so.
    """

    kernel: str
    arch: str
    source: str
    symbols: Mapping[str, SymbolValue]
    dropped: tuple[Dropped, ...]
    unknown: tuple[str, ...]
    line: str = ""
    contradictions: tuple[ContradictingRequests, ...] = ()
    notes: tuple[str, ...] = ()
