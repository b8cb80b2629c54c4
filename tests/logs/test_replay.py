"""`auditlint replay` as users meet it: counts, rules, filters, forms, wrong use."""

import bz2
import gzip
import lzma
from typing import Any

import pytest


def lines_of(answer: Any) -> Any:
    return {row["line"]: row["events"] for row in answer["rules"] if row["events"]}


def counts(answer: Any, table: Any) -> Any:
    return {row["value"]: row["events"] for row in answer["tables"][table]["rows"]}


def test_counts_by_rule_and_table(log: Any, replay: Any) -> None:
    answer = replay("audit.log", "a.rules", "--format", "json", "--by", "key,exe,comm,auid,call,type,path")
    assert lines_of(answer) == {2: 2, 3: 3, 4: 1}
    assert answer["without_rule"]["USER_LOGIN"]["events"] == 1
    assert answer["not_known"] == {}
    assert answer["log"]["events"] == 7
    assert answer["log"]["bytes"] == (log / "audit.log").stat().st_size
    assert answer["log"]["gaps"] == {"missing": 2, "of": 9, "restarts": 0}
    assert counts(answer, "key") == {"exec": 3, "denied": 2, "identity": 1}
    assert counts(answer, "exe") == {"/usr/bin/cat": 3, "/usr/bin/ls": 2, "/usr/bin/id": 1, "/usr/sbin/sshd": 1}
    assert counts(answer, "call") == {"openat": 3, "execve": 3}
    assert counts(answer, "auid") == {1000: 7}
    assert counts(answer, "type") == {"SYSCALL": 6, "USER_LOGIN": 1}
    assert counts(answer, "path") == {
        "/usr/bin/ls": 2,
        "/etc/shadow": 1,
        "/etc/passwd": 1,
        "/srv/data/x": 1,
        "/usr/bin/id": 1,
    }


def test_rates_and_peaks(log: Any, replay: Any) -> None:
    answer = replay("audit.log", "a.rules", "--format", "json")
    rule = next(row for row in answer["rules"] if row["line"] == 3)
    assert (rule["key"], rule["peak"], rule["per_second"]) == ("exec", 2, 0.03)
    assert (
        sum(row["bytes"] for row in answer["rules"]) + answer["without_rule"]["USER_LOGIN"]["bytes"]
        == answer["log"]["bytes"]
    )
    assert rule["programs"][0]["exe"] == "/usr/bin/ls"
    assert rule["programs"][0]["auid"] == 1000


def test_text(log: Any, replay: Any) -> None:
    text = replay("audit.log", "a.rules")
    assert "audit.log: 7 events" in text
    assert "a.rules:3 exec" in text
    assert "2 of 9 serial numbers are missing" in text
    assert "of 6 recorded calls 6 are decided by the rules as recorded" in text


def test_without_rules(log: Any, replay: Any) -> None:
    answer = replay("audit.log", "--format", "json")
    assert answer["rules"] == []
    assert counts(answer, "key") == {"exec": 3, "denied": 2, "identity": 1}


@pytest.mark.parametrize("pack", [gzip.compress, bz2.compress, lzma.compress])
def test_rotated_and_packed_logs_in_a_directory(pack: Any, log: Any, replay: Any) -> None:
    whole = replay("audit.log", "a.rules", "--format", "json")
    data = (log / "audit.log").read_bytes()
    at = data.index(b"type=CWD msg=audit(1717000030.500:43)")  # in the middle of an event
    folder = log / "logs"
    folder.mkdir()
    (folder / "audit.log.1").write_bytes(pack(data[:at]))
    (folder / "audit.log").write_bytes(data[at:])
    split = replay("logs", "a.rules", "--format", "json")
    assert split["log"].pop("files") == ["logs/audit.log.1", "logs/audit.log"]
    whole["log"].pop("files")
    assert split == whole


def test_standard_input(log: Any, replay: Any) -> None:
    answer = replay("-", "a.rules", "--format", "json", stdin=(log / "audit.log").read_bytes())
    assert lines_of(answer) == {2: 2, 3: 3, 4: 1}


def test_interleaved_events_and_carriage_returns(log: Any, replay: Any) -> None:
    lines = (log / "audit.log").read_bytes().splitlines()
    mixed = [lines[0], lines[4], *lines[1:4], *lines[5:]]  # the second event begins before the first one ends
    (log / "audit.log").write_bytes(b"\r\n".join(mixed) + b"\r\n")
    answer = replay("audit.log", "a.rules", "--format", "json")
    assert answer["log"]["events"] == 7
    assert lines_of(answer) == {2: 2, 3: 3, 4: 1}
    assert answer["log"]["bytes"] == (log / "audit.log").stat().st_size


def test_what_is_skipped_is_counted(log: Any, replay: Any) -> None:
    data = (log / "audit.log").read_bytes()
    junk = b"type=SYSCALL msg=audit(17\n\x00\x01\x02\nhello\n" + b"x" * 3_000_000 + b"\n----\n"
    (log / "audit.log").write_bytes(junk + data + b"type=PATH msg=audit(1717")
    answer = replay("audit.log", "a.rules", "--format", "json")
    skipped = {row["reason"]: (row["lines"], row["bytes"]) for row in answer["log"]["skipped"]}
    assert skipped["damaged records"][0] == 2
    assert skipped["binary data"] == (1, 4)
    assert skipped["other lines"] == (1, 6)
    assert skipped["longer than 64 KiB"][0] == 1
    assert skipped["longer than 64 KiB"][1] == 3_000_001
    assert lines_of(answer) == {2: 2, 3: 3, 4: 1}


def test_filters(log: Any, replay: Any) -> None:
    answer = replay(
        "audit.log", "a.rules", "--format", "json", "--since", "2024-05-29T16:27:00", "--until", "1717000091.5"
    )
    assert answer["log"]["events"] == 3
    answer = replay("audit.log", "a.rules", "--format", "json", "--key", "identity")
    assert lines_of(answer) == {4: 1}


def test_a_descriptor_is_known_by_an_earlier_name(log: Any, replay: Any) -> None:
    """fchmod names no file; another record told the name of its inode."""
    from tests.logs.conftest import call

    named = call(
        50, 59, "exec", exe="/srv/data/run", time=1717000110, paths=[("/srv/data/run", 95, "0100755", "NORMAL")]
    )
    by_descriptor = call(51, 91, "data", time=1717000111, args=("3", "1a4"), paths=[("", 95, "0100755", "NORMAL")])
    unknown = call(52, 91, "data", time=1717000112, args=("3", "1a4"), paths=[("", 96, "0100755", "NORMAL")])
    with (log / "audit.log").open("a") as file:
        file.write("\n".join([*named, *by_descriptor, *unknown]) + "\n")
    answer = replay("audit.log", "a.rules", "--format", "json")
    assert lines_of(answer)[5] == 2
    assert answer["agreement"]["as_recorded"] == 8
    assert answer["agreement"]["by_key"] == 1


def test_other_rules(log: Any, replay: Any) -> None:
    (log / "new.rules").write_text(
        "-a never,exit -F arch=b64 -S execve -F exe=/usr/bin/ls\n"
        "-a always,exit -F arch=b64 -S execve -k run\n"
        "-w /etc/passwd -p wa -k identity\n"
    )
    answer = replay("audit.log", "a.rules", "--with", "new.rules", "--format", "json")
    (other,) = answer["with"]
    assert {key: other[key]["events"] for key in ("kept", "renamed", "lost", "not_known")} == {
        "kept": 1,
        "renamed": 1,
        "lost": 4,
        "not_known": 0,
    }
    assert "lost 4" in replay("audit.log", "a.rules", "--with", "new.rules")


def test_wrong_rules_are_told(log: Any, replay: Any) -> None:
    (log / "a.rules").write_text("-a always,exit -F arch=b64 -S openat -F success=0 -F auid>=1000 -k other\n")
    answer = replay("audit.log", "a.rules", "--format", "json")
    assert answer["agreement"]["differs"] == 6
    assert lines_of(answer) == {}
    assert "recorded, though the rules say otherwise" in replay("audit.log", "a.rules")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("missing.log",), "missing.log: No such file"),
        (("-", "-"), "only once"),
        (("audit.log", "--by", "nothing"), "--by nothing"),
        (("audit.log", "--since", "tomorrow"), "--since tomorrow"),
        (("audit.log", "--with", "a.rules"), "name them after the logs"),
        (("audit.log", "a.rules", "--kernel", "none"), "needs a kernel line"),
        (("/dev/null",), "not a regular file"),
    ],
)
def test_wrong_use(words: tuple[str, ...], message: str, log: Any, replay: Any) -> None:
    assert message in replay(*words, status=2)


def test_proposals_are_tried_and_never_wider_than_the_log(log: Any, replay: Any) -> None:
    from tests.logs.conftest import call

    with (log / "audit.log").open("a") as file:
        for number in range(40):
            paths = [("/usr/sbin/agent", 97, "0100755", "NORMAL")]
            time = 1717000200 + number
            lines = call(60 + number, 59, "exec", exe="/usr/sbin/agent", time=time, paths=paths, auid=4294967295)
            lines += call(160 + number, 59, "exec", exe="/usr/bin/python3.11", time=time, paths=paths, auid=4294967295)
            file.write("\n".join(lines) + "\n")
    answer = replay("audit.log", "a.rules", "--propose", "--format", "json")
    (proposal,) = answer["proposals"]
    assert proposal["rule"] == (
        "-a never,exit -F arch=b64 -S execve -F exe=/usr/sbin/agent -F auid=unset -F uid=1000 -F euid=1000 -F success=1"
    )
    assert proposal["place"] == {"before": {"file": "a.rules", "line": 3}}
    assert (proposal["events"], proposal["also"]) == (40, [])
    assert any("/usr/sbin/agent" in words for words in proposal["silences"]["groups"])
    assert proposal["price"]["amount"] > 0
    (declined,) = answer["declined"]
    assert declined["exe"] == "/usr/bin/python3.11"
    assert "interpreter" in replay("audit.log", "a.rules", "--propose")
    tried = replay("audit.log", "a.rules", "--quiet", proposal["rule"], "--format", "json")
    assert tried["with"][0]["lost"]["events"] == 40


def test_what_the_log_teaches(log: Any, replay: Any) -> None:
    words = ("--facts-out", "f.toml", "--workload-out", "w.txt", "--events-out", "e.jsonl", "--html", "p.html")
    replay("audit.log", "a.rules", *words)
    assert 'lsm = "apparmor"' in (log / "f.toml").read_text()
    assert "openat 3 2\n" in (log / "w.txt").read_text()
    assert "<svg" in (log / "p.html").read_text()
    events = (log / "e.jsonl").read_text().splitlines()
    assert len(events) == 6


@pytest.mark.parametrize("jobs", ["1", "3"])
def test_processes_give_the_same_bytes(jobs: str, log: Any, replay: Any) -> None:
    whole = (log / "audit.log").read_bytes()
    with (log / "big.log").open("wb") as file:
        for number in range(1500):
            file.write(whole.replace(b"audit(171700", b"audit(%d" % (171700 + number)).replace(b":4", b":%d4" % number))
    first = replay("big.log", "a.rules", "--format", "json", "--piece", "1", "--jobs", "1")
    assert first["log"]["events"] == 7 * 1500
    assert first["log"]["bytes"] == (log / "big.log").stat().st_size
    again = replay("big.log", "a.rules", "--format", "json", "--piece", "1", "--jobs", jobs)
    assert again == first
    assert lines_of(first) == {2: 3000, 3: 4500, 4: 1500}


def test_a_directory_that_only_the_log_knows(log: Any, replay: Any) -> None:
    """-w on a directory without facts is taken for a file; the log knows better."""
    from tests.logs.conftest import call

    (log / "b.rules").write_text("-w /opt/thing -p wa -k thing\n")
    paths = [("/opt/thing/", 70, "040755", "PARENT"), ("/opt/thing/x", 71, "0100644", "CREATE")]
    at = ("ffffff9c", "7ffe", "41")
    (log / "b.log").write_text("\n".join(call(9, 257, "thing", exit=3, args=at, paths=paths)) + "\n")
    text = replay("b.log", "b.rules")
    assert "/opt/thing is taken for a file, but in the log it is a directory: use --learn or --facts" in text
    assert lines_of(replay("b.log", "b.rules", "--learn", "--format", "json")) == {1: 1}


def test_a_proposal_keeps_to_the_directory_of_the_log(log: Any, replay: Any) -> None:
    from tests.logs.conftest import call

    (log / "b.rules").write_text("-a always,exit -F arch=b64 -S chmod -k perm\n")
    lines = []
    for number in range(60):
        paths = [(f"/srv/backup/{number % 7}/x{number}", 500 + number, "0100644", "NORMAL")]
        lines += call(number, 90, "perm", exe="/usr/bin/rsync", time=1717000000 + number, paths=paths)
    (log / "b.log").write_text("\n".join(lines) + "\n")
    (proposal,) = replay("b.log", "b.rules", "--propose", "--format", "json")["proposals"]
    assert proposal["rule"].endswith("-F success=1 -F dir=/srv/backup")
    assert proposal["events"] == 60
