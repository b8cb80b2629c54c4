"""What there is to look at in a rule set: words that say which checks are worth importing.

A check whose `when` names none of the words of a subject has nothing to say there. The words:

word                  some line or rule
`rules`               adds a rule, be it one that only this host refuses
`list:NAME`           of that filter list
`action:NAME`         with that action
`never-on-path`       with the action never, and path
`field:NAME`          with a field of that name
`field:NAME OP`       with that field and operator, written without blank: `field:auid>=`
`calls`               of the exit list, for some system calls, not for all
`calls-without-arch`  the same, without `arch` (then `calls` need not be there)
`calls-on-files`      the same, with a field about files and without perm
`every-call`          of the exit list, for all system calls, with neither path nor dir
`all-calls`           the same, and without perm
`all-calls-on-files:ACTION`  with path or dir and without perm
`perm-alone`          of the exit list, with perm and with no field about files or programs
`path-with-outcome`   with path, and with exit or success
`always-true`         with a bound that every number meets
`odd-success`         with success and another value than 0 and 1, or another operator than = and !=
`no-calls`            of the exit or io_uring list, for no system call at all
`unfiltered`          of the exit list, records system calls, with no field but arch, key and success
`keyless`             of the exit or io_uring list, records and has no key
`several-keys`        with more than one key
`set:NAME=VALUE`      sets that value of the kernel (`set:failure=2`)
`option:NAME`         with that option
`watch-without-perm`  with -w and without -p
`late:-D`             with -D behind a rule
`warning:KIND`        auditctl warns about
`problem:KIND`        is refused with that kind of problem
`cause:CHECK`         is refused, and that check says why
`dropped`             is passed over (action `possible`)
`lost`                is never reached
`long-line`           is longer than a line may be
`byte:NAME`           holds such a byte; further words of `PATTERNS` for other texts

and of the whole: `directory` (rules.d), `refused` (the file as such), `profile` (one was asked for), `overridden`,
`left_out`, `installed` as in Program, `facts:NAME` for facts that are known, `kernel:LINE` for the kernel,
`kernel-fault:CHECK` for a fault that the vendor took over, `no-delete-all` when no line is a -D alone,
`records-nothing` for a directory, or a file with -e, in which no rule records.
"""

from __future__ import annotations

import re

from auditlint.auditctl.field_table import fields_tested_as
from auditlint.auditctl.model import ALL_SYSCALLS, UNSET

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

    from auditlint.auditctl.model import Field, Line, Rule
    from auditlint.context.rules import RulesContext

BYTES = {
    "byte:cr": (b"\r",),
    "byte:tab": (b"\t",),
    "byte:nul": (b"\0",),
    "byte:bom": (b"\xef\xbb\xbf",),
    "byte:quote": (b'"', b"'"),
}
PATTERNS = {
    "number:odd": re.compile(rb"[=<>&rbe] *-?(?:0[0-9]|[0-9]+[^0-9 \n]|(?!4294967295[ \n])[0-9]{10})"),
    "path:odd": re.compile(rb"/[^ \n]*(?:[*?\[{$]|[,:;]/)|/\.\."),
    "likely-link": re.compile(
        rb"/(?:s?bin|lib(?:64)?|lock|run|sh|lsmod|depmod|insmod|modinfo|modprobe|rmmod|python3|awk|localtime|mtab|os-release|usr/tmp|halt|init|poweroff"
        rb"|reboot|shutdown)\b"
    ),
    "in-run": re.compile(rb"/run/"),
    "account-name": re.compile(rb"id[=!<>]+(?!unset|root)[a-z_]"),
}
"""What to look for in the bytes before a module is imported that looks closer: in lower case, for a literal start in
any case is found several times as slowly."""
_PLACES = fields_tested_as("path", "dir")
_OBJECTS = _PLACES | fields_tested_as("inode", "file-type", "device", "owner")
_FILES = _OBJECTS | fields_tested_as("program")
_OUTCOME = fields_tested_as("exit", "success")
NO_FILTER = frozenset(("arch", "key", "success"))
"""Fields that leave out no task and no file."""
NUMBERS = fields_tested_as("id", "group", "process", "parent", "personality", "session", "argument")
"""Fields that every task or call has with one number; `exit` and `success` may be undefined, objects may be none."""
_FACTS = ("symlinks", "lsm", "uid_min", "paths_missing")


def rule_triggers(context: RulesContext) -> frozenset[str]:
    """The words for one subject."""
    program = context.program
    found = {"*", *_of_rules(context)}
    found.update("problem:" + kind for kind in context.by_problem)
    found.update("option:" + name for name in context.by_option)
    if not any(_deletes_all(entry.line) for entry in context.by_option.get("-D", ())):
        found.add("no-delete-all")
    if any("-w" in names and "-p" not in names for names in {entry.line.option_names for entry in program.entries}):
        found.add("watch-without-perm")
    rule_seen = False
    for entry in program.entries:
        if entry.verdict == "rule":
            rule_seen = True
        elif rule_seen and "-D" in entry.line.option_names:
            found.add("late:-D")
        if entry.line.warnings:
            found.update(["warning:" + warning.kind for warning in entry.line.warnings])
        for control in entry.control:
            found.update([f"set:{name}={value}" for name, value in control.items()])
        if entry.lost:
            found.add("lost")
        if entry.line.dropped:
            found.add("dropped")
        if entry.line.part:
            found.add("long-line")
    if context.by_problem:
        from auditlint.analysis.refusal_causes import refused_by_cause

        found.update("cause:" + name for name in context.get(refused_by_cause))
    for source in program.sources:
        data = source.data
        found.update(name for name, marks in BYTES.items() if any(mark in data for mark in marks))
        data = data.lower()
        found.update(name for name, pattern in PATTERNS.items() if pattern.search(data))
    if program.is_directory:
        found.add("directory")
    found.update(name for name in ("overridden", "left_out", "installed") if getattr(program, name))
    if context.settings.profile is not None:
        found.add("profile")
    found.update("facts:" + name for name in _FACTS if getattr(program.facts, name))
    found.update(f"kernel-fault:{name}" for name in program.target.vendor_faults)
    found.add("kernel:" + ".".join(program.target.kernel.split(".")[:2]))
    if (program.is_directory or "option:-e" in found) and not any(
        _records(each.rule) for each in program.loaded_with_c
    ):
        found.add("records-nothing")
    if program.run.refused is not None:
        found.add("refused")
    return frozenset(found)


def _deletes_all(line: Line) -> bool:
    return line.option_names == ("-D",) and all(request.key is None for request in line.requests)


def _records(rule: Rule) -> bool:
    return rule.action == "always" and rule.list not in ("user", "exclude", "filesystem")


def _of_rules(context: RulesContext) -> set[str]:
    """The words about lists, actions, fields and masks. Rules of one shape say the same."""
    rules = context.meant
    shapes = {
        (
            rule.list,
            rule.action,
            2 if rule.mask == ALL_SYSCALLS else int(rule.mask != 0),
            tuple([field.name for field in rule.fields]),
        )
        for rule, _ in rules
    }
    found = {"rules"} if rules else set()
    for shape in shapes:
        found.update(_of_shape(*shape))
    fields = {id(field): field for rule, _ in rules for field in rule.fields}  # equal ones are mostly one object
    for name, op in {(field.name, field.op) for field in fields.values()}:
        found.add("field:" + name)
        found.add(f"field:{name}{op}")
    for field in fields.values():
        if always_true(field):
            found.add("always-true")
        elif field.name == "success" and (field.value not in (0, 1) or field.op not in ("=", "!=")):
            found.add("odd-success")
        elif field.name == "key" and "\x01" in str(field.value):
            found.add("several-keys")
    if "always-true" in found and any(
        rule.list == "exit" and rule.action == "always" and rule.mask and is_unfiltered(rule) for rule, _ in rules
    ):
        found.add("unfiltered")
    return found


def always_true(field: Field) -> bool:
    """Whether every unsigned 32-bit number satisfies the condition."""
    return (field.value == 0 and field.op in (">=", "&=")) or (field.value == UNSET and field.op == "<=")


def tests(rule: Rule) -> set[str]:
    """The fields of a rule of the exit list, without those that every task and call meets."""
    return {field.name for field in rule.fields if not (always_true(field) and field.name in NUMBERS)}


def is_unfiltered(rule: Rule) -> bool:
    """Whether the rule takes its calls whoever makes them on whatever file."""
    return NO_FILTER.issuperset(tests(rule))


def _of_shape(name: str, action: str, calls: int, names: tuple[str, ...]) -> Iterator[str]:
    """The words about rules of one list and action, with these fields; `calls` is 0 for none, 1 for some, 2 for all."""
    yield "list:" + name
    yield "action:" + action
    if action == "never" and "path" in names:
        yield "never-on-path"
    if not calls and name in ("exit", "io_uring"):
        yield "no-calls"
    if action == "always" and "key" not in names and name in ("exit", "io_uring"):
        yield "keyless"
    if name != "exit":
        return
    if calls and action == "always" and NO_FILTER.issuperset(names):
        yield "unfiltered"
    perm, place = "perm" in names, not _PLACES.isdisjoint(names)
    if calls == 1:
        yield "calls" if "arch" in names else "calls-without-arch"
        if not perm and not _OBJECTS.isdisjoint(names):
            yield "calls-on-files"
    elif calls == 2:
        if not place:
            yield "every-call"
        if not perm:
            yield f"all-calls-on-files:{action}" if place else "all-calls"
    if perm and _FILES.isdisjoint(names):
        yield "perm-alone"
    if "path" in names and not _OUTCOME.isdisjoint(names):
        yield "path-with-outcome"
