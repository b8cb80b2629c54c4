"""AL235: a rule for all system calls that nothing narrows to files."""

from __future__ import annotations

from auditlint.analysis.list_order import at_list
from auditlint.analysis.rule_calls import machines_of
from auditlint.analysis.rule_fields import of_objects
from auditlint.checks.api import ALL_SYSCALLS, Hit, Hits, Rule, RulesContext

_ANCHORS = frozenset(
    ("path", "dir", "perm", "inode", "filetype", "saddr_fam", "obj_uid", "obj_gid", "devmajor", "devminor")
)
"""Fields that only some calls can meet, with `=`."""


def check(context: RulesContext) -> Hits:
    for rule, entry in context.on_list("exit"):
        if rule.action != "always" or rule.mask != ALL_SYSCALLS or _anchored(rule) or _foreign_abi(rule, context):
            continue
        tested = [field for field in rule.fields if field.name not in ("key", "arch")]
        who = "that its fields match" if tested else "of every process"
        yield Hit(at_list(entry), f"every system call {who} is recorded: add -S, path, dir or perm")


def _anchored(rule: Rule) -> bool:
    return any((field.name in _ANCHORS and field.op == "=") or of_objects(field) for field in rule.fields)


def _foreign_abi(rule: Rule, context: RulesContext) -> bool:
    """Whether the rule is an alarm for programs of another ABI than the machine's own."""
    own = machines_of(context.target)[:1]
    return any(
        field.name == "arch" and any((field.value != machine.elf) is (field.op == "=") for machine in own)
        for field in rule.fields
    )
