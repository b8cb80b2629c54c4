"""AL144: a word that a newer auditctl takes."""

from __future__ import annotations

from auditlint.analysis.trial_parse import reread
from auditlint.analysis.unknown_syscalls import in_kernel, machine_of, without_name
from auditlint.auditctl import tables
from auditlint.checks.api import Entry, Fix, Hits, RulesContext, caused, line_bytes, offset, refusal, rewritten
from auditlint.core.target import AUDITCTL_RELEASES, version


def check(context: RulesContext) -> Hits:
    release = context.target.auditctl
    newer = [other for other in AUDITCTL_RELEASES if version(other) > version(release)]
    for entry in caused(context, "auditctl-too-old"):
        assert entry.problem is not None
        text = line_bytes(entry)
        old = reread(context, text)
        since = next(other for other in newer if reread(context, text, other).takes_more_than(old))
        what = f"auditctl {release} is too old for this, {since} accepts it: {entry.problem.message}"
        yield refusal(context, entry, what, _older(context, entry, since))


def _older(context: RulesContext, entry: Entry, since: str) -> Fix | None:
    """The same in words that every release takes: list and action in lower case, numbers for names."""
    assert entry.problem is not None
    text = line_bytes(entry)
    for option in entry.line.options:
        if option.name in ("-a", "-A") and option.arg_span is not None:
            start, end = (offset(entry, place) for place in option.arg_span)
            lower = text[:start] + text[start:end].lower() + text[end:]
            if lower != text:
                return rewritten(context, entry, "safe", "Write list and action in lower case", lower)
    machine = machine_of(context, entry)
    word = entry.problem.context
    start, end = (offset(entry, place) for place in entry.problem.span)
    if not word or machine is None or text[start:end].decode("utf-8", "replace") != word:
        return None
    if entry.problem.kind == "unknown-syscall" and not in_kernel(context, word):
        left = without_name(text, start, end)
        title = f"Remove {word}, which Linux {context.target.kernel} does not have"
        return rewritten(context, entry, "unsafe", title, left) if b"-S" in left else None
    numbers = (
        tables.calls(machine.name, since).get(word.lower()) if entry.problem.kind == "unknown-syscall" else None,
        tables.filesystem_magics().get(word.lower()) if entry.problem.kind == "unknown-fstype" else None,
        tables.record_types(since).get(word) if entry.problem.kind == "unknown-msgtype" else None,
    )
    number = next((each for each in numbers if each is not None), None)
    if number is None:
        return None
    written = f"{number:#x}" if number > 0xFFFF else str(number)
    return rewritten(context, entry, "safe", f"Write {written}", text[:start] + written.encode() + text[end:])
