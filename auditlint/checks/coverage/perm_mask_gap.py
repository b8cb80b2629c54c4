"""AL408: arch with perm, and a mask that lacks calls of the permission."""

from __future__ import annotations

from auditlint.analysis.permission_masks import EXECVEAT, lacks
from auditlint.analysis.refused_subjects import ARCH
from auditlint.analysis.rule_fields import changed
from auditlint.auditctl.tables import calls
from auditlint.checks.api import Entry, Fix, Hit, Hits, RulesContext, at_field, entry_of, line_bytes
from auditlint.kernel.decision_trace import plain_text

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def check(context: RulesContext) -> Hits:
    for lack in context.get(lacks):
        names = [name for name in lack.names if name != EXECVEAT]
        if names:
            entry = entry_of(lack.stored)
            perm = next(plain_text(field) for field in lack.stored.rule.fields if field.name == "perm")
            match, them = ("matches", "it") if len(names) == 1 else ("match", "them")
            message = f"{', '.join(names)} never {match} {perm}: with arch, auditctl omits {them} from the mask"
            nameable = [name for name in names if name in calls(lack.machine.name, context.target.auditctl)]
            yield Hit(at_field(entry, "perm"), message, (), with_calls(context, entry, nameable))


def with_calls(context: RulesContext, entry: Entry, names: Sequence[str]) -> Fix | None:
    """The fix that names these calls after the arch of the line."""
    text = line_bytes(entry)
    arch = ARCH.search(text)
    if arch is None or not names:
        return None
    text = text[: arch.end()] + f" -S {','.join(names)}".encode() + text[arch.end() :]
    return changed(context, entry, "unsafe", f"Add -S {','.join(names)}", text)
