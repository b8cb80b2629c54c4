"""AL809: a symbol that no kernel has, with the one that is meant."""

from __future__ import annotations

from auditlint.analysis.dropped_requests import LSM, at
from auditlint.checks.api import ConfigContext, Edit, Fix, Hit, Hits, Location
from auditlint.core.data import rows
from auditlint.kconfig.near_names import one_slip

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

    from auditlint.kconfig.model import Assignment, ConfigFile

_WORTH = LSM | {
    "AUDITSYSCALL",
    "HAVE_ARCH_AUDITSYSCALL",
    "INTEGRITY_AUDIT",
    "NETFILTER_XT_TARGET_AUDIT",
    "DM_AUDIT",
    "SECURITY_NETWORK",
    "SECURITY_PATH",
    "SECURITYFS",
    "DEFAULT_SECURITY_APPARMOR",
    "DEFAULT_SECURITY_SELINUX",
    "OABI_COMPAT",
    "IO_URING",
}
"""Names long enough that a slip of the fingers is plain. A list of all symbols of a kernel needs its tree."""
_OF_SELINUX = frozenset(
    (
        "AVC_STATS",
        "BOOTPARAM",
        "BOOTPARAM_VALUE",
        "CHECKREQPROT_VALUE",
        "DEBUG",
        "DEVELOP",
        "DISABLE",
        "ENABLE_SECMARK_DEFAULT",
        "MLS",
        "POLICYDB_VERSION_MAX",
        "POLICYDB_VERSION_MAX_VALUE",
        "SID2STR_CACHE_SIZE",
        "SIDTAB_HASH_BITS",
    )
)
"""All that security/selinux/Kconfig of Linux 2.6.32 to 7.3 defines below SECURITY_SELINUX_, and older names."""
_STARTS = frozenset(name[:3] for name in _WORTH)
_ENDS = frozenset(name[-3:] for name in _WORTH)
_BY_LENGTH = {length: sorted(name for name in _WORTH if abs(len(name) - length) < 2) for length in range(40)}


def check(context: ConfigContext) -> Hits:
    if context.resolved:
        return
    misnamed = dict(rows("misnamed-symbols.tsv"))
    gone = {symbol for symbol, *_ in rows("obsolete-symbols.tsv")}
    real = context.known | context.evaluation.symbols.keys()
    for file in context.files:
        yield from _misspelt_prefix(file)
        meant = {name: wanted for name in file.assignments.names if (wanted := _meant(name, misnamed, real))}
        for assignment in file.assignments.of(meant):
            yield _hit(assignment, meant[assignment.symbol])
        for drop in context.dropped("unknown"):
            line = drop.assignment
            if line.source is file.source and not line.symbol.endswith((" ", "\t")) and line.symbol not in meant:
                elsewhere = line.symbol in context.known and line.symbol not in gone and not context.assumed("arch")
                if (elsewhere and not line.value.startswith("n")) or (line.symbol not in real and _plain(line.symbol)):
                    message = f"this line has no effect: {line.symbol} does not exist in {context.where}"
                    yield Hit(at(line), message if line.symbol in drop.why else f"{message} ({drop.why})")


def _misspelt_prefix(file: ConfigFile) -> Hits:
    for line in file.ignored:
        if line.reason != "misspelt-prefix" or not line.symbol:
            continue
        prefix = line.source.text(line.span).partition(line.symbol)[0]
        edit = Edit(
            line.source, line.span[0], line.span[0] + len(prefix.encode("utf-8", "surrogateescape")), b"CONFIG_"
        )
        yield Hit(
            Location(line.source, line.span),
            f"this line is ignored: {prefix}{line.symbol} is not a symbol; did you mean CONFIG_{line.symbol}?",
            fix=Fix("unsafe", f"Write CONFIG_{line.symbol}", (edit,)),
        )


def _plain(name: str) -> bool:
    """Is it plainly meant for audit? A vendor kernel may have symbols of its own with the word further behind."""
    return name.startswith("AUDIT")


def _meant(name: str, misnamed: dict[str, str], real: AbstractSet[str]) -> str | None:
    """The symbol that is meant by a name that no kernel has; `-` when none is, None when the name may be right."""
    if name in misnamed:
        return misnamed[name]
    family, _, rest = name.partition("_SELINUX_")
    if family == "SECURITY" and rest and rest not in _OF_SELINUX and name not in real:
        return "-"
    if (name[:3] not in _STARTS and name[-3:] not in _ENDS) or name in real:
        return None  # one slip leaves the beginning or the end as it is
    near = next((wanted for wanted in _BY_LENGTH.get(len(name), ()) if one_slip(name, wanted)), None)
    if near is None and "AUDIT" in name:
        from difflib import get_close_matches

        near = next(iter(get_close_matches(name, sorted(_WORTH), 1, 0.75)), None)
    return near


def _hit(assignment: Assignment, meant: str) -> Hit:
    if meant == "-":
        return Hit(at(assignment), f"this line has no effect: no kernel has a symbol {assignment.symbol}")
    edit = Edit(assignment.source, *assignment.symbol_span, meant.encode())
    return Hit(
        at(assignment),
        f"this line has no effect: no kernel has a symbol {assignment.symbol}; did you mean {meant}?",
        fix=Fix("unsafe", f"Write {meant}", (edit,)),
    )
