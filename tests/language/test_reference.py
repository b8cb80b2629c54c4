"""The reader against what real auditctl did: every record of the reference data that does not depend on the kernel."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from auditlint.auditctl.model import Line
from auditlint.auditctl.parse import Reader
from auditlint.auditctl.render import rule_record
from auditlint.core.source import Source
from tests.language.records import of_line, of_record, reader, records, same_kind_of_path

OPERATORS = ("=", "!=", "<", ">", "<=", ">=", "&", "&=")
VERSIONS = {
    "3.0.9": ("3.0.9", "x86_64"),
    "4.x": ("4.2", "x86_64"),
    "2.8.5": ("2.8.5", "x86_64"),
    "3.1.5": ("3.1.5", "x86_64"),
    "4.0.3": ("4.0.3", "x86_64"),
    "3.0.9/aarch64": ("3.0.9", "aarch64"),
    "4.x/aarch64": ("4.2", "aarch64"),
}
OLDER = ("2.8.5", "3.1.5", "3.0.9/aarch64")
RUN_ON_AARCH64 = ("list-action", "syscall", "arch", "perm-filetype", "key")
RECORDER_FAULT = "file-061"
"""Behind a NUL byte the recorder saw no line end; see the README of the corpus."""


@pytest.mark.parametrize(("name", "auditctl"), [("3.0.9", "3.0.9"), ("4.x", "4.2")])
def test_verdicts(shared: Path, name: str, auditctl: str) -> None:
    judge = reader(auditctl)
    files: dict[str, dict[tuple[int, int], Line]] = {}
    compared = 0
    for record in records(shared / "corpus" / f"verdicts-{name}.jsonl"):
        if "verdict" not in record:
            continue
        file = record["file"]
        if file not in files:
            data = (shared / "corpus" / "rules" / file).read_bytes()
            files[file] = {(line.number, line.part): line for line in judge.read(Source(file, data))}
        line = files[file].pop((record["line"], record.get("part", 0)))
        assert of_line(line) == of_record(record, line), (file, record["line"])
        compared += 1
    assert compared > 7000
    assert not any(files.values()), "lines that auditctl did not judge"


def edge_cases(shared: Path, version: str) -> Iterator[tuple[dict[str, Any], dict[str, Any]]]:
    """Every edge case with the answer of a version: the recorded one, or that of the version it was compared with."""
    more = {record["id"]: record["versions"] for record in records(shared / "corpus" / "edge-cases-more.jsonl")}
    for case in records(shared / "corpus" / "edge-cases.jsonl"):
        if "aarch64" in version and case["id"].rpartition("-")[0] not in RUN_ON_AARCH64:
            continue
        base = "3.0.9" if version in OLDER else "4.x"
        answers = {**case["versions"], **more.get(case["id"], {})}
        yield case, answers.get(version, answers[base])


@pytest.mark.parametrize("version", VERSIONS)
def test_edge_cases(shared: Path, version: str) -> None:
    judge = reader(*VERSIONS[version])
    compared = 0
    for case, answer in edge_cases(shared, version):
        if "argv" in case:
            line = judge.read_words(case["argv"])
            expected = of_record(answer, line)
            if answer["verdict"] == "dropped":
                expected["kind"] = "deprecated-possible"
            assert of_line(line) == expected, case["id"]
            compared += 1
            continue
        if case["id"] == RECORDER_FAULT:
            continue
        lines = {
            (line.number, line.part): line for line in judge.read(Source(case["id"], case["file"].encode("latin-1")))
        }
        for record in answer["lines"]:
            line = lines.pop((record["line"], record.get("part", 0)))
            assert of_line(line) == of_record(record, line), (case["id"], record["line"])
            compared += 1
    assert compared > (100 if "aarch64" in version else 500)


def test_runs_of_other_releases(shared: Path) -> None:
    judges = {version: reader(version) for version in ("2.8.5", "3.1.5", "4.0.3")}
    for record in records(shared / "corpus" / "runs-more.jsonl"):
        data = (shared / "corpus" / "rules" / record["file"]).read_bytes()
        lines = judges[record["version"]].read(Source(record["file"], data))
        found = [[line.number, line.problem.kind] for line in lines if line.problem]
        expected = [error for error in record["errors"] if not error[1].startswith("kernel-")]
        assert found == expected, (record["file"], record["version"])


def load(judge: Reader, text: str) -> dict[str, Any]:
    """What a kernel that acknowledges everything gets of a file, in the form of observed.jsonl."""
    errors: list[int] = []
    rules = []
    settings = []
    warned = ignores = continues = False
    status = 0
    for line in judge.read(Source("rules", text.encode("latin-1"))):
        warned = warned or any(warning.kind == "arch-mismatch" for warning in line.warnings)
        for request in line.requests:
            ignores = ignores or request.kind in ("ignore", "continue")
            continues = continues or request.kind == "continue"
            control = request.control or {}
            if control.get("type") == "SET":
                settings += [[key, value] for key, value in control.items() if key not in ("type", "lost")]
            if request.rule is not None:
                record = rule_record(request.rule)
                rules.append(
                    {
                        "op": request.kind,
                        "list": 0xFFFFFFFF if record["list"] == "0xffffffff" else record["list"],
                        "prepend": record.get("prepend", False),
                        "action": record["action"],
                        "fields": same_kind_of_path(record)["fields"],  # type: ignore[index]
                        "mask": record["syscalls"],
                    }
                )
        if line.problem:
            if line.problem.status is not None:
                status = line.problem.status
                break
            errors.append(line.number)
            if not ignores or continues:
                status = 1
            if not ignores:
                break
    return {
        "status": status,
        "error_lines": errors,
        "arch_warning": warned,
        "rules": rules,
        "settings": settings,
    }


@pytest.mark.parametrize(("key", "auditctl"), [("3.0.9", "3.0.9"), ("3.1.5", "3.1.5"), ("HEAD", "4.2")])
def test_observed(shared: Path, key: str, auditctl: str) -> None:
    judge = reader(auditctl)
    for record in records(shared / "spec" / "observed.jsonl"):
        expected = dict(record.get("all") or record[key])
        expected.pop("other")
        expected["rules"] = [same_kind_of_path(rule) for rule in expected["rules"]]
        assert load(judge, record["input"]) == expected, record["input"]


VALUES = {
    "string": "x",
    "path": "/x",
    "exe": "/x",
    "key": "k",
    "arch": "b64",
    "perm": "w",
    "filetype": "file",
    "fstype": "debugfs",
    "msgtype": "CWD",
}


def test_operators_of_fields(shared: Path) -> None:
    judges = {"3.0.9": reader("3.0.9"), "HEAD": reader("4.2")}
    text = (shared / "spec" / "observed-field-matrix.tsv").read_text(encoding="utf-8")
    cells = [line.split("\t") for line in text.splitlines() if not line.startswith("#")]
    for version, field, filter_list, *taken in cells:
        judge = judges[version]
        value = VALUES.get(judges["HEAD"].pairs.fields[field].kind, "1")
        first = ["-F", "fstype=debugfs" if filter_list == "filesystem" else "exe=/x"] if field == "key" else []
        lines = {
            op: judge.read_words(["-a", "always," + filter_list, *first, "-F", field + op + value]) for op in OPERATORS
        }
        accepted = {op for op, line in lines.items() if line.problem is None}
        assert accepted == set(taken[0].split() if taken else ()), (version, field, filter_list)
    assert len(cells) == 495
