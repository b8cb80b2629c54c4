"""The real auditctl behind a stand-in for the audit socket (`standin.c`): what it makes of a rule file, line by line.

Nothing reaches the running kernel, see the top of standin.c. No root is needed.
"""

from __future__ import annotations

import os
import re
import secrets
import shutil
import struct
import subprocess
from ctypes import CDLL, c_char_p, c_int
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from auditlint.auditctl.model import Field, Rule

HERE = Path(__file__).resolve().parent
AUDITCTL = "/usr/sbin/auditctl"
DIRECTORIES = (
    "/",
    "/etc",
    "/etc/audit",
    "/etc/audit/rules.d",
    "/etc/ssh",
    "/tmp",
    "/usr",
    "/usr/bin",
    "/var",
    "/var/log",
)
"""The directories that exist for auditctl."""
USERS = {"root": 0, "daemon": 1, "bin": 2, "sys": 3, "nobody": 65534}
GROUPS = {"root": 0, "daemon": 1, "bin": 2, "sys": 3, "adm": 4, "tty": 5, "disk": 6, "nogroup": 65534}
DAEMON = 0x7FFFFFF0
"""Process id of the audit daemon that the stand-in reports; no process has it."""

GET, SET, USER, LIST_RULES, ADD_RULE, DEL_RULE, TRIM, MAKE_EQUIV, SET_FEATURE, GET_FEATURE = (
    1000, 1001, 1005, 1013, 1011, 1012, 1014, 1015, 1018, 1019,
)  # fmt: skip
_CONTROL = {USER: "USER", TRIM: "TRIM", MAKE_EQUIV: "MAKE_EQUIV"}
_STATUS = (
    (1, "enabled", 1), (2, "failure", 2), (8, "rate_limit", 4), (16, "backlog_limit", 5),
    (32, "backlog_wait_time", 9), (64, "lost", 6), (128, "backlog_wait_time_actual", 10),
)  # fmt: skip
"""Bit in the mask of audit_status, name, place of the value (include/uapi/linux/audit.h, 6.1)."""
_LISTS = {0: "user", 1: "task", 4: "exit", 5: "exclude", 6: "filesystem", 7: "io_uring"}
_ACTIONS = {0: "never", 1: "possible", 2: "always"}
_OPERATORS = {
    0x40000000: "=", 0x30000000: "!=", 0x20000000: ">", 0x60000000: ">=",
    0x10000000: "<", 0x50000000: "<=", 0x08000000: "&", 0x48000000: "&=",
}  # fmt: skip
_TEXT_FIELDS = frozenset((*range(13, 18), *range(19, 24), 105, 107, 112, 210))
"""Fields whose value is the length of a piece of the buffer (audit_data_to_entry(), kernel/auditfilter.c, 6.1)."""

# The message tells the kind. First hit counts.
_KINDS: tuple[tuple[str, str], ...] = (
    (r"parameter passed without an option given", "stray-parameter"),
    (r"^usage$", "usage"),
    (r"Option .* is invalid$", "invalid-option"),
    (
        r"Wrong number of options for|Only the -k option|Only -i option|Only -k or -i|Too many options",
        "bad-option-count",
    ),
    (r"(Failure|Enable|Backlog|Rate|Backlog_wait_time) must be|Error converting|value is bad", "bad-control-value"),
    (r"The -m option must be only|Illegal character in audit event", "bad-message"),
    (r"is an unsupported signal", "bad-signal"),
    (r"Error parsing equivalent parts|Two parameters|equivalent", "bad-equivalent"),
    (r"audit rules file .* doesn.t exist", "file-missing"),
    (r"nested rule files not supported", "nested-rule-file"),
    (r"List must be given before field|no list specified", "list-missing"),
    (r"bad keyword", "bad-list-or-action"),
    (r"Multiple rule insert/delete", "multiple-rules"),
    (r"watch option can't be given with a syscall", "watch-with-syscall"),
    (r"path must start with|path passed for the watch is too big|base name of the path is too big", "bad-path"),
    (r"permission option needs a watch", "perm-without-watch"),
    (r"Permission can only contain|Permission . isn't supported|permission .* is too long", "bad-perm"),
    (
        r"yscall auditing (being added|cannot be put|requested)|being added to|cannot be put on exclude",
        "syscall-on-wrong-list",
    ),
    (r"Syscall name unknown", "unknown-syscall"),
    (r"must be before -S", "arch-after-syscall"),
    (r"elf mapping not found|machine type not found", "unknown-arch"),
    (r"-F missing operation for", "field-operator-missing"),
    (r"-F missing field name before", "field-name-missing"),
    (r"-F missing value after", "field-value-missing"),
    (r"-F unknown field", "unknown-field"),
    (r"Too many fields", "too-many-fields"),
    (r"String value too long|is too long", "string-too-long"),
    (r"can only be used with exit filter list$", "field-exit-only"),
    (r"fields can be used with exclude filter", "field-not-for-exclude"),
    (r"field is not valid for the filter|must be used with", "field-wrong-list"),
    (r"msgtype field can only be used with", "msgtype-wrong-list"),
    (r"only takes .* operator|Operator .* can't be used", "operator-not-allowed"),
    (r"-F value should be number", "field-value-not-number"),
    (r"value is too large for field", "field-value-too-large"),
    (r"Unknown user", "unknown-user"),
    (r"Unknown group", "unknown-group"),
    (r"-F unknown errno", "unknown-errno"),
    (r"-F unknown message type", "unknown-msgtype"),
    (r"file system type is unknown", "unknown-fstype"),
    (r"-C missing field name", "compare-field-missing"),
    (r"-C missing value after", "compare-value-missing"),
    (r"-C unknown field", "compare-field-unknown"),
    (r"-C unknown right hand value", "compare-value-unknown"),
    (r"-C incompatible comparison", "compare-incompatible"),
    (r"[Kk]ey.* option needs a watch|Key field needs a watch", "key-without-watch-or-syscall"),
    (r"key option exceeds size limit", "key-too-long"),
    (r"Error (sending|deleting|setting) .*\(Rule exists\)", "kernel-EEXIST"),
    (r"Error (sending|deleting|setting) .*\(No such file or directory\)", "kernel-ENOENT"),
    (r"Error (sending|deleting|setting) .*\(Operation not permitted\)", "kernel-EPERM"),
    (r"Error (sending|deleting|setting) .*\(Invalid argument\)", "kernel-EINVAL"),
)
_KIND_PATTERNS = tuple((re.compile(pattern, re.S), kind) for pattern, kind in _KINDS)
_WARNINGS = re.compile(
    r"^(WARNING|Warning)|32/64 bit syscall mismatch|is deprecated$|has illegal character$|^No rules$"
)
_LINE_ERROR = re.compile(r"There was an error in line (\d+)")


@dataclass(frozen=True, slots=True)
class Piece:
    """What auditctl did with one line as it read it.

    `span` are the bytes of the rule file; `refused` whether auditctl counted an error; `crash` the signal that
    ended it there, 0 for none; `sent` the requests in order, as `decode()` gives them; `messages` what it said;
    `rules` the bytes of the rules among the requests.
    """

    span: tuple[int, int]
    refused: bool
    crash: int
    sent: tuple[Any, ...]
    messages: tuple[str, ...]
    rules: tuple[bytes, ...] = ()

    @property
    def kind(self) -> str | None:
        """Why the line is refused, in the words of docs/parse.md; `no-message` without a reason."""
        if self.crash:
            return "no-message"
        if not self.refused:
            return None
        reasons = [message for message in self.messages if not _WARNINGS.search(message)]
        if not reasons:
            return "other" if self.messages else "no-message"
        return next((kind for pattern, kind in _KIND_PATTERNS if pattern.search(reasons[0])), "other")


@dataclass(frozen=True, slots=True)
class Outcome:
    """A whole run: exit status (negative: ended by that signal), the pieces of the file, and with the mode `state`
    the rules that are loaded at the end (unless the program has crashed)."""

    exit: int
    pieces: tuple[Piece, ...]
    output: str
    loaded: tuple[Rule, ...] = ()


class Auditctl:
    """auditctl with the stand-in preloaded; `folder` is a private temporary folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.library = folder / "standin.so"
        command = ["gcc", "-Wall", "-Wextra", "-Werror", "-O1", "-fPIC", "-shared", "-o", str(self.library)]
        subprocess.run([*command, str(HERE / "standin.c"), "-ldl"], check=True)

    def _start(self, words: list[bytes], machine: str, mode: str, quiet: bool) -> tuple[int, bytes, bytes]:
        token = ("\x1e" + secrets.token_hex(8)).encode()
        argv = self.folder / "argv"
        argv.write_bytes(b"".join(word + b"\0" for word in words))
        output, printed = self.folder / "output", self.folder / "printed"
        environment = {
            "LD_PRELOAD": str(self.library),
            "AUDITLINT_STANDIN_TOKEN": token.decode(),
            "AUDITLINT_STANDIN_ARGV": str(argv),
            "AUDITLINT_STANDIN_MODE": mode,
            "AUDITLINT_STANDIN_MACHINE": machine,
            "AUDITLINT_STANDIN_DIRS": "\n".join(DIRECTORIES),
            "LC_ALL": "C",
            "TZ": "UTC",
        }
        if quiet:
            environment["AUDITLINT_STANDIN_QUIET"] = "1"
        with output.open("wb") as stream, printed.open("wb") as other:
            # Without the preload this prints the usage and opens nothing: see standin.c.
            done = subprocess.run(
                [AUDITCTL], env=environment, stdin=subprocess.DEVNULL, stdout=other, stderr=stream,
                cwd=self.folder, timeout=120, check=False,
            )  # fmt: skip
        text = output.read_bytes()
        if not text.startswith(token + b"R\n"):
            raise RuntimeError(f"the stand-in was not loaded: {text[:200]!r}")
        if done.returncode == 99:
            raise RuntimeError(f"the stand-in gave up: {text[-200:]!r}")
        return done.returncode, token, text

    @property
    def release(self) -> str:
        """What auditctl says of itself."""
        self.words([b"-v"])
        return (self.folder / "printed").read_text(encoding="utf-8").removeprefix("auditctl version ").strip()

    def words(self, words: list[bytes], machine: str = "x86_64", mode: str = "none") -> Outcome:
        """One command line."""
        status, token, text = self._start(words, machine, mode, False)
        frames = text.split(token)[1:]
        if (self.folder / "printed").read_bytes().startswith(b"usage:"):
            frames.append(b"S" + b"usage".hex().encode() + b"\n")
        piece = _piece((0, 0), frames, status)
        return Outcome(status, (replace(piece, refused=status != 0),), _printable(text))

    def file(self, data: bytes, machine: str = "x86_64", mode: str = "none") -> Outcome:
        """`auditctl -R` of a file with these bytes; pieces that were never read are missing."""
        path = self.folder / "rules"
        path.write_bytes(data)
        status, token, text = self._start([b"-R", str(path).encode()], machine, mode, False)
        pieces: list[Piece] = []
        span: tuple[int, int] | None = None
        frames: list[bytes] = []
        loaded: list[Rule] = []
        for frame in text.split(token)[2:]:
            if frame.startswith(b"F"):
                loaded.append(decode_rule(bytes.fromhex(frame[1:].split(b"\n")[0].decode())))
            elif frame.startswith(b"L"):
                if span is not None:
                    pieces.append(_piece(span, frames, 0))
                head, _, rest = frame.partition(b"\n")
                start, end = head[1:].split()
                span, frames = (int(start), int(end)), ([b"\n" + rest] if rest else [])
            else:
                frames.append(frame)
        if span is not None:
            pieces.append(_piece(span, frames, status))
        return Outcome(status, tuple(pieces), _printable(text), tuple(loaded))

    def judge(self, data: bytes, machine: str = "x86_64") -> list[Piece]:
        """Every line of a file, judged by itself: errors do not stop the reading, a crash neither."""
        pieces: list[Piece] = []
        done = 0
        while done < len(data):
            outcome = self.file(b"-c\n" + data[done:], machine)
            found = [replace(p, span=(p.span[0] - 3 + done, p.span[1] - 3 + done)) for p in outcome.pieces[1:]]
            pieces += found
            if outcome.exit >= 0:
                break
            done = found[-1].span[1]
        return pieces

    def seconds(self, path: Path) -> float:
        """CPU seconds (user and system) to load a file, with the stand-in silent."""
        before = os.times()
        status, _, text = self._start([b"-R", str(path).encode()], "x86_64", "none", True)
        after = os.times()
        if status:
            raise RuntimeError(f"exit {status}: {text[-300:]!r}")
        return after.children_user - before.children_user + after.children_system - before.children_system


def missing() -> str:
    """What is not here to run the real auditctl; empty when all is."""
    if not Path(AUDITCTL).exists():
        return "auditctl is not installed (Debian package auditd)"
    if not shutil.which("gcc"):
        return "gcc is not installed"
    return ""


def _printable(text: bytes) -> str:
    return text.decode("utf-8", "backslashreplace")


def _piece(span: tuple[int, int], frames: list[bytes], status: int) -> Piece:
    sent: list[Any] = []
    messages: list[str] = []
    rules: list[bytes] = []
    refused = False

    def say(text: bytes) -> None:
        nonlocal refused
        for line in text.decode("utf-8", "surrogateescape").split("\n"):
            if _LINE_ERROR.search(line):
                refused = True
            elif line:
                messages.append(line)

    for frame in frames:
        head, _, rest = frame.partition(b"\n")
        if frame.startswith(b"S"):
            say(bytes.fromhex(head[1:].decode()))
        elif frame.startswith(b"M"):
            kind, _, text = head[1:].partition(b" ")
            payload = bytes.fromhex(text.decode())
            request = decode(int(kind), payload)
            if int(kind) in (ADD_RULE, DEL_RULE):
                rules.append(payload[: 1040 + int.from_bytes(payload[1036:1040], "little")])  # without padding
            if request is not None:
                sent.append(request)
        elif frame.startswith(b"K"):
            pid, number = head[1:].split()
            sent.append(("signal", int(number) if int(pid) == DAEMON else (int(pid), int(number))))
        say(rest)
    return Piece(span, refused, -status if status < 0 else 0, tuple(sent), tuple(messages), tuple(rules))


@cache
def libaudit() -> CDLL:
    """The shared library, with the types of the functions that give text."""
    library = CDLL("libaudit.so.1")
    for name in ("field", "msg_type", "errno", "fstype", "ftype", "machine", "flag", "action"):
        function = getattr(library, f"audit_{name}_to_name")
        function.restype, function.argtypes = c_char_p, [c_int]
    library.audit_syscall_to_name.restype = c_char_p
    library.audit_syscall_to_name.argtypes = [c_int, c_int]
    return library


@cache
def _field_name(number: int) -> str:
    name = libaudit().audit_field_to_name(number)
    return name.decode() if name else f"0x{number:x}"


def decode(kind: int, payload: bytes) -> object:
    """A request as a value: `("add", Rule)`, `("delete", Rule)`, `"list"`, `"status"` or a control record.

    None for the requests that only ask for the state before or after another one.
    """
    if kind in (ADD_RULE, DEL_RULE):
        return ("add" if kind == ADD_RULE else "delete", decode_rule(payload))
    if kind == LIST_RULES:
        return "list"
    if kind == GET_FEATURE:
        return "status"
    if kind == GET:
        return None
    if kind == SET:
        values = struct.unpack(f"<{len(payload) // 4}I", payload)
        names = {name: values[place] for bit, name, place in _STATUS if values[0] & bit}
        return {"type": "SET", **names}
    if kind == SET_FEATURE:
        return {
            "type": "SET_FEATURE",
            **dict(zip(("vers", "mask", "features", "lock"), struct.unpack("<4I", payload), strict=True)),
        }
    record: dict[str, Any] = {"type": _CONTROL.get(kind, f"message-{kind}")}
    if kind == USER:
        # The library adds its own words ("exe=...") behind the text of -m.
        record["data"] = payload.rstrip(b"\0").partition(b' exe="')[0].decode("utf-8", "backslashreplace")
    elif kind != TRIM:
        record["data"] = payload.decode("utf-8", "backslashreplace")
    return record


def decode_rule(payload: bytes) -> Rule:
    """`struct audit_rule_data` as a rule."""
    words = struct.unpack_from("<260I", payload)
    flags, action, count = words[:3]
    mask = int.from_bytes(payload[12 : 12 + 256], "little")
    numbers, values, operators = words[67:131], words[131:195], words[195:259]
    buffer = payload[1040 : 1040 + words[259]]
    fields = []
    for number, value, operator in zip(numbers[:count], values[:count], operators[:count], strict=True):
        content: int | str = value
        if number in _TEXT_FIELDS:
            content = buffer[:value].decode("utf-8", "surrogateescape")
            buffer = buffer[value:]
        sign: Any = _OPERATORS.get(operator, f"0x{operator:x}")  # a number stands for what nobody should send
        fields.append(Field(_field_name(number), sign, content))
    assert not buffer, "text left over"
    name: Any = _LISTS.get(flags & ~0x10, f"0x{flags & ~0x10:x}")
    word: Any = _ACTIONS.get(action, str(action))
    return Rule(name, word, mask, tuple(fields), bool(flags & 0x10))
