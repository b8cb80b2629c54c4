"""The shipped profiles: each requirement can be met, the usual rules meet it, and `list` and `check` know the names."""

from pathlib import Path
from typing import Any

import pytest

from auditlint.analysis import profiles
from auditlint.analysis.abi_gaps import live_calls
from auditlint.analysis.profile_coverage import note, outcome, requirement_results
from auditlint.analysis.rule_calls import machines_of
from auditlint.cli.main import main
from auditlint.context.rules import RulesContext
from auditlint.core.errors import UserError
from auditlint.core.facts import Facts
from auditlint.core.settings import Settings
from auditlint.core.source import Source
from auditlint.core.target import Target
from auditlint.load.program import load_file

TARGETS = [
    Target("6.1", "x86_64", "4.2"),
    Target("6.1", "aarch64", "4.2"),
    Target("4.18", "x86_64", "3.0.9"),
    Target("6.1", "ppc64le", "3.1.5"),
]


def context(text: str, profile: str, target: Target) -> RulesContext:
    program = load_file(Source("audit.rules", text.encode()), target, Facts())
    return RulesContext(program, Settings(profile=profile))


@pytest.mark.parametrize("target", TARGETS, ids=str)
@pytest.mark.parametrize("name", profiles.names())
@pytest.mark.parametrize("way", [0, 1, 2, 3, 4])
def test_its_own_lines_meet_a_profile(name: Any, target: Any, way: int) -> None:
    """Each of the usual ways to write a profile meets all of it."""
    machines = machines_of(target)
    live = {machine.name: live_calls(machine.name, target) for machine in machines}
    lines = ["-c"]
    for requirement in profiles.load(name).requirements:
        for event in requirement.events:
            ways = profiles.ways(event, machines, live, 1000)
            lines += ways[min(way, len(ways) - 1)] if ways else []
    judged = context("\n".join(lines) + "\n", name, target)
    if "aarch64" in target.machine and target.auditctl in ("3.1.5", "4.0.3"):
        pytest.skip("this auditctl refuses arch with perm there")
    assert [each.requirement.id for each in judged.get(requirement_results) if not (each.met or each.void)] == []
    assert note(judged).startswith(f"profile {name}: ")


@pytest.mark.parametrize("name", profiles.names())
def test_nothing_meets_nothing(name: Any) -> None:
    assert not any(each.met for each in context("-D\n", name, TARGETS[0]).get(requirement_results))


def test_requirements_have_names_of_their_own() -> None:
    for name in profiles.names():
        found = [each.id for each in profiles.load(name).requirements]
        assert len(set(found)) == len(found)


def test_unknown_profile(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(UserError, match="profiles are cis, ospp, pci-dss, stig, stig-rhel9"):
        profiles.load("sox")
    assert main(["check", "--profile", "sox", "-"]) == 2
    assert "unknown profile 'sox'" in capsys.readouterr().err


def test_list_profiles(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", "--profiles"]) == 0
    assert "pci-dss" in capsys.readouterr().out


def test_a_broad_rule_in_another_order_meets_it() -> None:
    text = "-a exit,always -F arch=b32 -S all -k a\n-a always,exit -F arch=b64 -S all -F auid!=-1 -k b\n"
    judged = {each.requirement.id: each for each in context(text, "cis", TARGETS[0]).get(requirement_results)}
    assert judged["6.3.3.10"].met
    assert judged["6.3.3.10"].by
    assert not judged["6.3.3.8"].met  # daemons, whose login id is unset, are asked for as well


@pytest.mark.parametrize("place", ["dir", "path"])
@pytest.mark.parametrize("archs", [("",), ("-F arch=b64 ", "-F arch=b32 ")])
def test_what_is_asked_for_a_directory(place: str, archs: tuple[str, ...]) -> None:
    """The guide for RHEL 9 asks for the directory, the one for RHEL 8 for the files in it."""
    rules = "".join(f"-a always,exit {arch}-F {place}=/etc/sudoers.d -F perm=wa\n" for arch in archs)
    new, old = (
        {each.requirement.id: each.met for each in context(rules, name, TARGETS[0]).get(requirement_results)}
        for name in ("stig-rhel9", "stig")
    )
    assert new["RHEL-09-654220"]
    assert old["RHEL-08-030172"] is (place == "dir")


def test_a_tree_around_it_does_as_well() -> None:
    judged = {
        each.requirement.id: each for each in context("-w / -p wa\n", "stig", TARGETS[0]).get(requirement_results)
    }
    assert judged["RHEL-08-030150"].met
    assert judged["RHEL-08-030172"].met
    assert not judged["RHEL-08-030190"].met  # -p x
    narrow = "-a always,exit -F dir=/etc -F perm=wa -F uid=0\n-w /etcetera -p wa\n"
    judged = {each.requirement.id: each for each in context(narrow, "stig", TARGETS[0]).get(requirement_results)}
    assert not judged["RHEL-08-030150"].met


def test_a_tree_that_may_be_a_link_does_not() -> None:
    judged = {
        each.requirement.id: each
        for each in context("-w /usr/sbin -p x\n", "stig", TARGETS[0]).get(requirement_results)
    }
    assert not judged["RHEL-08-030560"].met


def test_a_tree_that_is_no_usual_directory() -> None:
    rules = "".join(f"-a always,exit -F arch=b{bits} -F dir=/etc/NetworkManager/ -F perm=wa\n" for bits in (32, 64))
    judged = {each.requirement.id: each for each in context(rules, "cis", TARGETS[0]).get(requirement_results)}
    assert not any("NetworkManager" in line for line in judged["6.3.3.5"].absent)


def test_lines_that_are_asked_for_need_no_advice() -> None:
    """What AL431 proposes, auditlint itself has nothing to say against."""
    from auditlint.lint.runner import Selection, run_checks

    for name in profiles.names():
        judged = context("-D\n", name, TARGETS[0])
        lines = [line for each in outcome(judged).unmet for line in each.lines]
        proposed = context("-D\n-b 8192\n" + "\n".join(lines) + "\n", name, TARGETS[0])
        ignored = Selection(ignore=("AL3", "AL4", "AL51", "AL50", "AL205", "AL216", "AL520"))
        found = run_checks(proposed, ignored)
        assert [(each.code, each.message) for each in found] == []
        assert outcome(proposed).unmet == ()


def test_a_program_counts_in_both_of_its_places() -> None:
    """/bin is a link to /usr/bin on most hosts of today."""
    rule = "-a always,exit -F path={}bin/chcon -F perm=x -F auid>=1000 -F auid!=unset -k c\n"
    for place in ("/", "/usr/"):
        assert "6.3.3.15" in [each.id for each in outcome(context(rule.format(place), "cis", TARGETS[0])).met]
    assert "6.3.3.15" not in [each.id for each in outcome(context(rule.format("/x/"), "cis", TARGETS[0])).met]


def test_a_part_is_told_with_its_line() -> None:
    half = "-a always,exit -F arch=b64 -F path=/etc/sudoers -F perm=wa -k s\n"
    answers = {each.id: each for each in outcome(context(half, "cis", TARGETS[0])).unmet}
    assert answers["6.3.3.1"].state == "partly"
    assert answers["6.3.3.1"].by == (("audit.rules", 1),)
    assert answers["6.3.3.1"].lines[0].startswith("-a always,exit -F arch=b32 -F path=/etc/sudoers -F perm=wa")
    assert answers["6.3.3.3"].lines == ("-a always,exit -F path=/var/log/sudo.log -F perm=wa -k 6.3.3.3",)


def test_what_stands_in_the_way_is_named() -> None:
    text = "-a never,exit -F exe=/usr/bin/vmtoolsd\n-a always,exit -F arch=b64 -S mount -k m\n"
    text += "-a always,exit -F arch=b32 -S mount -k m\n"
    judged = context(text, "cis", TARGETS[0])
    assert note(judged) == "profile cis: 0 of 18 requirements are met; 1 more would be without line 1"
    (broken,) = (each for each in outcome(judged).unmet if each.state == "broken")
    assert (broken.id, broken.nevers) == ("6.3.3.10", (("audit.rules", 1),))


def test_what_is_not_judged_is_said() -> None:
    assert "6.3.3.20 (-e 2)" in outcome(context("-D\n", "cis", TARGETS[0])).not_judged
    assert all(profiles.load(name).not_judged for name in profiles.names())


def test_reports_hold_the_profile(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    import json

    (tmp_path / "a.rules").write_text("-D\n-w /var/log/sudo.log -p wa -k s\n")
    path = str(tmp_path / "a.rules")
    assert main(["check", "--profile", "cis", "--format", "json", "--fail-on", "never", path]) == 0
    profile = json.loads(capsys.readouterr().out)["profile"]
    assert profile["name"] == "cis"
    assert profile["met"] == [
        {"id": "6.3.3.3", "title": "changes of the log of sudo", "by": [{"file": path, "line": 2}]}
    ]
    assert len(profile["unmet"]) == 17
    assert main(["check", "--profile", "cis", "--fail-on", "never", path]) == 0
    text = capsys.readouterr().out
    assert f"  met      6.3.3.3   changes of the log of sudo, by {path}:2\n" in text
    assert "             -a always,exit -F path=/usr/bin/chcon -F perm=x -F auid>=1000" in text
