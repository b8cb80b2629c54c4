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

_COMMENT = re.compile(rb"^ *#[ \t]*auditlint:([^\r\n]*)(?:\r[ \t\r]*)?$", re.MULTILINE)
"""Blanks are stripped afterwards: a lazy match before them takes the square of their number."""
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
    checks = all_checks()
    selecting: dict[str, bool] = {}
    found = []
    reached: int | None = 0
    for match in _COMMENT.finditer(source.data):
        text = match[1].strip(b" \t").decode("utf-8", "replace")
        span = match.span()
        directive = _DIRECTIVE.fullmatch(text)
        if directive is None:
            form = "has not the form `ignore[CHECK] reason` or `ignore-file[CHECK] reason`"
            found.append(Suppression(source, span, (), False, None, "", form))
            continue
        selectors = tuple(word.strip() for word in directive[2].split(",") if word.strip())
        reason = directive[3].strip(" \t:-")
        whole_file = directive[1] == "ignore-file"
        for word in selectors:
            if word not in selecting:
                selecting[word] = any(matches(check, (word,)) for check in checks)
        unknown = [word for word in selectors if not selecting[word]]
        wrong: str | None = None
        if not selectors:
            wrong = "names no check"
        elif unknown:
            wrong = f"names {unknown[0]!r}, which is not a check"
        elif not reason:
            wrong = "gives no reason"
        line = None
        if not whole_file:
            own = source.line_of(span[0])
            if reached is not None and reached <= own:  # else between the last suppression and its line: the same line
                reached = _next_line(source, own)
            line = reached
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
    by_place: dict[tuple[int, int | None], list[int]] = {}
    for i, s in enumerate(everything):
        if s.error is None and (s.whole_file or s.line is not None):
            by_place.setdefault((id(s.source), None if s.whole_file else s.line), []).append(i)
    kept: list[Finding] = []
    taken: list[Finding] = []
    used: set[int] = set()
    words: set[tuple[int, str]] = set()
    # Whether findings of a check at a line, or in a file, are suppressed: asked once each.
    covered: dict[tuple[int, int | None, str], bool] = {}
    for finding in findings:
        source = finding.at.source
        covering = False
        for line in (None, source.line_of(finding.at.span[0])):
            at = (id(source), line, finding.code)
            if at not in covered:
                check = checks[finding.code]
                fitting = [i for i in by_place.get(at[:2], ()) if matches(check, everything[i].selectors)]
                used.update(fitting)
                words.update((i, word) for i in fitting for word in everything[i].selectors if matches(check, (word,)))
                covered[at] = bool(fitting)
            covering = covering or covered[at]
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
