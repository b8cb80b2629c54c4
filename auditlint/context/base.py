"""What all contexts share: an analysis is computed once."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any, TypeVar

    from typing_extensions import Self

    Result = TypeVar("Result")


class Context:
    """What checks look at. It imports no analysis: an analysis is a function of a context, and asks for others."""

    def __init__(self) -> None:
        self._results: dict[Any, Any] = {}

    def get(self, analysis: Callable[[Self], Result]) -> Result:
        """What an analysis says of this context. It depends on the context alone and is computed once."""
        if analysis not in self._results:
            self._results[analysis] = analysis(self)
        result: Result = self._results[analysis]
        return result
