"""Frozen classes behave as those of `dataclasses`."""

from __future__ import annotations

import dataclasses
import re
from pathlib import Path
from typing import Any

import pytest

from auditlint.core import frozen

MODULES: list[Any] = [dataclasses, frozen]


def classes(module: Any) -> tuple[Any, Any, Any]:
    """The same three classes made by a module."""

    @module.dataclass(frozen=True, slots=True)
    class Point:
        """A point."""

        x: int
        y: int = 2
        seen: list[int] = module.field(default_factory=list)
        note: str = module.field(default="", compare=False, repr=False)

        @property
        def sum(self) -> int:
            return self.x + self.y

    @module.dataclass(frozen=True, slots=True)
    class Named(Point):
        name: str = "p"

    @module.dataclass(frozen=True, slots=True)
    class Nothing:
        """Empty."""

    return Point, Named, Nothing


@pytest.mark.parametrize("module", MODULES)
def test_objects(module: Any) -> None:
    point, named, nothing = classes(module)
    one = point(1)
    assert (one.x, one.y, one.seen, one.note, one.sum) == (1, 2, [], "", 3)
    assert one.seen is not point(1).seen
    assert point(1, y=3, note="a").y == 3
    assert one == point(1, note="different, but not compared")
    assert one != point(2)
    assert one != named(1)
    assert one.__eq__(1) is NotImplemented
    assert hash(point(1, 2, ())) == hash(point(1, 2, (), "z"))
    assert repr(one).endswith("Point(x=1, y=2, seen=[])")
    assert repr(named(1, 2, [], "", "q")).endswith("Named(x=1, y=2, seen=[], name='q')")
    assert nothing() == nothing()
    assert {nothing(): 1}[nothing()] == 1
    assert point.__doc__ == "A point."
    assert point.__qualname__.endswith("classes.<locals>.Point")
    assert not hasattr(one, "__dict__")
    match one:
        case point(x, y):
            assert (x, y) == (1, 2)


@pytest.mark.parametrize("module", MODULES)
def test_nothing_can_be_changed(module: Any) -> None:
    point, _, _ = classes(module)
    one = point(1)
    for name in ("x", "note"):
        with pytest.raises(module.FrozenInstanceError):
            setattr(one, name, 5)
        with pytest.raises(AttributeError):
            delattr(one, name)
    assert one.x == 1


@pytest.mark.parametrize("module", MODULES)
def test_wrong_arguments(module: Any) -> None:
    point, _, nothing = classes(module)
    for made, args, named in ((point, (), {}), (point, (1,), {"z": 1}), (nothing, (1,), {})):
        with pytest.raises(TypeError):
            made(*args, **named)
        with pytest.raises(TypeError):  # also when the class has been used
            made(*args, **named)


@pytest.mark.parametrize("module", MODULES)
def test_replace_and_fields(module: Any) -> None:
    point, named, _ = classes(module)
    assert module.replace(point(1, note="n"), y=7).y == 7
    assert module.replace(point(1, note="n"), y=7).note == "n"
    assert [one.name for one in module.fields(named)] == ["x", "y", "seen", "note", "name"]
    assert [one.name for one in module.fields(point(1))] == ["x", "y", "seen", "note"]


@pytest.mark.parametrize("module", MODULES)
def test_methods_of_the_class_win(module: Any) -> None:
    @module.dataclass(frozen=True, slots=True)
    class Loose:
        x: int = 0

        def __eq__(self, other: object) -> bool:
            return True

        def __repr__(self) -> str:
            return "loose"

    assert Loose() == 5
    assert repr(Loose()) == "loose"
    assert hash(Loose()) == hash(Loose())


def test_the_program_uses_these(root: Path) -> None:
    """One import of `dataclasses` anywhere on the way would bring its whole price back."""
    wrong = [
        str(path)
        for path in (root / "auditlint").rglob("*.py")
        if path.name != "frozen.py" and re.search(r"^\s*(from|import) dataclasses", path.read_text(), re.MULTILINE)
    ]
    assert not wrong, "use auditlint.core.frozen"


def test_other_kinds_of_classes_are_not_made() -> None:
    with pytest.raises(TypeError):
        frozen.dataclass(frozen=True, slots=False)
