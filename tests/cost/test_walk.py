"""The counts of the price are those of the kernel model: same rules met, same rules entered, same verdict."""

from __future__ import annotations

from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from auditlint.core.facts import Facts
from auditlint.cost.breakdown import CostBreakdown
from auditlint.cost.price import Pricing
from auditlint.kernel.evaluate import decide
from auditlint.kernel.storage import EXIT, HASH
from tests.cost.lab import pricing

FACTS = Facts(
    directories=frozenset(["/data", "/etc/test"]),
    inodes={
        "/data/plain": 1,
        "/etc/test/f0": 33,
        "/usr/include": 65,
        "/data": 7,
        "/etc/x": 97,
        "/etc/y": 5,
        "/data/new": 6,
        "/data/a/b/c/d/e/f/plain": 8,
        "/tiny": 9,
        "/bench": 10,
        "/bin/x": 11,
    },
)
"""With inode numbers for all files nothing is left to chance."""
CONDITIONS = [
    *("uid=0", "uid=1000", "auid>=1000", "auid!=unset", "exit=-2", "success=1", "perm=wa", "perm=r", "gid=0"),
    *("dir=/data", "dir=/etc/test", "path=/data/plain", "path=/etc/x", "path=/etc/y", "path=/etc/test/f0"),
    *("exe=/bench", "exe=/bin/x", "obj_uid=0", "filetype=dir", "inode!=7"),
]
CALLS = ["all", "openat", "read,write,close", "access,newfstatat,chmod", "unlink,openat", "getppid,kill", "mount"]
RULES = st.lists(
    st.tuples(
        st.sampled_from(["always", "always", "never"]),
        st.sampled_from(CALLS),
        st.lists(st.sampled_from(CONDITIONS), max_size=3, unique_by=lambda text: text.partition("=")[0].rstrip("!>")),
        st.booleans(),
    ),
    max_size=12,
)


def rule_text(number: int, action: str, calls: str, conditions: list[str], prepend: bool) -> str:
    places = [text for text in conditions if text.startswith(("dir=", "path=", "inode"))]
    fields = [text for text in conditions if text not in places[1:]]
    front = "-A" if prepend else "-a"
    return (
        f"{front} {action},exit -F arch=b64 -S {calls} "
        + " ".join(f"-F {text}" for text in fields)
        + f" -k k{number}\n"
    )


@settings(max_examples=60, deadline=None, derandomize=True)
@given(RULES, st.sampled_from(["5.10", "6.1", "6.12"]), st.sampled_from(["root-unset", "user"]))
def test_counts_and_verdicts(rules: list[tuple[str, str, list[str], bool]], kernel: str, actor: str) -> None:
    text = "-i\n" + "".join(rule_text(number, *rule) for number, rule in enumerate(rules))
    priced = pricing(text, actor, kernel=kernel, facts=FACTS)
    for operation in priced.operations:
        for call in operation.calls:
            decision = decide(priced.storage, call.event)
            if decision.logged is None:
                continue
            breakdown = CostBreakdown()
            logged = priced.single(breakdown, call.name, call.event, "-")
            assert logged is decision.logged, (text, operation.name)
            if priced.storage.counted:
                _compare(priced, breakdown, decision.walks, text)


def _compare(priced: Pricing, breakdown: CostBreakdown, walks: tuple[Any, ...], text: str) -> None:
    parts = {part.what: part for part in breakdown.parts()}
    values = priced.values
    for walk in walks:
        if walk.moment != "exit":
            continue
        if walk.place == EXIT and walk.length:
            met = parts["exit-list mask tests"]
            assert (met.rules, met.amount) == (walk.length, walk.length * values["mask"]), text
            entered = len(walk.visits)
            assert (
                parts["rules entered"].amount == entered * values["enter"] if entered else "rules entered" not in parts
            )
            assert ("match" in parts) is (walk.winner is not None), text
    hashed = [walk for walk in walks if walk.place == HASH and walk.moment == "exit"]
    # A price for the hash exists exactly when some bucket of the call's names holds a rule.
    assert ("inode hash" in parts) is any(walk.length for walk in hashed), text
