"""Stands in for numba: what it would compile runs as plain Python, and types say nothing."""

import sys
import types
from typing import Any


class Plain:
    """A decorator, with options or without, a type, or a part of the library."""

    def __call__(self, *given: Any, **_options: Any) -> Any:
        """Return a function, a class or a number as it is; a decorator for options, a type for types."""
        as_it_is = given and isinstance(given[0], (types.FunctionType, type, int, float))
        return given[0] if as_it_is else self

    def __getattr__(self, name: str) -> "Plain":
        """Have every name but those by which Python asks what a thing can do."""
        if name.startswith("__"):
            raise AttributeError(name)
        return self

    def __getitem__(self, _: Any) -> "Plain":
        """Return the type of an array."""
        return self


class List(list[Any]):
    """A list that would have one type."""

    empty_list = classmethod(lambda cls, *_types, **_more: cls())


class Dict(dict[Any, Any]):
    """A dictionary that would have one type."""

    empty = classmethod(lambda cls, *_types, **_more: cls())


prange = range


def __getattr__(name: str) -> Plain:
    if name.startswith("__"):
        raise AttributeError(name)
    return Plain()


__path__: list[str] = []
for part in ("typed", "types", "core", "experimental", "extending", "cuda"):
    sys.modules[f"numba.{part}"] = sys.modules[__name__]
