"""What the checks of single rules say, against the reasoning and the model of the kernel."""

import json
import random
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from auditlint.analysis.contradiction_suspects import suspects
from auditlint.analysis.rule_calls import pathless
from auditlint.context.rules import RulesContext
from auditlint.core.facts import UNKNOWN, Facts
from auditlint.core.findings import SEVERITIES
from auditlint.core.settings import DEFAULT
from auditlint.core.source import Source
from auditlint.core.target import Target
from auditlint.lint.registry import all_checks
from auditlint.lint.runner import Selection, run_checks, triggers_of
from auditlint.load.program import load_directory, load_file
from tests.checks.case_tools import Case, build_subject, load_cases

HOST = Facts(users={"root": 0}, groups={"root": 0})
_WORDS = """
uid=0 uid!=0 uid>=1000 uid<1000 uid<0 uid<=0 uid>4294967294 uid=1000 euid=0 euid!=1000 euid>5 auid=0 auid>=1000
auid!=unset auid=unset auid<2000 gid=5 gid=6 gid!=5 gid>100 egid!=5 egid=5 egid<1 pid=1 pid=0 pid>1 pid<2 ppid=0
ppid=9999999 pers&8 pers&=12 pers=8 pers&0 sessionid=unset sessionid=3 sessionid<2 exit=0 exit=-13 exit<0 exit>5
exit!=0 exit>=0 exit<=-1 success=0 success=1 success>0 success!=1 success=2 a0=1 a0=2 a0&1 a1&3 a1=0 a1=1 a1<1 a2&=3
a2=1 a3=5 a3>=0 saddr_fam=2 saddr_fam=10 saddr_fam<0 saddr_fam=inet obj_uid=5 obj_uid!=5 obj_gid<0 filetype=file
filetype!=file filetype=dir devmajor=8 devmajor!=8 devminor<0 arch=b64 arch=b32 arch!=b64 arch=s390x perm=wa perm=r
perm=x path=/x path=/etc dir=/srv inode=5 inode!=5 exe=/bin/x exe!=/bin/y.py subj_type=a subj_type!=a obj_type=b
msgtype=CWD msgtype=AVC msgtype>0 msgtype<0
"""
CONDITIONS = _WORDS.split()
PAIRS = ("uid=euid", "uid!=euid", "auid=uid", "euid=suid", "uid!=obj_uid", "gid=obj_gid")
CALLS = ("open,openat", "read", "execve", "all", "kill", "chmod,rename", "mmap")


def context(text: str, target: Target, facts: Facts = HOST) -> RulesContext:
    return RulesContext(load_file(Source("a.rules", text.encode()), target, facts), DEFAULT)


def random_rules(seed: int, count: int = 400) -> str:
    """Rules of every list with up to four conditions; those that are refused stop nothing."""
    choose = random.Random(seed)
    lines = ["-c"]
    for _ in range(count):
        name = choose.choice(("exit", "exit", "exit", "exit", "task", "user", "exclude"))
        words = [f"-a {choose.choice(('always', 'never'))},{name}"]
        conditions = choose.sample(CONDITIONS, choose.randint(0, 4))
        words += [f"-F {text}" for text in conditions if text.startswith("arch")]
        if name == "exit":
            words.append(f"-S {choose.choice(CALLS)}")
            if choose.random() < 0.2:
                words.append(f"-C {choose.choice(PAIRS)}")
        words += [f"-F {text}" for text in conditions if not text.startswith("arch")]
        lines.append(" ".join(words))
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize("auditctl", ["3.0.9", "4.2"])
def test_the_quick_look_misses_no_contradiction(auditctl: str) -> None:
    found = 0
    for seed in range(8):
        judged = context(random_rules(seed), Target(auditctl=auditctl))
        suspected = {id(entry) for entry in suspects(judged.meant, judged.target)}
        for each in judged.algebra.contradictions():
            found += 1
            assert id(each.stored.entry) in suspected or not each.stored.mask, each.stored.entry
    assert found > 200


@pytest.mark.parametrize("auditctl", ["3.0.9", "4.2"])
def test_the_quick_look_misses_no_contradiction_in_public_files(shared: Path, auditctl: str) -> None:
    for path in sorted((shared / "corpus/rules").glob("*.rules")):
        judged = context(path.read_text(errors="surrogateescape"), Target(auditctl=auditctl), UNKNOWN)
        suspected = {id(entry) for entry in suspects(judged.meant, judged.target)}
        assert {id(each.stored.entry) for each in judged.algebra.contradictions()} <= suspected, path.name


CASES = [
    case
    for path in sorted((Path(__file__).resolve().parent.parent / "cases").glob("AL[234]*.toml"))
    for case in load_cases(path)
    if case.kind == "fix"
]


@pytest.mark.parametrize("case", CASES, ids=[case.id for case in CASES])
def test_a_fix_leaves_nothing_worse_behind(case: Case) -> None:
    """The finding is gone, and no check finds anything as bad that it did not find before; what the better rule costs
    (AL5) is another matter."""
    before = run_checks(build_subject(case))
    fixed = Case(case.code, "fixed", case.number, {**case.body, "rules": case.body["fixed"]})
    after = run_checks(build_subject(fixed))
    assert case.code not in {finding.code for finding in after}
    bar = min(SEVERITIES.index(finding.severity) for finding in before if finding.code == case.code)
    known = {finding.code for finding in before}
    new = [finding for finding in after if finding.code not in known and not finding.code.startswith("AL5")]
    assert [finding.code for finding in new if SEVERITIES.index(finding.severity) <= bar] == []


KERNELS = ("5.10", "6.1", "6.12")
NEVER_MATCH = Selection(select=("AL201", "AL214", "AL219", "AL220", "AL241"))


@pytest.mark.parametrize("kernel", KERNELS)
def test_rules_that_never_match_never_decided_in_a_kernel(shared: Path, kernel: Any) -> None:
    """The keys of the rules that these checks call dead stand in no event that the kernel wrote."""
    told = 0
    for line in (shared / f"decisions/decisions-{kernel}.jsonl").open(encoding="utf-8"):
        record = json.loads(line)
        text = "\n".join(record["rules"]) + "\n"
        judged = context(text, Target(kernel, "x86_64", "3.0.9"), Facts(lsm="apparmor"))
        logged = {each.get("key") for result in record["results"] for each in result["logged"]}
        for finding in run_checks(judged, NEVER_MATCH):
            number = finding.at.source.line_of(finding.at.span[0])
            rule, _ = judged.rules[number - 1]
            if rule.action == "always" and rule.key is not None:
                told += 1
                assert rule.key not in logged, (record["id"], record["rules"][number - 1], finding.message)
    assert told > 50


@pytest.mark.parametrize("kernel", KERNELS)
def test_calls_without_files_collected_none_in_a_kernel(shared: Path, kernel: Any) -> None:
    for line in (shared / f"decisions/operations-{kernel}.jsonl").open(encoding="utf-8"):
        for event in json.loads(line)["events"]:
            if event.get("objects"):
                abi = "x86_64" if event["abi"] == 64 else "i386"
                assert not pathless(abi) >> event["nr"] & 1, event["name"]


def test_lines_glued_from_two_files_are_left_alone() -> None:
    """Without its final newline the first file runs on in the second; an edit would have to go through both."""
    files = [Source("a.rules", b"-a always,exit -F arch=b64 -S open -F auid"), Source("b.rules", b">=1000 -k x\n")]
    judged = RulesContext(load_directory(files, Target(), HOST), DEFAULT)
    (finding,) = run_checks(judged, Selection(select=("AL205",)))
    assert finding.fix is None
    assert finding.at.source is files[0]


def left_out_for_nothing(judged: RulesContext) -> list[str]:
    """Checks that `when` of rulesets/checks.tsv keeps from being imported although they would say something."""
    words = triggers_of(judged)
    return [
        check.code
        for check in all_checks()
        if check.context == "rules"
        and check.code < "AL3"
        and "*" not in check.requires
        and words.isdisjoint(check.requires)
        if next(iter(import_module(check.module).check(judged)), None) is not None
    ]


def test_when_loses_nothing_on_random_rules() -> None:
    facts = Facts(symlinks={"/x": "/y"}, uid_min=500, lsm="apparmor", directories=frozenset(["/etc"]))
    for seed in range(30):
        assert left_out_for_nothing(context(random_rules(seed, 3), Target())) == []
        assert left_out_for_nothing(context(random_rules(seed, 3), Target("6.1", "aarch64", "3.0.9"), facts)) == []


def test_when_loses_nothing_in_the_cases() -> None:
    for path in sorted((Path(__file__).resolve().parent.parent / "cases").glob("AL*.toml")):
        for case in load_cases(path):
            if case.context == "rules":
                assert left_out_for_nothing(build_subject(case)) == [], case.id


def test_when_loses_nothing_in_public_files(shared: Path) -> None:
    for path in sorted((shared / "corpus/rules").glob("*.rules")):
        text = path.read_text(errors="surrogateescape")
        assert left_out_for_nothing(context(text, Target(), UNKNOWN)) == [], path.name
