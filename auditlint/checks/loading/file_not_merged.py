"""AL009: a file of rules.d that augenrules does not read."""

from __future__ import annotations

from auditlint.checks.api import Hit, Hits, RulesContext, Source, at_start


def check(context: RulesContext) -> Hits:
    program = context.program
    folder = next((source.path.rpartition("/")[0] for source in program.sources), "")
    for left in program.left_out:
        path = f"{folder}/{left.name}" if folder else left.name
        yield Hit(at_start(Source(path, b"")), f"augenrules does not read this file: {left.reason}")
