"""Which rule is to blame for a difference: the one that stands on one side only, or at another place."""

from __future__ import annotations

from auditlint.compare.exit_list import Numbered, aligned

TYPE_CHECKING = False
if TYPE_CHECKING:
    from auditlint.compare.exit_list import Difference
    from auditlint.kernel.storage import Storage, Stored


class Blame:
    """The rules of both sides against each other, in the order of decision."""

    def __init__(self, a: Storage, b: Storage, keys: str) -> None:
        self.same_target = a.target == b.target and a.facts == b.facts
        self._lines = {_line(stored) for stored in a.rules} & {_line(stored) for stored in b.rules} - {None}
        """The lines that both sides were read from: one file under two targets."""
        names: dict[object, int] = {}
        self._kept: tuple[set[int], set[int]] = (set(), set())
        self._equal: tuple[set[int], set[int]] = (set(), set())
        for name in ("exit", "io_uring"):
            sides = [Numbered(storage, name, names, keys) for storage in (a, b)]
            kept = aligned(sides[0].equal, sides[1].equal)
            both = set(sides[0].equal) & set(sides[1].equal)
            for number, side in enumerate(sides):
                self._kept[number].update(side.rules[at].index for at in kept[number])
                self._equal[number].update(
                    stored.index for stored, equal in zip(side.rules, side.equal, strict=True) if equal in both
                )

    def of(self, difference: Difference) -> tuple[str, Stored | None]:
        """The cause (`removed added moved target order`) and the rule."""
        a, b = difference.a.winner, difference.b.winner
        if not self.same_target:
            read_twice = [rule for rule in (a, b) if rule is not None and _line(rule) in self._lines]
            if read_twice:
                return "target", read_twice[0]
        if a is not None and a.index not in self._kept[0]:
            return ("moved" if a.index in self._equal[0] else "removed"), a
        if b is not None and b.index not in self._kept[1]:
            return ("moved" if b.index in self._equal[1] else "added"), b
        return ("order" if self.same_target else "target"), a or b


def _line(stored: Stored) -> tuple[str, int] | None:
    """The file and offset of a rule's line."""
    return None if stored.entry is None else (stored.entry.at.source.path, stored.entry.at.span[0])
