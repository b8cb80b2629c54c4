"""How far a rule set records what a profile wants, whatever the spelling, merging and order of its rules."""

from __future__ import annotations

from auditlint.analysis.abi_gaps import live_calls
from auditlint.analysis.permission_masks import arch_takes_perm
from auditlint.analysis.rule_calls import machines_of, numbers
from auditlint.analysis.rule_pairs import before, names
from auditlint.auditctl import tables
from auditlint.core.frozen import dataclass, replace
from auditlint.reports import Answer, Outcome

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from auditlint.analysis.profiles import Requirement
    from auditlint.context.rules import RulesSubject
    from auditlint.kernel.constraints import Meaning
    from auditlint.kernel.storage import Stored
    from auditlint.load.program import Entry

_UID_MIN = 1000


@dataclass(frozen=True, slots=True)
class Judged:
    """A requirement: the rules that record its events, lines that would record what is not, in words what is not, the
    `never` rules that surely take some first, and whether something rests on what is not known."""

    requirement: Requirement
    by: tuple[Stored, ...] = ()
    absent: tuple[str, ...] = ()
    rest: tuple[str, ...] = ()
    nevers: tuple[Stored, ...] = ()
    unknown: bool = False
    void: bool = False
    """The target has none of the calls."""

    @property
    def met(self) -> bool:
        return not (self.absent or self.nevers or self.unknown or self.void)


def judge(subject: RulesSubject) -> list[Judged]:
    """Every requirement of the profile that the settings name."""
    from auditlint.analysis.profiles import load, ways
    from auditlint.kernel.shadow import is_tree

    if subject.settings.profile is None:
        return []
    profile = load(subject.settings.profile)
    machines = machines_of(subject.target)
    live = {machine.name: live_calls(machine.name, subject.target) for machine in machines}
    uid_min = subject.facts.uid_min or _UID_MIN
    watched = (field for rule, _ in subject.with_field("dir") for field in rule.fields if field.name == "dir")
    trees = sorted({path for field in watched if is_tree(path := str(field.value).rstrip("/") or "/", subject.facts)})
    # Whether /bin is a link is known where all paths are.
    how = arch_takes_perm(subject), not subject.facts.paths_complete
    found = []
    for requirement in profile.requirements:
        best = [_best(subject, ways(event, machines, live, uid_min, trees, *how)) for event in requirement.events]
        parts = [part for part in best if part is not None]
        found.append(_joined(requirement, parts))
    return found


def _joined(requirement: Requirement, parts: Sequence[Judged]) -> Judged:
    return Judged(
        requirement,
        tuple(sorted({stored for part in parts for stored in part.by}, key=lambda stored: stored.index)),
        tuple(line for part in parts for line in part.absent),
        tuple(text for part in parts for text in part.rest),
        tuple(sorted({stored for part in parts for stored in part.nevers}, key=lambda stored: stored.index)),
        any(part.unknown for part in parts),
        not parts,
    )


def _best(subject: RulesSubject, each_way: Sequence[Sequence[str]]) -> Judged | None:
    """The way in which most of an event is recorded; None when the target cannot have the event."""
    from auditlint.analysis.profiles import Requirement

    nothing = Requirement("", "", ())
    found = [_joined(nothing, [_line(subject, line) for line in lines]) for lines in each_way if lines]
    sizes = [len(lines) for lines in each_way if lines]
    # The first way is how it is said to the user: nothing recorded in any way is nothing of that.
    best = min(
        zip(found, sizes, strict=True),
        key=lambda each: (len(each[0].absent) / each[1], not each[0].by, len(each[0].nevers), each[0].unknown),
        default=None,
    )
    return None if best is None else best[0]


def _line(subject: RulesSubject, line: str) -> Judged:
    """How far the rules record what one line would."""
    from auditlint.analysis.profiles import Requirement
    from auditlint.analysis.trial_parse import reread
    from auditlint.kernel.constraints import meaning
    from auditlint.kernel.storage import store_rules

    nothing = Requirement("", "", ())
    reading = reread(subject, line.encode())
    rule = reading.line.rule
    if reading.kind is not None or rule is None:
        return Judged(nothing, absent=(line,), rest=(line,))
    wanted = store_rules([rule], subject.target, subject.facts).rules[0]
    what = meaning(wanted, subject.algebra.world)
    known = subject.coverage.recorders(what)
    if known is None:
        return Judged(nothing, unknown=True)
    left, by = known
    nevers, unknown = _taken_first(subject, what, by)
    rest = () if not left else (f"{line} (recorded but for {_words(subject, left)})" if by else line,)
    return Judged(nothing, by, (line,) if left else (), rest, nevers, unknown)


def _taken_first(subject: RulesSubject, what: Meaning, by: Sequence[Stored]) -> tuple[tuple[Stored, ...], bool]:
    """The `never` rules in front of a recorder that surely match some of the events; whether others may."""
    from auditlint.kernel.constraints import join
    from auditlint.kernel.satisfy import satisfiable

    algebra = subject.algebra
    found = []
    unknown = False
    for never in subject.storage.rules:
        if never.rule.action != "never" or never.rule.list != "exit":
            continue
        theirs = algebra.meaning(never)
        for recorder in by:
            if not before(never, recorder):
                continue
            share = algebra.meaning(recorder).selection
            part = {arch: mask & share.get(arch, 0) for arch, mask in what.selection.items()}
            answer = satisfiable(join(replace(what, selection=part), theirs))
            if answer:
                found.append(never)
                break
            unknown |= answer is None and not (what.places and theirs.places)
    return tuple(found), unknown


def _words(subject: RulesSubject, left: dict[int, int]) -> str:
    """The calls that are left, by ABI."""
    parts = []
    for machine in machines_of(subject.target):
        mask = left.get(machine.elf, 0)
        known = tables.call_names(machine.name, subject.target.auditctl)
        calls = [known[number] for number in numbers(mask) if number in known]
        if calls:
            parts.append(f"{', '.join(calls[:8])}{' and more' if len(calls) > 8 else ''} of b{machine.bits}")
    return "; ".join(parts) or "some calls"


def note(subject: RulesSubject) -> str:
    """What the profile says in one line: how much is met, and what stands in the way of the rest."""
    judged = [each for each in subject.required if not each.void]
    met = [each for each in judged if each.met]
    unknown = [each.requirement.id for each in judged if each.unknown and not each.absent and not each.nevers]
    broken = [each for each in judged if each.nevers and not each.absent]
    text = f"profile {subject.settings.profile}: {len(met)} of {len(judged)} requirements are met"
    if broken:
        nevers = tuple(dict.fromkeys(never for each in broken for never in each.nevers))
        text += f", {len(broken)} more but for {names(subject, nevers)}"
    if unknown:
        text += f", of {len(unknown)} it is not known ({', '.join(unknown)})"
    return text


def outcome(subject: RulesSubject) -> Outcome:
    """The answer to each requirement, for reports."""
    from auditlint.analysis.profiles import load

    name = subject.settings.profile or ""
    met, unmet = [], []
    for each in subject.required:
        wanted = each.requirement
        by = tuple((entry.at.source.path, entry.at.source.line_of(entry.at.span[0])) for entry in _entries(each.by))
        nevers = tuple(
            (entry.at.source.path, entry.at.source.line_of(entry.at.span[0])) for entry in _entries(each.nevers)
        )
        if each.met:
            met.append(Answer(wanted.id, wanted.title, "met", by))
        elif not each.void:
            state = "broken" if each.nevers else "unknown" if not each.absent else "partly" if each.by else "missing"
            lines = tuple(f"{line} -k {wanted.id}" for line in each.absent)
            unmet.append(Answer(wanted.id, wanted.title, state, by, lines, nevers))
    return Outcome(name, tuple(met), tuple(unmet), load(name).not_judged)


def _entries(rules: Sequence[Stored]) -> list[Entry]:
    return [stored.entry for stored in rules if stored.entry is not None]
