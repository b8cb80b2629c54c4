"""A folder like that of a site with many machines: kernel configurations and rule files, the same bytes each time.

usage: many.py DIR [--configurations 500] [--rules 2000]

Every second configuration is complete (10,000 settings, as a distribution's), the others are defconfigs; kernels and
architectures take turns. Rule files have 5 to 44 rules; some of all have faults. DIR/configs and DIR/rules must not be
there.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from auditlint.core.data import rows
from benchmarks.rules import generate

ROOT = Path(__file__).resolve().parent.parent

_LINES = ("5.10", "5.15", "6.1", "6.6", "6.12")
_ARCHES = (("x86", "X86_64"), ("arm64", "ARM64"), ("arm", "ARM"), ("powerpc", "PPC"), ("riscv", "RISCV"))
_SETTINGS = 10_000


def _configuration(number: int, names: list[str]) -> tuple[str, str]:
    """Path and text of a configuration. Some ask for audit without system calls, others for audit without NET."""
    line, (arch, symbol) = _LINES[number % len(_LINES)], _ARCHES[number // len(_LINES) % len(_ARCHES)]
    complete = number % 2 == 1
    rows = [f"# Linux/{arch} {line}.{number} Kernel Configuration"] if complete else []
    for at, name in enumerate(names):
        if name == "NET":
            rows.append("# CONFIG_NET is not set" if number % 11 == 3 else "CONFIG_NET=y")
        elif name == "AUDITSYSCALL" and number % 7 == 2:
            rows.append("# CONFIG_AUDITSYSCALL is not set")
        elif complete or (at * 7 + number) % 5 == 0 or name == "AUDIT":
            rows.append(f"# CONFIG_{name} is not set" if (at * 31 + number) % 4 == 0 else f"CONFIG_{name}=y")
    rows.append(f"CONFIG_{symbol}=y")
    count = _SETTINGS if complete else 200
    rows += [f"CONFIG_DRIVER_{number % 9}_{at}={'ym'[at % 2]}" for at in range(count - len(rows))]
    name = f"config-{line}.0-{number}-site" if complete else f"arch/{arch}/configs/site{number}_defconfig"
    return name, "\n".join(rows) + "\n"


def _rules(number: int, all_rules: list[str]) -> str:
    """The text of a rule file."""
    first, count = number * 13 % len(all_rules), 5 + number % 40
    chosen = all_rules[first : first + count]
    if number % 10 == 1:
        chosen.insert(len(chosen) // 2, "-a always,exit -F arch=b64 -S openatt -k typo")
    if number % 10 == 2:
        chosen.append(chosen[0])
    return "\n".join(["-D", "-b 8192", *chosen, "-e 2", ""])


def fill(folder: Path, configurations: int = 500, rule_files: int = 2000) -> None:
    """Write both kinds below `folder`, which is made."""
    names = [row[0] for row in rows("kconfig/recorded.tsv")]
    all_rules = [line for line in generate(30_000).decode().splitlines() if line.startswith(("-a", "-w"))]
    for number in range(configurations):
        name, text = _configuration(number, names)
        _write(folder / "configs" / name, text)
    for number in range(rule_files):
        _write(folder / f"rules/host{number // 8:03}/{number % 8}0-part.rules", _rules(number, all_rules))


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    with open(path, "x", encoding="utf-8") as file:
        file.write(text)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, metavar="DIR")
    parser.add_argument("--configurations", type=int, default=500)
    parser.add_argument("--rules", type=int, default=2000)
    words = parser.parse_args()
    fill(words.folder, words.configurations, words.rules)
