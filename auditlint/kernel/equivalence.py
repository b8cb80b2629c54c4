"""Whether a change of the rules surely leaves every decision and every key as they are.

It rests on the same sets as the rest of the reasoning (algebra.py); what cannot be told counts as a change. Records
that the kernel writes about its own rules (CONFIG_CHANGE, when a watched directory goes away and takes its rules with
it) do not count: with fewer rules there are fewer of them.
"""

from __future__ import annotations

from auditlint.auditctl.field_table import SUBJECT_LABELS
from auditlint.kernel.exclude import KNOWN_FIELDS
from auditlint.kernel.implication import implied
from auditlint.kernel.storage import signal_rule, store_one

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from auditlint.auditctl.model import Rule
    from auditlint.kernel.algebra import Algebra
    from auditlint.kernel.storage import Stored

_SIMPLE = ("exclude", "user")
_COUNTED = ("exit", "io_uring", "task")
_MOST_RIVALS = 1000
"""Rules that are compared for one answer; beyond, it is not known."""


def never_matches(algebra: Algebra, rule: Rule) -> bool:
    """Whether surely no event matches the rule."""
    return algebra.alone(rule)[2] is False


def stands_for(algebra: Algebra, old: Rule, new: Sequence[Rule]) -> bool:
    """Whether `new`, loaded at the place of `old`, surely have the same effect as it.

    Neither may be equal to another rule of the load: the kernel would refuse it.
    """
    if any(rule.list != old.list or rule.prepend != old.prepend for rule in new):
        return False
    if old.list == "filesystem":
        return _hidden((old,)) == _hidden(new)
    if len(new) != 1:
        return False
    same_action = new[0].action == old.action or old.list == "exclude"
    return same_action and _same_key(algebra, old, new[0]) and _same_events(algebra, old, new[0])


def _hidden(rules: Iterable[Rule]) -> frozenset[tuple[str, int | str]]:
    """The conditions of rules that hide file systems: each alone is enough (__audit_inode(), kernel/auditsc.c)."""
    return frozenset(
        (each.op, each.value)
        for rule in rules
        if rule.action == "never"
        for each in rule.fields
        if each.name == "fstype"
    )


def _same_events(algebra: Algebra, old: Rule, new: Rule) -> bool:
    """Both match the same events, found at the same place."""
    if old.list in _SIMPLE and not (_plain(old) and _plain(new)):
        return False
    target, facts = algebra.storage.target, algebra.storage.facts
    one, two = store_one(old, target, facts), store_one(new, target, facts)
    if (one.place, one.path, one.inode) != (two.place, two.path, two.inode) or _texts(old) != _texts(new):
        return False
    if signal_rule(one, target) != signal_rule(two, target):
        return False
    if old.list in _COUNTED and one.mask == two.mask and set(old.fields) == set(new.fields):
        return True  # the order of conditions makes no difference there
    before, after = algebra.alone(old)[1], algebra.alone(new)[1]
    return implied(before, after) is True and implied(after, before) is True


def _plain(rule: Rule) -> bool:
    """Only fields that the small filter knows, none that may leave the answer of the field before."""
    names = {each.name for each in rule.fields}
    return bool(names) and names <= KNOWN_FIELDS and not names & SUBJECT_LABELS


def _texts(rule: Rule) -> frozenset[tuple[str, object]]:
    """Paths as written: what the kernel looks up again when files come and go."""
    return frozenset((each.name, each.value) for each in rule.fields if each.name in ("path", "dir", "inode", "exe"))


def _same_key(algebra: Algebra, old: Rule, new: Rule) -> bool:
    """The key shows in the same events. That of a `never` rule shows where a rule without key overrules it."""
    if old.key == new.key:
        return True
    if old.action != "never" or old.list not in ("exit", "io_uring"):
        return False
    keyless = [each for each in algebra.storage.rules if each.rule.action == "always" and each.rule.key is None]
    return all(each.rule.list not in ("exit", "io_uring") for each in keyless)


def removable(algebra: Algebra, stored: Stored, takers: Sequence[Stored] = ()) -> bool:
    """Whether the rule can go: it never matches, has no effect on its list, or the `takers`, met before it, surely
    take all its events and show the same in them."""
    if not _still_counted(algebra, stored):
        return False
    rule = stored.rule
    if takers:
        return _taken(algebra, stored, takers)
    if rule.list == "filesystem":
        return not _hidden((rule,))
    if rule.list in _SIMPLE and not rule.fields:
        return True
    if rule.list in _SIMPLE and not _plain(rule):
        return False
    if rule.list == "user" and rule.action == "always":
        behind = [each for each in algebra.storage.user if each.position > stored.position]
        if all(each.rule.action == "always" for each in behind):
            return True
    return algebra.can_match(stored) is False


def _still_counted(algebra: Algebra, stored: Stored) -> bool:
    """Whether the kernel still collects what it does with the rule: without any rule on these lists it collects
    nothing (audit_n_rules), without one on kill no targets of signals (audit_signals)."""
    if stored.rule.list not in _COUNTED:
        return True
    target = algebra.storage.target
    signal = signal_rule(stored, target)
    return any(
        other is not stored
        and other.rule.list in _COUNTED
        and (not signal or signal_rule(other, target))
        and algebra.can_match(other) is not False  # another fix may take those away
        for other in algebra.storage.rules
    )


def _taken(algebra: Algebra, stored: Stored, takers: Sequence[Stored]) -> bool:
    """Whether the rules that take the events show the same. `takers` are known to take them all."""
    rule = stored.rule
    if rule.list in _SIMPLE:
        return True
    if any(each.rule.action != rule.action for each in takers):
        return False
    # A rule on a file is tried once more, and alone, while that file goes away: its key stays if the other has none.
    if stored.hashed and rule.key is not None and any(each.rule.key is None for each in takers):
        return False
    # A rule put in front with -A stays there when the file is made anew; whether also when another one is renamed over
    # it was not measured.
    return not any(each.hashed and stored.hashed for each in takers) or _turns_alike(algebra, stored, takers)


def _turns_alike(algebra: Algebra, stored: Stored, takers: Sequence[Stored]) -> bool:
    """Rules on one file, whose order turns round: it makes no difference where they show the same, and no rule that
    shows another thing stands between them."""
    like = (stored.rule.action, stored.rule.key)
    if any((each.rule.action, each.rule.key) != like for each in takers):
        return False
    first = max(each.prio for each in takers)
    rivals = [
        each
        for each in algebra.storage.rules
        if stored.prio < each.prio < first and (each.rule.action, each.rule.key) != like
    ]
    return len(rivals) <= _MOST_RIVALS and all(algebra.overlap(each, stored) is False for each in rivals)


def may_move_up(algebra: Algebra, first: Stored, later: Sequence[Stored]) -> bool:
    """Whether the `later` rules can decide at the place of `first`: no rule in between shows another thing for one of
    their events."""
    left = _MOST_RIVALS
    ordered = sorted(
        (each for each in algebra.storage.rules if each.rule.list == first.rule.list), key=lambda each: -each.prio
    )
    start = next(at for at, each in enumerate(ordered) if each is first)
    moving = {each.index for each in later}
    passed: list[Stored] = []
    for each in ordered[start + 1 :]:
        if each.index not in moving:
            passed.append(each)
            continue
        moving.remove(each.index)
        like = (each.rule.action, each.rule.key)
        rivals = [other for other in passed if other.mask & each.mask and (other.rule.action, other.rule.key) != like]
        left -= len(rivals)
        if left < 0 or any(algebra.overlap(other, each) is not False for other in rivals):
            return False
        if not moving:
            return True
    return not moving
