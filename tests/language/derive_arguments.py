"""Makes rulesets/syscalls/arguments.tsv from the sources of a kernel.

usage: derive_arguments.py KERNEL_TREE >rulesets/syscalls/arguments.tsv

Reads the definitions of the system calls (SYSCALL_DEFINE and COMPAT_SYSCALL_DEFINE) and the tables that give them
names. Calls newer than the tree stand in LATER.
"""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from pathlib import Path

HEADER = """\
# What the first four arguments of system calls are: p an address, f a file descriptor, l the length of an address
# structure, n a number or flags. An argument that no letter stands for is not passed. Machines: those for which the row
# counts, * for all others. ABIs that disagree on an argument (old and new forms of a call) have the letter n.
# Source: SYSCALL_DEFINE() and call tables of Linux 6.1.192 (tests/language/derive_arguments.py); later ones by hand.
# call	arguments	machines
"""
TABLES = {
    "x86_64": ("arch/x86/entry/syscalls/syscall_64.tbl", ("common", "64")),
    "i386": ("arch/x86/entry/syscalls/syscall_32.tbl", ("i386",)),
    "arm": ("arch/arm/tools/syscall.tbl", ("common", "oabi", "eabi")),
    "ppc": ("arch/powerpc/kernel/syscalls/syscall.tbl", ("common", "32", "64", "nospu")),
    "s390": ("arch/s390/kernel/syscalls/syscall.tbl", ("common", "32")),
    "s390x": ("arch/s390/kernel/syscalls/syscall.tbl", ("common", "64")),
}
GENERIC = "include/uapi/asm-generic/unistd.h"
ARCHITECTURES = ("x86", "arm64", "arm", "s390", "powerpc", "riscv")
DEFINE = re.compile(r"(?<![A-Z_])(?:COMPAT_)?SYSCALL(?:32)?_DEFINE[0-6]\(\s*(\w+)\s*(?:,([^{;]*?))?\)\s*[{\n]")
DESCRIPTORS = re.compile(r"\|(u?fd|.*dfd|fildes|oldfd|newfd|fd_in|fd_out|in_fd|out_fd|epfd|pidfd|mqdes|mfd)$")
CLONE = {"s390": "pnpp", "s390x": "pnpp", "x86_64": "nppp", "*": "nppn"}
"""The arguments of clone: on s390 the stack comes first, the flags second (CLONE_BACKWARDS2, kernel/fork.c)."""
LATER = {
    "cachestat": "fppn", "fchmodat2": "fpnn", "map_shadow_stack": "nnn", "futex_wake": "pnnn", "futex_wait": "pnnn",
    "futex_requeue": "pnnn", "statmount": "ppnn", "listmount": "ppnn", "lsm_get_self_attr": "nppn",
    "lsm_set_self_attr": "npnn", "lsm_list_modules": "ppn", "mseal": "nnn", "setxattrat": "fpnp", "getxattrat": "fpnp",
    "listxattrat": "fpnp", "removexattrat": "fpnp", "open_tree_attr": "fpnp", "file_getattr": "fppn",
    "file_setattr": "fppn",
}  # fmt: skip


def definitions(tree: Path) -> dict[str, list[str]]:
    """The letters of every definition of a system call, by its name in the source."""
    found: dict[str, list[str]] = defaultdict(list)
    folders = [tree / name for name in ("fs", "kernel", "mm", "net", "ipc", "io_uring", "block", "security", "drivers")]
    folders += [tree / "arch" / name for name in ARCHITECTURES]
    for path in sorted(each for folder in folders for each in folder.rglob("*.c")):
        text = path.read_text(errors="replace")
        if "SYSCALL" not in text:
            continue
        text = re.sub(r"/\*.*?\*/", "", text, flags=re.DOTALL)
        for call, arguments in DEFINE.findall(text):
            words = [word.strip() for word in arguments.replace("\n", " ").split(",")]
            pairs = [f"{kind}|{name}" for kind, name in zip(words[::2], words[1::2], strict=False)]
            found[call].append("".join(letter(pair) for pair in pairs[:4]))
    return found


def letter(pair: str) -> str:
    """One argument, `type|name`."""
    if "*" in pair or "uptr" in pair:
        return "p"
    return "l" if pair == "int|addrlen" else "f" if DESCRIPTORS.search(pair) else "n"


def together(forms: list[str]) -> str:
    """One row for several definitions: what they agree on."""
    longest = max(forms, key=len)
    return "".join(
        kind if all(len(form) <= at or form[at] == kind for form in forms) else "n" for at, kind in enumerate(longest)
    )


def names(tree: Path) -> dict[str, dict[str, str]]:
    """Machine to call name to the name in the source."""
    found: dict[str, dict[str, str]] = {}
    for machine, (file, abis) in TABLES.items():
        calls = found[machine] = {}
        for line in (tree / file).read_text().splitlines():
            words = line.split()
            if len(words) > 3 and words[0].isdigit() and words[1] in abis and words[3] != "sys_ni_syscall":
                calls[words[2]] = words[3].removeprefix("sys_").removeprefix("ppc_").removeprefix("ppc64_")
    found["*"] = {}
    for form, name, entries in re.findall(
        r"__(SYSCALL|SC_\w+)\(__NR(?:3264)?_(\w+),([^)]*)\)", (tree / GENERIC).read_text()
    ):
        entry = entries.replace("\\", "").split(",")[form.endswith("3264")]  # that of 64 bits
        found["*"][name] = entry.strip().removeprefix("sys_")
    return found


def main() -> None:
    tree = Path(sys.argv[1])
    known = {call: together(forms) for call, forms in definitions(tree).items()}
    rows: dict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for machine, calls in names(tree).items():
        for call, entry in calls.items():
            letters = CLONE.get(machine, CLONE["*"]) if call == "clone" else known.get(entry, known.get(call))
            if letters is not None:
                rows[call][letters].append(machine)
    for call, letters in LATER.items():
        rows[call] = {letters: ["*"]}
    sys.stdout.write(HEADER)
    for call, forms in sorted(rows.items()):
        usual = next(
            (letters for letters, machines in forms.items() if "*" in machines), max(forms, key=lambda k: len(forms[k]))
        )
        for letters, machines in sorted(forms.items()):
            sys.stdout.write(f"{call}\t{letters}\t{'*' if letters == usual else ','.join(sorted(machines))}\n")


if __name__ == "__main__":
    main()
