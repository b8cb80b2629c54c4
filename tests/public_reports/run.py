"""Runs the command line on inputs of public reports and compares with what a reader of audit rules would want.

    python -m tests.public_reports.run FILE...     (JSON Lines in the form of ../shared/cases/README.md)

The files of a case are written to a folder of their own, and `check` (for a file tree `advise --root .`) runs there.
Prints for each case what was found, what was missed, false alarms (findings that `must_not` names), refusals (exit
status 2), and what the command of `ask` answers. The exit status is 1 when there is a refusal or a false alarm or when
less than 95 % of the expected findings are there, else 0.
"""

from __future__ import annotations

import io
import json
import os
import sys
import tempfile
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from auditlint.cli.main import run as run_command_line
from auditlint.core.data import parse_toml

HERE = Path(__file__).resolve().parent

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

LEAST = 95
"""Percent of the expected findings that must be there."""
RENAMED = {"dirs": "directories"}
"""Facts have other names in `assume`."""
NO_FACTS = ("kernel_release",)
"""What `assume` says that is an option, not a fact."""


@dataclass(frozen=True)
class Outcome:
    """What came of one case: texts for people."""

    id: str
    found: tuple[str, ...]
    missed: tuple[str, ...]
    false_alarms: tuple[str, ...]
    notes: tuple[str, ...]
    refusals: tuple[str, ...] = ()
    answers: tuple[str, ...] = ()


def words() -> dict[str, list[str]]:
    """The checks that answer for each problem word."""
    return parse_toml((HERE / "problem-words.toml").read_text(encoding="utf-8"))


def run_case(case: Mapping[str, Any], names: Mapping[str, Sequence[str]]) -> Outcome:
    """Check the files of a case and compare."""
    with tempfile.TemporaryDirectory() as folder:
        before = os.getcwd()
        os.chdir(folder)
        try:
            write_files(case)
            status, output, errors = command_line(check_words(case))
            answers = ask(case)
        finally:
            os.chdir(before)
    refusals = (f"exit status {status}: {errors.strip()}",) if status not in (0, 1) else ()
    findings = json.loads(output)["findings"] if not refusals else []
    found, missed, notes, false_alarms = [], [], [], []
    first = next(iter(case["files"]))
    for expected in case["expect"]:
        file = expected.get("file", first)
        what = f"{expected['problem']}@{file}:{expected['line']}"
        fitting = [
            finding
            for finding in findings
            if finding["name"] in names.get(expected["problem"], ())
            and plain_path(finding) == file
            and expected["line"] in lines_of(finding)
        ]
        if not fitting:
            missed.append(what if expected["problem"] in names else f"{what} (no check answers for this word)")
            continue
        found.append(what)
        details = [detail.strip() for detail in expected.get("detail", "").split(",") if detail.strip()]
        unnamed = [detail for detail in details if not any(detail in finding["message"] for finding in fitting)]
        if unnamed:
            notes.append(f"{what} does not name {', '.join(unnamed)}")
        if all(finding["severity"] != expected["severity"] for finding in fitting):
            notes.append(f"{what} is {fitting[0]['severity']}, not {expected['severity']}")
    for forbidden in case["must_not"]:
        problem, _, place = forbidden.partition("@")
        file, _, line = place.rpartition(":")
        for finding in findings:
            if finding["name"] not in names.get(problem, ()):
                continue
            if (not line or int(line) == finding["line"]) and (not file or file == plain_path(finding)):
                false_alarms.append(f"{forbidden}: {finding['code']} {describe(finding)}")
    return Outcome(case["id"], tuple(found), tuple(missed), tuple(false_alarms), tuple(notes), refusals, answers)


def write_files(case: Mapping[str, Any]) -> None:
    """The files of a case and its facts, in the current folder."""
    for name, text in case["files"].items():
        path = Path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text.encode())
    facts = {RENAMED.get(key, key): value for key, value in case.get("assume", {}).items() if key not in NO_FACTS}
    if facts:
        Path("facts.toml").write_text("".join(f"{key} = {toml(value)}\n" for key, value in facts.items()))


def toml(value: Any) -> str:
    """A value in TOML; tables become inline tables."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{json.dumps(key)} = {toml(item)}" for key, item in value.items()) + " }"
    return json.dumps(value)


def target_words(case: Mapping[str, Any]) -> list[str]:
    """Options for the target of a case."""
    machine, arch = machine_words(case["arch"])
    chosen = {
        "--kernel": case.get("assume", {}).get("kernel_release", case.get("kernel")),
        "--machine": machine,
        "--arch": arch,
        "--auditctl": case.get("audit_userspace"),
        "--facts": "facts.toml" if Path("facts.toml").exists() else None,
    }
    return [word for option, value in chosen.items() if value is not None for word in (option, value)]


def check_words(case: Mapping[str, Any]) -> list[str]:
    """The command line that judges a case in its folder."""
    given = case["files"]
    options = ["--no-settings", "--format", "json", *target_words(case)]
    if any(name.startswith(("etc/", "boot/")) for name in given):
        return ["advise", *options, "--root", "."]
    if case["kind"] == "rules.d":
        installed = [name for name in given if "/" not in name]
        return ["check", *options, "rules.d", *installed]
    if case["kind"] == "cmdline":
        return ["check", *options, *given]  # by name: with the rules of the same host
    kind = "fragment" if case.get("fragment") else case["kind"]
    return ["check", *options, "--kind", kind, *given]


def ask(case: Mapping[str, Any]) -> tuple[str, ...]:
    """What the command of `ask` prints, for people to compare with `want`."""
    if "ask" not in case:
        return ()
    asked = case["ask"]
    options = [*asked.get("options", "").split(), "--no-settings", *target_words(case)]
    if "events" in asked:
        Path("events.jsonl").write_text("".join(json.dumps(event) + "\n" for event in asked["events"]))
        options += ["--events", "events.jsonl"]
    if "workload" in asked:
        Path("workload").write_text(asked["workload"])
        options += ["--workload", "workload"]
    options += [word for name in asked.get("operations", ()) for word in ("--operation", name)]
    inputs = [] if asked["command"] == "advise" else list(case["files"])
    if case["arch"] in ("arm", "mips") and asked["command"] not in ("kconfig", "advise"):
        options[options.index("--arch")] = "--machine"
    status, output, errors = command_line([asked["command"], *options, *inputs])
    return (*(f"wanted: {want}" for want in asked["want"]), f"status {status}", *(output + errors).splitlines())


def command_line(argv: Sequence[str]) -> tuple[int, str, str]:
    """Exit status, standard output and standard error of `auditlint ARGV` in the current folder."""
    output, errors = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
    with redirect_stdout(output), redirect_stderr(errors):
        status = run_command_line(list(argv))
    texts = []
    for stream in (output, errors):
        stream.flush()
        texts.append(stream.buffer.getvalue().decode())
    return status, texts[0], texts[1]


def machine_words(arch: str) -> tuple[str | None, str | None]:
    """`arch` of a case is a machine where one is called so, else the kernel's ARCH."""
    return (None, arch) if arch in ("mips", "arm") else (arch, None)


def plain_path(finding: Mapping[str, Any]) -> str:
    """The path of a finding as the case names it."""
    path: str = finding["file"]
    return path.removeprefix("./")


def lines_of(finding: Mapping[str, Any]) -> tuple[int, ...]:
    """The lines that are right for a finding: one about the file as a whole is shown at line 1."""
    return (finding["line"],) if finding["line"] != 1 else (0, 1)


def describe(finding: Mapping[str, Any]) -> str:
    return f"{plain_path(finding)}:{finding['line']} {finding['message']}"


def run(path: Path) -> list[Outcome]:
    names = words()
    return [run_case(json.loads(line), names) for line in path.read_text(encoding="utf-8").splitlines() if line]


def main(argv: Sequence[str]) -> int:
    if not argv:
        sys.stderr.write("usage: python -m tests.public_reports.run FILE...\n")
        return 2
    outcomes = [outcome for path in argv for outcome in run(Path(path))]
    for outcome in outcomes:
        print(outcome.id)
        for title in ("found", "missed", "false_alarms", "refusals", "notes", "answers"):
            for text in getattr(outcome, title):
                print(f"  {title.replace('_', ' ').removesuffix('s')}: {text}")
    found = sum(len(outcome.found) for outcome in outcomes)
    expected = found + sum(len(outcome.missed) for outcome in outcomes)
    false_alarms = sum(len(outcome.false_alarms) for outcome in outcomes)
    refusals = sum(len(outcome.refusals) for outcome in outcomes)
    print(
        f"{found} of {expected} expected findings, {false_alarms} false alarms, {refusals} refusals, "
        f"{len(outcomes)} cases"
    )
    return int(false_alarms > 0 or refusals > 0 or found * 100 < expected * LEAST)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
