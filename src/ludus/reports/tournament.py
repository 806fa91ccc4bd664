"""The report of a tournament: standings with intervals, cross table, bracket, plots, failures.

Made from the same view as the page of the tournament; derives nothing.
"""

from __future__ import annotations

import contextlib
import functools
import sqlite3
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ludus.errors import UserError
from ludus.messages import Message, known
from ludus.reports import Report
from ludus.reports.review import percent
from ludus.store import Ledger
from ludus.tournament import Plan, Progress
from ludus.tournament.files import read_plan
from ludus.tournament.output import draw_plots
from ludus.tournament.view import FailureView, TournamentView, clock_words, tournament_view

if TYPE_CHECKING:
    from ludus.reports import Picture

MOST_CROSSED = 14
"""Entries whose cross table fits a page; of more, the matrix shows who beats whom."""
MOST_LISTED = 400
TIES_SHOWN = 12


def find(where: str, name: str | None = None) -> Progress:
    """Find a tournament: by its file, or by its ledger and its name."""
    if where.endswith(".toml"):
        plan, where = read_plan(where)
        name = plan.name
    if "://" not in where:
        if not Path(where).is_file():
            raise UserError("tournament.no_ledger", path=where)
        if not is_ledger(Path(where)):
            raise UserError("tournament.not_a_ledger", path=where)
    ledger = Ledger(where)
    names = ledger.names()
    if name is None and len(names) == 1:
        name = names[0]
    found = ledger.find(name) if name is not None else None
    if name is None or found is None:
        if not names:
            raise UserError("tournament.empty_ledger", ledger=where)
        raise UserError("tournament.which", ledger=where, names=names)
    if not found.config:  # a course fixes the settings of each of its games by itself
        raise UserError("tournament.is_course", ledger=where, name=name)
    try:
        plan = Plan.from_config(name, found.config)
    except UserError as error:
        raise UserError("settings.refused_table", place=where, problem=error.message) from None
    return Progress(plan, ledger)


def is_ledger(path: Path) -> bool:
    """Return whether a file is a ledger, without changing it: opening one upgrades its tables."""
    with contextlib.closing(sqlite3.connect(f"{path.absolute().as_uri()}?mode=ro", uri=True)) as database:
        try:
            return bool(database.execute("SELECT 1 FROM sqlite_master WHERE name = 'tournament'").fetchall())
        except sqlite3.DatabaseError:
            return False


def tournament_report(progress: Progress) -> Report:
    """Return the report of a tournament."""
    view = tournament_view(progress)
    names = {line.entry: line.title for line in view.standings}
    plots = list(draw_plots(progress, view))
    folder = view.game.replace("-", "_")
    same = {"pairs", "seed", "finished", "games", "draws", "moves", "replayed"}
    data = {
        **view.model_dump(include=same),
        "name": view.title,
        "game": view.game_title_message,
        "clock": clock_words(view.clock) if view.clock != "none" else "",
        "options": option_words(view.options, f"{folder}.option", f"{folder}.choice"),
        "format": view.format_title,
        "format_options": option_words(view.format_options, "rule", "choice"),
        "entries": len(view.standings),
        "leaders": [line.title for line in view.leaders],
        **standing_data(view),
        "decided": view.decided or "",
        "ties": view.ties[:TIES_SHOWN],
        "cross": cross_table(view),
        "seat": view.rating and view.rating.seat.text,
        "failures": failure_rows(view.failures, names),
        "pictures": plots,
    }
    return Report("tournament", data, _pictures(progress, view, plots))


def _pictures(progress: Progress, view: TournamentView, names: Iterable[str]) -> dict[str, Picture]:
    """Return the plots, which are drawn together in the language that is asked for."""
    drawn = functools.cache(lambda language: draw_plots(progress, view, language))

    def picture(name: str) -> Picture:
        return lambda language: drawn(language)[name]

    return {name: picture(name) for name in names}


def option_words(options: Mapping[str, int | str], names: str, values: str) -> list[Message]:
    """Return options in words; `names` and `values` are what the codes of their names and values begin with."""
    return [
        Message("reports.option", name=known(f"{names}.{name}", name), value=known(f"{values}.{value}", str(value)))
        for name, value in options.items()
    ]


def standing_data(view: TournamentView) -> dict[str, Any]:
    """Return the standings with the criteria that ranked them; `reached` is the first one's name if it has words."""
    criteria = [criterion.title for criterion in view.criteria]
    reached = view.reached.title if view.reached else ""
    return {"criteria": criteria, "reached": reached, "standings": standing_rows(view)}


def standing_rows(view: TournamentView, own: str | None = None) -> list[dict[str, Any]]:
    """Return the lines of the standings as a report shows them."""
    same = {"rank", "games", "wins", "draws", "losses", "failures", "rating", "withdrawn"}
    return [
        {
            **line.model_dump(include=same),
            "entry": line.title,
            "reached": line.shown(view.reached.name) if view.reached else "",
            "points": f"{line.points:g}",
            "score": percent(line.score, 1),
            "elo": line.rating.text if line.rating else "",
            "own": line.entry == own,
        }
        for line in view.standings[:MOST_LISTED]
    ]


def failure_rows(failures: Iterable[FailureView], names: Mapping[str, Message | str]) -> list[dict[str, Any]]:
    """Return failures as a report shows them; entries are shown by the given names."""
    return [
        {
            "entry": names.get(line.entry, line.entry),
            "kind": Message(f"faults.kind.{line.kind}"),
            "games": line.games,
            "sentences": line.shown,
        }
        for line in failures
    ]


def cross_table(view: TournamentView) -> dict[str, Any] | None:
    """Return the game points of each against each, in the order of the standings; None for too many entries."""
    if not view.met or len(view.standings) > MOST_CROSSED:
        return None
    cells = [[cell and f"{cell.points:g}/{cell.games}" for cell in row] for row in view.cross]
    return {"names": [line.title for line in view.standings], "cells": cells}
