"""Every refused line is told once, by one check; what the load costs is said in numbers."""

import json
from pathlib import Path
from typing import Any

import pytest

from auditlint.analysis.load_summary import closing_note, summarize
from auditlint.analysis.refusal_causes import checks_by_kind
from auditlint.core.facts import UNKNOWN, Facts
from auditlint.core.source import Source
from auditlint.core.target import AUDITCTL_RELEASES, Target
from auditlint.lint.registry import all_checks
from auditlint.load.program import load_directory, load_file
from tests.checks.load_tools import HOST, untold


@pytest.mark.parametrize("auditctl", ["3.0.9", "4.2"])
def test_corpus_lines_are_told_once(shared: Path, auditctl: str) -> None:
    wrong = []
    for path in sorted((shared / "corpus/rules").glob("*.rules")):
        wrong += untold(load_file(Source(path.name, path.read_bytes()), Target(auditctl=auditctl), HOST))
    assert wrong == []


TARGETS = [Target(auditctl=release) for release in AUDITCTL_RELEASES]
TARGETS += [Target("3.10", "aarch64", "4.0.3"), Target("4.9", "ppc64le", "3.0.9"), Target("5.4", "loongarch64")]


@pytest.mark.parametrize("target", TARGETS, ids=str)
def test_edge_cases_are_told_once(shared: Path, target: Any) -> None:
    wrong = []
    for line in (shared / "corpus/edge-cases.jsonl").open(encoding="utf-8"):
        case = json.loads(line)
        if "file" in case:
            data = case["file"].encode("latin-1")
        else:
            words = [word.replace("\\", "\\\\").replace(" ", "\\ ") for word in case["argv"]]
            data = " ".join(words).encode("utf-8", "surrogateescape")
        wrong += [f"{case['id']} {what}" for what in untold(load_file(Source("a", data), target, HOST))]
    assert wrong == []


@pytest.mark.parametrize("auditctl", ["3.0.9", "4.2"])
def test_directories_are_told_once(shared: Path, auditctl: str) -> None:
    wrong = []
    for line in (shared / "corpus/augenrules.jsonl").open(encoding="utf-8"):
        case = json.loads(line)
        files = [Source(name, text.encode()) for name, text in case["rules.d"].items() if isinstance(text, str)]
        wrong += [f"{case['id']} {what}" for what in untold(load_directory(files, Target(auditctl=auditctl), HOST))]
    assert wrong == []


def test_every_cause_is_a_check() -> None:
    assert set(checks_by_kind().values()) <= {check.name for check in all_checks()}
    causes = {word[6:] for check in all_checks() for word in check.requires if word.startswith("cause:")}
    assert causes <= {check.name for check in all_checks()}


def note(text: str, facts: Facts = UNKNOWN) -> str | None:
    return closing_note(load_file(Source("a", text.encode()), Target(), facts))


def test_closing_note() -> None:
    assert note("-D\n-w /a -p r\n-w /b -p r\n") is None
    assert note("-w /a -p r\n-w /b -p z\n-w /c -p r\n-e 1\n") == "1 of 3 rules load; 2 lost from line 2 on"
    assert note("-i\n-w /a -p r\n-w /b -p z\n-w /c -p r\n") == "2 of 3 rules load; 1 refused and skipped"
    assert note("-w /a -p r\n-f 9\n-w /c -p r\n") == "1 of 2 rules load; 1 lost from line 2 on"
    assert note("-w /a -p r\n-f 9\n") == "1 of 1 rules load; the load stops at line 2"
    assert str(note("-w /a -p r\n", Facts(kernel_enabled=2))).startswith("none of 1 rules load: ")


def test_closing_note_of_a_directory_names_the_fragment() -> None:
    files = [Source("10-a.rules", b"-D\n-w /a -p r\n"), Source("20-b.rules", b"-w /b -p r\n-w /c -p z\n-w /d -p r\n")]
    assert closing_note(load_directory(files, Target(), UNKNOWN)) == "2 of 4 rules load; 2 lost from 20-b.rules:2 on"


def test_counts_of_public_files(shared: Path) -> None:
    """What the README of the corpus says of its files: rules that never load stand behind the line that stops."""
    for record in (shared / "corpus/verdicts-4.x.jsonl").open(encoding="utf-8"):
        run = json.loads(record)
        if "run" not in run:
            continue
        path = shared / "corpus/rules" / run["file"]
        program = load_file(Source(path.name, path.read_bytes()), Target(), HOST)
        load = summarize(program)
        assert load.loaded == run["run"]["rules_loaded"], run["file"]
        assert load.loaded + load.lost + load.skipped == load.rules, run["file"]
        assert (load.stop is None) == run["run"]["read_to_end"] or program.run.failed_lines, run["file"]


def test_installed_file_is_compared_when_both_are_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    from auditlint.cli.main import run

    (tmp_path / "rules.d").mkdir()
    (tmp_path / "rules.d/10-a.rules").write_text("-D\n-w /a -p r\n")
    (tmp_path / "audit.rules").write_text("-D\n\n-w /a -p r\n-w /b -p r\n")
    monkeypatch.chdir(tmp_path)
    assert run(["check", "--no-config", "--select", "AL018", "./rules.d", "audit.rules"]) == 1
    assert (
        "./audit.rules:4:1: warning: the next run of augenrules removes this line: no file of rules.d has it"
        in capsys.readouterr().out
    )
    assert run(["check", "--no-config", "--select", "AL018", "./rules.d"]) == 0
