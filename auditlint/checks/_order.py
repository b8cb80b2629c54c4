"""The order in which the kernel meets the rules of a list."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from auditlint.language.model import Rule
    from auditlint.program import Entry


def kernel_order(rules: Sequence[tuple[Rule, Entry]]) -> list[tuple[Rule, Entry]]:
    """Rules of one list given in file order: those of -A first, the last of them in front."""
    front = [pair for pair in rules if pair[0].prepend]
    return [*reversed(front), *(pair for pair in rules if not pair[0].prepend)]
