"""The tables of 2006 as a check of the model's shape: linear while watches are list entries, flat once hashed.

Kernel, machine and number of calls were others then: only shapes can agree, never numbers.
"""

from __future__ import annotations

from auditlint.core.data import load_toml
from tests.cost.lab import overhead

SERIES = {each["id"]: dict(each["points"]) for each in load_toml("cost/published.toml")["series"]}
COUNTS = (0, 10, 25, 50, 75, 90)
SYSCALL_RULE = "-a always,exit -F arch=b64 -S mount -F auid>={} -k s\n"
ON_THE_LIST = "-a always,exit -S all -F dir=/nowhere/{} -F perm=wa -k w\n"
FILE_CALLS = (
    "-a always,exit -F arch=b64 -S open,openat,creat,truncate,unlink,rename,chmod,chown -F dir=/nowhere/{} -k w\n"
)
HASHED = "-w /nowhere/{} -p wa -k w\n"


def model(watch: str) -> list[float]:
    """What audit adds to access() with 0 to 90 rules: ten system call rules first, watches behind."""
    found = []
    for count in COUNTS:
        lines = [(SYSCALL_RULE if number < 10 else watch).format(number) for number in range(count)]
        found.append(overhead("".join(lines), "access_ok"))
    return found


def slope(values: list[float]) -> float:
    """Growth per watch between the first and the last of the 80 watches."""
    return (values[5] - values[1]) / 80


def nonlinearity(values: list[float]) -> float:
    """Largest distance from the straight line through 10 and 90 rules, as a share of the growth."""
    growth = values[5] - values[1]
    line = [values[1] + growth * (count - 10) / 80 for count in COUNTS[1:]]
    return max(abs(value - at) for value, at in zip(values[1:], line, strict=True)) / growth


def published(name: str) -> list[float]:
    return [SERIES[name][count] for count in COUNTS]


def test_watches_on_the_list_are_linear_then_and_now() -> None:
    assert nonlinearity(published("watch-2006-all-syscalls")) < 0.15
    assert nonlinearity(published("watch-2006-all-syscalls-less-selinux")) < 0.15
    assert nonlinearity(model(ON_THE_LIST)) < 0.001


def test_a_narrow_mask_is_several_times_cheaper() -> None:
    then = slope(published("watch-2006-all-syscalls")) / slope(published("watch-2006-file-syscalls"))
    now = slope(model(ON_THE_LIST)) / slope(model(FILE_CALLS))
    assert then > 3
    assert now > 3


def test_hashed_watches_are_flat() -> None:
    then = slope(published("watch-2006-inode-hash")) / slope(published("watch-2006-all-syscalls"))
    now = slope(model(HASHED)) / slope(model(ON_THE_LIST))
    assert then < 0.05
    assert now < 0.05


def test_system_call_rules_cost_less_than_watches_on_the_list() -> None:
    """The first ten rules of 2006 were system call rules: 7 s for ten, against 1.6 s for each watch behind them."""
    then = published("watch-2006-all-syscalls")
    assert (then[1] - then[0]) / 10 < slope(then)
    now = model(ON_THE_LIST)
    first = overhead(SYSCALL_RULE.format(0), "access_ok")
    assert (now[1] - first) / 9 < slope(now)


def test_switched_off_lies_between_never_on_and_on() -> None:
    """2005: never enabled 22.6 s, enabled then disabled 23.8 s, enabled 24.7 s; 5.10 and tasks of before: the same."""
    point = next(
        each for each in load_toml("cost/published.toml")["point"] if each["id"] == "disabled-after-enabled-2005"
    )
    seconds = point["seconds"]
    assert seconds["never_enabled"] < seconds["enabled_then_disabled"] < seconds["enabled"]
    off = overhead("-e 0\n", "access_ok", kernel="5.10", running=True)
    assert 0 < off < overhead("", "access_ok", kernel="5.10")
