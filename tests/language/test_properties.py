"""Any bytes: no exception, positions inside the input, the same answer again."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from auditlint.auditctl.encode import encode
from auditlint.auditctl.lines import pieces
from auditlint.auditctl.model import Line
from auditlint.auditctl.parse import Reader
from auditlint.auditctl.render import rule_record
from auditlint.core.facts import Facts
from auditlint.core.source import Source, Span
from auditlint.core.target import AUDITCTL_RELEASES, Target

OPTIONS = (
    b"-a -A -d -w -W -F -C -S -k -p -b -e -f -r -m -q -R -t -i -c -v -h -s -l -D -- - -Z --signal --back "
    b"--reset-lost --reset_b --login --reset --help"
).split()
VALUES = (
    b"always,exit exit,never task,never always,exclude always,user never,filesystem always,io_uring possible,exit "
    b"always,x /etc /x/../y /\xff rel uid=0 auid>=1000 auid!=unset uid=nosuch gid=-1 arch=b64 arch=b32 arch=aarch64 "
    b"perm=wa perm=z path=/x dir=/etc exe=/x key=k key= key=a!=b msgtype=CWD fstype=tracefs a0&=7 exit=-EPERM inode=5 "
    b"saddr_fam=2 sessionid=x obj_type=t uid=euid uid!=gid open openat,close all nosuch open,nosuch 5 2048 wa rwxa "
    b"rwxar 0 1 2 8192k term a,b x k\x01k \\ \xc3\xa9 my\\ key a\\\\b \x07x # ="
).split(b" ")
GAPS = (b" ", b" ", b" ", b"  ", b"", b"\t", b"\n", b"\r\n", b"\0", b"\\ ")

parts = st.one_of(st.sampled_from(OPTIONS), st.sampled_from(VALUES), st.binary(max_size=4))
rule_files = st.lists(st.tuples(parts, st.sampled_from(GAPS)), max_size=24).map(
    lambda found: b"".join(part + gap for part, gap in found)
)
targets = st.builds(
    Target,
    kernel=st.just("none"),
    machine=st.sampled_from(["x86_64", "i686", "aarch64", "s390x", "ppc64le", "mips"]),
    auditctl=st.sampled_from(AUDITCTL_RELEASES),
)


def inside(span: Span, outer: Span) -> bool:
    return outer[0] <= span[0] <= span[1] <= outer[1]


def check(line: Line) -> None:
    for told in (line.problem, *line.warnings):
        if told is not None:
            assert inside(told.span, line.span)
            assert told.kind
            assert told.message
    for request in line.requests:
        assert inside(request.span, line.span)
        if request.rule is not None:
            rule_record(request.rule)
            if all(isinstance(f.value, int) or not f.name.endswith(("uid", "gid")) for f in request.rule.fields):
                assert len(encode(request.rule)) >= 1040
    for option in line.options:
        assert inside(option.span, line.span)
        assert option.arg_span is None or inside(option.arg_span, option.span)
    assert all(first.span[1] <= second.span[0] for first, second in pairwise(line.options))
    sources = line.field_sources
    if line.rule is not None:
        assert [source.index for source in sources] == list(range(len(line.rule.fields)))
    for source in sources:
        assert inside(source.name_span, source.option.span)
        assert inside(source.op_span, source.option.span)
        assert inside(source.value_span, source.option.span)
    for _, span, numbers in line.syscall_words:
        assert inside(span, line.span)
        assert all(0 <= number < 2048 for number in numbers)


@given(rule_files, targets)
@settings(max_examples=300)
def test_any_file(data: bytes, target: Target) -> None:
    reader = Reader(target, Facts())
    lines = list(reader.read(Source("x", data)))
    spans = {(start, end) for _, _, start, end in pieces(data)}
    for line in lines:
        assert line.span in spans
        assert all(inside(span, line.span) for _, span in reader.words(line))
        check(line)
    assert list(Reader(target, Facts()).read(Source("x", data))) != lines or not lines, "sources are not equal"
    again = Reader(target, Facts()).read(Source("x", data))
    assert [(line.requests, line.problem, line.warnings) for line in again] == [
        (line.requests, line.problem, line.warnings) for line in lines
    ]


@given(st.lists(parts, max_size=10), targets)
@settings(max_examples=200)
def test_any_command_line(words: list[bytes], target: Target) -> None:
    check(Reader(target, Facts()).read_words(words))


@given(rule_files)
def test_a_line_means_the_same_alone(data: bytes) -> None:
    """Lines are judged without state: cutting a file at its lines changes nothing but the positions."""
    reader = Reader(Target(), Facts())
    whole = [(line.rule, line.problem and line.problem.kind) for line in reader.read(Source("x", data))]
    single = [
        (line.rule, line.problem and line.problem.kind)
        for piece in data.split(b"\n")
        for line in reader.read(Source("x", piece + b"\n"))
    ]
    assert whole == single
