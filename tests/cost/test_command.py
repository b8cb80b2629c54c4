"""`auditlint cost` as users call it."""

from __future__ import annotations

import json
import shlex
from pathlib import Path
from typing import Any

import pytest

from auditlint.cli.main import run
from auditlint.cost.operations import actors, operation_names

RULES = """-D
-b 8192
-w /etc/passwd -p wa -k id
-a always,exit -F arch=b64 -S all -F uid=9999 -k k
-a always,exit -F arch=b64 -S mknod -k m
"""
TARGET = ["--kernel", "6.1", "--machine", "x86_64", "--auditctl", "3.0.9", "--no-config"]


@pytest.fixture
def rules(tmp_path: Path) -> str:
    path = tmp_path / "a.rules"
    path.write_text(RULES)
    return str(path)


def text(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert run(["cost", *words, *TARGET]) == 0
    return capsys.readouterr().out


def data(capsys: pytest.CaptureFixture[str], *words: str) -> Any:
    return json.loads(text(capsys, *words, "--format", "json"))


def error(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    assert run(["cost", *words, *TARGET]) == 2
    out = capsys.readouterr()
    assert not out.out
    assert out.err.count("\n") == 1
    return out.err


def test_table_for_people(rules: str, capsys: pytest.CaptureFixture[str]) -> None:
    lines = text(capsys, rules).splitlines()
    assert "3 rules in the kernel" in lines[0]
    row = next(line.split() for line in lines if line.startswith("getppid"))
    # 485 without rules; 338 + 1 for the first rule, 2 x 19, and 51 + 48 + 48 for the one that names the call.
    assert row == ["getppid", "323", "485", "1,009", "1,009", "1,009", "3.12"]
    assert "the 3 most expensive lines, by the sum over these operations:" in lines
    first = lines.index("the 3 most expensive lines, by the sum over these operations:") + 1
    assert "4: -a always,exit -F arch=b64 -S all -F uid=9999 -k k [exit list, every system call]" in lines[first]


def test_advice_is_ranked(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "x.rules"
    calls = ("mknod", "mount", "umount2")
    text_of = "".join(f"-a always,exit -F arch=b64 -S {call} -F auid>=1000 -k m\n" for call in calls)
    path.write_text(text_of + "-a always,exit -S all -F exe=/usr/bin/x -k k\n")
    found = data(capsys, str(path))["advice"]
    assert [(each["code"], each["line"]) for each in found] == [("AL513", 4), ("AL506", 2)]
    assert found[0]["saving"] > found[1]["saving"] == 2 * 19 * 17, "13 operations, 17 calls"
    out = text(capsys, str(path))
    assert out.index("AL513") < out.index("AL506")


def test_json(rules: str, capsys: pytest.CaptureFixture[str]) -> None:
    found = data(capsys, rules, "--operation", "getppid,stat")
    assert found["version"] == 1
    said = {"kernel": "6.1", "machine": "x86_64", "auditctl": "3.0.9"}
    assert found["target"] == {**said, "source": dict.fromkeys(said, "option")}
    assert (found["actor"], found["unit"]) == ("root-unset", "instructions")
    getppid, stat = found["operations"]
    assert (getppid["name"], getppid["base"], getppid["overhead"], getppid["percent"]) == ("getppid", 323, 686, 212.4)
    assert {"what": "exit-list mask tests", "amount": 38, "rules": 2} in getppid["parts"]
    assert sum(part["amount"] for part in getppid["parts"]) == 686
    assert stat["low"] < stat["overhead"] < stat["high"]
    assert [(rule["line"], rule["storage"]) for rule in found["rules"]] == [
        (3, "inode hash"),
        (4, "exit list"),
        (5, "exit list"),
    ]
    assert found["rules"][2]["amount"]["getppid"] == 19
    assert found["sources"]


def test_a_file_that_does_not_load_is_priced_as_it_loads(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "b.rules"
    path.write_text("-a always,exit -S mknod -k a\n-a always,exit -S nosuchcall -k b\n-a always,exit -S mount -k c\n")
    out = text(capsys, str(path))
    assert "priced as it loads, without 2 lines:" in out
    assert f"{path}:2:" in out
    assert f"{path}:3: never reached" in out
    found = data(capsys, str(path))
    assert [each["line"] for each in found["not_loaded"]] == [2, 3]
    assert len(found["rules"]) == 1


def test_directory(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "10-a.rules").write_text("-a always,exit -F arch=b64 -S mknod -k a\n")
    (tmp_path / "20-b.rules").write_text("# b\n-a always,exit -F arch=b64 -S mount -k b\n")
    found = data(capsys, str(tmp_path))
    assert [(Path(rule["file"]).name, rule["line"]) for rule in found["rules"]] == [
        ("10-a.rules", 1),
        ("20-b.rules", 2),
    ]


def test_against_another_rule_set_and_another_target(
    rules: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = tmp_path / "o.rules"
    other.write_text("-a always,exit -F arch=b64 -S mknod -k m\n")
    out = text(capsys, rules, "--against", str(other))
    row = next(line.split() for line in out.splitlines() if line.startswith("getppid"))
    assert row == ["getppid", "686", "520", "-166", "0.76"]
    found = data(capsys, rules, "--against", "kernel=5.10")
    assert found["against"]["target"]["kernel"] == "5.10"
    assert found["against"]["operations"][0]["base"] == 229


def test_workload_against(rules: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    work, other = tmp_path / "w", tmp_path / "o.rules"
    work.write_text("read 600\nopenat 10 2\nread 400\n")
    other.write_text("-a always,exit -F arch=b64 -S mknod -k m\n")
    words = (rules, "--against", str(other), "--workload", str(work))
    out = text(capsys, *words)
    rows = [line.split() for line in out.partition("\nworkload ")[2].splitlines()]
    assert ["read", "1,000", "686", "520", "-166,000", "0.76"] in rows
    found = data(capsys, *words)
    first, second = found["workload"], found["against"]["workload"]
    assert [(each["calls"], each["each"]) for each in first["syscalls"] if each["name"] == "read"] == [(1000, 686)]
    assert [(each["calls"], each["each"]) for each in second["syscalls"] if each["name"] == "read"] == [(1000, 520)]

    assert f"A adds {first['overhead']:,.0f} instructions ({first['low']:,.0f} to {first['high']:,.0f})" in out
    assert f", B {second['overhead']:,.0f} ({second['low']:,.0f} to {second['high']:,.0f})" in out


def test_workload(rules: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    work = tmp_path / "w"
    work.write_text("read 1000\nopenat 10 2\n")
    out = text(capsys, rules, "--workload", str(work))
    assert "1,010 system calls" in out
    found = data(capsys, rules, "--workload", str(work))["workload"]
    assert found["calls"] == 1010
    assert found["syscalls"][0]["name"] == "read"
    assert found["syscalls"][0]["each"] == 686
    assert found["rules"][0]["line"] == 4


def test_sources_need_no_rules(capsys: pytest.CaptureFixture[str]) -> None:
    assert "watch-2006-inode-hash" in text(capsys, "--sources")
    found = data(capsys, "--sources")
    assert {each["id"] for each in found["published"]["point"]} >= {"io-uring-2021", "never-task-x86-2019"}
    assert next(each for each in found["prices"] if each["name"] == "mask")["6.12"] == 11


def test_actor_and_running(rules: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert data(capsys, rules, "--actor", "user")["actor"] == "user"
    never = tmp_path / "n.rules"
    never.write_text("-a never,task\n" + RULES.replace("-D\n-b 8192\n", ""))
    assert data(capsys, str(never))["operations"][0]["overhead"] == 0
    assert data(capsys, str(never), "--running")["operations"][0]["overhead"] == 686


def test_wrong_use_is_one_line(rules: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "did you mean getppid?" in error(capsys, rules, "--operation", "getpid")
    assert "--actor nobody" in error(capsys, rules, "--actor", "nobody")
    assert "nosuch" in error(capsys, str(tmp_path / "nosuch"))
    assert "nosuch" in error(capsys, rules, "--workload", str(tmp_path / "nosuch"))
    bad = tmp_path / "bad"
    bad.write_text("what is this\n")
    assert f"{bad}:1:" in error(capsys, rules, "--workload", str(bad))
    assert "cost needs a rule file" in error(capsys)
    config = tmp_path / "x.config"
    config.write_text("CONFIG_AUDIT=y\n")
    assert error(capsys, str(config))


def test_rules_of_the_facts_are_in_the_kernel_too(
    rules: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    facts = tmp_path / "f.toml"
    facts.write_text('kernel = { rules = ["-a always,exit -S mknod -k x", "-a always,exit -S mount -k y"] }\n')
    other = tmp_path / "o.rules"
    other.write_text("-a always,exit -F arch=b64 -S openat -k m\n")
    first = text(capsys, str(other), "--facts", str(facts), "--operation", "read").splitlines()[0]
    assert first.endswith("3 rules in the kernel, 2 of them from the facts (kernel.rules)")
    assert text(capsys, rules, "--operation", "read").splitlines()[0].endswith(": 3 rules in the kernel")


def test_one_is_not_many(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, work = tmp_path / "a.rules", tmp_path / "w"
    path.write_text("-a always,exit -F arch=b64 -S openat -k m\n")
    work.write_text("read 1\n")
    out = text(capsys, str(path), "--workload", str(work))
    assert "\nthe most expensive line, by the sum" in out
    assert "w: 1 system call; audit adds 520 instructions" in out


@pytest.mark.parametrize("option", ["--against", "--workload"])
def test_options_that_are_given_once(rules: str, option: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert f"{option} can be given once, not 2 times" in error(capsys, rules, option, "a", option, "b")


def test_what_holds_no_rules_has_no_price(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "passwd").write_text("root:x:0:0::/:/bin/sh\n")
    assert "no rule file (*.rules) found" in error(capsys, str(tmp_path), "--kind", "rules.d")
    binary = tmp_path / "ls"
    binary.write_bytes(b"\x7fELF\x02\0\0\0-more\nabc\0")
    assert "not a rule file: it contains NUL bytes and no rule" in error(capsys, str(binary), "--kind", "rules")
    empty = tmp_path / "e.rules"
    empty.write_text("# none yet\n")
    assert "0 rules in the kernel" in text(capsys, str(empty))


def test_a_name_missing_between_commas(rules: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert "--operation open,,read: a name is missing between the commas" in error(
        capsys, rules, "--operation", "open,,read"
    )


@pytest.mark.parametrize(
    ("kernel", "word"), [("9.9", "nothing is known of kernels after"), ("none", "kernel none cannot be priced")]
)
def test_kernels_that_nobody_knows(rules: str, kernel: str, word: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["cost", rules, "--kernel", kernel, "--no-config"]) == 0
    assert word in capsys.readouterr().out


def test_comparison_of_long_workloads(rules: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    work, other = tmp_path / "w", tmp_path / "o.rules"
    calls = ("read", "write", "close", "lseek", "futex", "poll", "brk", "getpid", "getuid", "dup", "munmap", "getgid")
    work.write_text("".join(f"{name} {1000 - 10 * n}\n" for n, name in enumerate(calls)) + "execve 100\n")
    other.write_text("-a always,exit -F arch=b64 -S mknod -k m\n-a always,exit -F arch=b64 -S execve -k e\n")
    out = text(capsys, str(other), "--against", rules, "--workload", str(work))
    part = out.partition("\nworkload ")[2].splitlines()
    assert part[-1].startswith("and 3 more system calls: +")
    assert " to " in part[0]
    assert any(line.startswith("execve ") and line.endswith("logged in A, not logged in B") for line in part)
    out = text(capsys, str(other), "--against", "kernel=6.12", "--workload", str(work))
    assert any(line.startswith("execve ") and line.endswith("  logged") for line in out.splitlines())
    assert "instructions per operation:" in out


def test_lines_that_do_not_load_are_told_of_beside_the_workload(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, work = tmp_path / "b.rules", tmp_path / "w"
    path.write_text("-a always,exit -S mknod -k a\n-a always,exit -S nosuchcall -k b\n-a always,exit -S mount -k c\n")
    work.write_text("read 2\n")
    part = text(capsys, str(path), "--workload", str(work)).partition("\nworkload ")[2]
    assert "note: priced as it loads, without 2 lines (named above)" in part


def test_advice_is_ranked_by_the_workload(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, work = tmp_path / "x.rules", tmp_path / "w"
    path.write_text(
        "-a always,exit -F arch=b32 -S open -F auid>=1000 -k a\n" * 1
        + "".join(f"-a always,exit -F arch=b32 -S open -F uid={n} -k a{n}\n" for n in range(4))
        + "-a always,exit -S all -F exe=/usr/bin/x -k k\n"
    )
    work.write_text("fstat 1000\n")
    found = data(capsys, str(path), "--workload", str(work))
    assert found["advice_for"] == "workload"
    by_code = {each["code"]: each["saving"] for each in found["advice"]}
    # Five rules entered by fstat: 51 + 45 each; the program: 51 + 86.
    assert by_code["AL511"] == 1000 * 5 * 96
    assert by_code["AL513"] == 1000 * 137
    assert [each["code"] for each in found["advice"]][:2] == ["AL511", "AL513"]
    work.write_text("read 1000\n")
    found = data(capsys, str(path), "--workload", str(work))
    assert [each["code"] for each in found["advice"]] == ["AL513"]
    out = text(capsys, str(path), "--workload", str(work))
    assert "the greatest saving on the workload first" in out
    assert "saves 19 % of read() (137 instructions) [137,000 on the workload]" in out


def test_the_command_that_gives_all_advice(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "x y.rules"
    path.write_text("".join(f"-a always,exit -S all -F exe=/usr/bin/x{n} -k k\n" for n in range(8)))
    out = text(capsys, str(path))
    command = next(line for line in out.splitlines() if " more: auditlint check" in line).partition(": ")[2]
    words = shlex.split(command)
    assert words[:2] == ["auditlint", "check"]
    run([*words[1:], "--format", "json"])
    told = [each["message"] for each in json.loads(capsys.readouterr().out)["findings"]]
    assert told == [each["message"] for each in data(capsys, str(path))["advice"]]


def test_sources_hold_every_number(capsys: pytest.CaptureFixture[str]) -> None:
    found = data(capsys, "--sources")
    base = {each["kernel"]: each for each in found["bases"] if each["operation"] == "open"}
    assert (base["6.1"]["off"], base["6.1"]["first"], base["6.1"]["noise"]) == ("5640.3", "7516.3", "4.1")
    assert [each["syscall"] for each in found["operations"] if each["operation"] == "creat_unlink"] == [
        "openat",
        "close",
        "unlink|@unlinkat",
    ]
    assert next(each for each in found["syscalls"] if each["syscall"] == "connect")["marks"] == "address"
    out = text(capsys, "--sources")
    assert "  open; 6.1; 5640.3; 5973.3; 7516.3; 235; 6094.3; 4.1\n" in out
    assert "operations as measured (off: audit=0;" in out


def test_json_says_what_auditing_without_rules_costs(rules: str, capsys: pytest.CaptureFixture[str]) -> None:
    found = data(capsys, rules, "--operation", "getppid")["operations"][0]
    assert (found["base"], found["no_rules"]) == (323, 485)


def test_the_model_names_every_operation_and_actor(root: Path) -> None:
    page = (root / "docs" / "cost-model.md").read_text(encoding="utf-8")
    part = page.partition("## Operations and actors")[2].partition("\n## ")[0]
    assert all(f"`{name}`" in part for name in (*operation_names(), *actors()))


def test_a_slash_at_the_end_of_a_watch_means_a_directory(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A directory is tested at every call, a file is not; facts that know better win."""
    (tmp_path / "slash.rules").write_text("-w /opt/app/ -p wa -k app\n")
    (tmp_path / "plain.rules").write_text("-w /opt/app -p wa -k app\n")
    (tmp_path / "facts.toml").write_text("directories = []\ndirectories_complete = true\n")

    def storage(name: str, *words: str) -> list[str]:
        found = data(capsys, str(tmp_path / name), "--operation", "getppid", *words)
        return [rule["storage"] for rule in found["rules"]]

    assert storage("slash.rules") == ["exit list"]
    assert storage("plain.rules") == ["inode hash"]
    assert storage("slash.rules", "--facts", str(tmp_path / "facts.toml")) != ["exit list"]
