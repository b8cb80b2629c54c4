"""How auditctl and the kernel would take another text in the place of a line."""

from __future__ import annotations

from auditlint.core.source import Source

TYPE_CHECKING = False
if TYPE_CHECKING:
    from auditlint.auditctl.model import Line, Rule
    from auditlint.context.rules import RulesContext
    from auditlint.kernel.acceptance import Refusal

_MOST_READINGS = 16
"""Lines tried last that are kept: a fix looks at its new text several times."""
_STRUCTURE = frozenset(
    (
        "bad-option-count",
        "bad-path",
        "invalid-option",
        "key-without-watch-or-syscall",
        "list-missing",
        "multiple-rules",
        "no-message",
        "perm-without-watch",
        "stray-parameter",
        "watch-with-syscall",
    )
)
"""Problems with the words of the line as a whole, not with the value of one."""


class TrialParse:
    """How far auditctl and the kernel get with a line: the kind of the refusal, and the options read before it."""

    __slots__ = ("kind", "line", "options")

    def __init__(self, context: RulesContext, line: Line) -> None:
        self.line = line
        self.options = len(line.option_names)
        self.kind: str | None = line.problem.kind if line.problem is not None else None
        rule = line.rule
        if self.kind is None and rule is not None:
            refusal = kernel_refusal(context, rule)
            self.kind = refusal.errno if refusal is not None else None

    def further_than(self, other: TrialParse) -> bool:
        """Is this one accepted, refused for another reason, or refused later in the line?"""
        if self.kind is None:
            return other.kind is not None
        return self.kind != other.kind or self.options > other.options

    def gets_past(self, other: TrialParse) -> bool:
        """As `further_than`, but another fault of the same word does not count."""
        return (
            self.kind is None or self.options > other.options or (other.kind in _STRUCTURE and self.further_than(other))
        )

    def takes_more_than(self, other: TrialParse) -> bool:
        """Does this one take the word at which the other one stops?"""
        if self.kind is None:
            return other.kind is not None
        rule = self.line.rule
        return self.options > other.options and (rule is None or not rule.list.startswith("0x"))


def reread(context: RulesContext, text: bytes, auditctl: str | None = None) -> TrialParse:
    """How auditctl would read this text instead; a blank line or a comment is accepted."""
    known = context.get(_tried)
    found = known.get((text, auditctl))
    if found is None:
        if len(known) >= _MOST_READINGS:
            known.clear()
        found = known[text, auditctl] = _read(context, text, auditctl)
    return found


def _tried(context: RulesContext) -> dict[tuple[bytes, str | None], TrialParse]:
    """The texts that were tried last, by text and release of auditctl; filled as they are."""
    return {}


def _read(context: RulesContext, text: bytes, auditctl: str | None) -> TrialParse:
    from auditlint.auditctl.model import Line

    source = Source("", text)
    line = next(iter(context.reader(auditctl).read(source)), None)
    return TrialParse(context, line or Line(source, 1, 0, (0, len(text))))


def kernel_refusal(context: RulesContext, rule: Rule, newest: bool = False) -> Refusal | None:
    """Why the kernel does not take the rule into an empty list; `newest` asks the newest kernel we know."""
    from auditlint.core.target import DEFAULT_KERNEL, Target
    from auditlint.kernel.acceptance import refusal

    target = context.target
    if newest:
        target = Target(DEFAULT_KERNEL, target.machine, target.auditctl)
    return refusal(rule, target, context.facts)
