"""AL233: a path rule with success or exit does not report the removal of its file."""

from __future__ import annotations

from auditlint.analysis.call_outcome import has_outcome, met_by_success
from auditlint.analysis.rule_calls import abis_of_rule, mask_of
from auditlint.checks.api import Hit, Hits, Rule, RulesContext, at_number, fields_named, written
from auditlint.kernel import syscall_classes as classes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from auditlint.core.target import Target

_REMOVING = ("unlink", "unlinkat", "rmdir", "rename", "renameat", "renameat2")


def check(context: RulesContext) -> Hits:
    for rule, entry, _, field in fields_named(context, "path"):
        if rule.action != "always" or not has_outcome(rule) or not met_by_success(rule):
            continue
        if not _removes(rule, context.target):
            continue
        number = next(at for at, each in enumerate(rule.fields) if each.name in ("exit", "success"))
        message = (
            f"{written(entry, number)} hides the removal of {field.value}: "
            "the kernel checks the rule before the call has a result"
        )
        yield Hit(at_number(entry, number), message)


def _removes(rule: Rule, target: Target) -> bool:
    """Whether the selection of the rule has a call that takes a name away."""
    found = classes.tables(target)
    perms = [field.value for field in rule.fields if field.name == "perm" and isinstance(field.value, int)]
    for machine in abis_of_rule(rule, target):
        calls = rule.mask & mask_of(machine.name, _REMOVING)
        for perm in perms:
            calls &= found.abi(machine.elf).members(perm)
        if calls:
            return True
    return False
