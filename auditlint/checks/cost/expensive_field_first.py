"""AL507: an expensive condition before cheap ones that end the rule sooner."""

from __future__ import annotations

from auditlint.analysis.cost_rules import live
from auditlint.analysis.rule_fields import reordered
from auditlint.checks.api import Field, Hit, Hits, RulesContext, at_field, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from auditlint.cost.advice import Gain

_RANKS = {"arch": 0, "exe": 3, "inode": 4, "filetype": 4, "obj_uid": 4, "obj_gid": 4, "devmajor": 4, "devminor": 4}
_RANKS |= {"dir": 4, "perm": 5, "key": 9}
_LABEL, _NUMBER = 6, 1
_WORTH, _LOSS = 20.0, -10.0
"""Instructions that some operation must save, and that none may lose."""


def check(context: RulesContext) -> Hits:
    known: dict[object, Gain | None] = {}
    for stored, entry in live(context):
        fields = tuple(sorted(stored.rule.fields, key=_rank))
        if fields == stored.rule.fields:
            continue
        rule = replace(stored.rule, fields=fields)
        key = (*context.advisor.shape(stored), tuple(field.name for field in stored.rule.fields))
        if key not in known:
            gains = [advisor.change([stored], [rule]) for advisor in (context.advisor, context.user_advisor)]
            best = max(gains, key=lambda gain: gain.most)
            good = best.most >= _WORTH and min(gain.least for gain in gains) >= _LOSS
            known[key] = best if good else None
        gain = known[key]
        if gain is not None:
            moved = next(old for old, new in zip(stored.rule.fields, fields, strict=True) if old != new)
            order = ", ".join(dict.fromkeys(field.name for field in fields if field.name != "key"))
            yield Hit(
                at_field(entry, moved.name),
                f"{moved.name} is tested before cheaper fields; the order {order} {gain}",
                fix=reordered(context, entry, rule, f"Write the fields in the order {order}"),
                weight=gain.total,
                saved=gain.saved,
            )


def _rank(field: Field) -> int:
    if field.name.startswith(("subj_", "obj_")) and field.name not in _RANKS:
        return _LABEL
    return _RANKS.get(field.name, _NUMBER)
