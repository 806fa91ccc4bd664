"""A tournament's report: standings with intervals, cross table, bracket, plots, failures.

Draws what `ludus.tournament.output` derives from a ledger, the same as on the tournament's page.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import sqlite3
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ludus.reports import Report
from ludus.reports.review import percent
from ludus.said import PlayerText, Term
from ludus.store import Ledger
from ludus.tournament import Plan, Progress
from ludus.tournament.files import read_plan
from ludus.tournament.output import document, draw

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ludus.reports import Picture

MOST_CROSSED = 14
"""Entries whose cross table fits a page; of more, the matrix shows who beats whom."""
MOST_LISTED = 400


class Played(Plan):
    """The plan of a tournament that is looked back at: its players need not be there any more."""

    def __post_init__(self) -> None:
        """Take it as it is."""


def find(where: str, name: str | None = None) -> Progress:
    """Find a tournament: by its file, or by its ledger and its name."""
    if where.endswith(".toml"):
        plan, where = read_plan(where)
        name = plan.name
    if "://" not in where:
        if not Path(where).is_file():
            raise ValueError(f"{where}: there is no such ledger; ludus tournament makes one")
        if not is_ledger(Path(where)):
            raise ValueError(f"{where}: this is no ledger of Ludus; name one that ludus tournament made")
    ledger = Ledger(where)
    names = ledger.names()
    if name is None and len(names) == 1:
        name = names[0]
    found = ledger.find(name) if name is not None else None
    if name is None or found is None:
        known = f"its tournaments are {', '.join(names)}" if names else "it holds none"
        raise ValueError(f"{where}: which tournament? {known}")
    return Progress(played(where, name, found[1]), ledger)


def is_ledger(path: Path) -> bool:
    """Tell whether a file is a ledger, without changing it: opening one brings its tables to the newest form."""
    with contextlib.closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as database:
        try:
            return bool(database.execute("SELECT 1 FROM sqlite_master WHERE name = 'tournament'").fetchall())
        except sqlite3.DatabaseError:
            return False


def played(where: str, name: str, config: Mapping[str, Any]) -> Played:
    """Return the plan that a ledger holds under a name; one sentence where what it holds is no tournament."""
    if not config:  # a course settles each of its games by itself
        raise ValueError(
            f"{where}: {name} is a course, not a tournament; ludus course grade writes its report, course.pdf, and the "
            "pages of its tournaments"
        )
    known = {field.name: field for field in dataclasses.fields(Plan)}
    needed = {key for key, field in known.items() if field.default is field.default_factory is dataclasses.MISSING}
    if not needed - {"name"} <= config.keys() <= known.keys():
        raise ValueError(f"{where}: {name} was written by another version of Ludus; use that one")
    return Played(name=name, **config)


def tournament_report(progress: Progress) -> Report:
    """Gather what is known about a tournament."""
    said = document(progress)
    leaders = [entry_name(line) for line in said["standings"] if line["rank"] == 1]
    names = {line["entry"]: entry_name(line) for line in said["standings"]}
    data = {
        "name": said["name"],
        "game": said["game_title"],
        "options": option_words(said["options"]),
        "format": Term(said["format"], "format"),
        "format_options": option_words(said["format_options"]),
        "clock": said["clock"],
        "pairs": said["pairs"],
        "seed": said["seed"],
        "finished": said["finished"],
        "games": said["games"],
        "draws": said["draws"],
        "moves": said["moves"],
        "replayed": said["replayed"],
        "entries": len(said["standings"]),
        "leaders": leaders,
        "criteria": [Term(criterion["name"], "criterion") for criterion in said["criteria"]],
        "standings": standing_rows(said),
        "cross": cross_table(said),
        "seat": None if said["rating"] is None else elo_text(_seat(said["rating"]["seat"])),
        "failures": [{**line, "entry": names[line["entry"]]} for line in said["failures"]],
    }
    pictures = list(draw(progress, said))
    return Report("tournament", {**data, "pictures": pictures}, _pictures(progress, said, pictures))


def _pictures(progress: Progress, said: Mapping[str, Any], names: Iterable[str]) -> dict[str, Picture]:
    """Give the plots, which are drawn together in the language that is asked for."""
    drawn = functools.cache(lambda language: draw(progress, said, language))

    def picture(name: str) -> Picture:
        return lambda language: drawn(language)[name]

    return {name: picture(name) for name in names}


def _seat(seat: Mapping[str, float]) -> dict[str, float]:
    return {"elo": seat["value"], "low": seat["low"], "high": seat["high"]}


def option_words(options: Mapping[str, Any]) -> str:
    """Write options as they are given."""
    return ", ".join(f"{name}={value}" for name, value in options.items())


def elo_text(rating: Mapping[str, float] | None) -> str:
    """Write a rating with its 95% interval."""
    return "" if rating is None else f"{rating['elo']:+.0f} ±{(rating['high'] - rating['low']) / 2:.0f}"


def standing_rows(said: Mapping[str, Any], own: str | None = None) -> list[dict[str, Any]]:
    """Give the lines of the standings as a report shows them."""
    return [
        {
            **{key: line[key] for key in ("rank", "games", "wins", "draws", "losses", "failures", "rating")},
            "entry": entry_name(line),
            "points": f"{line['points']:g}",
            "score": percent(line["score"], 1),
            "elo": elo_text(line["rating"]),
            "explanation": line["explanation"],
            "withdrawn": line["withdrawn"],
            "own": line["entry"] == own,
        }
        for line in said["standings"][:MOST_LISTED]
    ]


def entry_name(line: Mapping[str, Any]) -> str:
    """Return what an entry is called: its own name, or what its player is called where it has none."""
    entry: str = line["entry"]
    return PlayerText(entry) if entry == line["player"] else entry


def cross_table(said: Mapping[str, Any]) -> dict[str, Any] | None:
    """Give the game points of each against each, in the order of the standings; nothing for a field too large."""
    order = [line["entry"] for line in said["standings"]]
    if not said["met"] or len(order) > MOST_CROSSED:
        return None
    place = {entry: index for index, entry in enumerate(order)}
    cells: list[list[str | None]] = [[None] * len(order) for _ in order]
    for pair in said["met"]:
        one, other = place[pair["first"]], place[pair["second"]]
        half = pair["draws"] / 2
        total = pair["wins"] + pair["draws"] + pair["losses"]
        cells[one][other] = f"{pair['wins'] + half:g}/{total}"
        cells[other][one] = f"{pair['losses'] + half:g}/{total}"
    return {"names": [entry_name(line) for line in said["standings"]], "cells": cells}
