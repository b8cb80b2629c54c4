"""Build hook: completions and man pages are generated into the wheel (below share/) and the sdist (below shell/)."""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class ShellFiles(BuildHookInterface):
    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        self.folder = Path(tempfile.mkdtemp(prefix="auditlint-build."))
        if version == "editable":
            return
        sys.path.insert(0, self.root)
        try:
            from tools.shell_files import files

            found = files()
        finally:
            sys.path.remove(self.root)
        for place, text in found.items():
            path = self.folder / place
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
            if self.target_name == "wheel":
                build_data["shared_data"][str(path)] = place
            else:
                build_data["force_include"][str(path)] = f"shell/{place}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)
