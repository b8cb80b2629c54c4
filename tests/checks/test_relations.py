"""How checks relate to each other is data: a new check takes part with a module, a row, a case file and a page."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from auditlint.lint.registry import STAGES, all_checks

MODULE = '''"""AL298: a made-up mistake."""

from __future__ import annotations

from auditlint.checks.api import Fix, Hit, Hits, RulesContext, at_line, line_bytes, part


def check(context: RulesContext) -> Hits:
    for _, entry in context.on_list("exit"):
        text = line_bytes(entry)
        at = text.find(b"chmod -F auid=1234")
        if at >= 0:
            fix = Fix("unsafe", "Write fchmodat", (part(entry, at, at + 5, b"fchmodat"),))
            yield Hit(at_line(entry), "made-up mistake", (), fix)
'''
ROW = "AL298\tmade-up-mistake\trule\twarning\trules\t*\tunsafe\tno\t0.1.0\ta made-up mistake\tnone"
PAGE = "# AL298 made-up-mistake\n\n## What it reports\n\nMade up.\n"
CASE = '[[bad]]\nrules = "-a always,exit -F arch=b64 -S chmod -F auid=1234 -k x\\n"\nat = [1]\n'
SHADOWED = (
    "-a always,exit -F arch=b64 -S chmod -F auid=1234 -k x\n"
    "-a always,exit -F arch=b64 -S chmod -F auid=1234 -F auid!=unset -k x\n"
)
"""Two ways to write one rule: the second may be removed safely."""


def test_families_and_names_exist() -> None:
    names = {check.name for check in all_checks()}
    for check in all_checks():
        assert check.stage in STAGES, check.code
        assert names.issuperset(check.void_where), check.code


@pytest.mark.slow
def test_a_new_check_takes_part_in_all_relations(root: Path, tmp_path: Path) -> None:
    for name in ("auditlint", "grammars", "rulesets", "docs/checks"):
        shutil.copytree(root / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    (tmp_path / "tests/cases").mkdir(parents=True)
    (tmp_path / "a.rules").write_text("-D\n" + SHADOWED)
    (tmp_path / "off.config").write_text("# Linux/x86 6.1.0 Kernel Configuration\n# CONFIG_AUDIT is not set\n")

    def run(*words: str) -> str:
        environment = {**os.environ, "PYTHONPATH": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"}
        command = [sys.executable, "-m", "auditlint", *words]
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False)
        assert done.returncode in (0, 1), done.stderr
        return done.stdout

    def fixes(*words: str) -> dict[str, str | None]:
        report = json.loads(run("check", "--format", "json", *words, "a.rules"))
        return {found["code"]: (found.get("fix") or {}).get("level") for found in report["findings"]}

    quiet = ("--ignore", "AL4,AL6")
    assert fixes(*quiet)["AL303"] == "safe"

    (tmp_path / "auditlint/checks/rule/made_up_mistake.py").write_text(MODULE)
    (tmp_path / "tests/cases/AL298.toml").write_text(CASE)
    (tmp_path / "docs/checks/AL298.md").write_text(PAGE)
    table = tmp_path / "rulesets/checks.tsv"
    table.write_text(table.read_text(encoding="utf-8").replace("\nAL301\t", f"\n{ROW}\nAL301\t"), encoding="utf-8")

    # It casts doubt: what the rule was meant to be is not removed as superfluous, not even where it is not asked for.
    assert fixes(*quiet) == {**fixes(*quiet), "AL298": "unsafe", "AL303": "unsafe"}
    assert fixes("--select", "AL303") == {"AL303": "unsafe"}
    # It is void where the kernel takes no rule.
    assert "AL298" in run("advise", "--rules", "a.rules")
    void = run("advise", "--rules", "a.rules", "--config", "off.config")
    assert "AL871" in void
    assert "AL298" not in void
    # Its fix comes in the first stage: the missing twin (AL401) is made of the mended rule.
    mistaken = "-a always,exit -F arch=b64 -S chmod -F auid=1234 -k x\n"
    (tmp_path / "a.rules").write_text("-D\n" + mistaken)
    run("check", "--fix", "--unsafe-fixes", "--select", "AL298,AL401", "a.rules")
    lines = (tmp_path / "a.rules").read_text().splitlines()
    assert [line.partition(" -F auid")[0] for line in lines[1:]] == [
        "-a always,exit -F arch=b64 -S fchmodat",
        "-a always,exit -F arch=b32 -S fchmodat",
    ]
