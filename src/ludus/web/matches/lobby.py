"""The lobby: seats that wait for anybody, who may offer and take them, and which one suits whom. Knows no HTTP.

A seat with a clock is shown while somebody is at its page, so that the person who takes it meets an opponent; a
seat without a clock is shown for a day. A rated game needs two accounts, a clock and the usual board, so that a rating
means the same for everybody; two people rate at most `MOST_RATED_A_DAY` games against each other in 24 hours.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from starlette.concurrency import run_in_threadpool

from ludus.errors import UserError
from ludus.game import Game, game
from ludus.play.clock import Clock
from ludus.players import HUMAN
from ludus.store.accounts import is_account
from ludus.view import View
from ludus.web.jobs.workers import Busy
from ludus.web.matches.live import OPEN, LiveMatch, NotAllowed
from ludus.web.views import drawable_games

if TYPE_CHECKING:
    from ludus.store.person_ratings import PersonRatings
    from ludus.web.matches.arena import Arena

MOST_OF_ONE = 3
"""Open seats that one person may offer in the lobby."""
MOST_OF_ADDRESS = 40
"""Open seats from one address: a whole class may share one, and nobody fills the lobby alone."""
MOST_SEATS = 300
"""Open seats in the lobby."""
MOST_RATED_A_DAY = 12
SAME_SECONDS = 1.0
"""How long the ratings of those who wait are shown before they are read again."""


class Terms(NamedTuple):
    """How a game is to be played."""

    game: Game
    clock: Clock
    rated: bool

    @property
    def usual(self) -> bool:
        """Whether the board and the rules are those that the game has without options."""
        return self.game.options == game(self.game.name).options


class SeatOfferView(View):
    """A seat in the lobby."""

    id: str
    game: str
    title: str
    options: dict[str, int | str] = {}
    """Those that are not the usual ones."""
    clock: str
    rated: bool = False
    side: int
    """The side that is free."""
    name: str | None = None
    """Who waits; None for a guest."""
    rating: float | None = None
    mine: bool = False


def read_terms(name: str, options: dict[str, int | str], clock_text: str, *, rated: bool, owner: str) -> Terms:
    """Return the terms of a game; raise UserError where they are impossible."""
    if name not in drawable_games():
        raise UserError("web.no_game_named", name=repr(name), games=list(drawable_games()))
    clock = Clock.parse(clock_text)
    if clock.cpu:
        raise UserError("web.no_cpu_clock")
    terms = Terms(game(name, **options), clock, rated)
    if rated and not is_account(owner):
        raise NotAllowed("web.rated_needs_account")
    if rated and (not terms.usual or clock.text == "none"):
        raise UserError("web.rated_terms")
    return terms


class Lobby:
    """The seats that wait for anybody."""

    def __init__(self, arena: Arena, ratings: PersonRatings) -> None:
        self._arena = arena
        self._ratings = ratings
        self._rated: tuple[tuple[tuple[str, str], ...], float, Mapping[tuple[str, str], float]] = ((), 0.0, {})
        """The ratings that were read last: of whom, and how long they hold."""

    def seats(self) -> list[LiveMatch]:
        """Return the matches whose seat is shown now, the longest waiting first."""
        return self._arena.seats()

    def admit(self, owner: str, address: str) -> None:
        """Refuse another seat of a person or an address that offers enough, or of anybody if the lobby is full."""
        seats = self.seats()
        if sum(owner in live.owners for live in seats) >= MOST_OF_ONE:
            raise Busy("web.too_many_seats", most=MOST_OF_ONE)
        if sum(live.address == address for live in seats) >= MOST_OF_ADDRESS:
            raise Busy("web.too_many_seats_here", most=MOST_OF_ADDRESS)
        if len(seats) >= MOST_SEATS:
            raise Busy("web.lobby_full")

    def compatible(self, terms: Terms, owner: str) -> list[LiveMatch]:
        """Return the seats that suit a person, the longest waiting first."""
        return [live for live in self.seats() if self.matches(live, terms) and "sit" in live.may(owner)]

    @staticmethod
    def matches(live: LiveMatch, terms: Terms) -> bool:
        """Return whether a match has these terms."""
        record = live.match.record
        same = record.game.options == terms.game.options and record.game.name == terms.game.name
        return same and record.clock == terms.clock.text and live.rated == terms.rated

    async def take(self, live: LiveMatch, owner: str) -> None:
        """Let a person take the open seat of a match."""
        live.require("sit", owner)
        await self.check_rated(live, owner)
        await self._arena.sit(live, owner)

    async def check_rated(self, live: LiveMatch, owner: str) -> None:
        """Refuse a rated game between two people who have played, or are playing, enough of them today."""
        other = next((one for one in live.owners if one is not None and one != owner), None)
        if not live.rated or other is None or not (is_account(owner) and is_account(other)):
            return
        met = await run_in_threadpool(self._ratings.met_today, int(owner[8:]), int(other[8:]))
        if met + self._arena.rated_now(owner, other) >= MOST_RATED_A_DAY:
            raise NotAllowed("web.met_enough", most=MOST_RATED_A_DAY)

    async def views(self, owner: str) -> list[SeatOfferView]:
        """Return the seats for a person."""
        seats = self.seats()
        views = [_view(live, owner) for live in seats]  # before anything is awaited: a seat may be taken meanwhile
        waiting = tuple((_waiting(live), live.frame.game) for live in seats)
        ratings = await self._ratings_of(waiting)
        for view, who in zip(views, waiting, strict=True):
            view.rating = ratings.get(who)
        return views

    async def _ratings_of(self, waiting: tuple[tuple[str, str], ...]) -> Mapping[tuple[str, str], float]:
        """Return the ratings of those who wait, by owner and game; for all who ask at about the same time, once."""
        before, until, found = self._rated
        if before != waiting or time.monotonic() > until:
            found = await run_in_threadpool(self._find_ratings, waiting)
            self._rated = (waiting, time.monotonic() + SAME_SECONDS, found)
        return found

    def _find_ratings(self, waiting: Iterable[tuple[str, str]]) -> dict[tuple[str, str], float]:
        people: dict[str, list[int]] = {}
        for who, name in waiting:
            if is_account(who):
                people.setdefault(name, []).append(int(who[8:]))
        return {
            (f"account:{number}", name): rating.elo
            for name, numbers in people.items()
            for number, rating in self._ratings.current(numbers, name).items()
        }


def _waiting(live: LiveMatch) -> str:
    """Return the owner of the seat that is taken."""
    return next((owner for owner in live.owners if owner is not None), "")


def _view(live: LiveMatch, owner: str) -> SeatOfferView:
    record = live.match.record
    side = record.players.index(OPEN)
    return SeatOfferView(
        id=live.name,
        game=record.game.name,
        title=live.frame.title,
        options=dict(record.game.given),
        clock=record.clock,
        rated=live.rated,
        side=side,
        name=live.name_of(1 - side),
        mine=owner in live.owners,
    )


def seats_for(side: int) -> tuple[str, str]:
    """Return the seats of a match in which a person plays one side and the other is open."""
    return (HUMAN, OPEN) if side == 0 else (OPEN, HUMAN)
