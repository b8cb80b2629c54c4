"""Is this a whole rule set, or one of several files that are loaded together? Only of a whole one it can be said what
is missing."""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from auditlint.context.rules import RulesContext

_SETTINGS = ("-b", "-f", "-e", "-D")
FRAGMENT = re.compile(r"[0-9]+[-_.]")
"""The usual begin of the name of a file in rules.d, where another file may hold what is missing here."""


def is_whole(context: RulesContext) -> bool:
    """A rules.d directory, a file named audit.rules, or one that sets up the kernel as well."""
    program = context.program
    if program.is_directory:
        return True
    name = program.sources[0].path.rpartition("/")[2]
    return name == "audit.rules" or (not FRAGMENT.match(name) and any(context.options(*_SETTINGS)))
