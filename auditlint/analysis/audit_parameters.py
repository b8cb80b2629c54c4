"""The effect of the audit parameters of a command line, by kernel version."""

from __future__ import annotations

import re

from auditlint.core.frozen import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from auditlint.bootargs.command_line import CommandLine, Parameter
    from auditlint.context.cmdline import CmdlineContext
    from auditlint.core.findings import Edit

WORDS_SINCE = "4.17"
"""`on` and `off` are understood from this line on (audit_enable(), kernel/audit.c)."""
LIMIT_SINCE = "3.14"
"""`audit_backlog_limit=` exists from this line on (mainline commit f910fde7307b)."""
LSM_SINCE = "5.1"
"""`lsm=` exists from this line on and supersedes `security=` (security/security.c)."""
MAJOR_LSMS = ("selinux", "apparmor", "smack", "tomoyo")
"""Security modules that write records of their own, and are SECURITY_NAME in the configuration."""
DEFAULT_LIMIT = 64
WANTED_LIMIT = 8192
"""The number of records that hardening guides ask for."""

_LONG = re.compile(r"-?(?:0[xX][0-9a-fA-F]+|0[0-7]*|[1-9][0-9]*)")
_UINT = re.compile(r"\+?(?:0[xX][0-9a-fA-F]+|0[0-7]*|[1-9][0-9]*)")


@dataclass(frozen=True, slots=True)
class Switch:
    """One `audit=` word: whether the kernel reads it as on, and whether the kernel documents the value."""

    parameter: Parameter
    on: bool
    valid: bool


def switch(parameter: Parameter, words: bool) -> Switch:
    """How the kernel reads `audit=VALUE`. `words`: a kernel from WORDS_SINCE on.

    Before, the value is a number (simple_strtol(), base 0) and a word counts as 0, so `audit=on` is off. Since then,
    the kernel reports anything but 0, 1, off and on, and reads it as on.
    """
    value = parameter.value or ""
    if words:
        if value == "0" or value.lower() == "off":
            return Switch(parameter, False, True)
        return Switch(parameter, True, value == "1" or value.lower() == "on")
    match = _LONG.match(value)
    number = _number(match.group()) if match else 0
    return Switch(parameter, number != 0, value in ("0", "1"))


def switches(line: CommandLine, context: CmdlineContext) -> tuple[Switch, ...]:
    """Every `audit=` of a command line; `audit` without a value is not read by the kernel."""
    words = context.kernel_at_least(WORDS_SINCE)
    return tuple(switch(parameter, words) for parameter in line.all("audit") if parameter.value is not None)


def off_for_good(line: CommandLine, context: CmdlineContext) -> Switch | None:
    """The first `audit=` that turns audit off. A later `audit=1` does not undo it: audit_enable() marks audit as
    disabled, and audit_init() then does nothing (kernel/audit.c, read in 3.x to 6.x)."""
    return next((switch for switch in switches(line, context) if not switch.on), None)


def limits(line: CommandLine) -> tuple[tuple[Parameter, int | None], ...]:
    """Every `audit_backlog_limit=` with its number; None for a value that the kernel refuses (kstrtouint(), base 0).
    The last good one counts, 0 is no limit."""
    given = []
    for parameter in line.all("audit_backlog_limit"):
        if parameter.value is None:
            continue
        number = _number(parameter.value) if _UINT.fullmatch(parameter.value) else None
        given.append((parameter, number if number is not None and number < 1 << 32 else None))
    return tuple(given)


def limit(line: CommandLine) -> tuple[Parameter, int] | None:
    """The `audit_backlog_limit=` that counts."""
    good = [(parameter, number) for parameter, number in limits(line) if number is not None]
    return good[-1] if good else None


def _number(text: str) -> int:
    """A C number of base 0; the caller has matched the text. One too long for 64 bits becomes a number above them."""
    if len(text) > 70:
        return 1 << 64
    sign = -1 if text.startswith("-") else 1
    text = text.lstrip("+-")
    if text[:2].lower() == "0x":
        return sign * int(text, 16)
    return sign * int(text, 8 if text.startswith("0") else 10)


def with_word(after: Parameter, word: str) -> tuple[Edit, ...]:
    """The edit that adds a word after a parameter of the line."""
    from auditlint.core.findings import Edit

    return (Edit(after.source, after.span[1], after.span[1], b" " + word.encode()),)
