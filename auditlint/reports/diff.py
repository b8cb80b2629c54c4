"""The answer of `diff` for people and programs: pure functions of a comparison to text and JSON (docs/diff.md)."""

from __future__ import annotations

from auditlint.auditctl.render import shown
from auditlint.compare import calls
from auditlint.compare.groups import groups
from auditlint.core.escaping import log_line
from auditlint.core.frozen import dataclass
from auditlint.core.target import target_record
from auditlint.kernel.acceptance import STORED_BITS
from auditlint.kernel.constraints import WORKER_ARCH
from auditlint.kernel.decision_trace import rule_name
from auditlint.kernel.event import U32, UNSET
from auditlint.kernel.syscall_classes import tables as class_tables
from auditlint.load.records import place_record
from auditlint.reports.decision import decision_record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence
    from typing import Any

    from auditlint.compare.findings import Comparison
    from auditlint.compare.groups import Group
    from auditlint.compare.settings import LoadChange, SettingChange
    from auditlint.compare.witness import Witness
    from auditlint.core.target import Target
    from auditlint.kernel.evaluate import Decision
    from auditlint.kernel.storage import Storage, Stored

MOST_GROUPS = 50
_MOST_NAMES = 8
_ERRORS = {1: "EPERM", 2: "ENOENT", 13: "EACCES"}
_SETTINGS = {
    "enabled": "-e",
    "failure": "-f",
    "rate_limit": "-r",
    "backlog_limit": "-b",
    "backlog_wait_time": "--backlog_wait_time",
    "loginuid_immutable": "--loginuid-immutable",
}
_KINDS = {
    "less": "B records less",
    "more": "B records more",
    "key": "another key",
    "records": "other records",
    "foreign": "records of other parts of the kernel",
    "own": "records of the kernel about its own rules",
}


@dataclass(frozen=True, slots=True)
class Side:
    """One rule set as the report names it."""

    path: str
    storage: Storage
    target: Target


@dataclass(frozen=True, slots=True)
class Result:
    """A comparison with all that is reported beside it. `question`: "same" or "at-least"."""

    a: Side
    b: Side
    comparison: Comparison
    question: str
    settings: tuple[SettingChange, ...] = ()
    loads: tuple[LoadChange, ...] = ()
    foreign: bool = False
    keys: str = "same"
    part: bool = False
    """Only a part of the events was compared (--only, --ignore)."""

    def counted(self) -> list[Group]:
        """The groups that count for the question."""
        kinds = ["less", "key", "records"] if self.question == "at-least" else ["less", "more", "key", "records"]
        if self.foreign:
            kinds.append("foreign")
        return [group for group in groups(self.comparison.findings) if group.kind in kinds]

    @property
    def verdict(self) -> str:
        """The answer to the question: "same" (for "at-least": yes), "different" or "unknown"."""
        counted = self.counted()
        settings = [change for change in self.settings if self.question == "same" or _switches_off(change)]
        if settings or any(group.certain for group in counted):
            return "different"
        return "unknown" if counted or self.comparison.unknown else "same"


def _switches_off(change: SettingChange) -> bool:
    return change.name == "enabled" and change.b == 0


def json_record(result: Result, events: bool = False) -> dict[str, Any]:
    """The whole answer as JSON (docs/diff.md)."""
    comparison = result.comparison
    return {
        "version": 1,
        "level": "keys",
        "question": result.question,
        "a": _side_record(result.a),
        "b": _side_record(result.b),
        "verdict": result.verdict,
        "at_least": comparison.at_least,
        "assumed": [shown(name) for name in comparison.assumed],
        "groups": [
            *(_group_record(result, group) for group in groups(comparison.findings)),
            *(
                {"kind": "settings", "certain": True, "name": change.name, "a": change.a, "b": change.b}
                for change in result.settings
            ),
            *(
                {
                    "kind": "load",
                    "certain": True,
                    "side": load.side,
                    "why": shown(load.why),
                    "at": shown(load.place),
                    "lost": load.lost,
                }
                for load in result.loads
            ),
        ],
        "unknown": [
            {"why": shown(each.why), "list": each.list, "calls": _calls_record(each.calls, result)}
            for each in comparison.unknown
        ],
        "limits": {
            "classes": comparison.classes,
            "compared": comparison.looked,
            "nodes": comparison.nodes,
            "stopped": bool(comparison.unknown),
        },
    }


def _side_record(side: Side) -> dict[str, Any]:
    target = side.target
    return {
        "path": shown(side.path),
        "rules": len(side.storage.rules),
        "target": target_record(target),
    }


def _group_record(result: Result, group: Group) -> dict[str, Any]:
    record: dict[str, Any] = {
        "kind": group.kind,
        "list": group.list,
        "certain": group.certain,
        "cause": group.cause,
        "calls": _calls_record(group.calls, result),
        "who": {
            name: [list(each) if isinstance(each, tuple) else each for each in values]
            for name, values in group.who.items()
        },
        "places": [{kind: value if isinstance(value, int) else shown(str(value))} for kind, value in group.places],
        "inside": [shown(tree) for tree in group.inside],
        "outside": [shown(tree) for tree in group.outside],
        "a": _rules_record(group.a),
        "b": _rules_record(group.b),
        "a_key": None if group.a_key is None else shown(group.a_key),
        "b_key": None if group.b_key is None else shown(group.b_key),
    }
    if group.note:
        record["note"] = shown(group.note)
    if group.why is not None:
        record["why"] = group.why
    if group.witness is not None:
        record["event"] = group.witness.event
        record["a_decision"] = decision_record(result.a.storage, None, group.witness.a)
        record["b_decision"] = decision_record(result.b.storage, None, group.witness.b)
    return record


def _rules_record(rules: Sequence[Stored]) -> list[dict[str, Any]]:
    return [place_record(rule.entry.at) if rule.entry is not None else {"rule": rule.index + 1} for rule in rules]


def _calls_record(masks: Mapping[int, int], result: Result) -> list[dict[str, Any]]:
    records = []
    for arch, mask in masks.items():
        known = calls.names(arch)
        numbers = list(calls.numbers(mask))
        records.append(
            {
                "abi": _bits(arch, result),
                "names": [known[number] for number in numbers if number in known],
                "numbers": numbers,
            }
        )
    return records


def _bits(arch: int, result: Result) -> int | str:
    tables = class_tables(result.a.target)
    if arch == tables.native.elf or (tables.compat is not None and arch == tables.compat.elf):
        return 64 if arch & 0x80000000 else 32
    return f"{arch:x}"


# -- text


def text_lines(result: Result, explain: bool = False) -> Iterator[str]:
    """The report for people."""
    for name, side in (("A", result.a), ("B", result.b)):
        yield log_line(f"{name}: {side.path}: {_count(len(side.storage.rules), 'rule')} in the kernel")
    if result.a.target == result.b.target:
        yield f"target: {target_text(result.a.target)}"
    else:
        yield f"target of A: {target_text(result.a.target)}"
        yield f"target of B: {target_text(result.b.target)}"
    for load in result.loads:
        yield log_line(
            f"{load.side.upper()}: the load stops at {load.place}: {load.why}; {_count(load.lost, 'line')} lost"
        )
    every = groups(result.comparison.findings)
    if every or result.settings:
        yield ""
    number = 0
    for group in every[:MOST_GROUPS]:
        if result.question == "at-least" and group.kind in ("more", "foreign", "own"):
            continue
        number += 1
        for line in group_lines(result, group, number, explain):
            yield log_line(line)
    for change in result.settings:
        number += 1
        yield log_line(f"{number}  setting {_setting(change)}")
    if len(every) > MOST_GROUPS:
        yield f"and {len(every) - MOST_GROUPS} more groups (--format json has all)"
    for line in _unknown_lines(result):
        yield log_line(line)
    yield ""
    for line in summary_lines(result):
        yield log_line(line)


def _setting(change: SettingChange) -> str:
    name = _SETTINGS.get(change.name, change.name)
    if change.name == "loginuid_immutable":
        return f"{name}: {'set by A only' if change.a else 'set by B only'}"
    values = ["not set" if value is None else str(value) for value in (change.a, change.b)]
    return f"{name}: {values[0]} in A, {values[1]} in B"


def _unknown_lines(result: Result) -> Iterator[str]:
    by_reason: dict[tuple[str, str], dict[int, int]] = {}
    for each in result.comparison.unknown:
        masks = by_reason.setdefault((each.why, each.list), {})
        for arch, mask in each.calls.items():
            masks[arch] = masks.get(arch, 0) | mask
    for (why, _), masks in by_reason.items():
        subject = f" for {calls_text(masks, result)}" if masks else ""
        yield f"not known{subject}: {why}"


def group_lines(result: Result, group: Group, number: int, explain: bool = False) -> Iterator[str]:
    """One group: what happens, because of which lines, and an example."""
    possible = "" if group.certain else "possible: "
    keys = ""
    if group.kind == "key":
        keys = f": {_key(group.a_key)} in A, {_key(group.b_key)} in B"
    elif group.kind == "more":
        keys = f", with key {group.b_key}" if group.b_key is not None else ", without a key"
    yield f"{number}  {possible}{_KINDS[group.kind]}: {region(result, group)}{keys}"
    for sign, rules in (("-", group.a), ("+", group.b)):
        shown_rules = rules[:6]
        for rule in shown_rules:
            yield f"     {sign} {rule_name(rule)}: {_text(rule)}"
        if len(rules) > len(shown_rules):
            yield f"     {sign} and {len(rules) - len(shown_rules)} more rules"
    if group.blamed is not None and group.cause in ("moved", "order", "target"):
        yield f"   {_cause(group)}"
    if group.witness is None:
        yield f"   not confirmed: {group.why}"
        return
    yield f"   for example {event_text(group.witness.event)}:"
    yield (f"     A {decision_text(group.witness.a)}; B {decision_text(group.witness.b)}")
    if explain:
        yield from _explained(result, group.witness)


def _cause(group: Group) -> str:
    assert group.blamed is not None
    name = rule_name(group.blamed)
    if group.cause == "moved":
        return f"{name} stands at another place on the other side"
    if group.cause == "target":
        return f"the targets read {name} differently"
    return f"another rule decides before {name}"


def _explained(result: Result, witness: Witness) -> Iterator[str]:
    from auditlint.kernel.event_json import event_from_json

    for name, side, decision in (("A", result.a, witness.a), ("B", result.b, witness.b)):
        event = event_from_json(witness.event, side.target, lambda call, arch: None)
        yield f"     {name}:"
        for step in decision_record(side.storage, event, decision)["steps"]:
            yield f"       {step}"


def region(result: Result, group: Group) -> str:
    """Which events: calls, places, who."""
    if group.note:
        return group.note
    words = [calls_text(group.calls, result, group.list)]
    if group.places:
        names = [str(value) if kind == "path" else f"inode {value}" for kind, value in group.places]
        words.append("of " + (listed(names) if len(names) <= 3 else f"{len(names)} watched files ({names[0]}, ...)"))
    if group.inside:
        words.append("in " + listed(list(group.inside[:3])) + ("" if len(group.inside) <= 3 else ", ..."))
    if group.outside and not group.inside:
        words.append("outside of " + listed(list(group.outside[:3])) + ("" if len(group.outside) <= 3 else ", ..."))
    text = " ".join(words)
    who = [part for name, values in group.who.items() if (part := _who(name, values))]
    return ", ".join([text, *who])


def _who(name: str, values: Sequence[object]) -> str:
    if name == "exe":
        return "program " + listed([str(value) for value in values[:4]])
    if name == "success":
        return "successful" if values == ((1, 1),) else "failing"
    parts = []
    ranges = [value for value in values if isinstance(value, tuple)]
    if len(ranges) == 2 and ranges[0][0] == 0 and ranges[1][1] == U32 and ranges[0][1] + 2 == ranges[1][0]:
        return f"{name} other than {_number(ranges[0][1] + 1)}"
    for low, high in ranges[:4]:
        if low == high:
            parts.append(_number(low))
        elif high >= U32 - 1 and low > 0:
            parts.append(f"{_number(low)} and up" + ("" if high == U32 - 1 or name != "auid" else " or unset"))
        elif low == 0 and high >= U32 - 1:
            return f"{name} set" if name == "auid" and high == U32 - 1 else ""
        else:
            parts.append(f"{_number(low)} to {_number(high)}")
    more = ", ..." if len(ranges) > 4 else ""
    return f"{name} {' or '.join(parts)}{more}"


def _number(value: int) -> str:
    if value == UNSET:
        return "unset"
    return str(value) if value < 1 << 31 else str(value - (1 << 32))


def calls_text(masks: Mapping[int, int], result: Result, name: str = "exit") -> str:
    """System calls by name, with the ABI where not all are meant."""
    compat = class_tables(result.a.target).compat
    texts: dict[str, list[int]] = {}
    for arch, mask in masks.items():
        texts.setdefault(_names(arch, mask), []).append(arch)
    parts = []
    for text, archs in texts.items():
        if name == "io_uring":
            parts.append(f"io_uring operations {text}")
        elif compat is not None and archs == [compat.elf]:
            parts.append(f"{text} of 32-bit programs")
        elif WORKER_ARCH in archs and len(archs) == 1:
            parts.append(f"{text} of io_uring workers")
        else:
            parts.append(text)
    return " and ".join(dict.fromkeys(parts))


def _names(arch: int, mask: int) -> str:
    if mask == STORED_BITS:
        return "every system call"
    known = calls.names(arch)
    ranked = calls.ranked(arch, mask)
    names = [known[number] for number in ranked if number in known]
    if not names:
        return f"system call {ranked[0]}" if len(ranked) == 1 else f"{len(ranked)} system calls without a name"
    if len(names) > _MOST_NAMES:
        return f"{', '.join(names[:4])} and {len(names) - 4} other system calls"
    return ", ".join(names)


def listed(names: Sequence[str]) -> str:
    """`a, b and c`."""
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def event_text(event: Mapping[str, Any]) -> str:
    """An event as a sentence would name it."""
    words = [str(event.get("name") or f"system call {event['nr']}")]
    things = [
        thing for thing in event["objects"] if thing["type"] != "PARENT" and thing["name"] != "/tmp/text-of-a-link"
    ]
    if words[0].startswith("execve") and len(things) == 2 and things[1]["name"].startswith("/tmp/x"):
        things = things[:1]  # the interpreter
    named = list(dict.fromkeys(str(thing["name"]) for thing in things))
    if named:
        words.append("of " + " and ".join(named[:2]))
    ids = event["ids"]
    words.append(f"by auid {_number(ids['auid'])}")
    others = [
        f"{name} {_number(value)}" for name, value in ids.items() if name != "auid" and value != 1000 and value < UNSET
    ]
    if others and len(others) <= 3:
        words.append(f"({', '.join(others)})")
    if event["exe"] != "/usr/bin/bash":
        words.append(f"with {event['exe']}")
    if event["abi"] == 32:
        words.append("in a 32-bit program")
    arguments = [f"a{at}=0x{value}" for at, value in enumerate(event["a"]) if value != "0"]
    if arguments:
        words.append(f"with {', '.join(arguments)}")
    if event["groups"]:
        words.append(f"in group {', '.join(map(str, event['groups']))}")
    if event["exit"] is None:
        words.append("that does not return")
    elif not event["success"]:
        words.append(f"that fails with {_ERRORS.get(-event['exit'], event['exit'])}")
    elif event["exit"]:
        words.append(f"that returns {event['exit']}")
    return " ".join(words)


def decision_text(decision: Decision) -> str:
    """What one side makes of an event."""
    by = f" ({rule_name(decision.by)})" if decision.by is not None else ""
    if decision.logged is None:
        return "may record it"
    if decision.logged:
        return f"records it {_with_key(decision.key)}{by}"
    if decision.by is not None:
        return f"does not record it{by}"
    return "does not record it (no rule matches)"


def _with_key(key: str | None) -> str:
    return "without a key" if key is None else f"with key {_key(key)}"


def _key(key: str | None) -> str:
    return "none" if key is None else " and ".join(key.split("\x01"))


def _text(rule: Stored) -> str:
    if rule.entry is None:
        return rule.rule.action
    line = rule.entry.line
    return " ".join(line.source.text(line.span).split())


def same_answer(result: Result) -> str:
    """Equal for answers that differ in nothing but the target."""
    import json

    record = json_record(result)
    for side in ("a", "b"):
        record[side].pop("target")
    record.pop("limits")
    return json.dumps(record, sort_keys=True)


def target_text(target: Target) -> str:
    """A target in a sentence."""
    return f"Linux {target.kernel}, {target.machine}, auditctl {target.auditctl}"


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def summary_lines(result: Result) -> Iterator[str]:
    """The verdict, what it assumes, and what was not counted."""
    comparison = result.comparison
    every = groups(comparison.findings)
    counts = {
        kind: sum(1 for group in every if group.kind == kind and group.certain)
        for kind in ("less", "more", "key", "records")
    }
    possible = sum(1 for group in every if not group.certain and group.kind in counts)
    verdict = result.verdict
    a, b = result.a.path, result.b.path
    if verdict == "same" and result.question == "at-least":
        yield f"at least: {b} records every event that {a} records{_KEYS_KEPT[result.keys][0]}. {_proved(result)}"
        if counts["more"]:
            yield f"more is recorded: {_count(counts['more'], 'group')} (listed without --at-least)"
    elif verdict == "same":
        yield f"same: {a} and {b} record the same events{_KEYS_KEPT[result.keys][1]}. {_proved(result)}"
    elif verdict == "unknown":
        yield "not known: no certain difference, but not everything could be decided"
    else:
        names = {"less": "less", "more": "more", "key": "another key", "records": "other records"}
        parts = [f"{names[kind]} {count}" for kind, count in counts.items() if count]
        if result.settings:
            parts.append(f"settings {len(result.settings)}")
        if possible:
            parts.append(f"possible {possible}")
        rest = "Everything else that was compared" if result.part else "Everything else"
        proved = "" if comparison.unknown or possible else f" {rest} is proved the same."
        yield f"different: {', '.join(parts)}; every certain one was confirmed.{proved}"
    if comparison.assumed:
        yield f"assumed: {'; '.join(_assumed_lines(comparison.assumed))}"
    elif verdict == "same":
        yield "assumed: nothing."
    foreign = [group for group in every if group.kind == "foreign"]
    if foreign and not result.foreign:
        yield (
            f"not counted: {_count(len(foreign), 'group')} in which only records of other parts of the kernel (AVC, "
            "SECCOMP, ANOM_*) differ (--foreign counts them)"
        )


_KEYS_KEPT = {
    "same": (", with the same key", " with the same keys"),
    "more": (", with its key and perhaps others", ", B with the keys of A and perhaps others"),
    "any": (", whatever the key", ", whatever the keys"),
}


def _proved(result: Result) -> str:
    return f"Proved for {'the events that were compared' if result.part else 'all events'}."


_ASSUMPTIONS = {
    "no-paths-in-other-calls": "calls of which no path object is known (ioctl, init_module, ...) touch no watched file",
    "trees-are-nested": "what lies in a watched directory lies in those around it, too (no mounts between)",
    "one-program-one-name": "spellings of one program (/bin/x, /usr/bin/x) are not both named",
}


def _assumption(name: str) -> str:
    return _ASSUMPTIONS.get(name, name)


def _assumed_lines(names: Sequence[str]) -> Iterator[str]:
    files = [name.partition(":")[2] for name in names if name.startswith("no-other-names:")]
    if files:
        more = f" and {len(files) - 6} other files" if len(files) > 6 else ""
        yield f"no other names (hard links, bind mounts) for {', '.join(files[:6])}{more}"
    for name in names:
        if not name.startswith("no-other-names:"):
            yield _assumption(name)
