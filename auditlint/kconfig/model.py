"""What a kernel configuration file says, line by line, before Kconfig has judged it; and what Kconfig makes of it."""

from __future__ import annotations

from dataclasses import dataclass, field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from auditlint.source import Source, Span


@dataclass(frozen=True, slots=True)
class Assignment:
    """A line that sets a symbol, as the kernel's own reader of that line takes it.

    `value` is written as in a `.config`: `y`, `m`, `n`, a number, a string with its quotes; a line
    `# CONFIG_X is not set` has `n`. Whether the value fits the symbol's type is for the evaluation to say.
    `symbol` has no CONFIG_ prefix. `span` is the whole line without LF.
    """

    symbol: str
    value: str
    source: Source
    line: int
    span: Span
    symbol_span: Span
    value_span: Span


@dataclass(frozen=True, slots=True)
class Ignored:
    """A line that looks like a setting and that the kernel's reader passes over. `reason` is a word of
    `docs/kconfig.md` (`byte-order-mark`, `leading-blank`, `blank-around-equals`, `no-prefix`, `lower-case`,
    `not-set-trailing`, ...); `warned` tells whether the reader prints a warning."""

    source: Source
    line: int
    span: Span
    reason: str
    symbol: str | None
    warned: bool


@dataclass(frozen=True, slots=True)
class ConfigFile:
    """One file as read. `form` is a word such as `dotconfig`, `defconfig`, `fragment`, `openwrt`, `one-symbol`.

    `resolved`: written by the configuration program (a complete .config). `version` and `arch` are what the
    file itself or its path says, None when neither does; `origin` tells in words where they came from.
    """

    source: Source
    form: str
    resolved: bool
    assignments: tuple[Assignment, ...]
    ignored: tuple[Ignored, ...]
    version: str | None
    arch: str | None
    origin: Mapping[str, str] = field(default_factory=dict)


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
    """A request that was not honoured, and why."""

    assignment: Assignment
    value: str | None
    why: str


@dataclass(frozen=True, slots=True)
class Evaluation:
    """All recorded symbols of one configuration for one kernel line and architecture.

    `source` is `slice` or `tree`; `unknown` are the requested symbols that do not exist there.
    """

    kernel: str
    arch: str
    source: str
    symbols: Mapping[str, SymbolValue]
    dropped: tuple[Dropped, ...]
    unknown: tuple[str, ...]
