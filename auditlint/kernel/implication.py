"""Whether the conditions of one rule follow from those of another: True and False are proved, None is not known."""

from __future__ import annotations

from auditlint.auditctl.model import Field
from auditlint.core.frozen import replace
from auditlint.kernel.constraints import Constraints, domain
from auditlint.kernel.event import U32
from auditlint.kernel.satisfy import every, outcomes, restricted_ids, satisfiable
from auditlint.kernel.sets import NEGATED, Numbers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditlint.kernel.event import Tristate

_BY_ARGUMENT = frozenset(("a0", "a1", "a2"))
"""Numbers that perm looks at too."""


def implied(ours: Constraints, theirs: Constraints) -> Tristate:
    """Whether every event that meets our conditions meets theirs."""
    possible = satisfiable(ours)
    if possible is False:
        return True
    answer = every((_selection(ours, theirs), *_conditions(ours, theirs, quick=False)))
    # A counterexample needs an event that meets our conditions at all.
    return None if answer is False and possible is None else answer


def surely_implied(ours: Constraints, theirs: Constraints) -> bool:
    """Whether that is sure, by the quick ways only. Both select the same calls, or we fewer."""
    return all(answer is True for answer in _conditions(ours, theirs, quick=True))


def left_over(ours: Constraints, theirs: Constraints) -> dict[int, int]:
    """The system calls, by ABI, that we select and they do not."""
    return {arch: rest for arch, mask in ours.selection.items() if (rest := mask & ~theirs.selection.get(arch, 0))}


def _selection(ours: Constraints, theirs: Constraints) -> Tristate:
    rest = left_over(ours, theirs)
    return _never(replace(ours, selection=rest)) if rest else True


def _never(what: Constraints) -> Tristate:
    """Whether no event is like that."""
    possible = satisfiable(what)
    return None if possible is None else not possible


def _conditions(ours: Constraints, theirs: Constraints, quick: bool) -> Iterator[Tristate]:
    """For each condition of theirs, selection apart: whether ours imply it."""
    if theirs.impossible:
        yield False
    for name, room in theirs.numbers.items():
        yield _number(ours, name, room, quick)
    if theirs.places:
        yield _places(ours, theirs)
    for each in theirs.outcome:
        yield _outcome(ours, each)
    for each in theirs.groups:
        yield _group(ours, each)
    for pair in theirs.pairs:
        left, op, right = pair
        yield pair in ours.pairs or _never(replace(ours, pairs=(*ours.pairs, (left, NEGATED[op], right))))
    for perm in theirs.perms:
        letters, positive = perm
        yield _letters(ours, letters, positive) or _never(replace(ours, perms=(*ours.perms, (letters, not positive))))
    for group in theirs.objects:
        yield _objects(ours, group)
    for each in theirs.owners:
        yield True if each in ours.owners else None
    for each in theirs.types:
        yield _type(ours, each)
    for each in theirs.opaque:
        yield _opaque(ours, each)
    for each in theirs.named:
        yield _named(ours, each)


def _letters(ours: Constraints, letters: int, positive: bool) -> bool:
    """Whether one of our perm conditions is at least as narrow: each letter only adds calls (audit_match_perm())."""
    return any(same == positive and not (mine & ~letters if positive else letters & ~mine) for mine, same in ours.perms)


def _number(ours: Constraints, name: str, room: Numbers, quick: bool) -> Tristate:
    """Every number that we allow lies in their set."""
    mine = ours.numbers.get(name)
    if mine is None:
        if name == "saddr_fam":
            # Without a condition of ours there may be no address at all.
            return False
        mine = domain(name)
    inside = mine.inside(room)
    if inside or (quick and inside is False and not ours.pairs and name not in _BY_ARGUMENT):
        return inside
    rest = [part for part in _difference(mine, room) if part]
    if not rest:
        return True
    answers = [_never(replace(ours, numbers={**ours.numbers, name: part})) for part in rest]
    return every(answers)


def _difference(mine: Numbers, room: Numbers) -> Iterator[Numbers]:
    """The numbers of one set that are not in the other, as a union."""
    at = 0
    for lo, hi in (*room.intervals, (U32 + 1, U32 + 1)):
        if at < lo:
            yield mine.given(">=", at).given("<=", lo - 1)
        at = hi + 1
    if room.must:
        yield from mine.without("&=", room.must)
    for bits in room.some:
        yield from mine.without("&", bits)


def _places(ours: Constraints, theirs: Constraints) -> Tristate:
    """Paths are compared as they are looked up. One tree inside another may be a mount of its own, and a file in
    a tree may be reached by another name: not known."""
    if all(place in ours.places for place in theirs.places):
        return True
    return None if ours.places else False


def _outcome(ours: Constraints, each: Field) -> Tristate:
    """exit and success are defined together; without a condition of ours they may be undefined."""
    if each in ours.outcome:
        return True
    if not ours.outcome:
        return False
    value = each.value if isinstance(each.value, int) else 0
    good, bad = outcomes(ours)
    if each.name == "exit":
        return all(side is None or side.implies(each.op, value) for side in (good, bad))
    wanted = 1 if value else 2
    return all(
        side is None or bool(Numbers(((state, state),)).given(each.op, wanted)) for side, state in ((good, 1), (bad, 2))
    )


def _group(ours: Constraints, each: Field) -> Tristate:
    """Refuted: with the opposite condition nothing is left."""
    if each in ours.groups:
        return True
    if each.op in ("=", "!=") and each.name not in restricted_ids(ours) and not ours.pairs:
        return False
    opposite = Field(each.name, NEGATED[each.op], each.value)
    return _never(replace(ours, groups=(*ours.groups, opposite)))


def _objects(ours: Constraints, wanted: tuple[Field, ...]) -> Tristate:
    """Whether an object that we demand is as wanted; of other objects nothing is known."""
    if any(all(_object(group, each) for each in wanted) for group in ours.objects):
        return True
    return None if ours.objects or ours.places or ours.owners or ours.types else False


def _object(group: tuple[Field, ...], wanted: Field) -> bool:
    """An object with these properties has the wanted one."""
    if wanted in group:
        return True
    same = [each for each in group if each.name == wanted.name]
    if wanted.name in ("devmajor", "devminor"):
        # One of two numbers is meant, and for each condition it may be the other one.
        return any(not any(_difference(_set([each]), _set([wanted]))) for each in same)
    return not any(_difference(_set(same), _set([wanted])))


def _set(conditions: list[Field]) -> Numbers:
    room = Numbers()
    for each in conditions:
        room = room.given(each.op, each.value if isinstance(each.value, int) else 0)
    return room


def _type(ours: Constraints, each: Field) -> Tristate:
    if each in ours.types:
        return True
    free = not (ours.objects or ours.places or ours.owners or ours.types)
    return False if free and each.op == "=" else None


def _named(ours: Constraints, wanted: Field) -> Tristate:
    """Whether we say the same of that id; who says nothing of it at all allows other ids, too."""
    if wanted in ours.named:
        return True
    return False if wanted.op in ("=", "!=") and wanted.name not in restricted_ids(ours) else None


def _opaque(ours: Constraints, wanted: Field) -> Tristate:
    """Programs and labels are compared as they stand: two paths may lead to one file."""
    if wanted in ours.opaque:
        return True
    return False if wanted.name == "exe" and all(each.name != "exe" for each in ours.opaque) else None
