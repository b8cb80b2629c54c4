"""Which requirements of a profile a rule set meets, whatever the spelling, merging and order of its rules."""

from __future__ import annotations

from auditlint.analysis.abi_gaps import live_calls
from auditlint.analysis.permission_masks import arch_takes_perm
from auditlint.analysis.profile_results import ProfileResult, RequirementState
from auditlint.analysis.rule_calls import machines_of, numbers
from auditlint.analysis.rule_pairs import before, names
from auditlint.auditctl import tables
from auditlint.core.frozen import dataclass, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from auditlint.analysis.profiles import Requirement
    from auditlint.auditctl.entries import Entry
    from auditlint.context.rules import RulesContext
    from auditlint.kernel.constraints import Constraints
    from auditlint.kernel.storage import Stored

_UID_MIN = 1000


@dataclass(frozen=True, slots=True)
class RequirementResult:
    """A requirement: the rules that record its events (`by`), lines that would record the missing ones (`absent`), the
    missing ones in words (`rest`), the `never` rules that surely drop some first, and whether the answer depends on
    something unknown."""

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


def requirement_results(context: RulesContext) -> list[RequirementResult]:
    """Every requirement of the profile that the settings name."""
    from auditlint.analysis.profiles import load, ways
    from auditlint.kernel.shadow import is_tree

    if context.settings.profile is None:
        return []
    profile = load(context.settings.profile)
    machines = machines_of(context.target)
    live = {machine.name: live_calls(machine.name, context.target) for machine in machines}
    uid_min = context.facts.uid_min or _UID_MIN
    watched = (field for rule, _ in context.with_field("dir") for field in rule.fields if field.name == "dir")
    trees = sorted({path for field in watched if is_tree(path := str(field.value).rstrip("/") or "/", context.facts)})
    # Whether /bin is a link is known where all paths are.
    how = arch_takes_perm(context), not context.facts.paths_complete
    results = []
    for requirement in profile.requirements:
        best = [_best(context, ways(event, machines, live, uid_min, trees, *how)) for event in requirement.events]
        parts = [part for part in best if part is not None]
        results.append(_joined(requirement, parts))
    return results


def _joined(requirement: Requirement, parts: Sequence[RequirementResult]) -> RequirementResult:
    return RequirementResult(
        requirement,
        tuple(sorted({stored for part in parts for stored in part.by}, key=lambda stored: stored.index)),
        tuple(line for part in parts for line in part.absent),
        tuple(text for part in parts for text in part.rest),
        tuple(sorted({stored for part in parts for stored in part.nevers}, key=lambda stored: stored.index)),
        any(part.unknown for part in parts),
        not parts,
    )


def _best(context: RulesContext, spellings: Sequence[Sequence[str]]) -> RequirementResult | None:
    """The spelling under which most of an event is recorded; None when the target cannot have the event."""
    from auditlint.analysis.profiles import Requirement

    nothing = Requirement("", "", ())
    results = [_joined(nothing, [_line(context, line) for line in lines]) for lines in spellings if lines]
    sizes = [len(lines) for lines in spellings if lines]
    # Messages show the first spelling: when nothing is recorded, it is the one to add.
    best = min(
        zip(results, sizes, strict=True),
        key=lambda pair: (len(pair[0].absent) / pair[1], not pair[0].by, len(pair[0].nevers), pair[0].unknown),
        default=None,
    )
    return None if best is None else best[0]


def _line(context: RulesContext, line: str) -> RequirementResult:
    """How much of what one line would record the rules record."""
    from auditlint.analysis.profiles import Requirement
    from auditlint.analysis.trial_parse import reread
    from auditlint.kernel.constraints import meaning
    from auditlint.kernel.storage import store_rules

    nothing = Requirement("", "", ())
    reading = reread(context, line.encode())
    rule = reading.line.rule
    if reading.kind is not None or rule is None:
        return RequirementResult(nothing, absent=(line,), rest=(line,))
    wanted = store_rules([rule], context.target, context.facts).rules[0]
    constraints = meaning(wanted, context.algebra.world)
    recorders = context.coverage.recorders(constraints)
    if recorders is None:
        return RequirementResult(nothing, unknown=True)
    left, by = recorders
    nevers, unknown = _dropped_first(context, constraints, by)
    rest = () if not left else (f"{line} (recorded except {_words(context, left)})" if by else line,)
    return RequirementResult(nothing, by, (line,) if left else (), rest, nevers, unknown)


def _dropped_first(context: RulesContext, wanted: Constraints, by: Sequence[Stored]) -> tuple[tuple[Stored, ...], bool]:
    """The `never` rules before a recorder that surely match some of the events; whether others may."""
    from auditlint.kernel.constraints import join
    from auditlint.kernel.satisfy import satisfiable

    algebra = context.algebra
    nevers = []
    unknown = False
    for never in context.storage.rules:
        if never.rule.action != "never" or never.rule.list != "exit":
            continue
        theirs = algebra.meaning(never)
        for recorder in by:
            if not before(never, recorder):
                continue
            share = algebra.meaning(recorder).selection
            part = {arch: mask & share.get(arch, 0) for arch, mask in wanted.selection.items()}
            answer = satisfiable(join(replace(wanted, selection=part), theirs))
            if answer:
                nevers.append(never)
                break
            unknown |= answer is None and not (wanted.places and theirs.places)
    return tuple(nevers), unknown


def _words(context: RulesContext, left: dict[int, int]) -> str:
    """The calls that are left, by ABI."""
    parts = []
    for machine in machines_of(context.target):
        mask = left.get(machine.elf, 0)
        known = tables.call_names(machine.name, context.target.auditctl)
        calls = [known[number] for number in numbers(mask) if number in known]
        if calls:
            parts.append(f"{', '.join(calls[:8])}{' and more' if len(calls) > 8 else ''} of b{machine.bits}")
    return "; ".join(parts) or "some calls"


def note(context: RulesContext) -> str:
    """The profile in one line: how many requirements are met, and what prevents the others."""
    checked = [result for result in context.get(requirement_results) if not result.void]
    met = [result for result in checked if result.met]
    undecided = [result for result in checked if result.unknown and not result.absent and not result.nevers]
    broken = [result for result in checked if result.nevers and not result.absent]
    text = f"profile {context.settings.profile}: {len(met)} of {len(checked)} requirements are met"
    if broken:
        nevers = tuple(dict.fromkeys(never for result in broken for never in result.nevers))
        text += f"; {len(broken)} more would be without {names(context, nevers)}"
    if undecided:
        ids = ", ".join(result.requirement.id for result in undecided)
        text += f"; {len(undecided)} could not be decided ({ids})"
    return text


def outcome(context: RulesContext) -> ProfileResult:
    """The answer to each requirement, for reports."""
    from auditlint.analysis.profiles import load

    name = context.settings.profile or ""
    met, unmet = [], []
    for result in context.get(requirement_results):
        wanted = result.requirement
        by = tuple((entry.at.source.path, entry.at.line) for entry in _entries(result.by))
        nevers = tuple((entry.at.source.path, entry.at.line) for entry in _entries(result.nevers))
        if result.met:
            met.append(RequirementState(wanted.id, wanted.title, "met", by))
        elif not result.void:
            state = (
                "broken" if result.nevers else "unknown" if not result.absent else "partly" if result.by else "missing"
            )
            lines = tuple(f"{line} -k {wanted.id}" for line in result.absent)
            unmet.append(RequirementState(wanted.id, wanted.title, state, by, lines, nevers))
    return ProfileResult(name, tuple(met), tuple(unmet), load(name).not_judged)


def _entries(rules: Sequence[Stored]) -> list[Entry]:
    return [stored.entry for stored in rules if stored.entry is not None]
