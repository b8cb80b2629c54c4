"""AL112: -F arch behind -S."""

from __future__ import annotations

from auditlint.checks.api import Entry, Fix, Hits, RulesContext, caused, line_bytes, offset, refusal, rewritten


def check(context: RulesContext) -> Hits:
    for entry in caused(context, "arch-after-syscall"):
        what = "arch must come before -S: auditctl looks up names when it reads them"
        yield refusal(context, entry, what, _fix(context, entry))


def _fix(context: RulesContext, entry: Entry) -> Fix | None:
    """The arch field in front of the first option that adds system calls."""
    text = line_bytes(entry)
    *before, arch = entry.line.options
    start, end = offset(entry, arch.span[0]), offset(entry, arch.span[1])
    for option in before:
        adds = option.name == "-S" or (option.name == "-F" and (option.arg or "").lower().startswith("perm"))
        if adds:
            at = offset(entry, option.span[0])
            moved = text[:at] + text[start:end] + b" " + text[at:start].rstrip(b" ") + text[end:]
            return rewritten(context, entry, "safe", "Move -F arch before -S", moved)
    return None
