"""Suppressions, baselines and fix selection, on findings made by hand."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from auditlint.core.errors import UserError
from auditlint.core.findings import Edit, Finding, Fix
from auditlint.core.source import Location, Source
from auditlint.lint import baseline, fixes
from auditlint.lint import suppressions as suppress
from auditlint.lint.registry import Check


@pytest.fixture(autouse=True)
def checks(monkeypatch: pytest.MonkeyPatch) -> None:
    known = [
        Check("AL301", "duplicate-rule", "ruleset", "error", "rules", frozenset("*"), (), False, "0.1", "", ""),
        Check("AL501", "hot-call", "cost", "advice", "rules", frozenset("*"), (), False, "0.1", "", ""),
    ]
    monkeypatch.setattr(suppress, "all_checks", lambda: known)


def finding(source: Source, line: int, code: str = "AL301", fix: Fix | None = None) -> Finding:
    names = {"AL301": "duplicate-rule", "AL501": "hot-call"}
    return Finding(code, names[code], "error", "m", Location(source, source.line_span(line)), (), "e", fix)


def file(text: str) -> Source:
    return Source("a.rules", text.encode())


@pytest.mark.parametrize("selector", ["AL301", "duplicate-rule", "AL3", "AL501, AL301"])
def test_next_rule_line_is_covered(selector: str) -> None:
    source = file(f"-w /a\n# auditlint: ignore[{selector}] wanted\n\n# more\n-w /a\n-w /a\n")
    done = suppress.apply([finding(source, 5), finding(source, 6)], suppress.read_suppressions(source))
    assert done.taken == (finding(source, 5),)
    assert done.kept == (finding(source, 6),)
    assert len(done.used) == 1
    assert [s.selectors for s in done.unused] == ([("AL501",)] if "AL501" in selector else [])


def test_whole_file() -> None:
    source = file("# auditlint: ignore-file[AL3] generated\n-w /a\n-w /a\n")
    done = suppress.apply([finding(source, 2), finding(source, 3, "AL501")], suppress.read_suppressions(source))
    assert done.taken == (finding(source, 2),)
    assert done.kept == (finding(source, 3, "AL501"),)


def test_unused_is_told() -> None:
    source = file("# auditlint: ignore[AL301] once needed\n-w /a\n")
    done = suppress.apply([], suppress.read_suppressions(source))
    assert [s.reason for s in done.unused] == ["once needed"]


@pytest.mark.parametrize(
    ("comment", "error"),
    [
        ("ignore[AL301]", "gives no reason"),
        ("ignore[] why", "names no check"),
        ("ignore[AL9999] why", "names 'AL9999', which is not a check"),
        ("disable AL301", "has not the form `ignore[CHECK] reason` or `ignore-file[CHECK] reason`"),
    ],
)
def test_wrong_comments_suppress_nothing(comment: str, error: str) -> None:
    source = file(f"# auditlint: {comment}\n-w /a\n")
    suppressions = suppress.read_suppressions(source)
    assert [s.error for s in suppressions] == [error]
    assert suppress.apply([finding(source, 2)], suppressions).kept == (finding(source, 2),)


def test_baseline_survives_moved_lines_and_counts() -> None:
    before = file("-w /a\n-w /a\n")
    known = baseline.load(baseline.dump([finding(before, 2)]), "b.json")
    after = file("# new\n-w /b\n-w /a\n\n-w   /a\n-w /a\n")
    assert baseline.new_findings([finding(after, 5), finding(after, 6)], known) == [finding(after, 6)]
    assert baseline.new_findings([finding(after, 5, "AL501")], known) == [finding(after, 5, "AL501")]


@pytest.mark.parametrize(
    "text", ["", "[]", "{}", '{"version": 1, "findings": []}', '{"version": 2, "findings": {}}', "[" * 99999]
)
def test_what_is_no_baseline_says_so(text: str) -> None:
    with pytest.raises(UserError, match=r"^b\.json: not a baseline"):
        baseline.load(text, "b.json")


def edit(source: Source, start: int, end: int, text: bytes = b"") -> Edit:
    return Edit(source, start, end, text)


def test_touching_fixes_are_left_for_the_next_round() -> None:
    source = file("abc\nef\ng\n")
    first = Fix("safe", "1", (edit(source, 0, 2),))
    touching = Fix("safe", "2", (edit(source, 2, 3), edit(source, 7, 8)))  # the line of the first
    apart = Fix("safe", "3", (edit(source, 4, 5, b"E"),))
    unsafe = Fix("unsafe", "4", (edit(source, 7, 7, b"!"),))
    found = [finding(source, 1, fix=fix) for fix in (first, touching, apart, unsafe)]
    chosen = fixes.choose(found, frozenset({"safe"}))
    assert chosen == [first, apart]
    assert fixes.apply(source, [e for fix in chosen for e in fix.edits]) == b"c\nEf\ng\n"


@given(
    st.binary(max_size=40),
    st.lists(st.tuples(st.integers(0, 40), st.integers(0, 5), st.binary(max_size=3)), max_size=6),
)
def test_untouched_bytes_stay(data: Any, places: Any) -> None:
    source = Source("x", data)
    edits, at = [], 0
    for start, length, text in sorted(places):
        if at <= start and start + length <= len(data):
            edits.append(edit(source, start, start + length, text))
            at = start + length + 1
    expected = bytearray(data)
    for change in reversed(edits):
        expected[change.start : change.end] = change.text
    assert fixes.apply(source, edits) == bytes(expected)
