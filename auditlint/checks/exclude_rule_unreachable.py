"""AL309: a rule on the exclude or user list behind one that takes all its records."""

from __future__ import annotations

from auditlint.checks._edit import delete_line
from auditlint.checks._together import entry_of, names, related, removable, shadows
from auditlint.findings import Fix, Hit
from auditlint.subjects import at_line

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditlint.findings import FixLevel
    from auditlint.subjects import RulesSubject


def check(subject: RulesSubject) -> Iterator[Hit]:
    for shadow in shadows(subject, ("exclude", "user")):
        entry = entry_of(shadow.stored)
        ends = "ends" if len(shadow.by) == 1 else "end"
        message = f"is never reached: {names(subject, shadow.by)} {ends} the walk for all its records"
        level: FixLevel = "safe" if removable(subject, shadow) else "unsafe"
        fix = Fix(level, "Remove the rule", (delete_line(entry),))
        yield Hit(at_line(entry), message, related(subject, shadow.by, "ends the walk"), fix)
