"""AL880: boot entries of one system differ in what they make of audit."""

from __future__ import annotations

from auditlint.bootargs.boot_entries import audit_words
from auditlint.checks.api import Hit, Hits, Location, SystemContext

_MOST = 8
"""Entries that are reported; a script wrote them all."""


def check(context: SystemContext) -> Hits:
    boot = context.boot
    if boot is None or boot.booting is None:
        return
    first = boot.booting
    usual = audit_words(first.line)
    reported = 0
    for entry in boot.entries[1:]:
        if entry.recovery or reported >= _MOST:
            continue
        own = audit_words(entry.line)
        differing = [
            key
            for key in dict.fromkeys((*usual, *own))
            if usual.get(key) != own.get(key)
            and (key in own or entry.line.complete)
            and (key in usual or first.line.complete)
        ]
        if differing:
            reported += 1
            here = entry.line.last(differing[0])
            yield Hit(
                here.location() if here is not None else Location(entry.line.source, entry.line.span),
                f"this entry boots with {_words(own, differing)}, the default entry with {_words(usual, differing)}",
                (Location(first.line.source, first.line.span, "the default entry"),),
            )


def _words(words: dict[str, tuple[str | None, ...]], keys: list[str]) -> str:
    texts = []
    for key in keys:
        values = words.get(key)
        if values is None:
            texts.append(f"no {key}")
        else:
            texts += [key if value is None else f"{key}={value}" for value in values]
    return " ".join(texts)
