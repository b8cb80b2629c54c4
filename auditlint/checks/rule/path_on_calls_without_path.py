"""AL214: a condition on files with system calls that name none."""

from __future__ import annotations

from auditlint.analysis.rule_calls import abis_of_rule, numbers, pathless
from auditlint.auditctl.tables import kernel_call_names
from auditlint.checks.api import ALL_SYSCALLS, Hit, Hits, Rule, RulesContext, at_number, written

_FIELDS = ("path", "dir", "inode", "filetype", "devmajor", "devminor", "obj_uid", "obj_gid")
_SHOWN = 5


def check(context: RulesContext) -> Hits:
    for name in _FIELDS:
        for rule, entry in context.with_field(name):
            number, field = next((at, each) for at, each in enumerate(rule.fields) if each.name == name)
            earlier = any(rule.get(other) is not None for other in _FIELDS[: _FIELDS.index(name)])
            if rule.list != "exit" or rule.mask in (0, ALL_SYSCALLS) or rule.get("perm") is not None or earlier:
                continue
            machines = abis_of_rule(rule, context.target)
            if (name == "filetype" and field.op == "!=") or not machines:
                continue
            if any(rule.mask & ~pathless(machine.name) for machine in machines):
                continue
            calls = _names(rule, machines[0].name)
            message = f"{written(entry, number)} is never true: the kernel records no file for {calls}"
            yield Hit(at_number(entry, number), message)


def _names(rule: Rule, machine: str) -> str:
    names = kernel_call_names(machine)
    found = [names[number] for number in numbers(rule.mask) if number in names]
    return ", ".join(found[:_SHOWN]) if len(found) <= _SHOWN else f"these {len(found)} calls"
