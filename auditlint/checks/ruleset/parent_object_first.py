"""AL312: a rule on a directory wins over an earlier `never` rule on a file in it."""

from __future__ import annotations

from auditlint.analysis.rule_pairs import before, name
from auditlint.checks.api import Hit, Hits, RulesContext, at_line, entry_of, own, related, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from auditlint.kernel.algebra import Algebra
    from auditlint.kernel.storage import Stored


def check(context: RulesContext) -> Hits:
    storage = context.storage
    for never in storage.hashed:
        if never.rule.action != "never" or never.path is None or not own(context, never):
            continue
        parent = never.path.rpartition("/")[0] or "/"
        for other in storage.rules_on(parent):
            if other.rule.action == "always" and before(never, other) and _share(context.algebra, never, other):
                message = (
                    f"{name(context, other)} still records that this file is created, removed or renamed: the kernel "
                    f"checks {parent} first"
                )
                yield Hit(at_line(entry_of(never)), message, related(context, (other,), "on the directory"))
                break


def _share(algebra: Algebra, never: Stored, other: Stored) -> bool:
    """Can one call that creates, removes or renames an entry match both, each with its own object?"""
    from auditlint.kernel.constraints import join
    from auditlint.kernel.satisfy import satisfiable

    both = join(algebra.meaning(never), algebra.meaning(other))
    calls = {arch: mask & both.world.abi(arch).dir_write for arch, mask in both.selection.items()}
    numbers = replace(both, selection=calls, places=(), objects=(), owners=(), types=())
    return satisfiable(numbers) is True
