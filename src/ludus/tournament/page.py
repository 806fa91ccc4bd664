"""A tournament as one HTML page: no script, no network, light and dark, from a phone to a wide screen.

Shows the view of the tournament, its games and its plots; the template `page.html.jinja` lays them out. Every text is
escaped by Jinja. The page is well-formed XML too, so that a test can read all of it.
"""

from __future__ import annotations

import functools
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from ludus.display import visible
from ludus.drawing.palette import ACCENTS, DARK, LIGHT
from ludus.drawing.plots import seconds
from ludus.drawing.svg import FONTS
from ludus.files import read_text
from ludus.messages.names import entry_names, player_name
from ludus.play.result import PLAYED_OUT

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ludus.play.result import GameResult
    from ludus.tournament.view import StandingView, TournamentView

MOST_CROSSED = 40
"""Entries up to which there is a cross table, and the standings are shown in full length."""
MOST_FLAT = 30
"""Pairings up to which the list of games is not folded by rounds."""
MOST_LISTED = 20_000
"""Games up to which the page lists them."""
MOST_NAMED = 4
"""Leaders up to which each is named."""
WIDE_PLOT = 700

FOLDER = Path(__file__).parent


def counted(count: int, thing: str) -> str:
    """Return `1 game`, `2 games`."""
    return f"{count:,} {thing}" if count == 1 else f"{count:,} {thing}s"


class Plot(NamedTuple):
    """A plot, and whether it is wider than most."""

    svg: Markup
    wide: bool


class CrossCell(NamedTuple):
    """Game points of one entry against another."""

    points: float
    games: int


class CrossRow(NamedTuple):
    """A row of the cross table."""

    place: int
    entry: str
    cells: list[CrossCell | None]


class PairingGames(NamedTuple):
    """The games of a pairing, as the first entry of its first game sees them."""

    key: str
    one: str
    other: str
    games: list[GameResult]

    @property
    def points(self) -> float:
        """The game points of `one`."""
        return sum(game.points(self.one) for game in self.games)

    @property
    def has_margin(self) -> bool:
        """Whether points on the board matter here."""
        return any(game.margin for game in self.games)


class Round(NamedTuple):
    """The pairings of a round."""

    name: str
    pairings: list[PairingGames]


@functools.cache
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(FOLDER),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=lambda value: visible(value) if type(value) is str else value,
    )
    environment.filters |= {
        "counted": counted,
        "seconds": seconds,
        "player_name": player_name,
        "options": lambda options: ", ".join(f"{name}={value}" for name, value in options.items()),
    }
    return environment


def page(view: TournamentView, games: Sequence[GameResult], plots: Mapping[str, str]) -> str:
    """Return the page of a tournament from its view, its games and its plots."""
    view, games = _with_names(view, games)
    ends = [end for line in view.standings if line.rating for end in (line.rating.low, line.rating.high)]
    first = view.criteria[0].name if view.criteria else ""
    rounds = _rounds(view, games) if len(games) <= MOST_LISTED else []
    return _environment().get_template("page.html.jinja").render(
        view=view,
        style=Markup(_style()),  # noqa: S704 - our own
        leaders=_leaders([line.entry for line in view.leaders]),
        clock=_clock(view.clock),
        criterion=first if first not in ("points", "score") else "",
        low=min(ends, default=0.0),
        high=max(ends, default=1.0),
        ties=_ties(view, first),
        bracket=Markup(plots["bracket"]) if "bracket" in plots else None,  # noqa: S704
        plots=[_plot(svg) for name, svg in plots.items() if name != "bracket"],
        most_crossed=MOST_CROSSED,
        crossed=_cross_table(view),
        too_many=len(games) if len(games) > MOST_LISTED else 0,
        rounds=rounds,
        folded=sum(len(one.pairings) for one in rounds) > MOST_FLAT,
        played_out=PLAYED_OUT,
    )  # fmt: skip


def _style() -> str:
    """Return the colours for light and for dark, and the rules that use them."""
    shared = {"first": ACCENTS[0], "second": ACCENTS[1], "fonts": FONTS}
    light, dark = ("".join(f"--{name}:{value};" for name, value in one.items()) for one in ({**shared, **LIGHT}, DARK))
    return f":root{{{light}}}\n@media (prefers-color-scheme: dark){{:root{{{dark}}}}}\n{read_text(FOLDER / 'page.css')}"


def _with_names(view: TournamentView, games: Sequence[GameResult]) -> tuple[TournamentView, Sequence[GameResult]]:
    """Show entries that have no name of their own by the names of their players."""
    called = entry_names({line.entry: line.player for line in view.standings})
    if all(entry == name for entry, name in called.items()):
        return view, games
    standings: list[StandingView] = []
    for line in view.standings:
        name = called[line.entry]
        named = line.model_copy(update={"entry": name, "player": name if line.entry == line.player else line.player})
        explained = _explanation(named, standings[-1] if standings else None)
        standings.append(named.model_copy(update={"explanation": explained}))
    failures = [line.model_copy(update={"entry": called[line.entry]}) for line in view.failures]
    met = [one.model_copy(update={"first": called[one.first], "second": called[one.second]}) for one in view.met]
    named_games = [replace(game, first=called[game.first], second=called[game.second]) for game in games]
    return view.model_copy(update={"standings": standings, "failures": failures, "met": met}), named_games


def _explanation(line: StandingView, above: StandingView | None) -> str:
    """Say what put an entry below the one before it."""
    by = line.decided_by
    if above is None:
        return f"{line.entry} leads"
    if not by:
        return f"{line.entry} shares rank {line.rank} with {above.entry}: nothing tells them apart"
    if by == "rating":
        return line.explanation
    return f"{line.entry} is behind {above.entry} on {by}: {line.criteria[by]} against {above.criteria[by]}"


def _leaders(names: Sequence[str]) -> str:
    if len(names) > MOST_NAMED:
        return f"{len(names)} entries"
    return " and ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)


def _clock(clock: str) -> str:
    if clock == "none":
        return clock
    number = clock.removeprefix("cpu:")
    words = number.replace("/move", " s a move") if "/move" in number else f"{number} s"
    return words if number == clock else f"{words}, CPU time"


def _ties(view: TournamentView, first: str) -> list[str]:
    """Return what decided each tie on the first criterion."""
    return [
        line.explanation
        for above, line in zip(view.standings, view.standings[1:], strict=False)
        if line.rank == above.rank or line.decided_by not in ("", first)
    ]


def _plot(svg: str) -> Plot:
    width = float(svg.partition('width="')[2].partition('"')[0])
    return Plot(Markup(svg), width > WIDE_PLOT)  # noqa: S704


def _cross_table(view: TournamentView) -> list[CrossRow]:
    """Return the game points of each against each, also of pairings that are still being played."""
    order = [line.entry for line in view.standings]
    if not view.met or len(order) > MOST_CROSSED:
        return []
    cells: dict[tuple[str, str], CrossCell] = {}
    for meeting in view.met:
        first, second = meeting.points
        cells[meeting.first, meeting.second] = CrossCell(first, meeting.games)
        cells[meeting.second, meeting.first] = CrossCell(second, meeting.games)
    return [CrossRow(place, one, [cells.get((one, other)) for other in order]) for place, one in enumerate(order)]


def _rounds(view: TournamentView, games: Sequence[GameResult]) -> list[Round]:
    """Return the games by round and pairing."""
    pairings: dict[str, list[GameResult]] = {}
    for game in games:
        pairings.setdefault(game.pairing, []).append(game)
    known = {pairing.key: pairing for pairing in (*view.pairings, *view.open_pairings)}
    rounds: dict[str, list[PairingGames]] = {}
    for key, own in pairings.items():
        pairing = known.get(key)
        stage, number = (pairing.stage, pairing.round) if pairing else ("", 0)
        name = " · ".join(part for part in (stage.capitalize(), f"Round {number}") if part)
        one, other = own[0].entries[::-1] if own[0].seats else own[0].entries
        rounds.setdefault(name, []).append(PairingGames(key, one, other, own))
    return [Round(name, pairings) for name, pairings in rounds.items()]
