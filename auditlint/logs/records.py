"""The records of an event as the kernel writes them: SYSCALL, PATH, CWD, SOCKADDR and their fields.

Source: audit_log_exit(), audit_log_name(), audit_log_task_info() and audit_log_d_path() in kernel/auditsc.c and
kernel/audit.c, Linux 6.1; the enriched copies that auditd 3 appends after 0x1d.
"""

from __future__ import annotations

import re

from auditlint.core.frozen import dataclass
from auditlint.kernel.event import ANY, ID_NAMES, U32, Ids, Outcome, PathObject

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import TypeAlias

    from auditlint.kernel.event import Number

    Groups: TypeAlias = "tuple[bytes | None, ...]"
    """The fields of a SYSCALL record by the numbers below."""

LINE = re.compile(
    rb"^(?:node=(\S{1,256}) )?type=([A-Z0-9_\[\]]{1,40}) msg=audit\((\d{1,12})\.(\d{1,9}):(\d{1,12})\)(:.*)$", re.M
)
"""A line of audit.log: node, type, seconds, milliseconds, serial number, and the rest from the colon on."""

ARCH, CALL, PERS, SUCCESS, EXIT, A0, A1, A2, A3, ITEMS, PPID, PID, IDS, SES, COMM, EXE, SUBJ, KEY = range(18)
_WORD = rb"(\"[^\"]*\"|[^\s\x1d\"]+)"
SYSCALL = re.compile(
    rb": ?arch=([0-9a-f]{1,8}) syscall=(\d{1,10})(?: per=([0-9a-f]+))?(?: success=(\w+) exit=(-?\d+))?"
    rb" a0=([0-9a-f]+) a1=([0-9a-f]+) a2=([0-9a-f]+) a3=([0-9a-f]+) items=(\d{1,10}) ppid=(\d+) pid=(\d+)"
    rb" (auid=\d+ uid=\d+ gid=\d+ euid=\d+ suid=\d+ fsuid=\d+ egid=\d+ sgid=\d+ fsgid=\d+)"
    rb" tty=\S+ ses=(\d+) comm=" + _WORD + rb" exe=" + _WORD + rb"(?: subj=([^\x1d]*?))? key=" + _WORD
)
PATH = re.compile(
    rb": ?item=(\d{1,6}) name=" + _WORD + rb"(?: inode=(\d{1,20}) dev=([0-9a-f]{1,8}:[0-9a-f]{1,8}) mode=(\d{1,8})"
    rb" ouid=(\S+) ogid=(\S+) rdev=([0-9a-f]{1,8}:[0-9a-f]{1,8}))?(?: obj=(\S+))?"
    rb"(?:.*? (?:nametype|objtype)=(\w+))?"
)
_FIELD = re.compile(rb"([a-zA-Z][a-zA-Z0-9_-]*)=(\"[^\"]*\"|[^\s\x1d]*)")
_HEXADECIMAL = re.compile(rb"(?:[0-9A-Fa-f]{2})+")
_OWN = frozenset(
    (
        b"SYSCALL PATH CWD EXECVE PROCTITLE EOE SOCKADDR SOCKETCALL IPC IPC_SET_PERM MQ_OPEN MQ_SENDRECV MQ_NOTIFY "
        b"MQ_GETSETATTR FD_PAIR OBJ_PID BPRM_FCAPS CAPSET MMAP KERN_MODULE OPENAT2 TIME_ADJNTPVAL TIME_INJOFFSET"
    ).split()
)
"""Record types that belong to the system call itself; any other says that a part of the kernel has logged as well."""
_LINE_END = b" \r\n"


def foreign(kinds: list[bytes]) -> tuple[str, ...]:
    """The record types of an event that its system call did not write: another part of the kernel has logged."""
    return tuple(dict.fromkeys(kind.decode("ascii", "replace") for kind in kinds if kind not in _OWN))


def text_of(word: bytes | None) -> str | None:
    """A field's value: quotes removed, hexadecimal digits decoded, `(null)`, `(none)` and no field at all are None."""
    if word is None:
        return None
    if word.startswith(b'"'):
        return word.strip(b'"').decode("utf-8", "surrogateescape")
    if word in (b"(null)", b"(none)", b"?", b""):
        return None
    if _HEXADECIMAL.fullmatch(word):
        return bytes.fromhex(word.decode("ascii")).decode("utf-8", "surrogateescape")
    return word.decode("utf-8", "surrogateescape")


def fields_of(body: bytes) -> dict[bytes, bytes]:
    """All `name=value` pairs of a record in front of its enriched part; the first of a name counts."""
    fields: dict[bytes, bytes] = {}
    for name, value in _FIELD.findall(body.partition(b"\x1d")[0]):
        fields.setdefault(name, value)
    return fields


def call_fields(body: bytes) -> Groups | None:
    """The fields of a SYSCALL record by number; None when it does not even name the call."""
    match = SYSCALL.match(body)
    if match is not None:
        return match.groups()
    fields = fields_of(body)
    arch, number = fields.get(b"arch", b""), fields.get(b"syscall", b"")
    if not re.fullmatch(rb"[0-9a-f]{1,8}", arch) or not re.fullmatch(rb"\d{1,10}", number):
        return None
    ids = b" ".join(name + b"=" + fields.get(name, b"?") for name in _ID_ORDER)
    key = fields.get(b"key")
    subject = re.search(rb" subj=([^\x1d]*?)(?: key=|\x1d|$)", body)
    names = (b"per", b"success", b"exit", b"a0", b"a1", b"a2", b"a3", b"items", b"ppid", b"pid")
    return (
        arch,
        number,
        *(fields.get(name) for name in names),
        ids,
        fields.get(b"ses"),
        fields.get(b"comm"),
        fields.get(b"exe"),
        subject[1].strip(_LINE_END) if subject else None,
        key,
    )


_ID_ORDER = (b"auid", b"uid", b"gid", b"euid", b"suid", b"fsuid", b"egid", b"sgid", b"fsgid")


def number_of(word: bytes | None, base: int = 10, limit: int = U32) -> Number:
    """A number of a record, cut to `limit`; anything else is not known."""
    if word is None or len(word) > 20:
        return ANY
    try:
        return int(word, base) & limit
    except ValueError:
        return ANY


def ids_of(blob: bytes | None) -> Ids:
    """The nine ids of a task from `auid=0 uid=0 ...`."""
    values = dict(pair.partition(b"=")[::2] for pair in (blob or b"").split(b" "))
    return Ids(*(number_of(values.get(name.encode("ascii"))) for name in ID_NAMES))


def outcome_of(groups: Groups) -> Outcome:
    """What a call returned; without `success` and `exit` it did not return."""
    success, value = groups[SUCCESS], groups[EXIT]
    if success is None and value is None:
        return Outcome(False)
    return Outcome(True, number_of(value), True if success == b"yes" else False if success == b"no" else None)


def family_of(body: bytes, big_endian: bool) -> Number:
    """Address family of a SOCKADDR record: the first two bytes, in the machine's order."""
    word = fields_of(body).get(b"saddr", b"")[:4]
    if len(word) < 4 or not _HEXADECIMAL.fullmatch(word):
        return ANY
    return int.from_bytes(bytes.fromhex(word.decode("ascii")), "big" if big_endian else "little")


@dataclass(frozen=True, slots=True)
class PathRecord:
    """A PATH record. `object` is its path object, `ident` device and inode as one word (None: the look-up failed),
    `relative` whether the name says where only together with a directory."""

    item: int
    object: PathObject
    ident: bytes | None
    relative: bool


def path_record(body: bytes) -> PathRecord | None:
    """The path object of a PATH record; None for what is none."""
    match = PATH.match(body)
    if match is None:
        return _path_slowly(body)
    item, name, inode, dev, mode, ouid, ogid, rdev, label, kind = match.groups()
    return _path(item, name, inode, dev, mode, ouid, ogid, rdev, label, kind)


def _path_slowly(body: bytes) -> PathRecord | None:
    fields = fields_of(body)
    item = fields.get(b"item", b"")
    if not re.fullmatch(rb"\d{1,6}", item) or b"name" not in fields:
        return None
    name, inode, dev, mode, ouid, ogid, rdev, label = (fields.get(word) for word in _PATH_FIELDS)
    return _path(item, name, inode, dev, mode, ouid, ogid, rdev, label, fields.get(b"nametype", fields.get(b"objtype")))


_PATH_FIELDS = (b"name", b"inode", b"dev", b"mode", b"ouid", b"ogid", b"rdev", b"obj")
_TYPES = {b"NORMAL": "NORMAL", b"PARENT": "PARENT", b"CREATE": "CREATE", b"DELETE": "DELETE", b"UNKNOWN": "UNKNOWN"}


def _path(
    item: bytes,
    name: bytes | None,
    inode: bytes | None,
    dev: bytes | None,
    mode: bytes | None,
    ouid: bytes | None,
    ogid: bytes | None,
    rdev: bytes | None,
    label: bytes | None,
    kind: bytes | None,
) -> PathRecord:
    text = text_of(name)
    if text is not None and "\0" in text:
        text = text.partition("\0")[0]
    bits = number_of(mode, 8)
    number = number_of(inode, 10, (1 << 64) - 1)
    known = isinstance(bits, int) and isinstance(number, int)
    thing = PathObject(
        name=text,
        type=_TYPES.get(kind or b"", "NORMAL"),
        mode=bits if known and isinstance(bits, int) else None,
        ouid=number_of(ouid),
        ogid=number_of(ogid),
        inode=number if known and isinstance(number, int) else None,
        dev=_device(dev),
        rdev=_device(rdev),
        label=None if label is None else label.decode("utf-8", "surrogateescape"),
    )
    ident = dev + b" " + inode if known and dev is not None and inode is not None else None
    return PathRecord(int(item), thing, ident, text is not None and not text.startswith("/"))


def _device(word: bytes | None) -> tuple[int, int] | None:
    """Major and minor, hexadecimal in the record."""
    if word is None:
        return None
    major, colon, minor = word.partition(b":")
    high, low = number_of(major, 16), number_of(minor, 16)
    return (high, low) if colon and isinstance(high, int) and isinstance(low, int) else None
