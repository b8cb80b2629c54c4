"""The floors of the package: imports point down only, no circle of files. `docs/architecture.md` shows the floors."""

import ast
import re
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = "auditlint"
PAGE = ROOT / "docs/architecture.md"
FLOOR = re.compile(r"^(?P<rooms>[a-z]+(?:, [a-z]+)*)  +(?P<text>\S.*)$")


def floors() -> list[list[str]]:
    """The floors of the page, the top one first; the rooms of one floor do not see each other."""
    page = PAGE.read_text(encoding="utf-8")
    block = re.search(r"^```text\n# floors.*?\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    assert block, "docs/architecture.md shows no floors"
    rows = [FLOOR.match(line) for line in block[1].splitlines()]
    assert all(rows), block[1]
    return [row["rooms"].split(", ") for row in rows if row]


def modules(root: Path) -> dict[str, Path]:
    """Every module below a folder by its dotted name."""
    names = {}
    for path in sorted(root.rglob("*.py")):
        parts = path.relative_to(root.parent).with_suffix("").parts
        names[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return names


def imports(name: str, path: Path, known: dict[str, Path]) -> set[str]:
    """The modules of the package that a module imports, wherever the import stands: at the top, in a function, under
    TYPE_CHECKING, or as a name handed to `import_module`."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    imported: set[Any] = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            imported.update(alias.name for alias in node.names if alias.name in known)
        elif isinstance(node, ast.ImportFrom):
            base = node.module or ""
            if node.level:
                above = package.split(".")
                above = above[: len(above) - node.level + 1]
                base = ".".join([*above, *([node.module] if node.module else [])])
            for alias in node.names:
                whole = f"{base}.{alias.name}"
                imported.update(each for each in (whole if whole in known else base,) if each in known)
    return imported - {name}


def room(name: str) -> str:
    """The folder of a module; the package itself and its entry point stand above all floors."""
    parts = name.split(".")
    return parts[1] if len(parts) > 1 and parts[1] != "__main__" else ""


def arrows_up(graph: dict[str, set[str]], order: list[list[str]]) -> list[str]:
    """The imports that do not point down: to a higher floor, or to another room of the same one."""
    level = {name: number for number, rooms in enumerate(order) for name in rooms}
    return [
        f"{name} imports {other}"
        for name, others in graph.items()
        for other in sorted(others)
        if room(name) and room(other) and room(name) != room(other) and level[room(other)] <= level[room(name)]
    ]


def circles(graph: dict[str, set[str]]) -> list[list[str]]:
    """The groups of modules that import each other, found by taking away what imports nothing that is left."""
    left = {name: {other for other in others if other in graph} for name, others in graph.items()}
    changed = True
    while changed:
        changed = False
        for name in [name for name, others in left.items() if not others & left.keys()]:
            del left[name]
            changed = True
        users = set().union(*left.values()) if left else set()
        for name in [name for name in left if name not in users]:
            del left[name]
            changed = True
    return [sorted(left)] if left else []


def graph_of(root: Path) -> dict[str, set[str]]:
    known = modules(root)
    return {name: imports(name, path, known) for name, path in known.items()}


def test_every_folder_has_a_floor() -> None:
    folders = {path.name for path in (ROOT / PACKAGE).iterdir() if path.is_dir() and path.name != "__pycache__"}
    named = [name for rooms in floors() for name in rooms]
    assert sorted(named) == sorted(folders)


def test_nothing_is_loose_at_the_top() -> None:
    assert {path.name for path in (ROOT / PACKAGE).glob("*.py")} == {"__init__.py", "__main__.py"}


def test_no_arrow_runs_up() -> None:
    assert arrows_up(graph_of(ROOT / PACKAGE), floors()) == []


def test_no_circle_of_files() -> None:
    graph = graph_of(ROOT / PACKAGE)
    assert circles(graph) == []


@pytest.mark.parametrize(
    ("below", "above", "ups", "rings"),
    [
        ("import pkg.b.y\n", "", 1, 0),
        ("def f():\n    from pkg.b import y\n", "", 1, 0),
        ("if False:\n    from pkg.b.y import Z\n", "", 1, 0),
        ("from ..b import y\n", "import pkg.a.x\n", 1, 1),
        ("", "from pkg.a.x import W\n", 0, 0),
    ],
)
def test_the_test_sees_faults(tmp_path: Path, below: str, above: str, ups: int, rings: int) -> None:
    """Each form of an import that runs up, and a circle, in a package of two floors: b above a."""
    for name, text in (("a/x.py", below), ("b/y.py", above), ("a/__init__.py", ""), ("b/__init__.py", "")):
        (tmp_path / "pkg" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "pkg" / name).write_text(text)
    graph = graph_of(tmp_path / "pkg")
    assert len(arrows_up(graph, [["b"], ["a"]])) == ups
    assert len(circles(graph)) == rings
