"""AL222: a field that ends the user or exclude list."""

from __future__ import annotations

from auditlint.analysis.excluded_records import drops_nearly_all
from auditlint.analysis.list_order import kernel_order
from auditlint.analysis.rule_fields import source_of, without
from auditlint.checks.api import Hit, Hits, RulesContext, at_line, at_number, replace
from auditlint.kernel.exclude import KNOWN_FIELDS


def check(context: RulesContext) -> Hits:
    for name in ("user", "exclude"):
        order = kernel_order(context.on_list(name))
        for place, (rule, entry) in enumerate(order):
            number = next((at for at, field in enumerate(rule.fields) if field.name not in KNOWN_FIELDS), None)
            if number is None:
                continue
            field = rule.fields[number].name
            behind = order[place + 1 :]
            reached = "for every record" if number == 0 else "for records that get this far"
            what = f"the {name} list does not support {field} and ends here {reached}"
            effect = "the rule drops nothing"
            if behind:
                effect += f", and the list ignores {len(behind)} more after it"
            fix = None
            left = replace(rule, fields=rule.fields[:number] + rule.fields[number + 1 :])
            if source_of(entry, number) is not None and left.fields and not drops_nearly_all(left):
                fix = without(context, entry, number, "unsafe", f"Remove {field}")
            related = tuple(at_line(other, "ignored") for _, other in behind[:1])
            yield Hit(at_number(entry, number), f"{what}: {effect}", related, fix)
