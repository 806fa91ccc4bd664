"""`ludus doctor`, run: try the sandbox, and look for the languages that bots are written in."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING, Any

from ludus.bots.foreign import PACKAGE, PROGRAM
from ludus.bots.languages import LANGUAGES
from ludus.cli.output import echo, echo_json, styled
from ludus.messages import Message
from ludus.sandbox import protections

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ludus.sandbox import Protection

REMEDY = "{name}: apt-get install {package} ({program})"
THERE, SUBSTITUTE, MISSING = ("✓", "green"), ("!", "yellow"), ("✗", "red")


def doctor(*, as_json: bool) -> int:
    """Print what was found; return 1 if the sandbox does not work, or is weak."""
    found = protections()
    strong = all(one.there for one in found if one.needed)
    languages, archives = _found({one.name: one.needs for one in LANGUAGES}), _found({"rar, 7z": (PROGRAM, PACKAGE)})
    if as_json:
        protected = [one.json for one in found]
        echo_json({"strong": strong, "protections": protected, "languages": languages, "archives": archives})
        return 0 if strong else 1
    echo(Message("cli.doctor.sandbox"))
    for number, one in enumerate(found):
        show(one, told=one.remedy in [before.remedy for before in found[:number]])
    for heading, rows in ((Message("cli.doctor.languages"), languages), (Message("cli.doctor.archives"), archives)):
        echo()
        echo(heading)
        for row in rows:
            line(THERE if row["there"] else SUBSTITUTE, row["name"] if row["there"] else REMEDY.format(**row))
    echo()
    verdict = Message("cli.doctor.strong") if strong else Message("cli.doctor.weak")
    styled(verdict, fg="green" if strong else "red")
    return 0 if strong else 1


def _found(needs: Mapping[str, tuple[str, str]]) -> list[dict[str, Any]]:
    """Return for each name the program that it needs, its package, and whether it is there."""
    return [
        {"name": name, "program": program, "package": package, "there": shutil.which(program) is not None}
        for name, (program, package) in needs.items()
    ]


def show(one: Protection, *, told: bool) -> None:
    """Print a protection, and how to get it where it is missing, unless that was told already."""
    line(THERE if one.there else MISSING if one.needed else SUBSTITUTE, one.message)
    if one.remedy is not None and not told:
        echo(Message("cli.doctor.remedy", remedy=one.remedy))


def line(mark: tuple[str, str], text: object) -> None:
    """Print a line with its mark."""
    styled(f"{mark[0]} ", fg=mark[1], nl=False)
    echo(text)
