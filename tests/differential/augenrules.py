"""The real augenrules, on private folders, under mawk or gawk."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

SCRIPT = Path("/usr/sbin/augenrules")
RELEASE = "3.0.9"
AWKS = ("mawk", "gawk")


def missing() -> str:
    """Why augenrules cannot run here; empty when it can."""
    if not SCRIPT.exists():
        return "augenrules is not installed (Debian package auditd)"
    absent = [awk for awk in AWKS if not shutil.which(awk)]
    return f"{', '.join(absent)} is not installed" if absent else ""


class Augenrules:
    """A copy of the script that reads and writes below `folder` only, and loads nothing."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.rules_d = folder / "rules.d"
        text = SCRIPT.read_text(encoding="utf-8")
        for there, here in (
            ("/etc/audit/audit.rules", folder / "audit.rules"),
            ("/etc/audit/rules.d", self.rules_d),
            ("/tmp/aurules", folder / "aurules"),
            ("/sbin/auditctl", "/bin/false"),
            ("/sbin/restorecon", "/nonexistent"),
        ):
            assert there in text, there
            text = text.replace(there, str(here))
        self.script = folder / "augenrules"
        self.script.write_text(text, encoding="utf-8")
        for awk in AWKS:
            (folder / awk).mkdir()
            (folder / awk / "awk").symlink_to(str(shutil.which(awk)))

    def merge(self, files: dict[str, bytes], awk: str) -> bytes:
        """What the script writes for a rules.d with these files; its first line is ours again."""
        shutil.rmtree(self.rules_d, ignore_errors=True)
        self.rules_d.mkdir()
        for name, data in files.items():
            (self.rules_d / name).write_bytes(data)
        target = self.folder / "audit.rules"
        target.unlink(missing_ok=True)
        environment = {"PATH": f"{self.folder / awk}:/usr/bin:/bin", "LC_ALL": "C"}
        subprocess.run(
            ["/bin/sh", str(self.script)], env=environment, stdin=subprocess.DEVNULL, capture_output=True, check=False,
            cwd=self.folder, timeout=60,
        )  # fmt: skip
        return target.read_bytes().replace(os.fsencode(self.rules_d), b"/etc/audit/rules.d", 1)
