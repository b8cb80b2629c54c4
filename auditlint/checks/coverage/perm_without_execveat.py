"""AL409: perm=x does not match execveat."""

from __future__ import annotations

from auditlint.analysis.permission_masks import EXECVEAT, lacks
from auditlint.analysis.rule_pairs import more
from auditlint.auditctl.tables import calls
from auditlint.checks.api import Hit, Hits, RulesContext, at_field, entry_of
from auditlint.checks.coverage.perm_mask_gap import with_calls


def check(context: RulesContext) -> Hits:
    release = context.target.auditctl
    affected = [lack for lack in context.get(lacks) if EXECVEAT in lack.names]
    for lack in affected:
        if not lack.kernel_lacks_execveat:
            entry = entry_of(lack.stored)
            message = f"execveat never matches perm=x: with arch, auditctl {release} omits it from the mask"
            fix = with_calls(context, entry, [EXECVEAT] if EXECVEAT in calls(lack.machine.name, release) else [])
            yield Hit(at_field(entry, "perm"), message, (), fix)
    by_kernel = [lack for lack in affected if lack.kernel_lacks_execveat]
    if by_kernel:
        machines = " and ".join(dict.fromkeys(lack.machine.name for lack in by_kernel))
        rules = len({lack.stored.index for lack in by_kernel})
        rest = more(rules - 1, "rule")
        message = f"execveat of {machines} never matches perm=x in this kernel{rest}; add a rule with -S execveat"
        yield Hit(at_field(entry_of(by_kernel[0].stored), "perm"), message)
