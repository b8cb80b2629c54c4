"""Walks over the options of one line from left to right, as setopt() of auditctl does, and makes requests of them.

The first mistake ends the walk and gives the kind. Names of C functions are those of audit-userspace src/auditctl.c
and lib/libaudit.c.
"""

from __future__ import annotations

from dataclasses import replace

from auditlint.language.fields import DIGITS, MOST_KEY, as_text
from auditlint.language.host import is_directory
from auditlint.language.model import ALL_SYSCALLS, PERM_A, PERM_R, PERM_W, PERM_X, Field, Problem, Request, Rule
from auditlint.language.numbers import strtoul
from auditlint.language.render import shown
from auditlint.language.words import source_offset

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

    from auditlint.language.fields import Reading
    from auditlint.language.parse import Reader
    from auditlint.language.tables import Machine
    from auditlint.language.words import Token, Word

MOST_FIELDS = 63
PATH_MAX, NAME_MAX = 4096, 255
NO_LIST = "0xffffffff"
"""What auditctl sends for a list word that it took without understanding it."""
PERM_BITS = {"r": PERM_R, "w": PERM_W, "x": PERM_X, "a": PERM_A}
PERM_ALL = PERM_R | PERM_W | PERM_X | PERM_A
FIRST_BITS = (1 << 512) - 1
SEGMENTATION_FAULT = -11
SETTINGS = {
    "-e": "enabled",
    "-f": "failure",
    "-r": "rate_limit",
    "-b": "backlog_limit",
    "--backlog_wait_time": "backlog_wait_time",
}
CONTROLS: dict[str, dict[str, Any]] = {
    "-t": {"type": "TRIM"},
    "--loginuid-immutable": {"type": "SET_FEATURE", "vers": 0, "mask": 2, "features": 2, "lock": 2},
    "--reset-lost": {"type": "SET", "lost": 0},
    "--reset_backlog_wait_time_actual": {"type": "SET", "backlog_wait_time_actual": 0},
}

SAYS_NOTHING = "no-message"
TOLD = frozenset(("arch-mismatch", "relative-path", "wildcard", "key-illegal-character"))
"""Warnings that auditctl itself prints."""
ERROR, SILENT, REPLY, RULE = -1, -2, 0, 1
"""What setopt() returns: refused, done without a rule, done, a rule to send."""


class Walk:
    """The state of setopt() for one line. `base` is the offset of the piece in its source."""

    __slots__ = (
        "action",
        "add",
        "base",
        "calls_added",
        "calls_seen",
        "consumed",
        "delete",
        "dropped",
        "escaped",
        "exclude",
        "exe_added",
        "fields",
        "finished",
        "fs_added",
        "in_file",
        "key",
        "key_token",
        "listed",
        "lists",
        "machine",
        "marks",
        "mask",
        "origins",
        "perm_added",
        "prepend",
        "problem",
        "reader",
        "requests",
        "result",
        "switches",
        "text",
        "warnings",
        "words",
    )

    def __init__(self, reader: Reader, text: str, words: list[Word], base: int, in_file: bool) -> None:
        self.reader = reader
        self.switches = reader.switches
        self.text = text
        self.escaped = in_file and ("\\" in text or "\x07" in text or "\x04" in text)
        self.words = words
        self.base = base
        self.in_file = in_file
        self.add: str | None = None
        self.delete: str | None = None
        self.action: str | None = None
        self.prepend = self.exclude = False
        self.lists = 0
        self.mask = 0
        self.fields: list[Field] = []
        self.origins: list[Token] = []
        self.key = ""
        self.key_token: Token | None = None
        self.machine: Machine | None = None
        self.calls_added = self.perm_added = self.exe_added = self.fs_added = self.listed = False
        self.calls_seen: list[tuple[Token, Machine | None]] = []
        self.consumed = 0
        self.requests: list[Request] = []
        self.warnings: list[Problem] = []
        self.problem: Problem | None = None
        self.result = REPLY
        self.finished = self.dropped = False
        self.marks: list[Any] = []

    def refuse(
        self, kind: str, message: str, start: int, end: int, subject: str = "", status: int | None = None
    ) -> None:
        """End the walk with a problem; only the first one counts."""
        if self.problem is None:
            self.problem = Problem(kind, message, (self.base + start, self.base + end), subject, status)
        self.result = ERROR

    def warn(self, kind: str, message: str, start: int, end: int, subject: str = "") -> None:
        self.warnings.append(Problem(kind, message, (self.base + start, self.base + end), subject))

    def send(self, token: Token, kind: str, control: dict[str, Any] | None = None, key: str | None = None) -> None:
        self.requests.append(Request(kind, (self.base + token[2], self.base + token[3]), None, key, control))

    @property
    def silent(self) -> bool:
        """Whether the line is refused without a message."""
        return self.problem is not None and self.problem.kind == SAYS_NOTHING and self.problem.status is None

    @property
    def filter_list(self) -> str | None:
        """The list whose rules apply to a field. A list that was not understood counts as the last one."""
        found = self.add if self.add is not None else self.delete
        return "io_uring" if found == NO_LIST else found

    def run(self, parts: list[Any]) -> None:
        """All parts of a line, then the end of setopt(), then the request for the rule."""
        loose = 0
        first: Token | None = None
        last = parts[0][1]
        for part in parts:
            name = part[0]
            token = part[1]
            if name == "word":
                loose += 1
                first = first or token
                continue
            last = token
            self.marks += token[1], token[2], token[3], token[4], token[5], self.kept(token)
            HANDLERS[name](self, token)
            if self.finished:
                self.lost(last)
                return
            if self.result < 0:
                break
        if self.problem is None:
            if self.result == SILENT:
                self.words_behind(last)
            elif first is not None and loose == len(self.words):
                self.refuse(SAYS_NOTHING, "no word of this line is an option", first[2], first[3], as_text(first[1]))
            elif first is not None:
                self.stray(first[1], first[2], first[3])
        if self.key and not self.listed and (self.problem is None or self.silent):
            self.append_key()
        if self.problem is None:
            self.send_rule(last)
        elif self.silent and any(warning.kind in TOLD for warning in self.warnings):
            # the user sees the warning, though nothing about the mistake
            self.problem = replace(self.problem, kind="other")

    def kept(self, token: Token) -> str | None:
        """The argument of an option when it is not just the bytes at its place."""
        return as_text(token[6]) if self.escaped and token[6] is not None else None

    def words_behind(self, last: Token) -> None:
        """Words behind an option that ends the reading of the line."""
        at = last[7]
        if at == 0:
            # getopt has not moved past the first word, and auditctl takes that for a line without options
            text, start, end = self.words[0]
            self.refuse(SAYS_NOTHING, f"letters are glued behind {last[1]}", start, end, as_text(text))
        elif at < len(self.words) - self.consumed:
            self.stray(*self.words[at])

    def stray(self, text: str, start: int, end: int) -> None:
        word = as_text(text)
        self.refuse("stray-parameter", f"{word} belongs to no option", start, end, word)

    def lost(self, last: Token) -> None:
        """Warn when something that the line asks for is not sent."""
        if self.dropped:
            self.warn("deprecated-possible", "the action possible is deprecated: the line is ignored", last[2], last[3])
            return
        if self.add is not None or self.delete is not None:
            self.warn("rule-not-sent", f"{last[1]} ends the line: its rule is not sent", last[2], last[3])
        if last[7] < len(self.words):
            _, start, _ = self.words[last[7]]
            self.warn("words-ignored", f"words behind {last[1]} are ignored", start, self.words[-1][2])

    def send_rule(self, last: Token) -> None:
        """handle_request(): the rule, when the line has one."""
        if self.result == SILENT:
            if self.add is not None or self.delete is not None:
                self.lost(last)
            return
        if self.result == REPLY:
            if self.calls_added:
                token = self.calls_seen[-1][0]
                self.refuse("list-missing", "the rule has no list (-a, -A or -d)", token[2], token[3])
            return
        found = self.add if self.add is not None else self.delete
        assert found is not None and self.action is not None
        if found != "task" and not self.calls_added:
            self.mask = ALL_SYSCALLS
        adds = self.add is not None and not (self.prepend and "prepend-deletes" in self.switches)
        rule = Rule(found, self.action, self.mask, tuple(self.fields), adds and self.prepend)
        span = (self.base + self.words[0][1], self.base + self.words[-1][2])
        self.requests.append(Request("add" if adds else "delete", span, rule))

    # lists and watches

    def take_list(self, token: Token) -> None:
        """-a, -A, -d (opt_append, opt_prepend, opt_delete, audit_rule_setup)."""
        name, text = token[1], token[6]
        start, end = token[4], token[5]
        assert text is not None
        if name != "-d" and "task" in text and self.calls_added:
            self.refuse("syscall-on-wrong-list", "the task list takes no system calls", start, end, as_text(text))
            return
        self.lists += 1
        if self.lists > 1:
            self.refuse("multiple-rules", "a line holds one of -a, -A and -d", token[2], end, name)
            return
        if not self.read_list(text, name):
            shown_text = as_text(text)
            self.refuse("bad-list-or-action", f"{shown_text} is not a list and an action", start, end, shown_text)
        elif not self.dropped:
            self.prepend = self.prepend or name == "-A"
            self.result = RULE

    def read_list(self, text: str, name: str) -> bool:
        """Sets list and action from LIST,ACTION or ACTION,LIST; False when the words are no such pair."""
        first, comma, second = text.partition(",")
        if not comma or "," in second:
            return False
        found = self.delete if name == "-d" else self.add
        named = self.list_named(first)
        action = first if first in ("always", "never", "possible") else None
        if "action-first" in self.switches:
            named = None if action else named
        if named:
            found = named
        elif action == "possible" and "action-first" not in self.switches:
            self.dropped = self.finished = True
            return True
        elif action is None:
            return False
        elif action != "possible":
            self.action = action
        self.exclude = self.exclude or named == "exclude"
        if found is None:
            found = self.list_named(second)
            self.exclude = self.exclude or found == "exclude"
            if found is None and "list-unknown-passes" in self.switches:
                found = NO_LIST
        elif second == "possible":
            self.dropped = self.finished = True
            return True
        elif second in ("always", "never"):
            self.action = second
        else:
            return False
        if name == "-d":
            self.delete = found
        else:
            self.add = found
        return found is not None and self.action is not None

    def list_named(self, word: str) -> str | None:
        return self.reader.lists.get(word.lower() if "list-any-case" in self.switches else word)

    def take_watch(self, token: Token) -> None:
        """-w, -W (opt_watch, opt_remove_watch, audit_setup_watch_name, audit_add_watch_dir)."""
        name, text = token[1], token[6]
        start, end = token[4], token[5]
        assert text is not None
        if name == "-w" and (self.add is not None or self.delete is not None):
            self.refuse("watch-with-syscall", "-w must be the first rule option of its line", token[2], end, name)
            return
        if name == "-w":
            self.add = "exit"
        else:
            self.delete = "exit"
        self.action = "always"
        self.calls_added = True
        written = as_text(text)
        bad = _bad_path(text)
        if bad:
            self.refuse("bad-path", bad, start, end, written)
            return
        if ".." in text:
            self.warn("relative-path", "auditctl warns about .. in a path", start, end, written)
        if "*" in text or "?" in text:
            self.warn("wildcard", "auditctl knows no wildcards: the name is taken as it is", start, end, written)
        if self.fields or (self.mask and "watch-checks-rule" in self.switches):
            self.refuse("other", f"{name} needs a rule without fields and system calls before it", token[2], end, name)
            return
        path = written if len(text) <= 2 else written.rstrip("/") or "/"
        kind = "dir" if is_directory(self.reader.facts, path) else "path"
        self.mask = ALL_SYSCALLS
        self.fields = [self.reader.field(kind, "=", path), self.reader.field("perm", "=", PERM_ALL)]
        self.origins = [token, token]
        self.perm_added = True
        if self.add is not None and "watch-notice" in self.switches:
            self.warn("watch-deprecated", "old style watches are slower", token[2], end)
        self.result = RULE

    # fields

    def take_field(self, token: Token) -> None:
        """-F (opt_field)."""
        text = token[6]
        assert text is not None
        if self.add is None and self.delete is None:
            # auditctl lets -F arch= through when the word -t comes next
            behind = self.words[token[7]][0] if token[7] < len(self.words) else ""
            if behind != "-t" or "arch=" not in text:
                self.refuse("list-missing", "a list must come before the fields", token[2], token[3], as_text(text))
                return
        if text.startswith("key="):
            self.add_key(token, text[4:])
        else:
            self.add_field(token, text, self.filter_list)

    def add_field(self, token: Token, text: str, filter_list: str | None, joined: bool = False) -> None:
        """audit_rule_fieldpair_data(); `joined` for the text made of all keys, which stands nowhere in the line."""
        if len(self.fields) >= MOST_FIELDS:
            self.refuse("too-many-fields", f"a rule holds at most {MOST_FIELDS} fields", token[2], token[3])
            return
        reading = self.reader.pair(text, filter_list)
        info = reading.info
        kind = info.kind if info is not None and not reading.early else ""
        if kind == "arch" and self.calls_added:
            self.refuse("arch-after-syscall", "arch must come before the system calls", token[2], token[3], "arch")
        elif kind == "key" and not (self.calls_added or self.perm_added or self.exe_added or self.fs_added):
            message = "a key needs a watch, a system call or a program in its rule"
            self.refuse("key-without-watch-or-syscall", message, token[2], token[3], "key")
        elif reading.kind:
            self.refuse_reading(token, reading, joined)
        else:
            field = reading.field
            if kind == "perm":
                field = self.perm_field(token, text[reading.value_start :], reading.value_start)
                if field is None:
                    return
                self.perm_added = True
            elif kind == "arch":
                assert field is not None and isinstance(field.value, int)
                self.machine = self.reader.pairs.elf_machines[field.value]
            elif kind == "path":
                self.perm_added = True
            elif kind == "exe":
                self.exe_added = True
            elif kind == "fstype":
                self.fs_added = True
            assert field is not None
            self.fields.append(field)
            self.origins.append(token)

    def refuse_reading(self, token: Token, reading: Reading, joined: bool = False) -> None:
        start, end = token[4], token[5]
        if reading.part != "text" and not joined:
            name_end = self.inside(token, reading.name_end)
            value_start = self.inside(token, reading.value_start)
            if reading.part == "name":
                end = name_end
            elif reading.part == "operator":
                start, end = name_end, value_start
            else:
                start = value_start
        self.refuse(reading.kind, reading.message, start, end, reading.subject)

    def inside(self, token: Token, offset: int) -> int:
        """Where the character `offset` of an argument stands in the piece."""
        start = token[4]
        if not self.escaped or start < self.words[0][2]:
            return start + offset
        return start + source_offset(self.text[start : token[5]], offset)

    def perm_field(self, token: Token, letters: str, offset: int) -> Field | None:
        """The value of perm, letter by letter; the mask may take the calls of each (audit_add_perm_syscalls)."""
        start = self.inside(token, offset)
        if len(letters) > 4:
            self.refuse("string-too-long", "perm takes at most 4 letters", start, token[5], as_text(letters))
            return None
        value = 0
        for letter in letters.lower():
            if letter not in PERM_BITS:
                self.refuse("bad-perm", "perm takes the letters r, w, x and a", start, token[5], as_text(letters))
                return None
            value |= PERM_BITS[letter]
            if "perm-adds-calls" not in self.switches:
                continue
            if self.machine is None:
                self.warn("perm-without-arch", "perm without arch is tested at every system call", token[2], token[3])
                continue
            mask, missing = self.reader.perm_mask(self.machine, letter)
            if missing:
                message = f"perm={letter} needs the system call {missing}, which {self.machine.name} lacks"
                self.refuse("unknown-syscall", message, start, token[5], missing)
                return None
            self.mask |= mask
            self.calls_added = True
        return self.reader.field("perm", "=", value)

    def take_compare(self, token: Token) -> None:
        """-C (opt_compare, audit_rule_interfield_comp_data)."""
        text = token[6]
        assert text is not None
        if len(self.fields) >= MOST_FIELDS:
            self.refuse("too-many-fields", f"a rule holds at most {MOST_FIELDS} fields", token[2], token[3])
            return
        reading = self.reader.comparison(text, self.filter_list)
        if reading.field is None:
            self.refuse_reading(token, reading)
        else:
            self.fields.append(reading.field)
            self.origins.append(token)

    def take_perm(self, token: Token) -> None:
        """-p (opt_perms, audit_setup_perms, audit_update_watch_perms)."""
        text = token[6]
        start, end = token[4], token[5]
        assert text is not None
        tells = "perm-message" in self.switches
        if tells and self.add is None and self.delete is None:
            self.refuse("perm-without-watch", "-p needs a watch or a list before it", token[2], end, as_text(text))
            return
        value = 0
        if len(text) > 4:
            kind = "bad-perm" if tells else SAYS_NOTHING
            self.refuse(kind, "-p takes at most 4 letters", start, end, as_text(text))
            return
        for letter in text.lower():
            if letter not in PERM_BITS:
                self.refuse("bad-perm", "-p takes the letters r, w, x and a", start, end, as_text(text))
                return
            value |= PERM_BITS[letter]
        if not self.fields:
            kind = "other" if tells and "library-silent" not in self.switches else SAYS_NOTHING
            self.refuse(kind, "-p needs a field before it", token[2], end)
            return
        field = self.reader.field("perm", "=", value)
        places = [index for index, old in enumerate(self.fields) if old.name == "perm"]
        for index in places:
            self.fields[index] = field
            self.origins[index] = token
        if not places:
            if len(self.fields) >= MOST_FIELDS:
                kind = SAYS_NOTHING if "library-silent" in self.switches else "too-many-fields"
                self.refuse(kind, f"a rule holds at most {MOST_FIELDS} fields", token[2], end)
                return
            self.fields.append(field)
            self.origins.append(token)
        self.perm_added = True
        self.result = RULE

    # keys

    def take_key(self, token: Token) -> None:
        """-k (opt_key)."""
        text = token[6]
        assert text is not None
        ready = self.calls_added or self.perm_added or self.exe_added or self.fs_added
        if not ready or (self.add is None and self.delete is None):
            message = "-k needs a watch or a system call before it"
            self.refuse("key-without-watch-or-syscall", message, token[2], token[3], as_text(text))
        else:
            self.add_key(token, text)

    def add_key(self, token: Token, text: str) -> None:
        """process_key_option(): keys are joined by the byte 0x01."""
        self.key_token = token
        if self.check_key(token, text, token[4], token[5]):
            self.key += "\x01" + text if self.key else text

    def check_key(self, token: Token, text: str, start: int, end: int) -> bool:
        if len(text) + len(self.key) + bool(self.key) > MOST_KEY:
            self.refuse("key-too-long", f"keys take at most {MOST_KEY} bytes together", start, end, as_text(text))
            return False
        if "ids-keys" in self.switches and text.startswith("ids-") and not _ids_key(text):
            self.refuse("other", "a key that begins with ids- must be ids-KIND-SEVERITY", start, end, as_text(text))
            return False
        if "\x01" in text:
            message = "a key may not hold the byte 0x01, which separates keys"
            if "key-separator-fails" in self.switches:
                self.refuse("key-illegal-character", message, start, end, as_text(text))
                return False
            self.warn("key-illegal-character", message, start, end, as_text(text))
        return True

    def append_key(self) -> None:
        """The joined key becomes the last field; it is read as a text of -F, operators inside it and all."""
        assert self.key_token is not None
        silent, self.problem = self.problem, None
        self.add_field(self.key_token, "key=" + self.key, self.filter_list or "user", joined=True)
        if silent is not None and self.problem is None:
            self.problem = silent

    # system calls

    def take_calls(self, token: Token) -> None:
        """-S (opt_syscall, parse_io_uring, _audit_parse_syscall)."""
        text = token[6]
        start, end = token[4], token[5]
        assert text is not None
        if self.add == "io_uring" or self.delete == "io_uring":
            self.calls_seen.append((token, None))
            mask, unknown = self.reader.operations(text)
            if unknown is not None:
                word = as_text(unknown)
                self.refuse("unknown-io_uring-op", f"unknown io_uring operation {word}", start, end, word)
                return
            self.mask |= mask
            self.calls_added = True
            self.result = RULE
            return
        taken = (name for name in ("task", "user", "filesystem") if name in (self.add, self.delete))
        wrong = next(taken, "exclude" if self.exclude else "")
        if wrong:
            self.refuse("syscall-on-wrong-list", f"the {wrong} list takes no system calls", token[2], end, wrong)
            return
        guessed = self.machine is None
        if self.machine is None:
            self.machine = self.reader.pairs.native
            if self.machine is None:
                message = f"auditctl does not know the machine {self.reader.target.machine}"
                self.refuse("other", message, token[2], end, self.reader.target.machine)
                return
        self.calls_seen.append((token, self.machine))
        mask, unknown = self.reader.calls(self.machine, text)
        if unknown is not None:
            silent = "library-silent" in self.switches and "," in text
            word = as_text(unknown)
            at, to = (start, end) if unknown == text else self.element(token, text, unknown)
            kind = SAYS_NOTHING if silent else "unknown-syscall"
            # the bits of the names before it are set; -F key, read at the end, takes that for a system call
            self.calls_added = self.calls_added or (silent and mask != 0)
            self.refuse(kind, f"{self.machine.name} has no system call {word}", at, to, word)
            return
        self.mask |= mask
        self.calls_added = True
        if guessed and self.add is not None:
            self.check_mismatch(token, text)

    def element(self, token: Token, text: str, word: str) -> tuple[int, int]:
        """Where the first element `word` of a comma list stands in the piece."""
        at = 0
        for part in text.split(","):
            if part == word:
                break
            at += len(part) + 1
        return self.inside(token, at), self.inside(token, at + len(word))

    def check_mismatch(self, token: Token, text: str) -> None:
        """check_rule_mismatch(): whether the 32-bit table would give the same mask."""
        assert self.machine is not None
        narrow = self.reader.narrow_mask(self.machine, text)
        bits = -1 if "mismatch-all-bits" in self.switches else FIRST_BITS
        if narrow & bits != self.mask & bits:
            message = "the numbers of these system calls differ between the 32 and 64 bit ABI; give an arch"
            self.warn("arch-mismatch", message, token[2], token[3], as_text(text))

    # control options

    def take_setting(self, token: Token) -> None:
        """-b, -e, -f, -r, --backlog_wait_time."""
        name, text = token[1], token[6]
        assert text is not None
        if name == "-e" or name == "-f":
            fine = text in ("0", "1", "2")
            value = int(text) if fine else 0
            needs = "0, 1 or 2"
        else:
            needs = "a number"
            value, out_of_range = strtoul(text, self.reader.pairs.long_bits)
            fine = text[:1] in DIGITS and text != "" and not out_of_range
        if fine:
            self.send(token, "control", {"type": "SET", SETTINGS[name]: value})
        else:
            word = as_text(text)
            self.refuse("bad-control-value", f"{name} takes {needs}, not {word}", token[4], token[5], word)

    def take_message(self, token: Token) -> None:
        """-m (opt_message)."""
        text = token[6]
        assert text is not None
        native = self.reader.pairs.native
        top = "\x7f" if native is None or native.signed_char else "\xff"
        if len(self.words) > 2:
            self.refuse("bad-message", "-m stands alone on its line and takes one word", token[2], token[3])
        elif not all(" " <= byte <= top for byte in text):
            self.refuse("bad-message", "-m takes no control characters", token[4], token[5], as_text(text))
        else:
            data = ("text=" if "message-prefixed" in self.switches else "") + text
            self.send(token, "control", {"type": "USER", "data": shown(as_text(data))})
            self.finished = True

    def take_equivalent(self, token: Token) -> None:
        """-q (opt_mount, equiv_parse, audit_make_equivalent)."""
        text = token[6]
        assert text is not None
        mount, _, subtree = text.partition(",")
        if self.calls_added:
            self.refuse("bad-equivalent", "-q takes no system calls", token[2], token[3])
        elif not subtree or "," in subtree:
            self.refuse("bad-equivalent", "-q takes MOUNTPOINT,SUBTREE", token[4], token[5], as_text(text))
        else:
            native = self.reader.pairs.native
            order = "big" if native is not None and native.big_endian else "little"
            sizes = b"".join(len(part).to_bytes(4, order) for part in (mount, subtree))  # type: ignore[arg-type]
            data = sizes.decode("latin-1") + mount + subtree
            data += "\0" * (-len(data) % 4)
            self.send(token, "control", {"type": "MAKE_EQUIV", "data": shown(as_text(data))})
            self.finished = True

    def take_signal(self, token: Token) -> None:
        """--signal (send_signal)."""
        text = token[6]
        assert text is not None
        number = self.reader.signals.get(text.lower())
        if number is None:
            word = as_text(text)
            status = 1 if "signal-exits" in self.switches else None
            self.refuse("bad-signal", f"{word} is not a signal of the daemon", token[4], token[5], word, status)
        else:
            self.send(token, "signal", {"signal": number})
            self.result = SILENT

    def take_nested(self, token: Token) -> None:
        """-R: the whole command line in main(), else an error."""
        text = token[6]
        assert text is not None
        if self.in_file or len(self.words) != 2:
            self.refuse("nested-rule-file", "a rule file cannot load another one", token[2], token[3], as_text(text))
        elif "file-needed" in self.switches:
            self.refuse("file-missing", f"{as_text(text)} does not exist", token[4], token[5], as_text(text), 1)
        else:
            self.result = SILENT

    def take_last(self, token: Token) -> None:
        """Options that end the line and let the words behind them go."""
        self.send(token, "control", CONTROLS[token[1]])
        self.finished = True

    def take_stop(self, token: Token) -> None:
        """Options that end the line and fail it when words follow."""
        name = token[1]
        self.result = SILENT
        if name == "-i":
            self.send(token, "ignore")
        elif name == "-c":
            self.send(token, "continue")
        elif name == "-s":
            self.take_status(token)
        elif name == "-l":
            self.take_listing(token)
        elif name == "-D":
            self.take_delete_all(token)
        elif name in CONTROLS:
            self.send(token, "control", CONTROLS[name])
        elif name != "-v" and "help-passes" not in self.switches:
            kind = SAYS_NOTHING if self.in_file else "usage"
            self.refuse(kind, f"{name} prints the usage and fails", token[2], token[3], name)

    def next_word(self, token: Token) -> str | None:
        return self.words[token[7]][0] if token[7] < len(self.words) else None

    def take_status(self, token: Token) -> None:
        """-s, -s -i (opt_status)."""
        if len(self.words) > 2:
            self.refuse("bad-option-count", "-s has too many options", token[2], self.words[-1][2])
            return
        if token[7] == 1 and len(self.words) == 2:
            if self.words[1][0] != "-i":
                self.refuse("bad-option-count", "only -i may follow -s", *self.words[1][1:])
                return
            self.consumed = 1
        self.send(token, "status")

    def take_listing(self, token: Token) -> None:
        """-l, -l -i, -l -k KEY (opt_list)."""
        count = len(self.words)
        behind = self.next_word(token)
        key = None
        if count > 3:
            self.refuse("bad-option-count", "-l has too many options", token[2], self.words[-1][2])
            return
        if count == 2 and behind is None:
            self.crash(token)
            return
        if (count == 2 and behind != "-i") or (count == 3 and behind != "-k"):
            if count == 2 and "list-goes-on" in self.switches:
                self.send(token, "list")
            self.refuse("bad-option-count", "only -i or -k KEY may follow -l", token[2], self.words[-1][2])
            return
        if count == 3:
            key = self.given_key(token)
            if key is None:
                return
        self.consumed = count - 1
        self.send(token, "list", key=key)
        self.listed = True

    def take_delete_all(self, token: Token) -> None:
        """-D, -D -k KEY (opt_delete_all)."""
        count = len(self.words)
        key = None
        if count > 3 or count == 2:
            self.refuse("bad-option-count", "-D stands alone on its line, or with -k KEY", token[2], self.words[-1][2])
            return
        if count == 3:
            behind = self.next_word(token)
            if behind is None:
                self.crash(token)
                return
            if behind != "-k":
                self.refuse("bad-option-count", "only -k may follow -D", token[2], self.words[-1][2])
                return
            key = self.given_key(token)
            if key is None:
                return
            self.consumed = 2
        self.send(token, "delete-all", key=key)
        self.key = ""

    def given_key(self, token: Token) -> str | None:
        """The key of -D -k and -l -k: the third word, wherever -k stands."""
        text, start, end = self.words[2]
        if "key-limit-everywhere" in self.switches and not self.check_key(token, text, start, end):
            return None
        return as_text(text[:MOST_KEY])

    def crash(self, token: Token) -> None:
        """auditctl looks at a word behind the last one and dies."""
        message = f"auditctl crashes on {token[1]} in this place"
        self.refuse(SAYS_NOTHING, message, token[2], token[3], token[1], SEGMENTATION_FAULT)

    def take_wrong(self, token: Token) -> None:
        """An unknown or ambiguous option, or one whose argument is missing or not wanted."""
        name = as_text(token[1])
        kind = "invalid-option" if "option-message" in self.switches else SAYS_NOTHING if self.in_file else "usage"
        known = token[1] in self.reader.options
        message = f"the argument of {name} is missing" if known else f"unknown option {name}"
        self.refuse(kind, message, token[2], token[3], name)

    def take_end(self, token: Token) -> None:
        """`--`: nothing to do."""


HANDLERS: dict[str, Callable[[Walk, Token], None]] = {
    "list": Walk.take_list,
    "watch": Walk.take_watch,
    "field": Walk.take_field,
    "compare": Walk.take_compare,
    "calls": Walk.take_calls,
    "key": Walk.take_key,
    "perm": Walk.take_perm,
    "set": Walk.take_setting,
    "message": Walk.take_message,
    "equivalent": Walk.take_equivalent,
    "signal": Walk.take_signal,
    "nested": Walk.take_nested,
    "last": Walk.take_last,
    "stop": Walk.take_stop,
    "wrong": Walk.take_wrong,
    "end": Walk.take_end,
}


def _bad_path(path: str) -> str:
    """check_path(): why a path of -w is refused, or an empty text."""
    if len(path) >= PATH_MAX:
        return f"a watched path has at most {PATH_MAX - 1} bytes"
    if not path.startswith("/"):
        return "a watched path must begin with /"
    if len(path.rstrip("/").rpartition("/")[2]) > NAME_MAX:
        return f"the last part of a watched path has at most {NAME_MAX} bytes"
    return ""


def _ids_key(text: str) -> bool:
    """check_ids_key() of releases before 3.0."""
    kind, dash, severity = text[4:].partition("-")
    rated = severity.startswith(("inf", "low", "med", "hi"))
    return kind in ("sys", "file", "exec", "mkexe") and bool(dash) and rated
