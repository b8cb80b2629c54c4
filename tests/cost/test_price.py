"""The model, number by number: what docs/cost-model.md lets a reader compute by hand, and what must always hold."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from auditlint.core.facts import Facts
from tests.cost.lab import KERNELS, operation, overhead, price

MISS = "-a always,exit -F arch=b64 -S mknod -F auid>=1000 -k m{}\n"
ALL = "-a always,exit -F arch=b64 -S all -F uid=9999 -k k{}\n"


def many(line: str, count: int) -> str:
    return "".join(line.format(number) for number in range(count))


@pytest.mark.parametrize(
    ("kernel", "first", "mask"), [("5.10", 129 + 1, 19), ("6.1", 338 + 1, 19), ("6.12", 390 + 13, 11)]
)
def test_rules_that_do_not_name_the_call_cost_one_mask_test_each(kernel: str, first: int, mask: int) -> None:
    nothing = overhead("", "getppid", kernel=kernel)
    for count in (1, 10, 300):
        assert overhead(many(MISS, count), "getppid", kernel=kernel) == nothing + first + count * mask


def test_a_rule_that_names_the_call_pays_entry_and_fields_up_to_the_first_mismatch() -> None:
    """6.1, per rule: mask 19, enter 51, arch true 45 + 3, uid false 48."""
    base = overhead("", "getppid") + 338 + 1
    assert overhead(many(ALL, 30), "getppid") == base + 30 * (19 + 51 + 48 + 48)


def test_watches_on_files_cost_nothing_without_a_path() -> None:
    text = "".join(f"-w /etc/f{number} -p wa -k w\n" for number in range(90))
    found = operation(price(text), "getppid")
    assert found.overhead == 162 + 338
    assert operation(price(text), "stat").overhead > overhead("-w /etc/f -p wa\n", "stat")


def test_expected_bucket_is_one_in_32() -> None:
    """6.1: a watch costs mask 19, enter 51 and path 35 where its bucket is met."""
    one, many_ = ("".join(f"-w /etc/f{number} -p wa\n" for number in range(count)) for count in (1, 65))
    assert overhead(many_, "stat") - overhead(one, "stat") == pytest.approx(64 / 32 * 105, abs=0.2)


def test_missing_files_share_a_bucket_with_failed_look_ups() -> None:
    missing = Facts(paths_missing=frozenset(f"/etc/f{number}" for number in range(90)))
    text = "".join(f"-w /etc/f{number} -p wa\n" for number in range(90))
    found = operation(price(text, facts=missing), "access_fail")
    assert found.overhead > 9000
    hit = operation(price(text, facts=missing), "stat")
    assert hit.low < hit.overhead - 250, "on most machines a name that exists meets none of them"
    assert hit.high is not None and hit.high > hit.overhead + 8000, "and on one in 32 it meets all"


@pytest.mark.parametrize("kernel", KERNELS)
def test_parts_add_up_and_rules_explain_what_is_not_fixed(kernel: str) -> None:
    text = many(ALL, 3) + many(MISS, 4) + "-w /etc/f -p wa\n-w /etc/ -p wa\n-a never,task -F uid=5\n"
    text += "-a always,exit -S all -F exe=/bin/x -F obj_uid=7\n-a never,filesystem -F fstype=0x74726163\n"
    cost = price(text, kernel=kernel)
    for each in cost.operations:
        assert round(sum(part.amount for part in each.parts), 1) == each.overhead
        assert each.low <= each.overhead
        assert each.high is not None and each.overhead <= each.high
        fixed: tuple[str, ...] = (
            "auditing switched on",
            "first rule: contexts filled and cleared",
            "path names collected",
        )
        fixed += (
            "file notification marks",
            "signal target noted",
            "exit list walked at all",
            "watched tree visited before",
        )
        whole = sum(part.amount for part in each.parts if part.what not in fixed)
        of_rules = sum(rule.amount[each.name] for rule in cost.rules)
        bucket = {"5.10": 0, "6.1": 0, "6.12": 16}[kernel]
        assert of_rules == pytest.approx(whole, abs=4 * bucket / 32 * 3 + 0.6)


def test_never_task_gives_the_cost_back_except_for_marks() -> None:
    text = "-a never,task\n" + many(ALL, 50) + "-w /etc/f -p wa\n"
    cost = price(text)
    assert operation(cost, "getppid").overhead == 0
    assert [part.what for part in operation(cost, "open").parts] == ["file notification marks"]
    running = price(text, running=True)
    assert operation(running, "getppid").overhead > 8000


def test_switched_off_keeps_the_slow_path() -> None:
    """6.1: 565 after `-e 0`, 437 for a task forked before it, against 485 with auditing on and 323 without audit."""
    assert overhead("-e 0\n", "getppid") == 565 - 323
    assert overhead(many(ALL, 50) + "-e 0\n", "getppid") == 565 - 323
    assert operation(price("-e 0\n", running=True), "getppid").overhead == 437 - 323


def test_exclude_rules_make_only_kill_dearer() -> None:
    text = "".join(f"-a always,exclude -F msgtype={number}\n" for number in range(1305, 1320))
    plain, found = price(""), price(text)
    for each in found.operations:
        assert each.overhead == operation(plain, each.name).overhead + (23 if each.name == "kill0" else 0)


def test_a_leading_never_ends_the_walk() -> None:
    behind = many("-a always,exit -S all -F uid=9999 -k k{}\n", 50)
    text = "-a never,exit -F arch=b64 -S read,write\n" + behind
    assert overhead(text, "read") == 162 + 338 + 1 + 19 + 51 + 48 + 14
    assert overhead(text, "getppid") == overhead(behind, "getppid") + 19


def test_a_logged_call_pays_for_its_records() -> None:
    found = operation(price("-a always,exit -F arch=b64 -S getppid -k x\n"), "getppid")
    assert found.logged is True
    assert 60_000 < found.overhead < 72_000


def test_labels_are_not_known() -> None:
    found = operation(price("-a always,exit -S all -F subj_type=crond_t\n"), "getppid")
    assert found.high is None
    assert found.not_known == ("tests of subj_type",)
    without = operation(price("-a always,exit -S all -F subj_type=crond_t\n", facts=Facts(lsm="none")), "getppid")
    assert without.not_known == ()
    assert without.high == without.overhead


def test_a_line_that_was_not_measured_says_so_and_widens() -> None:
    measured, other = price(many(MISS, 50), kernel="6.1"), price(many(MISS, 50), kernel="6.3")
    assert (
        operation(measured, "getppid").low
        == operation(measured, "getppid").high
        == operation(measured, "getppid").overhead
    )
    found = operation(other, "getppid")
    assert found.overhead == operation(measured, "getppid").overhead
    assert found.low < found.overhead * 0.85
    assert any("6.3 was not measured" in remark and "6.1" in remark for remark in other.remarks)
    assert not measured.remarks


def test_published_figures_are_quoted_where_nothing_was_measured() -> None:
    found = price("-a always,io_uring -S openat -F uid=5 -k u\n", auditctl="4.2")
    assert any("NOP 31.05 M -> 25.31 M/s (-18.5 %)" in remark for remark in found.remarks)
    found = price("-a always,exit -F arch=b64 -S openat -k u\n", machine="aarch64")
    assert any("megabytes" in remark or "dd if=/dev/zero" in remark for remark in found.remarks)


def test_what_is_not_known_of_paths_is_said() -> None:
    assert any("taken to be files that exist" in remark for remark in price("-w /etc/x -p wa\n").remarks)
    assert not price("-w /etc/x -p wa\n", facts=Facts(paths_missing=frozenset(["/etc/y"]))).remarks
    assert not price("-a always,exit -S mknod\n").remarks


def test_32_bit_rules_are_entered_by_64_bit_calls_of_the_same_number() -> None:
    """i386 open is 5, which is fstat on x86-64: entry 51 and arch 45 each (6.1)."""
    text = many("-a always,exit -F arch=b32 -S open -F auid>=1000 -k k{}\n", 30)
    assert overhead(text, "fstat") - overhead(text, "getppid") == 30 * (51 + 45)


FIELDS = st.sampled_from(
    [
        "auid>=1000",
        "auid!=unset",
        "uid=9999",
        "euid=0",
        "gid=0",
        "exit=-EXDEV",
        "success=1",
        "a0=1",
        "a2&1",
        "pid=1",
        "ppid!=1",
        "exe=/bin/x",
        "perm=wa",
        "dir=/etc",
        "path=/etc/f",
        "obj_uid=7",
        "filetype=socket",
        "devmajor=3",
        "sessionid=5",
        "pers=0",
        "saddr_fam=10",
        "inode=77",
        "subj_type=x_t",
        "obj_type=y_t",
        "egid!=5",
        "fsuid<9",
    ]
)


@settings(max_examples=40, deadline=None, derandomize=True)
@given(st.lists(st.tuples(st.sampled_from(["always", "never"]), st.lists(FIELDS, max_size=4, unique=True)), max_size=8))
def test_any_rule_set_has_a_price(rules: list[tuple[str, list[str]]]) -> None:
    lines = ["-i"]
    for action, fields in rules:
        lines.append(f"-a {action},exit -S all " + " ".join(f"-F {field}" for field in fields))
    cost = price("\n".join(lines) + "\n")
    for each in cost.operations:
        assert round(sum(part.amount for part in each.parts), 1) == each.overhead
        assert each.low <= each.overhead + 0.1
        assert each.high is None or each.overhead <= each.high + 0.1


def test_a_kernel_between_two_measured_ones_is_bounded_by_both() -> None:
    """getppid without rules: 261 on 5.10, 162 on 6.1."""
    for text in ("", "-a always,exit -F arch=b64 -S mknod -k y\n", "-w /etc/passwd -p wa -k id\n"):
        between, old, new = (price(text, kernel=kernel) for kernel in ("5.15", "5.10", "6.1"))
        for each, below, above in zip(between.operations, old.operations, new.operations, strict=True):
            for other in (below, above):
                assert other.high is not None and each.high is not None
                assert each.low <= other.low <= other.overhead <= other.high <= each.high, each.name
    assert operation(price("", kernel="5.15"), "getppid").low <= 162


@pytest.mark.parametrize("kernel", ["4.19", "5.15", "6.6", "6.18", "7.3"])
def test_bounds_of_a_kernel_that_was_not_measured_hold_two_measured_ones(kernel: str) -> None:
    found = operation(price("", kernel=kernel), "getppid")
    assert found.high is not None
    held = [
        line
        for line in ("5.10", "6.1", "6.12")
        if found.low <= operation(price("", kernel=line), "getppid").overhead <= found.high
    ]
    assert len(held) >= 2


def test_nothing_is_said_of_bounds_on_another_machine() -> None:
    cost = price("-a always,exit -F arch=b64 -S openat -k u\n", machine="aarch64")
    for each in cost.operations:
        assert (each.low, each.high) == (0, None)
        assert each.not_known[-1] == "instructions on aarch64"
    assert any("nothing is said of bounds" in remark for remark in cost.remarks)


def test_the_facts_say_that_auditing_is_off() -> None:
    facts = Facts(kernel_enabled=0)
    text = "-a always,exit -F arch=b64 -S all -F uid=9999 -k k\n"
    cost = price(text, facts=facts)
    found = operation(cost, "getppid")
    assert (found.low, found.overhead, found.high, found.logged) == (0, 565 - 323, 565 - 323, False)
    assert any("kernel.enabled = 0" in remark for remark in cost.remarks)
    assert operation(price(text + "-e 1\n", facts=facts), "getppid") == operation(price(text), "getppid")


def test_a_running_task_forks_children_without_context() -> None:
    """never_task_forked_before: 37,101 measured on 6.1."""
    found = operation(price("-a never,task\n", running=True), "fork")
    assert found.base is not None
    assert found.base + found.overhead == pytest.approx(37101, abs=110)
