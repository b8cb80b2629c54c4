"""Safe fixes change no decision, key or record; fixing ends; no fix makes something worse."""

from __future__ import annotations

from typing import Any

from hypothesis import given, note, settings
from hypothesis import strategies as st

from auditlint.context.rules import RulesContext
from auditlint.core.facts import Facts
from auditlint.core.findings import SEVERITIES, Finding, FixLevel
from auditlint.core.run_options import RunOptions
from auditlint.core.settings import DEFAULT
from auditlint.core.source import Source
from auditlint.core.target import Target
from auditlint.io.inputs import Input
from auditlint.lint.fixer import fix
from auditlint.lint.fixes import apply
from auditlint.lint.linter import Linter
from auditlint.lint.runner import Selection, run_checks
from tests.properties.rule_files import assert_same, load, rule_files
from tests.properties.size import size

EVERYTHING = Selection(pedantic=True)
REVEALED = {("AL213", "AL214"), ("AL212", "AL404")}
"""With arch!= the names of calls are not those of one ABI, so that nothing is said of calls that they leave out.
Without arch the number of a call stands for another one as well, which may use the path."""
SEEDS = st.integers(0, 3)


def find(data: bytes, target: Target, facts: Facts, which: Selection = EVERYTHING) -> tuple[Source, list[Finding]]:
    program = load(data, target, facts)
    return program.sources[0], run_checks(RulesContext(program, DEFAULT), which)


def codes(findings: list[Finding]) -> list[str]:
    """A rule repeated by -A (AL302) is a shadowed one (AL303, AL309) as soon as one of them is written another way, and
    a late `never` (AL306) is a dead one (AL305) when the dead rules behind it are gone."""
    same = {"AL302": "AL303", "AL309": "AL303", "AL306": "AL305"}
    return [same.get(finding.code, finding.code) for finding in findings]


def rules(data: bytes, target: Target, facts: Facts) -> list[Any]:
    return [each.rule for each in load(data, target, facts).loaded_with_c]


@settings(max_examples=size(150), derandomize=size(1) == 1, deadline=None)
@given(rule_files(), SEEDS)
def test_each_safe_fix_keeps_what_is_recorded(made: Any, seed: Any) -> None:
    data, target, facts = made
    note(data.decode())
    source, findings = find(data, target, facts)
    for finding in findings:
        if finding.fix is not None and finding.fix.level == "safe":
            after = apply(source, finding.fix.edits)
            note(f"{target} {facts is not None} {finding.code} {finding.fix.title}\n{after.decode()}")
            assert not [entry for entry in load(after, target, facts).entries if entry.verdict == "error"]
            assert_same(rules(data, target, facts), rules(after, target, facts), target, seed)


@settings(max_examples=size(100), derandomize=size(1) == 1, deadline=None)
@given(rule_files(), SEEDS)
def test_all_safe_fixes_together_keep_it_and_end(made: Any, seed: Any) -> None:
    data, target, facts = made
    note(data.decode())
    linter = Linter(RunOptions(None, None, None, None, target, facts, DEFAULT), EVERYTHING)
    levels: frozenset[FixLevel] = frozenset(("safe",))
    checked, _ = fix(linter, Input("rules", "a.rules", (Source("a.rules", data),)), levels)
    after = checked.input.sources[0].data
    note(after.decode())
    assert_same(rules(data, target, facts), rules(after, target, facts), target, seed)
    again, applied = fix(linter, checked.input, levels)
    assert (applied, again.input.sources[0].data) == (0, after)


@settings(max_examples=size(40), derandomize=size(1) == 1, deadline=None)
@given(rule_files(), SEEDS, st.data())
def test_fragments_are_fixed_in_their_places(made: Any, seed: Any, data: Any) -> None:
    """The same for a rules.d directory: its rules decide as before, and each file keeps its own lines."""
    text, target, facts = made
    lines = text.splitlines(keepends=True)
    cut = data.draw(st.integers(0, len(lines)))
    parts = (b"# first\n" + b"".join(lines[:cut]), b"# second\n" + b"".join(lines[cut:]))
    sources = tuple(Source(f"rules.d/{number}0-x.rules", part) for number, part in enumerate(parts, 1))
    note(b"---\n".join(parts).decode())
    linter = Linter(RunOptions(None, None, None, None, target, facts, DEFAULT), EVERYTHING)
    entry = Input("rules.d", "rules.d", sources)
    fixed = fix(linter, entry, frozenset(("safe",)))[0].input
    note(b"---\n".join(source.data for source in fixed.sources).decode())
    before, after = ([each.rule for each in linter.program(each).loaded_with_c] for each in (entry, fixed))
    assert_same(before, after, target, seed)
    assert [source.path for source in fixed.sources] == [source.path for source in sources]
    assert [source.data.split(b"\n")[0] for source in fixed.sources] == [b"# first", b"# second"]


@settings(max_examples=size(100), derandomize=size(1) == 1, deadline=None)
@given(rule_files())
def test_no_fix_makes_it_worse(made: Any) -> None:
    """A safe fix adds no finding of its own severity or above; what the better rule costs (AL5) is another matter.

    An unsafe one adds no error. It makes a rule do what it was meant to do, which may be too much in another way: a
    narrower rule becomes superfluous, or a fault shows that no event could reach before. It may write a second rule
    with the faults of the first one.
    """
    data, target, facts = made
    note(data.decode())
    source, findings = find(data, target, facts, Selection())
    before = codes(findings)
    for finding in findings:
        if finding.fix is None:
            continue
        after = apply(source, finding.fix.edits)
        bar = SEVERITIES.index(finding.severity) if finding.fix.level == "safe" else 0
        now = [each for each in find(after, target, facts, Selection())[1] if SEVERITIES.index(each.severity) <= bar]
        note(f"{finding.code} {finding.fix.level} {finding.fix.title}\n{after.decode()}")
        for code in {code for code in codes(now) if not code.startswith("AL5")}:
            count = codes(now).count(code)
            told = code in before if finding.fix.level == "unsafe" or code == "AL303" else False
            told |= (finding.code, code) in REVEALED
            assert count <= before.count(code) or told, code
