"""The report for machines, in the form of docs/interfaces.md."""

from __future__ import annotations

from auditlint.core.escaping import json_parts, plain
from auditlint.core.target import OF_IMAGE, target_record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

    from auditlint.analysis.profile_results import ProfileResult
    from auditlint.core.findings import Finding
    from auditlint.core.source import Location
    from auditlint.lint.results import Result


def _place(at: Location) -> dict[str, Any]:
    line, column = at.source.position(at.span[0])
    end_line, end_column = at.source.position(at.span[1])
    return {
        "file": plain(at.source.path),
        "line": line,
        "column": column,
        "end_line": end_line,
        "end_column": end_column,
    }


def finding_record(finding: Finding) -> dict[str, Any]:
    """One finding as in `findings` of the report; edits are byte offsets."""
    record: dict[str, Any] = {
        "code": finding.code,
        "name": finding.name,
        "severity": finding.severity,
        "message": plain(finding.message),
        **_place(finding.at),
        "related": [{**_place(related), "message": plain(related.message)} for related in finding.related],
        "evidence": finding.evidence,
    }
    if finding.fix is not None:
        record["fix"] = {
            "level": finding.fix.level,
            "title": plain(finding.fix.title),
            "edits": [
                {
                    "file": plain(edit.source.path),
                    "start": edit.start,
                    "end": edit.end,
                    "text": edit.text.decode("utf-8", "backslashreplace"),
                }
                for edit in finding.fix.edits
            ],
        }
    return record


def _profile(outcome: ProfileResult) -> dict[str, Any]:
    """What came of a profile for one rule set."""

    def places(given: tuple[tuple[str, int], ...]) -> list[dict[str, Any]]:
        return [{"file": plain(path), "line": line} for path, line in given]

    return {
        "name": outcome.name,
        "path": plain(outcome.path),
        "met": [{"id": each.id, "title": each.title, "by": places(each.by)} for each in outcome.met],
        "unmet": [
            {
                "id": each.id,
                "title": each.title,
                "state": each.state,
                "by": places(each.by),
                "lines": list(each.lines),
                "never": places(each.nevers),
            }
            for each in outcome.unmet
        ],
        "not_judged": list(outcome.not_judged),
    }


def parts(result: Result) -> Iterator[str]:
    target = result.target
    report: dict[str, Any] = {
        "version": 1,
        "target": target_record(target),
        "findings": [],
        "inputs": [
            {
                "path": plain(each.path),
                "kind": each.kind,
                "kernel": each.kernel,
                "machine": each.machine,
                "arch": each.arch,
                "note": plain(each.note),
            }
            for each in result.inputs
        ],
        "notes": [plain(note) for note in result.notes],
        "summary": {
            "files": len(result.paths),
            "rules": result.rules,
            "errors": result.count("error"),
            "warnings": result.count("warning"),
            "advice": result.count("advice"),
            "suppressed": result.suppressed,
        },
    }
    if result.state is not None:
        from auditlint.analysis.system_state import state_record

        state = state_record(result.state, target.auditctl if target.source.auditctl.startswith(OF_IMAGE) else None)
        if state["rules"]["stopped_at"] is not None:
            state["rules"]["stopped_at"]["file"] = plain(state["rules"]["stopped_at"]["file"])
        report["state"] = state
    profiles = [_profile(outcome) for outcome in result.profiles]
    if len(profiles) == 1:
        report["profile"] = profiles[0]
    elif profiles:
        report["profiles"] = profiles
    return json_parts(report, "findings", map(finding_record, result.findings), 2)
