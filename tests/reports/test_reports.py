"""Every report form on the same findings, hostile names and texts included."""

import json
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditlint.core.escaping import printable
from auditlint.core.findings import Edit, Finding, Fix
from auditlint.core.fingerprint import fingerprints
from auditlint.core.source import Location, Source
from auditlint.core.target import Target
from auditlint.lint.results import Result
from auditlint.reports import github, gitlab, junit, text
from auditlint.reports import json as json_report

HOSTILE = "a\n::error::x\r\x1b[31m\u202e%0A,:\udcff"


def finding(
    source: Source, span: Any, severity: Any = "error", message: str = "m", related: Any = (), fix: Any = None
) -> Finding:
    return Finding("AL301", "duplicate-rule", severity, message, Location(source, span), related, "e", fix)


def render(form: Any, *given: Any) -> str:
    return "".join(form.parts(*given))


def result(*findings: Finding, paths: tuple[str, ...] = ("a.rules",)) -> Result:
    return Result(Target("6.1", "x86_64", "3.0.9"), findings, paths, 3)


SOURCE = Source("a.rules", "-w /ä -k x\n-w /b\n".encode())
KEY = (SOURCE.data.index(b"-k"), SOURCE.data.index(b"-k") + 4)


def test_text_frame_points_at_the_place() -> None:
    assert render(text, result(finding(SOURCE, KEY, related=(Location(SOURCE, (12, 17), "there"),)))) == (
        "a.rules:1:7: error: m [AL301 duplicate-rule]\n"
        "      1 | -w /ä -k x\n"
        "        |       ^^^^\n"
        "  a.rules:2:1: there\n"
        "\n"
        "1 file, 3 rules: 1 error, 0 warnings, 0 advice\n"
    )


def test_text_about_a_whole_file_has_no_frame() -> None:
    out = render(text, result(finding(SOURCE, (0, 0))))
    assert out.startswith("a.rules: error: m [AL301 duplicate-rule]\n\n1 file")


def test_colour_only_when_asked() -> None:
    assert "\x1b" not in render(text, result(finding(SOURCE, KEY)))
    assert "\x1b[31merror" in render(text, result(finding(SOURCE, KEY)), True)


def test_text_cuts_a_long_line() -> None:
    source = Source("a.rules", b"x" * 1_000_000 + b" here " + b"y" * 1_000_000)
    out = render(text, result(finding(source, (1_000_001, 1_000_005))))
    assert "here" in out
    assert len(out) < 1000


@given(st.text(), st.text())
def test_no_report_lets_control_characters_through(name: Any, message: Any) -> None:
    source = Source(name + HOSTILE, b"-w /a\n")
    bad = result(finding(source, (0, 2), message=message + HOSTILE), paths=(source.path,))
    assert render(text, bad).count("\n") == 5
    assert render(github, bad).count("\n") == 1
    for out in (render(text, bad), render(github, bad), render(junit, bad), render(gitlab, bad)):
        assert out.encode()  # no surrogate left
        assert printable(out.replace("\n", "")) == out.replace("\n", "")


def test_json_is_the_form_of_the_interfaces() -> None:
    fix = Fix("safe", "delete it", (Edit(SOURCE, 12, 18, b""),))
    record = json.loads(render(json_report, result(finding(SOURCE, KEY, fix=fix))))
    assert record["version"] == 1
    assert record["target"] == {
        "kernel": "6.1",
        "machine": "x86_64",
        "auditctl": "3.0.9",
        "source": {"kernel": "default", "machine": "default", "auditctl": "default"},
    }
    assert record["findings"] == [
        {
            "code": "AL301",
            "name": "duplicate-rule",
            "severity": "error",
            "message": "m",
            "file": "a.rules",
            "line": 1,
            "column": 7,
            "end_line": 1,
            "end_column": 11,
            "related": [],
            "evidence": "e",
            "fix": {
                "level": "safe",
                "title": "delete it",
                "edits": [{"file": "a.rules", "start": 12, "end": 18, "text": ""}],
            },
        }
    ]
    assert record["summary"] == {"files": 1, "rules": 3, "errors": 1, "warnings": 0, "advice": 0, "suppressed": 0}


@pytest.mark.parametrize(("severity", "command"), [("error", "error"), ("warning", "warning"), ("advice", "notice")])
def test_github_annotation(severity: str, command: str) -> None:
    out = render(github, result(finding(SOURCE, KEY, severity, "50% of a:b,c")))
    title = "title=AL301 duplicate-rule"
    assert out == f"::{command} file=a.rules,line=1,endLine=1,col=7,endColumn=10,{title}::50%25 of a:b,c\n"


def test_github_names_cannot_add_properties() -> None:
    source = Source("a,line=9::b", b"x")
    assert "file=a%2Cline=9%3A%3Ab,line=1," in render(github, result(finding(source, (0, 1))))


def test_gitlab_issue() -> None:
    [issue] = json.loads(render(gitlab, result(finding(SOURCE, KEY, "warning"))))
    assert issue["severity"] == "major"
    assert issue["location"] == {"path": "a.rules", "lines": {"begin": 1}}
    assert len(issue["fingerprint"]) == 64


def test_junit_counts_quiet_files_as_passed() -> None:
    root = ElementTree.fromstring(render(junit, result(finding(SOURCE, KEY), paths=("a.rules", "b<&>.rules"))).encode())
    assert root.attrib == {"name": "auditlint", "tests": "2", "failures": "1"}
    assert [suite.attrib["name"] for suite in root] == ["a.rules", "b<&>.rules"]
    assert root.findtext("testsuite/testcase/failure") == "a.rules:1:7: error: m"


def test_fingerprints_survive_moved_lines_and_differ() -> None:
    moved = Source("a.rules", b"# new\n" + SOURCE.data)
    at = KEY[0] + 6, KEY[1] + 6
    assert fingerprints([finding(SOURCE, KEY)]) == fingerprints([finding(moved, at)])
    assert len(set(fingerprints([finding(SOURCE, KEY), finding(SOURCE, KEY)]))) == 2
