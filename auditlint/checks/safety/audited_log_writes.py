"""AL611: each record makes a log daemon cause further records."""

from __future__ import annotations

from auditlint.analysis.list_order import at_list
from auditlint.analysis.rule_calls import abis_of_rule, mask_of, numbers
from auditlint.analysis.triggers import is_unfiltered
from auditlint.auditctl.tables import kernel_call_names
from auditlint.checks.api import Hit, Hits, RulesContext

_LOGGING = ("fdatasync", "fsync", "ftruncate", "recvmsg", "sendmsg", "write", "writev")
"""What journald and syslog daemons do for each message."""
_OF_PROGRAMS = frozenset(("exe", "pid", "subj_type"))


def check(context: RulesContext) -> Hits:
    left_out = 0
    for stored in context.storage.exit:
        rule, entry = stored.rule, stored.entry
        names = {field.name for field in rule.fields}
        if rule.action == "never" and names & _OF_PROGRAMS:
            left_out |= stored.mask
        if rule.action != "always" or entry is None or not is_unfiltered(rule):
            continue
        success = rule.get("success")
        machine = next(
            (each for each in abis_of_rule(rule, context.target) if each.name == context.target.machine), None
        )
        if machine is None or (success is not None and (success.op == "=") is not (success.value == 1)):
            continue
        guilty = stored.mask & mask_of(machine.name, _LOGGING)
        if not guilty or guilty & left_out:
            continue
        known = kernel_call_names(machine.name)
        listed = ", ".join(sorted(known.get(number) or str(number) for number in numbers(guilty)))
        message = f"each record causes further records: calls of log daemons are recorded ({listed})"
        yield Hit(at_list(entry), message)
