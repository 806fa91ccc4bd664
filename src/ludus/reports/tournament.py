"""The report of a tournament: standings with intervals, cross table, bracket, plots, failures.

Made from the same view as the page of the tournament; derives nothing.
"""

from __future__ import annotations

import contextlib
import functools
import sqlite3
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypedDict

from ludus.errors import UserError
from ludus.messages import Message, verbatim
from ludus.messages.names import player_message
from ludus.reports import Report
from ludus.reports.review import percent
from ludus.store import Ledger
from ludus.tournament import Plan, Progress
from ludus.tournament.files import read_plan
from ludus.tournament.output import draw_plots
from ludus.tournament.view import tournament_view

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ludus.reports import Picture
    from ludus.tournament.view import FailureView, RatingView, StandingView, TournamentView

MOST_CROSSED = 14
"""Entries whose cross table fits a page; of more, the matrix shows who beats whom."""
MOST_LISTED = 400


class StandingRow(TypedDict):
    """A line of the standings as the template shows it."""

    rank: int
    games: int
    wins: int
    draws: int
    losses: int
    failures: int
    rating: dict[str, float] | None
    entry: Message | str
    points: str
    score: str
    elo: str
    explanation: str
    withdrawn: bool
    own: bool


class CrossTable(TypedDict):
    """The game points of each against each, in the order of the standings."""

    names: list[Message | str]
    cells: list[list[str | None]]


class FailureRow(TypedDict):
    """The failures of one kind of an entry."""

    entry: Message | str
    kind: Message
    games: int
    sentences: list[Message]


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
    names = {line.entry: entry_name(line) for line in view.standings}
    plots = list(draw_plots(progress, view))
    data = {
        "name": view.name,
        "game": view.game_title,
        "options": option_words(view.options),
        "format": Message(f"format.{view.format}"),
        "format_options": option_words(view.format_options),
        "clock": view.clock,
        "pairs": view.pairs,
        "seed": view.seed,
        "finished": view.finished,
        "games": view.games,
        "draws": view.draws,
        "moves": view.moves,
        "replayed": view.replayed,
        "entries": len(view.standings),
        "leaders": [entry_name(line) for line in view.leaders],
        "criteria": [Message(f"criterion.{criterion.name}") for criterion in view.criteria],
        "standings": standing_rows(view),
        "cross": cross_table(view),
        "seat": None if view.rating is None else elo_text(view.rating.seat.value, view.rating.seat),
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


def option_words(options: Mapping[str, int | str]) -> str:
    """Write options as they are given."""
    return ", ".join(f"{name}={value}" for name, value in options.items())


class Interval(Protocol):
    """Anything with the ends of a 95% interval."""

    @property
    def low(self) -> float:
        """The lower end."""

    @property
    def high(self) -> float:
        """The upper end."""


def elo_text(elo: float, interval: Interval) -> str:
    """Write a rating with its 95% interval."""
    return f"{elo:+.0f} ±{(interval.high - interval.low) / 2:.0f}"


def rating_text(rating: RatingView | None) -> str:
    """Write a rating, where there is one."""
    return "" if rating is None else elo_text(rating.elo, rating)


def standing_rows(view: TournamentView, own: str | None = None) -> list[StandingRow]:
    """Return the lines of the standings as a report shows them."""
    return [
        {
            "rank": line.rank,
            "games": line.games,
            "wins": line.wins,
            "draws": line.draws,
            "losses": line.losses,
            "failures": line.failures,
            "rating": None if line.rating is None else line.rating.model_dump(),
            "entry": entry_name(line),
            "points": f"{line.points:g}",
            "score": percent(line.score, 1),
            "elo": rating_text(line.rating),
            "explanation": line.explanation,
            "withdrawn": line.withdrawn,
            "own": line.entry == own,
        }
        for line in view.standings[:MOST_LISTED]
    ]


def failure_rows(failures: Iterable[FailureView], names: Mapping[str, Message | str]) -> list[FailureRow]:
    """Return failures as a report shows them; entries are shown by the given names."""
    return [
        {
            "entry": names.get(line.entry, line.entry),
            "kind": Message(f"faults.kind.{line.kind}"),
            "games": line.games,
            "sentences": [
                message or verbatim(sentence) for message, sentence in zip(line.messages, line.sentences, strict=True)
            ],
        }
        for line in failures
    ]


def entry_name(line: StandingView) -> Message | str:
    """Return the name of an entry: its own, or that of its player where it has none."""
    return player_message(line.entry) if line.entry == line.player else line.entry


def cross_table(view: TournamentView) -> CrossTable | None:
    """Return the game points of each against each, in the order of the standings; None for too many entries."""
    order = [line.entry for line in view.standings]
    if not view.met or len(order) > MOST_CROSSED:
        return None
    place = {entry: index for index, entry in enumerate(order)}
    cells: list[list[str | None]] = [[None] * len(order) for _ in order]
    for meeting in view.met:
        one, other = place[meeting.first], place[meeting.second]
        first, second = meeting.points
        cells[one][other], cells[other][one] = f"{first:g}/{meeting.games}", f"{second:g}/{meeting.games}"
    return {"names": [entry_name(line) for line in view.standings], "cells": cells}
