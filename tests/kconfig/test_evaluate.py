"""Evaluation with the embedded slices: values, dropped requests, merging, reasons, contradictions."""

from typing import Any

import pytest

from auditlint.core.errors import UserError
from auditlint.core.source import Source
from auditlint.kconfig import slices
from auditlint.kconfig.config_file import read_config
from auditlint.kconfig.evaluate import Evaluator, evaluate


def config(text: Any, path: str = "x.config", kernel: str = "6.1") -> Any:
    return read_config(Source(path, text.encode()), kernel=kernel)


def run(text: Any, kernel: str = "6.1", arch: str = "x86_64", **more: Any) -> Any:
    return evaluate([config(text, kernel=kernel)], kernel, arch, **more)


def value(evaluation: Any, symbol: Any) -> Any:
    return evaluation.symbols[symbol].value


APPARMOR = "CONFIG_NET=y\nCONFIG_SECURITY=y\nCONFIG_SECURITY_APPARMOR=y\n"
SELINUX = "CONFIG_NET=y\nCONFIG_INET=y\nCONFIG_SECURITY=y\nCONFIG_SECURITY_NETWORK=y\nCONFIG_SECURITY_SELINUX=y\n"


def test_apparmor_turns_audit_on_although_it_is_refused() -> None:
    evaluation = run(APPARMOR + "# CONFIG_AUDIT is not set\n", arch="arm64")
    assert value(evaluation, "AUDIT") == value(evaluation, "AUDITSYSCALL") == "y"
    (dropped,) = evaluation.dropped
    assert (dropped.assignment.symbol, dropped.assignment.line, dropped.value) == ("AUDIT", 4, "y")
    assert "SECURITY_APPARMOR (line 3) selects it" in dropped.why


@pytest.mark.parametrize(("kernel", "wanted"), [("4.4", "n"), ("4.5", "y"), ("6.1", "y")])
def test_auditsyscall_can_be_refused_only_before_4_5(kernel: str, wanted: str) -> None:
    evaluation = run("CONFIG_NET=y\nCONFIG_AUDIT=y\n# CONFIG_AUDITSYSCALL is not set\n", kernel)
    assert value(evaluation, "AUDITSYSCALL") == wanted
    assert [d.assignment.symbol for d in evaluation.dropped] == (["AUDITSYSCALL"] if wanted == "y" else [])


def test_the_reason_names_who_provides_who_selects_and_why_the_line_has_no_effect() -> None:
    evaluation = run("# CONFIG_AUDITSYSCALL is not set\n" + APPARMOR, arch="arm64")
    assert evaluation.symbols["AUDITSYSCALL"].why == (
        "default y: AUDIT=y and HAVE_ARCH_AUDITSYSCALL=y",
        "AUDIT=y: selected by SECURITY_APPARMOR (line 4)",
        "HAVE_ARCH_AUDITSYSCALL=y: selected by ARM64",
        "SECURITY_APPARMOR=y: requested (line 4)",
        "ARM64=y: default y",
    )
    (dropped,) = evaluation.dropped
    assert dropped.why == (
        "it has no prompt since Linux 4.5; AUDITSYSCALL=y because AUDIT=y, selected by SECURITY_APPARMOR (line 4) and "
        "ARM64 provides HAVE_ARCH_AUDITSYSCALL"
    )


def test_an_architecture_without_support_says_so() -> None:
    evaluation = run("CONFIG_NET=y\nCONFIG_AUDIT=y\nCONFIG_AUDITSYSCALL=y\n", arch="mips")
    assert value(evaluation, "AUDITSYSCALL") == "n"
    assert "HAVE_ARCH_AUDITSYSCALL" in evaluation.dropped[0].why


def test_selinux_goes_with_audit() -> None:
    evaluation = run(SELINUX)
    assert value(evaluation, "SECURITY_SELINUX") == "n"
    assert "AUDIT" in evaluation.dropped[0].why
    assert value(run(SELINUX + "CONFIG_AUDIT=y\n"), "SECURITY_SELINUX") == "y"


def test_an_invalid_value_leaves_the_earlier_one() -> None:
    evaluation = run("CONFIG_NET=y\nCONFIG_AUDIT=y\nCONFIG_AUDIT=m\n")
    assert value(evaluation, "AUDIT") == "y"
    assert evaluation.symbols["AUDIT"].requested.value == "y"
    assert [(d.assignment.value, d.value) for d in evaluation.dropped] == [("m", "y")]


def test_merging_deletes_the_earlier_lines_even_for_an_invalid_one() -> None:
    first = config("CONFIG_NET=y\nCONFIG_AUDIT=y\n", "a.config")
    second = config("CONFIG_AUDIT=m\n", "b.config")
    assert value(evaluate([first, second], "6.1", "x86_64"), "AUDIT") == "n"
    assert value(evaluate([second], "6.1", "x86_64", base=first), "AUDIT") == "n"


def test_a_base_is_no_request() -> None:
    base = config("CONFIG_NET=y\n# CONFIG_AUDITSYSCALL is not set\nCONFIG_AUDIT=y\n", "base_defconfig")
    evaluation = evaluate([config("CONFIG_FANOTIFY=y\n")], "6.1", "x86_64", base=base)
    assert value(evaluation, "AUDIT") == "y"
    assert evaluation.dropped == ()


def test_allnoconfig_lies_under_the_fragment() -> None:
    assert value(run("CONFIG_NET=y\n", base="allnoconfig"), "SYSFS") == "y"  # no EXPERT, no prompt
    assert value(run("", base="allnoconfig"), "DNOTIFY") == "n"
    assert value(run("", base="alldefconfig"), "DNOTIFY") == "y"
    with pytest.raises(UserError, match="unknown base"):
        run("", base="randconfig")


def test_names_that_do_not_exist() -> None:
    evaluation = run("CONFIG_NET=y\nCONFIG_AUDITD=y\nCONFIG_AUDIT_TREE=y\nCONFIG_EXT4_FS=y\n")
    assert evaluation.unknown == ("AUDITD", "AUDIT_TREE")
    assert [d.why for d in evaluation.dropped] == [
        "Linux 6.1 has no symbol AUDITD for x86_64",
        "removed in Linux 5.0",
    ]


def test_a_line_between_known_ones_uses_the_older_and_says_so() -> None:
    evaluation = run("CONFIG_NET=y\nCONFIG_AUDIT=y\n", "6.9.4")
    assert evaluation.line == slices.line_for("6.9")
    assert "6.9" in evaluation.notes[0]
    assert evaluation.line in evaluation.notes[0]
    assert run("", "6.1.55").notes == ()


@pytest.mark.parametrize(
    ("kernel", "arch", "message"),
    [("2.4.20", "x86", "before"), ("banana", "x86", "not a kernel release"), ("6.1", "vax", "no architecture 'vax'")],
)
def test_what_is_not_known_is_an_error(kernel: str, arch: str, message: str) -> None:
    with pytest.raises(UserError, match=message):
        evaluate([config("")], kernel, arch)


def test_machine_names_are_taken_for_the_arch() -> None:
    assert run("", arch="aarch64").arch == "arm64"
    assert run("", arch="amd64").arch == "x86_64"


def resolved(text: Any, release: str = "4.9.165", arch: str = "arm64") -> Any:
    return f"#\n# Automatically generated file; DO NOT EDIT.\n# Linux/{arch} {release} Kernel Configuration\n#\n" + text


def test_a_resolved_file_outranks_the_table_and_the_contradiction_is_reported() -> None:
    text = resolved("CONFIG_NET=y\nCONFIG_AUDIT=y\n# CONFIG_AUDITSYSCALL is not set\nCONFIG_SYSFS=y\n")
    evaluation = run(text, "4.9", "arm64")
    assert value(evaluation, "AUDITSYSCALL") == "n"
    found = {c.symbol: c for c in evaluation.contradictions}
    assert (found["AUDITSYSCALL"].value, found["AUDITSYSCALL"].expected) == ("n", "y")
    assert found["AUDITSYSCALL"].assignment.line == 7
    assert "AUDITSYSCALL" not in [d.assignment.symbol for d in evaluation.dropped]


def test_a_defconfig_that_looks_resolved_is_still_input() -> None:
    text = resolved("CONFIG_NET=y\nCONFIG_AUDIT=y\n# CONFIG_AUDITSYSCALL is not set\nCONFIG_SYSFS=y\n")
    file = config(text, "arch/arm64/configs/old_defconfig", "4.9")
    evaluation = evaluate([file], "4.9", "arm64")
    assert value(evaluation, "AUDITSYSCALL") == "y"
    assert evaluation.contradictions == ()


def test_one_evaluator_gives_the_same_as_a_fresh_one() -> None:
    shared = Evaluator()
    for text, arch in ((APPARMOR, "arm64"), (SELINUX, "arm64"), ("", "arm64"), (APPARMOR, "mips"), (APPARMOR, "arm64")):
        file = config(text)
        assert shared.evaluate([file], "6.1", arch) == evaluate([file], "6.1", arch)


def test_every_slice_loads_for_every_architecture_it_names() -> None:
    for line in slices.lines():
        evaluator = Evaluator()
        embedded = slices.Slice(line)
        for arch in embedded.arches:
            evaluation = evaluator.evaluate([config("CONFIG_NET=y\nCONFIG_AUDIT=y\n", kernel=line)], line, arch)
            assert value(evaluation, "AUDIT") == "y", (line, arch)


@pytest.mark.parametrize(
    ("text", "arch", "reason", "blame"),
    [
        (APPARMOR + "# CONFIG_AUDIT is not set\n", "arm64", "selected", ("SECURITY_APPARMOR",)),
        ("CONFIG_AUDITD=y\n", "arm64", "unknown", ()),
        ("CONFIG_AUDIT=m\n", "arm64", "invalid", ()),
        ("CONFIG_AUDIT=y\n", "arm64", "depends", ("NET",)),
        ("CONFIG_NET=y\nCONFIG_AUDIT=y\n# CONFIG_AUDITSYSCALL is not set\n", "arm64", "no-prompt", ()),
    ],
)
def test_reason_and_blame(text: Any, arch: str, reason: str, blame: Any) -> None:
    (dropped,) = run(text, arch=arch).dropped
    assert (dropped.reason, dropped.blame) == (reason, blame)
