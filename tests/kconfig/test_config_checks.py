"""The configuration checks against the kernels' own configuration program, public reports and public files."""

import gzip
import json
import re
from pathlib import Path
from typing import Any

import pytest

from auditlint.context.builtin_cmdline import builtin_cmdline
from auditlint.context.cmdline import CmdlineContext
from auditlint.context.config import config_context
from auditlint.core.data import parse_toml
from auditlint.core.settings import DEFAULT
from auditlint.core.source import Source
from auditlint.lint.runner import run_checks

DROPS = frozenset(
    {
        "lsm-dependency-missing",
        "dependency-missing",
        "forced-by-select",
        "request-ignored",
        "invalid-value",
        "obsolete-symbol",
        "unknown-symbol",
        "line-ignored",
    }
)
_SETTING = re.compile(r"(?:# )?CONFIG_(.+?)(?:=| is not set)")


def line_of(finding: Any) -> Any:
    return 0 if finding.at.span == (0, 0) else finding.at.source.line_of(finding.at.span[0])


def symbols(findings: Any, names: Any) -> Any:
    """The symbols on whose lines these checks spoke."""
    found = set()
    for finding in findings:
        if finding.name in names:
            line = finding.at.source.text(finding.at.source.line_span(line_of(finding)))
            match = _SETTING.match(line)
            if match is not None:
                found.add(match[1].rstrip())
    return found


@pytest.mark.shared
@pytest.mark.slow
@pytest.mark.parametrize("line", ["5.10", "6.1", "6.12", "7.3"])
def test_every_dropped_request_is_told_and_no_other(shared: Path, line: str) -> None:
    """`dropped` of the rows was computed with the kernels' own configuration program. Saying no to a symbol that the
    architecture does not have is dropped, too, and nothing to report."""
    fragments = json.loads((shared / "kconfig/fragments.json").read_text())
    count = 0
    with gzip.open(shared / f"kconfig/fragments-{line}.jsonl.gz", "rt") as rows:
        for row in map(json.loads, rows):
            if row["base"] != "alldefconfig":
                continue
            count += 1
            text = fragments[row["fragment"]]["text"]
            source = Source("config", text.encode())
            context = config_context([source], DEFAULT, kernel=line, arch=row["arch"], fragment=False)
            findings = run_checks(context)
            dropped = {symbol.rstrip() for symbol in row["dropped"]}
            silent = {
                symbol
                for symbol in dropped
                if row["final_of_requested"].get(symbol) is None and context.explicit(symbol) == "n"
            }
            told = symbols(findings, DROPS - {"line-ignored"})
            spelt = {
                drop.assignment.symbol for drop in context.evaluation.dropped if drop.reason == "spelling"
            }  # merge_config.sh compares the text
            assert spelt <= dropped
            blanks = {symbol for symbol in dropped if symbol + " " in row["dropped"]}
            assert told == dropped - silent - blanks - spelt, (row["id"], [finding.message for finding in findings])
    assert count > 400


def config_cases(shared: Path) -> Any:
    with (shared / "cases/public-reports.jsonl").open() as rows:
        return [case for case in map(json.loads, rows) if case["kind"] in ("config", "cmdline")]


def findings_of(case: Any) -> Any:
    sources = {name: Source(name, text.encode()) for name, text in case["files"].items()}
    if case["kind"] == "config":
        context = config_context(
            list(sources.values()),
            DEFAULT,
            kernel=case["kernel"],
            machine=case["arch"],
            fragment=case.get("fragment", False),
        )
        return run_checks(context)
    from auditlint.bootargs.command_line import read_cmdline

    lines = read_cmdline(sources["cmdline"])
    rules = any(name.endswith(".rules") for name in sources)
    return run_checks(CmdlineContext(lines, case["kernel"], case["arch"], DEFAULT, rules))


@pytest.mark.shared
def test_public_reports(shared: Path, root: Path) -> None:
    words = parse_toml((root / "tests/public_reports/problem-words.toml").read_text(encoding="utf-8"))
    cases = config_cases(shared)
    assert len(cases) >= 14
    for case in cases:
        found = {(finding.name, line_of(finding)) for finding in findings_of(case)}
        for expected in case["expect"]:
            names = words[expected["problem"]]
            assert any((name, expected["line"]) in found for name in names), (case["id"], expected, found)
        for forbidden in case["must_not"]:
            word, _, at = forbidden.partition("@")
            for name in words.get(word, ()):
                assert not [each for each in found if each[0] == name and at in ("", str(each[1]))], (case["id"], found)


@pytest.mark.shared
@pytest.mark.slow
def test_public_files(shared: Path, root: Path) -> None:
    """The findings were read one by one against the notes of the manifest; a new one has to be, too."""
    wanted: dict[Any, Any] = {}
    for row in (root / "tests/kconfig/public-configs.tsv").read_text(encoding="utf-8").splitlines()[1:]:
        name, *finding = row.split("\t")
        wanted.setdefault(name, [])
        if finding != ["none"]:
            wanted[name].append((finding[0], int(finding[1])))
    manifest = (shared / "kconfig/configs/MANIFEST.tsv").read_text().splitlines()[1:]
    seen = 0
    for row in manifest:
        name, _, path = row.split("\t")[:3]
        if name not in wanted:
            continue
        seen += 1
        context = config_context([Source(path, (shared / "kconfig/configs" / name).read_bytes())], DEFAULT)
        found = run_checks(context)
        if (builtin := context.get(builtin_cmdline)) is not None:
            found += run_checks(builtin)
        assert [(finding.code, line_of(finding)) for finding in found] == wanted[name], name
    assert seen == len(wanted) > 40
