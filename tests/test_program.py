"""What a load does: the plain run, the verdict of every line, what is in the kernel afterwards."""

from typing import Any

import pytest

from auditlint.auditctl.entries import Entry
from auditlint.core.facts import Facts, FileFacts
from auditlint.core.source import Location, Source
from auditlint.core.target import Target
from auditlint.load.program import judge_words, kernel_order, load_directory, load_file

NEW = Target("6.1")
OLD = Target("6.1", auditctl="3.0.9")
NONE = Target("none")
NOTHING = Facts()


def load(text: str, target: Target = NEW, facts: Facts = NOTHING) -> Any:
    return load_file(Source("a.rules", text.encode()), target, facts)


def verdicts(program: Any) -> list[str]:
    return [entry.verdict for entry in program.entries]


def kinds(program: Any) -> list[str | None]:
    return [entry.problem and entry.problem.kind for entry in program.entries]


def loaded(program: Any) -> list[int]:
    """Lines of the rules in the kernel, in load order."""
    return [each.entry.line.number for each in program.loaded]


def test_a_good_file() -> None:
    program = load("-D\n-b 8192\n\n# c\n-w /a -p wa -k x\n-e 1\n")
    assert verdicts(program) == ["control", "control", "rule", "control"]
    run = program.run
    assert (run.exit, run.read_to_end, run.last_line_read) == (0, True, 6)
    assert (run.rules_sent, run.rules_loaded, run.failed_lines, run.first_failed_line) == (1, 1, 0, None)
    assert (run.enabled, run.refused, run.exit_with_c, run.complete_with_c) == (1, None, 0, True)
    assert loaded(program) == [5]
    assert program.stopped_by is None
    assert [entry.loaded for entry in program.entries] == [False, False, True, False]


@pytest.mark.parametrize(
    ("text", "lines"), [("", 0), ("\n", 1), (" ", 1), ("-w /a", 1), ("-w /a\n", 1), ("-w /a\n\n", 2), ("# c\n#", 2)]
)
def test_number_of_lines_read(text: str, lines: int) -> None:
    assert load(text).run.last_line_read == lines


def test_a_refused_line_stops_the_load_and_loses_the_rest() -> None:
    program = load("-w /a -k x\n-w b\n-w /c -k x\n-w /c -k x\n-e 2\n")
    run = program.run
    assert (run.exit, run.read_to_end, run.last_line_read, run.failed_lines, run.first_failed_line) == (
        1,
        False,
        2,
        1,
        2,
    )
    assert (run.rules_sent, run.rules_loaded, run.enabled, run.exit_with_c) == (1, 1, None, 1)
    assert [entry.lost for entry in program.entries] == [False, False, True, True, True]
    assert program.stopped_by is program.entries[1]
    assert loaded(program) == [1]
    # The lines behind are judged in the state that the lines before them would leave.
    assert verdicts(program) == ["rule", "error", "rule", "error", "control"]
    assert [entry.loaded for entry in program.entries] == [True, False, False, False, False]


def test_ignore_goes_on_with_status_0() -> None:
    program = load("-i\n-w b\n-w /c\n")
    assert (program.run.exit, program.run.read_to_end, program.run.failed_lines) == (0, True, 1)
    assert program.run.exit_with_c == 1
    assert loaded(program) == [3]


def test_continue_goes_on_with_status_1() -> None:
    program = load("-c\n-w b\n-w /c\n")
    assert (program.run.exit, program.run.read_to_end) == (1, True)


def test_ignore_behind_the_failing_line_is_useless() -> None:
    assert load("-w b\n-i\n-w /c\n").run.last_line_read == 1


def test_ignore_acts_although_its_line_fails() -> None:
    program = load("-i -w /x\n-w /c\n")
    assert (program.run.exit, program.run.read_to_end, program.run.failed_lines) == (0, True, 1)


def test_continue_counts_failures_behind_it_only() -> None:
    """opt c sets continue_error to 1 whatever it was (src/auditctl.c)."""
    assert load("-i\n-w b\n-c\n-w /c\n").run.exit == 0
    assert load("-c\n-w b\n-c\n").run.exit == 0
    assert load("-c\n-w b\n-c\n").run.exit_with_c == 0
    assert load("-c\n-w b\n-c x\n").run.exit == 1
    assert load("-w b\n-c\n").run.exit == 1


def test_equal_rules() -> None:
    program = load("-a always,exit -F path=/a -F perm=r\n-w /a -p r\n")
    assert kinds(program) == [None, "kernel-EEXIST"]
    refused = program.entries[1]
    assert (refused.stage, refused.rule) == ("kernel", program.entries[0].rule)
    assert refused.equal_to == program.entries[0].at
    assert (program.run.rules_sent, program.run.rules_loaded) == (2, 1)


def test_prepended_rules_are_not_compared_but_count() -> None:
    program = load(
        "-a always,exit -S open -F uid=1\n-A always,exit -S open -F uid=1\n-A always,exit -S open -F uid=1\n"
    )
    assert verdicts(program) == ["rule"] * 3
    assert [each.entry.line.number for each in kernel_order(program.loaded)] == [3, 2, 1]
    assert kinds(load("-A always,exit -F uid=1\n-a always,exit -F uid=1\n")) == [None, "kernel-EEXIST"]


def test_other_order_of_fields_is_another_rule() -> None:
    assert verdicts(load("-a always,exit -F uid=1 -F gid=1\n-a always,exit -F gid=1 -F uid=1\n")) == ["rule", "rule"]


def test_class_bits_are_replaced_before_rules_are_compared() -> None:
    numbers = "82,83,84,85,86,87,88,133,258,259,263,264,265,266,316"
    text = f"-a always,exit -F arch=b64 -S 2047\n-a always,exit -F arch=b64 -S {numbers}\n"
    assert kinds(load(text)) == [None, "kernel-EEXIST"]


def test_delete() -> None:
    program = load("-w /a -p r\n-W /a -p r\n-W /a -p r\n")
    assert kinds(program) == [None, None, "kernel-ENOENT"]
    assert verdicts(program) == ["rule", "delete", "error"]
    assert loaded(program) == []
    assert (program.run.rules_sent, program.run.rules_loaded) == (1, 1)


def test_delete_takes_the_rule_at_the_head_of_the_list() -> None:
    program = load("-A always,exit -F uid=1\n-A always,exit -F uid=1\n-d always,exit -F uid=1\n")
    assert loaded(program) == [1]


def test_delete_of_what_the_kernel_would_not_take() -> None:
    assert kinds(load("-d always,exit -F uid=unset\n")) == ["kernel-EINVAL"]


def test_delete_all() -> None:
    program = load("-w /b -k b\n-A always,exit -S open -F path=/a -k a\n-D\n-D\n-w /b -k b\n", OLD)
    first = program.entries[2]
    assert (first.verdict, first.lists_rules) == ("delete", True)
    assert first.rule is not None
    assert (first.rule.key, first.rule.prepend) == ("a", False)  # the listing starts with the prepended rule
    assert (program.entries[3].verdict, program.entries[3].lists_rules) == ("control", True)
    assert loaded(program) == [5]


def test_delete_all_with_a_key_takes_it_as_part_of_the_key() -> None:
    program = load("-w /a -k login\n-w /b -k logout\n-w /c -k mine -k log\n-w /d\n-D -k log\n")
    assert loaded(program) == [4]
    assert load("-w /a -k x\n-D -k y\n").entries[1].verdict == "control"


def test_delete_all_in_the_order_of_the_lists() -> None:
    program = load("-a always,exit -F uid=1\n-a never,task\n-a always,user -F uid=1\n-D\n")
    assert program.entries[3].rule == program.entries[2].rule


def test_locked_kernel() -> None:
    program = load("-w /a\n-e 2\n-w /b\n-W /a\n-D\n-b 5\n-t\n-l\n-s\n--loginuid-immutable\n-e 1\n")
    denied = "kernel-EPERM"
    assert kinds(program) == [None, None, denied, denied, denied, denied, denied, None, None, None, denied]
    assert program.entries[5].control == ({"type": "SET", "backlog_limit": 5, "reply": "EPERM"},)
    assert program.entries[4].lists_rules
    assert program.run.enabled == 2


def test_locked_kernel_lists_and_deletes_nothing() -> None:
    assert verdicts(load("-e 2\n-D\n")) == ["control", "control"]


def test_a_refused_request_ends_the_line() -> None:
    program = load("-e 2\n-b 5 -f 1 -w /a\n")
    entry = program.entries[1]
    assert (entry.stage, entry.rule) == ("kernel", None)
    assert [control["type"] for control in entry.control] == ["SET"]


def test_requests_in_front_of_a_mistake_are_sent() -> None:
    program = load("-e 2 x\n-w /a\n")
    assert program.entries[0].control == ({"type": "SET", "enabled": 2},)
    assert kinds(program) == ["stray-parameter", "kernel-EPERM"]


def problem_of(entry: Entry) -> str | None:
    """The kind of the problem of a line."""
    return entry.problem.kind if entry.problem is not None else None


def test_kernel_problem_points_at_the_field() -> None:
    source = Source("a.rules", b"-a always,exit -F uid=1 -F gid&1 -F key=k -S open\n")
    problem = load_file(source, NEW, NOTHING).entries[0].problem
    assert problem is not None
    assert (problem.kind, problem.context, source.text(problem.span)) == ("kernel-EINVAL", "gid", "-F gid&1")


def test_dir_is_sent_again_as_path() -> None:
    program = load("-a always,exit -F dir=etc -F uid=1\n")
    entry = program.entries[0]
    assert [field.name for rule in (entry.rule, *entry.more) for field in rule.fields] == ["dir", "uid", "path", "uid"]
    assert (entry.problem.kind, program.run.rules_sent) == ("kernel-EINVAL", 2)
    assert load("-a always,exit -F uid=1 -F dir=etc\n").entries[0].more == ()
    assert len(load("-d always,exit -F dir=etc\n").entries[0].more) == 1


def test_missing_directory_stops_the_load() -> None:
    facts = Facts(paths_missing=frozenset(["/opt"]))
    program = load("-w /opt/app/log -p wa\n-w /etc/passwd\n", facts=facts)
    assert kinds(program) == ["kernel-ENOENT", None]
    assert program.run.last_line_read == 1


def test_crash_ends_everything() -> None:
    program = load("-c\n-b 5 -D\n-w /a\n")
    run = program.run
    assert (run.exit, run.read_to_end, run.last_line_read, run.exit_with_c, run.complete_with_c) == (
        -11,
        False,
        2,
        -11,
        False,
    )
    assert [entry.lost for entry in program.entries] == [False, False, True]


def test_unknown_signal_ends_everything_since_3_1_3() -> None:
    text = "-i\n--signal bogus\n-w /a\n"
    assert load(text, Target("6.1", auditctl="3.1.5")).run.last_line_read == 2
    assert load(text, Target("6.1", auditctl="3.0.9")).run.last_line_read == 3


def test_signal() -> None:
    program = load("--signal hup\n")
    assert (program.entries[0].verdict, program.entries[0].signal) == ("control", 1)


def test_kernel_none_takes_everything() -> None:
    program = load("-a always,exit -F uid=unset\n-w /a\n-w /a\n-W /b\n-D\n-e 2\n-w /c\n", NONE)
    assert verdicts(program) == ["rule", "rule", "rule", "delete", "control", "control", "rule"]
    assert loaded(program) == [7]


def test_rules_that_are_in_the_kernel_already() -> None:
    facts = Facts(kernel_rules=("-w /a -p wa -k x", "-i", "-e 2"))
    program = load("-w /a -p wa -k x\n-w /b\n", facts=facts)
    assert kinds(program) == ["kernel-EEXIST", None]
    assert program.entries[0].equal_to.source.path == "(rules in the kernel)"
    assert [entry.line.number for entry in program.entries] == [1, 2]
    assert (program.run.rules_sent, program.run.read_to_end) == (1, False)
    assert [each.rule.key for each in program.loaded] == ["x"]
    assert loaded(load("-D\n-w /a -p wa -k x\n", facts=Facts(kernel_rules=("-w /a -p wa -k x",)))) == [2]


@pytest.mark.parametrize(("auditctl", "status"), [("3.0.9", 0), ("3.1.1", 0), ("3.1.2", 1), ("4.2", 1)])
def test_kernel_that_is_locked_before_the_load(auditctl: str, status: int) -> None:
    program = load("-w /a\n-e 1\n", Target("6.1", auditctl=auditctl), Facts(kernel_enabled=2))
    assert (program.run.exit, program.run.refused.kind, program.run.read_to_end) == (status, "kernel-locked", False)
    assert [entry.lost for entry in program.entries] == [True, True]
    assert verdicts(program) == ["rule", "control"]
    assert (program.loaded, program.stopped_by) == ((), None)


OWNER, WRITABLE, TYPE = "file-owner", "file-world-writable", "file-not-regular"


@pytest.mark.parametrize(
    ("file", "by_release"),
    [
        (FileFacts(0, 0o640, "regular"), {"3.1.1": None, "3.1.2": None, "4.1.4": None}),
        (FileFacts(0, 0o640, "symlink"), {"3.1.1": None, "4.2": None}),
        (FileFacts(), {"3.0.9": None, "4.2": None}),
        (FileFacts(5, 0o640, "regular"), {"3.1.1": OWNER, "3.1.2": None, "4.1.4": None}),
        (FileFacts(0, 0o642, "regular"), {"3.1.1": WRITABLE, "3.1.2": None, "4.1.3": None, "4.1.4": WRITABLE}),
        (FileFacts(0, 0o644, "regular"), {"3.1.1": None, "4.2": None}),
        (FileFacts(5, 0o666, "device"), {"3.1.1": OWNER, "3.1.2": TYPE, "4.1.4": TYPE}),
        (FileFacts(0, 0o666, "device"), {"3.1.1": WRITABLE, "4.1.4": TYPE}),
        (FileFacts(type="directory"), {"3.1.1": TYPE, "3.1.2": TYPE, "4.1.4": TYPE}),
    ],
)
def test_owner_mode_and_type_of_the_file(file: Any, by_release: Any) -> None:
    for release, kind in by_release.items():
        run = load("-w /a\n", Target("6.1", auditctl=release), Facts(file=file)).run
        assert (run.refused and run.refused.kind, run.exit) == (kind, 0 if kind is None else 1), release


@pytest.mark.parametrize(("auditctl", "status"), [("2.8.5", 0), ("3.0", 1), ("4.2", 1)])
def test_missing_file(auditctl: str, status: int) -> None:
    run = load("", Target("6.1", auditctl=auditctl), Facts(file=FileFacts(type="missing"))).run
    assert (run.exit, run.refused.kind) == (status, "file-missing")


def directory(*files: tuple[str, str], target: Target = NEW, facts: Facts = NOTHING, awk: str = "gawk") -> Any:
    sources = [Source(f"rules.d/{name}", text.encode()) for name, text in files]
    return load_directory(sources, target, facts, awk, "rules.d")


def test_directory_points_at_the_fragments() -> None:
    program = directory(("20.rules", "-w /b\r\n-e 2\n"), ("10.rules", "# c\n-w /a\n-e 1\n"), ("x.txt", "-w /no\n"))
    assert program.is_directory
    assert [source.path for source in program.sources] == ["rules.d/10.rules", "rules.d/20.rules"]
    assert program.merged.path == "rules.d"
    assert [
        (e.at.source.path, e.at.source.line_of(e.at.span[0]), e.at.source.text(e.at.span)) for e in program.entries
    ] == [
        ("rules.d/10.rules", 2, "-w /a"),
        ("rules.d/20.rules", 1, "-w /b"),
        ("rules.d/20.rules", 2, "-e 2"),
    ]
    old, new = program.overridden[0]
    assert (old.source.text(old.span), new.source.text(new.span)) == ("-e 1", "-e 2")
    assert not load("-w /a\n").is_directory


def test_glued_lines_point_at_both_fragments() -> None:
    program = directory(("1.rules", "-w /a -k a"), ("2.rules", "-w /b -k b\n"))
    (entry,) = program.entries
    assert program.merged.text(entry.line.span) == "-w /a -k a-w /b -k b"
    assert [(part.source.path, part.span) for part in entry.parts] == [
        ("rules.d/1.rules", (0, 10)),
        ("rules.d/2.rules", (0, 10)),
    ]
    assert entry.at == entry.parts[0]
    start = entry.line.span[0]
    first, second = program.sources
    assert entry.place((start, start + 2)) == Location(first, (0, 2))
    assert entry.place((start + 8, start + 12), "m") == Location(first, (8, 10), "m")
    assert entry.place((start + 13, start + 15)) == Location(second, (3, 5))


def test_place_in_a_single_file() -> None:
    entry = load("# c\n  -w /a -k k\n").entries[0]
    assert entry.place((9, 11)) == Location(entry.line.source, (9, 11))


def test_overlong_lines_of_fragments() -> None:
    program = directory(("1.rules", "#" + "x" * 6142 + "-w /a\n"))
    assert program.entries == ()  # augenrules drops the comment as a whole
    program = directory(("1.rules", "-w /" + "x" * 6140 + "-w /a\n"), ("2.rules", "-w /b\n"))
    first, second, third = program.entries
    assert (first.line.part, second.line.part, third.line.part) == (0, 1, 0)
    assert (second.at.source.path, second.at.span) == ("rules.d/1.rules", (6143, 6149))
    assert second.place(second.line.span).span == (6143, 6149)
    assert third.at.source.path == "rules.d/2.rules"


def test_directory_ignores_the_facts_of_the_file() -> None:
    facts = Facts(file=FileFacts(5, 0o666, "device"))
    assert directory(("1.rules", "-w /a\n"), facts=facts).run.refused is None
    assert directory(("1.rules", "-w /a\n"), facts=Facts(kernel_enabled=2)).run.refused.kind == "kernel-locked"


def test_single_commands() -> None:
    done = judge_words(["-w", "/a", "-p", "r"], NEW, NOTHING)
    assert (done.exit, done.entry.verdict) == (0, "rule")
    assert judge_words(["-w", "a"], NEW, NOTHING).exit == 255
    assert problem_of(judge_words(["-W", "/a"], NEW, NOTHING).entry) == "kernel-ENOENT"
    assert judge_words(["-b", "5", "-D"], NEW, NOTHING).exit == -11
    assert judge_words([], NEW, NOTHING).exit == 1
    assert judge_words(["--signal", "KILL"], NEW, NOTHING).exit == 1
    assert judge_words(["--signal", "KILL"], OLD, NOTHING).exit == 255


def test_single_commands_on_a_locked_kernel() -> None:
    locked = Facts(kernel_enabled=2)
    done = judge_words(["-w", "/a"], NEW, locked)
    assert (done.exit, problem_of(done.entry), done.entry.stage) == (1, "kernel-locked", "kernel")
    assert judge_words(["-w", "/a"], OLD, locked).exit == 0
    assert judge_words(["-w", "/a"], NONE, locked).exit == 0


def test_lines_without_effect() -> None:
    program = load("-i\n-v\n-s\n-l\n-m hello\n-a task,possible\n", OLD)
    assert verdicts(program) == ["none", "none", "none", "control", "control", "dropped"]
    assert program.entries[3].lists_rules


def test_standing_rules_are_those_of_a_load_that_nothing_stops() -> None:
    program = load_file(Source("audit.rules", b"-w /a -p r\n-w /b -p q\n-w /c -p r\n-W /a -p r\n"), Target(), Facts())
    assert [each.rule.fields[0].value for each in program.loaded] == ["/a"]
    assert [each.rule.fields[0].value for each in program.loaded_with_c] == ["/c"]
