"""Settings text: what is taken, and what every wrong key or value says."""

from typing import Any

import pytest

from auditlint.core.errors import UserError
from auditlint.core.settings import DEFAULT, PathSettings, settings_from_table


def test_empty_table_is_default() -> None:
    assert settings_from_table({}, "a.toml") == DEFAULT


def test_every_key() -> None:
    settings = settings_from_table(
        {
            "kernel": "6.1",
            "fail-on": "error",
            "select": ["AL3"],
            "pedantic": True,
            "severity": {"AL301": "advice"},
            "per-path": {"tests/*": ["AL1"]},
        },
        "a.toml",
    )
    assert settings.kernel == "6.1"
    assert settings.fail_on == "error"
    assert settings.select == ("AL3",)
    assert settings.pedantic
    assert settings.severity == {"AL301": "advice"}
    assert settings.per_path == (PathSettings("tests/*", ("AL1",)),)


@pytest.mark.parametrize(
    ("table", "words"),
    [
        ({"kernal": "6.1"}, "kernal: unknown setting; did you mean kernel?"),
        ({"kernel": 6.1}, "kernel: must be a string"),
        ({"fail-on": "errors"}, "fail-on: must be one of"),
        ({"select": "AL3"}, "select: must be a list of strings"),
        ({"pedantic": 1}, "pedantic: must be true or false"),
        ({"severity": {"AL301": "fatal"}}, "severity: must be a table"),
        ({"per-path": "x"}, "per-path: must be a table"),
        ({"per-path": [{"ignore": ["AL1"]}]}, 'per-path 1: must have path = "PATTERN"'),
        (
            {"per-path": [{"path": "x", "targets": "rhel-9"}]},
            "per-path.x.targets: unknown setting; did you mean target?",
        ),
        ({"per-path": {"x": {"kernel": 6}}}, "per-path.x.kernel: must be a string"),
    ],
)
def test_wrong_tables_name_the_key(table: Any, words: str) -> None:
    with pytest.raises(UserError, match=r"^a\.toml: ") as error:
        settings_from_table(table, "a.toml")
    assert words in str(error.value)


def test_a_path_has_a_target_of_its_own() -> None:
    table = {"per-path": [{"path": "old/*", "target": "rhel-7", "arch": "x86"}, {"path": "*", "ignore": ["AL1"]}]}
    old, every = settings_from_table(table, "a.toml").per_path
    assert (old.pattern, old.target, old.arch, old.says_target) == ("old/*", "rhel-7", "x86", True)
    assert (every.ignore, every.says_target) == (("AL1",), False)
