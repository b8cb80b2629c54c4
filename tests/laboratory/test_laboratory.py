"""The laboratory: what it builds, how it reads the guest, and the guest itself where QEMU and kernels are to be had."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from auditlint.core.errors import UserError
from tools.laboratory import comparison, cpio, events, fit, machine
from tools.laboratory.__main__ import cache_folder
from tools.laboratory.kernels import Store, source_lines
from tools.laboratory.measure import merged, readings, row
from tools.laboratory.rule_files import named_paths
from tools.laboratory.scenarios import QUICK, Scenario, scenarios

OUTPUT = """\
junk of the firmware
scenario first
status 0
held 2
cost getppid 485.0000
cost open 5973.3250
status 0
scenario second
note loginuid: Operation not permitted
cost getppid 843.0000
status 3
end of plan
"""


def laboratory(*arguments: str) -> subprocess.CompletedProcess[str]:
    root = Path(__file__).resolve().parents[2]
    command = [sys.executable, "-m", "tools.laboratory", *arguments]
    return subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)


@pytest.mark.skipif(not shutil.which("cpio"), reason="cpio is not installed")
def test_archive_is_what_cpio_reads(tmp_path: Path) -> None:
    members = [
        cpio.Member("etc", cpio.DIRECTORY | 0o755),
        cpio.Member("etc/f", cpio.FILE | 0o640, b"seven b"),
        cpio.Member("link", cpio.LINK | 0o777, b"etc/f"),
    ]
    data = cpio.archive(members)
    assert data == cpio.archive(members)
    subprocess.run(["cpio", "-i", "--quiet"], input=data, cwd=tmp_path, check=True)
    assert (tmp_path / "etc/f").read_bytes() == b"seven b"
    assert (tmp_path / "etc/f").stat().st_mode & 0o777 == 0o640
    assert (tmp_path / "link").readlink() == Path("etc/f")


def test_scenarios_are_those_of_the_reference(shared: Path) -> None:
    with (shared / "cost/measurements.jsonl").open(encoding="utf-8") as file:
        rows = [json.loads(line) for line in file]
    for scenario, reference in zip(scenarios(), rows, strict=True):
        assert scenario.name == reference["scenario"]
        assert list(scenario.rules) == reference["rules"]
        assert scenario.auditctl == reference["auditctl"]
        assert {"uid": scenario.uid, "auid": scenario.auid} == reference["actor"]
        assert scenario.state == reference["state"]


def test_scenarios_by_name() -> None:
    assert [scenario.name for scenario in scenarios(names=QUICK)] == list(QUICK)
    with pytest.raises(KeyError):
        scenarios(names=["none-such"])


def test_plan_says_what_happens_before_and_after_the_fork() -> None:
    scenario = Scenario("s", ("-w /a",), before=("-r", "1"), after=("-e", "0"), reader=True, visit=("/a",), auid=500)
    assert scenario.plan("a") == [
        "scenario s a",
        "rules a /rules/s",
        "auditctl a -r 1",
        "reader",
        "start 0 500 /a",
        "auditctl a -e 0",
        "run",
    ]


def test_readings() -> None:
    first, second = readings(OUTPUT.splitlines(), [Scenario("first", ("-D",)), Scenario("second", ())])
    assert first.held == 2 and first.instructions == {"getppid": 485.0, "open": 5973.325} and first.notes == ()
    assert second.held is None
    assert second.notes == ("loginuid: Operation not permitted", "a program ended with status 3")
    rows = merged([row(first, "6.1")], [row(first, "6.12")])
    assert rows[0]["instructions"]["6.1"] == rows[0]["instructions"]["6.12"] == {"getppid": 485.0, "open": 5973.32}


def test_a_guest_that_measures_nothing_is_an_error() -> None:
    with pytest.raises(UserError, match="nothing for third"):
        readings(OUTPUT.splitlines(), [Scenario("third", ())])


def test_named_paths_exist_with_their_folders() -> None:
    rules = "-w /etc/ssh/ -p wa\n-a always,exit -F dir=/opt/x -F exe=/usr/sbin/y\n-w /etc/passwd\n-w /a/../b\n"
    members = {member.name: bool(member.mode & cpio.DIRECTORY) for member in named_paths(rules)}
    assert members == {
        "etc": True,
        "etc/passwd": False,
        "etc/ssh": True,
        "opt": True,
        "opt/x": True,
        "usr": True,
        "usr/sbin": True,
        "usr/sbin/y": False,
    }


def test_comparison_finds_what_differs() -> None:
    here = [{"scenario": "s", "instructions": {"6.1": {"getppid": 100.0, "open": 505.0}}}]
    reference = [{"scenario": "s", "instructions": {"6.1": {"getppid": 100.0, "open": 500.0, "read": 1.0}}}]
    table = comparison.differences(comparison.cells(here, reference, "6.1"))
    assert "getppid            1     1    0.00     0.00" in table
    assert "s open: 505.00 here, 500.00 in the reference" in table


def test_saving_is_told_against_the_first_file() -> None:
    made = [Scenario(name, ()) for name in ("none", "a", "b")]
    lines = []
    for name, cost in (("none", 500), ("a", 1000), ("b", 600)):
        lines += [f"scenario {name}", "held 7", f"cost getppid {cost}"]
    table = comparison.side_by_side(readings(lines, made), ["no rules", "a.rules", "b.rules"])
    assert "400     80.0%" in table
    assert "b.rules: the kernel holds 7 rules" in table


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["rules", "/none/such.rules"], "/none/such.rules: No such file or directory"),
        (["measure", "--only", "none-such"], "no scenario 'none-such'"),
        (["measure", "--quick", "--image", "/none/such"], "/none/such: no such file"),
    ],
)
def test_wrong_use_ends_with_one_line(arguments: list[str], said: str) -> None:
    done = laboratory(*arguments)
    assert done.returncode == 2 and said in done.stderr and done.stderr.count("\n") == 1


def test_sources_are_those_of_the_machine() -> None:
    try:
        lines = source_lines()
    except UserError:
        pytest.skip("apt names no Debian mirror")
    assert any(" sid main" in line for line in lines)
    assert all(line.startswith("deb ") for line in lines)


def test_a_new_line_gets_its_columns(shared: Path, root: Path, tmp_path: Path) -> None:
    """A line that is measured like 6.12 gets the prices of 6.12, and records near those of the table."""
    measured = fit.read(shared / "cost/measurements.jsonl")
    for instructions in measured.values():
        if "6.12" in instructions:
            instructions["9.9"] = instructions["6.12"]
    shutil.copytree(root / "rulesets/cost", tmp_path / "cost")
    fit.add_line(measured, "9.9", "9.9.1", "9.0", tmp_path / "cost")
    for name in ("prices.tsv", "events.tsv"):
        lines = (tmp_path / "cost" / name).read_text(encoding="utf-8").splitlines()
        head = next(line for line in lines if "\t6.12\t" in line).split("\t")
        for line in lines:
            if not line.startswith("#"):
                cells = dict(zip(head, line.split("\t"), strict=True))
                assert name == "events.tsv" or cells["9.9"] == cells["6.12"], line
                assert float(cells["9.9"]) or name == "prices.tsv"
    assert (tmp_path / "cost/lines.tsv").read_text(encoding="utf-8").splitlines()[-1].startswith("9.9\t9.0\t9.9.1\t")
    with pytest.raises(UserError, match=r"9\.9 is in"):
        fit.add_line(measured, "9.9", "9.9.1", "9.0", tmp_path / "cost")
    with pytest.raises(UserError, match=r"not measured on 9\.8: base_norules"):
        fit.add_line(measured, "9.8", "9.8.1", "9.8", tmp_path / "cost")


def test_events_of_the_guest_are_compared() -> None:
    lines = [
        "scenario d1",
        "held 3",
        "op alice open_r",
        'event 257 64 yes 0 "k3"',
        "event 3 64 yes 0 (null)",
        "op alice stat",
        "op root kill0",
    ]
    here = events.readings(lines)
    opened = ((257, 64, True, 0, "k3"), (3, 64, True, 0, ""))
    assert here == {"d1": [("alice", "open_r", opened), ("alice", "stat", ()), ("root", "kill0", ())]}
    same = events.RuleSet("d1", (), tuple(here["d1"]))
    assert events.report([same], here) == ("1 rule sets, 3 operations, 2 events; 0 operations differ", 0)
    other = events.RuleSet("d1", (), (*here["d1"][:2], ("root", "kill0", ((62, 64, True, 0, "k1"),))))
    table, differing = events.report([other], here)
    assert differing == 1
    assert "d1 root kill0: logged nothing, expected 62=0 k1" in table


def test_decisions_that_the_guest_can_repeat(root: Path) -> None:
    sets = events.recorded(root / "tests/kernel/data/decisions.json.gz", "6.1")
    assert len(sets) > events.QUICK_SETS
    assert not any("-F a0" in rule for rule_set in sets for rule in rule_set.rules)
    assert any(logged for rule_set in sets for *_, logged in rule_set.results)
    with pytest.raises(UserError, match=r"no decisions of kernel 9\.9"):
        events.recorded(root / "tests/kernel/data/decisions.json.gz", "9.9")


def test_the_measured_line_7_2_can_be_added(root: Path, tmp_path: Path) -> None:
    shutil.copytree(root / "rulesets/cost", tmp_path / "cost")
    measured = str(root / "tools/laboratory/measured/7.2.json")
    done = laboratory("fit", measured, "--add", "7.2", "--version", "7.2.13", "--tables", str(tmp_path / "cost"))
    assert done.returncode == 0, done.stderr
    lines = (tmp_path / "cost/prices.tsv").read_text(encoding="utf-8").splitlines()
    head = next(line for line in lines if line.startswith("# name\t")).split("\t")
    prices = {line.split("\t")[0]: dict(zip(head, line.split("\t"), strict=True)) for line in lines if line[0] != "#"}
    assert (prices["mask"]["7.2"], prices["rules"]["7.2"], prices["enter"]["7.2"]) == ("9", "354", "48")
    shipped = (root / "rulesets/cost/prices.tsv").read_text(encoding="utf-8").splitlines()
    assert [line.split("\t")[:4] for line in lines if line[0] != "#"] == [
        line.split("\t")[:4] for line in shipped if line[0] != "#"
    ]


@pytest.fixture(scope="session")
def guest() -> None:
    """A machine that can run the laboratory. AUDITLINT_LABORATORY names the folder of its kernels."""
    reason = machine.missing()
    if not os.environ.get("AUDITLINT_LABORATORY"):
        reason = "AUDITLINT_LABORATORY names no folder for kernels"
    if reason:
        pytest.skip(reason)
    try:
        Store(cache_folder()).kernel("6.1")
    except UserError as error:
        pytest.skip(str(error))


@pytest.mark.real
@pytest.mark.slow
def test_the_guest_counts_what_the_tables_say(guest: Any, root: Path, tmp_path: Path) -> None:
    done = laboratory("measure", "--quick", "--output", str(tmp_path / "out.jsonl"))
    assert done.returncode == 0, done.stderr
    rows = [json.loads(line) for line in (tmp_path / "out.jsonl").read_text().splitlines()]
    counted = {row["scenario"]: row["instructions"]["6.1"] for row in rows}
    # Kernels of one line differ by little, and not at all in the walk over the rules.
    exact = {
        "base_norules": (485, 875),
        "miss_1": (843, 1233),
        "miss_50_rep": (1774, 2164),
        "fail_uid_30": (4364, 4754),
    }
    for name, (getppid, read) in exact.items():
        assert counted[name]["getppid"] == pytest.approx(getppid, rel=0.005)
        assert counted[name]["read"] == pytest.approx(read, rel=0.005)
    assert counted["miss_50_rep"]["getppid"] - counted["miss_1"]["getppid"] == 49 * 19
    assert {row["scenario"]: row["loaded"]["6.1"] for row in rows} == {
        "base_norules": 0,
        "miss_1": 1,
        "miss_50_rep": 50,
        "fail_uid_30": 30,
        "watch_50": 50,
    }


@pytest.mark.real
@pytest.mark.slow
def test_the_guest_logs_what_match_says(guest: None) -> None:
    """AUDITLINT_LABORATORY_NIGHTLY=1 takes all rule sets of the sample instead of the first twelve."""
    arguments = [] if os.environ.get("AUDITLINT_LABORATORY_NIGHTLY") else ["--quick"]
    done = laboratory("events", *arguments)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "0 operations differ" in done.stdout
