"""The walk over rules as data: which rules a filter meets, how far each is tested, which one decides.

Source: audit_filter_syscall(), audit_filter_inodes() and audit_filter_rules(), kernel/auditsc.c, 6.1.192.
Kernels before 5.16 test the fields of a rule before its priority; the decision is the same.
"""

from __future__ import annotations

from auditlint.core.frozen import dataclass
from auditlint.kernel.fields import holds
from auditlint.kernel.storage import BUCKETS, MISSING_BUCKET

TYPE_CHECKING = False
if TYPE_CHECKING:
    from auditlint.kernel.eval_context import EvalContext, ResolvedPath
    from auditlint.kernel.event import Tristate
    from auditlint.kernel.storage import Storage, Stored


@dataclass(frozen=True, slots=True)
class Visit:
    """A rule whose mask has the system call, as the filter meets it.

    `tested` is the number of its fields that were tested, the last of them false unless `matched`; 0 when
    `outranked`: a rule of greater priority has won already. `matched` None: some tested field is not known,
    then `unknown` holds the positions of those fields and `tested` ends at the first that is surely false.
    `object` is the number of the path object at hand in the inode hash.
    """

    stored: Stored
    tested: int
    matched: Tristate
    outranked: bool = False
    unknown: tuple[int, ...] = ()
    object: int | None = None


@dataclass(frozen=True, slots=True)
class Walk:
    """One pass over a list, or over the bucket of one path object.

    `length` is the number of rules met, those with another mask included; `visits` are the ones whose mask
    has the system call. `moment` is `fork`, `removal` (a watched name goes away during the call) or `exit`.
    """

    place: str
    moment: str
    length: int
    visits: tuple[Visit, ...]
    object: int | None = None

    @property
    def winner(self) -> Stored | None:
        """The rule that surely matched and ended the walk."""
        last = self.visits[-1] if self.visits else None
        return last.stored if last is not None and last.matched else None


def visit(stored: Stored, evaluation: EvalContext, at: ResolvedPath | None = None, number: int | None = None) -> Visit:
    """Test the fields of one rule in the order written, up to the first that is false."""
    unknown: tuple[int, ...] = ()
    tested = 0
    for field in stored.rule.fields:
        tested += 1
        answer = holds(field, stored, evaluation, at)
        if answer is None:
            unknown += (tested - 1,)
        elif not answer:
            return Visit(stored, tested, False, False, unknown, number)
    return Visit(stored, tested, None if unknown else True, False, unknown, number)


def bucket_of(seen: ResolvedPath) -> int | None:
    """Bucket of the inode hash that a path object leads to; None when its inode number is not known."""
    if not seen.exists:
        return MISSING_BUCKET
    return None if seen.inode is None else seen.inode % BUCKETS


def bucket_rules(storage: Storage, seen: ResolvedPath) -> tuple[list[Stored], list[Stored]]:
    """The hashed rules that a path object surely meets, in load order, and those that it may meet.

    A rule may be met when the inode number of the object or of the rule's file is not known: then one
    chance in 32, independently for each inode.
    """
    sure: list[Stored] = []
    maybe: list[Stored] = []
    bucket = bucket_of(seen)
    for stored in storage.hashed:
        if stored.bucket is not None and bucket is not None:
            if stored.bucket == bucket:
                sure.append(stored)
        elif stored.path is not None and seen.exists and stored.path == seen.path:
            sure.append(stored)
        else:
            maybe.append(stored)
    return sure, maybe
