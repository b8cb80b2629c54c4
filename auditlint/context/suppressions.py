"""What the checks of suppression comments look at."""

from __future__ import annotations

from auditlint.context.base import Context
from auditlint.core.frozen import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Literal

    from auditlint.core.source import Source, Span


@dataclass(frozen=True, slots=True)
class Suppression:
    """One comment. `line` is the 1-based line it covers, None for the whole file (or when nothing follows);
    `error` says what is wrong with it (then it suppresses nothing)."""

    source: Source
    span: Span
    selectors: tuple[str, ...]
    whole_file: bool
    line: int | None
    reason: str
    error: str | None = None
    needed: tuple[str, ...] = ()
    """In what `apply` says of an unused one: the selectors beside these, which are used."""


class SuppressionsContext(Context):
    """What became of the suppression comments once all other checks had run."""

    kind: Literal["suppressions"] = "suppressions"

    def __init__(self, unused: Sequence[Suppression], wrong: Sequence[Suppression]) -> None:
        super().__init__()
        self.unused = unused
        self.wrong = wrong

    @property
    def triggers(self) -> frozenset[str]:
        return frozenset(name for name in ("unused", "wrong") if getattr(self, name))
