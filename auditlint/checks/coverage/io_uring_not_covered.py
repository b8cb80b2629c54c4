"""AL406: rules about files or connections, but no rule that covers io_uring."""

from __future__ import annotations

from auditlint.analysis.completeness import is_complete
from auditlint.checks.api import Hit, Hits, RulesContext, at_start, own

_SETUP = "io_uring_setup"
_BOTH = (
    *("open", "openat", "openat2", "creat", "unlink", "unlinkat", "rmdir", "rename", "renameat", "renameat2"),
    *("mkdir", "mkdirat", "link", "linkat", "symlink", "symlinkat", "connect", "accept", "accept4", "bind"),
)
"""System calls whose work io_uring can do, too, without a system call number."""


def check(context: RulesContext) -> Hits:
    from auditlint.analysis.rule_calls import machines_of, mask_of

    machines = machines_of(context.target)
    if not machines or not context.target.kernel_at_least("5.16") or not is_complete(context):
        return
    storage, algebra = context.storage, context.algebra
    if any(stored.rule.action == "always" for stored in storage.uring):
        return
    native = machines[0].name
    both, setup = mask_of(native, _BOTH), mask_of(native, (_SETUP,))
    bypassed = 0
    for stored in (*storage.exit, *storage.hashed):
        if stored.rule.action != "always" or stored.rule.list != "exit" or not own(context, stored):
            continue
        constraints = algebra.meaning(stored)
        selected = next(iter(constraints.selection.values()), 0)
        if selected & setup and not constraints.places:
            return
        bypassed += bool(selected & both)
    if bypassed:
        rules = "the rule" if bypassed == 1 else f"{bypassed} rules"
        message = f"io_uring can bypass {rules} for files and connections; no rule covers it"
        yield Hit(at_start(context.program.sources[0]), message)
