"""AL234: a watch on a directory does not report the removal of that directory."""

from __future__ import annotations

from auditlint.auditctl.model import PERM_W
from auditlint.checks.api import Hit, Hits, Rule, RulesContext, at_number, fields_named

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator


def check(context: RulesContext) -> Hits:
    files = {str(field.value) for _, _, _, field in fields_named(context, "path")}
    trees = {str(field.value).rstrip("/") for _, _, _, field in fields_named(context, "dir")}
    for rule, entry, number, field in fields_named(context, "dir"):
        path = str(field.value).rstrip("/")
        if not path or path in files or rule.action != "always" or not _writes(rule):
            continue
        if any(parent in trees for parent in _parents(path)):
            continue
        message = (
            f"removing {path} itself is not recorded, and the rule is removed with it; add a rule with path={path}"
        )
        yield Hit(at_number(entry, number), message)


def _writes(rule: Rule) -> bool:
    return all(field.name != "perm" or (isinstance(field.value, int) and field.value & PERM_W) for field in rule.fields)


def _parents(path: str) -> Iterator[str]:
    while path:
        path = path.rpartition("/")[0]
        yield path
