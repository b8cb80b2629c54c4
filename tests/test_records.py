"""Rules in words for people."""

import pytest

from auditlint.core.facts import Facts
from auditlint.core.target import Target
from auditlint.load.program import judge_words
from auditlint.load.records import rule_text


@pytest.mark.parametrize(
    ("words", "text"),
    [
        ("-w /etc/passwd -p wa -k id", "exit,always [all calls] path=/etc/passwd perm=wa key=id"),
        ("-A never,exit -F arch=b64 -S open", "exit,never (in front) [1 call] arch=3221225534"),
        ("-a always,exit -F arch=b64 -S open,close -F auid!=-1", "exit,always [2 calls] arch=3221225534 auid!=unset"),
        ("-a never,task", "task,never [no calls]"),
        ("-a always,exit -S , -F perm=rx", "exit,always [no calls] perm=rx"),
    ],
)
def test_rule_text(words: str, text: str) -> None:
    rule = judge_words(words.split(), Target("none", auditctl="3.0.9"), Facts()).entry.rule
    assert rule is not None
    assert rule_text(rule) == text
