"""AL201: conditions that no event meets together."""

from __future__ import annotations

from auditlint.analysis.call_outcome import failed_success
from auditlint.analysis.contradiction_suspects import suspects
from auditlint.analysis.fix_safety import removal_of_mistake
from auditlint.analysis.rule_fields import one_rule_each
from auditlint.checks.api import Entry, Hit, Hits, Rule, RulesContext, at_number, listed, written


def check(context: RulesContext) -> Hits:
    suspected = {id(entry) for entry in suspects(context.meant, context.target)}
    if suspected:
        for stored in context.storage.rules:
            if id(stored.entry) not in suspected:
                continue
            found = context.algebra.contradiction(stored)
            if found is not None and stored.entry is not None and not _told_elsewhere(stored.rule, found.fields):
                yield _hit(context, stored.entry, stored.rule, found.fields)
    for rule, entry in context.with_field("success"):
        numbers = failed_success(rule, context.target)
        if numbers:
            yield _hit(context, entry, rule, numbers)


def _told_elsewhere(rule: Rule, numbers: tuple[int, ...]) -> bool:
    """Whether another check says why the rule never matches: fields without meaning on a list, masks, labels, the
    order of exit and success."""
    from auditlint.kernel.exclude import KNOWN_FIELDS

    names = {rule.fields[number].name for number in numbers}
    if not names or rule.list == "filesystem":
        return True
    if rule.list in ("user", "exclude") and not names <= KNOWN_FIELDS:
        return True
    if any(name.startswith(("subj_", "obj_")) and name not in ("obj_uid", "obj_gid") for name in names):
        return True
    if len(numbers) > 1:
        return False
    return rule.list == "task" or (names <= {"exit", "success"} and rule.fields[numbers[0]].op not in ("=", "!="))


def _hit(context: RulesContext, entry: Entry, rule: Rule, numbers: tuple[int, ...]) -> Hit:
    texts = [written(entry, number) for number in numbers]
    fields = [rule.fields[number] for number in numbers]
    fix = removal_of_mistake(context, entry)
    if len(fields) > 1 and all(field.op == "=" and field.name == fields[0].name for field in fields):
        fix = one_rule_each(context, entry, numbers, "unsafe", "Write a rule for each")
    what = f"{listed(texts)} are never true together"
    if len(texts) == 1:
        what = f"{texts[0]} is never true"
        if fields[0].name == "arch":
            what += f" on {context.target.machine}"
        elif fields[0].name == "perm":
            what = f"no system call of this rule belongs to {texts[0]}"
    related = tuple(at_number(entry, number, "and this") for number in numbers[1:])
    return Hit(at_number(entry, numbers[0]), f"{what}: the rule never matches", related, fix)
