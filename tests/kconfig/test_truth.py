"""Evaluations against what the kernels' own configuration program gave for the same input.

`python -m tests.kconfig.compare_truth` prints the same figures for every file, with each difference.
"""

import io
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from auditlint.core.source import Source
from auditlint.kconfig.config_file import read_config
from auditlint.kconfig.evaluate import Evaluator
from auditlint.kconfig.tree import Tree
from tests.kconfig import compare_truth

SOURCES = Path(os.environ.get("AUDITLINT_LINUX", "/usr/src/linux-source-6.1"))
"""Debian's linux-source-6.1, unpacked (all of it, or what `.ci/run` unpacks)."""

needs_sources = pytest.mark.skipif(not (SOURCES / "Kconfig").is_file(), reason="linux-source-6.1 is not unpacked here")


def compared(shared: Path, name: Any, trees: Any = None) -> Any:
    """(score, list of differences)."""
    folder = shared / "kconfig"
    configs = {"6.1": str(SOURCES)} if (SOURCES / "Kconfig").is_file() else {}
    inputs = compare_truth.Inputs(configs, Path("/usr/src"))
    fragments = json.loads((folder / "fragments.json").read_text(encoding="utf-8"))
    out = io.StringIO()
    score = compare_truth.compare(folder / name, Evaluator(), inputs, fragments, trees or {}, False, out)
    return score, [line for line in out.getvalue().splitlines() if "recorded" in line]


def share(score: Any, kind: Any, group: Any) -> Any:
    values = score[f"{kind} {group} values"]
    return 1 - score[f"{kind} {group} wrong"] / values if values else 1.0


@pytest.mark.shared
@pytest.mark.slow
@pytest.mark.parametrize("line", ["5.10", "6.1", "6.12", "7.3"])
def test_defconfigs_and_all_targets(shared: Path, line: str) -> None:
    score, found = compared(shared, f"truth-{line}.jsonl")
    assert [text for text in found if "[real]" in text] == []
    # Of a defconfig that is not here only the recorded symbols are known; the rest of it decides some values.
    assert share(score, "explicit", "audit") >= 0.985, found
    assert share(score, "explicit", "lsm") >= 0.995, found
    assert share(score, "explicit", "other") >= 0.975, found


@pytest.mark.shared
@pytest.mark.slow
@pytest.mark.parametrize("line", ["5.10", "6.1", "6.12", "7.3"])
def test_fragments_with_what_is_dropped(shared: Path, line: str) -> None:
    score, found = compared(shared, f"fragments-{line}.jsonl.gz")
    assert score["real rows"] > 800
    assert found == []


@pytest.mark.shared
@pytest.mark.slow
@pytest.mark.parametrize(
    "line", ["2.6.32", "3.1", "3.10", "3.18", "4.4", "4.5", "4.9", "4.14", "4.19", "5.4", "5.15", "6.6"]
)
def test_older_lines(shared: Path, line: str) -> None:
    score, found = compared(shared, f"derived-{line}.jsonl.gz")
    assert share(score, "explicit", "audit") >= 0.985, found
    assert share(score, "explicit", "lsm") >= 0.995, found


@pytest.mark.shared
def test_distribution_configurations(shared: Path) -> None:
    _, found = compared(shared, "truth-debian.jsonl")
    assert [text for text in found if "[real]" in text] == []
    audit = [text for text in found if " AUDIT" in text or " SECURITY_" in text]
    assert audit == []


@pytest.mark.shared
@pytest.mark.slow
@pytest.mark.real
@needs_sources
@pytest.mark.parametrize("name", ["truth-6.1.jsonl", "fragments-6.1.jsonl.gz"])
def test_with_the_tree(shared: Path, name: str) -> None:
    _, found = compared(shared, name, {"6.1": Tree(str(SOURCES))})
    assert [text for text in found if "[real]" in text] == []


@pytest.mark.slow
@pytest.mark.real
@needs_sources
def test_the_slice_the_cone_and_the_whole_tree_agree_on_every_defconfig() -> None:
    """Needs no reference data: the whole tree is the reference for every in-tree defconfig of some architectures."""
    tree = Tree(str(SOURCES))
    whole, some = Evaluator(full_tree=True), Evaluator()
    for arch in ("x86", "arm", "arm64", "s390", "riscv", "sparc"):
        for path in sorted((SOURCES / "arch" / arch / "configs").glob("*defconfig")):
            file = read_config(Source(str(path), path.read_bytes()), kernel="6.1")
            wanted = {n: v.value for n, v in whole.evaluate([file], "6.1", arch, tree=tree).symbols.items()}
            for found in (some.evaluate([file], "6.1", arch, tree=tree), some.evaluate([file], "6.1", arch)):
                got = {n: v.value for n, v in found.symbols.items()}
                assert got == wanted, (path, found.source)


@pytest.mark.slow
@pytest.mark.real
@needs_sources
def test_the_embedded_definitions_are_those_of_the_tree(root: Path, tmp_path: Path) -> None:
    """What `tools/kconfig_slices` writes from the tree today, for two architectures."""
    made = tmp_path / "6.1.kconfig"
    words = ["--line", "6.1", "--tree", str(SOURCES), "--only", "arm64", "riscv", "--output", str(made)]
    subprocess.run([sys.executable, "-m", "tools.kconfig_slices", *words], cwd=root, check=True, capture_output=True)
    kept, new = blocks(root / "rulesets/kconfig/6.1.kconfig"), blocks(made)
    for arch in ("arm64", "riscv"):
        assert new[arch], arch
        assert new[arch] == kept[arch], arch


def blocks(path: Any) -> Any:
    """The definitions of each architecture in a slice."""
    text = path.read_text(encoding="utf-8")
    head = re.search(r"^#! (.*)$", text, re.MULTILINE)
    assert head is not None
    everywhere = head[1].split()
    found: dict[Any, Any] = {arch: set() for arch in everywhere}
    for arches, body in re.findall(r"^#@ (.*)\n((?:(?!#@ ).*\n)*)", text, re.MULTILINE):
        for arch in everywhere if arches == "*" else arches.split():
            found[arch].update(re.split(r"\n(?=config |choice\b|endchoice)", body.strip("\n")))
    return found
