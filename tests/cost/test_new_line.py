"""A newly measured kernel line is data: rows and columns in `rulesets/cost/`, no code."""

import json

import pytest

from tests.package_copy import PackageCopy

RULES = "-D\n-a always,exit -F arch=b64 -S openat -F success=0 -F key=denied\n-w /etc/shadow -p wa -k shadow\n"


@pytest.fixture
def with_line(package_copy: PackageCopy) -> PackageCopy:
    """The made-up line 9.9: the walk costs twice what it costs on 6.12, records ten times."""
    package_copy.write("cost/lines.tsv", [*package_copy.rows("cost/lines.tsv"), "9.9\t9.1\t9.9.1\t0.18\t0.1"])
    for table, at, factor in (("prices.tsv", 4, 2), ("events.tsv", 5, 10)):
        changed = []
        for line in package_copy.rows(f"cost/{table}"):
            cells = line.split("\t")
            if not line.startswith("#"):
                cells.insert(at, format(float(cells[at - 1]) * factor, "g"))
            changed.append("\t".join(cells))
        package_copy.write(f"cost/{table}", changed)
    bases = package_copy.rows("cost/bases.tsv")
    new = [line.replace("\t6.12\t", "\t9.9\t") for line in bases if "\t6.12\t" in line]
    package_copy.write("cost/bases.tsv", [*bases, *new])
    (package_copy.folder / "a.rules").write_text(RULES)
    return package_copy


def cost(package: PackageCopy, kernel: str) -> dict[str, dict[str, float]]:
    done = package.run("cost", "--kernel", kernel, "--format", "json", "a.rules")
    assert (done.returncode, done.stderr) == (0, "")
    return {operation["name"]: operation for operation in json.loads(done.stdout)["operations"]}


def test_the_new_line_has_its_own_prices(with_line: PackageCopy) -> None:
    new, before = cost(with_line, "9.9"), cost(with_line, "6.12")
    assert new.keys() == before.keys()
    # getppid is logged by no rule and searches no group: all of it are prices of prices.tsv.
    assert new["getppid"]["overhead"] > before["getppid"]["overhead"]
    # A failed open is recorded: its records cost ten times as much.
    assert new["access_fail"]["base"] == before["access_fail"]["base"]
    assert all(new[name]["low"] <= new[name]["overhead"] for name in new)
    recorded = [name for name in new if before[name]["logged"]]
    assert recorded
    assert all(new[name]["overhead"] > 5 * before[name]["overhead"] for name in recorded)


def test_lines_near_the_new_one_are_bounded_by_it(with_line: PackageCopy) -> None:
    """9.5 was not measured: 9.9 serves it, and its bounds hold what 6.12 costs, too."""
    between, new, before = (cost(with_line, kernel)["getppid"] for kernel in ("9.5", "9.9", "6.12"))
    assert between["overhead"] == new["overhead"]
    assert between["low"] <= before["overhead"]
    assert between["high"] >= new["high"]
    text = with_line.run("cost", "--kernel", "9.5", "a.rules").stdout
    assert "9.9" in text
    assert "6.12" in text


def test_sources_show_the_new_line(with_line: PackageCopy) -> None:
    done = with_line.run("cost", "--sources")
    assert done.returncode == 0, done.stderr
    assert "prices in instructions (5.10, 6.1, 6.12, 9.9)" in done.stdout
    assert "9.9; 9.1; 9.9.1; 0.18; 0.1" in done.stdout
    as_json = with_line.run("cost", "--sources", "--format", "json")
    assert as_json.returncode == 0, as_json.stderr
    assert all("9.9" in price for price in json.loads(as_json.stdout)["prices"])


def test_a_workload_has_the_new_prices(with_line: PackageCopy) -> None:
    done = with_line.run("cost", "--kernel", "9.9", "--workload", "-", "a.rules", stdin="getppid 1000\nopenat 10 5\n")
    assert done.returncode == 0, done.stderr
