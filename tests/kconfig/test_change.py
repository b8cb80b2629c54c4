"""The smallest change, which is always verified by evaluating it."""

from typing import Any

import pytest

from auditlint.core.source import Source
from auditlint.kconfig.config_file import read_config
from auditlint.kconfig.evaluate import Evaluator
from auditlint.kconfig.minimal_change import described, smallest_change

APPARMOR = "CONFIG_NET=y\nCONFIG_SECURITY=y\nCONFIG_SECURITY_APPARMOR=y\nCONFIG_AUDIT=y\n"


def change(text: Any, goal: Any, kernel: str = "6.1", arch: str = "arm64") -> Any:
    file = read_config(Source("x.config", text.encode()), kernel=kernel)
    session = Evaluator().session([file], kernel, arch)
    name, _, value = goal.partition("=")
    found = smallest_change(session, name, value)
    if found.possible:  # what is promised holds when it is done
        settings = {edit.symbol: edit.value for edit in found.edits}
        assert session.apply(settings).value(name) == value
        for lost in settings:  # and nothing of it is superfluous
            less = {symbol: setting for symbol, setting in settings.items() if symbol != lost}
            assert not less or session.apply(less).value(name) != value
    return found


def edits(found: Any) -> Any:
    return {(edit.symbol, edit.value) for edit in found.edits}


@pytest.mark.parametrize(
    ("text", "goal", "kernel", "arch", "wanted"),
    [
        (APPARMOR, "AUDITSYSCALL=n", "6.1", "arm64", {("AUDIT", "n"), ("SECURITY_APPARMOR", "n")}),
        (APPARMOR.replace("CONFIG_AUDIT=y\n", ""), "AUDIT=n", "6.1", "arm64", {("SECURITY_APPARMOR", "n")}),
        ("CONFIG_NET=y\nCONFIG_AUDIT=y\n", "AUDITSYSCALL=n", "6.1", "x86_64", {("AUDIT", "n")}),
        ("CONFIG_NET=y\nCONFIG_AUDIT=y\nCONFIG_AUDITSYSCALL=y\n", "AUDITSYSCALL=n", "4.4", "x86_64",
         {("AUDITSYSCALL", "n")}),
        ("", "AUDIT=y", "6.1", "x86_64", {("AUDIT", "y"), ("NET", "y")}),
        ("# CONFIG_NET is not set\n", "AUDITSYSCALL=y", "6.1", "x86_64", {("AUDIT", "y"), ("NET", "y")}),
        ("", "IO_URING=n", "6.1", "x86_64", {("IO_URING", "n"), ("EXPERT", "y")}),
        ("CONFIG_NET=y\nCONFIG_AUDIT=y\nCONFIG_AEABI=y\nCONFIG_OABI_COMPAT=y\n", "AUDITSYSCALL=y", "4.14", "arm",
         {("OABI_COMPAT", "n")}),
    ],
)  # fmt: skip
def test_changes(text: Any, goal: str, kernel: str, arch: str, wanted: set[tuple[str, ...]]) -> None:
    found = change(text, goal, kernel, arch)
    assert found.possible
    assert edits(found) == wanted


def test_the_line_to_change_the_effects_and_the_other_ways_are_named() -> None:
    found = change(APPARMOR, "AUDITSYSCALL=n")
    assert {edit.symbol: edit.assignment.line for edit in found.edits} == {"AUDIT": 4, "SECURITY_APPARMOR": 3}
    assert ("AUDITSYSCALL", "y", "n") in found.effects
    sentence = described(found, {"AUDIT": "line 4", "SECURITY_APPARMOR": "line 3"})
    assert sentence.startswith(
        "to get AUDITSYSCALL=n, set AUDIT=n (line 4), SECURITY_APPARMOR=n (line 3); this also gives "
    )
    assert "audit=0" in sentence
    assert "-a never,task" in sentence


def test_what_cannot_be_reached_says_what_is_in_the_way() -> None:
    found = change("CONFIG_NET=y\nCONFIG_AUDIT=y\n", "AUDITSYSCALL=y", arch="mips")
    assert not found.possible
    assert "HAVE_ARCH_AUDITSYSCALL" in found.why
    assert "mips" in found.why
    assert not change("", "AUDIT_TREE=y").possible


def test_nothing_to_do() -> None:
    found = change(APPARMOR, "AUDIT=y")
    assert found.possible
    assert found.edits == ()
    assert described(found, {}) == "AUDIT is already y"


def test_the_session_is_left_as_it_was() -> None:
    file = read_config(Source("x.config", APPARMOR.encode()), kernel="6.1")
    evaluator = Evaluator()
    session = evaluator.session([file], "6.1", "arm64")
    before = evaluator.result(session)
    smallest_change(session, "AUDITSYSCALL", "n")
    assert session.definitions.model.value("AUDIT") == "y"
    assert evaluator.result(session) == before
