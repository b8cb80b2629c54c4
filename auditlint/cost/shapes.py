"""Rules that a filter treats alike, so that 10,000 watches are priced once per call and not one by one."""

from __future__ import annotations

from auditlint.kernel.paths import inside, resolve

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from auditlint.kernel.storage import Storage, Stored


class Shapes:
    """Gives every rule the number of its shape: same mask test, same answers, same price at every call.

    Two rules have one shape when their fields are equal but for the key, and but for paths that no object
    and no program of the priced calls can meet.
    """

    def __init__(self, storage: Storage, paths: Iterable[str], programs: Iterable[str]) -> None:
        self._numbers: dict[object, int] = {}
        self._known: dict[int, int] = {}
        self._facts = storage.facts
        self._paths = {resolve(path, storage.facts, follow=False) for path in paths}
        self._programs = set(programs)
        self._groups: dict[int, dict[int, list[Stored]]] = {}
        self._storage = storage

    def of(self, stored: Stored) -> int:
        """The number of the rule's shape."""
        found = self._known.get(stored.index)
        if found is None:
            parts: list[object] = [stored.place]
            for field in stored.rule.fields:
                name, value = field.name, field.value
                if name == "key":
                    continue
                if name == "path" and stored.path not in self._paths:
                    value = ""
                elif name == "dir" and not any(inside(path, stored.path or "") for path in self._paths):
                    value = ""
                elif name == "exe" and self._is_foreign(str(value)):
                    value = ""
                parts.append((name, field.op, value))
            found = self._numbers.setdefault(tuple(parts), len(self._numbers))
            self._known[stored.index] = found
        return found

    def _is_foreign(self, program: str) -> bool:
        facts = self._facts
        path = resolve(program, facts, follow=False)
        return path not in self._programs and path not in facts.inodes

    def exit_groups(self, number: int) -> dict[int, list[Stored]]:
        """The rules of the exit list whose mask has the number, by shape, each group in list order."""
        found = self._groups.get(number)
        if found is None:
            found = self._groups[number] = self.group(self._storage.exit_rules(number))
        return found

    def group(self, rules: Sequence[Stored]) -> dict[int, list[Stored]]:
        """Rules by shape, each group in the order given."""
        found: dict[int, list[Stored]] = {}
        for stored in rules:
            found.setdefault(self.of(stored), []).append(stored)
        return found
