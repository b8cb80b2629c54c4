"""Why a line is refused: every refused line belongs to exactly one check.

auditctl says at which word it stops, not what is wrong there. A tab between two words gives the same message as a
typing error. So the causes that lie in the text are tried first, by what auditctl would do without them; then the
kind of the problem decides.
"""

from __future__ import annotations

import re
from functools import cache

from auditlint.analysis.line_text import comment_start, continues, joined_to, line_bytes, rule_starts, words
from auditlint.analysis.pasted_text import CURLY, PROGRAM, TYPOGRAPHIC, plain, unquoted
from auditlint.analysis.trial_parse import TrialParse, reread
from auditlint.core.data import rows

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from auditlint.auditctl.entries import Entry
    from auditlint.auditctl.model import Option
    from auditlint.context.rules import RulesContext

LISTS = ("task", "exit", "user", "exclude", "filesystem", "io_uring")
ACTIONS = ("always", "never")
_NO_LIST = "bad-list-or-action"
_ABOUT_THE_LIST = frozenset(
    (_NO_LIST, "field-exit-only", "field-wrong-list", "msgtype-wrong-list", "syscall-on-wrong-list")
)
_LOCATIONS = ("path", "dir", "inode", "exe")
_IDS = frozenset(("uid", "euid", "suid", "fsuid", "gid", "egid", "sgid", "fsgid", "obj_uid", "obj_gid"))
_OPERATORS = re.compile(r"[=<>!&]")
_PATH_OPTION = re.compile(r"(?:path|dir|exe)=/", re.IGNORECASE)
_NOT_A_NAME = re.compile(rb"/|[rwxaRWXA]{1,4}\Z|[aAdwWFCSkpbefr]\Z|[A-Za-z0-9_]+[=<>!&]")
"""What is no part of a path: another path, permissions, an option without its dash, a field."""
_OPTION_WORD = re.compile(r"-[aAdwWFCSkpbefrDic]|--[a-z][a-z_-]+")
_HANGING = re.compile(r"[^ -]-([aAdwWebf])\Z")
_PAIR = re.compile(r"(?:always|never),[a-z_]+\Z|[a-z_]+,(?:always|never)\Z")
_BEHIND = {"a": _PAIR, "A": _PAIR, "d": _PAIR, "w": re.compile("/"), "W": re.compile("/")}
_BEHIND.update((letter, re.compile(r"[0-9]+\Z")) for letter in "ebf")
"""What stands behind an option that hangs on the word in front, so that it is no part of a key."""
_ENDERS = frozenset(("-i", "-c", "-v", "-l", "-s", "-h", "--help", "--loginuid-immutable", "--reset-lost"))


@cache
def checks_by_kind() -> dict[tuple[str, str], str]:
    """The check of a problem by its kind and the option it is about (`-` for any), as far as these tell
    (`rulesets/refusal-causes.tsv`)."""
    return {(kind, option): check for kind, option, check in rows("refusal-causes.tsv")}


def by_kind(kind: str, default: str, option: str = "-") -> str:
    """The name of the check for a kind of problem; `default` where the table says nothing."""
    return checks_by_kind().get((kind, option), default)


def caused(context: RulesContext, check: str) -> Sequence[Entry]:
    """The refused lines that the check of that name explains, in file order."""
    return context.get(refused_by_cause).get(check, ()) if context.by_problem else ()


def refused_by_cause(context: RulesContext) -> dict[str, list[Entry]]:
    """The refused lines by the name of the check that explains them."""
    found: dict[str, list[Entry]] = {}
    before: Entry | None = None
    for entry in context.entries:
        if entry.verdict == "error":
            name = "line-continuation" if _continued(before, entry) else cause(context, entry)
            found.setdefault(name, []).append(entry)
        before = entry
    return found


def _continued(before: Entry | None, entry: Entry) -> bool:
    """Was the line meant to continue the one above: that one ends in a backslash, this one has no list of its own?"""
    if before is None or not continues(line_bytes(before)):
        return False
    names = entry.line.option_names
    return not {"-a", "-A", "-d", "-w", "-W", "-D"} & set(names)


def cause(context: RulesContext, entry: Entry) -> str:
    """The name of the check for one refused line."""
    problem = entry.problem
    if problem is None:
        return "refused-by-kernel"
    if joined_to(entry) is not None:
        return "missing-final-newline"
    text = line_bytes(entry)
    if entry.line.part or (entry.line.source.line_span(entry.line.number)[1] != entry.line.span[1]):
        return "line-too-long"
    if b"\0" in text:
        return "nul-byte"
    old = TrialParse(context, entry.line)
    textual = _textual_cause(context, old, text)
    if textual is not None:
        return textual
    if entry.stage == "kernel":
        return _kernel_cause(context, entry)
    return _auditctl_cause(context, old, entry)


def _textual_cause(context: RulesContext, old: TrialParse, text: bytes) -> str | None:
    """A cause that lies in the bytes of the line: without it auditctl would get further."""

    def helps(changed: bytes | None) -> bool:
        return changed is not None and changed != text and reread(context, changed).further_than(old)

    if text.startswith(b"\xef\xbb\xbf") and helps(text[3:]):
        return "byte-order-mark"
    if text.endswith(b"\r") and helps(text.rstrip(b"\r")):
        return "carriage-return"
    if b"\t" in text and reread(context, text.replace(b"\t", b" ")).gets_past(old):
        return "tab-separator"
    if TYPOGRAPHIC.search(text) and helps(plain(text)):
        return "typographic-character"
    program = PROGRAM.match(text)
    if program and helps(text[program.end() :]):
        return "program-name-in-line"
    if continues(text):
        return "line-continuation"
    cut = comment_start(text)
    if cut is not None and helps(text[:cut]):
        return "trailing-comment"
    if CURLY.search(text):
        changed, blank_in_path = unquoted(text)
        if helps(changed):
            return "path-with-blank" if blank_in_path else "quoted-value"
    return None


def _auditctl_cause(context: RulesContext, old: TrialParse, entry: Entry) -> str:
    problem = entry.problem
    assert problem is not None
    kind = problem.kind
    options = entry.line.options
    last = options[-1] if options else None
    if kind in _ABOUT_THE_LIST and _no_list(options):
        return (
            "entry-list"
            if any("entry" in (option.arg or "").lower() for option in options)
            else by_kind(_NO_LIST, "stray-word")
        )
    newest = newer_reading(context, entry)
    if newest is not None and newest.takes_more_than(old):
        bug = kind == "unknown-syscall" and last is not None and last.name == "-F"
        return "userspace-bug" if bug or problem.context == "-d" else "auditctl-too-old"
    if any(option.name == "-D" for option in options) and kind in ("bad-option-count", "no-message"):
        return "delete-all-not-alone"
    if kind == "invalid-option" or (kind == "no-message" and _is_dashed(entry)):
        return _option_cause(entry)
    if kind in ("stray-parameter", "no-message") and last is not None and last.name in _ENDERS:
        return "option-ends-line"
    if kind in ("multiple-rules", "watch-with-syscall", "bad-list-or-action", "stray-parameter"):
        starts = rule_starts(entry)
        if len(starts) > 1 and kind != "stray-parameter":
            return "several-rules-in-line" if _all_accepted(context, entry, starts) else _mixed(options)
    if kind == "stray-parameter":
        before = next((option for option in options if _ends_before(entry, option)), None)
        if before is not None and before.name in ("-a", "-A", "-d") and (before.arg or "").endswith(","):
            return "bad-list-or-action"
    if kind == "stray-parameter" and glued_start(entry) is not None:
        return "several-rules-in-line"
    if took_option(entry) is not None and kind not in ("field-operator-missing", "invalid-option"):
        return "missing-argument"
    if kind == "stray-parameter" and _blank_in_path(entry):
        return "path-with-blank"
    if kind in ("perm-without-watch", "key-without-watch-or-syscall") and free_word(entry) is not None:
        return "stray-word"
    if kind == "bad-list-or-action":
        pair = re.split("[,;]", (last.arg or "").lower() if last else "")
        if "entry" in pair:
            return "entry-list"
        if "possible" in pair:
            return "action-possible"
    if kind in ("unknown-syscall", "unknown-io_uring-op") or (kind == "no-message" and last and last.name == "-S"):
        return _syscall_cause(context, entry)
    if kind == "string-too-long" and last is not None:
        name = re.split("[=<>!&]", last.arg or "")[0].lower()
        return {"perm": "bad-field-value", "key": "bad-key"}.get(name, "path-too-long")
    if kind == "bad-perm" and last is not None and last.name == "-F":
        return "bad-field-value"
    if kind == "bad-path" and last is not None and (last.arg or "").startswith("/"):
        return "path-too-long"
    if kind == "unknown-field" and problem.context.startswith("key="):
        return "bad-key"
    if kind == "unknown-field" and _OPERATORS.search(problem.context):
        return "operator-in-value"
    if kind in ("unknown-user", "unknown-group", "field-value-not-number") and _OPERATORS.match(problem.context):
        return "operator-in-value"
    if kind == "other" and last is not None:
        return by_kind(kind, "bad-field-value", last.name)
    return by_kind(kind, "stray-word")


def _no_list(options: tuple[Option, ...]) -> bool:
    """Does an action stand beside a word that is no list? Since 3.1 auditctl goes on, and blames what follows."""
    for option in options:
        halves = (option.arg or "").split(",") if option.name in ("-a", "-A", "-d") else ()
        others = [half.lower() for half in halves if half not in ACTIONS]
        if len(halves) == 2 and (not others or (len(others) == 1 and others[0] not in (*LISTS, "possible"))):
            return True
    return False


def _is_dashed(entry: Entry) -> bool:
    """Does the guilty word begin with a dash: an unknown option that releases before 3.0 refuse without a message?"""
    problem = entry.problem
    assert problem is not None
    word = entry.line.source.data[problem.span[0] : problem.span[1]]
    return word.startswith(b"-") and len(word) > 1


def _option_cause(entry: Entry) -> str:
    from auditlint.analysis.line_text import takes_argument

    problem = entry.problem
    assert problem is not None
    word = entry.line.source.text(problem.span).split(" ")[0]
    return "missing-argument" if takes_argument(word) else "unknown-option"


def _mixed(options: tuple[Option, ...]) -> str:
    names = {option.name for option in options}
    watch = bool(names & {"-w", "-W"})
    return "mixed-watch-and-rule" if watch and names & {"-a", "-A", "-d"} else "several-rules-in-line"


def _all_accepted(context: RulesContext, entry: Entry, starts: list[int]) -> bool:
    """Is every piece of the line that begins with a list or a watch a rule on its own?"""
    text = line_bytes(entry)
    ends = [*starts[1:], len(text)]
    for start, end in zip(starts, ends, strict=True):
        reading = reread(context, text[start:end])
        if reading.kind is not None or reading.options < 2:
            return False
    return True


def _ends_before(entry: Entry, option: Option) -> bool:
    """Does the argument of the option end right in front of the guilty word, with blanks between?"""
    problem = entry.problem
    assert problem is not None
    end = option.span[1]
    return end < problem.span[0] and not entry.line.source.data[end : problem.span[0]].strip(b" ")


def free_word(entry: Entry) -> tuple[int, int] | None:
    """The first word in front of the problem that belongs to no option, as a span of the line."""
    problem = entry.problem
    assert problem is not None
    base = entry.line.span[0]
    behind = base
    taken = iter(sorted(option.span for option in entry.line.options))
    never = entry.line.span[1] + 1, 0
    low, high = next(taken, never)
    for start, end in words(line_bytes(entry)):
        at = base + start
        while at >= low:
            behind = max(behind, high)
            low, high = next(taken, never)
        if at >= problem.span[0]:
            return None
        if at >= behind:
            return start, end
    return None


def took_option(entry: Entry) -> Option | None:
    """The option that took another option for its argument, where that is what the line fails at."""
    problem = entry.problem
    assert problem is not None
    for option in entry.line.options:
        if option.arg_span is None or not _OPTION_WORD.fullmatch(option.arg or ""):
            continue
        guilty = option.span[0] <= problem.span[0] <= option.span[1]
        if option.span[1] - option.span[0] > len(option.name) and (guilty or _ends_before(entry, option)):
            return option
    return None


def glued_start(entry: Entry) -> int | None:
    """Where in the line a rule begins that hangs on the word in front of it (`-k identity-w /etc/group`)."""
    problem = entry.problem
    assert problem is not None
    word = entry.line.source.text(problem.span)
    for option in entry.line.options:
        hanging = _HANGING.search(option.arg or "")
        if hanging is not None and _ends_before(entry, option) and _BEHIND[hanging[1]].match(word):
            return option.span[1] - 2 - entry.line.span[0]
    return None


def _blank_in_path(entry: Entry) -> bool:
    """Does the stray word follow a path directly, and look like the rest of it?"""
    problem = entry.problem
    assert problem is not None
    for option in entry.line.options:
        is_path = option.name in ("-w", "-W") or (option.name == "-F" and _PATH_OPTION.match(option.arg or ""))
        if is_path and _ends_before(entry, option):
            word = entry.line.source.data[problem.span[0] : problem.span[1]]
            return _NOT_A_NAME.match(word) is None
    return False


def _syscall_cause(context: RulesContext, entry: Entry) -> str:
    from auditlint.analysis.unknown_syscalls import wrong_names

    names = wrong_names(context, entry)
    return names[0].check if names else "unknown-syscall"


def _kernel_cause(context: RulesContext, entry: Entry) -> str:
    problem = entry.problem
    assert problem is not None
    rule = entry.rule
    if "-A" in entry.line.option_names and "prepend-deletes" in context.reader().switches:
        return "userspace-bug"
    if problem.kind == "kernel-ENOENT":
        return _missing_cause(entry)
    if problem.kind != "kernel-EINVAL":
        return by_kind(problem.kind, "refused-by-kernel")
    if rule is None:
        waits = "--backlog_wait_time" in entry.line.option_names
        return "wait-time-over-limit" if waits else "refused-by-kernel"
    if rule.list.startswith("0x"):
        arg = next(option.arg or "" for option in entry.line.options if option.name in ("-a", "-A", "-d"))
        return "entry-list" if "entry" in arg.split(",") else "bad-list-or-action"
    from auditlint.analysis.trial_parse import kernel_refusal

    if kernel_refusal(context, rule, newest=True) is None:
        return "kernel-too-old"
    refusal = kernel_refusal(context, rule)
    if refusal is None or refusal.index is None:
        return "refused-by-kernel"
    return _field_cause(entry, refusal.index, refusal.reason)


def _missing_cause(entry: Entry) -> str:
    if any(request.kind == "delete" for request in entry.line.requests):
        return "delete-without-match"
    rule = entry.rule
    located = rule is None or any(field.name in _LOCATIONS for field in rule.fields)
    return "missing-directory" if located else "refused-by-kernel"


def _field_cause(entry: Entry, index: int, reason: str) -> str:
    rule = entry.rule
    assert rule is not None
    field = rule.fields[index]
    if reason in ("list", "operator"):
        return "field-not-on-list" if reason == "list" else "operator-not-allowed"
    if field.name in _IDS:
        return "unset-id"
    if field.name == "auid":
        return "unset-order"
    if field.name == "field_compare":
        return "bad-comparison"
    if field.name == "key":
        return "bad-key"
    if field.name in _LOCATIONS:
        value = field.value
        if isinstance(value, str) and not value.startswith("/"):
            return "path-not-absolute"
        if isinstance(value, str) and field.name != "dir" and value.endswith("/"):
            return "path-trailing-slash"
        earlier = [other.name for other in rule.fields[:index]]
        if any(name in _LOCATIONS for name in earlier):
            return "several-locations"
        return "path-too-long"
    return "bad-field-value"


def newer_reading(context: RulesContext, entry: Entry) -> TrialParse | None:
    """The line as the newest auditctl reads it, or None when the target is the newest."""
    from auditlint.core.target import DEFAULT_AUDITCTL

    if context.target.auditctl == DEFAULT_AUDITCTL:
        return None
    return reread(context, line_bytes(entry), auditctl=DEFAULT_AUDITCTL)
