"""Compares auditlint with the recorded behaviour of real programs and kernels, and prints what differs.

    python -m tests.compare_corpus [--show N] [SHARED]

SHARED is the folder of the reference data (default: `../shared` or AUDITLINT_SHARED). The functions are used by
test_corpus.py, too. Differences that docs/known-differences.md explains are listed in KNOWN and counted apart.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from auditlint.auditctl.augenrules import merge, plan
from auditlint.auditctl.model import ALL_SYSCALLS
from auditlint.auditctl.render import call_numbers, rule_record
from auditlint.core.facts import Facts, FileFacts
from auditlint.core.frozen import replace
from auditlint.core.source import Source
from auditlint.core.target import Target
from auditlint.load.program import Program, judge_words, kernel_order, load_file
from auditlint.load.records import answer_record, program_records, run_record

ROOT = Path(__file__).resolve().parent.parent

USERS = {"root": 0, "daemon": 1, "bin": 2, "sys": 3, "nobody": 65534}
GROUPS = {"root": 0, "daemon": 1, "bin": 2, "sys": 3, "adm": 4, "tty": 5, "disk": 6, "nogroup": 65534}
HOST = Facts(users=USERS, groups=GROUPS)
"""What exists on the machine of the recordings; see corpus/README.md."""
KERNEL = "6.1"
RELEASES = {"4.x": "4.2", "HEAD": "4.2"}

KNOWN: dict[str, dict[str, str]] = {
    "edge-cases": {
        "path-fields-031": "the stand-in kernel looks no path up",
        "path-fields-034": "the stand-in kernel looks no path up",
        "control-046": "the stand-in kernel does not look at the paths of -q",
        "file-061": "the recorder lost the line end behind a NUL byte",
    },
}
KNOWN["edge-cases-more"] = KNOWN["edge-cases"]
KNOWN["kernel-edge-cases"] = {"control-061": "no daemon ran that could be signalled; 4.0.2 then ends with status 2"}


@dataclass
class Outcome:
    """How many records of a file were compared, which differ, and which differ for a known reason."""

    name: str
    compared: int = 0
    differences: list[tuple[str, Any, Any]] = field(default_factory=list)
    known: set[str] = field(default_factory=set)

    def check(self, what: str, ours: Any, theirs: Any, case: str = "") -> None:
        self.compared += 1
        if ours != theirs:
            if case in KNOWN.get(self.name, ()):
                self.known.add(case)
            else:
                self.differences.append((what, ours, theirs))


def records(path: Path) -> Iterator[dict[str, Any]]:
    with path.open(encoding="utf-8") as stream:
        for line in stream:
            yield json.loads(line)


def target_of(version: str, kernel: str = KERNEL) -> Target:
    release, _, machine = version.partition("/")
    return Target(kernel, machine or "x86_64", RELEASES.get(release, release))


def alike(rule: Any, watch: bool = True) -> Any:
    """A rule structure with `path` and `dir` as one: which of them a -w becomes depends on the host."""
    if not isinstance(rule, dict):
        return rule
    fields = [["path" if name == "dir" and watch else name, op, value] for name, op, value in rule["fields"]]
    return {**rule, "fields": fields}


def what_counts(record: dict[str, Any], keys: tuple[str, ...]) -> dict[str, Any]:
    found: dict[str, Any] = {key: record.get(key) for key in keys}
    if "rule" in found:
        found["rule"] = alike(found["rule"])
    if found.get("more"):
        found["more"] = [alike(rule) for rule in found["more"]]
    return found


ALL = ("verdict", "kind", "rule", "control", "stage", "more", "signal")


def verdicts(shared: Path, version: str) -> Outcome:
    """verdicts-*.jsonl: every record of every rule file, and the run."""
    outcome = Outcome(f"verdicts-{version}")
    theirs: dict[str, dict[Any, dict[str, Any]]] = {}
    for record in records(shared / f"corpus/verdicts-{version}.jsonl"):
        theirs.setdefault(record["file"], {})[record.get("line", 0), record.get("part", 0)] = record
    for name, expected in theirs.items():
        source = Source(name, (shared / "corpus/rules" / name).read_bytes())
        program = load_file(source, target_of(version), HOST)
        ours = {(record.get("line", 0), record.get("part", 0)): record for record in program_records(program, name)}
        for place in sorted(ours.keys() | expected.keys()):
            mine, real = ours.get(place), expected.get(place)
            if mine is None or real is None:
                outcome.check(f"{name}:{place}", mine, real)
            elif "run" in real:
                run = {key: value for key, value in real["run"].items() if key != "messages"}
                outcome.check(name, mine["run"], run)
            else:
                outcome.check(f"{name}:{place}", what_counts(mine, ALL), what_counts(real, ALL))
    return outcome


def case_records(case: dict[str, Any], target: Target, facts: Facts) -> Any:
    """Our record of a hand-written case: one for a command line, run and lines for a file."""
    if "argv" in case:
        return answer_record(case["argv"], judge_words(case["argv"], target, facts))
    return list(program_records(load_text(case["file"], target, facts), case["id"]))


def load_text(text: str, target: Target, facts: Facts) -> Program:
    return load_file(Source("audit.rules", text.encode("latin-1")), target, facts)


def edge_cases(shared: Path) -> Outcome:
    """edge-cases.jsonl: verdict, kind, rule, control and exit of both versions."""
    outcome = Outcome("edge-cases")
    for case in records(shared / "corpus/edge-cases.jsonl"):
        for version, real in case["versions"].items():
            check_case(outcome, case, version, real, ALL)
    return outcome


def edge_cases_more(shared: Path) -> Outcome:
    """edge-cases-more.jsonl: verdict and rule of other releases and of aarch64; what is missing there is as before."""
    outcome = Outcome("edge-cases-more")
    more = {record["id"]: record["versions"] for record in records(shared / "corpus/edge-cases-more.jsonl")}
    for case in records(shared / "corpus/edge-cases.jsonl"):
        there = more.get(case["id"], {})
        for version, base in (("2.8.5", "3.0.9"), ("3.1.5", "3.0.9"), ("4.0.3", "4.x")):
            check_case(outcome, case, version, there.get(version, case["versions"][base]), ("verdict", "rule"))
        if case["id"].rpartition("-")[0] in ("list-action", "syscall", "arch", "perm-filetype", "key"):
            for base in ("3.0.9", "4.x"):
                real = there.get(f"{base}/aarch64", case["versions"][base])
                check_case(outcome, case, f"{base}/aarch64", real, ("verdict", "rule"))
    return outcome


def check_case(
    outcome: Outcome, case: dict[str, Any], version: str, real: dict[str, Any], keys: tuple[str, ...]
) -> None:
    ours = case_records(case, target_of(version), HOST)
    what = f"{case['id']} {version}"
    if "argv" in case:
        keys = (*keys, "exit", "ok") if "kind" in keys else keys
        outcome.check(what, what_counts(ours, keys), what_counts(real, keys), case["id"])
        return
    if "kind" in keys:
        keys = (*keys, "line", "part", "lists_rules")
        run = {key: value for key, value in real["run"].items() if key not in ("messages", "file_error")}
        outcome.check(what, ours[0]["run"], run, case["id"])
    mine = [what_counts(record, keys) for record in ours[1:]]
    outcome.check(what, mine, [what_counts(record, keys) for record in real["lines"]], case["id"])


def runs_more(shared: Path) -> Outcome:
    """runs-more.jsonl: the plain run by 2.8.5, 3.1.5 and 4.0.3, and the failing lines with their kinds."""
    outcome = Outcome("runs-more")
    for record in records(shared / "corpus/runs-more.jsonl"):
        source = Source(record["file"], (shared / "corpus/rules" / record["file"]).read_bytes())
        program = load_file(source, target_of(record["version"]), HOST)
        run = {key: value for key, value in record["run"].items() if key != "messages"}
        errors = [[entry.line.number, entry.problem.kind] for entry in program.entries if entry.problem is not None]
        what = f"{record['file']} {record['version']}"
        outcome.check(what, (run_record(program), errors), (run, record["errors"]))
    return outcome


REAL_HOST = replace(HOST, lsm="apparmor", paths_missing=frozenset(["/path with space", "/a/a", "/data"]))
"""The booted machines: AppArmor without profiles; these paths are not there."""


def listed(program: Program) -> list[dict[str, Any]]:
    """The rules as the kernel lists them: no prepend, class bits replaced."""
    return [stored(each.rule, program.target) for each in kernel_order(program.loaded)]


def stored(rule: Any, target: Target) -> dict[str, Any]:
    from auditlint.kernel.acceptance import stored_mask

    record = rule_record(replace(rule, prepend=False))
    if rule.mask != ALL_SYSCALLS:
        record["syscalls"] = list(call_numbers(stored_mask(rule.mask, target)))
    same: dict[str, Any] = alike(record)
    return same


def kernel_edge_cases(shared: Path) -> Outcome:
    """kernel-edge-cases.jsonl: what booted kernels have loaded, exit code and the kernel's refusal."""
    outcome = Outcome("kernel-edge-cases")
    cases = {case["id"]: case for case in records(shared / "corpus/edge-cases.jsonl")}
    for record in records(shared / "corpus/kernel-edge-cases.jsonl"):
        case = cases[record["id"]]
        runs = [(line, "3.0.9", real) for line, real in record["kernels"].items()]
        runs += [(line, "4.0.2", real) for line, real in record["auditctl-4.0.2"].items()]
        for line, release, real in runs:
            target = Target(line, "x86_64", release)
            if "argv" in case:
                answer = judge_words(case["argv"], target, REAL_HOST)
                status, problems = answer.exit, [answer.entry.problem]
                rule = answer.entry.rule if answer.entry.verdict == "rule" else None
                loaded = [] if rule is None else [stored(rule, target)]
            else:
                program = load_text(case["file"], target, REAL_HOST)
                status, loaded = program.run.exit, listed(program)
                problems = [entry.problem for entry in program.entries if not entry.lost]
            kinds = [problem.kind for problem in problems if problem and problem.kind.startswith("kernel-")]
            ours = {"exit": status, "loaded": loaded, "kind": kinds[-1] if kinds and status else None}
            theirs = {
                "exit": real["exit"],
                "loaded": [alike(rule) for rule in real["loaded"]],
                "kind": real.get("kind"),
            }
            outcome.check(f"{record['id']} {release} on {line}", ours, theirs, record["id"])
    return outcome


def kernel_files(shared: Path) -> Outcome:
    """kernel-files.jsonl: exit, number of loaded rules and failing lines of each rule file on a booted kernel."""
    outcome = Outcome("kernel-files")
    for record in records(shared / "corpus/kernel-files.jsonl"):
        source = Source(record["file"], (shared / "corpus/rules" / record["file"]).read_bytes())
        program = load_file(source, Target(record["kernel"], "x86_64", "3.0.9"), HOST)
        run = program.run
        ours = (run.exit, len(program.loaded), run.failed_lines, run.first_failed_line)
        theirs = (record["exit"], record["loaded"], record.get("failed_lines", 0), record.get("first_failed_line"))
        outcome.check(record["file"], ours, theirs)
    return outcome


def augenrules(shared: Path) -> Outcome:
    """augenrules.jsonl: the merged bytes for every script version and awk."""
    outcome = Outcome("augenrules")
    for case in records(shared / "corpus/augenrules.jsonl"):
        top = {name: what for name, what in case["rules.d"].items() if "/" not in name}
        kinds = {name: "regular" if isinstance(what, str) else "directory" for name, what in top.items()}
        for key, real in case["versions"].items():
            version, awk = key.split("+")
            release = RELEASES.get(version, version)
            sources = [Source(name, top[name].encode()) for name in plan(kinds, release).order]
            ours = merge(sources, release, awk).text.data.decode()
            outcome.check(f"{case['id']} {key}", ours, real["merged"])
    return outcome


FILE_SETUPS: dict[str, Any] = {
    "plain": {"uid": 0, "mode": 0o640, "type": "regular"},
    "mode-0600": {"uid": 0, "mode": 0o600, "type": "regular"},
    "mode-0644": {"uid": 0, "mode": 0o644, "type": "regular"},
    "mode-0660": {"uid": 0, "mode": 0o660, "type": "regular"},
    "mode-0666": {"uid": 0, "mode": 0o666, "type": "regular"},
    "mode-0642": {"uid": 0, "mode": 0o642, "type": "regular"},
    "mode-0777": {"uid": 0, "mode": 0o777, "type": "regular"},
    "owner-1000": {"uid": 1000, "mode": 0o640, "type": "regular"},
    "group-1000": {"uid": 0, "mode": 0o640, "type": "regular"},
    "owner-1000-0666": {"uid": 1000, "mode": 0o666, "type": "regular"},
    "missing": {"type": "missing"},
    "directory": {"uid": 0, "mode": 0o755, "type": "directory"},
    "symlink": {"uid": 0, "mode": 0o640, "type": "symlink"},
    "symlink-world-writable": {"uid": 0, "mode": 0o666, "type": "symlink"},
    "dangling": {"type": "missing"},
    "device": {"uid": 0, "mode": 0o666, "type": "device"},
}


def file_checks(shared: Path) -> Outcome:
    """file-checks.jsonl: exit and loaded rules for files with unusual owner, mode or type, and for kernel states."""
    outcome = Outcome("file-checks")
    for case in records(shared / "corpus/file-checks.jsonl"):
        name = case["id"].removeprefix("file-check-")
        text = "" if name == "empty" else "-w /a -p r\n"
        facts = HOST
        if name in FILE_SETUPS:
            facts = replace(HOST, file=FileFacts(**FILE_SETUPS[name]))
        elif name in ("immutable", "disabled"):
            facts = replace(HOST, kernel_enabled=2 if name == "immutable" else 0)
        for version, real in case["versions"].items():
            run = load_text(text, target_of(version), facts).run
            ours = (run.exit, run.rules_loaded)
            outcome.check(f"{case['id']} {version}", ours, (real["exit"], real["rules_loaded"]))
    return outcome


def observed(shared: Path) -> Outcome:
    """spec/observed.jsonl: status, failing lines, rules and settings as sent to a kernel that takes everything."""
    outcome = Outcome("observed")
    for case in records(shared / "spec/observed.jsonl"):
        versions = {key: value for key, value in case.items() if key != "input"}
        if "all" in versions:
            versions = dict.fromkeys(("3.0.9", "3.1.5", "HEAD"), versions["all"])
        for version, real in versions.items():
            source = Source("audit.rules", case["input"].encode("utf-8", "surrogateescape"))
            program = load_file(source, target_of(version, "none"), HOST)
            outcome.check(f"{case['input'][:80]!r} {version}", sent(program), theirs_sent(real))
    return outcome


MESSAGES = {"TRIM": 1014, "MAKE_EQUIV": 1015, "SET_FEATURE": 1018, "USER": 1005}
GET_FEATURE = 1019
"""Numbers of the netlink messages (include/uapi/linux/audit.h)."""


def sent(program: Program) -> dict[str, Any]:
    """What reached lines send, in the terms of observed.jsonl."""
    reached = [entry for entry in program.entries if not entry.lost]
    rules: list[Any] = []
    settings: list[Any] = []
    other: list[str] = []
    for request in (request for entry in reached for request in entry.line.requests):
        control = request.control or {}
        if request.rule is not None:
            rules.append({"op": request.kind, **alike(rule_record(request.rule))})
        elif control.get("type") in MESSAGES:
            other.append(f"message-{MESSAGES[control['type']]}")
        elif "lost" in control:
            other.append("status-set-mask-40")
        elif control.get("type") == "SET":
            settings += [[key, value] for key, value in control.items() if key != "type"]
        elif request.kind in ("list", "delete-all"):
            other.append("list_rules")
        elif request.kind == "status":
            other.append(f"message-{GET_FEATURE}")
    return {
        "status": program.run.exit,
        # When auditctl ends itself it names no line.
        "error_lines": [e.line.number for e in reached if e.problem is not None and e.problem.status is None],
        "arch_warning": any(w.kind == "arch-mismatch" for entry in reached for w in entry.line.warnings),
        "rules": rules,
        "settings": settings,
        "other": sorted(set(other)),
    }


def theirs_sent(real: dict[str, Any]) -> dict[str, Any]:
    rules = []
    for rule in real["rules"]:
        on = rule["list"] if isinstance(rule["list"], str) else hex(rule["list"])
        record = {"op": rule["op"], "list": on, "action": rule["action"]}
        if rule["prepend"]:
            record["prepend"] = True
        record |= {"syscalls": rule["mask"], "fields": rule["fields"]}
        rules.append(alike(record))
    return {**real, "rules": rules, "other": sorted(set(real["other"]))}


VALUES = {
    "arch": "b64",
    "msgtype": "SYSCALL",
    "fstype": "tracefs",
    "path": "/etc/passwd",
    "dir": "/etc",
    "exe": "/bin/ls",
    "perm": "r",
    "filetype": "file",
    "key": "k",
}
OPERATORS = ("=", "!=", "<", ">", "<=", ">=", "&", "&=")


def field_matrix(shared: Path) -> Outcome:
    """spec/observed-field-matrix.tsv: the operators that auditctl lets through for a field on a list."""
    outcome = Outcome("observed-field-matrix")
    for line in (shared / "spec/observed-field-matrix.tsv").read_text().splitlines():
        if line.startswith("#"):
            continue
        version, name, on, real = line.split("\t")
        target = target_of(version, "none")
        before = []
        if name == "key":
            before = ["-F", "fstype=tracefs" if on == "filesystem" else "exe=/bin/ls"]
        value = VALUES.get(name, "1" if not name.startswith(("subj_", "obj_")) or name.endswith("id") else "x")
        ours = [
            operator
            for operator in OPERATORS
            if judge_words(["-a", f"always,{on}", *before, "-F", f"{name}{operator}{value}"], target, HOST).exit == 0
        ]
        outcome.check(f"{version} {name} {on}", ours, real.split())
    return outcome


COMPARISONS: tuple[Callable[[Path], Outcome], ...] = (
    lambda shared: verdicts(shared, "3.0.9"),
    lambda shared: verdicts(shared, "4.x"),
    edge_cases,
    edge_cases_more,
    runs_more,
    kernel_edge_cases,
    kernel_files,
    augenrules,
    file_checks,
    observed,
    field_matrix,
)


def main(words: list[str]) -> int:
    import argparse
    import os

    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("shared", nargs="?", default=os.environ.get("AUDITLINT_SHARED", str(ROOT.parent / "shared")))
    parser.add_argument("--show", type=int, default=3, metavar="N", help="differences to print of each file")
    args = parser.parse_args(words)
    bad = 0
    for compare in COMPARISONS:
        outcome = compare(Path(args.shared))
        bad += len(outcome.differences)
        known = f", {len(outcome.known)} known ({', '.join(sorted(outcome.known))})" if outcome.known else ""
        print(f"{outcome.name:20} {outcome.compared:6} compared, {len(outcome.differences)} different{known}")
        for what, ours, theirs in outcome.differences[: args.show]:
            print(f"  {what}\n    ours   {str(ours)[:700]}\n    theirs {str(theirs)[:700]}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
