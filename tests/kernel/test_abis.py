"""One answer to "which ABIs has the kernel?" for rules, coverage and prices."""

import pytest

from auditlint.analysis.rule_calls import machines_of
from auditlint.auditctl.tables import machines
from auditlint.core.target import Target
from auditlint.kernel.abis import abis


@pytest.mark.parametrize(
    ("machine", "kernel", "names", "by_auditctl"),
    [
        ("x86_64", "6.1", ["x86_64", "i386"], ["x86_64", "i386"]),
        ("riscv64", "6.1", ["riscv64", "riscv32"], ["riscv64", "riscv32"]),
        ("riscv64", "5.15", ["riscv64"], ["riscv64"]),
        ("ppc64le", "6.1", ["ppc64le"], ["ppc64le"]),
        ("i386", "6.1", ["i386"], ["i386"]),
        ("mips64", "6.1", ["mips64", "mips", "mips64n32"], []),
        ("sparc64", "6.1", ["sparc64", "sparc"], []),
        ("parisc64", "6.1", ["parisc64", "parisc"], []),
        ("loongarch64", "6.1", ["loongarch64"], []),
    ],
)
def test_abis(machine: str, kernel: str, names: list[str], by_auditctl: list[str]) -> None:
    target = Target(kernel, machine)
    assert [abi.name for abi in abis(target)] == names
    assert [known.name for known in machines_of(target)] == by_auditctl


def test_auditctl_agrees_about_the_32_bit_abi() -> None:
    """What b32 means there is the second ABI of the newest kernel."""
    for machine in machines().values():
        others = [abi.name for abi in abis(Target("7.3", machine.name))[1:]]
        assert others == ([machine.b32] if machine.b32 not in ("-", machine.name) else []), machine.name
