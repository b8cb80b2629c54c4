"""Executes the lines of a rule file against a model of the kernel's audit state.

Source: fileopt() and handle_request() of audit-userspace src/auditctl.c, delete_all_rules() of src/delete_all.c, 2.8.5
to 4.2.1; what the kernel answers is in `auditlint.kernel.acceptance`.
"""

from __future__ import annotations

from auditlint.auditctl.entries import Entry, Run
from auditlint.auditctl.model import Field, Problem
from auditlint.core.frozen import replace
from auditlint.core.source import IN_KERNEL, Location, Source
from auditlint.core.target import NO_KERNEL
from auditlint.kernel.acceptance import LOCKED, Refusal, control_refusal, identity, place_refusal, refusal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from auditlint.auditctl.entries import Stage, Verdict
    from auditlint.auditctl.model import Line, ProblemKind, Request, Rule
    from auditlint.auditctl.parse import Reader
    from auditlint.core.facts import Facts
    from auditlint.core.target import Target
    from auditlint.kernel.acceptance import Errno, Identity

LISTS = ("user", "task", "exit", "exclude", "filesystem", "io_uring")
"""In the order of their numbers (AUDIT_FILTER_*, include/uapi/linux/audit.h), which is that of a listing."""


def listing_key(rule: Rule, number: int) -> tuple[int, int]:
    """Sort key of `auditctl -l`: list by list, in each the prepended rules first, the latest in front. `number` counts
    the rules as loaded, from 1."""
    return LISTS.index(rule.list) if rule.list in LISTS else len(LISTS), -number if rule.prepend else number


_PROBLEMS: Mapping[Errno, ProblemKind] = {
    "EEXIST": "kernel-EEXIST",
    "EINVAL": "kernel-EINVAL",
    "ELOOP": "kernel-ELOOP",
    "ENAMETOOLONG": "kernel-ENAMETOOLONG",
    "ENOENT": "kernel-ENOENT",
    "ENOTDIR": "kernel-ENOTDIR",
    "EPERM": "kernel-EPERM",
}


class Kernel:
    """The audit state of the kernel during a load."""

    __slots__ = ("_count", "_equal", "enabled", "facts", "loaded", "target")

    def __init__(self, target: Target, facts: Facts) -> None:
        self.target = target
        self.facts = facts
        # A kernel that is locked already refuses the whole file; its lines are judged for the next boot.
        self.enabled = 1 if facts.kernel_enabled in (None, 2) else facts.kernel_enabled
        self.loaded: dict[int, tuple[Rule, int]] = {}
        """Load number, from 1, to rule and index of its entry."""
        self._equal: dict[Identity, list[int]] = {}
        self._count = 0

    @property
    def _locked(self) -> bool:
        return self.enabled == 2 and self.target.kernel != NO_KERNEL

    def add(self, rule: Rule, index: int) -> tuple[Refusal | None, int | None]:
        """Add a rule: the refusal, and for EEXIST the index of the entry whose rule is there."""
        if self._locked:
            return Refusal("EPERM", LOCKED), None
        found = refusal(rule, self.target, self.facts)
        if found is not None:
            return found, None
        same = self._equal.setdefault(identity(rule, self.target), [])
        if same and not rule.prepend and self.target.kernel != NO_KERNEL:
            return Refusal("EEXIST", "the kernel already has an equal rule"), self.loaded[same[0]][1]
        found = place_refusal(rule, self.target, self.facts)
        if found is not None:
            return found, None
        self._count += 1
        self.loaded[self._count] = (rule, index)
        same.insert(0 if rule.prepend else len(same), self._count)
        return None, None

    def delete(self, rule: Rule) -> Refusal | None:
        """Delete the first rule that is equal."""
        if self._locked:
            return Refusal("EPERM", LOCKED)
        found = refusal(rule, self.target, self.facts)
        if found is not None:
            return found
        same = self._equal.get(identity(rule, self.target))
        if same:
            del self.loaded[same.pop(0)]
        elif self.target.kernel != NO_KERNEL:
            return Refusal(
                "ENOENT", "the kernel has no equal rule: list, action, fields and system calls must be the same"
            )
        return None

    def matching(self, key: str | None) -> list[Rule]:
        """The rules whose key holds `key` (without one: all), as listed."""
        found = [
            (listing_key(rule, number), rule)
            for number, (rule, _) in self.loaded.items()
            if key is None or key in (rule.key or "")
        ]
        return [rule for _, rule in sorted(found, key=lambda pair: pair[0])]


class LoadSimulator:
    """Executes lines one after the other, none left out: as if `-c` stood in front."""

    __slots__ = ("added", "continues", "enabled", "entries", "ignores", "kernel", "sent")

    def __init__(self, target: Target, facts: Facts, reader: Reader) -> None:
        self.kernel = Kernel(target, facts)
        self.entries: list[Entry] = []
        self.ignores = self.continues = False
        self.enabled: int | None = None
        """The last -e that the kernel took."""
        self.sent = self.added = 0
        """Rules sent, and those that the kernel took."""
        for line in reader.read(_kernel_rules(facts)):
            if [request.kind for request in line.requests] == ["add"]:
                self.judge(line, Location(line.source, line.span))
        self.sent = self.added = 0

    def judge(self, line: Line, at: Location, parts: tuple[Location, ...] = ()) -> Entry:
        """Execute a line and append its entry."""
        state = _Execution(self, line)
        for request in line.requests:
            _REQUESTS[request.kind](state, request)
            if state.problem is not None:
                break
        problem = state.problem
        stage: Stage = "kernel"
        if problem is None:
            problem, stage = line.problem, "auditctl"
        entry = Entry(
            line,
            at,
            "error" if problem is not None else state.verdict(),
            None if problem is None else stage,
            problem,
            state.rule,
            tuple(state.more),
            tuple(state.control),
            state.lists,
            state.signal,
            loaded=state.added,
            parts=parts,
            equal_to=state.equal_to,
        )
        self.entries.append(entry)
        return entry


def _kernel_rules(facts: Facts) -> Source:
    """The rules that are in the kernel before the load."""
    return Source(IN_KERNEL, "\n".join(facts.kernel_rules).encode("utf-8", "surrogateescape"))


class _Execution:
    """What one line has done so far."""

    __slots__ = (
        "_judge",
        "_line",
        "added",
        "control",
        "deleted",
        "equal_to",
        "lists",
        "more",
        "problem",
        "rule",
        "signal",
    )

    def __init__(self, judge: LoadSimulator, line: Line) -> None:
        self._judge = judge
        self._line = line
        self.rule: Rule | None = None
        self.more: list[Rule] = []
        self.control: list[dict[str, object]] = []
        self.lists = False
        self.signal: int | None = None
        self.added = False
        self.deleted = False
        self.problem: Problem | None = None
        self.equal_to: Location | None = None

    def verdict(self) -> Verdict:
        """The verdict of a line that nobody refused."""
        if self.added:
            return "rule"
        if self.deleted:
            return "delete"
        if self._line.dropped:
            return "dropped"
        return "control" if self.control or self.lists or self.signal is not None else "none"

    def _refuse(self, found: Refusal, request: Request) -> None:
        span, context = request.span, ""
        if found.index is not None and request.rule is not None:
            context = request.rule.fields[found.index].name
            for origin in self._line.field_sources:
                if origin.index == found.index:
                    span = origin.option.span
        self.problem = Problem(_PROBLEMS[found.errno], found.message, span, context)

    def add(self, request: Request) -> None:
        assert request.rule is not None
        judge = self._judge
        self.rule = request.rule
        judge.sent += 1
        found, other = judge.kernel.add(request.rule, len(judge.entries))
        retry = _as_path(request.rule, found)
        if retry is not None:
            judge.sent += 1
            self.more.append(retry)
            found, other = judge.kernel.add(retry, len(judge.entries))
        if found is not None:
            self._refuse(found, request)
            self.equal_to = None if other is None else judge.entries[other].at
        else:
            judge.added += 1
            self.added = True

    def delete(self, request: Request) -> None:
        assert request.rule is not None
        kernel = self._judge.kernel
        self.rule = request.rule
        found = kernel.delete(request.rule)
        retry = _as_path(request.rule, found)
        if retry is not None:
            self.more.append(retry)
            found = kernel.delete(retry)
        if found is not None:
            self._refuse(found, request)
        self.deleted = found is None

    def delete_all(self, request: Request) -> None:
        """The rules are listed, then deleted one by one until one is refused. `rule` is the first one.

        The kernel `none` has no rules to list.
        """
        self.lists = True
        kernel = self._judge.kernel
        for rule in kernel.matching(request.key):
            found = kernel.delete(rule)
            if kernel.target.kernel == NO_KERNEL:
                continue
            if self.rule is None:
                self.rule = replace(rule, prepend=False)
            if found is not None:
                self._refuse(found, request)
                return
            self.deleted = True

    def list(self, request: Request) -> None:
        self.lists = True

    def status(self, request: Request) -> None:
        """Only asks."""

    def set(self, request: Request) -> None:
        assert request.control is not None
        record = dict(request.control)
        kernel = self._judge.kernel
        argument = None
        if record["type"] == "MAKE_EQUIV":  # asked for this only: a line may hold many others
            argument = next((option.arg for option in self._line.options if option.span == request.span), None)
        found = control_refusal(record, kernel.enabled, kernel.target, kernel.facts, argument or "")
        if found is not None:
            record["reply"] = found.errno
            self._refuse(found, request)
        elif "enabled" in record:
            kernel.enabled = self._judge.enabled = record["enabled"]
        self.control.append(record)

    def send_signal(self, request: Request) -> None:
        assert request.control is not None
        self.signal = request.control["signal"]

    def ignore(self, request: Request) -> None:
        self._judge.ignores = True

    def go_on(self, request: Request) -> None:
        self._judge.ignores = self._judge.continues = True


_REQUESTS: dict[str, Callable[[_Execution, Request], None]] = {
    "add": _Execution.add,
    "delete": _Execution.delete,
    "delete-all": _Execution.delete_all,
    "list": _Execution.list,
    "status": _Execution.status,
    "control": _Execution.set,
    "signal": _Execution.send_signal,
    "ignore": _Execution.ignore,
    "continue": _Execution.go_on,
}


def _as_path(rule: Rule, found: Refusal | None) -> Rule | None:
    """The rule that handle_request() sends next after EINVAL when the first field is a dir: a path in its place."""
    if found is None or found.errno != "EINVAL" or not rule.fields or rule.fields[0].name != "dir":
        return None
    return replace(rule, fields=(Field("path", rule.fields[0].op, rule.fields[0].value), *rule.fields[1:]))


class StopOnErrorRun:
    """The run without `-c` in front, seen beside the one with it: both do the same up to the line where it stops."""

    __slots__ = ("_aborted", "_failed", "_first", "_snapshot", "_status", "_status_with_c", "_stop_line", "stop")

    def __init__(self) -> None:
        self.stop: int | None = None
        """Index of the first entry that the plain run does not reach."""
        self._stop_line = 0
        self._failed = 0
        self._first: int | None = None
        self._status = self._status_with_c = 0
        self._aborted = False
        self._snapshot: tuple[list[tuple[Rule, int]], int, int, int | None] | None = None

    def step(self, entry: Entry, judge: LoadSimulator) -> None:
        """Take note of the entry that `judge` has just appended."""
        if entry.problem is not None:
            self._fail(entry, entry.problem.status, judge)
        elif any(request.kind == "continue" for request in entry.line.requests):
            # -c sets the mark for "exit 1 if a line failed" anew, so failures before it are forgotten.
            if not self._aborted:
                self._status_with_c = 0
            if self.stop is None:
                self._status = 0

    def _fail(self, entry: Entry, end: int | None, judge: LoadSimulator) -> None:
        """A refused line; `end` is the exit status when auditctl ends itself there."""
        if not self._aborted:
            self._status_with_c = 1 if end is None else end
            self._aborted = end is not None
        if self.stop is not None:
            return
        self._failed += 1
        if self._first is None:
            self._first = entry.line.number
        if end is not None or not judge.ignores:
            self.stop = len(judge.entries)
            self._stop_line = entry.line.number
            self._status = 1 if end is None else end
            self._snapshot = self._state(judge)
        elif judge.continues:
            self._status = 1

    @staticmethod
    def _state(judge: LoadSimulator) -> tuple[list[tuple[Rule, int]], int, int, int | None]:
        return list(judge.kernel.loaded.values()), judge.sent, judge.added, judge.enabled

    def outcome(self, text: Source, judge: LoadSimulator) -> tuple[Run, list[tuple[Rule, int]]]:
        """The run, and the rules in the kernel at its end with the indexes of their entries."""
        loaded, sent, added, enabled = self._snapshot or self._state(judge)
        lines = text.data.count(b"\n") + (not text.data.endswith(b"\n") and text.data != b"")
        to_end = self.stop is None
        last = lines if to_end else self._stop_line
        counts = (last, sent, added, self._failed, self._first, enabled)
        return Run(self._status, to_end, *counts, None, self._status_with_c, not self._aborted), loaded
