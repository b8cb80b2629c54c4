"""AL613: a watch on a tree in which programs work all the time."""

from __future__ import annotations

from functools import cache

from auditlint.analysis.triggers import tests
from auditlint.auditctl.model import PERM_A, PERM_R, PERM_W, PERM_X
from auditlint.checks.api import Hit, Hits, RulesContext, at_number
from auditlint.core.data import rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping


_NO_FILTER = frozenset(("arch", "key", "dir", "path", "perm"))
_LETTERS = (("r", PERM_R, "read"), ("w", PERM_W, "write"), ("x", PERM_X, "run"), ("a", PERM_A, "change"))


def check(context: RulesContext) -> Hits:
    trees = _trees()
    for name in ("dir", "path"):
        for rule, entry in context.with_field(name):
            place = rule.get(name)
            busy = None if place is None else _tree_of(str(place.value).rstrip("/") or "/", name == "dir", trees)
            if place is None or busy is None or rule.list != "exit" or rule.action != "always":
                continue
            names = [field.name for field in rule.fields]
            options = entry.line.option_names
            # -F path= does not see what is below; another check reports that.
            if not _NO_FILTER.issuperset(tests(rule)) or "-S" in options or (name == "path" and "-w" not in options):
                continue
            perm = rule.get("perm")
            asked = 15 if perm is None or not isinstance(perm.value, int) else perm.value
            verbs = [word for letter, bit, word in _LETTERS if letter in busy[0] and asked & bit]
            if verbs:
                message = f"records everything that programs {' or '.join(verbs)} below {place.value}: {busy[1]}"
                yield Hit(at_number(entry, names.index(name)), message)


def _tree_of(path: str, is_directory: bool, trees: Mapping[str, tuple[str, str, bool]]) -> tuple[str, str, bool] | None:
    """The busy tree that a path names, or that a directory lies in when all of that tree is as busy."""
    if path == "/var/run" or path.startswith("/var/run/"):
        path = path.removeprefix("/var")  # a link on every host of today
    busy = trees.get(path)
    while busy is None and is_directory and path:
        path = path.rpartition("/")[0]
        busy = trees.get(path)
        if busy is not None:
            return busy if busy[2] else None
    return busy


@cache
def _trees() -> Mapping[str, tuple[str, str, bool]]:
    return {tree: (letters, what, below == "yes") for tree, letters, what, below in rows("busy-trees.tsv")}
