"""Records of the reference data, reduced to what a reader without a kernel says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from auditlint.auditctl.model import Line
from auditlint.auditctl.parse import Reader
from auditlint.auditctl.render import rule_record
from auditlint.core.facts import Facts
from auditlint.core.target import Target

USERS = {"root": 0, "daemon": 1, "bin": 2, "sys": 3, "nobody": 65534}
GROUPS = {"root": 0, "daemon": 1, "bin": 2, "sys": 3, "adm": 4, "tty": 5, "disk": 6, "nogroup": 65534}
FACTS = Facts(users=USERS, groups=GROUPS)


def reader(auditctl: str, machine: str = "x86_64") -> Reader:
    return Reader(Target(kernel="none", machine=machine, auditctl=auditctl), FACTS)


def records(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def same_kind_of_path(rule: dict[str, Any] | None) -> dict[str, Any] | None:
    """A rule with the first field `dir` as `path`, which is the host's matter for -w."""
    if rule and rule["fields"] and rule["fields"][0][0] == "dir":
        rule = {**rule, "fields": [["path", *rule["fields"][0][1:]], *rule["fields"][1:]]}
    return rule


def of_line(line: Line) -> dict[str, Any]:
    """What the language says of a line, in the words of a record."""
    found: dict[str, Any] = {"kind": line.problem.kind if line.problem else None}
    if line.dropped:
        found["kind"] = "deprecated-possible"
    rule = next((request for request in line.requests if request.rule), None)
    found["rule"] = same_kind_of_path(rule_record(rule.rule)) if rule and rule.rule else None
    found["control"] = [request.control for request in line.requests if request.kind == "control"]
    found["signal"] = next((r.control["signal"] for r in line.requests if r.kind == "signal" and r.control), None)
    if line.problem or line.dropped:
        found["verdict"] = "error" if line.problem else "dropped"
    elif rule:
        found["verdict"] = "rule" if rule.kind == "add" else "delete"
    elif any(r.kind in ("control", "signal", "list", "delete-all") for r in line.requests):
        found["verdict"] = "control"
    else:
        found["verdict"] = "none"
    return found


def of_record(record: dict[str, Any], line: Line) -> dict[str, Any]:
    """The same of a record: what the kernel refused was in order for the language."""
    found: dict[str, Any] = {"kind": record.get("kind"), "verdict": record["verdict"]}
    if record["verdict"] == "rule":
        # a warning
        found["kind"] = None
    rule = record.get("rule")
    deletes_all = any(request.kind == "delete-all" for request in line.requests)
    found["rule"] = None if deletes_all else same_kind_of_path(rule)
    control = record.get("control") or []
    found["control"] = [{key: value for key, value in one.items() if key != "reply"} for one in control]
    found["signal"] = record.get("signal")
    if record.get("stage") == "kernel":
        found["kind"] = None
        deletes = any(request.kind == "delete" for request in line.requests)
        found["verdict"] = ("delete" if deletes else "rule") if rule else "control"
    elif deletes_all and record["verdict"] == "delete":
        found["verdict"] = "control"
    return found
