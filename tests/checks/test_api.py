"""The names that checks import from one place (`auditlint/checks/api.py`)."""

import ast
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from auditlint.checks import api

ROOT = Path(__file__).resolve().parent.parent.parent


def names_for_mypy() -> dict[str, str]:
    """Name to home as the type checker reads them: the imports under TYPE_CHECKING."""
    tree = ast.parse((ROOT / "auditlint/checks/api.py").read_text(encoding="utf-8"))
    block = next(node for node in tree.body if isinstance(node, ast.If) and getattr(node.test, "id", None) is not None)
    return {
        alias.name: node.module.removeprefix("auditlint.")
        for node in block.body
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("auditlint.")
        for alias in node.names
    }


def test_the_type_checker_sees_what_runs() -> None:
    assert names_for_mypy() == api._HOME_OF
    assert sorted(api.__all__) == sorted({*api._HOME_OF, "Hits"})


@pytest.mark.parametrize("name", api.__all__)
def test_a_name_is_the_object_of_its_home(name: Any) -> None:
    if name != "Hits":
        home = __import__(f"auditlint.{api._HOME_OF[name]}", fromlist=[name])
        assert getattr(api, name) is getattr(home, name)


def test_a_wrong_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        getattr(api, "nothing")  # noqa: B009 - mypy knows that it is not there


def test_importing_it_loads_no_home() -> None:
    code = (
        "import sys; import auditlint.checks.api; print(*sorted(m for m in sys.modules if m.startswith('auditlint')))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["auditlint", "auditlint.checks", "auditlint.checks.api"]


def test_no_check_imports_past_it() -> None:
    """What it offers comes from it in every check: one way to write an import."""
    homes = {(f"auditlint.{home}", name) for name, home in api._HOME_OF.items()}
    past = [
        f"{path.relative_to(ROOT)}:{node.lineno}: {alias.name}"
        for path in sorted((ROOT / "auditlint/checks").glob("*/*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
        if (node.module, alias.name) in homes
    ]
    assert past == []
