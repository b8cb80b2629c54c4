"""AL119: an arch that auditctl or the machine lacks."""

from __future__ import annotations

from auditlint.analysis.spelling import Words, suggestion
from auditlint.checks.api import Hits, RulesContext, caused, line_bytes, offset, refusal, rewritten


def check(context: RulesContext) -> Hits:
    from auditlint.auditctl.tables import native_machine

    target = context.target
    native = native_machine(target.machine, target.auditctl)
    bits = [] if native is None else [word for word, name in (("b64", native.b64), ("b32", native.b32)) if name != "-"]
    known = [*bits, *context.reader().pairs.machines]
    for entry in caused(context, "unknown-arch"):
        assert entry.problem is not None
        word = entry.problem.context
        if native is None:
            what = f"every arch and -S fails: auditctl {target.auditctl} knows no system calls of {target.machine}"
            yield refusal(context, entry, what)
            continue
        near = None if word in ("b32", "b64") else _near(word, known)
        text = line_bytes(entry)
        start, end = offset(entry, entry.problem.span[0]), offset(entry, entry.problem.span[1])
        changed = text[:start] + near.encode() + text[end:] if near else text
        fix = rewritten(context, entry, "unsafe", f"Use {near}", changed)
        what = f"auditctl on {target.machine} knows no arch {word}"
        hint = "; a field takes one value" if "," in word else suggestion(near)
        yield refusal(context, entry, what + hint, fix)


def _near(word: str, known: list[str]) -> str | None:
    digits = "".join(c for c in word if c.isdigit())
    if digits[-2:] in ("32", "64") and f"b{digits[-2:]}" in known and len(word) <= 5:
        return f"b{digits[-2:]}"
    return Words(known).near(word)
