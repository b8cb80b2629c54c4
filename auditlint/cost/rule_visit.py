"""The price of meeting one rule: entering it, and testing its fields as far as the kernel does."""

from __future__ import annotations

from auditlint.auditctl.field_table import LABELS
from auditlint.core.frozen import dataclass
from auditlint.kernel.lsm import has_rule
from auditlint.kernel.rule_walk import visit

TYPE_CHECKING = False
if TYPE_CHECKING:
    from auditlint.cost.fields import FieldPrices
    from auditlint.kernel.eval_context import EvalContext, ResolvedPath
    from auditlint.kernel.event import Tristate
    from auditlint.kernel.storage import Stored

ENTER = "rules entered"
FIELDS = "field tests: "
MATCH = "match"


@dataclass(frozen=True, slots=True)
class RuleVisitCost:
    """The price of meeting one rule whose mask has the call, mask test left out.

    `parts` by reason add up to `total`; `low` ends at the first field that is not known. `likely`: the rule
    matches as far as one can tell, an unknown `=` taken for false; `matched` is the kernel's own answer.
    `trees` is the part of a `dir` test that only tasks pay that have visited a watched tree. `labels` are the
    fields whose price is not known.
    """

    parts: tuple[tuple[str, float], ...]
    total: float
    low: float
    matched: Tristate
    likely: bool
    trees: float
    labels: tuple[str, ...]


def meet(stored: Stored, evaluation: EvalContext, at: ResolvedPath | None, fields: FieldPrices) -> RuleVisitCost:
    """Enter a rule and test its fields as far as the kernel does."""
    seen = visit(stored, evaluation, at)
    enter = fields.values["enter"]
    parts = [(ENTER, enter)]
    total = low = enter
    surely, likely = True, seen.matched is not False
    trees = 0.0
    labels = []
    for number in range(seen.tested):
        field = stored.rule.fields[number]
        unknown = number in seen.unknown
        answer: Tristate = None if unknown else number < seen.tested - 1 or seen.matched is not False
        if unknown and field.op in ("=", "&", "&="):
            # One value, or one bit of an address: more often false than true.
            answer = False
        amount = fields.price(field, answer, at)
        if amount:
            parts.append((FIELDS + field.name, amount))
            total += amount
            low += amount if surely else 0.0
        surely = surely and not unknown
        if field.name == "dir" and not fields.inside:
            trees = fields.values["tree_dir"]
        if field.name in LABELS and has_rule(field, evaluation.facts.lsm) is not False:
            labels.append(field.name)
        if answer is False:
            likely = False
            break
    if likely:
        match = fields.values["match"]
        parts.append((MATCH, match))
        total += match
    return RuleVisitCost(tuple(parts), total, low, seen.matched, likely, trees, tuple(labels))
