"""Findings put together for people: one group for one cause."""

from __future__ import annotations

from auditlint.compare.findings import joined_ranges
from auditlint.core.frozen import dataclass, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable

    from auditlint.compare.findings import Finding
    from auditlint.compare.places import Place
    from auditlint.compare.witness import Witness
    from auditlint.kernel.storage import Stored

_ORDER = ("less", "key", "more", "records", "settings", "load", "foreign", "own")


@dataclass(frozen=True, slots=True)
class Group:
    """Findings of one kind that one rule is to blame for, with one key on each side.

    `calls` maps AUDIT_ARCH_* numbers to masks. `who` maps ids and return values to intervals (inclusive), and "exe" to
    paths; empty where they do not matter. `places` are watched files, empty when it happens with any. `inside` and
    `outside` are directories. `a` and `b` are the rules that decide, `cause` and `blamed` as in `Finding`.
    """

    list: str
    kind: str
    cause: str
    blamed: Stored | None
    calls: dict[int, int]
    who: dict[str, tuple[object, ...]]
    places: tuple[Place, ...]
    inside: tuple[str, ...]
    outside: tuple[str, ...]
    a: tuple[Stored, ...]
    b: tuple[Stored, ...]
    a_key: str | None
    b_key: str | None
    witness: Witness | None
    why: str | None
    note: str = ""

    @property
    def certain(self) -> bool:
        return self.witness is not None


def groups(findings: Iterable[Finding]) -> list[Group]:
    """The findings by cause: the gravest kind first, then in the order of the rules."""
    made: dict[object, Group] = {}
    for finding in findings:
        key = (
            finding.list,
            finding.kind,
            finding.certain,
            id(finding.blamed) if finding.blamed is not None else None,
            (finding.a.key, finding.b.key) if finding.certain else None,
            finding.why,
            finding.note,
        )
        group = made.get(key)
        made[key] = _first(finding) if group is None else _joined(group, finding)

    def rank(group: Group) -> tuple[int, bool, int]:
        return (_ORDER.index(group.kind), not group.certain, group.blamed.index if group.blamed is not None else -1)

    return sorted(made.values(), key=rank)


def _first(finding: Finding) -> Group:
    return Group(
        finding.list,
        finding.kind,
        finding.cause,
        finding.blamed,
        dict(finding.calls),
        dict(finding.who),
        finding.places,
        finding.inside,
        finding.outside,
        (finding.a.winner,) if finding.a.winner is not None else (),
        (finding.b.winner,) if finding.b.winner is not None else (),
        finding.a.key,
        finding.b.key,
        finding.witness,
        finding.why,
        finding.note,
    )


def _joined(group: Group, finding: Finding) -> Group:
    calls = dict(group.calls)
    for arch, mask in finding.calls.items():
        calls[arch] = calls.get(arch, 0) | mask
    who = {
        name: joined_ranges((*values, *finding.who[name])) if name != "exe" else tuple({*values, *finding.who[name]})
        for name, values in group.who.items()
        if name in finding.who
    }
    anywhere = not group.places or not finding.places
    return replace(
        group,
        calls=calls,
        who={name: values for name, values in who.items() if values},
        places=() if anywhere else tuple(dict.fromkeys((*group.places, *finding.places))),
        inside=tuple(tree for tree in group.inside if tree in finding.inside),
        outside=tuple(tree for tree in group.outside if tree in finding.outside),
        a=_with(group.a, finding.a.winner),
        b=_with(group.b, finding.b.winner),
        witness=_simpler(group.witness, finding.witness),
    )


def _with(rules: tuple[Stored, ...], rule: Stored | None) -> tuple[Stored, ...]:
    return rules if rule is None or any(each is rule for each in rules) else (*rules, rule)


def _simpler(one: Witness | None, two: Witness | None) -> Witness | None:
    if one is None or two is None:
        return one or two
    return two if two.cost < one.cost else one
