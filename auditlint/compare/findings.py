"""What a comparison is asked and what it answers: options, findings, verdicts. Data only."""

from __future__ import annotations

from auditlint.core.frozen import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Literal, TypeAlias

    from auditlint.compare.places import Ending, Place
    from auditlint.compare.witness import Witness
    from auditlint.kernel.evaluate import Switch
    from auditlint.kernel.storage import Stored

Kind: TypeAlias = "Literal['less', 'more', 'key', 'records', 'foreign', 'own']"


def _never() -> bool:
    return False


@dataclass(frozen=True, slots=True)
class Region:
    """Events that are looked at. `only_calls` are names of system calls, empty for all; differences in `ignored_calls`,
    with a key of `ignored_keys` on either side, or with files that all lie in one of `ignored_paths` are left out."""

    only_calls: frozenset[str] = frozenset()
    ignored_calls: frozenset[str] = frozenset()
    ignored_keys: frozenset[str] = frozenset()
    ignored_paths: tuple[str, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.only_calls or self.ignored_calls or self.ignored_keys or self.ignored_paths)


EVERYWHERE = Region()


@dataclass(frozen=True, slots=True)
class Options:
    """How two rule sets are compared.

    `keys`: "same"; "more" (the key of B may hold further keys); "any" (keys do not count). `switches` tell whether
    auditing is on after each load. `nodes` and `expired` are the budget: diagram nodes in all, and a clock that says
    when time is over. `foreign`: differences that only show in records of other parts of the kernel count as well.
    `at_least`: only what B does not record counts. `region`: a part of the events; "same" then holds for that part.
    """

    keys: str = "same"
    at_least: bool = False
    foreign: bool = False
    switches: tuple[Switch, Switch] = ("on", "on")
    region: Region = EVERYWHERE
    nodes: int = 2_000_000
    expired: Callable[[], bool] = _never


@dataclass(frozen=True, slots=True)
class Finding:
    """One pair of deciding rules that some events tell apart, with all calls and places where it happens.

    `a` and `b` tell how each walk ends. `calls` maps AUDIT_ARCH_* numbers to masks of system call numbers. `who` gives
    for ids, arguments and return values the intervals with which it happens, under "exe" the programs; a missing one
    does not matter. `inside` and `outside` are directories in which some object must lie, or none. `witness` is the
    example with both decisions; without it the finding is possible, and `why` says what is not known. `note` says what
    differs on lists other than exit and io_uring.
    """

    list: str
    kind: str
    a: Ending
    b: Ending
    calls: dict[int, int]
    places: tuple[Place, ...]
    modes: tuple[str, ...]
    inside: tuple[str, ...]
    outside: tuple[str, ...]
    who: dict[str, tuple[object, ...]]
    witness: Witness | None
    why: str | None
    cause: str
    blamed: Stored | None
    note: str = ""

    @property
    def certain(self) -> bool:
        return self.witness is not None


@dataclass(frozen=True, slots=True)
class Unknown:
    """Something that was not decided: why, and for which calls (by ABI)."""

    why: str
    list: str
    calls: dict[int, int]


@dataclass(frozen=True, slots=True)
class Comparison:
    """What a comparison found.

    `verdict`: "same" is a proof (under `assumed`), "different" has at least one certain finding that counts, "unknown"
    has possible ones or a budget that ended. `at_least`: whether B surely records every event that A records (True),
    surely not (False), or not known. `assumed` names what a host must not have for the proof to hold, such as a second
    name of a file.
    """

    verdict: str
    at_least: bool | None
    findings: tuple[Finding, ...]
    unknown: tuple[Unknown, ...]
    assumed: tuple[str, ...]
    classes: int
    looked: int
    nodes: int


def joined_ranges(ranges: Iterable[object]) -> tuple[object, ...]:
    """Intervals with those put together that touch."""
    ordered = sorted(pair for pair in ranges if isinstance(pair, tuple))
    made: list[tuple[int, int]] = []
    for low, high in ordered:
        if made and low <= made[-1][1] + 1:
            made[-1] = (made[-1][0], max(made[-1][1], high))
        else:
            made.append((low, high))
    return tuple(made)
