"""The checks of loading on any bytes: no traceback, places inside the files, fixes that keep what was loaded."""

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from auditlint.core.facts import UNKNOWN
from auditlint.core.source import Source
from auditlint.core.target import Target
from auditlint.lint import fixes
from auditlint.load.program import load_directory, load_file
from tests.checks.load_tools import find, untold

WORDS = (
    b"-a -A -d -w -W -F -C -S -k -p -b -e -f -r -D -i -c -l -s -t -q -m -R -v -h -z -- - --reset-lost --signal "
    b"--backlog_wait_time --loginuid-immutable --backlog always,exit exit,never always,task never,user entry,always "
    b"exit,possible always,watch always,filesystem always,io_uring /etc/passwd /etc/ /a\\ b etc/x wa rwxa w,a z "
    b"arch=b64 arch=b32 arch=x auid>=1000 auid!=unset uid=unset auid<unset auid=>1 path=/a path=/a/ path=a dir=/b "
    b"exe=/bin/a perm=wa perm=z key=x key=a>=b success=no exit=-EACCES exit=-EACCESS nosuch=1 auidd=1 a0=010 a1=1,2 "
    b"a2=4294967296 msgtype=CWD msgtype=CWDS fstype=ext4 open openat mount,umount pread64 nosuch, all 2048 "
    b"uid!=euid uid=gid 8192 010 8192k 2 x \\ # #x \" 'k' \"a -k -F -w/a "
    b"-pwa auditctl sudo \xe2\x80\x93w \xc2\xa0 \t \r \0 \xef\xbb\xbf id-w x-e"
).split(b" ")
LINES = st.lists(st.sampled_from(WORDS), min_size=1, max_size=7).map(b" ".join)
TEXTS = st.lists(LINES | st.just(b"-w /a -p r") | st.just(b"-a always,exit -S mount"), max_size=5).map(b"\n".join)
TARGETS = st.sampled_from(
    [
        Target(),
        Target("4.4", "x86_64", "2.8.5"),
        Target("5.10", "aarch64", "4.0.3"),
        Target("3.10", "loongarch64", "4.2"),
    ]
)


def assert_places(findings: Any) -> None:
    for finding in findings:
        places = [finding.at, *finding.related]
        places += [type(finding.at)(e.source, (e.start, e.end)) for e in (finding.fix.edits if finding.fix else ())]
        for place in places:
            start, end = place.span
            assert 0 <= start <= end <= len(place.source.data), finding
        assert "\n" not in finding.message


@settings(max_examples=150, derandomize=True, deadline=None)
@given(st.binary(max_size=60) | TEXTS, TARGETS)
def test_any_file(data: Any, target: Any) -> None:
    program = load_file(Source("a", data), target, UNKNOWN)
    assert_places(find(program))
    assert untold(program) == []


@settings(max_examples=100, derandomize=True, deadline=None)
@given(st.lists(TEXTS, min_size=1, max_size=4), st.booleans(), TARGETS)
def test_any_directory(texts: Any, newline: Any, target: Any) -> None:
    files = [Source(f"{n}-x.rules", text + b"\n" * newline) for n, text in enumerate(texts)]
    assert_places(find(load_directory(files, target, UNKNOWN)))


@settings(max_examples=150, derandomize=True, deadline=None)
@given(TEXTS, TARGETS)
def test_safe_fixes_keep_what_loads_and_end(data: Any, target: Any) -> None:
    """A safe fix never takes a rule out of the kernel, and fixing comes to an end."""
    source = Source("a", data)
    for _ in range(12):
        program = load_file(source, target, UNKNOWN)
        chosen = fixes.choose(find(program), frozenset(("safe",)))
        if not chosen:
            return
        before = [loaded.rule for loaded in program.loaded]
        source = Source("a", fixes.apply(source, [edit for fix in chosen for edit in fix.edits]))
        after = [loaded.rule for loaded in load_file(source, target, UNKNOWN).loaded]
        if not any(b"-D" in text for text in (data, source.data)):
            for rule in before:
                assert rule in after, (data, source.data)
    raise AssertionError(f"fixing does not end: {data!r} {source.data!r}")
