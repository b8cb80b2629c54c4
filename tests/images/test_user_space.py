"""Rules of an image that nothing loads, and audit that nothing takes the records of, through the commands."""

from pathlib import Path
from typing import Any

import pytest

from tests.images.making import RULES

UNIT = "[Install]\nWantedBy=multi-user.target\n"
BASE = {
    "etc/os-release": "ID=debian\nVERSION_ID=12\n",
    "etc/machine-id": "0123456789abcdef0123456789abcdef\n",
    "etc/audit/rules.d/a.rules": RULES,
}
WITH_AUDITD = {
    **BASE,
    "usr/sbin/auditctl": "x",
    "usr/sbin/auditd": "x",
    "usr/lib/systemd/system/auditd.service": UNIT,
}
ENABLED = {"etc/systemd/system/multi-user.target.wants/auditd.service": "-> /usr/lib/systemd/system/auditd.service"}
COMMANDS = [("check", "img/etc/audit/rules.d", "--root", "img"), ("advise", "img")]


@pytest.mark.parametrize("words", COMMANDS, ids=["check", "advise"])
@pytest.mark.parametrize(
    ("files", "policy", "expected"),
    [
        (BASE, (), ["AL881"]),
        (WITH_AUDITD, (), ["AL882"]),
        ({**WITH_AUDITD, **ENABLED}, (), []),
        ({**WITH_AUDITD, **ENABLED}, ("--policy", "audit"), []),
        (WITH_AUDITD, ("--policy", "audit"), ["AL882", "AL883"]),
    ],
)
def test_user_space(words: Any, files: Any, policy: Any, expected: Any, image: Any, judge: Any) -> None:
    image(files)
    status, report, err = judge(*words, *policy, "--select", "AL881,AL882,AL883")
    assert (status, err) == (int(bool(expected)), "")
    assert [finding["code"] for finding in report["findings"]] == expected
    assert all(finding["file"] == "img/etc/audit/rules.d/a.rules" for finding in report["findings"])


def test_rules_from_elsewhere_are_not_those_of_the_image(image: Any, judge: Any, tmp_path: Path) -> None:
    image(BASE)
    (tmp_path / "own.rules").write_text(RULES)
    _, report, _ = judge("check", "own.rules", "--root", "img", "--select", "AL881")
    assert report["findings"] == []


def test_the_state_of_the_system(image: Any, judge: Any) -> None:
    """What becomes of audit as a whole, for programs that read the report of advise."""
    grub = "menuentry 'Debian' {\n linux /vmlinuz ro audit=1 audit_backlog_limit=8192\n}\n"
    status = "Package: auditd\nStatus: install ok installed\nVersion: 1:3.0.9-1\n"
    rules = "-D\n-w /etc/passwd -p wa -k identity\n-a always,exit -S nothing\n-w /etc/group -p wa -k identity\n"
    image(
        {
            **WITH_AUDITD,
            **ENABLED,
            "etc/passwd": "root:x:0:0\n",
            "etc/group": "root:x:0:\n",
            "etc/audit/rules.d/a.rules": rules,
            "boot/grub/grub.cfg": grub,
            "boot/config-6.1.0-13-amd64": "CONFIG_NET=y\nCONFIG_AUDIT=y\n# Linux/x86 6.1.55 Kernel Configuration\n",
            "var/lib/dpkg/status": status,
        }
    )
    _, report, _ = judge("advise", "img")
    state = report["state"]
    assert state["audit"]["built_in"] is True
    assert (state["audit"]["at_boot"], state["audit"]["backlog"]) == (True, 8192)
    assert state["rules"] == {"loaded": 1, "of": 3, "stopped_at": {"file": "img/etc/audit/rules.d/a.rules", "line": 3}}
    assert state["user_space"] == {
        "auditctl": "3.0.9",
        "auditd": "enabled",
        "source": "etc/systemd/system/multi-user.target.wants/auditd.service",
    }


def test_a_state_of_which_nothing_is_known(judge: Any, image: Any, tmp_path: Path) -> None:
    image({})
    (tmp_path / "a.rules").write_text(RULES)
    _, report, _ = judge("advise", "--rules", "a.rules")
    assert report["state"] == {
        "audit": {"built_in": None, "syscalls": None, "at_boot": None, "backlog": None},
        "rules": {"loaded": 1, "of": 1, "stopped_at": None},
        "user_space": {"auditctl": None, "auditd": None, "source": None},
    }
