"""`ludus doctor`, run: try the sandbox, and look for the languages that bots are written in."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

from ludus.bots.languages import LANGUAGES
from ludus.cli.output import echo, echo_json, styled
from ludus.messages import Message
from ludus.sandbox import protections

if TYPE_CHECKING:
    from ludus.sandbox import Protection

THERE, SUBSTITUTE, MISSING = ("✓", "green"), ("!", "yellow"), ("✗", "red")


def doctor(*, as_json: bool) -> int:
    """Print what was found; return 1 if the sandbox does not work, or is weak."""
    found = protections()
    strong = all(one.there for one in found if one.needed)
    languages = {one.name: (*one.needs, shutil.which(one.needs[0]) is not None) for one in LANGUAGES}
    if as_json:
        rows = [
            {"name": name, "program": program, "package": package, "there": there}
            for name, (program, package, there) in languages.items()
        ]
        echo_json({"strong": strong, "protections": [one.json for one in found], "languages": rows})
        return 0 if strong else 1
    echo(Message("cli.doctor.sandbox"))
    for number, one in enumerate(found):
        show(one, told=one.remedy in [before.remedy for before in found[:number]])
    echo()
    echo(Message("cli.doctor.languages"))
    for name, (program, package, there) in languages.items():
        line(THERE if there else SUBSTITUTE, name if there else f"{name}: apt-get install {package} ({program})")
    echo()
    verdict = Message("cli.doctor.strong") if strong else Message("cli.doctor.weak")
    styled(verdict, fg="green" if strong else "red")
    return 0 if strong else 1


def show(one: Protection, *, told: bool) -> None:
    """Print a protection, and how to get it where it is missing, unless that was told already."""
    line(THERE if one.there else MISSING if one.needed else SUBSTITUTE, one.message)
    if one.remedy is not None and not told:
        echo(Message("cli.doctor.remedy", remedy=one.remedy))


def line(mark: tuple[str, str], text: object) -> None:
    """Print a line with its mark."""
    styled(f"{mark[0]} ", fg=mark[1], nl=False)
    echo(text)
