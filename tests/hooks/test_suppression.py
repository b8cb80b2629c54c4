"""A comment in a configuration excuses the line that says no, which is itself written as a comment."""

from pathlib import Path

import pytest

from auditlint.cli import main as cli

TEXT = """CONFIG_NET=y
CONFIG_SECURITY=y
CONFIG_SECURITY_APPARMOR=y
# auditlint: ignore[AL805] shared with a kernel of 4.4
# CONFIG_AUDIT is not set
"""


def test_suppression_of_a_line_that_says_no(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "x_defconfig"
    path.write_text(TEXT)
    assert cli.run(["check", "--no-config", "--kernel", "6.1", "--ignore", "AL813", str(path)]) == 0
    assert "1 suppressed" in capfd.readouterr().out
