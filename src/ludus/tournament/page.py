"""A tournament as one HTML page: no script, no network, light and dark, from a phone to a wide screen.

Shows the view of the tournament, its games and its plots in a language; the template `tournament.html` lays them out.
The page is well-formed XML too, so that a test can read all of it.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from markupsafe import Markup

from ludus.drawing.palette import ACCENTS, DARK, LIGHT
from ludus.drawing.plots import seconds
from ludus.drawing.svg import FONTS
from ludus.files import read_text
from ludus.messages import Message, known
from ludus.messages.names import entry_names, player_message
from ludus.play.result import PLAYED_OUT, GameResult
from ludus.tournament.templates import render_page
from ludus.tournament.view import clock_words

if TYPE_CHECKING:
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

STYLE = Path(__file__).parent / "templates" / "tournament.css"


class Plot(NamedTuple):
    """A plot, and whether it is wider than most."""

    svg: Markup
    wide: bool


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


def page(view: TournamentView, games: Sequence[GameResult], plots: Mapping[str, str], language: str = "en") -> str:
    """Return the page of a tournament from its view, its games and its plots, which are in the same language."""
    ties, decided = view.ties, view.decided
    view, games = _with_names(view, games, language)
    ends = [end for line in view.standings if line.rating for end in (line.rating.low, line.rating.high)]
    rounds = _rounds(view, games) if len(games) <= MOST_LISTED else {}
    return render_page(
        "ludus.tournament",
        "tournament.html",
        language,
        view=view,
        style=Markup(_style()),  # noqa: S704 - our own
        lead=_lead(view),
        decided=decided,
        clock=clock_words(view.clock),
        criterion=view.reached.name if view.reached else "",
        titles={"": "", "rating": Message("criterion.rating")} | {one.name: one.title for one in view.criteria},
        ranked_by=[
            Message("tournament.page.criterion", title=one.title, help=one.help_message) for one in view.criteria
        ],
        low=min(ends, default=0.0),
        high=max(ends, default=1.0),
        ties=ties,
        bracket=Markup(plots["bracket"]) if "bracket" in plots else None,  # noqa: S704
        plots=[_plot(svg) for name, svg in plots.items() if name != "bracket"],
        most_crossed=MOST_CROSSED,
        crossed=view.cross if view.met and len(view.standings) <= MOST_CROSSED else (),
        too_many=len(games) if len(games) > MOST_LISTED else 0,
        rounds=rounds,
        folded=sum(map(len, rounds.values())) > MOST_FLAT,
        played_out=PLAYED_OUT,
        seconds=seconds,
        player_message=player_message,
    )


def _style() -> str:
    """Return the colours for light and for dark, and the rules that use them."""
    shared = {"first": ACCENTS[0], "second": ACCENTS[1], "fonts": FONTS}
    light, dark = ("".join(f"--{name}:{value};" for name, value in one.items()) for one in ({**shared, **LIGHT}, DARK))
    return f":root{{{light}}}\n@media (prefers-color-scheme: dark){{:root{{{dark}}}}}\n{read_text(STYLE)}"


def _with_names(
    view: TournamentView, games: Sequence[GameResult], language: str
) -> tuple[TournamentView, Sequence[GameResult]]:
    """Show entries that have no name of their own by the names of their players."""
    called = entry_names({line.entry: line.player for line in view.standings}, language)
    standings = [_with_name(line, called) for line in view.standings]
    failures = [line.model_copy(update={"entry": called[line.entry]}) for line in view.failures]
    met = [one.model_copy(update={"first": called[one.first], "second": called[one.second]}) for one in view.met]
    named_games = [replace(game, first=called[game.first], second=called[game.second]) for game in games]
    return view.model_copy(update={"standings": standings, "failures": failures, "met": met}), named_games


def _with_name(line: StandingView, called: Mapping[str, str]) -> StandingView:
    name, message = called[line.entry], line.explanation_message
    names = {who: called[message.params[who]] for who in ("entry", "above") if who in message.params}
    explanation = Message(message.code, **{**message.params, **names})
    player = name if line.entry == line.player else line.player
    return line.model_copy(update={"entry": name, "player": player, "explanation_message": explanation})


def _lead(view: TournamentView) -> Message:
    """Return who has won, or leads."""
    leaders = view.leaders
    names: object = [line.entry for line in leaders]
    if len(leaders) > MOST_NAMED:
        names = Message("tournament.page.many", n=len(leaders))
    if not view.finished:
        return Message("reports.leads", names=names)
    return Message("reports.winner" if len(leaders) == 1 else "reports.shared", names=names)


def _plot(svg: str) -> Plot:
    width = float(svg.partition('width="')[2].partition('"')[0])
    return Plot(Markup(svg), width > WIDE_PLOT)  # noqa: S704


def _rounds(view: TournamentView, games: Sequence[GameResult]) -> dict[tuple[Message | str, int], list[PairingGames]]:
    """Return the games by round, with its stage and number, and by pairing."""
    pairings: dict[str, list[GameResult]] = defaultdict(list)
    for game in games:
        pairings[game.pairing].append(game)
    known_pairings = {pairing.key: pairing for pairing in (*view.pairings, *view.open_pairings)}
    rounds: dict[tuple[Message | str, int], list[PairingGames]] = defaultdict(list)
    for key, own in pairings.items():
        pairing = known_pairings.get(key)
        stage, number = (pairing.stage, pairing.round) if pairing else ("", 0)
        one, other = own[0].entries[::-1] if own[0].seats else own[0].entries
        name = known(f"stage.{stage}", stage.capitalize()) if stage else ""
        rounds[name, number].append(PairingGames(key, one, other, own))
    return rounds
