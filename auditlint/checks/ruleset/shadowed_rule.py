"""AL303: an unreachable rule: others with the same action decide all its events first."""

from __future__ import annotations

from auditlint.analysis.fix_safety import removal
from auditlint.analysis.line_edits import own_comment, with_comment
from auditlint.analysis.rule_pairs import REPLACED, TREE, names, shadows
from auditlint.checks.api import Edit, Fix, FixLevel, Hit, Hits, RulesContext, at_line, entry_of, related
from auditlint.kernel.equivalence import stands_for
from auditlint.kernel.implication import implied

TYPE_CHECKING = False
if TYPE_CHECKING:
    from auditlint.kernel.shadow import Shadow


def check(context: RulesContext) -> Hits:
    for shadow in shadows(context):
        rule = shadow.stored.rule
        if any(by.rule.action != rule.action for by in shadow.by):
            continue
        entry = entry_of(shadow.stored)
        message = f"unreachable: every event it matches is already taken by {names(context, shadow.by)}"
        if rule.action == "always" and rule.key is not None and all(by.rule.key != rule.key for by in shadow.by):
            keys = list(dict.fromkeys((by.rule.key or "no key").replace("\x01", ", ") for by in shadow.by))
            with_key = "another key" if len(keys) > 1 else keys[0] if keys == ["no key"] else f"the key {keys[0]}"
            message += f", with {with_key} instead of {rule.key}".replace("\x01", ", ")
        if shadow.until_replaced:
            message += REPLACED
        fix = removal(context, entry, by=shadow.by)
        if shadow.tree:
            message += TREE.format(shadow.tree)
            fix = None if fix is None else Fix("unsafe", fix.title, fix.edits)
        if fix is not None:
            fix = _moved(context, shadow) or Fix(_level(context, shadow, fix), fix.title, fix.edits)
        yield Hit(at_line(entry), message, related(context, shadow.by, "takes its events"), fix)


def _level(context: RulesContext, shadow: Shadow, fix: Fix) -> FixLevel:
    """Removal is safe for true repetition only: a narrower rule, another key or a comment of its own was meant."""
    rule = shadow.stored.rule
    repeats = any(by.rule.key == rule.key and stands_for(context.algebra, by.rule, [rule]) for by in shadow.by)
    return fix.level if repeats and not own_comment(entry_of(shadow.stored)) else "unsafe"


def _moved(context: RulesContext, shadow: Shadow) -> Fix | None:
    """The special rule, with its comment, moved before the general one, when both are in one file and it has another
    key; None where the order would not bring its events back."""
    stored, by = shadow.stored, shadow.by[0]
    entry, general = entry_of(stored), entry_of(by)
    rule = stored.rule
    if len(shadow.by) > 1 or shadow.until_replaced or rule.key is None or rule.key == by.rule.key:
        return None
    if rule.prepend or by.rule.prepend or entry.parts or general.parts or entry.at.source is not general.at.source:
        return None
    wide, special = (context.algebra.alone(each)[1] for each in (by.rule, rule))
    narrower = by.mask & ~stored.mask or implied(wide, special) is False
    if not narrower or entry.at.line < general.at.line:
        return None
    source = entry.at.source
    start, end = with_comment(entry)
    text = source.data[start:end]
    at = with_comment(general)[0]
    edits = (Edit(source, at, at, text if text.endswith(b"\n") else text + b"\n"), Edit(source, start, end, b""))
    return Fix("unsafe", f"Move it before line {general.at.line}", edits)
