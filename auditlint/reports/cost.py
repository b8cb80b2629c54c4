"""The pricing as text for people and as data for machines: pure functions of a result."""

from __future__ import annotations

from auditlint.auditctl.render import shown
from auditlint.core.target import target_record
from auditlint.cost.prices import unmeasured
from auditlint.kernel.storage import EXIT, HASH

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from auditlint.auditctl.entries import Entry
    from auditlint.core.findings import Hit
    from auditlint.cost.model import Cost, RuleCost
    from auditlint.cost.prices import Prices
    from auditlint.cost.workload import WorkloadCost
    from auditlint.kernel.event import Tristate
    from auditlint.kernel.storage import Stored
    from auditlint.lint.registry import Check
    from auditlint.load.program import Program

MOST_LINES = 10
MOST_ADVICE = 5
_WIDEST_RULE = 100


def unloaded(program: Program) -> list[tuple[Entry, str]]:
    """The rule lines that are not in the kernel after the load, each with the reason."""
    found = []
    for entry in program.entries:
        if entry.lost and (entry.rule is not None or entry.verdict == "error"):
            found.append((entry, "never reached"))
        elif entry.verdict == "error":
            found.append((entry, entry.problem.message if entry.problem is not None else "refused"))
    return found


def place(entry: Entry) -> tuple[str, int]:
    """File and 1-based line of an entry."""
    return shown(entry.at.source.path), entry.at.line


def to_json(cost: Cost, path: str, program: Program, sources: Sequence[str]) -> dict[str, Any]:
    """The object of `cost --format json` (docs/interfaces.md)."""
    return {
        "version": 1,
        "path": path,
        "target": target_record(cost.target),
        "actor": cost.actor.name,
        "unit": "instructions",
        "operations": [
            {
                "name": each.name,
                "base": each.base,
                "no_rules": each.no_rules,
                "overhead": each.overhead,
                "low": each.low,
                "high": each.high,
                "percent": each.percent,
                "logged": each.logged,
                "parts": [
                    {"what": part.what, "amount": part.amount} | ({} if part.rules is None else {"rules": part.rules})
                    for part in each.parts
                ],
                "not_known": list(each.not_known),
            }
            for each in cost.operations
        ],
        "rules": [_rule(each) for each in cost.rules],
        "not_loaded": [
            {"file": place(entry)[0], "line": place(entry)[1], "reason": reason} for entry, reason in unloaded(program)
        ],
        "remarks": list(cost.remarks),
        "sources": list(sources),
    }


def workload_json(found: WorkloadCost, path: str) -> dict[str, Any]:
    """What `--workload` adds to the object."""
    return {
        "file": path,
        "calls": found.calls,
        "overhead": found.overhead,
        "low": found.low,
        "high": found.high,
        "syscalls": [
            {
                "name": each.name,
                "calls": each.calls,
                "errors": each.errors,
                "each": each.each,
                "overhead": each.total,
                "low": each.low,
                "high": each.high,
                "logged": each.logged,
                "not_known": list(each.not_known),
            }
            for each in found.syscalls
        ],
        "rules": [
            _where(stored) | {"amount": amount, "share": _share(amount, found.overhead)}
            for stored, amount in found.rules
        ],
        "without_rule": found.fixed,
        "not_known": list(found.not_known),
        "remarks": list(found.remarks),
    }


def _where(stored: Stored) -> dict[str, Any]:
    if stored.entry is None:
        return {"file": None, "line": None, "storage": stored.place}
    path, line = place(stored.entry)
    return {"file": path, "line": line, "storage": stored.place}


def _rule(cost: RuleCost) -> dict[str, Any]:
    return _where(cost.stored) | {"amount": dict(cost.amount)}


def _share(amount: float, whole: float) -> float:
    return round(100 * amount / whole, 1) if whole else 0.0


def head(cost: Cost, prices: Prices, path: str, program: Program) -> list[str]:
    """What was priced, for what, and what of it does not load."""
    target = cost.target
    run = program.run
    loaded = len(program.loaded)
    others = sum(rule.entry.at.source not in program.sources for rule in program.loaded)
    facts = f", {others} of them from the facts (kernel.rules)" if others else ""
    lines = [
        f"{path}: {loaded} {_plural(loaded, 'rule')} in the kernel{facts}",
        f"target: kernel {target.kernel}, {target.machine}, auditctl {target.auditctl}; "
        f"actor {cost.actor.name} ({cost.actor.what})",
        f"unit: instructions per operation, measured on Linux {prices.version} (auditlint cost --sources)",
    ]
    lost = unloaded(program)
    if run.refused is not None:
        lines.append(f"not loaded: the whole file: {run.refused.message}")
    elif lost:
        lines.append(f"priced as it loads, without {len(lost)} {_plural(len(lost), 'line')}:")
        for entry, reason in lost[:MOST_LINES]:
            file, number = place(entry)
            lines.append(f"  {file}:{number}: {reason}")
        if len(lost) > MOST_LINES:
            lines.append(f"  and {len(lost) - MOST_LINES} more")
    lines += [f"note: {remark}" for remark in cost.remarks]
    return lines


def table(cost: Cost, prices: Prices) -> list[str]:
    """The operations: without audit, with audit and no rules, with these rules."""
    bases = prices.user_bases if cost.actor.uid else prices.bases
    rows = [("operation", "without audit", "no rules", "these rules", "from", "to", "factor", "")]
    for each in cost.operations:
        base = each.base or 0.0
        factor = f"{(base + each.overhead) / base:.2f}" if base else "-"
        high = "not known" if each.high is None else _number(base + each.high)
        mark = {True: "logged", None: "perhaps logged", False: ""}[each.logged]
        # That a whole machine was not measured is said once, in the notes.
        parts = [what for what in each.not_known if what != unmeasured(prices)]
        if parts:
            mark = (mark + "; " if mark else "") + "at least: not known are " + ", ".join(parts)
        cells = (_number(base), _number(bases[each.name].on), _number(base + each.overhead), _number(base + each.low))
        rows.append((each.name, *cells, high, factor, mark))
    return columns(rows)


def dearest(cost: Cost) -> list[str]:
    """The most expensive lines, with what each costs on which operations."""
    ranked = sorted((each for each in cost.rules if each.total), key=lambda each: -each.total)[:MOST_LINES]
    if not ranked:
        return ["no line of its own adds anything to these operations"]
    number = len(ranked)
    lines = [f"the {_count(number)}most expensive {_plural(number, 'line')}, by the sum over these operations:"]
    for each in ranked:
        lines.append(f"  {_title(each.stored)}")
        lines += [f"      {text}" for text in spread(each.amount)]
    return lines


def spread(amounts: Mapping[str, float]) -> list[str]:
    """Equal amounts put together, the greatest first: `118 on open, chmod; 19 on all others`."""
    groups: dict[str, list[str]] = {}
    for name, amount in sorted(amounts.items(), key=lambda pair: -pair[1]):
        groups.setdefault(_number(amount), []).append(name)
    words = []
    for number, (text, names) in enumerate(groups.items()):
        if text == "0":
            words.append("nothing on all others" if number else "nothing")
        elif number and number == len(groups) - 1 and len(names) > 3:
            words.append(f"{text} on all others")
        elif not number and len(groups) == 1 and len(names) > 1:
            words.append(f"{text} on every operation")
        else:
            words.append(f"{text} on {', '.join(names)}")
    lines = [""]
    for word in words:
        if len(lines[-1]) + len(word) > _WIDEST_RULE and lines[-1]:
            lines.append("")
        lines[-1] += ("; " if lines[-1] else "") + word
    return lines


def advice_text(advice: Sequence[tuple[Check, Hit]], workload: bool, command: str) -> list[str]:
    """The advice that saves most, one line each. `command` gives all of it."""
    if not advice:
        return []
    where = "on the workload" if workload else "over all operations"
    lines = ["", f"what to change, the greatest saving {where} first (auditlint explain CODE):"]
    for check, hit in advice[:MOST_ADVICE]:
        source = hit.at.source
        whole = f" [{_number(hit.weight)} on the workload]" if workload and hit.weight else ""
        lines.append(f"  {source.path}:{hit.at.line}: {check.code} {hit.message}{whole}")
    if len(advice) > MOST_ADVICE:
        lines.append(f"  and {len(advice) - MOST_ADVICE} more: {command}")
    return lines


def advice_json(advice: Sequence[tuple[Check, Hit]]) -> list[dict[str, Any]]:
    """All advice as data; `saving` is summed over the measured operations, or over the calls of a workload."""
    return [
        {
            "code": check.code,
            "name": check.name,
            "file": shown(hit.at.source.path),
            "line": hit.at.line,
            "message": hit.message,
            "saving": round(hit.weight, 1),
            "saved": None if hit.saved is None else {name: round(amount, 1) for name, amount in hit.saved.items()},
        }
        for check, hit in advice
    ]


def workload_text(found: WorkloadCost, path: str, lost: int) -> list[str]:
    """The weighted cost of a program, and the share of each rule. `lost` lines of the rules did not load."""
    high = "not known" if found.high is None else _number(found.high)
    lines = [
        "",
        f"workload {path}: {_calls(found)}; audit adds {_number(found.overhead)} instructions "
        f"({_number(found.low)} to {high}), {_number(found.overhead / found.calls if found.calls else 0)} per call",
        *([f"note: priced as it loads, without {lost} {_plural(lost, 'line')} (named above)"] if lost else []),
        *_workload_notes(found),
    ]
    rows = [("system call", "calls", "errors", "each", "in all", "share", "")]
    for each in found.syscalls[:MOST_LINES]:
        mark = {True: "logged", None: "perhaps logged", False: ""}[each.logged]
        share = f"{_share(each.total, found.overhead)}%"
        cells = (_number(each.calls), _number(each.errors), _number(each.each), _number(each.total))
        rows.append((each.name, *cells, share, mark))
    lines += columns(rows)
    if len(found.syscalls) > MOST_LINES:
        rest = sum(each.total for each in found.syscalls[MOST_LINES:])
        more = len(found.syscalls) - MOST_LINES
        lines.append(f"and {more} more {_plural(more, 'system call')}: {_number(rest)}")
    lines.append(f"share of no single rule (fixed part, path names): {_share(found.fixed, found.overhead)}%")
    for stored, amount in found.rules[:MOST_LINES]:
        lines.append(f"{_share(amount, found.overhead):5.1f}%  {_title(stored)}")
    return lines


def _workload_notes(found: WorkloadCost) -> list[str]:
    return [
        *(f"note: not known, counted at the least it can be: {what}" for what in found.not_known),
        *(f"note: {remark}" for remark in found.remarks),
    ]


def comparison(first: Cost, second: Cost, names: tuple[str, str]) -> list[str]:
    """Two pricings side by side."""
    others = {each.name: each for each in second.operations}
    rows = [("operation", "A adds", "B adds", "difference", "B / A", "")]
    for each in first.operations:
        other = others[each.name]
        factor = f"{other.overhead / each.overhead:.2f}" if each.overhead else "-"
        rows.append(
            (
                each.name,
                _number(each.overhead),
                _number(other.overhead),
                f"{other.overhead - each.overhead:+,.0f}",
                factor,
                _compared_logs(each.logged, other.logged),
            )
        )
    return [f"A: {names[0]}", f"B: {names[1]}", "what audit adds, in instructions per operation:", *columns(rows)]


def workload_comparison(first: WorkloadCost, second: WorkloadCost, path: str) -> list[str]:
    """One program under two pricings, call by call."""
    others = _by_name(second)
    rows = [("system call", "calls", "A each", "B each", "difference in all", "B / A", "")]
    for name, (calls, amount, logged) in _by_name(first).items():
        _, other, other_logged = others[name]
        rows.append(
            (
                name,
                _number(calls),
                _number(amount / calls if calls else 0),
                _number(other / calls if calls else 0),
                f"{other - amount:+,.0f}",
                f"{other / amount:.2f}" if amount else "-",
                _compared_logs(logged, other_logged),
            )
        )
    more = len(rows) - 1 - MOST_LINES
    rest = []
    if more > 0:
        names = {row[0] for row in rows[: MOST_LINES + 1]}
        left = [each for each in first.syscalls if each.name not in names]
        change = sum(others[each.name][1] - each.total for each in left)
        rest = [f"and {more} more {_plural(more, 'system call')}: {change:+,.0f}"]
    factor = f", B / A {second.overhead / first.overhead:.2f}" if first.overhead else ""
    return [
        "",
        f"workload {path}: {_calls(first)}; A adds {_number(first.overhead)} instructions {_between(first)}, "
        f"B {_number(second.overhead)} {_between(second)}{factor}",
        *dict.fromkeys((*_workload_notes(first), *_workload_notes(second))),
        "instructions, per call and in all:",
        *columns(rows[: MOST_LINES + 1]),
        *rest,
    ]


def _calls(found: WorkloadCost) -> str:
    return f"{_number(found.calls)} {_plural(found.calls, 'system call')}"


def _between(found: WorkloadCost) -> str:
    return f"({_number(found.low)} to {'not known' if found.high is None else _number(found.high)})"


def _by_name(found: WorkloadCost) -> dict[str, tuple[int, float, Tristate]]:
    """Calls, instructions and whether they are logged; a summary may name a call more than once (a table a thread)."""
    sums: dict[str, tuple[int, float, Tristate]] = {}
    for each in found.syscalls:
        calls, amount, logged = sums.get(each.name, (0, 0.0, each.logged))
        sums[each.name] = (calls + each.calls, amount + each.total, logged if logged is each.logged else None)
    return sums


def _compared_logs(first: bool | None, second: bool | None) -> str:
    words = {True: "logged", False: "not logged", None: "perhaps logged"}
    if first is second:
        return "" if first is False else words[first]
    return f"{words[first]} in A, {words[second]} in B"


def columns(rows: Sequence[Sequence[str]]) -> list[str]:
    """Aligned columns: the first and the last to the left, the others to the right."""
    widths = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))]
    last = len(widths) - 1
    lines = []
    for row in rows:
        cells = [cell.ljust(widths[at]) if at in (0, last) else cell.rjust(widths[at]) for at, cell in enumerate(row)]
        lines.append("  ".join(cells).rstrip())
    return lines


def _title(stored: Stored) -> str:
    """Where a rule stands, the line as the user wrote it, and where the kernel keeps it."""
    entry = stored.entry
    if entry is None:
        return f"rule [{_storage(stored)}]"
    text = " ".join(entry.at.source.text(entry.at.span).split())
    safe = "".join(char if char.isprintable() else "?" for char in text)
    text = safe if len(safe) <= _WIDEST_RULE else safe[: _WIDEST_RULE - 3] + "..."
    path, line = place(entry)
    return f"{path}:{line}: {text} [{_storage(stored)}]"


def _storage(stored: Stored) -> str:
    if stored.place == EXIT and not ~stored.mask & ((1 << 300) - 1):
        return "exit list, every system call"
    if stored.place == HASH and stored.bucket is not None and stored.inode is None:
        return "inode hash, missing file"
    return stored.place


def _number(value: float) -> str:
    rounded = round(value) if abs(value) >= 100 or value == round(value) else round(value, 1)
    return f"{rounded:,}"


def _plural(number: int, word: str) -> str:
    return word if number == 1 else word + "s"


def _count(number: int) -> str:
    """Words in front of `most expensive`."""
    return "" if number == 1 else "ten " if number == MOST_LINES else f"{number} "
