"""The GitHub action and the GitLab template: their own scripts, run as the CI runs them."""

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent


@pytest.fixture
def environment(tmp_path: Path) -> Any:
    """A PATH on which `auditlint` is this checkout."""
    folder = tmp_path / "bin"
    folder.mkdir()
    program = folder / "auditlint"
    paths = f"PYTHONPATH={shlex.quote(str(ROOT))} PYTHONDONTWRITEBYTECODE=1"
    program.write_text(f'#!/bin/sh\n{paths} exec {shlex.quote(sys.executable)} -m auditlint "$@"\n')
    program.chmod(0o755)
    kept = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
    return {**kept, "PATH": f"{folder}:{os.environ['PATH']}", "HOME": str(tmp_path), "LC_ALL": "C.UTF-8"}


def steps_of_action() -> Any:
    """The scripts of action.yml, in order; it is simple enough to be read by lines."""
    text = (ROOT / "action.yml").read_text(encoding="utf-8")
    blocks = re.findall(r"      run: (?:\|\n((?:        .*\n)+)|(.*)\n)", text)
    return [block or line for block, line in blocks]


def test_action_checks(tmp_path: Path, environment: Any) -> None:
    """The second step, with the program where the first one installs it; inputs are data, not shell."""
    target = tmp_path / "auditlint/bin"
    target.mkdir(parents=True)
    (target / "auditlint").symlink_to(tmp_path / "bin/auditlint")
    install, check = steps_of_action()
    assert "pip" in install
    (tmp_path / "a.rules").write_text("-D\n-a always,exit -F arch=b64 -S openatt -k x\n")
    variables = {"RUNNER_TEMP": str(tmp_path), "SARIF": "o.sarif", "OPTIONS": "--no-config --kernel 6.1"}
    run = ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", check]
    for paths, status in (("a.rules", 1), ("$(touch${IFS}pwned) a.rules", 2)):
        done = subprocess.run(
            run,
            cwd=tmp_path,
            env={**environment, **variables, "PATHS": paths},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == status, done.stderr
        assert (status == 2) or done.stdout.startswith("::error file=a.rules,line=2,")
    assert json.loads((tmp_path / "o.sarif").read_text())["runs"][0]["results"]
    assert not (tmp_path / "pwned").exists()


def test_gitlab_template_checks(tmp_path: Path, environment: Any) -> None:
    text = (ROOT / "examples/gitlab-ci.yml").read_text(encoding="utf-8")
    (command,) = re.findall(r"    - (auditlint check .*)\n", text)
    (tmp_path / "rules.d").mkdir()
    (tmp_path / "rules.d/a.rules").write_text("-D\n-a always,exit -F arch=b64 -S openatt -k x\n")
    variables = {"AUDITLINT_PATHS": "rules.d", "AUDITLINT_OPTIONS": "--kernel 6.1"}
    done = subprocess.run(
        ["sh", "-c", command],
        cwd=tmp_path,
        env={**environment, **variables},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    assert json.loads((tmp_path / "gl-code-quality.json").read_text())
    assert "<testsuites" in (tmp_path / "auditlint.xml").read_text()
    for name in re.findall(r"      (?:codequality|junit): (\S+)", text):
        assert (tmp_path / name).exists()
