"""AL409: perm=x does not see execveat."""

from __future__ import annotations

from auditlint.analysis.permission_masks import EXECVEAT, lacks
from auditlint.analysis.rule_pairs import more
from auditlint.auditctl.tables import calls
from auditlint.checks.api import Hit, Hits, RulesContext, at_field, entry_of
from auditlint.checks.coverage.perm_mask_gap import with_calls


def check(context: RulesContext) -> Hits:
    release = context.target.auditctl
    found = [lack for lack in context.get(lacks) if EXECVEAT in lack.names]
    for lack in found:
        if not lack.kernel_lacks_execveat:
            entry = entry_of(lack.stored)
            message = f"with arch, auditctl {release} leaves execveat out of what perm=x stands for"
            fix = with_calls(context, entry, [EXECVEAT] if EXECVEAT in calls(lack.machine.name, release) else [])
            yield Hit(at_field(entry, "perm"), message, (), fix)
    by_kernel = [lack for lack in found if lack.kernel_lacks_execveat]
    if by_kernel:
        machines = " and ".join(dict.fromkeys(lack.machine.name for lack in by_kernel))
        rules = len({lack.stored.index for lack in by_kernel})
        rest = more(rules - 1, "rule")
        message = f"the kernel does not count execveat of {machines} as perm=x: it needs a rule of its own{rest}"
        yield Hit(at_field(entry_of(by_kernel[0].stored), "perm"), message)
