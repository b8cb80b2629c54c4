"""Did you mean: the known word that a misspelled one stands for. Fields, options, system calls, names of values."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

_LONGEST = 60


class Words:
    """Known words, found again with one letter wrong, missing, too many or swapped, in any case.

    Two words are near when they are equal after at most one letter is left out of each. One look-up costs as many
    steps as the word has letters, however many words are known.
    """

    def __init__(self, known: Iterable[str]) -> None:
        self._shorter: dict[str, str] = {}
        names = list(known)
        for name in names:
            for text in _without_one(name.lower()):
                self._shorter.setdefault(text, name)
        for name in names:
            self._shorter[name.lower()] = name

    def near(self, word: str) -> str | None:
        """The known word, or None. A word of one or two letters resembles everything and so nothing."""
        folded = word.lower()
        if not 3 <= len(folded) <= _LONGEST:
            return self._shorter.get(folded)
        found = self._shorter.get(folded)
        if found is not None:
            return found
        return next((self._shorter[text] for text in _without_one(folded) if text in self._shorter), None)


def _without_one(word: str) -> Iterator[str]:
    for at in range(len(word)):
        yield word[:at] + word[at + 1 :]


def suggestion(near: str | None) -> str:
    """`; did you mean NAME?`, or nothing."""
    return f"; did you mean {near}?" if near else ""
