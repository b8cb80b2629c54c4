"""Rules as the cost checks see them: which ones every call tests, and what they could be narrowed to."""

from __future__ import annotations

from functools import cache

from auditlint.auditctl import tables
from auditlint.auditctl.model import ALL_SYSCALLS, PERM_A, PERM_R, PERM_W, PERM_X, UNSET, Field
from auditlint.core.data import rows
from auditlint.core.frozen import replace
from auditlint.core.target import DEFAULT_AUDITCTL
from auditlint.kernel.abis import abis
from auditlint.kernel.storage import EXIT

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from auditlint.auditctl.entries import Entry
    from auditlint.auditctl.model import Rule
    from auditlint.context.rules import RulesContext
    from auditlint.core.source import Location
    from auditlint.core.target import Target
    from auditlint.cost.advice import Gain
    from auditlint.kernel.storage import Stored

PERM_MASK_SINCE = "3.1.3"
"""auditctl adds the calls of `perm` to the mask of a rule with `arch` from this release on."""
MOST_RELATED = 10
_LETTERS = (("r", PERM_R), ("w", PERM_W), ("x", PERM_X), ("a", PERM_A))


def every_call(stored: Stored) -> bool:
    """Whether the rule is on the exit list and has the mask of all system calls."""
    return stored.place == EXIT and stored.rule.mask == ALL_SYSCALLS


def narrowed(rule: Rule, target: Target) -> list[Rule]:
    """The rule with arch, once per ABI, and the system calls of its `perm` as mask (all letters without perm)."""
    perm = rule.get("perm")
    letters = perm.value if perm is not None and isinstance(perm.value, int) else 15
    release = target.auditctl if target.auditctl_at_least(PERM_MASK_SINCE) else DEFAULT_AUDITCTL
    by_letter = tables.perm_calls(release)
    given = rule.get("arch")
    rules = []
    for abi in abis(target):
        if given is not None and given.value != abi.elf:
            continue
        numbers = calls(abi.name, release)
        mask = 0
        for letter, bit in _LETTERS:
            if letters & bit:
                for name in by_letter[letter]:
                    mask |= 1 << numbers[name] if name in numbers else 0
        fields = rule.fields if given is not None else (Field("arch", "=", abi.elf), *rule.fields)
        rules.append(replace(rule, mask=mask, fields=fields))
    return rules


def live(context: RulesContext) -> Iterator[tuple[Stored, Entry]]:
    """The rules of the exit list that can match, in its order, with their lines."""
    algebra = context.algebra
    for stored in context.storage.exit:
        if stored.entry is not None and algebra.can_match(stored) is not False:
            yield stored, stored.entry


def calls(machine: str, release: str) -> Mapping[str, int]:
    """System call numbers of a machine as auditctl knows them; empty for a machine that it does not know."""
    return tables.calls(machine, release) if machine in tables.machines() else {}


def hot_numbers(target: Target, *kinds: str) -> dict[str, int]:
    """The frequent system calls of some kinds in auditctl's spelling, with their numbers on the machine."""
    if target.machine not in tables.machines():
        return {}
    numbers, spelling = tables.kernel_calls(target.machine), tables.kernel_spelling(target.machine)
    names = [name for name, kind in _hot() if kind in kinds and name in numbers]
    return {spelling.get(name, name): numbers[name] for name in names}


@cache
def _hot() -> tuple[tuple[str, str], ...]:
    """The frequent system calls with their kinds."""
    return tuple((name, kind) for name, kind in rows("cost/hot.tsv"))


def is_unset_test(field: Field) -> bool:
    """`auid!=unset` in any spelling."""
    return field.name == "auid" and field.op == "!=" and field.value == UNSET


def others(entries: Sequence[Entry], message: str) -> tuple[Location, ...]:
    """Related places, at most MOST_RELATED."""
    from auditlint.context.rules import at_line

    return tuple(at_line(entry, message) for entry in entries[:MOST_RELATED])


def count(number: int, word: str) -> str:
    return f"{number} {word}" if number == 1 else f"{number} {word}s"


def worth(gain: Gain, least: float) -> bool:
    """Whether a change saves at least that much at some operation, and something in the sum over all."""
    return gain.most >= least and gain.total > 0
