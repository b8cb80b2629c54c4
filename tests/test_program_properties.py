"""Whatever the bytes: no exception, places in range, lost lines at the end, records that are JSON."""

import json
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auditlint.core.facts import Facts
from auditlint.core.source import Source
from auditlint.core.target import AUDITCTL_RELEASES, Target
from auditlint.load.program import judge_words, load_directory, load_file
from auditlint.load.records import answer_record, program_records

LINES = [
    b"-w /a -p wa -k x",
    b"-w /a -p wa",
    b"-W /a -p wa -k x",
    b"-a always,exit -F arch=b64 -S open -F key=x",
    b"-A always,exit -F arch=b64 -S open -F key=x",
    b"-d always,exit -F arch=b64 -S open -F key=x",
    b"-a always,exit -F dir=x",
    b"-a always,exit -F uid=unset",
    b"-a never,user -F uid>=1 -C auid!=uid",
    b"-D",
    b"-D -k x",
    b"-i",
    b"-c",
    b"-e 2",
    b"-e 1 -b 5",
    b"-b 5 -D",
    b"--signal x",
    b"-q /a,/b",
    b"# c",
    b"",
    b"\x00-w /b",
    b"\xff\xfe",
    b"-l -k x",
    b"-w /" + b"n" * 6139,
]
TEXTS = st.lists(st.sampled_from(LINES) | st.binary(max_size=40), max_size=12).map(b"\n".join)
TARGETS = st.builds(
    Target,
    st.sampled_from(("none", "4.19", "5.10", "6.1", "7.3")),
    st.sampled_from(("x86_64", "aarch64", "s390x")),
    st.sampled_from(AUDITCTL_RELEASES),
)
FACTS = st.builds(
    Facts,
    paths_missing=st.sampled_from((frozenset(), frozenset(["/a"]))),
    kernel_enabled=st.sampled_from((None, 0, 1, 2)),
    kernel_rules=st.sampled_from(((), ("-w /a -p wa",))),
    lsm=st.sampled_from((None, "apparmor")),
)
VERDICTS = {"rule", "delete", "control", "none", "dropped", "error"}


def check(program: Any) -> None:
    lost = [entry.lost for entry in program.entries]
    assert lost == sorted(lost)
    for entry in program.entries:
        assert entry.verdict in VERDICTS
        assert (entry.verdict == "error") == (entry.problem is not None) == (entry.stage is not None)
        assert not (entry.loaded and (entry.lost or entry.verdict != "rule"))
        start, end = entry.line.span
        places = entry.parts or (entry.at,)
        assert "".join(place.source.text(place.span) for place in places) == program.merged.text((start, end))
        for problem in (*entry.line.warnings, *([entry.problem] if entry.problem else [])):
            if problem.kind != "kernel-locked":
                assert start <= problem.span[0] <= problem.span[1] <= end
                place = entry.place(problem.span)
                assert 0 <= place.span[0] <= place.span[1] <= len(place.source.data)
    known = len(program.facts.kernel_rules)
    assert len(program.loaded) <= program.run.rules_loaded + known
    assert all(each.entry.loaded for each in program.loaded)
    assert program.run.read_to_end == (program.stopped_by is None and program.run.refused is None)
    for record in program_records(program, "x"):
        json.dumps(record)


@settings(max_examples=150, deadline=None, derandomize=True)
@given(TEXTS, TARGETS, FACTS)
def test_any_file(text: Any, target: Any, facts: Any) -> None:
    check(load_file(Source("x", text), target, facts))


@settings(max_examples=100, deadline=None, derandomize=True)
@given(st.lists(TEXTS, max_size=4), TARGETS, FACTS, st.sampled_from(("gawk", "mawk")))
def test_any_directory(texts: Any, target: Any, facts: Any, awk: Any) -> None:
    sources = [Source(f"d/{number}.rules", text) for number, text in enumerate(texts)]
    program = load_directory(sources, target, facts, awk)
    check(program)
    merged = load_file(Source("d", program.merged.data), target, facts)
    assert [entry.verdict for entry in merged.entries] == [entry.verdict for entry in program.entries]
    assert merged.run == program.run


@settings(max_examples=100, deadline=None, derandomize=True)
@given(
    st.lists(
        st.sampled_from(["-a", "always,exit", "-D", "-w", "/a", "-k", "x", "-b", "5", "-R"]) | st.text(max_size=8),
        max_size=8,
    ),
    TARGETS,
    FACTS,
)
def test_any_command_line(words: Any, target: Any, facts: Any) -> None:
    answer = judge_words(words, target, facts)
    assert -64 <= answer.exit <= 255
    json.dumps(answer_record(words, answer))


@pytest.mark.slow
@settings(max_examples=5000, deadline=None, derandomize=True)
@given(st.binary(max_size=300), TARGETS, FACTS)
def test_any_bytes(text: Any, target: Any, facts: Any) -> None:
    check(load_file(Source("x", text), target, facts))
