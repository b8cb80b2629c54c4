"""Is this a complete rule set, or one of several files that are loaded together?

Only of a complete one can it be said what is missing: what a fragment lacks, another file may hold.
"""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from auditlint.context.rules import RulesContext

_SETTINGS = ("-b", "-f", "-e")
_FRAGMENT = re.compile(r"[0-9]+[-_.]")
"""How names of files in rules.d begin: augenrules(8) merges them in the order of these numbers."""


def is_complete(context: RulesContext) -> bool:
    """Whether the input holds rules and is all that is loaded.

    True for a rules.d directory and for a file named `audit.rules`, which auditctl loads at boot (audit.rules(7)).
    False for a file with a number before its name (`10-base.rules`), whatever it sets: it is one of a rules.d.
    Any other file is complete when it makes a start of its own: it deletes all rules, or sets `-b`, `-f` or `-e`.
    """
    if not context.rules:
        return False
    program = context.program
    if program.is_directory:
        return True
    name = program.sources[0].path.rpartition("/")[2]
    if name == "audit.rules":
        return True
    return not _FRAGMENT.match(name) and (any(context.options(*_SETTINGS)) or deletes_all(context))


def deletes_all(context: RulesContext) -> bool:
    """Whether a line is `-D` without a key, also one that is refused: another check says what is wrong with it."""
    return any(
        not any(request.kind == "delete-all" and request.key is not None for request in entry.line.requests)
        for _, entry in context.options("-D")
    )
