"""Profiles: lists of events that a baseline wants recorded, in `rulesets/profiles/*.toml`."""

from __future__ import annotations

from auditlint.auditctl.tables import usual_directories
from auditlint.core.data import list_names, load_toml
from auditlint.core.errors import UserError
from auditlint.core.frozen import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import Any

    from auditlint.auditctl.tables import Machine


@dataclass(frozen=True, slots=True)
class RequiredEvent:
    """Events to record: system calls by name on every ABI that has them, or access to a path. A path with a slash
    at its end is a tree; without one, the directory alone is enough. `fields` are further conditions, as after `-F`
    or `-C`."""

    calls: tuple[str, ...] = ()
    watch: str = ""
    perm: str = ""
    fields: tuple[str, ...] = ()
    bits: int = 0
    """Only the ABI of that width; 0 for all."""


@dataclass(frozen=True, slots=True)
class Requirement:
    id: str
    title: str
    events: tuple[RequiredEvent, ...]


@dataclass(frozen=True, slots=True)
class Profile:
    """A list of requirements; `source` is the public document whose demands they state in our words."""

    name: str
    title: str
    source: str
    not_judged: tuple[str, ...]
    """Demands of the document that audit rules cannot show."""
    requirements: tuple[Requirement, ...]


_MERGED = (("/bin", "/usr/bin"), ("/sbin", "/usr/sbin"))
"""Links of today's hosts and what they lead to (file-hierarchy(7), systemd 252): a rule on one has the other's file."""


def names() -> list[str]:
    """The profiles that are shipped."""
    return sorted(name[:-5] for name in list_names("rulesets/profiles") if name.endswith(".toml"))


def load(name: str) -> Profile:
    """A shipped profile. Raises UserError for an unknown name."""
    if name not in names():
        raise UserError(f"unknown profile {name!r}; profiles are {', '.join(names())}")
    table = load_toml(f"profiles/{name}.toml")
    requirements = []
    for row in table["requirement"]:
        events = tuple(_event(event) for event in row["events"])
        requirements.append(Requirement(row["id"], row["title"], events))
    return Profile(name, table["title"], table["source"], tuple(table.get("not-judged", ())), tuple(requirements))


def _event(table: Mapping[str, Any]) -> RequiredEvent:
    return RequiredEvent(
        tuple(table.get("calls", ())),
        table.get("watch", ""),
        table.get("perm", ""),
        tuple(table.get("fields", ())),
        table.get("bits", 0),
    )


def ways(
    event: RequiredEvent,
    machines: Sequence[Machine],
    live: Mapping[str, Mapping[str, int]],
    uid_min: int,
    trees: Iterable[str] = (),
    arch_with_perm: bool = True,
    merged_usr: bool = True,
) -> list[list[str]]:
    """The lines that record an event, in each of the usual spellings, the recommended one first; one is enough. Empty
    for calls that no ABI of the target has. `live` gives the calls of each machine that auditctl and the kernel have.
    A tree of `trees` that holds the path is enough, assuming that no part of it is mounted later and that no file
    has a name outside."""
    more = "".join(f" {_option(field)}" for field in event.fields).replace("UID_MIN", str(uid_min))
    if event.calls:
        lines = []
        for machine in machines:
            calls = ",".join(call for call in event.calls if call in live[machine.name])
            if calls and event.bits in (0, machine.bits):
                place = f" -F path={event.watch}" if event.watch else ""
                lines.append(f"-a always,exit -F arch=b{machine.bits} -S {calls}{place}{more}")
        return [lines] if lines else []
    path = event.watch.rstrip("/")
    kinds = ("dir",) if path != event.watch else ("dir", "path") if path in usual_directories() else ("path",)
    places = [f"{kind}={path}" for kind in kinds]
    places += [f"dir={tree}" for tree in trees if path.startswith(f"{tree.rstrip('/')}/")]
    links = [other + path[len(real) :] for other, real in _MERGED if merged_usr and path.startswith(real + "/")]
    places += [f"{kind}={other}" for kind in kinds for other in links]
    spellings = []
    for place in places:
        rest = f"-F {place} -F perm={event.perm}{more}"
        all_abis = [f"-a always,exit {rest}"]
        by_abi = [f"-a always,exit -F arch=b{machine.bits} {rest}" for machine in machines]
        # With arch a rule on a directory is not tested at every call (AL502).
        spellings += [by_abi, all_abis] if place.startswith("dir=") and arch_with_perm else [all_abis, by_abi]
    return [*spellings, [f"-w {event.watch} -p {event.perm}{more}"]]


def _option(field: str) -> str:
    """`auid>=1000` as a field; a comparison of two ids is written with its -C."""
    return field if field.startswith("-C ") else f"-F {field}"
