"""Why a symbol has its value: a chain of short statements that a person can follow."""

from __future__ import annotations

from auditlint.data import rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from auditlint.kconfig.engine import Condition, Model, Symbol
    from auditlint.kconfig.model import Assignment

DEPTH = 6
"""Steps of a chain."""
MOST = 4
"""Names in one statement; the rest are counted."""


class Teller:
    """Tells about one configuration in one model. `requests` are the assignments that count, `places` says whether
    the definitions have lines worth naming (those of a tree)."""

    def __init__(self, model: Model, requests: Mapping[str, Assignment], line: str, arch: str, places: bool) -> None:
        self._model = model
        self._requests = requests
        self._line = line
        self._arch = arch
        self._places = places
        self._looked: dict[str, Symbol] = {}
        self._many = len({assignment.source.path for assignment in requests.values()}) > 1
        self._history: dict[str, str] | None = None

    def chain(self, name: str) -> tuple[str, ...]:
        return ()

    def prose(self, name: str) -> str:
        return ""

    def drop(self, name: str, assignment: Assignment) -> str:
        return ""

    def absent(self, name: str) -> str:
        return f"Linux {self._line} for {self._arch} has no symbol {name}"
