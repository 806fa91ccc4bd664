"""Anonymous standings, for a wall or a page: a code name for each student, which only a secret connects with the id.

The secret is made once and stays in the results folder; the same student has the same code name in every run. Nothing
else of a student goes into these tables: no id, no name, no reason, no game.
"""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
from typing import TYPE_CHECKING

from ludus.errors import UserError
from ludus.files import create_once
from ludus.tournament.output import Cell, table

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from ludus.courses.view import CourseView, StudentView

FOLDER = "anonymous"
SECRET = "anonymous.key"  # noqa: S105 - the name of a file
LENGTH = 6


def read_secret(out: Path) -> bytes:
    """Return the secret of a results folder; it is made, for its owner's eyes only, where there is none."""
    path = out / SECRET
    try:
        secret = bytes.fromhex(create_once(path, f"{secrets.token_hex(32)}\n".encode()).decode("ascii"))
    except ValueError:
        secret = b""
    if len(secret) < 16:
        raise UserError("courses.no_secret", path=str(path))
    return secret


def code_names(ids: Iterable[str], secret: bytes) -> dict[str, str]:
    """Return a code name for each id: short, and longer for all where two would have the same."""
    digests = {id_: base64.b32encode(hmac.digest(secret, id_.encode(), hashlib.sha256)).decode() for id_ in ids}
    length = LENGTH
    while len({digest[:length] for digest in digests.values()}) < len(digests):
        length += 1
    return {id_: digest[:length] for id_, digest in digests.items()}


def anonymous_table(view: CourseView, codes: dict[str, str]) -> str:
    """Return the standings as CSV: place, code name, total, and the points of each rule and limit, its sum."""
    rules = [rule.rule for rule in view.students[0].rules] if view.students else []
    rows: list[list[Cell]] = []
    for place, student in anonymous_order(view, codes):
        changes = {limit.name: limit.points for limit in student.limits}
        points: list[Cell] = ["" if rule.open else rule.points for rule in student.rules]
        points += [changes.get(name, 0.0) for name in view.limits]
        rows.append([place, codes[student.id], student.total, *points])
    return table(["place", "code", "total", *rules, *map(str, view.limits.values())], rows)


def anonymous_order(view: CourseView, codes: dict[str, str]) -> list[tuple[int, StudentView]]:
    """Return the students by points, with their places; equals share theirs, and stand in the order of code names."""
    ordered = sorted(view.students, key=lambda student: (-student.total, codes[student.id]))
    return [(1 + sum(other.total > student.total for other in ordered), student) for student in ordered]
