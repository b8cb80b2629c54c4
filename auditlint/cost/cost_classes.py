"""Rules that a filter treats alike, so that 10,000 watches are priced once per call and not one by one."""

from __future__ import annotations

from auditlint.core.path_lookup import inside, resolve
from auditlint.kernel.event import ID_NAMES, UNSET
from auditlint.kernel.fields import compare

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from auditlint.auditctl.model import Field
    from auditlint.kernel.event import Ids
    from auditlint.kernel.storage import Storage, Stored


class Shapes:
    """Gives every rule the number of its shape: same mask test, same answers, same price at every call.

    Two rules have one shape when their fields are equal but for the key, for paths that no object and no
    program of the priced calls can meet, and for ids that compare alike with those of the task.
    """

    def __init__(self, storage: Storage, ids: Ids, paths: Iterable[str], programs: Iterable[str]) -> None:
        self._numbers: dict[object, int] = {}
        self._known: dict[int, int] = {}
        self._facts = storage.facts
        self._paths = {resolve(path, storage.facts, follow=False) for path in paths}
        self._programs = set(programs)
        self._groups: dict[int, dict[int, list[Stored]]] = {}
        self._storage = storage
        self._ids = ids

    def of(self, stored: Stored) -> int:
        """The number of the rule's shape."""
        found = self._known.get(stored.index)
        if found is None:
            parts: list[object] = [stored.place]
            for field in stored.rule.fields:
                if field.name != "key":
                    parts.append((field.name, field.op, self._value(stored, field)))
            found = self._numbers.setdefault(tuple(parts), len(self._numbers))
            self._known[stored.index] = found
        return found

    def _value(self, stored: Stored, field: Field) -> object:
        """What of a value makes a difference: of an id of the task the answer, of a path whether a call meets it."""
        value = field.value
        if isinstance(value, int):
            if field.name in ID_NAMES and value != UNSET:
                return compare(getattr(self._ids, field.name), field.op, value), field.op
            return value
        return "" if self._is_foreign(stored, field) else value

    def _is_foreign(self, stored: Stored, field: Field) -> bool:
        """Whether the field names a path that none of the calls meets: then it does not matter which."""
        if field.name == "path":
            return stored.path not in self._paths
        if field.name == "dir":
            return not any(inside(path, stored.path or "") for path in self._paths)
        if field.name != "exe":
            return False
        path = resolve(str(field.value), self._facts, follow=False)
        return path not in self._programs and path not in self._facts.inodes

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
