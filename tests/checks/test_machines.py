"""Every check on every machine, also under the names of `uname -m` and on one that nobody knows."""

from __future__ import annotations

import pytest

from auditlint.context.rules import RulesContext
from auditlint.core.facts import Facts
from auditlint.core.settings import DEFAULT
from auditlint.core.source import Source
from auditlint.core.target import Target
from auditlint.lint.runner import Selection, run_checks
from auditlint.load.program import load_file

RULES = b"""\
-D
-w /etc/passwd -p wa -k identity
-a always,exit -F path=/usr/bin/su -F perm=x -k su
-a always,exit -F arch=b64 -S openat,connect,unlinkat -F auid>=1000 -F exit=-EACCES -k access
-a always,exit -F arch=b32 -S openat,connect,unlinkat -k access32
-a always,exit -S execve -k exec
"""
MACHINES = ("x86_64", "i386", "i686", "armv7l", "armv8l", "aarch64", "ppc64le", "ppc64", "s390x", "riscv64", "nosuch")


@pytest.mark.parametrize("kernel", ["5.10", "6.1", "7.3"])
@pytest.mark.parametrize("machine", MACHINES)
def test_no_check_stumbles(machine: str, kernel: str) -> None:
    program = load_file(Source("audit.rules", RULES), Target(kernel, machine, "4.2"), Facts())
    found = run_checks(RulesContext(program, DEFAULT), Selection(pedantic=True))
    assert all(finding.message for finding in found)
