"""What pages show of people: games in a list, ratings, results against levels. Knows no HTTP and no database."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime

from ludus.store.accounts import is_account
from ludus.store.person_ratings import PersonRating
from ludus.store.played import PAGE, LevelScore, Played
from ludus.tournament.view import RatingView
from ludus.view import View
from ludus.web.views import game_title


class OpponentView(View):
    """Who sat on the other side: the player text, and the name where there is one."""

    player: str
    name: str | None = None
    person: bool = False
    """Whether the name is that of an account."""
    private: bool = False
    """Whether it is a bot that the viewer may not see."""
    here: bool = False
    """Whether the person plays both sides."""


class PlayedView(View):
    """A game in a list, as the person whose list it is sees it."""

    id: str
    game: str
    title: str
    side: int
    opponent: OpponentView
    result: str
    moves: int
    rated: bool
    touched: datetime


class PlayedPageView(View):
    """A page of a list of games."""

    games: list[PlayedView]
    count: int
    """Of all pages."""
    size: int = PAGE


class RatingPointView(View):
    """A rating after a game."""

    at: datetime
    match: str | None
    """None where the person does not show their games."""
    rating: RatingView


class RatingHistoryView(View):
    """The ratings of a person in one game, the oldest first."""

    game: str
    title: str
    points: list[RatingPointView]


class PublicBotView(View):
    """A public bot of a person."""

    id: int
    name: str
    game: str
    entered: bool


class TotalView(View):
    """Games of a person in one game, by their result."""

    game: str
    title: str
    won: int
    drawn: int
    lost: int


class ProfileView(View):
    """A person as a viewer sees them; parts that the person does not show are None."""

    name: str
    joined: datetime
    mine: bool
    public: bool
    shows: list[str]
    """The parts that others see."""
    totals: list[TotalView] | None
    games: PlayedPageView | None
    ratings: list[RatingHistoryView] | None
    bots: list[PublicBotView] | None
    levels: list[LevelScore] | None


def played_views(rows: Iterable[Played], names: Mapping[str, str], hidden: set[str]) -> list[PlayedView]:
    """Return games for a list."""
    return [
        PlayedView(
            id=row.match_id,
            game=row.game,
            title=game_title(row.game),
            side=row.side,
            opponent=_opponent(row, names, hidden),
            result=row.result,
            moves=row.moves,
            rated=row.rated,
            touched=row.touched,
        )
        for row in rows
    ]


def _opponent(row: Played, names: Mapping[str, str], hidden: set[str]) -> OpponentView:
    if row.opponent in hidden:
        return OpponentView(player="?", private=True)
    if row.opponent_owner == row.owner:
        return OpponentView(player=row.opponent, here=True)
    name = names.get(row.opponent_owner or row.opponent)
    return OpponentView(player=row.opponent, name=name, person=is_account(row.opponent_owner) and name is not None)


def rating_histories(rows: Iterable[PersonRating], *, matches: bool) -> list[RatingHistoryView]:
    """Return ratings by game, perhaps with the matches that they come from."""
    found: dict[str, list[RatingPointView]] = {}
    for row in rows:
        rating = RatingView.model_validate(row.rating)
        point = RatingPointView(at=row.at, match=row.match_id if matches else None, rating=rating)
        found.setdefault(row.game, []).append(point)
    return [RatingHistoryView(game=game, title=game_title(game), points=points) for game, points in found.items()]
