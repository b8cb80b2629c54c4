"""The forms in which audit records are kept besides audit.log, turned into its lines.

A line of another form becomes the line that auditd would have written, so that all that follows reads one form.
"""

from __future__ import annotations

import re
from itertools import chain

from auditlint.auditctl.tables import (
    address_families,
    error_numbers,
    kernel_calls,
    machines,
    record_names,
    record_types,
)
from auditlint.core.target import DEFAULT_AUDITCTL

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from typing import Any

    from auditlint.core.facts import Facts
    from auditlint.core.target import Target

_HEAD = 1 << 18
_MOST_BINARY = 1 << 20
RAW, SYSLOG, INTERPRETED = "raw", "syslog", "interpreted"
JOURNAL_JSON, JOURNAL_EXPORT, LAUREL = "journald JSON", "journald export", "laurel"

_RAW = re.compile(rb"(?m)^(?:node=\S+ )?type=\S+ msg=audit\(\d+\.\d+:\d+\):")
_SYSLOG = re.compile(rb"(?m)^.{0,256}?(?:type=\S+ (?:msg=)?)audit\(\d+\.\d+:\d+\):")
_INTERPRETED = re.compile(rb"(?m)^(?:node=\S+ )?type=\S+ msg=audit\(\d+/\d+/\d+ [0-9:.]+:\d+\) :")
_JOURNAL_JSON = re.compile(rb'(?m)^\{.*"(?:_AUDIT_TYPE|__REALTIME_TIMESTAMP)"')
_JOURNAL_EXPORT = re.compile(rb"(?m)^(?:__CURSOR=|_AUDIT_ID=)")
_LAUREL = re.compile(rb'(?m)^\{.*"ID":\s*"\d+\.\d+:\d+"')


def form_of(head: bytes) -> str | None:
    """The form of a log by its start; None for what is no audit log."""
    for pattern, form in (
        (_RAW, RAW),
        (_INTERPRETED, INTERPRETED),
        (_LAUREL, LAUREL),
        (_JOURNAL_JSON, JOURNAL_JSON),
        (_JOURNAL_EXPORT, JOURNAL_EXPORT),
        (_SYSLOG, SYSLOG),
    ):
        if pattern.search(head):
            return form
    return None


def transformed(
    chunks: Iterable[bytes], target: Target, facts: Facts, skip: Callable[[str, int], None]
) -> Iterator[bytes]:
    """The lines of a log as lines of audit.log, chunk by chunk. Lines that are no records stay as they are."""
    chunks = iter(chunks)
    first = next(chunks, b"")
    form = form_of(first[:_HEAD])
    chunks = chain((first,), chunks)
    if form in (RAW, None):
        return chunks
    if form == JOURNAL_EXPORT:
        return _exported(chunks, skip)
    if form == INTERPRETED:
        convert: Callable[[bytes], bytes] = _Interpreted(target, facts).line
    else:
        convert = {SYSLOG: syslog_line, JOURNAL_JSON: _journal_line, LAUREL: _laurel_lines}[str(form)]
    return _converted(chunks, convert)


def _converted(chunks: Iterable[bytes], convert: Callable[[bytes], bytes]) -> Iterator[bytes]:
    for chunk in chunks:
        yield b"\n".join([convert(line) if line else line for line in chunk.split(b"\n")])


# syslog and kernel messages


def syslog_line(line: bytes) -> bytes:
    """`... audit: type=1300 audit(TIME:SERIAL): ...`, with any prefix, as auditd writes it."""
    match = _ANYWHERE.search(line[:_PREFIX])
    if match is None:
        return line
    node, kind, stamp = match.groups()
    head = b"" if node is None else b"node=" + node + b" "
    return head + b"type=" + type_name(kind) + b" msg=audit(" + stamp + b"):" + line[match.end() :]


_PREFIX = 1024
_ANYWHERE = re.compile(rb"(?:node=(\S+) )?type=(\S+) (?:msg=)?audit\((\d{1,12}\.\d{1,9}:\d{1,12})\):")


def type_name(kind: bytes) -> bytes:
    """The name of a record type that may be given by number."""
    if not kind.isdigit() or len(kind) > 6:
        return kind
    name = record_names().get(int(kind))
    return name.encode("ascii") if name is not None else b"UNKNOWN[" + kind + b"]"


# journald


def _journal_line(line: bytes) -> bytes:
    """An entry of `journalctl -o json`."""
    import json

    try:
        entry = json.loads(line)
    except (ValueError, RecursionError):
        return line
    if not isinstance(entry, dict):
        return line
    fields = {name: _journal_bytes(value) for name, value in entry.items() if name in _JOURNAL_FIELDS}
    return _journal_record(fields) or line


_JOURNAL_FIELDS = frozenset(
    ("_AUDIT_TYPE", "_AUDIT_TYPE_NAME", "_AUDIT_ID", "_SOURCE_REALTIME_TIMESTAMP", "MESSAGE", "_HOSTNAME")
)


def _journal_bytes(value: object) -> bytes:
    """A field: text, or a list of numbers where its bytes are no text."""
    if isinstance(value, str):
        return value.encode("utf-8", "surrogateescape")
    if isinstance(value, list) and all(isinstance(byte, int) and 0 <= byte < 256 for byte in value):
        return bytes(value)
    return b""


def _journal_record(fields: Mapping[str, bytes]) -> bytes | None:
    """A record from the fields of an entry (journald-audit.c, systemd): the message begins with the type's name."""
    message = fields.get("MESSAGE", b"").replace(b"\n", b" ")
    micros, serial = fields.get("_SOURCE_REALTIME_TIMESTAMP", b""), fields.get("_AUDIT_ID", b"")
    if not (micros.isdigit() and 6 < len(micros) < 18 and serial.isdigit() and len(serial) <= 12):
        found = syslog_line(message)
        return found if found is not message else None
    kind = type_name(fields.get("_AUDIT_TYPE", b""))
    word, _, rest = message.partition(b" ")
    if not kind or kind.startswith(b"UNKNOWN"):
        kind = word or kind
    host = fields.get("_HOSTNAME", b"")
    head = b"node=" + host + b" " if host and b" " not in host else b""
    stamp = micros[:-6] + b"." + micros[-6:-3] + b":" + serial
    return head + b"type=" + kind + b" msg=audit(" + stamp + b"): " + rest


def _exported(chunks: Iterable[bytes], skip: Callable[[str, int], None]) -> Iterator[bytes]:
    """Entries of `journalctl -o export`: lines `NAME=value`, or NAME, eight bytes of length, and data; an empty line
    ends an entry."""
    data = b""
    fields: dict[str, bytes] = {}
    for chunk in chunks:
        data += chunk
        at = 0
        lines: list[bytes] = []
        while (end := data.find(b"\n", at)) >= 0:
            line = data[at:end]
            name, equals, value = line.partition(b"=")
            if equals or not line:
                after = end + 1
            else:
                size = int.from_bytes(data[end + 1 : end + 9], "little")
                if size > _MOST_BINARY:
                    skip("binary data", len(data) - at)
                    at = len(data)
                    break
                after = end + 9 + size + 1
                if after > len(data):
                    break
                value = data[end + 9 : after - 1]
            if line:
                word = name.decode("ascii", "replace")
                if word in _JOURNAL_FIELDS:
                    fields[word] = value
            else:
                record = _journal_record(fields)
                if record is not None:
                    lines.append(record)
                elif fields.get("MESSAGE"):
                    skip("other lines", len(fields["MESSAGE"]))
                fields = {}
            at = after
        data = data[at:]
        if lines:
            yield b"\n".join(lines) + b"\n"
    record = _journal_record(fields)
    if record is not None:
        yield record + b"\n"


# laurel


def _laurel_lines(line: bytes) -> bytes:
    """An event of laurel: one JSON object, a record type a key. Keys in upper case are its own additions."""
    import json

    try:
        event = json.loads(line)
    except (ValueError, RecursionError):
        return line
    if not isinstance(event, dict) or not re.fullmatch(r"\d{1,12}\.\d{1,9}:\d{1,12}", str(event.get("ID"))):
        return line
    node = event.get("NODE")
    head = f"node={node} " if isinstance(node, str) and node and " " not in node else ""
    known = record_types(DEFAULT_AUDITCTL)
    lines = []
    for kind, value in event.items():
        if kind not in known:
            continue
        for record in value if isinstance(value, list) else [value]:
            if isinstance(record, dict):
                text = f"{head}type={kind} msg=audit({event['ID']}): "
                lines.append(text.encode("utf-8", "surrogateescape") + _laurel_record(kind, record))
    return b"\n".join(lines) if lines else line


def _laurel_record(kind: str, record: Mapping[str, Any]) -> bytes:
    words = []
    for name, value in record.items():
        if not name.islower() and not re.fullmatch(r"a\d", name):
            continue
        words.append(name.encode("ascii", "replace") + b"=" + _laurel_value(name, value))
    family = record.get("SADDR", {}).get("saddr_fam") if isinstance(record.get("SADDR"), dict) else None
    if kind == "SOCKADDR" and "saddr" not in record and isinstance(family, str):
        words.append(_saddr(family))
    if kind == "PATH" and "item" not in record:
        words.insert(0, b"item=0")
    return b" ".join(words)


_TEXTS = frozenset(("name", "cwd", "comm", "exe", "key", "proctitle"))


def _laurel_value(name: str, value: object) -> bytes:
    if value is None:
        return b"(null)"
    if isinstance(value, list):
        value = "\x01".join(map(str, value)) if name == "key" else " ".join(map(str, value))
    text = str(value)
    if name in _TEXTS:
        return quoted(text)
    if text.startswith(("0x", "0o")):
        text = text[2:]
    return text.replace(" ", "_").encode("utf-8", "surrogateescape")


def quoted(text: str) -> bytes:
    """A text as the kernel writes one that it does not trust: in quotes, or as hexadecimal digits."""
    if text == "(null)":
        return b"(null)"
    data = text.encode("utf-8", "surrogateescape")
    if all(0x20 < byte < 0x7F and byte != 0x22 for byte in data):
        return b'"' + data + b'"'
    return data.hex().upper().encode("ascii")


def _saddr(family: str) -> bytes:
    number = address_families().get(family)
    return b"saddr=" + (number.to_bytes(2, "little").hex().encode("ascii") if number is not None else b"?")


# ausearch -i


class _Interpreted:
    """Lines of `ausearch -i`: names in place of numbers. What a name stands for here is not always known; such a field
    becomes `?`. Times are read as UTC, dates with the month first."""

    def __init__(self, target: Target, facts: Facts) -> None:
        self._target = target
        self._users = {"root": 0, "unset": 4294967295, **(facts.users or {})}
        self._groups = {"root": 0, "unset": 4294967295, **(facts.groups or {})}

    def line(self, line: bytes) -> bytes:
        match = _DATED.match(line[:_PREFIX])
        if match is None:
            return line
        head, _, month, day, year, hour, minute, second, ms, serial = match.groups()
        seconds = _seconds(*map(int, (year, month, day, hour, minute, second)))
        if seconds is None:
            return line
        kind = match["kind"]
        fields = _PAIR.findall(line[match.end() :].partition(b"\x1d")[0].decode("utf-8", "surrogateescape").strip())
        arch = next((value for name, value in fields if name == "arch"), "")
        words = [f"{name}={self._value(kind, name, value, arch)}" for name, value in fields]
        if kind == b"SOCKADDR":
            family = re.search(r"(?:saddr_fam|fam)=(\w+)", line.decode("utf-8", "surrogateescape"))
            words = [_saddr(family[1]).decode("ascii")] if family else []
        stamp = f" msg=audit({seconds}.{ms.decode()}:{serial.decode()}): "
        return (head.decode("utf-8", "surrogateescape") + stamp + " ".join(words)).encode("utf-8", "surrogateescape")

    def _value(self, kind: bytes, name: str, value: str, arch: str) -> str:
        value = value.strip()
        if name in _TEXTS:
            return quoted(value.strip('"')).decode("ascii") if value != "(none)" else "(null)"
        if name == "arch":
            machine = machines().get(value)
            return f"{machine.elf:x}" if machine is not None else value
        if name == "syscall":
            numbers = kernel_calls(arch) if arch in machines() else {}
            return str(numbers[value]) if value in numbers else value.partition("(")[2].rstrip(")") or value
        if name == "exit":
            return self._exit(value)
        if name in ("auid", "uid", "euid", "suid", "fsuid", "ouid"):
            return _number(value, self._users)
        if name in ("gid", "egid", "sgid", "fsgid", "ogid"):
            return _number(value, self._groups)
        if name == "ses":
            return _number(value, {"unset": 4294967295})
        if kind == b"SYSCALL" and re.fullmatch(r"a[0-3]", name):
            return _argument(value)
        if name == "mode":
            return _mode(value)
        return value.replace(" ", "_") if kind in (b"SYSCALL", b"PATH") and name != "subj" else value

    def _exit(self, value: str) -> str:
        word = value.partition("(")[0]
        if word in error_numbers():
            return str(-error_numbers()[word])
        return word if re.fullmatch(r"-?\d+", word) else "?"


_DATED = re.compile(
    rb"(?P<head>(?:node=\S+ )?type=(?P<kind>[A-Z0-9_\[\]]{1,40})) msg=audit\((\d{1,2})/(\d{1,2})/(\d{2,4}) "
    rb"(\d\d):(\d\d):(\d\d)\.(\d{1,9}):(\d{1,12})\) :"
)
_PAIR = re.compile(r"(\w[\w-]*)=(.*?)(?= \w[\w-]*=|$)")
_MODES = {"file": 0o100000, "dir": 0o040000, "link": 0o120000, "character": 0o020000, "block": 0o060000}
_MODES |= {"fifo": 0o010000, "socket": 0o140000}


def _seconds(year: int, month: int, day: int, hour: int, minute: int, second: int) -> int | None:
    from datetime import datetime, timezone

    year += 2000 if year < 100 else 0
    if month > 12:
        month, day = day, month
    try:
        return int(datetime(year, month, day, hour, minute, min(second, 59), tzinfo=timezone.utc).timestamp())
    except ValueError:
        return None


def _number(value: str, names: Mapping[str, int]) -> str:
    if value in names:
        return str(names[value])
    return value if re.fullmatch(r"\d{1,10}", value) else "?"


def _argument(value: str) -> str:
    if value.startswith("0x"):
        return value[2:]
    if value == "AT_FDCWD":
        return "ffffff9c"
    modes = [mode for word, mode in (("O_RDONLY", 0), ("O_WRONLY", 1), ("O_RDWR", 2)) if word in value.split("|")]
    return f"{modes[0]:x}" if modes else "?"


def _mode(value: str) -> str:
    words = value.split(",")
    if words[0] in _MODES and re.fullmatch(r"[0-7]{1,4}", words[-1]):
        bits = {"suid": 0o4000, "sgid": 0o2000, "sticky": 0o1000}
        return f"{_MODES[words[0]] | int(words[-1], 8) | sum(bits.get(word, 0) for word in words[1:-1]):o}"
    return value
