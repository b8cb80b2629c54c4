"""AL408: arch with perm, and a mask without all calls of the permission."""

from __future__ import annotations

from auditlint.analysis.permission_masks import EXECVEAT, lacks
from auditlint.analysis.refused_subjects import ARCH
from auditlint.analysis.rule_fields import changed
from auditlint.auditctl.tables import calls
from auditlint.checks.api import Entry, Fix, Hit, Hits, RulesContext, at_field, entry_of, line_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def check(context: RulesContext) -> Hits:
    for lack in context.get(lacks):
        names = [name for name in lack.names if name != EXECVEAT]
        if names:
            entry = entry_of(lack.stored)
            message = f"with arch, auditctl leaves {', '.join(names)} out of what perm stands for"
            known = [name for name in names if name in calls(lack.machine.name, context.target.auditctl)]
            yield Hit(at_field(entry, "perm"), message, (), with_calls(context, entry, known))


def with_calls(context: RulesContext, entry: Entry, names: Sequence[str]) -> Fix | None:
    """The line with these calls named behind its arch."""
    text = line_bytes(entry)
    arch = ARCH.search(text)
    if arch is None or not names:
        return None
    text = text[: arch.end()] + f" -S {','.join(names)}".encode() + text[arch.end() :]
    return changed(context, entry, "unsafe", f"Name {', '.join(names)} as well", text)
