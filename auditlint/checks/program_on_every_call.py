"""AL513: a rule on a program that is tested at every system call."""

from __future__ import annotations

from auditlint.checks._cost import every_call, live
from auditlint.findings import Hit
from auditlint.frozen import replace
from auditlint.subjects import at_field

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditlint.subjects import RulesSubject


def check(subject: RulesSubject) -> Iterator[Hit]:
    for stored, entry in live(subject):
        rule = stored.rule
        if not every_call(stored) or rule.get("exe") is None or rule.get("dir") is not None:
            continue
        gain = subject.advisor.change([stored], [replace(rule, mask=0)])
        what = "silences" if rule.action == "never" else "looks at"
        yield Hit(
            at_field(entry, "exe"),
            f"it {what} one program, but every system call of every task tests it, and exe is the dearest plain field; "
            f"naming the calls with -S {gain}",
            weight=gain.total,
        )
