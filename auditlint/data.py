"""Where the grammar and the facts are found: in a wheel inside the package, in a checkout beside it."""

from __future__ import annotations

from pathlib import Path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

_PACKAGE = Path(__file__).resolve().parent
_OUTSIDE = {"pages": "docs/checks"}


def data_path(name: str) -> Path:
    """Path of a shipped file such as `rulesets/errno.tsv`, `grammars/rule.lark` or `pages/AL101.md`.

    Raises FileNotFoundError when the file is in neither place.
    """
    inside = _PACKAGE / name
    if inside.exists():
        return inside
    room, _, rest = name.partition("/")
    outside = _PACKAGE.parent / _OUTSIDE.get(room, room) / rest
    if outside.exists():
        return outside
    raise FileNotFoundError(name)


def rows(name: str) -> Iterator[list[str]]:
    """The rows of a tab-separated table in `rulesets/`; lines that start with `#` are comments.

    A cell keeps its text; missing cells at the end of a row are missing.
    """
    for line in data_path("rulesets/" + name).read_text(encoding="utf-8").split("\n"):
        if line and not line.startswith("#"):
            yield line.split("\t")


def load_toml(name: str) -> dict[str, Any]:
    """A TOML file of `rulesets/`, parsed."""
    return parse_toml(data_path("rulesets/" + name).read_text(encoding="utf-8"))


def parse_toml(text: str) -> dict[str, Any]:
    """TOML text to a dictionary; raises ValueError (TOMLDecodeError) on bad text."""
    try:
        import tomllib
    except ModuleNotFoundError:  # Python 3.10
        import tomli as tomllib  # type: ignore[import-not-found,no-redef,unused-ignore]
    parsed: dict[str, Any] = tomllib.loads(text)
    return parsed
