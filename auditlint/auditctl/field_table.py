"""The one table of rule fields, `rulesets/fields.tsv`: what every layer needs to know of a field.

A layer keeps functions by the word in the column `test`, never by the name of a field, so that a field with a word
that a layer does not have is a KeyError there and not a condition that silently never matches.
"""

from __future__ import annotations

from functools import cache

from auditlint.core.data import rows
from auditlint.core.frozen import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from auditlint.auditctl.model import ProblemKind

DEFINED, UNDEFINED, UNTESTED = "defined", "undefined", "untested"
"""What the task list sees of a field."""


@dataclass(frozen=True, slots=True)
class FieldFacts:
    """A row of `rulesets/fields.tsv`; the head of that file explains the columns.

    The cells of auditctl (`kind` to `since`) are text, because they depend on its release: `tables.fields` reads them.
    `domain` are the least and the greatest number a task can have, None for every 32-bit number.
    """

    name: str
    number: int
    kind: str
    wrap: str
    lists: str
    refusal: ProblemKind
    exclude: str
    operators: str
    since: str
    test: str
    fork: str
    in_small_filter: bool
    domain: tuple[int, int] | None
    modules: frozenset[str]
    price: str
    aliases: tuple[str, ...]


@cache
def field_facts() -> Mapping[str, FieldFacts]:
    """Every field of the kernel by name, also `loginuid_set`, which no auditctl knows by name."""
    table = {}
    for row in rows("fields.tsv"):
        name, number, kind, wrap, lists, refused_as, exclude, operators, since, *kernel = row
        refusal: Any = refused_as  # a test holds the words of the table against the type
        test, fork, small, domain, modules, price, *aliases = kernel
        least, _, most = domain.partition("..")
        table[name] = FieldFacts(
            name=name,
            number=int(number),
            kind=kind,
            wrap=wrap,
            lists=lists,
            refusal=refusal,
            exclude=exclude,
            operators=operators,
            since=since,
            test=test,
            fork=fork,
            in_small_filter=small == "yes",
            domain=(int(least), int(most)) if most else None,
            modules=frozenset() if modules == "-" else frozenset(modules.split()),
            price=price,
            aliases=tuple(aliases[0].split()) if aliases else (),
        )
    return table


@cache
def fields_tested_as(*tests: str) -> frozenset[str]:
    """The names of the fields with one of these words in the column `test`."""
    return frozenset([facts.name for facts in field_facts().values() if facts.test in tests])


SUBJECT_LABELS = fields_tested_as("subject-label")
"""The parts of the security label of the task."""
OBJECT_LABELS = fields_tested_as("object-label")
"""The parts of the security label of a path object."""
LABELS = SUBJECT_LABELS | OBJECT_LABELS
TASK_IDS = fields_tested_as("id", "group")
"""User and group ids of the task, the login id among them."""
