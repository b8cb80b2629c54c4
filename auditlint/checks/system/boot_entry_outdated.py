"""AL879: what boots differs from the file that is meant to say what boots."""

from __future__ import annotations

from auditlint.bootargs.boot_entries import AUDIT_KEYS, audit_words
from auditlint.checks.api import Hit, Hits, Location, SystemContext

TYPE_CHECKING = False
if TYPE_CHECKING:
    from auditlint.bootargs.command_line import CommandLine


def check(context: SystemContext) -> Hits:
    boot = context.boot
    if boot is None or boot.booting is None:
        return
    line = boot.booting.line
    booted = audit_words(line)
    for source in boot.feeding:
        wanted = audit_words(source)
        tool = "update-grub or grub2-mkconfig" if source.label.startswith("GRUB") else "kernel-install or ukify"
        for key in AUDIT_KEYS:
            if booted.get(key) == wanted.get(key):
                continue
            if key not in booted and line.complete and (parameter := source.last(key)) is not None:
                yield Hit(
                    parameter.location(),
                    f"the kernel boots without {_word(key, parameter.value)}: the boot entry does not have it; "
                    f"run {tool}",
                    (_at(line, "boots"),),
                )
            elif key not in wanted and source.complete and (parameter := line.last(key)) is not None:
                yield Hit(
                    parameter.location(),
                    f"{_word(key, parameter.value)} is lost when the boot entry is next written: "
                    f"{source.source.path} does not have it; add it there",
                    (_at(source, "lacks it"),),
                )
            elif key in booted and (parameter := source.last(key)) is not None and (now := line.last(key)) is not None:
                if booted[key][-1:] == wanted[key][-1:] and key != "audit":
                    continue
                yield Hit(
                    parameter.location(),
                    f"the kernel boots with {_word(key, now.value)}, not {_word(key, parameter.value)}; run {tool}",
                    (now.location("boots"),),
                )


def _word(key: str, value: str | None) -> str:
    return key if value is None else f"{key}={value}"


def _at(line: CommandLine, message: str) -> Location:
    return Location(line.source, line.span, message)
