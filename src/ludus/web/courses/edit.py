"""Changes of single values in a course file: line by line, so that comments and everything else stay. Knows no course.

A TOML text can say one thing in many ways. Only `key = value` on a line of its own, under a `[table]` line, is changed
here; what a change has made is read again, and where it is not exactly what was wanted, a person has to make it.
"""

from __future__ import annotations

import copy
import io
import json
import re
import tomllib
from collections.abc import Mapping
from typing import Any

from ludus.errors import UserError

Value = str | float | bool | None
"""None for a key that should go."""

LINE = re.compile(r"""(\s*)([\w-]+)(\s*=\s*)("(?:\\.|[^"\\])*+"|'[^']*+'|[^#\s"'\[{]+)(\s*(?:#.*)?)""")
"""A key and its value on one line: indentation, key, sign, value, comment."""


def edited(text: str, table: tuple[str, ...], values: Mapping[str, Value]) -> str:
    """Return a TOML text with other values in one of its tables; the top has the name ()."""
    before = tomllib.loads(text)
    wanted = copy.deepcopy(before)
    place = wanted
    for part in table:
        place = place.setdefault(part, {})
    changes = {key: value for key, value in values.items() if place.get(key) != value}
    for key, value in changes.items():
        if value is None:
            place.pop(key, None)
        else:
            place[key] = value
    lines = io.StringIO(text).readlines()  # only line feeds end a line of TOML
    for key, value in changes.items():
        _set(lines, table, key, value)
    made = "".join(lines)
    try:
        right = tomllib.loads(made) == wanted
    except tomllib.TOMLDecodeError:
        right = False
    if not right:
        raise UserError("courses.edit_by_hand", table=".".join(table), keys=list(changes))
    return made


def _set(lines: list[str], table: tuple[str, ...], key: str, value: Value) -> None:
    region = _region(lines, table)
    if region is None:
        if lines and not lines[-1].endswith("\n"):
            lines[-1] += "\n"
        name = ".".join(part if re.fullmatch(r"[\w-]+", part, re.ASCII) else _written(part) for part in table)
        lines += ["\n", f"[{name}]\n"]
        region = range(len(lines), len(lines))
    last = region.start
    for at in region:
        found = LINE.fullmatch(lines[at].rstrip("\r\n"))
        if found and found[2] == key:
            blank, name, sign, old, rest = found.groups()
            new = "" if value is None else _written(value)
            comment = rest.lstrip()
            gap = " " * max(1, len(rest) - len(comment) + len(old) - len(new)) if comment else ""
            lines[at : at + 1] = [] if value is None else [f"{blank}{name}{sign}{new}{gap}{comment}\n"]
            return
        if lines[at].strip() and not lines[at].lstrip().startswith("#"):
            last = at + 1
    if value is not None:
        lines.insert(last, f"{key} = {_written(value)}\n")


def _region(lines: list[str], table: tuple[str, ...]) -> range | None:
    """Return the lines below the heading of a table, up to the next heading; the top begins with the text."""
    start = 0 if not table else None
    for at, line in enumerate(lines):
        if line.lstrip().startswith("["):
            if start is not None:
                return range(start, at)
            if _heading(line) == table:
                start = at + 1
    return None if start is None else range(start, len(lines))


def _heading(line: str) -> tuple[str, ...]:
    """Return the name of the table whose heading a line is; nothing for another line."""
    try:
        inside: Any = tomllib.loads(line)
    except tomllib.TOMLDecodeError:
        return ()
    name = []
    while isinstance(inside, dict) and inside:
        ((part, inside),) = inside.items()
        name.append(part)
    return tuple(name)


def _written(value: str | float | bool) -> str:
    if isinstance(value, float) and value.is_integer():
        value = int(value)
    return json.dumps(value, ensure_ascii=False)
