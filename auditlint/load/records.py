"""Judged programs and command lines in the form of the records of `parse` (docs/parse.md)."""

from __future__ import annotations

from auditlint.auditctl.model import ALL_SYSCALLS, PERM_A, PERM_R, PERM_W, PERM_X, UNSET
from auditlint.auditctl.render import call_numbers, rule_record, shown

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from typing import Any

    from auditlint.auditctl.entries import Entry
    from auditlint.auditctl.model import Field, Rule
    from auditlint.core.source import Location
    from auditlint.load.program import CommandResult, Program

_TELLING = ("key-illegal-character", "deprecated-possible")
"""Warnings that give an accepted line a `kind`."""


def program_records(program: Program, path: str) -> Iterator[dict[str, Any]]:
    """The `run` record, then one record for every line that auditctl gets to see when it goes on after errors."""
    file = shown(path)
    yield {"file": file, "run": run_record(program)}
    for entry in program.entries:
        record = {"file": file, "line": entry.line.number}
        if entry.line.part:
            record["part"] = entry.line.part
        record |= entry_record(entry)
        if program.is_directory:
            record["source"] = place_record(entry.at)
            if entry.parts:
                record["sources"] = [place_record(part) for part in entry.parts]
        yield record
        if entry.problem is not None and entry.problem.status is not None:
            return  # auditctl ends itself here


def run_record(program: Program) -> dict[str, Any]:
    """The outcome of the plain run."""
    run = program.run
    record: dict[str, Any] = {
        "exit": run.exit,
        "read_to_end": run.read_to_end,
        "last_line_read": run.last_line_read,
        "rules_loaded": run.rules_loaded,
        "rules_sent": run.rules_sent,
        "failed_lines": run.failed_lines,
    }
    if run.first_failed_line is not None:
        record["first_failed_line"] = run.first_failed_line
    if run.enabled is not None:
        record["enabled"] = run.enabled
    if run.refused is not None:
        record["refused"] = {"kind": run.refused.kind, "message": shown(run.refused.message)}
    record["exit_with_c"] = run.exit_with_c
    record["complete_with_c"] = run.complete_with_c
    return record


def entry_record(entry: Entry) -> dict[str, Any]:
    """What becomes of a line: verdict, rule, control, stage, kind and our messages; absent keys have nothing to say."""
    record: dict[str, Any] = {"verdict": entry.verdict}
    if entry.rule is not None:
        record["rule"] = rule_record(entry.rule)
    if entry.more:
        record["more"] = [rule_record(rule) for rule in entry.more]
    if entry.control:
        record["control"] = list(entry.control)
    if entry.lists_rules:
        record["lists_rules"] = True
    if entry.signal is not None:
        record["signal"] = entry.signal
    if entry.stage is not None:
        record["stage"] = entry.stage
    kinds = [warning.kind for warning in entry.line.warnings if warning.kind in _TELLING]
    if entry.problem is not None:
        kinds = [entry.problem.kind]
    if kinds:
        record["kind"] = kinds[0]
    messages = [warning.message for warning in entry.line.warnings]
    if entry.problem is not None:
        messages.append(entry.problem.message)
    if messages:
        record["messages"] = [shown(message) for message in messages]
    if entry.lost:
        record["lost"] = True
    return record


def answer_record(words: Sequence[str], answer: CommandResult) -> dict[str, Any]:
    """The record of a single command line. Only a refused one has a `kind`."""
    record: dict[str, Any] = {"argv": [shown(word) for word in words], "ok": answer.exit == 0, "exit": answer.exit}
    record |= {"rule": None, **entry_record(answer.entry)}
    if answer.entry.problem is None:
        record.pop("kind", None)
    return record


def place_record(place: Location) -> dict[str, Any]:
    """File and line of a place in the user's own files."""
    return {"file": shown(place.source.path), "line": place.line}


def rule_text(rule: Rule) -> str:
    """A rule in one line for people: list and action, system calls, fields with plain values."""
    calls = "all calls"
    if rule.mask != ALL_SYSCALLS:
        numbers = call_numbers(rule.mask)
        calls = f"{len(numbers)} call{'' if len(numbers) == 1 else 's'}" if numbers else "no calls"
    fields = [f"{field.name}{field.op}{_value(field)}" for field in rule.fields]
    return " ".join([f"{rule.list},{rule.action}", *(["(in front)"] if rule.prepend else []), f"[{calls}]", *fields])


def _value(field: Field) -> str:
    if field.name == "perm" and isinstance(field.value, int):
        return "".join(
            letter for bit, letter in ((PERM_R, "r"), (PERM_W, "w"), (PERM_X, "x"), (PERM_A, "a")) if field.value & bit
        )
    return "unset" if field.value == UNSET else shown(str(field.value))
