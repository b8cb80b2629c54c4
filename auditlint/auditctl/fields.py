"""Reads the text of one -F or -C without the state of its line, so that the result can be kept and used again."""

from __future__ import annotations

from auditlint.auditctl import tables
from auditlint.auditctl.accounts import group_number, user_number
from auditlint.auditctl.model import UNSET, Field
from auditlint.auditctl.numbers import as_int, strtol, strtoul
from auditlint.core.frozen import dataclass

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping

    from auditlint.auditctl.model import Operator, ProblemKind
    from auditlint.auditctl.tables import FieldInfo, Machine
    from auditlint.core.facts import Facts
    from auditlint.core.target import Target

OPERATORS: tuple[Operator, ...] = ("!=", ">=", "<=", "&=", "=", ">", "<", "&")
"""In the order in which auditctl searches the whole text for them (audit_rule_fieldpair_data)."""
PAIR_OPERATORS: tuple[Operator, ...] = ("!=", "=")
"""The same for -C."""
_AS_WRITTEN: Mapping[str, Operator] = {operator: operator for operator in OPERATORS}
MOST_TEXT = 4096
MOST_KEY = 256
DIGITS = "0123456789"
KINDS = frozenset(
    (
        "uid",
        "gid",
        "int",
        "arch",
        "msgtype",
        "string",
        "session",
        "fstype",
        "exit",
        "path",
        "perm",
        "filetype",
        "exe",
        "saddr",
        "argument",
        "key",
    )
)
"""The words of the column `kind` of `rulesets/fields.tsv` that FieldReader knows."""


@dataclass(frozen=True, slots=True)
class ParsedField:
    """What a text of -F or -C says.

    With a `kind` it is refused: `part` says which part is guilty (text, name, operator, value), `early` whether
    that is found before anything that belongs to the field. Else `field` is what the kernel gets, but for `perm`,
    whose letters depend on the line. The positions split the text into name, operator and value.
    """

    name_end: int = 0
    value_start: int = 0
    info: FieldInfo | None = None
    field: Field | None = None
    kind: ProblemKind | None = None
    message: str = ""
    part: str = "text"
    early: bool = False
    context: str = ""


class _Refused(Exception):
    def __init__(self, kind: ProblemKind, message: str, context: str = "", part: str = "value") -> None:
        self.kind = kind
        self.message = message
        self.context = context
        self.part = part


def as_text(raw: str) -> str:
    """Latin-1 text, one character a byte, as UTF-8 with surrogate escapes."""
    return raw if raw.isascii() else raw.encode("latin-1").decode("utf-8", "surrogateescape")


def split_pair(text: str, operators: tuple[Operator, ...] = OPERATORS) -> tuple[int, int]:
    """End of the name and start of the value in a text of -F; (-1, -1) without an operator."""
    for operator in operators:
        at = text.find(operator)
        if at >= 0:
            return at, at + len(operator)
    return -1, -1


def _starts_number(text: str) -> bool:
    return text[0] in DIGITS or (text[0] == "-" and len(text) > 1 and text[1] in DIGITS)


class FieldReader:
    """Reads texts of -F and -C for one target and one host."""

    def __init__(self, target: Target, facts: Facts) -> None:
        release = target.auditctl
        self.release = release
        self.facts = facts
        self.fields: Mapping[str, FieldInfo] = tables.fields(release)
        self.switches = tables.switches(release)
        self.native: Machine | None = tables.native_machine(target.machine, release)
        """The machine that auditctl runs on; None when it has no table for it."""
        self.machines = {
            name: machine
            for name, machine in tables.machine_names(release).items()
            if not machine.own_build or machine is self.native
        }
        self.elf_machines = {machine.elf: machine for machine in self.machines.values()}
        self.long_bits = self.native.bits if self.native else 64

    def read(self, text: str, filter_list: str | None) -> ParsedField:
        """The text of a -F on a filter list (None: no list yet)."""
        name_end, value_start = split_pair(text)
        if name_end < 0:
            return ParsedField(
                kind="field-operator-missing",
                message=f"-F {as_text(text)} has no operator",
                early=True,
                context=as_text(text),
            )
        name, operator, value = text[:name_end], _AS_WRITTEN[text[name_end:value_start]], text[value_start:]
        info = self.fields.get(tables.fold(name))
        field: Field | None = None
        early = True
        try:
            if not name:
                raise _Refused("field-name-missing", "the field name before the operator is missing", part="text")
            if not value:
                raise _Refused("field-value-missing", f"field {as_text(name)} has no value", as_text(name), "text")
            if info is None:
                raise _Refused("unknown-field", f"unknown field {as_text(name)}", as_text(name), "name")
            if filter_list == "exclude" and "exclude-narrow" in self.switches and not info.on_exclude:
                raise _Refused(
                    "field-not-for-exclude",
                    f"the exclude list does not accept the field {info.name}",
                    info.name,
                    "name",
                )
            early = False
            if info.lists is not None and filter_list not in info.lists:
                raise _Refused(info.refusal, _wrong_list(info, filter_list), info.name, "name")
            if info.operators is not None and operator not in info.operators:
                allowed = " and ".join(sorted(info.operators))
                raise _Refused(
                    "operator-not-allowed", f"field {info.name} accepts only {allowed}", operator, "operator"
                )
            if info.kind != "perm":
                field = Field(info.name, operator, self._value(info, value))
        except _Refused as refused:
            return ParsedField(
                name_end,
                value_start,
                info,
                kind=refused.kind,
                message=refused.message,
                part=refused.part,
                early=early,
                context=refused.context,
            )
        return ParsedField(name_end, value_start, info, field)

    def _value(self, info: FieldInfo, value: str) -> int | str:
        kind = info.kind
        bits = self.long_bits
        digit = value[0] in DIGITS
        if kind in ("string", "path", "exe", "key"):
            if len(value) > (MOST_KEY if kind == "key" else MOST_TEXT):
                raise _Refused("string-too-long", f"the value of {info.name} is too long", info.name)
            return as_text(value)
        if kind == "arch":
            return self._arch(value).elf
        if kind == "saddr":
            number = strtoul(value, bits)[0]
            if number >= tables.address_families()["max"]:
                raise _Refused(
                    "field-value-too-large", f"{as_text(value)} is too large for {info.name}", as_text(value)
                )
            return number
        if digit and kind != "filetype":
            number = strtol(value, bits) if info.signed else strtoul(value, bits)[0]
            if kind == "fstype" and number == UNSET:
                raise _Refused(
                    "unknown-fstype", f"{as_text(value)} is not the number of a file system type", as_text(value)
                )
            return number
        if _starts_number(value) and kind in ("uid", "exit", "argument", "session"):
            return strtol(value, bits)
        if value == "unset" and kind in ("uid", "session"):
            return UNSET
        if kind == "session":
            return 0
        return self._named(info, value)

    def _named(self, info: FieldInfo, value: str) -> int | str:
        text = as_text(value)
        found: int | str | None
        kind: ProblemKind
        if info.kind == "uid":
            found, kind, what = user_number(self.facts, text), "unknown-user", "user"
        elif info.kind == "gid":
            found, kind, what = group_number(self.facts, text), "unknown-group", "group"
        elif info.kind == "exit":
            found, kind, what = self._error(value), "unknown-errno", "error"
        elif info.kind == "msgtype":
            found, kind, what = self._record(value), "unknown-msgtype", "record type"
        elif info.kind == "filetype":
            found, kind, what = tables.file_types().get(tables.fold(value)), "other", "file type"
        elif info.kind == "fstype":
            known = tables.filesystem_types(self.release)
            found, kind, what = known.get(tables.fold(value)), "unknown-fstype", "file system type"
        else:
            raise _Refused("field-value-not-number", f"the value of {info.name} must be a number", text)
        if found is None:
            raise _Refused(kind, f"unknown {what} {text}", text)
        return found

    def _error(self, value: str) -> int | None:
        minus = value[0] == "-"
        column = self.native.errno if self.native else "generic"
        number = tables.error_numbers(column).get(_upper(value[minus:]))
        return None if number is None else (-number if minus else number) & UNSET

    def _record(self, value: str) -> int | None:
        number = tables.record_types(self.release).get(_upper(value))
        if number is None and value.startswith("UNKNOWN[") and "]" in value:
            number = as_int(strtol(value[8 : value.index("]", 8)][:7], self.long_bits, 10))
        return number if number is not None and number > 0 else None

    def _arch(self, value: str) -> Machine:
        machine: Machine | None
        if value[0] in DIGITS:
            number, out_of_range = strtoul(value, self.long_bits)
            machine = None if out_of_range else self.elf_machines.get(number)
        else:
            word = tables.fold(value)
            if word in ("b64", "b32"):
                name = "-" if self.native is None else self.native.b64 if word == "b64" else self.native.b32
                machine = self.machines.get(name)
            elif word in self.machines:
                machine = self.machines[word]
            else:
                number, out_of_range = strtoul(value, self.long_bits, 16)
                machine = None if out_of_range else self.elf_machines.get(number)
        if machine is None:
            raise _Refused("unknown-arch", f"unknown arch {as_text(value)}", as_text(value))
        return machine

    def compare(self, text: str, filter_list: str | None) -> ParsedField:
        """The text of a -C on a filter list (audit_rule_interfield_comp_data)."""
        name_end, value_start = split_pair(text, PAIR_OPERATORS)
        if name_end < 0:
            return ParsedField(
                kind="operator-not-allowed",
                message=f"-C {as_text(text)} needs the operator = or !=",
                context=as_text(text),
            )
        left, operator, right = text[:name_end], _AS_WRITTEN[text[name_end:value_start]], text[value_start:]
        names = as_text(left), as_text(right)
        first, second = self.fields.get(tables.fold(left)), self.fields.get(tables.fold(right))
        number = tables.comparisons().get((first.name, second.name)) if first and second else None
        kind: ProblemKind | None = None
        part = message = ""
        context = names[0]
        if not left:
            kind, part, message = "compare-field-missing", "text", "the field before the operator of -C is missing"
        elif not right:
            kind, part, message = "compare-value-missing", "text", f"-C compares {names[0]} with nothing"
        elif first is None:
            kind, part, message = "compare-field-unknown", "name", f"unknown field {names[0]}"
        elif second is None:
            kind, part, message = "compare-value-unknown", "value", f"-C compares two fields; {names[1]} is not a field"
            context = names[1]
        elif filter_list != "exit":
            kind, part, message = "field-exit-only", "text", "only the exit list accepts -C"
        elif number is None:
            kind, part, message = "compare-incompatible", "text", f"{first.name} and {second.name} cannot be compared"
        if kind:
            return ParsedField(name_end, value_start, kind=kind, message=message, part=part, context=context)
        assert number is not None
        return ParsedField(name_end, value_start, field=Field("field_compare", operator, number))


def _upper(text: str) -> str:
    return text.upper() if text.isascii() else ""


def _wrong_list(info: FieldInfo, filter_list: str | None) -> str:
    where = f"not on {filter_list}" if filter_list else "and the line names no list before it"
    assert info.lists is not None
    return f"only the list {' or '.join(sorted(info.lists))} accepts the field {info.name}, {where}"
