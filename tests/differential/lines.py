"""Lines of rule files, realistic and broken.

`line(random)` makes one. Hypothesis gives it a source of chance that it can shrink (`lines`); where many lines are
wanted, `generate()` gives it a plain one, which spreads better and is fifty times as fast. Names come from libaudit
itself where it has them, so they do not depend on our own tables.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path
from random import Random

from hypothesis import strategies as st

from auditlint.core.data import parse_toml
from tests.differential.standin import libaudit

MACHINES = ("x86_64", "i386", "i686", "aarch64", "armv7l", "armv8l", "ppc64le", "ppc64", "s390x", "s390", "riscv64")
"""What uname may say."""
_HEADS = (b"\t", b"#", b" #", b"\xef\xbb\xbf", b"\\", b"\0", b"\x07\x07", b"auditctl ", b"\\#", b"\x04", b" ", b"   ")
_TAILS = (b" ", b"  ", b"\r", b"\t", b" \\", b"\\", b" #", b" # x", b"\0x", b"\\ ", b"\x0c", b" --", b" -", b" -- x")
_ODD = b" \t\r\n\0\x01\x04\x07\x0b\x0c\x1b\x7f\x80\xff\xc3\\\"'#-=!<>&,/*?~^"
_LONG = (b"# ", b"-w /", b"-k ", b"-a always,exit -F path=/", b" ", b"-w /etc -k ", b"x", b"-w /etc -F key=")


@cache
def vocabulary() -> dict[str, list[str]]:
    """The words of words.toml, and the names that libaudit knows."""
    told = parse_toml((Path(__file__).parent / "words.toml").read_text(encoding="utf-8"))
    found = {name: text.split() for name, text in told["words"].items()}
    for name, whole in told["whole"].items():
        found.setdefault(name, []).extend(whole)
    found["paths"] += ["/x" * 30, "/" + "n" * 255, "/" + "n" * 256, "/a" * 2047, "/a" * 2048, "/" + "a" * 254 + "/b"]
    found["keys"] += ["k" * size for size in (31, 32, 127, 255, 256, 257)]
    found["texts"].append("x" * 300)
    found["errnos"] = _names("errno", 1, 140) + found["newer_errnos"]
    found["types"] = _names("msg_type", 1000, 2600) + found["newer_types"]
    translate = libaudit().audit_syscall_to_name
    calls = {translate(number, machine) for machine in range(12) for number in range(600)}
    found["syscalls"] = sorted(name.decode() for name in calls if name)
    found["fields"] = [f for name in ("uids", "gids", "labels", "integers", *["other_fields"] * 3) for f in found[name]]
    return found


def _names(kind: str, first: int, end: int) -> list[str]:
    """The names that libaudit gives to a range of numbers."""
    translate = getattr(libaudit(), f"audit_{kind}_to_name")
    return [name.decode() for name in map(translate, range(first, end)) if name]


class _Maker:
    """Makes words by chance."""

    def __init__(self, random: Random) -> None:
        self.random = random
        self.words = vocabulary()

    def of(self, *names: str) -> str:
        """A word of one of these vocabularies."""
        return self.random.choice(self.words[self.random.choice(names)])

    def one_in(self, count: int) -> bool:
        return self.random.randrange(count) == 0

    def case(self, word: str) -> str:
        how = self.random.randrange(12)
        return word.upper() if how == 0 else word.title() if how == 1 else word.swapcase() if how == 2 else word

    def number(self) -> str:
        how = self.random.randrange(4)
        if how == 0:
            return str(self.random.randrange(-5, 5000))
        if how == 1:
            return hex(self.random.randrange(1 << 34))
        return self.of("numbers")

    def operator(self) -> str:
        return self.of("strange_operators") if self.one_in(20) else self.of("operators")

    def value(self, field: str) -> str:
        """A value that fits the field, more or less."""
        words = self.words
        if field in words["uids"]:
            return self.of("users") if self.one_in(2) else self.number()
        if field in words["gids"]:
            return self.of("groups") if self.one_in(2) else self.number()
        if field in words["labels"]:
            return self.of("contexts")
        if field in words["integers"] or self.one_in(8):
            return self.number()
        match field:
            case "exit":
                return self.random.choice(("", "-", "-", "--", "+")) + self.case(self.of("errnos"))
            case "msgtype":
                return self.case(self.of("types"))
            case "perm":
                return self.case(self.of("letters"))
            case "path" | "dir" | "exe":
                return self.of("paths")
        names = {"saddr_fam": "families", "arch": "arches", "filetype": "filetypes", "fstype": "fstypes", "key": "keys"}
        return self.of(names[field]) if field in names else self.of("users", "paths", "keys", "types", "syscalls")

    def condition(self) -> str:
        """The text of -F."""
        if self.one_in(3):
            return self.of("conditions")
        field = self.of("strange_fields") if self.one_in(25) else self.of("fields")
        value = self.of("users", "paths", "keys", "types", "numbers") if self.one_in(20) else self.value(field)
        plain = field in ("path", "dir", "exe", "perm", "key", "arch", "msgtype") and not self.one_in(5)
        operator = "=" if plain else self.operator()
        if self.one_in(20):
            field = field.swapcase()
        return field + operator + value

    def pair(self) -> str:
        """The text of -C."""
        left, right = (
            self.random.choice(("pid", "ppid", "nosuch", "", "path", "exe", "1000"))
            if self.one_in(15)
            else self.of("uids", "gids")
            for _ in range(2)
        )
        operator = self.operator() if self.one_in(8) else self.random.choice(("=", "!="))
        return self.case(left) + operator + self.case(right)

    def place(self) -> str:
        """The text of -a."""
        if self.one_in(12):
            comma = self.random.choice((",", ",", "", ", ", ",,", ";"))
            ends = [self.of("lists", "actions") for _ in range(2)]
            return comma.join(("" if self.one_in(12) else end) for end in ends) + (",exit" if self.one_in(12) else "")
        ends = [self.random.choice(("always", "never")), "exit" if self.random.randrange(3) else self.of("lists")]
        self.random.shuffle(ends)
        return ",".join(ends)

    def call(self) -> str:
        """One element of -S."""
        if self.one_in(2):
            return self.of("calls")
        if self.one_in(12):
            return str(self.random.randrange(2060))
        return self.case(self.of("newer_calls") if self.one_in(12) else self.of("syscalls"))

    def calls(self) -> str:
        """The text of -S."""
        return ",".join(self.call() for _ in range(1 if self.one_in(2) else self.random.randrange(1, 5)))

    def option(self, letter: str, argument: str) -> list[str]:
        """The letter with its argument, mostly as two words."""
        return [letter + argument] if self.one_in(16) else [letter, argument]

    def add(self) -> list[str]:
        letter = self.random.choice(("-a", "-a", "-a", "-a", "-a", "-a", "-A", "-d"))
        return self.option(letter, "always,exit" if self.one_in(2) else self.place())

    def arch(self) -> list[str]:
        if self.one_in(6):
            field = "arch" if self.random.randrange(6) else "ARCH"
            operator = self.operator() if self.one_in(4) else self.random.choice(("=", "!="))
            return self.option("-F", field + operator + self.of("arches"))
        return self.option("-F", self.random.choice(("arch=b64", "arch=b32")))

    def key(self) -> list[str]:
        key = self.random.choice(("x", "login")) if self.random.randrange(3) else self.of("keys")
        return self.option("-F", "key=" + key) if self.one_in(3) else self.option("-k", key)

    def perm(self) -> list[str]:
        return self.option("-p", self.of("letters") if self.one_in(3) else self.random.choice(("wa", "rwxa", "x")))

    def watch(self) -> list[str]:
        return self.option("-W" if self.one_in(6) else "-w", self.of("paths"))

    def control(self) -> list[str]:
        match self.random.randrange(12):
            case 0 | 1:
                return self.option(self.random.choice(("-b", "-r", "-f", "-e")), self.number())
            case 2 | 3:
                return self.option(self.random.choice(("-f", "-e", "-b")), self.random.choice(("0", "1", "2")))
            case 4:
                return self.option("--backlog_wait_time", self.number())
            case 5:
                return [f"--backlog_wait_time={self.number()}"]
            case 6:
                return self.option("-m", self.of("texts"))
            case 7:
                return self.option("-q", self.of("pairs"))
            case 8:
                return self.option("--signal", self.of("signals"))
            case 9:
                return [self.of("long")]
            case 10:
                return [self.of("alone")]
        return self.of("together").split(" ") if self.random.randrange(8) else self.option("-R", "/etc/x")

    def any(self) -> list[str]:
        """Some option."""
        makers = (
            self.add, self.key, self.arch, self.perm, self.watch, self.control,
            lambda: self.option("-F", self.condition()), lambda: self.option("-S", self.calls()),
            lambda: self.option("-C", self.pair()), lambda: [self.of("free")],
        )  # fmt: skip
        return self.random.choice(makers)()

    def some(self, most: int, *makers: object) -> list[str]:
        """At most so many words of these makers."""
        found: list[str] = []
        for _ in range(self.random.randrange(most + 1)):
            found += self.random.choice(makers)()  # type: ignore[operator]
        return found

    def rule(self) -> list[str]:
        words = self.add()
        if self.random.randrange(3):
            words += self.arch()
        if self.random.randrange(3):
            words += self.option("-S", self.calls())
        for _ in range(self.random.randrange(4)):
            words += self.option("-F", self.condition())
        if self.one_in(6):
            words += self.option("-C", self.pair())
        return words + (self.key() if self.random.randrange(3) else [])

    def narrow(self) -> list[str]:
        """A rule of one condition: the smallest place where a value is judged."""
        if self.one_in(6):
            return self.add() + self.option("-C", self.pair()) + self.some(1, self.any)
        condition = self.condition()
        add = self.add()
        if condition.startswith(("msgtype", "fstype")) and self.random.randrange(4):
            places = "exclude user" if condition.startswith("msgtype") else "filesystem"
            add = ["-a", "always," + self.random.choice(places.split())]
        return add + self.option("-F", condition) + (self.any() if self.one_in(4) else [])

    def watching(self) -> list[str]:
        return self.watch() + self.some(3, self.perm, self.key, lambda: self.option("-F", self.condition()))

    def full(self) -> list[str]:
        """A rule at the limit of fields."""
        head = self.random.choice(("-a always,exit", "-a always,exit -S open", "-w /etc", "-A never,exit -F path=/x"))
        words = head.split() + ["-F", "a0=1"] * self.random.randrange(58, 67)
        return words + self.some(1, self.any) + self.some(1, self.key)

    def keyed(self) -> list[str]:
        """A rule at the limit of keys."""
        words = self.random.choice(("-w /etc", "-a always,exit -F path=/x")).split()
        for _ in range(self.random.randrange(1, 6)):
            words += self.option("-k", "k" * self.random.randrange(1, 130))
        return words

    def spoil(self, words: list[str]) -> list[str]:
        """Words out of order, lost or added."""
        at = self.random.randrange(len(words) + 1)
        match self.random.randrange(5):
            case 0:
                self.random.shuffle(words)
            case 1:
                return words[: at - 1] + words[at:]
            case 2:
                return [*words[:at], self.of("free"), *words[at:]]
            case 3:
                return words + self.any()
            case 4:
                return self.any() + words
        return words

    def line(self) -> bytes:
        how = self.random.randrange(40)
        if how == 0:
            return bytes(self.random.randrange(256) for _ in range(self.random.randrange(12)))
        if how == 1:
            return self.random.choice((b"", b" ", b"#", b"# comment", b"  # x", b"\r", b"\t", b"   "))
        if how < 15:
            words = self.rule()
        elif how < 23:
            words = self.narrow()
        elif how < 29:
            words = self.watching()
        elif how < 34:
            words = self.some(3, self.control)
        elif how < 38:
            words = self.some(6, self.any)
        elif how == 38:
            words = self.keyed()
        else:
            words = self.full() if self.one_in(3) else self.any()
        if self.one_in(6):
            words = self.spoil(words)
        if not self.one_in(12):  # escape what splits words, so that each arrives whole
            words = [word.replace(" ", "\\ ") for word in words]
        text = " ".join(words).encode()
        match self.random.randrange(60):
            case 0:
                text = self.random.choice(_HEADS) + text
            case 1 | 2:
                text += self.random.choice(_TAILS)
            case 3:
                text = text.replace(b" ", b"  ")
            case 4 | 5 | 6 | 7:
                text = self.mutate(text)
            case 8 if self.one_in(6):
                text = self.random.choice(_LONG) + b"x" * self.random.randrange(6100, 6200) + text
        return text

    def mutate(self, text: bytes) -> bytes:
        """A few bytes changed."""
        changed = bytearray(text)
        for _ in range(self.random.randrange(1, 4)):
            at = self.random.randrange(len(changed) + 1)
            byte = self.random.choice(_ODD) if self.random.randrange(4) else self.random.randrange(256)
            match self.random.randrange(4):
                case 0:
                    changed[at:at] = bytes([byte])
                case 1:
                    changed[at : at + 1] = bytes([byte])
                case 2:
                    changed[at : at + self.random.randrange(1, 5)] = b""
                case 3:
                    changed[at:at] = b"\\"
        return bytes(changed)


def line(random: Random) -> bytes:
    """One line of a rule file, without its line feed (a mutation may put one in)."""
    return _Maker(random).line()


lines: st.SearchStrategy[bytes] = st.randoms(use_true_random=False).map(line)
"""The same for hypothesis, which can shrink it."""


def generate(count: int, seed: int = 0) -> list[bytes]:
    """`count` different lines; the same seed gives the same lines."""
    maker = _Maker(Random(seed))
    found: dict[bytes, None] = {}
    while len(found) < count:
        found[maker.line()] = None
    return list(found)
