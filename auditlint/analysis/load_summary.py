"""What a refused line costs: where the plain run stops and which rules are lost with it. One wording for all checks."""

from __future__ import annotations

from auditlint.context.rules import at_line, at_span
from auditlint.core.findings import Hit
from auditlint.core.frozen import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from auditlint.auditctl.entries import Entry
    from auditlint.context.rules import RulesContext
    from auditlint.core.findings import Fix
    from auditlint.core.source import Location
    from auditlint.load.program import Program


@dataclass(frozen=True, slots=True)
class LoadSummary:
    """Outcome of the plain run in numbers of rule lines.

    `stop` is the line at which auditctl gives up, `rest` the number of rules that are lost with it (itself
    counted), `reached` the index of the first entry that is not reached.
    """

    rules: int
    loaded: int
    stop: Entry | None
    lost: int
    skipped: int


def is_rule_line(entry: Entry) -> bool:
    """Is the line meant to add a rule: it does, or it is refused and has a list or a watch?"""
    if entry.verdict == "rule":
        return True
    if entry.verdict not in ("error", "dropped"):
        return False
    return any(name in ("-a", "-A", "-w") for name in entry.line.option_names)


def summarize(program: Program) -> LoadSummary:
    """Counts of the plain run; one walk over the lines."""
    rules = loaded = lost = skipped = 0
    stop: Entry | None = None
    before: Entry | None = None
    for entry in program.entries:
        counts = is_rule_line(entry)
        rules += counts
        if entry.lost:
            stop = stop or before
            lost += counts
        elif counts and entry.verdict == "rule":
            loaded += 1
        elif counts:
            skipped += 1
        before = entry
    if stop is None and not program.run.read_to_end and before is not None and before.verdict == "error":
        stop = before
    if stop is not None and is_rule_line(stop):
        lost += 1
        skipped -= 1
    return LoadSummary(rules, loaded, stop, lost, skipped)


def load_summary(context: RulesContext) -> LoadSummary:
    """The same for a context, to be asked for with `context.get`."""
    return summarize(context.program)


def place(entry: Entry, program: Program) -> str:
    """`line 12`, or `20-b.rules:12` in a directory."""
    source = entry.at.source
    line = entry.at.line
    return f"{source.path}:{line}" if program.is_directory else f"line {line}"


def consequence(context: RulesContext, entry: Entry) -> str:
    """What happens because the line is refused, in words that follow `; `."""
    program, load = context.program, context.get(load_summary)
    if program.run.refused is not None:
        return "auditctl refuses the whole file anyway"
    if entry.lost and load.stop is not None:
        return f"auditctl has already stopped at {place(load.stop, program)}"
    thing = "rule" if is_rule_line(entry) else "line"
    if entry is not load.stop:
        return f"only this {thing} is lost"
    if load.lost == 0:
        return "auditctl stops here; no rule is lost"
    later = load.lost - is_rule_line(entry)
    if later == 0:
        return "auditctl stops here; only this rule is lost"
    if load.lost == load.rules:
        return f"auditctl stops here and loses {'the only rule' if load.rules == 1 else f'all {load.rules} rules'}"
    return f"auditctl stops here and loses {load.lost} of {load.rules} rules"


def closing_note(program: Program, load: LoadSummary | None = None) -> str | None:
    """`44 of 58 rules load; 14 lost from line 30 on`, or None when every rule loads."""
    load = load or summarize(program)
    if program.run.refused is not None:
        return f"none of {load.rules} rules load: {program.run.refused.message}" if load.rules else None
    if load.loaded == load.rules and load.stop is None:
        return None
    parts = [f"{load.loaded} of {load.rules} rules load"]
    if load.lost and load.stop is not None:
        parts.append(f"{load.lost} lost from {place(load.stop, program)} on")
    elif load.stop is not None:
        parts.append(f"the load stops at {place(load.stop, program)}")
    if load.skipped:
        parts.append(f"{load.skipped} refused and skipped")
    return "; ".join(parts)


def at_problem(entry: Entry, message: str = "") -> Location:
    """The guilty word, or the whole line when the line in the user's file is not the one auditctl reads."""
    problem = entry.problem
    start, end = entry.line.span
    if problem is None or not start <= problem.span[0] <= problem.span[1] <= end or problem.span == (start, end):
        return at_line(entry, message)
    if entry.at.span[1] - entry.at.span[0] != end - start:
        return at_line(entry, message)
    return at_span(entry, problem.span, message)


def refusal(
    context: RulesContext,
    entry: Entry,
    what: str,
    fix: Fix | None = None,
    at: Location | None = None,
    related: tuple[Location, ...] = (),
) -> Hit:
    """The hit for a refused line: what is wrong, and what that costs."""
    joint = " " if what.endswith("?") else "; "
    message = f"{what}{joint}{consequence(context, entry)}"
    return Hit(at or at_problem(entry), message, related, fix, severity="error")
