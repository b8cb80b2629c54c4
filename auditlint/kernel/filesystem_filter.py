"""The filesystem list: path objects whose data it keeps out of the event.

Source: the head of __audit_inode() and __audit_inode_child(), kernel/auditsc.c, 6.1.192.
"""

from __future__ import annotations

from itertools import product

from auditlint.kernel.eval_context import bare, fstype_of, see
from auditlint.kernel.fields import compare

TYPE_CHECKING = False
if TYPE_CHECKING:
    from auditlint.core.facts import Facts
    from auditlint.kernel.eval_context import ResolvedPath
    from auditlint.kernel.event import Event, PathObject, Tristate
    from auditlint.kernel.storage import Storage

_MOST_UNKNOWN = 6
"""With more objects of unknown filesystem than this, their data are taken to be all kept or all withheld."""


def withheld(storage: Storage, event: Event) -> list[tuple[tuple[ResolvedPath, ...] | None, int]]:
    """The path objects as the filters see them, and how many vanished; several where that is not known.

    A `never` rule on the filesystem list stops the recording of an object. The name that the program
    passed stays as a bare name; created and deleted entries, and objects without a name, vanish.
    """
    if event.objects is None:
        return [(None, 0)]
    facts = storage.facts
    seen = [see(thing, facts) for thing in event.objects]
    answers = [_withhold(storage, thing, at, facts) for thing, at in zip(event.objects, seen, strict=True)]
    unknown = [number for number, answer in enumerate(answers) if answer is None]
    if len(unknown) > _MOST_UNKNOWN:
        choices = [(False,) * len(unknown), (True,) * len(unknown)]
    else:
        choices = list(product((False, True), repeat=len(unknown)))
    found: list[tuple[tuple[ResolvedPath, ...] | None, int]] = []
    for choice in choices:
        picked = dict(zip(unknown, choice, strict=True))
        found.append(_apply(seen, [picked.get(number, bool(answer)) for number, answer in enumerate(answers)]))
    return found


def _withhold(storage: Storage, thing: PathObject, seen: ResolvedPath, facts: Facts) -> Tristate:
    """One matching fstype field of a `never` rule is enough; an object that was not found has no data."""
    if not seen.exists:
        return False
    answer: Tristate = False
    magic = fstype_of(thing, seen, facts)
    for stored in storage.filesystem:
        if stored.rule.action != "never":
            continue
        for field in stored.rule.fields:
            if field.name != "fstype" or not isinstance(field.value, int):
                continue
            if magic is None:
                answer = None
            elif compare(magic, field.op, field.value):
                return True
    return answer


def _apply(seen: list[ResolvedPath], hidden: list[bool]) -> tuple[tuple[ResolvedPath, ...], int]:
    kept: list[ResolvedPath] = []
    # An open that may create looks its one name up twice: as a parent, then as a file. Other calls that name a
    # parent add an entry to it.
    entries = {_front(at.object.name) for at in seen if at.object.type in ("CREATE", "DELETE")}
    looked_up: list[str] = []
    for at, hide in zip(seen, hidden, strict=True):
        name = at.object.name
        if not hide:
            kept.append(at)
        elif at.object.type == "PARENT" and name is not None:
            if name not in entries:
                looked_up.append(name)
            kept.append(bare(at.object))
        elif at.object.type == "NORMAL" and name is not None:
            if _front(name) in looked_up:
                looked_up.remove(_front(name))
            else:
                kept.append(bare(at.object))
    return tuple(kept), len(seen) - len(kept)


def _front(name: str | None) -> str:
    """The directory part of a name with its slash, as the object of a parent shows it."""
    return "" if name is None else name[: name.rfind("/") + 1]
