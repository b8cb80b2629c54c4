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
    wide = [
        (rule, entry)
        for rule, entry in context.on_list("exit")
        if rule.action == "always" and rule.mask == ALL_SYSCALLS and not _anchored(rule)
    ]
    own = {_conditions(rule) for rule, _ in wide if rule.get("arch") is not None and not _foreign_abi(rule, context)}
    for rule, entry in wide:
        if _foreign_abi(rule, context) and _conditions(rule) not in own:
            continue
        tested = [field for field in rule.fields if field.name not in ("key", "arch")]
        who = "that its fields match" if tested else "of every process"
        yield Hit(at_list(entry), f"every system call {who} is recorded: add -S, path, dir or perm")


def _conditions(rule: Rule) -> frozenset[tuple[str, str, object]]:
    """What the rule tests but for the ABI: a twin of a rule for the machine's own ABI is no alarm for a foreign one."""
    return frozenset((field.name, field.op, field.value) for field in rule.fields if field.name not in ("arch", "key"))


def _anchored(rule: Rule) -> bool:
    return any((field.name in _ANCHORS and field.op == "=") or of_objects(field) for field in rule.fields)


def _foreign_abi(rule: Rule, context: RulesContext) -> bool:
    """Whether the rule is an alarm for programs of another ABI than the machine's own."""
    own = machines_of(context.target)[:1]
    return any(
        field.name == "arch" and any((field.value != machine.elf) is (field.op == "=") for machine in own)
        for field in rule.fields
    )
