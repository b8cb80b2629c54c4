"""A package with other data: the code of this checkout, and a copy of `rulesets/` and `grammars/` to change."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


class PackageCopy:
    """The code is linked, the data are copied; `run` starts the command line of the copy."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "auditlint").symlink_to(ROOT / "auditlint", target_is_directory=True)
        for name in ("rulesets", "grammars"):
            shutil.copytree(ROOT / name, folder / name)
        (folder / "docs").mkdir()
        (folder / "docs" / "checks").symlink_to(ROOT / "docs" / "checks", target_is_directory=True)

    def rows(self, table: str) -> list[str]:
        """The lines of a table below `rulesets/`, comments included."""
        return (self.folder / "rulesets" / table).read_text().splitlines()

    def write(self, table: str, lines: list[str]) -> None:
        """Replace a table below `rulesets/`."""
        (self.folder / "rulesets" / table).write_text("\n".join(lines) + "\n")

    def run(self, *arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
        """`auditlint ARGUMENTS` with the data of the copy."""
        return self.python("-m", "auditlint", *arguments, stdin=stdin)

    def python(self, *arguments: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
        """The interpreter with the package of the copy."""
        environment = {**os.environ, "PYTHONPATH": str(self.folder), "PYTHONDONTWRITEBYTECODE": "1"}
        return subprocess.run(
            [sys.executable, *arguments],
            input=stdin,
            capture_output=True,
            text=True,
            cwd=self.folder,
            env=environment,
            check=False,
            timeout=120,
        )
