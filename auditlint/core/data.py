"""Where the grammar and the facts are found: in a wheel or a zip file inside the package, in a checkout beside it."""

from __future__ import annotations

import os

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import Any

_PACKAGE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
_OUTSIDE = {"pages": os.path.join("docs", "checks")}
_LOADER: Any = __spec__.loader
_IN_ZIP = hasattr(_LOADER, "archive")
"""auditlint.pyz: the loader of zipimport gives the bytes of any member."""


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
    """The text of a shipped file; FileNotFoundError when there is none of this name."""
    if _IN_ZIP:
        try:
            text: str = _LOADER.get_data(os.path.join(_PACKAGE, name)).decode()
        except OSError:
            raise FileNotFoundError(name) from None
        return text
    with open(data_path(name), "rb", buffering=0) as file:
        return file.readall().decode()


def list_names(folder: str) -> list[str]:
    """The names in a folder of shipped files such as `rulesets/profiles`."""
    if not _IN_ZIP:
        return os.listdir(data_path(folder))
    from zipfile import ZipFile

    above = os.path.relpath(os.path.join(_PACKAGE, folder), _LOADER.archive).replace(os.sep, "/") + "/"
    with ZipFile(_LOADER.archive) as archive:
        inside = [name.removeprefix(above) for name in archive.namelist() if name.startswith(above)]
    return [name for name in inside if "/" not in name]


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
