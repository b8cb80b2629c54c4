"""Frozen classes with slots, as `dataclasses` makes them, without its price at the start of a program.

The import of `dataclasses` (it brings `inspect`) and the code it generates for each class cost more CPU than reading
500 rules: 10 ms and 0.5 ms a class, against 0.03 ms a class here, where __init__ is made
when the first object is. The names and their meaning are those of `dataclasses`, cut to what is used:
`@dataclass(frozen=True, slots=True)`, `field`, `fields`, `replace`. For a type checker they are the originals.
"""

from __future__ import annotations

from functools import cache
from operator import attrgetter
from types import FunctionType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from dataclasses import FrozenInstanceError as FrozenInstanceError
    from dataclasses import dataclass as dataclass
    from dataclasses import field as field
    from dataclasses import fields as fields
    from dataclasses import replace as replace
    from typing import Any
else:
    _NOTHING = object()

    class FrozenInstanceError(AttributeError):
        """An attempt to change a frozen object."""

    class _Field:
        __slots__ = ("compare", "default", "default_factory", "name", "repr")

        def __init__(self, default: Any, default_factory: Any, compare: bool, repr: bool) -> None:
            self.name = ""
            self.default = default
            self.default_factory = default_factory
            self.compare = compare
            self.repr = repr

    def field(
        *, default: Any = _NOTHING, default_factory: Any = _NOTHING, compare: bool = True, repr: bool = True
    ) -> Any:
        """A field that is not compared or shown, or whose default is made anew for each object."""
        return _Field(default, default_factory, compare, repr)

    def fields(cls: Any) -> tuple[_Field, ...]:
        """The fields of a class or an object, each with its `name`."""
        return cls.__frozen_fields__

    def replace(obj: Any, /, **changes: Any) -> Any:
        """A copy with some fields changed."""
        names = obj.__match_args__
        for name in changes:
            if name not in names:
                raise TypeError(f"replace() got an unexpected keyword argument {name!r}")
        return obj.__class__(*[changes[name] if name in changes else getattr(obj, name) for name in names])

    def dataclass(*, frozen: bool, slots: bool) -> Any:
        """Makes a class frozen, with slots, __init__, __eq__, __hash__ and __repr__ over its annotated names."""
        if not (frozen and slots):
            raise TypeError("only dataclass(frozen=True, slots=True) is known here")
        return _make

    def _make(cls: Any) -> Any:
        namespace = dict(cls.__dict__)
        own = []
        for name in cls.__annotations__:
            default = namespace.pop(name, _NOTHING)
            one = default if isinstance(default, _Field) else _Field(default, _NOTHING, True, True)
            one.name = name
            own.append(one)
        inherited = getattr(cls, "__frozen_fields__", ())
        names = [one.name for one in own]
        every = tuple(one for one in inherited if one.name not in names) + tuple(own)
        namespace.pop("__dict__", None)
        namespace.pop("__weakref__", None)
        namespace["__slots__"] = tuple(name for name in names if name not in {one.name for one in inherited})
        namespace["__frozen_fields__"] = every
        namespace["__match_args__"] = tuple(one.name for one in every)
        compared = [one.name for one in every if one.compare]
        key = attrgetter(*compared) if compared else _no_fields

        def __init__(self: Any, *args: Any, **named: Any) -> None:
            made.__init__ = init = _initializer(made)
            init(self, *args, **named)

        def __eq__(self: Any, other: Any) -> bool:
            return key(self) == key(other) if other.__class__ is self.__class__ else NotImplemented

        def __hash__(self: Any) -> int:
            return hash(key(self))

        for function in (__init__, __eq__, __hash__, __repr__, __reduce__):
            namespace.setdefault(function.__name__, function)
        if namespace["__hash__"] is None:  # what a class with an __eq__ of its own gets
            namespace["__hash__"] = __hash__
        namespace["__setattr__"] = __setattr__
        namespace["__delattr__"] = __delattr__
        made = type(cls)(cls.__name__, cls.__bases__, namespace)
        made.__qualname__ = cls.__qualname__
        return made

    def _no_fields(_: Any) -> tuple[()]:
        return ()

    def __repr__(self: Any) -> str:
        shown = (f"{one.name}={getattr(self, one.name)!r}" for one in self.__frozen_fields__ if one.repr)
        return f"{self.__class__.__qualname__}({', '.join(shown)})"

    def __reduce__(self: Any) -> tuple[Any, ...]:
        """For pickle, which would set the fields one by one."""
        return self.__class__, tuple([getattr(self, name) for name in self.__match_args__])

    def __setattr__(self: Any, name: str, value: Any) -> None:
        raise FrozenInstanceError(f"cannot assign to field {name!r}")

    def __delattr__(self: Any, name: str) -> None:
        raise FrozenInstanceError(f"cannot delete field {name!r}")

    def _initializer(cls: Any) -> Any:
        """The __init__ of a class: every slot is set by its descriptor, which no __setattr__ can stop.

        To compile one for each class would cost more than the other work on it. One is compiled for each number of
        fields, and takes over the names of the class.
        """
        every = cls.__frozen_fields__
        names = cls.__match_args__
        known = {f"_set{at}": getattr(cls, one.name).__set__ for at, one in enumerate(every)}
        known |= {"_nothing": _NOTHING} | {f"_make{at}": one.default_factory for at, one in enumerate(every)}
        made = tuple(at for at, one in enumerate(every) if one.default_factory is not _NOTHING)
        code = _template(len(names), made).replace(co_varnames=("self", *names))
        defaults = [one.default for one in every if one.default is not _NOTHING or one.default_factory is not _NOTHING]
        return FunctionType(code, known, "__init__", tuple(defaults))

    @cache
    def _template(count: int, made: tuple[int, ...]) -> Any:
        """The code of an __init__ of so many fields; the defaults of those in `made` are made anew for each object."""
        head = "".join(f", a{at}" for at in range(count))
        body = "".join(f" if a{at} is _nothing: a{at} = _make{at}()\n" for at in made)
        body += "".join(f" _set{at}(self, a{at})\n" for at in range(count)) or " pass\n"
        known: dict[str, Any] = {}
        exec(f"def __init__(self{head}):\n{body}", known)
        return known["__init__"].__code__
