"""AL414: a watched directory below which filesystems are mounted later."""

from __future__ import annotations

from auditlint.checks.api import Hit, Hits, RulesContext, at_field

_MOUNT_POINTS = frozenset(
    ("/", "/home", "/media", "/mnt", "/net", "/run", "/run/media", "/run/user", "/srv", "/var/lib")
)
"""Directories below which filesystems come and go: removable media, automounter, containers, logins."""


def check(context: RulesContext) -> Hits:
    extended = {(option.arg or "").partition(",")[2].rstrip("/") for option, _ in context.options("-q")}
    for rule, entry in context.with_field("dir"):
        field = rule.get("dir")
        path = str(field.value).rstrip("/") or "/" if field is not None else ""
        if rule.action == "always" and path in _MOUNT_POINTS and path not in extended:
            message = f"filesystems mounted below {path} after the load are not watched"
            yield Hit(at_field(entry, "dir"), message)
