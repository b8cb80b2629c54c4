"""AL313: a rule on the filesystem list hides files that other rules watch."""

from __future__ import annotations

from auditlint.analysis.rule_pairs import names
from auditlint.checks.api import Hit, Hits, Rule, RulesContext, at_line, entry_of, own, related

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from auditlint.core.facts import Facts

_EVERYWHERE = {
    "/proc": "proc",
    "/proc/sys/fs/binfmt_misc": "binfmt_misc",
    "/sys": "sysfs",
    "/sys/fs": "",
    "/sys/firmware": "",
    "/sys/kernel": "",
}
"""Filesystems of places that every host has; below some, others are mounted."""


def check(context: RulesContext) -> Hits:
    storage = context.storage
    mounts = _mounts(context.facts)
    for stored in storage.filesystem:
        if stored.rule.action != "never" or not own(context, stored):
            continue
        hidden = [
            other
            for other in storage.rules
            if other.path is not None and other.rule.action == "always" and _hides(stored.rule, mounts, other.path)
        ]
        if hidden:
            places = ", ".join(dict.fromkeys(str(other.path) for other in hidden[:4]))
            record = "records" if len(hidden) == 1 else "record"
            message = f"{names(context, hidden)} {record} nothing in {places}: this rule hides that filesystem"
            yield Hit(at_line(entry_of(stored)), message, related(context, hidden, "matches nothing there"))


def _mounts(facts: Facts) -> Mapping[str, int]:
    """Magic numbers of the filesystems by mount point, as far as known."""
    from auditlint.auditctl.tables import filesystem_magics

    magics = {place: filesystem_magics().get(kind, -1) for place, kind in _EVERYWHERE.items()}
    magics.update((place, mount.fstype) for place, mount in facts.mounts.items() if mount.fstype is not None)
    return magics


def _hides(rule: Rule, mounts: Mapping[str, int], path: str) -> bool:
    """Is the filesystem of the path surely one that the rule hides? Its conditions are alternatives."""
    from auditlint.core.path_lookup import inside

    place = max((mount for mount in mounts if inside(path, mount)), key=len, default=None)
    if place is None or mounts[place] < 0:
        return False
    return any((field.value == mounts[place]) is (field.op == "=") for field in rule.fields if field.name == "fstype")
