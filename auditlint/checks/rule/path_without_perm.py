"""AL238: a path without perm or system calls."""

from __future__ import annotations

from auditlint.analysis.program_paths import usual_perm
from auditlint.analysis.rule_fields import at_number, behind, fields_named, source_of
from auditlint.auditctl.model import ALL_SYSCALLS
from auditlint.core.findings import Hit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditlint.context.rules import RulesContext


def check(context: RulesContext) -> Iterator[Hit]:
    for rule, entry, number, field in fields_named(context, "path", "dir"):
        if rule.action != "always" or rule.list != "exit" or rule.mask != ALL_SYSCALLS or rule.get("perm") is not None:
            continue
        if source_of(entry, number) is None:
            continue
        message = f"without perm every call that meets {field.value} is recorded, stat and readlink too"
        word = f"perm={usual_perm(str(field.value))}"
        fix = behind(context, entry, number, "unsafe", f"Add {word}", f"-F {word}")
        yield Hit(at_number(entry, number), message, (), fix)
