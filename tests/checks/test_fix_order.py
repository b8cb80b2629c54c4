"""Which fixes are applied first, and what is said of those that are not."""

from __future__ import annotations

from typing import Any

from auditlint.core.facts import Facts
from auditlint.core.run_options import RunOptions
from auditlint.core.settings import DEFAULT
from auditlint.core.source import Source
from auditlint.core.target import Target
from auditlint.io.inputs import Input
from auditlint.lint.fixer import fix
from auditlint.lint.linter import Linter, LintResult
from auditlint.lint.runner import Selection

UNSAFE = frozenset(("safe", "unsafe"))
PEOPLE = "-F auid!=unset -F auid>=1000"


def fixed(text: str, levels: frozenset[Any] = UNSAFE, **select: Any) -> tuple[str, LintResult]:
    common = RunOptions(None, None, None, None, Target(), Facts(), DEFAULT)
    linter = Linter(common, Selection(**select))
    checked, _ = fix(linter, Input("rules", "a.rules", (Source("a.rules", text.encode()),)), levels)
    return checked.input.sources[0].data.decode(), checked


def test_the_cause_is_mended_before_what_follows_from_it() -> None:
    """A twin of a rule with a mistyped error would have the mistake, too."""
    b64 = f"-a always,exit -F arch=b64 -S truncate -F exit=EACCES {PEOPLE} -k a\n"
    b32 = f"-a always,exit -F arch=b32 -S truncate -F exit=-EACCES {PEOPLE} -k a\n"
    after, checked = fixed(f"-D\n{b64}{b32}", ignore=("AL404", "AL405"))
    assert after == f"-D\n{b64.replace('=EACCES', '=-EACCES')}{b32}"
    assert checked.left == ()


def test_a_gap_is_closed_once() -> None:
    rule = "-a always,exit -F arch={} -S {} " + PEOPLE + " -k del\n"
    calls = "unlink,rename,unlinkat,renameat"
    after, checked = fixed("-D\n" + rule.format("b64", calls) + rule.format("b32", "rmdir," + calls))
    assert after == (
        "-D\n" + rule.format("b64", calls + ",rmdir,renameat2") + rule.format("b32", "rmdir," + calls + ",renameat2")
    )
    assert checked.left == ()


def test_the_twin_of_a_call_has_the_name_that_it_has_there() -> None:
    rule = "-a always,exit -F arch={} -S {} " + PEOPLE + " -k a\n"
    after, _ = fixed("-D\n" + rule.format("b64", "kexec_load,pread"), select=("AL401",))
    assert after == "-D\n" + rule.format("b64", "kexec_load,pread") + rule.format("b32", "sys_kexec_load,pread64")
    both = "-D\n" + rule.format("b64", "kexec_load") + rule.format("b32", "sys_kexec_load")
    assert fixed(both, select=("AL4",), ignore=("AL404",))[1].findings == ()


def test_what_a_mistaken_rule_was_meant_to_be_is_not_thrown_away() -> None:
    """a2 is no argument of chmod: fchmodat was meant. Asked for or not, AL245 makes the removal unsafe."""
    first = "-a always,exit -F arch=b64 -S chmod -k perm\n"
    text = f"-D\n{first}-a always,exit -F arch=b64 -S chmod -F a2&0111 -k perm\n"
    for select in ((), ("AL303",)):
        after, checked = fixed(text, frozenset(("safe",)), select=select)
        assert after == text
        (shadowed,) = (each for each in checked.findings if each.code == "AL303")
        assert shadowed.fix is not None and shadowed.fix.level == "unsafe"
    narrower = f"-D\n{first}-a always,exit -F arch=b64 -S chmod -F auid=1000 -k perm\n"
    assert fixed(narrower, frozenset(("safe",)), select=("AL303",))[0] == narrower


def test_a_prefix_selects_no_pedantic_check() -> None:
    selected = Selection(select=("AL5", "AL904"))
    from auditlint.lint.registry import all_checks

    pedantic = [check.code for check in all_checks() if check.pedantic and selected.takes(check)]
    assert pedantic == ["AL904"]
    assert any(check.pedantic for check in all_checks() if check.code.startswith("AL5"))
    assert [check.code for check in all_checks() if Selection(pedantic=True, select=("AL904",)).takes(check)] == [
        "AL904"
    ]
