"""Suppressions: a comment line of its own above the line it is about, with a reason.

    # auditlint: ignore[AL301] both teams ship this rule
    # auditlint: ignore-file[AL5, watch-deprecated] converted by hand next quarter

auditctl knows no trailing comments, so none are offered. `ignore` holds for the next line that is neither blank nor
comment, `ignore-file` for the whole file. Codes, names and prefixes of codes are taken, as in `--ignore`.
"""

from __future__ import annotations

import re

from auditlint.context.suppressions import Suppression
from auditlint.core.frozen import dataclass, replace
from auditlint.lint.registry import all_checks, matches

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from auditlint.core.findings import Finding
    from auditlint.core.source import Source
    from auditlint.lint.registry import Check

_COMMENT = re.compile(rb"^ *#[ \t]*auditlint:[ \t]*([^\r\n]*?)[ \t\r]*$", re.MULTILINE)
_DIRECTIVE = re.compile(r"(ignore|ignore-file)[ \t]*\[([^\]]*)\](.*)", re.DOTALL)
_NOT_A_LINE = re.compile(rb" *(#(?! CONFIG_\w+ is not set).*)?\r?")
"""`# CONFIG_X is not set` is no comment: it is how a configuration says no."""


@dataclass(frozen=True, slots=True)
class Suppressed:
    """Findings that are left, findings that were taken away, and every suppression with its use."""

    kept: tuple[Finding, ...]
    taken: tuple[Finding, ...]
    used: tuple[Suppression, ...]
    unused: tuple[Suppression, ...]


def read_suppressions(source: Source) -> list[Suppression]:
    """The suppressions of one file, right and wrong ones, in file order."""
    if b"auditlint:" not in source.data:
        return []
    known = all_checks()
    found = []
    for match in _COMMENT.finditer(source.data):
        text = match[1].decode("utf-8", "replace")
        span = match.span()
        directive = _DIRECTIVE.fullmatch(text)
        if directive is None:
            form = "has not the form `ignore[CHECK] reason` or `ignore-file[CHECK] reason`"
            found.append(Suppression(source, span, (), False, None, "", form))
            continue
        selectors = tuple(word.strip() for word in directive[2].split(",") if word.strip())
        reason = directive[3].strip(" \t:-")
        whole_file = directive[1] == "ignore-file"
        unknown = [word for word in selectors if not any(matches(check, (word,)) for check in known)]
        wrong: str | None = None
        if not selectors:
            wrong = "names no check"
        elif unknown:
            wrong = f"names {unknown[0]!r}, which is not a check"
        elif not reason:
            wrong = "gives no reason"
        line = None if whole_file else _next_line(source, source.line_of(span[0]))
        found.append(Suppression(source, span, selectors, whole_file, line, reason, wrong))
    return found


def _next_line(source: Source, line: int) -> int | None:
    """The next line that is neither blank nor comment."""
    for number in range(line + 1, len(source.starts) + 1):
        start, end = source.line_span(number)
        if not _NOT_A_LINE.fullmatch(source.data, start, end):
            return number
    return None


def apply(findings: Sequence[Finding], suppressions: Iterable[Suppression]) -> Suppressed:
    """Take away what is suppressed. A finding without a place in a line is covered by `ignore-file` alone."""
    everything = list(suppressions)
    if not everything:
        return Suppressed(tuple(findings), (), (), ())
    checks = {check.code: check for check in all_checks()}
    kept: list[Finding] = []
    taken: list[Finding] = []
    used: set[int] = set()
    words: set[tuple[int, str]] = set()
    for finding in findings:
        covering = [i for i, s in enumerate(everything) if _covers(s, finding, checks[finding.code])]
        used.update(covering)
        for i in covering:
            words.update((i, word) for word in everything[i].selectors if matches(checks[finding.code], (word,)))
        (taken if covering else kept).append(finding)
    return Suppressed(
        tuple(kept),
        tuple(taken),
        tuple(s for i, s in enumerate(everything) if i in used),
        tuple(
            each
            for i, s in enumerate(everything)
            if s.error is None and (each := _unneeded(s, [word for word in s.selectors if (i, word) in words]))
        ),
    )


def _unneeded(suppression: Suppression, needed: Sequence[str]) -> Suppression | None:
    """What of a suppression nothing needs. Of one that is needed, words that speak of pedantic checks are left alone:
    another run may have them."""
    if not needed:
        return suppression
    pedantic = [check for check in all_checks() if check.pedantic]
    idle = [word for word in suppression.selectors if word not in needed]
    idle = [word for word in idle if not any(matches(check, (word,)) for check in pedantic)]
    kept = tuple(word for word in suppression.selectors if word not in idle)
    return replace(suppression, selectors=tuple(idle), needed=kept) if idle else None


def _covers(comment: Suppression, finding: Finding, check: Check) -> bool:
    if comment.error is not None or finding.at.source is not comment.source or not matches(check, comment.selectors):
        return False
    return comment.whole_file or comment.line == comment.source.line_of(finding.at.span[0])
