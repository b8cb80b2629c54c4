"""Reads and runs the case files of the checks (format: test_cases.py)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from auditlint.core.data import parse_toml
from auditlint.core.findings import Finding
from auditlint.core.source import Source
from auditlint.core.target import Target
from auditlint.lint.runner import Selection, run_checks


@dataclass(frozen=True)
class Case:
    code: str
    kind: str
    number: int
    body: dict[str, Any]
    line: int = 0
    """Where the case begins in its file."""

    @property
    def id(self) -> str:
        """The name of the case: what it is about in a few words, or the words of its first rule."""
        text = self.why or next((part for part in re.split(r"[\n,]", str(self.body.get("rules", ""))) if part), "")
        words = re.findall(r"[A-Za-z0-9_=/.]+", text.lower())[:6]
        return "-".join([self.code, self.kind, *(words or [str(self.number)])])

    def explain(self, findings: list[Finding]) -> str:
        """Where the case stands, its numbered text, what it expects and what was found: for a test that fails."""
        lines = [f"tests/cases/{self.code}.toml:{self.line}: [[{self.kind}]] {self.why}"]
        for name, data in self.files.items():
            lines.append(f"{name}:")
            text = data.decode("utf-8", "backslashreplace").split("\n")
            lines += [f"  {number:3} {row[:160]}" for number, row in enumerate(text[:60], 1)]
        expected = f"findings at {self.body.get('at')}" if self.kind == "bad" else "no finding"
        lines.append(f"expected: {'a fix' if self.kind == 'fix' else expected}")
        lines += [
            f"found: {self.place(finding) if self.kind == 'bad' else ''} {finding.message}" for finding in findings
        ]
        return "\n".join(lines if findings else [*lines, "found: nothing"])

    @property
    def why(self) -> str:
        return str(self.body.get("why", ""))

    @property
    def at(self) -> list[str]:
        return [str(place) for place in self.body["at"]]

    @property
    def message(self) -> str:
        return str(self.body.get("message", ""))

    @property
    def severity(self) -> str | None:
        return self.body.get("severity")

    @property
    def files(self) -> dict[str, bytes]:
        """File name to bytes; `name` names a single rule file.

        Text in a case file is UTF-8 with `\\xNN` escapes where `raw = true`, and words of
        `repeat` in it stand for a part so many times."""
        if "files" in self.body:
            return {name: self.encode(text) for name, text in self.body["files"].items()}
        name = next(name for name in ("rules", "config", "cmdline") if name in self.body)
        return {{"rules": self.body.get("name", "audit.rules")}.get(name, name): self.encode(self.body[name])}

    def encode(self, text: str) -> bytes:
        for mark, (part, count) in self.body.get("repeat", {}).items():
            text = text.replace(mark, part * count)
        if self.body.get("raw"):
            return text.encode("latin-1").decode("unicode_escape").encode("latin-1")
        return text.encode()

    @property
    def context(self) -> str:
        if self.body.get("subject"):
            return str(self.body["subject"])
        return next((name for name in ("config", "cmdline") if name in self.body), "rules")

    @property
    def target(self) -> Target:
        return Target(**self.body.get("target", {}))

    def place(self, finding: Finding) -> str:
        line = finding.at.source.position(finding.at.span[0])[0]
        if finding.at.span == (0, 0):
            line = 0 if "0" in self.at or f"{finding.at.source.path}:0" in self.at else line
        return str(line) if len(self.files) == 1 else f"{finding.at.source.path}:{line}"

    @property
    def fixed(self) -> dict[str, bytes]:
        fixed = self.body["fixed"]
        if isinstance(fixed, str):
            return {next(iter(self.files)): self.encode(fixed)}
        return {name: self.encode(text) for name, text in fixed.items()}

    def apply(self, findings: list[Finding]) -> dict[str, bytes]:
        """The files after the edits of the first finding's fix, which must have the level the case names."""
        fix = findings[0].fix
        assert fix is not None, "the finding has no fix"
        assert fix.level == self.body.get("level", "safe")
        files = dict(self.files)
        for edit in sorted(fix.edits, key=lambda edit: edit.start, reverse=True):
            data = files[edit.source.path]
            files[edit.source.path] = data[: edit.start] + edit.text + data[edit.end :]
        return files


def load_cases(path: Path) -> list[Case]:
    parsed = parse_toml(path.read_text(encoding="utf-8"))
    unknown = set(parsed) - {"bad", "good", "fix"}
    assert not unknown, f"{path.name}: unknown tables {unknown}"
    lines: dict[str, list[int]] = {"bad": [], "good": [], "fix": []}
    for number, text in enumerate(path.read_text(encoding="utf-8").split("\n"), 1):
        head = re.match(r"\[\[(bad|good|fix)\]\]", text)
        if head:
            lines[head[1]].append(number)
    return [
        Case(path.stem, kind, number, body, lines[kind][number - 1])
        for kind in ("bad", "good", "fix")
        for number, body in enumerate(parsed.get(kind, []), 1)
    ]


def run_case(case: Case) -> list[Finding]:
    return run_checks(build_subject(case), Selection(select=(case.code,)))


def build_subject(case: Case) -> Any:
    from auditlint.core.facts import UNKNOWN
    from auditlint.core.settings import settings_from_table

    settings = settings_from_table(case.body.get("settings", {}), "case")
    facts = UNKNOWN
    if "facts" in case.body:
        from auditlint.io.facts_file import facts_from_table

        facts = facts_from_table(case.body["facts"], "case")
    sources = [Source(name, data) for name, data in case.files.items()]
    if case.context == "rules":
        from auditlint.context.rules import RulesContext
        from auditlint.load.program import load_directory, load_file

        directory = "files" in case.body
        program = (
            load_directory(sources, case.target, facts) if directory else load_file(sources[0], case.target, facts)
        )
        return RulesContext(program, settings)
    if case.context == "suppressions":
        return suppressions_of(sources[0], case.target, facts, settings)
    from tests.checks.case_subjects import subject_from_case

    return subject_from_case(case.context, sources, case.body, settings, facts)


def suppressions_of(source: Source, target: Target, facts: Any, settings: Any) -> Any:
    """What is left of the suppressions of a rule file once every check has run."""
    from auditlint.context.rules import RulesContext
    from auditlint.context.suppressions import SuppressionsContext
    from auditlint.lint.suppressions import apply, read_suppressions
    from auditlint.load.program import load_file

    comments = read_suppressions(source)
    found = run_checks(RulesContext(load_file(source, target, facts), settings), Selection(pedantic=True))
    unused = apply(found, comments).unused
    return SuppressionsContext(unused, [comment for comment in comments if comment.error is not None])
