"""What becomes of the lines of a rule file: entries, the rules in the kernel, and the outcome of a run."""

from __future__ import annotations

from auditlint.core.frozen import dataclass
from auditlint.core.source import Location

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal, TypeAlias

    from auditlint.auditctl.model import Line, Problem, Rule
    from auditlint.core.source import Span

    Verdict: TypeAlias = Literal["rule", "delete", "control", "none", "dropped", "error"]
    Stage: TypeAlias = Literal["auditctl", "kernel"]


@dataclass(frozen=True, slots=True)
class Entry:
    """A line that is neither blank nor comment, with what becomes of it.

    `verdict` is one of `rule delete control none dropped error`: what becomes of the line when `-c` stands in front of
    the file, in the state that the lines before left. `stage` says who refuses (`auditctl`
    or `kernel`), `problem` why. `rule` is the rule sent, loaded or not; `more` holds further rules sent for
    the same line. `loaded` tells whether the rule is in the kernel right after the line in the plain run;
    `lost` whether the plain run never reaches the line (`Program.stopped_by` says because of which). `at` is the
    place in the user's own file: in a rules.d directory the fragment, not the merged text; `parts` are all places
    of a line that augenrules glued together from several fragments. `equal_to` is where the equal rule stands that
    made the kernel answer EEXIST.
    """

    line: Line
    at: Location
    verdict: Verdict
    stage: Stage | None = None
    problem: Problem | None = None
    rule: Rule | None = None
    more: tuple[Rule, ...] = ()
    control: tuple[dict[str, object], ...] = ()
    lists_rules: bool = False
    signal: int | None = None
    loaded: bool = False
    lost: bool = False
    parts: tuple[Location, ...] = ()
    equal_to: Location | None = None

    def place(self, span: Span, message: str = "") -> Location:
        """Where a span of the line (in `line.source`) lies in the user's own file: in the part that holds its start."""
        start = span[0] - self.line.span[0]
        length = span[1] - span[0]
        for part in self.parts[:-1]:
            size = part.span[1] - part.span[0]
            if start < size:
                end = min(part.span[0] + start + length, part.span[1])
                return Location(part.source, (part.span[0] + start, end), message)
            start -= size
        last = self.parts[-1] if self.parts else self.at
        return Location(last.source, (last.span[0] + start, last.span[0] + start + length), message)


@dataclass(frozen=True, slots=True)
class LoadedRule:
    """A rule that is in the kernel when the plain run has ended, in load order."""

    rule: Rule
    entry: Entry


@dataclass(frozen=True, slots=True)
class Run:
    """Outcome of `auditctl -R` without `-c` in front: the `run` record of `parse`.

    `exit_with_c` and `complete_with_c` are those of the run with `-c` in front: it is incomplete when auditctl ends
    itself in the middle (a crash, `--signal` with an unknown word).
    """

    exit: int
    read_to_end: bool
    last_line_read: int
    rules_sent: int
    rules_loaded: int
    failed_lines: int
    first_failed_line: int | None
    enabled: int | None
    refused: Problem | None
    """The file was refused as a whole before its first line (mode, owner, type, locked kernel)."""
    exit_with_c: int = 0
    complete_with_c: bool = True
