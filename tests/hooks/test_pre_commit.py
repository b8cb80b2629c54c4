"""The hooks with the real pre-commit, on a small repository made here: installed as a user would, from a Git address.

Needs git, pre-commit and the package index that pip uses (the hook's environment is built with pip).
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

pytestmark = [pytest.mark.slow, pytest.mark.real]

BAD = "CONFIG_NET=y\nCONFIG_SECURITY=y\nCONFIG_SECURITY_APPARMOR=y\n# CONFIG_AUDIT is not set\n"
GOOD = "CONFIG_NET=y\nCONFIG_AUDIT=y\nCONFIG_SECURITY=y\nCONFIG_SECURITY_APPARMOR=y\n"
BAD_RULES = "-D\n-a always,exit -F arch=b64 -S opn -k files\n-w /etc/passwd -p wa -k identity\n"
GOOD_RULES = "-D\n-w /etc/passwd -p wa -k identity\n"


def _program() -> str | None:
    beside = Path(sys.executable).parent / "pre-commit"
    return str(beside) if beside.exists() else shutil.which("pre-commit")


@pytest.fixture(scope="module")
def tools(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """How to call git and pre-commit: without the user's settings, with a cache of its own."""
    program = _program()
    if program is None or shutil.which("git") is None:
        pytest.skip("pre-commit or git is not installed")
    home = tmp_path_factory.mktemp("pre-commit")
    (home / "gitconfig").write_text("[user]\nname = T\nemail = t@example.org\n[init]\ndefaultBranch = main\n")
    environment = {
        **{name: value for name, value in os.environ.items() if not name.startswith(("GIT_", "PRE_COMMIT"))},
        "PRE_COMMIT_HOME": str(home / "cache"),
        "GIT_CONFIG_GLOBAL": str(home / "gitconfig"),
        "GIT_CONFIG_NOSYSTEM": "1",
        "PRE_COMMIT_COLOR": "never",
    }
    environment.pop("PYTHONPATH", None)

    def call(where: Path, *words: str, check: bool = True) -> subprocess.CompletedProcess[str]:
        command = [program, *words[1:]] if words[0] == "pre-commit" else list(words)
        done = subprocess.run(command, cwd=where, env=environment, capture_output=True, text=True, check=False)
        assert not check or done.returncode == 0, done.stdout + done.stderr
        return done

    return call


@pytest.fixture(scope="module")
def hooks(tools: Any, root: Path, tmp_path_factory: pytest.TempPathFactory) -> Any:
    """A Git repository with the files of the checkout as they are now, committed or not."""
    listed = subprocess.run(
        ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        cwd=root, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if listed.returncode != 0:
        pytest.skip("the checkout is no Git repository")
    place = tmp_path_factory.mktemp("hooks")
    for name in filter(None, listed.stdout.split("\0")):
        if (root / name).is_file():
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(root / name, place / name)
    tools(place, "git", "init", "-q")
    tools(place, "git", "add", "-A")
    tools(place, "git", "commit", "-q", "-m", "hooks")
    return place, tools(place, "git", "rev-parse", "HEAD").stdout.strip()


@pytest.fixture
def repository(tools: Any, hooks: Any, tmp_path: Path) -> Any:
    """A user's repository with both hooks set up and one configuration and one rule file, both bad."""
    place, revision = hooks
    (tmp_path / "arch/arm64/configs").mkdir(parents=True)
    (tmp_path / "arch/arm64/configs/appliance_defconfig").write_text(BAD)
    (tmp_path / "audit/rules.d").mkdir(parents=True)
    (tmp_path / "audit/rules.d/10-base.rules").write_text(BAD_RULES)
    (tmp_path / "README").write_text("neither\n")
    (tmp_path / ".pre-commit-config.yaml").write_text(
        f"repos:\n- repo: file://{place}\n  rev: {revision}\n  hooks:\n"
        "  - id: auditlint-kconfig\n    args: [--kernel, '6.1']\n  - id: auditlint-rules\n"
    )
    tools(tmp_path, "git", "init", "-q")
    tools(tmp_path, "git", "add", "-A")
    return tmp_path


def test_bad_files_are_refused_and_good_ones_pass(tools: Any, repository: Any) -> None:
    tools(repository, "pre-commit", "install")
    refused = tools(repository, "git", "commit", "-m", "first", check=False)
    said = refused.stdout + refused.stderr
    assert refused.returncode == 1, said
    assert "arch/arm64/configs/appliance_defconfig:4:1: warning:" in said
    assert "AL805 forced-by-select" in said
    assert "audit/rules.d/10-base.rules:2:" in said
    assert "README" not in said

    (repository / "arch/arm64/configs/appliance_defconfig").write_text(GOOD)
    (repository / "audit/rules.d/10-base.rules").write_text(GOOD_RULES)
    tools(repository, "git", "add", "-A")
    accepted = tools(repository, "git", "commit", "-m", "first", check=False)
    said = accepted.stdout + accepted.stderr
    assert accepted.returncode == 0, said
    assert said.count("Passed") == 2


def test_only_matching_files_are_looked_at(tools: Any, repository: Any) -> None:
    done = tools(repository, "pre-commit", "run", "--files", "README", check=False)
    assert done.returncode == 0
    assert done.stdout.count("Skipped") == 2


def test_two_hooks_for_two_architectures(tools: Any, hooks: Any, root: Path, repository: Any) -> None:
    """The example of the page: a hook for each architecture, for files that no hook looks at by itself."""
    place, revision = hooks
    page = (root / "docs/pre-commit.md").read_text(encoding="utf-8")
    blocks = [block.partition("```")[0] for block in page.split("```yaml\n")[1:]]
    example = next(block for block in blocks if "config-arm64" in block)
    config = f"repos:\n- repo: file://{place}\n  rev: {revision}\n{example}"
    (repository / ".pre-commit-config.yaml").write_text(config)
    for name in ("config-arm64", "arm64.cfg", "config-amd64"):
        (repository / name).write_text(BAD)
    tools(repository, "git", "add", "-A")
    said = tools(repository, "pre-commit", "run", "--all-files", check=False).stdout
    for name, arch in (("config-arm64", "arm64"), ("arm64.cfg", "arm64"), ("config-amd64", "x86_64")):
        assert f"\n{name}:4:1: warning: AUDIT=n has no effect in Linux 6.1 on {arch}" in said
    assert "appliance_defconfig" not in said


def test_try_repo(tools: Any, hooks: Any, repository: Any) -> None:
    """What someone does who has not set up anything yet."""
    done = tools(
        repository, "pre-commit", "try-repo", str(hooks[0]), "auditlint-kconfig", "--all-files", check=False
    )  # fmt: skip
    assert done.returncode == 1
    assert "AL805 forced-by-select" in done.stdout
