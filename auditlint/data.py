"""Where the grammar and the facts are found: in a wheel inside the package, in a checkout beside it."""

from __future__ import annotations

import os.path

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

_PACKAGE = os.path.dirname(os.path.abspath(__file__))
_OUTSIDE = {"pages": os.path.join("docs", "checks")}


def data_path(name: str) -> str:
    """Path of a shipped file such as `rulesets/errno.tsv`, `grammars/rule.lark` or `pages/AL101.md`.

    Raises FileNotFoundError when the file is in neither place.
    """
    inside = os.path.join(_PACKAGE, name)
    if os.path.exists(inside):
        return inside
    room, _, rest = name.partition("/")
    outside = os.path.join(os.path.dirname(_PACKAGE), _OUTSIDE.get(room, room), rest)
    if os.path.exists(outside):
        return outside
    raise FileNotFoundError(name)


def read_text(name: str) -> str:
    """The text of a shipped file."""
    with open(data_path(name), encoding="utf-8") as file:
        return file.read()


def rows(name: str) -> Iterator[list[str]]:
    """The rows of a tab-separated table in `rulesets/`; lines that start with `#` are comments.

    A cell keeps its text; missing cells at the end of a row are missing.
    """
    for line in read_text("rulesets/" + name).split("\n"):
        if line and not line.startswith("#"):
            yield line.split("\t")


def load_toml(name: str) -> dict[str, Any]:
    """A TOML file of `rulesets/`, parsed."""
    return parse_toml(read_text("rulesets/" + name))


def parse_toml(text: str) -> dict[str, Any]:
    """TOML text to a dictionary; raises ValueError on bad text, also for one that is nested too deeply to be read."""
    try:
        import tomllib
    except ModuleNotFoundError:  # Python 3.10
        import tomli as tomllib  # type: ignore[import-not-found,no-redef,unused-ignore]
    try:
        parsed: dict[str, Any] = tomllib.loads(text)
    except RecursionError:
        raise ValueError("nested too deeply") from None
    return parsed
