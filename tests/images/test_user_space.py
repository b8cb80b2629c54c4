"""Rules of an image that nothing loads, and audit that nothing takes the records of, through the commands."""

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
def test_user_space(words, files, policy, expected, image, judge):
    image(files)
    status, report, err = judge(*words, *policy, "--select", "AL881,AL882,AL883")
    assert (status, err) == (int(bool(expected)), "")
    assert [finding["code"] for finding in report["findings"]] == expected
    assert all(finding["file"] == "img/etc/audit/rules.d/a.rules" for finding in report["findings"])


def test_rules_from_elsewhere_are_not_those_of_the_image(image, judge, tmp_path):
    image(BASE)
    (tmp_path / "own.rules").write_text(RULES)
    _, report, _ = judge("check", "own.rules", "--root", "img", "--select", "AL881")
    assert report["findings"] == []
