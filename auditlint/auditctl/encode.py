"""A rule as the bytes of the netlink message: `struct audit_rule_data` of include/uapi/linux/audit.h."""

from __future__ import annotations

from auditlint.auditctl.tables import field_numbers

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal

    from auditlint.auditctl.model import Rule

LISTS = {"user": 0, "task": 1, "exit": 4, "exclude": 5, "filesystem": 6, "io_uring": 7}
ACTIONS = {"never": 0, "possible": 1, "always": 2}
OPERATORS = {
    "&": 0x08000000,
    "<": 0x10000000,
    ">": 0x20000000,
    "!=": 0x30000000,
    "=": 0x40000000,
    "&=": 0x48000000,
    "<=": 0x50000000,
    ">=": 0x60000000,
}
PREPEND = 0x10
MOST_FIELDS = 64
WORDS_OF_MASK = 64


def encode(rule: Rule, big_endian: bool = False) -> bytes:
    """The message body for AUDIT_ADD_RULE or AUDIT_DEL_RULE, in the byte order of the machine.

    Raises ValueError for a user or group whose number is not known.
    """
    flags = LISTS[rule.list] if rule.list in LISTS else int(rule.list, 16)
    values = []
    texts = b""
    for field in rule.fields:
        if isinstance(field.value, int):
            values.append(field.value)
        elif field.name.endswith(("uid", "gid")):
            raise ValueError(f"the number of {field.value} ({field.name}) is not known")
        else:
            text = field.value.encode("utf-8", "surrogateescape")
            texts += text
            values.append(len(text))
    numbers = field_numbers()
    words = [
        flags | (PREPEND if rule.prepend else 0),
        ACTIONS[rule.action],
        len(rule.fields),
        *(rule.mask >> (32 * at) & 0xFFFFFFFF for at in range(WORDS_OF_MASK)),
        *_filled([numbers[field.name] for field in rule.fields]),
        *_filled(values),
        *_filled([OPERATORS[field.op] for field in rule.fields]),
        len(texts),
    ]
    order: Literal["big", "little"] = "big" if big_endian else "little"
    return b"".join(word.to_bytes(4, order) for word in words) + texts


def _filled(values: list[int]) -> list[int]:
    return values + [0] * (MOST_FIELDS - len(values))
