"""The answer of `replay` as text for people: a pure function of the data that JSON shows."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

_WIDEST = 100
_MOST_RULES = 15
_TITLES = {
    "key": "key",
    "exe": "program",
    "comm": "command",
    "auid": "login id",
    "call": "system call",
    "host": "host",
    "path": "path",
    "type": "record type",
}
_BAR = 10


def text(answer: dict[str, Any], tables: Sequence[str]) -> Iterator[str]:
    """The lines of the report."""
    log = answer["log"]
    yield from _head(log)
    if answer.get("rule_set") is not None:
        yield from _agreement(answer)
    for note in answer["assumed"]:
        yield f"assumed: {note}"
    yield ""
    yield from _rules(answer)
    for name in tables:
        if name in answer["tables"]:
            yield from _table(name, answer["tables"][name], log)
    for number, other in enumerate(answer.get("with", ())):
        yield ""
        yield from _other(other, number)
    yield from _proposals(answer)
    yield from _limits(answer)


def size(number: float) -> str:
    """Bytes for people: `2.7 MB`."""
    for unit in ("bytes", "kB", "MB", "GB"):
        if number < 1000 or unit == "GB":
            return f"{number:,.0f} {unit}" if unit == "bytes" else f"{number:,.1f} {unit}"
        number /= 1000
    return ""


def span(seconds: float) -> str:
    """A time for people: `47 s`, `3.2 h`."""
    if seconds < 120:
        return f"{seconds:.0f} s"
    if seconds < 7200:
        return f"{seconds / 60:.0f} min"
    return f"{seconds / 3600:.1f} h" if seconds < 172_800 else f"{seconds / 86_400:.1f} days"


def _head(log: dict[str, Any]) -> Iterator[str]:
    files = log["files"]
    name = files[0] if len(files) == 1 else f"{len(files)} logs"
    if not log["events"]:
        yield f"{name}: no audit records"
    else:
        width = "minute" if log["peak_seconds"] == 60 else span(log["peak_seconds"])
        rates = f"{log['per_second']:,.1f} events/s, {size(log['bytes_per_second'])}/s"
        yield (
            f"{name}: {log['events']:,} events, {log['records']:,} records, {size(log['bytes'])} "
            f"in {span(log['seconds'])}: {rates}, {log['peak']:,} in the busiest {width}"
        )
        gaps = log["gaps"]
        if gaps["missing"]:
            share = 100 * gaps["missing"] / gaps["of"]
            words = f"{gaps['missing']:,} of {gaps['of']:,} serial numbers are missing ({share:.1f} %)"
            yield f"{words}: events that are not in the log"
        else:
            yield "no serial number is missing"
        if gaps["restarts"]:
            yield f"the serial numbers began anew {gaps['restarts']} times"
    if log["lost"]["reports"]:
        lost = log["lost"]
        yield f"the kernel reported lost records {lost['reports']:,} times, {lost['records']:,} records in all"
    for row in log["skipped"]:
        yield f"skipped: {row['lines']:,} lines, {size(row['bytes'])} ({row['reason']})"


def _agreement(answer: dict[str, Any]) -> Iterator[str]:
    rules, agreement = answer["rule_set"], answer["agreement"]
    line = f"{rules['path']}: {rules['loaded']} of {rules['of']} rules load"
    load = agreement["load"]
    if load["added"]:
        same = "the same" if load["same"] else "NOT the same rules"
        line += f"; the log shows {load['added']} rules added: {same}"
    yield line
    calls = agreement["recorded_calls"]
    if not calls:
        return
    parts = [f"{agreement['as_recorded']:,} are decided by the rules as recorded"]
    for name, words in (
        ("by_key", "by the rules and the key in the log"),
        ("not_known", "not known"),
        ("before_load", "recorded while rules were being loaded"),
        ("differs", "recorded, though the rules say otherwise"),
    ):
        if agreement[name]:
            parts.append(f"{agreement[name]:,} {words}")
    yield f"of {calls:,} recorded calls " + ", ".join(parts)
    for example in agreement["examples"][:2]:
        yield f"  {example}"


def _rules(answer: dict[str, Any]) -> Iterator[str]:
    log = answer["log"]
    rows = [
        (row["events"], row["per_second"], row["bytes"], _rule(row), row) for row in answer["rules"] if row["events"]
    ]
    seconds = log["seconds"] or 1
    for kind, note in (("without_rule", "({}: no rule)"), ("not_known", "(not known: {})")):
        for name, row in answer[kind].items():
            rows.append((row["events"], row["events"] / seconds, row["bytes"], note.format(name), None))
    for row in answer["ambiguous"]:
        lines = " or ".join(f"{place['file']}:{place['line']}" for place in row["lines"])
        rows.append((row["events"], row["events"] / seconds, row["bytes"], f"({lines})", None))
    if not answer.get("rule_set"):
        return
    rows.sort(key=lambda row: -row[2])
    yield f"{'events':>9} {'/s':>8} {'bytes':>12} {'share':>6}  {'':{_BAR}}  rule"
    most = rows[0][2] if rows else 1
    for events, rate, number, words, row in rows[:_MOST_RULES]:
        share = number / (log["bytes"] or 1)
        bar = "#" * max(1, round(_BAR * number / (most or 1)))
        yield f"{events:9,} {rate:8,.2f} {number:12,} {share:6.1%}  {bar:{_BAR}}  {words}"
        if row is not None and row["programs"]:
            yield f"{'':{9 + 9 + 13 + 7 + _BAR + 4}}{_program(row)}"
    if len(rows) > _MOST_RULES:
        yield f"  and {len(rows) - _MOST_RULES} more"
    silent = sum(1 for row in answer["rules"] if not row["events"])
    if silent:
        yield f"{silent} rules recorded nothing in this log"


def _rule(row: dict[str, Any]) -> str:
    words = f"{row['file']}:{row['line']}"
    if row["key"]:
        words += f" {row['key']}"
    rest: str = row["text"]
    return words + "  " + (rest if len(rest) <= _WIDEST else rest[: _WIDEST - 3] + "...")


def _program(row: dict[str, Any]) -> str:
    top: dict[str, Any] = row["programs"][0]
    who = "without login" if top["auid"] == "unset" else f"login id {top['auid']}"
    words = f"{top['events'] / row['events']:.0%} {top['exe']} {who}"
    names = [f"{name['value']} {name['events']:,}" for name in top["comm"]]
    return words + (f" ({', '.join(names)})" if names else "")


def _table(name: str, table: dict[str, Any], log: dict[str, Any]) -> Iterator[str]:
    rows = table["rows"]
    if not rows:
        return
    yield ""
    yield f"{'events':>9} {'share':>6}  {_TITLES[name]}"
    for row in rows:
        share = row["events"] / (log["events"] or 1)
        yield f"{row['events']:9,} {share:6.1%}  {row['value']}"
    if table["values"] > len(rows):
        yield f"  and {table['values'] - len(rows):,} more"


def _other(other: dict[str, Any], number: int) -> Iterator[str]:
    name = other.get("name", f"rule set {number + 1}")
    parts = []
    for key, words in (("kept", "kept"), ("renamed", "another key"), ("lost", "lost"), ("not_known", "not known")):
        row = other[key]
        parts.append(f"{words} {row['events']:,} ({size(row['bytes'])})" if row["events"] else f"{words} 0")
    yield f"under {name}: " + ", ".join(parts)
    for row in other["rules"][:_MOST_RULES]:
        changes = [f"{key} {row[key]['events']:,}" for key in ("renamed", "lost", "not_known") if row[key]["events"]]
        if changes:
            yield f"  {', '.join(changes)} of {_rule(row)}"


def _proposals(answer: dict[str, Any]) -> Iterator[str]:
    if answer["proposals"] or answer["declined"]:
        yield ""
        yield "what would quiet it:" if answer["proposals"] else "no rule is proposed:"
    total = answer["log"]["bytes"] or 1
    for number, proposal in enumerate(answer["proposals"], 1):
        place = proposal["place"]["before"]
        yield f"{number}  {proposal['rule']}"
        share = f"{proposal['bytes'] / total:.0%}"
        yield f"   before {place['file']}:{place['line']}: takes {proposal['events']:,} events, {share}"
        also = ", ".join(f"{row['events']:,} of {row['file']}:{row['line']}" for row in proposal["also"])
        yield f"   of the bytes; also lost in this log: {also or 'nothing else'}"
        for words in proposal["silences"]["groups"][:4]:
            yield f"   no longer recorded: {words}"
        if len(proposal["silences"]["groups"]) > 4:
            yield f"   and {len(proposal['silences']['groups']) - 4} more groups"
        if proposal["price"] is not None:
            yield f"   costs {proposal['price']['amount']:g} instructions at each system call that no rule selects"
    for source in answer["declined"]:
        rule = source["rule"]
        place = f"{rule['file']}:{rule['line']}"
        yield f"-  {source['exe']} ({source['events']:,} events of {place}): no rule, because {source['why']}"


def _limits(answer: dict[str, Any]) -> Iterator[str]:
    yield ""
    if answer.get("with"):
        yield "a log cannot show what the other rules would record besides; auditlint diff says where they are wider"
    yield "a log holds only what was recorded: it says nothing about the calls that no rule selected"
