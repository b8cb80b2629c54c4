"""The emulated machine: one processor whose clock advances by one tick per instruction."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from auditlint.core.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tools.laboratory.kernels import Kernel

EMULATORS = {"x86_64": "qemu-system-x86_64", "aarch64": "qemu-system-aarch64"}
COUNTING = ["-icount", "shift=0,sleep=off"]
BOARDS = {
    "x86_64": [],
    # 1 GHz: one tick of the timer is one instruction, as on x86_64.
    "aarch64": ["-M", "virt,gic-version=3", "-cpu", "max,cntfrq=1000000000,pauth-impdef=on"],
}
CONSOLES = {"x86_64": "ttyS0", "aarch64": "ttyAMA0"}
PLAIN = "mitigations=off nokaslr norandmaps"


def missing(machine: str = "x86_64") -> str:
    """Why the laboratory cannot run here; empty when it can."""
    program = EMULATORS[machine]
    return "" if shutil.which(program) else f"{program} is not installed"


def boot(kernel: Kernel, initramfs: bytes, arguments: str, limit: float, kvm: bool = False) -> Iterator[str]:
    """The lines that the guest prints, up to its end.

    `arguments` are added to the kernel command line; `limit` is in seconds. With `kvm` the guest runs on the host's
    processor and counts ticks of its clock instead of instructions. UserError when QEMU is absent, fails, or takes
    too long.
    """
    reason = missing(kernel.machine)
    if reason:
        raise UserError(f"{reason}: the laboratory needs QEMU")
    with tempfile.TemporaryDirectory(prefix="auditlint-laboratory.") as folder:
        archive = Path(folder) / "initramfs"
        archive.write_bytes(initramfs)
        line = f"console={CONSOLES[kernel.machine]} quiet loglevel=1 panic=-1 {arguments}"
        command = [
            EMULATORS[kernel.machine],
            *BOARDS[kernel.machine],
            "-nodefaults",
            "-no-user-config",
            "-display",
            "none",
        ]
        command += ["-m", "512", "-smp", "1", "-serial", "stdio", "-no-reboot"]
        command += ["-enable-kvm", "-cpu", "host"] if kvm else COUNTING
        command += ["-kernel", str(kernel.image), "-initrd", str(archive), "-append", line]
        try:
            done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, timeout=limit, check=False)
        except subprocess.TimeoutExpired:
            raise UserError(f"the guest did not finish within {limit:.0f} seconds") from None
        except OSError as error:
            raise UserError(f"{command[0]}: {error.strerror}") from None
    lines = done.stdout.decode("utf-8", "replace").replace("\r", "").splitlines()
    if "end of plan" not in lines:
        last = [*done.stderr.decode("utf-8", "replace").splitlines(), *lines][-3:]
        raise UserError("the guest ended early: " + " / ".join(last))
    yield from lines
