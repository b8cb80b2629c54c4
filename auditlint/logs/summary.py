"""The answer of `replay` as data: what `--format json` writes, and what the text and the HTML are made of."""

from __future__ import annotations

from auditlint.auditctl.render import shown
from auditlint.core.escaping import plain

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any

    from auditlint.kernel.storage import Storage, Stored
    from auditlint.logs.replayer import Question
    from auditlint.logs.tally import Table, Tally

TOP_PROGRAMS = 5
MOST_COLUMNS = 120
MOST_BANDS = 10
UNSET = 4294967295


def per_second(events: int, seconds: float) -> float:
    return round(events / seconds, 3) if seconds else 0.0


def summary(tally: Tally, question: Question, tables: Sequence[str], top: int) -> dict[str, Any]:
    """Everything that is known, without what the command adds (names of files, target, proposals)."""
    seconds = duration(tally)
    rules = question.rules
    answer: dict[str, Any] = {"log": _log(tally, seconds)}
    answer["rules"] = _rules(tally, rules, seconds) if rules is not None else []
    answer["without_rule"] = _by_slot(tally, "without")
    answer["not_known"] = _by_slot(tally, "unknown")
    answer["ambiguous"] = _ambiguous(tally, rules) if rules is not None else []
    if rules is not None:
        answer["agreement"] = _agreement(tally, rules)
    else:
        answer["agreement"] = {}
    answer["series"] = _series(tally, rules)
    answer["tables"] = {name: _table(tally, name, top) for name in tables if name != "rule"}
    if question.others:
        answer["with"] = [_alternate(tally, number, question) for number in range(len(question.others))]
    return answer


def duration(tally: Tally) -> float:
    """Seconds from the first to the last event, at least one second."""
    if tally.first is None or tally.last is None:
        return 0.0
    return max(1.0, (tally.last - tally.first) / 1000)


def _log(tally: Tally, seconds: float) -> dict[str, Any]:
    numbers = sum(high - low + 1 for serials in tally.serials.values() for low, high, _ in serials.segments)
    boots = sum(len(serials.segments) for serials in tally.serials.values())
    busiest = max((sum(counts.values()) for counts in tally.series.columns.values()), default=0)
    return {
        "events": tally.events,
        "records": tally.records,
        "bytes": tally.bytes,
        "first": None if tally.first is None else tally.first / 1000,
        "last": None if tally.last is None else tally.last / 1000,
        "seconds": round(seconds, 3),
        "per_second": per_second(tally.events, seconds),
        "bytes_per_second": per_second(tally.bytes, seconds),
        "peak": busiest,
        "peak_seconds": tally.series.width,
        "gaps": {
            "missing": sum(serials.missing for serials in tally.serials.values()),
            "of": numbers,
            "restarts": max(0, boots - len(tally.serials)),
        },
        "lost": {"reports": tally.counts.get("lost_reports", 0), "records": tally.lost},
        "skipped": [
            {"reason": reason, "lines": lines, "bytes": size}
            for reason, (lines, size) in sorted(tally.skipped.items(), key=lambda row: (-row[1][0], row[0]))
        ],
    }


def _series(tally: Tally, rules: Storage | None) -> dict[str, Any]:
    """Events over time in at most 120 columns, by the nine busiest rules (or keys) and the others."""
    columns = tally.series.columns
    if not columns:
        return {"seconds": 0, "names": [], "columns": []}
    first, last = min(columns), max(columns)
    factor = -(-(last - first + 1) // MOST_COLUMNS)
    totals: dict[Any, int] = {}
    merged: dict[int, dict[Any, int]] = {}
    for number, counts in columns.items():
        column = merged.setdefault((number - first) // factor, {})
        for slot, events in counts.items():
            totals[slot] = totals.get(slot, 0) + events
            column[slot] = column.get(slot, 0) + events
    shown_slots = sorted(totals, key=lambda slot: (-totals[slot], repr(slot)))[: MOST_BANDS - 1]
    by_index = {} if rules is None else {stored.index: stored for stored in rules.rules}
    rows = []
    for number in range((last - first) // factor + 1):
        column = merged.get(number, {})
        bands = [column.get(slot, 0) for slot in shown_slots]
        time = (first + number * factor) * tally.series.width
        rows.append({"time": time, "events": [*bands, sum(column.values()) - sum(bands)]})
    names = [_slot_name(slot, by_index) for slot in shown_slots]
    return {"seconds": factor * tally.series.width, "names": [*names, "others"], "columns": rows}


def _slot_name(slot: Any, by_index: dict[int, Stored]) -> str:
    kind, value = slot
    if kind == "rule":
        place = rule_place(by_index[value])
        return f"{place['file']}:{place['line']}"
    if kind == "either":
        return "one of several rules"
    return plain(str(value)) if value is not None else "(no key)"


def rule_place(stored: Stored) -> dict[str, Any]:
    """File, line, key and text of a rule."""
    entry = stored.entry
    if entry is None:
        return {"file": None, "line": None, "key": None, "text": ""}
    source = entry.at.source
    key = stored.rule.key
    return {
        "file": shown(source.path),
        "line": source.line_of(entry.at.span[0]),
        "key": None if key is None else plain(key).replace("\x01", ","),
        "text": plain(source.text(entry.at.span)).strip(),
    }


def _rules(tally: Tally, rules: Storage, seconds: float) -> list[dict[str, Any]]:
    """The rules that recorded something, the one with the most bytes first, then the silent ones in load order."""
    by_index = {stored.index: stored for stored in rules.rules}
    counted = {slot[1]: row for slot, row in tally.tables["rule"].rows.items() if slot[0] == "rule"}
    total = tally.bytes or 1
    rows = []
    programs = _programs(tally)
    order = sorted(counted, key=lambda index: (-counted[index][1], index))
    order += [stored.index for stored in rules.rules if stored.index not in counted and stored.rule.action == "always"]
    for index in order:
        events, size = counted.get(index, (0, 0))
        row = rule_place(by_index[index])
        row |= {
            "events": events,
            "bytes": size,
            "share": round(size / total, 4),
            "per_second": per_second(events, seconds),
            "peak": tally.series.peaks.get(("rule", index), 0),
            "programs": programs.get(("rule", index), [])[:TOP_PROGRAMS],
        }
        rows.append(row)
    return rows


def _programs(tally: Tally) -> dict[object, list[dict[str, Any]]]:
    """For each slot the programs with their login ids, the busiest first, and the commands of each."""
    from auditlint.logs.tally import Table

    both: dict[object, Table] = {}
    commands: dict[object, Table] = {}
    for label, (events, size) in tally.joint.rows.items():
        slot, _, exe, comm, auid, *_ = label
        both.setdefault(slot, Table()).add((exe, auid), events, size)
        commands.setdefault((slot, exe, auid), Table()).add(comm, events, size)
    found: dict[object, list[dict[str, Any]]] = {}
    for slot, table in both.items():
        for label, (events, size) in table.ranked()[:TOP_PROGRAMS]:
            exe, auid = label
            names = commands[slot, exe, auid].ranked()[:3]
            found.setdefault(slot, []).append(
                {
                    "exe": None if exe is None else plain(exe),
                    "auid": auid_text(auid),
                    "events": events,
                    "bytes": size,
                    "comm": [{"value": plain(str(name)), "events": row[0]} for name, row in names if name is not None],
                }
            )
    return found


def auid_text(auid: object) -> str | int | None:
    return "unset" if auid == UNSET else auid  # type: ignore[return-value]


def _by_slot(tally: Tally, kind: str) -> dict[str, dict[str, int]]:
    return {
        plain(str(slot[1])): {"events": events, "bytes": size}
        for slot, (events, size) in tally.tables["rule"].ranked()
        if slot[0] == kind
    }


def _ambiguous(tally: Tally, rules: Storage) -> list[dict[str, Any]]:
    """Events that one of several rules recorded, and the log does not say which."""
    by_index = {stored.index: stored for stored in rules.rules}
    found = []
    for slot, (events, size) in tally.tables["rule"].ranked():
        if slot[0] == "either":
            places = [rule_place(by_index[index]) for index in slot[1]]
            lines = [{"file": place["file"], "line": place["line"]} for place in places]
            found.append({"lines": lines, "events": events, "bytes": size})
    return found


def _agreement(tally: Tally, rules: Storage) -> dict[str, Any]:
    """Whether the log was recorded by these rules: events, and the loads that the log shows."""
    from auditlint.logs.replayer import CONTRADICTION, LOADING

    counts = tally.counts
    unknown = _by_slot(tally, "unknown")
    differs = unknown.get(CONTRADICTION, {"events": 0})["events"]
    loading = unknown.get(LOADING, {"events": 0})["events"]
    others = sum(row["events"] for row in unknown.values()) - differs - loading
    by_rules, by_key = counts.get("by_rules", 0), counts.get("by_key", 0)
    added = counts.get("added", 0)
    wanted: dict[str, int] = {}
    for stored in rules.rules:
        wanted[stored.rule.key or ""] = wanted.get(stored.rule.key or "", 0) + 1
    times = added // len(rules.rules) if rules.rules else 0
    same = bool(added) and tally.load_keys == {key: number * times for key, number in wanted.items()}
    return {
        "recorded_calls": by_rules + by_key + differs + loading + others,
        "as_recorded": by_rules,
        "by_key": by_key,
        "not_known": others,
        "before_load": loading,
        "differs": differs,
        "examples": [plain(text) for text in tally.examples.get("differs", [])],
        "load": {
            "rules": len(rules.rules),
            "added": added,
            "removed": counts.get("removed", 0),
            "refused": counts.get("refused", 0),
            "same": same if added else None,
        },
    }


def _table(tally: Tally, name: str, top: int) -> dict[str, Any]:
    if name == "path":
        from auditlint.logs.tally import Table

        table = Table()
        for label, (events, size) in tally.paths.rows.items():
            table.add(label[1], events, size)
        table.rest = tally.paths.rest
    else:
        table = tally.tables[name]
    return {"rows": _rows(table, name, top), "values": len(table.rows), "rest": table.rest[0]}


def _rows(table: Table, name: str, top: int) -> list[dict[str, Any]]:
    rows = []
    for label, (events, size) in table.ranked()[:top]:
        value = auid_text(label) if name == "auid" else plain(str(label))
        row = {"value": value, "events": events}
        if name != "path":
            row["bytes"] = size
        rows.append(row)
    return rows


def _alternate(tally: Tally, number: int, question: Question) -> dict[str, Any]:
    """What another rule set makes of the recorded events, in all and by rule."""
    totals: dict[str, list[int]] = {name: [0, 0] for name in ("kept", "renamed", "lost", "not_known")}
    by_rule: dict[Any, dict[str, list[int]]] = {}
    for label, (events, size) in tally.alternates[number].rows.items():
        slot, (kind, _) = label
        name = "not_known" if kind == "unknown" else kind
        for rows in (totals, by_rule.setdefault(slot, {key: [0, 0] for key in totals})):
            rows[name][0] += events
            rows[name][1] += size
    assert question.rules is not None
    stored = {each.index: each for each in question.rules.rules}
    rules = []
    for slot, rows in sorted(
        by_rule.items(), key=lambda row: (-sum(pair[1] for pair in row[1].values()), repr(row[0]))
    ):
        if slot[0] == "rule":
            rules.append(rule_place(stored[slot[1]]) | _pairs(rows))
    return _pairs(totals) | {"rules": rules}


def _pairs(rows: dict[str, list[int]]) -> dict[str, Any]:
    return {name: {"events": events, "bytes": size} for name, (events, size) in rows.items()}
