"""Public reports written in other words: what is said about a rule must not hang on how its line is put."""

from __future__ import annotations

import copy
import json
import re
from typing import TYPE_CHECKING, Any

import pytest

from tests.public_reports import run

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    Case = dict[str, Any]


def split(line: str) -> list[str] | None:
    """The options of a rule line, one text each; None for lines that are no plain rule."""
    parts = re.findall(r"-\w [^\s\"-]\S*", line)
    return parts if line.startswith(("-a ", "-A ")) and " ".join(parts) == line else None


def rearranged(line: str, last: str) -> str:
    """Fields from right to left, those but arch; `last` are the options that stand behind them."""
    parts = split(line)
    if parts is None:
        return line
    arch = [part for part in parts if part.startswith("-F arch")]
    calls = [part for part in parts if part.startswith("-S")]
    keys = [part for part in parts if part.startswith("-k")]
    fields = [part for part in parts[1:] if part not in (*arch, *calls, *keys)][::-1]
    middle = calls + fields if last == "fields" else fields + calls
    return " ".join((parts[0], *arch, *middle, *keys))


def glued(line: str) -> str:
    return line if "-F -k" in line else re.sub(r"-([FSkpw]) (?=[^\s\"])", r"-\1", line)


def spaced(line: str) -> str:
    return "  " + line.replace(" ", "   ") + " " if not line.endswith("\r") else line


def key_as_field(line: str) -> str:
    return line if split(line) is None else re.sub(r" -k (\S+)$", r" -F key=\1", line)


def key_as_option(line: str) -> str:
    return re.sub(r" -F key=(\S+)$", r" -k \1", line)


def list_first(line: str) -> str:
    return re.sub(r"^-([aA]) (always|never),(\w+)", r"-\1 \3,\2", line)


def calls_apart(line: str) -> str:
    return re.sub(r"-S (\S+)", lambda found: " ".join(f"-S {name}" for name in found[1].split(",")), line)


def unset_by_number(line: str) -> str:
    return line.replace("auid!=unset", "auid!=4294967295").replace("auid=unset", "auid=-1")


def arch_by_machine(line: str) -> str:
    return line.replace("arch=b64", "arch=x86_64").replace("arch=b32", "arch=i386")


def upper_case(line: str) -> str:
    """Names of system calls and fields have no case."""
    line = re.sub(r"(-S )([a-z0-9_,]+)", lambda found: found[1] + found[2].upper(), line)
    return line.replace("-S ALL", "-S all").replace("-F auid", "-F AUID").replace("-F perm", "-F Perm")


LINES: list[Callable[[str], str]] = [
    glued, spaced, key_as_field, key_as_option, list_first, calls_apart, unset_by_number, upper_case, arch_by_machine,
    lambda line: rearranged(line, "fields"), lambda line: rearranged(line, "calls"),
]  # fmt: skip


def by_line(change: Callable[[str], str]) -> Callable[[Case], Case | None]:
    def changed(case: Case) -> Case | None:
        for name, text in case["files"].items():
            if name.endswith(".rules"):
                lines = text.split("\n")
                case["files"][name] = "\n".join(change(line) if line[:1] == "-" else line for line in lines)
        return None if change is arch_by_machine and case["arch"] != "x86_64" else case

    return changed


def moved(case: Case, by: int, file: str | None = None) -> Case:
    """The verdict of a case whose lines all stand further down, and in another file."""
    for expected in case["expect"]:
        expected["line"] += by
        expected["first"] = expected.get("first", 0) + by
        if file:
            expected["file"] = file
    for at, forbidden in enumerate(case["must_not"]):
        problem, _, line = forbidden.partition("@")
        if line:
            case["must_not"][at] = f"{problem}@{f'{file}:' if file else ''}{int(line) + by}"
    return case


def lower(case: Case) -> Case | None:
    if case["kind"] != "rules":
        return None
    case["files"]["audit.rules"] = "# a comment\n\n" + case["files"]["audit.rules"]
    return moved(case, 2)


def in_a_directory(case: Case) -> Case | None:
    text = case["files"].get("audit.rules", "")
    # augenrules moves -e 2 to the end.
    if case["kind"] != "rules" or "\r" in text or "rule-after-lock" in str(case["expect"]):
        return None
    case["kind"] = "rules.d"
    case["files"] = {"rules.d/10-base.rules": "-D\n-b 8192\n", "rules.d/50-site.rules": text}
    return moved(case, 0, "rules.d/50-site.rules")


@pytest.mark.parametrize("change", [*(by_line(each) for each in LINES), lower, in_a_directory])
def test_public_reports_written_otherwise(shared: Path, change: Callable[[Case], Case | None]) -> None:
    names = run.words()
    failed = []
    for line in (shared / "cases" / "public-reports.jsonl").read_text(encoding="utf-8").splitlines():
        case = json.loads(line)
        changed = change(copy.deepcopy(case)) if case["kind"] in ("rules", "rules.d") else None
        if changed is None or changed["files"] == case["files"]:
            continue
        outcome = run.run_case(changed, names)
        if outcome.missed or outcome.false_alarms:
            failed.append((case["id"], changed["files"], outcome.missed, outcome.false_alarms))
    assert failed == []
