"""Helpers for the cost tests: a rule set as text, priced."""

from __future__ import annotations

from typing import Any

from auditlint.core.facts import UNKNOWN, Facts
from auditlint.core.source import Source
from auditlint.core.target import Target
from auditlint.cost.model import Cost, OperationCost
from auditlint.cost.operations import DEFAULT_ACTOR, actors
from auditlint.cost.price import Pricing
from auditlint.kernel.storage import store
from auditlint.load.program import Program, load_file

KERNELS = ("5.10", "6.1", "6.12")


def load(
    text: str, kernel: str = "6.1", auditctl: str = "3.0.9", facts: Facts = UNKNOWN, machine: str = "x86_64"
) -> Program:
    """The program of a rule file."""
    return load_file(Source("t.rules", text.encode()), Target(kernel, machine, auditctl), facts)


def pricing(text: str, actor: str = DEFAULT_ACTOR, running: bool = False, **where: Any) -> Pricing:
    """A rule file, ready to be priced."""
    program = load(text, **where)
    storage = store(program.loaded, program.target, program.facts)
    return Pricing(storage, actors()[actor], program.run.enabled, running)


def price(text: str, actor: str = DEFAULT_ACTOR, running: bool = False, **where: Any) -> Cost:
    """A rule file, priced."""
    return pricing(text, actor, running, **where).cost()


def operation(cost: Cost, name: str) -> OperationCost:
    return next(each for each in cost.operations if each.name == name)


def overhead(text: str, name: str, **where: Any) -> float:
    """What audit adds to one operation."""
    return operation(price(text, **where), name).overhead
