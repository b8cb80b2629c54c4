"""Answers for `$(shell,...)` of Kconfig files, as a gcc that accepts every option would give them.

Nothing is executed: the command is only looked at. Shell commands in kernel trees ask a handful of questions
(scripts/Kconfig.include and the arch files of 4.18 to 7.3); a command that is not among them succeeds and prints
nothing. Measured against the C program with such a gcc, no recorded symbol differs (docs/kconfig.md).
"""

from __future__ import annotations

import re

GCC = "gcc (Debian 12.2.0-14) 12.2.0"
VARIABLES = {
    "CC": "gcc",
    "LD": "ld",
    "AR": "ar",
    "NM": "nm",
    "OBJCOPY": "objcopy",
    "OBJDUMP": "objdump",
    "HOSTCC": "gcc",
    "HOSTCXX": "g++",
    "HOSTLD": "ld",
    "RUSTC": "rustc",
    "BINDGEN": "bindgen",
    "PAHOLE": "pahole",
    "PYTHON3": "python3",
    "CC_VERSION_TEXT": GCC,
    "srctree": ".",
}
"""What `make` exports to the configuration program, besides the architecture and the version."""

LONGEST = 8192
"""Characters of a command that is looked at; the longest in Linux has about 400."""

_PRINTED = {
    "cc-version.sh": "GCC 120200",
    "as-version.sh": "GNU 24000",
    "ld-version.sh": "BFD 24000",
    "gcc-version.sh": "120200",
    "clang-version.sh": "0",
    "lld-version.sh": "0",
    "rustc-version.sh": "0",
    "rustc-llvm-version.sh": "0",
    "pahole-version.sh": "0",
}
_GUARD = ('; } >/dev/null 2>&1 && echo "', '" || echo "')
_SCRIPT = re.compile(r"scripts/([\w-]+\.sh)\b")
_WORD = re.compile(r"set -- (?P<words>.*?) && echo \$(?P<index>[1-9])")
_DIVIDE = re.compile(r"expr (\d{1,18}) / (\d{1,18})", re.A)
_TEST = re.compile(r'test\s+(?:"(?P<left>[^"]*)"\s*(?P<op>!?=)\s*(?P<right>\S+)|-z\s+"(?P<empty>[^"]*)")\s*')
_AT_LEAST = re.compile(r"\[ (\d{1,18}) -(ge|gt|le|lt) (\d{1,18}) \]", re.A)
_ABSENT = re.compile(r"clang|\blld\b|LLD|llvm|\bgold\b|rustc|rust_is_available|bindgen|plugin|lxml", re.A)


def answer(command: str) -> str:
    """What the command prints, newlines as blanks as the configuration program takes them."""
    if len(command) > LONGEST:
        return ""
    body, guard, outcomes = command.removeprefix("{ ").partition(_GUARD[0])
    if guard and command.startswith("{ "):
        then, _, otherwise = outcomes.removesuffix('"').partition(_GUARD[1])
        return then if succeeds(body) else otherwise
    word = _WORD.fullmatch(command)
    if word is not None:
        words = word["words"].split()
        index = int(word["index"]) - 1
        return words[index] if 0 <= index < len(words) else ""
    divide = _DIVIDE.fullmatch(command)
    if divide is not None and int(divide[2]):
        return str(int(divide[1]) // int(divide[2]))
    script = _SCRIPT.search(command)
    if script is not None:
        return _PRINTED.get(script[1], "")
    return ""


def succeeds(command: str) -> bool:
    """Does the command end with status 0?"""
    test = _TEST.fullmatch(command.strip())
    if test is not None:
        if test["op"] is None:
            return test["empty"] == ""
        return (test["left"] == test["right"].strip('"')) == (test["op"] == "=")
    least = _AT_LEAST.fullmatch(command.strip())
    if least is not None:
        left, right = int(least[1]), int(least[3])
        return {"ge": left >= right, "gt": left > right, "le": left <= right, "lt": left < right}[least[2]]
    if re.search(r"grep\s+-\w*v", command):
        return True
    return _ABSENT.search(command) is None
