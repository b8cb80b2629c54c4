"""AL217: path= on a directory."""

from __future__ import annotations

from auditlint.checks._fields import at_number, escaped, fields_named, source_of, with_field
from auditlint.findings import Hit
from auditlint.language.tables import usual_directories
from auditlint.lookup import is_directory

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditlint.subjects import RulesSubject


def check(subject: RulesSubject) -> Iterator[Hit]:
    trees = {str(field.value).rstrip("/") for _, _, _, field in fields_named(subject, "dir")}
    for _, entry, number, field in fields_named(subject, "path"):
        text = str(field.value)
        source = source_of(entry, number)
        if text in trees or source is None:
            continue  # beside a rule on the tree: for the directory itself
        known = is_directory(text, subject.facts)
        if known is None:
            known = text in usual_directories()
        if known:
            fix = with_field(subject, entry, number, "unsafe", "Use dir", "dir=" + escaped(source.text))
            message = (
                f"{text} is a directory: the rule sees the directory itself and changes of its entries, "
                "not what happens to the files in it; dir= takes the whole tree"
            )
            yield Hit(at_number(entry, number), message, (), fix)
