"""Tables of a course file: what keys there are, of what type, and what stands in for those left out.

Every fault is one sentence that names the place. Knows no course.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

REQUIRED: Any = object()
NAMES = {
    str: "a text",
    int: "a whole number",
    float: "a number",
    bool: "true or false",
    dict: "a table",
    list: "a list",
}


class Key(NamedTuple):
    """A key of a table."""

    kind: type
    default: Any = REQUIRED
    check: Callable[[Any], object] = lambda _value: None
    """Raises ValueError, with a sentence that can follow the place, for a value that will not do."""
    item: type = str
    """What a list holds."""


def at_least(low: int) -> Callable[[Any], None]:
    """Give a check that a number is not too small."""

    def check(value: Any) -> None:
        if value < low:
            raise ValueError(f"it must be at least {low}, not {value}")

    return check


def one_of(*choices: str) -> Callable[[Any], None]:
    """Give a check that a text is one of a few."""

    def check(value: Any) -> None:
        if value not in choices:
            raise ValueError(f"it must be one of {', '.join(choices)}, not {value!r}")

    return check


def read_table(given: Mapping[str, Any], keys: Mapping[str, Key], place: str) -> dict[str, Any]:
    """Check a table, and fill in what was left out."""
    for name in given:
        if name not in keys:
            raise ValueError(f"{place}: there is no key {name!r}; the keys are {', '.join(keys)}")
    found = {}
    for name, key in keys.items():
        if name not in given:
            if key.default is REQUIRED:
                raise ValueError(f"{place}: {name} is missing; it is {NAMES[key.kind]}")
            found[name] = key.default
            continue
        value = given[name]
        if key.kind is float and type(value) in (int, float):
            value = value + 0.0  # never -0
        fits = type(value) is key.kind
        if fits and isinstance(value, list):
            fits = all(type(item) is key.item for item in value)
        if not fits or (key.kind is float and not math.isfinite(value)):
            wanted = f"a list, each of it {NAMES[key.item]}" if key.kind is list else NAMES[key.kind]
            raise ValueError(f"{place}: {name} must be {wanted}, not {given[name]!r}")
        try:
            key.check(value)
        except ValueError as error:
            raise ValueError(f"{place}: {name}: {error}") from None
        found[name] = value
    return found
