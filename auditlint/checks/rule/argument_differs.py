"""AL247: one condition that compares different things in the calls of a rule."""

from __future__ import annotations

from functools import cache

from auditlint.analysis.call_arguments import judged_arguments
from auditlint.checks.api import Hit, Hits, RulesContext, at_number, listed, written
from auditlint.core.data import rows


def check(context: RulesContext) -> Hits:
    for each in judged_arguments(context):
        number = int(each.field.name[1])
        numbers = each.calls("n")  # where it is an address or missing, AL211 and AL245 report it
        for what, places in _places().items():
            right = [call for call in numbers if places.get(call) == number]
            wrong = [call for call in numbers if call in places and call not in right]
            if right and wrong:
                elsewhere = listed([f"a{places[call]} of {call}" for call in wrong])
                message = (
                    f"{written(each.entry, each.number)} compares {what} for {listed(right)} only: it is {elsewhere}"
                )
                yield Hit(at_number(each.entry, each.number), message)
                break


@cache
def _places() -> dict[str, dict[str, int]]:
    """By what is meant: the position of it by the name of the call."""
    table = {}
    for what, places in rows("syscalls/argument-places.tsv"):
        pairs = (pair.split(":") for pair in places.split(" "))
        table[what] = {call: int(position) for call, position in pairs}
    return table
