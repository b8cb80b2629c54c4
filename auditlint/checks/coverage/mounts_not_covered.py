"""AL414: a watched directory below which filesystems are mounted later."""

from __future__ import annotations

from auditlint.context.rules import at_field
from auditlint.core.findings import Hit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditlint.context.rules import RulesContext

_MOUNT_POINTS = frozenset(
    ("/", "/home", "/media", "/mnt", "/net", "/run", "/run/media", "/run/user", "/srv", "/var/lib")
)
"""Directories below which filesystems come and go: removable media, automounter, containers, logins."""


def check(context: RulesContext) -> Iterator[Hit]:
    extended = {(option.arg or "").partition(",")[2].rstrip("/") for option, _ in context.options("-q")}
    for rule, entry in context.with_field("dir"):
        field = rule.get("dir")
        path = str(field.value).rstrip("/") or "/" if field is not None else ""
        if rule.action == "always" and path in _MOUNT_POINTS and path not in extended:
            message = f"filesystems mounted below {path} after the load are not watched"
            yield Hit(at_field(entry, "dir"), message)
