"""What there is to look at in a rule set: words that say which checks are worth importing.

A check whose `when` names none of the words of a subject has nothing to say there. The words:

word                  some line or rule
`rules`               adds a rule, be it one that only this host refuses
`list:NAME`           of that filter list
`action:NAME`         with that action
`field:NAME`          with a field of that name
`field:NAME OP`       with that field and operator, written without blank: `field:auid>=`
`calls`               of the exit list, for some system calls, not for all
`calls-without-arch`  the same, without `arch`
`all-calls`           of the exit list, for all system calls, with neither path, dir nor perm
`no-calls`            of the exit or io_uring list, for no system call at all
`option:NAME`         with that option
`late:-D`             with -D behind a rule
`warning:KIND`        auditctl warns about
`problem:KIND`        is refused with that kind of problem
`cause:CHECK`         is refused, and that check says why
`dropped`             is passed over (action `possible`)
`lost`                is never reached
`long-line`           is longer than a line may be
`byte:NAME`           holds such a byte; further words of `PATTERNS` for other texts

and of the whole: `directory` (rules.d), `refused` (the file as such), `overridden`, `left_out`, `installed` as in
Program, and `facts:NAME` for facts that are known.
"""

from __future__ import annotations

import re

from auditlint.language.model import ALL_SYSCALLS

TYPE_CHECKING = False
if TYPE_CHECKING:
    from auditlint.language.model import Rule
    from auditlint.subjects import RulesSubject

BYTES = {"byte:cr": b"\r", "byte:tab": b"\t", "byte:nul": b"\0", "byte:bom": b"\xef\xbb\xbf"}
PATTERNS = {
    "byte:quote": re.compile(rb"[\"']"),
    "number:odd": re.compile(rb"[=<>&rbe] *-?(?:0[0-9]|[0-9]+[^0-9 \n]|(?!4294967295[ \n])[0-9]{10})"),
    "account-name": re.compile(rb"[ug]id[=!<>]+(?!unset|root)[A-Za-z_]", re.IGNORECASE),
}
"""What to look for in the bytes before a module is imported that looks closer."""
_NARROW = frozenset(("path", "dir", "perm"))
_FACTS = ("symlinks", "lsm", "uid_min")


def features(subject: RulesSubject) -> frozenset[str]:
    """The words for one subject."""
    program = subject.program
    found = {"*", *_of_rules(subject)}
    found.update("problem:" + kind for kind in subject.by_problem)
    found.update("option:" + name for name in subject.by_option)
    rule_seen = False
    for entry in program.entries:
        if entry.verdict == "rule":
            rule_seen = True
        elif rule_seen and "-D" in entry.line.option_names:
            found.add("late:-D")
        found.update("warning:" + warning.kind for warning in entry.line.warnings)
        if entry.lost:
            found.add("lost")
        if entry.line.dropped:
            found.add("dropped")
        if entry.line.part:
            found.add("long-line")
    found.update("cause:" + name for name in subject.by_cause)
    for source in program.sources:
        found.update(name for name, mark in BYTES.items() if mark in source.data)
        found.update(name for name, pattern in PATTERNS.items() if pattern.search(source.data))
    if program.is_directory:
        found.add("directory")
    found.update(name for name in ("overridden", "left_out", "installed") if getattr(program, name))
    found.update("facts:" + name for name in _FACTS if getattr(program.facts, name))
    if program.run.refused is not None:
        found.add("refused")
    return frozenset(found)


def _of_rules(subject: RulesSubject) -> set[str]:
    """The words about lists, actions, fields and masks."""
    rules = subject.meant
    found = {"list:" + name for name in {rule.list for rule, _ in rules}}
    found.update(["action:" + name for name in {rule.action for rule, _ in rules}])
    if rules:
        found.add("rules")
    fields = {id(field): field for rule, _ in rules for field in rule.fields}  # equal ones are mostly one object
    for name, op in {(field.name, field.op) for field in fields.values()}:
        found.add("field:" + name)
        found.add(f"field:{name}{op}")
    for rule, _ in rules:
        found.add(_selection(rule))
    found.discard("")
    if "calls-without-arch" in found:
        found.add("calls")
    return found


def _selection(rule: Rule) -> str:
    """The word about the mask of a rule; empty when there is none."""
    if rule.list != "exit":
        return "no-calls" if rule.list == "io_uring" and not rule.mask else ""
    first = rule.fields[0].name if rule.fields else ""
    if rule.mask == ALL_SYSCALLS:
        if first in _NARROW:
            return ""
        return "all-calls" if _NARROW.isdisjoint([field.name for field in rule.fields]) else ""
    if not rule.mask:
        return "no-calls"
    if first == "arch" or any(field.name == "arch" for field in rule.fields):
        return "calls"
    return "calls-without-arch"
