"""The integrations of docs/pipelines, done as the pages say with the real programs: built once as shown, once with a
misspelt rule, which must stop the build with the line shown."""

import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent.parent
NEEDS = {"debian": "dh", "rpm": "rpmbuild", "image": "sh", "ansible": "ansible-playbook"}
MADE = {"debian": "../*.deb", "rpm": "build/RPMS/noarch/*.rpm", "image": "kernel.config", "ansible": "50-site.rules"}


@pytest.fixture
def environment(tmp_path):
    """A PATH on which `auditlint` is this checkout."""
    folder = tmp_path / "bin"
    folder.mkdir()
    program = folder / "auditlint"
    # The builds clear the environment; bytecode must not come to lie in the checkout.
    paths = f"PYTHONPATH={shlex.quote(str(ROOT))} PYTHONDONTWRITEBYTECODE=1"
    program.write_text(f'#!/bin/sh\n{paths} exec {shlex.quote(sys.executable)} -m auditlint "$@"\n')
    program.chmod(0o755)
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("DEB_", "DH_", "PYTHON"))}
    kept["ANSIBLE_PYTHON_INTERPRETER"] = sys.executable
    return {**kept, "PATH": f"{folder}:{os.environ['PATH']}", "HOME": str(tmp_path), "LC_ALL": "C.UTF-8"}


def build(folder, text, environment):
    for name, content in re.findall(r"```\w+ file=(\S+)\n(.*?)```", text, re.S):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
    (commands,) = re.findall(r"```sh run\n(.*?)```", text, re.S)
    return subprocess.run(
        ["sh", "-e", "-c", commands], cwd=folder, env=environment, capture_output=True, text=True, check=False
    )


@pytest.mark.slow
@pytest.mark.real
@pytest.mark.parametrize("name", NEEDS)
def test_page(name, tmp_path, environment):
    if shutil.which(NEEDS[name]) is None:
        pytest.skip(f"{NEEDS[name]} is not installed")
    text = (ROOT / f"docs/pipelines/{name}.md").read_text(encoding="utf-8")
    folder = tmp_path / "good/site"
    folder.mkdir(parents=True)
    done = build(folder, text, environment)
    assert done.returncode == 0, done.stdout + done.stderr
    assert list(folder.glob(MADE[name])) or list(folder.parent.glob(MADE[name].removeprefix("../")))
    if name == "image":
        assert re.fullmatch(r"auditlint advise: \d+ errors, \d+ warnings, \d+ advice", done.stdout.splitlines()[-1])
    folder = tmp_path / "bad/site"
    folder.mkdir(parents=True)
    ((word, shown),) = re.findall(r"```text fails=(\w+)\n(.*?)\n```", text, re.S)
    done = build(folder, text.replace("-S open,openat ", f"-S open,{word} "), environment)
    assert done.returncode != 0
    assert shown in done.stdout + done.stderr
    if name != "image":
        assert not list(folder.glob(MADE[name])) + list(folder.parent.glob("*.deb"))


def steps_of_action():
    """The scripts of action.yml, in order; it is simple enough to be read by lines."""
    text = (ROOT / "action.yml").read_text(encoding="utf-8")
    blocks = re.findall(r"      run: (?:\|\n((?:        .*\n)+)|(.*)\n)", text)
    return [block or line for block, line in blocks]


def test_action_checks(tmp_path, environment):
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


def test_gitlab_template_checks(tmp_path, environment):
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
