"""Settings: `auditlint.toml`, or `[tool.auditlint]` in `pyproject.toml`. Reading text only; finding files is the
command line's work."""

from __future__ import annotations

from auditlint.core.errors import UserError
from auditlint.core.findings import SEVERITIES
from auditlint.core.frozen import dataclass, field
from auditlint.core.near_miss import did_you_mean

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

    from auditlint.core.findings import Severity


@dataclass(frozen=True, slots=True)
class PathSettings:
    """What counts for files whose path fits the pattern (fnmatch): as given, relative to the folder of the settings
    file, or the name alone. `ignore` are codes, names or prefixes; the others say what such a file is judged for."""

    pattern: str
    ignore: tuple[str, ...] = ()
    target: str | None = None
    kernel: str | None = None
    machine: str | None = None
    arch: str | None = None
    auditctl: str | None = None

    @property
    def says_target(self) -> bool:
        return any(part is not None for part in (self.target, self.kernel, self.machine, self.arch, self.auditctl))


@dataclass(frozen=True, slots=True)
class Settings:
    """What a settings file may say; None means not said. The command line wins over all of it."""

    target: str | None = None
    kernel: str | None = None
    machine: str | None = None
    arch: str | None = None
    auditctl: str | None = None
    facts: str | None = None
    baseline: str | None = None
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    fail_on: str | None = None
    pedantic: bool = False
    policy: str | None = None
    profile: str | None = None
    per_path: tuple[PathSettings, ...] = ()
    severity: Mapping[str, Severity] = field(default_factory=dict)
    file: str = ""
    """Absolute path of the settings file, empty without one. Patterns of `per-path` are relative to its folder."""
    current: str = ""
    """Absolute folder that the paths of inputs are relative to."""


DEFAULT = Settings()

_TARGET = ("target", "kernel", "machine", "arch", "auditctl")
_TEXTS = {"target", "kernel", "machine", "arch", "auditctl", "facts", "baseline", "fail-on", "policy", "profile"}
_LISTS = {"select", "ignore"}
_WORDS = {
    "fail-on": (*SEVERITIES, "never"),
    "policy": ("audit", "no-audit"),
}


def settings_from_table(table: Mapping[str, Any], name: str) -> Settings:
    """Settings from parsed TOML. `name` is the file, for messages.

    Raises UserError naming the key for an unknown key (with the nearest one) or a value of the wrong kind.
    """

    def wrong(key: str, what: str) -> UserError:
        return UserError(f"{name}: {key}: {what}")

    values: dict[str, Any] = {}
    for key, value in table.items():
        attribute = key.replace("-", "_")
        if key in _TEXTS:
            if not isinstance(value, str):
                raise wrong(key, "must be a string")
            if key in _WORDS and value not in _WORDS[key]:
                raise wrong(key, f"must be one of {', '.join(_WORDS[key])}, not {value!r}")
            values[attribute] = value
        elif key in _LISTS:
            values[attribute] = _strings(value, key, wrong)
        elif key == "pedantic":
            if not isinstance(value, bool):
                raise wrong(key, "must be true or false")
            values[attribute] = value
        elif key == "severity":
            if not isinstance(value, dict) or not all(word in SEVERITIES for word in value.values()):
                raise wrong(key, "must be a table from check to error, warning or advice")
            values[attribute] = dict(value)
        elif key == "per-path":
            values[attribute] = _per_path(value, wrong)
        else:
            known = [*_TEXTS, *_LISTS, "pedantic", "severity", "per-path"]
            raise wrong(key, "unknown setting" + did_you_mean(key, known))
    return Settings(**values)


def _per_path(value: Any, wrong: Any) -> tuple[PathSettings, ...]:
    """A table from pattern to the checks that are ignored, or to a table of all that counts there; or an array of such
    tables, each with its `path`."""
    key = "per-path"
    if isinstance(value, dict):
        pairs = list(value.items())
    elif isinstance(value, list) and all(isinstance(entry, dict) for entry in value):
        pairs = []
        for number, entry in enumerate(value, 1):
            if not isinstance(entry.get("path"), str):
                raise wrong(f"{key} {number}", 'must have path = "PATTERN"')
            pairs.append((entry["path"], {name: item for name, item in entry.items() if name != "path"}))
    else:
        raise wrong(key, "must be a table from path pattern to a list of checks")
    settings = []
    for pattern, given in pairs:
        place = f"{key}.{pattern}"
        if not isinstance(given, dict):
            settings.append(PathSettings(pattern, _strings(given, place, wrong)))
            continue
        values: dict[str, Any] = {}
        for name, item in given.items():
            if name == "ignore":
                values[name] = _strings(item, f"{place}.{name}", wrong)
            elif name not in _TARGET:
                raise wrong(f"{place}.{name}", "unknown setting" + did_you_mean(name, ("ignore", *_TARGET)))
            elif not isinstance(item, str):
                raise wrong(f"{place}.{name}", "must be a string")
            else:
                values[name] = item
        settings.append(PathSettings(pattern, **values))
    return tuple(settings)


def _strings(value: Any, key: str, wrong: Any) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(word, str) for word in value):
        raise wrong(key, "must be a list of strings")
    return tuple(value)
