"""A match on this server: who plays, whose clock runs, and what each person sees and may do.

Knows the referee (`ludus.play.match`) and what is stored of a match; knows no HTTP, no database and no workers. Every
change increases the version: a client that has version 7 gets everything since then in one message, so that it misses
nothing and gets nothing twice.
"""

from __future__ import annotations

import hashlib
import math
import re
import time
from collections import Counter
from collections.abc import Iterable, Sequence

from ludus.errors import MessageError
from ludus.messages import Message
from ludus.messages.fields import MessageField
from ludus.play.match import Match
from ludus.play.narration import ending
from ludus.play.record import Record
from ludus.players import HUMAN
from ludus.store.accounts import is_account
from ludus.store.bots import PREFIX
from ludus.store.matches import StoredMatch
from ludus.store.person_ratings import SeatRating
from ludus.view import View
from ludus.web.http.events import Observable
from ludus.web.matches.offers import Offer, Offers
from ludus.web.views import FrameView, PlyView, PositionView, frame_view, ply_view, position_view

OPEN = "open"
"""The player text of a seat for the first person who follows the link."""
IDLE_SECONDS = 60.0
"""How long a match stays in memory after a request when nobody follows it: longer than any request takes."""
SHOWN_SECONDS = 24 * 3600.0
"""How long the lobby shows a seat without a clock."""
ARRIVAL_SECONDS = 15.0
"""How long it shows a seat with a clock although nobody has opened its page yet."""
MOST_CHANGES = 1000
"""Versions that are remembered, so that a client gets only what is new; after an older one it gets everything."""
AWAY_SECONDS = 5.0
"""How long a person without an open page still counts as here: longer than a page takes to load again."""
SAME_SECONDS = 0.05
"""How long JSON is reused for people who see the same; only the clocks change meanwhile."""
BOTS = re.compile(rf'^\[(?:First|Second) "({PREFIX}\d+)"\]$', re.MULTILINE)


class SeatView(View):
    """A seat: the player text, the name where there is one, and whether it is the viewer's own."""

    player: str
    name: str | None = None
    you: bool = False
    away: bool | None = None
    """Whether the person has no page of this match open; None where nobody waits for a person."""
    rating: int | None = None
    """The person's Elo in a rated game, after it when it is over."""
    change: int | None = None
    """By how much the game has changed it."""


class OfferView(View):
    """An offer that waits for its answer."""

    what: str
    """`draw` or `takeback`."""
    side: int
    """Who made it."""


class MatchView(View):
    """A match as one person sees it, without the plies that are unchanged since the version last seen."""

    id: str
    version: int
    since: int
    """The number of unchanged plies; `plies` come after them."""
    frame: FrameView
    seats: tuple[SeatView, SeatView]
    clock: str
    left: tuple[float | None, float | None]
    """Seconds that the next move of each side may take at most."""
    running: int | None = None
    """The side whose clock runs, and for how many seconds."""
    elapsed: float = 0.0
    plies: list[PlyView] = []
    start: PositionView
    position: PositionView
    may: list[str] = []
    """What the viewer may do now: move, undo, hint, resign, sit, rematch, draw, takeback, answer, withdraw."""
    rated: bool = False
    offer: OfferView | None = None
    """What one person has offered the other, and is not answered yet."""
    rematch: str | None = None
    ending: MessageField | None = None
    """How it ended, told to the viewer: `You lost 119 : 329. A column is empty, so the game is over. 60 moves.`"""


class MatchSummaryView(View):
    """A match in a list."""

    id: str
    game: str
    title: str
    players: tuple[str, str]
    names: tuple[str | None, str | None]
    moves: int
    watching: int


class NotAllowed(MessageError):  # noqa: N818 - a refusal, not a failure
    """Refuses what a person may not do; the message says why."""


def owner_of(guest: str) -> str:
    """Return the owner text of a guest, from the secret in the cookie."""
    return hashlib.sha256(guest.encode()).hexdigest()[:32]


def known_in(stored: StoredMatch) -> list[str | None]:
    """Return the owners and the bots of a match: all that may have a name."""
    return [*stored.owners, *BOTS.findall(stored.record)]


class LiveMatch(Observable):
    """A match, and everyone who follows it."""

    def __init__(
        self, name: str, match: Match, owners: list[str | None], version: int = 1, *, closed: bool = False
    ) -> None:
        super().__init__()
        self.name = name
        self.names: dict[str, str] | None = None
        """The names of owners and bots; None until they are looked up."""
        self.ratings: Sequence[SeatRating | None] = (None, None)
        """The ratings of those who play a rated game."""
        self.closed = closed
        """Whether nothing more will be played, even if the board allows it."""
        self.match = match
        self.owners = owners
        self.version = version
        self.dropped = False
        """Whether it has left memory: withdrawn, or not stored; streams end, and begin again with what is."""
        self.rematch: str | None = None
        self.rated = self.listed = False
        self.offers = Offers(match.record)
        self.referee: str | None = None
        """The job that plays it, where this server only shows it."""
        self.address: str | None = None
        """Where its seat was offered from, as limits count it; a server that starts again does not know."""
        self.guest: str | None = None
        """The guest whose match it is, as long as no account takes part."""
        self.rests = False
        """Whether its job has stopped; it may start again."""
        self.watching = 0
        self.looked_at = self.turn_began = self._restored = time.monotonic()
        self._open_pages = Counter[str]()
        """The pages that each person has open."""
        self._last_here = dict[str, float]()
        """When each person was last here."""
        self._since = {version: 0}
        """For each version: the number of plies that it did not change."""
        self._shown: tuple[tuple[object, ...], float, str] | None = None
        """The last JSON, for whom, and when."""
        self._plies = list[PlyView]()
        self._start = position_view(match.record.start, legal=False)
        self.frame = frame_view(match.record.start)
        self._add_plies()
        self._position = position_view(match.state, match.outcome)

    @classmethod
    def restore(cls, stored: StoredMatch) -> LiveMatch:
        """Return a match from the database."""
        match = Match.resume(Record.parse(stored.record), finished=stored.finished)
        live = cls(stored.id, match, list(stored.owners), stored.version, closed=stored.finished)
        live.rematch, live.referee, live.guest = stored.rematch, stored.referee, stored.guest
        live.rated, live.listed, live.offers.open = stored.rated, stored.listed, Offer.read(stored.offer)
        return live

    def take(self, stored: StoredMatch) -> None:
        """Update the match with what its job has played."""
        before = self.match.record
        now = Record.parse(stored.record, known=before)
        pairs = enumerate(zip(before.moves, now.moves, strict=False))
        same = next((ply for ply, (old, new) in pairs if old.move != new.move), len(now.moves))
        self.match, self.closed = Match.resume(now, finished=stored.finished), stored.finished
        self.version = max(self.version, stored.version - 1)
        self.changed(min(same, len(before.moves)))

    def stored(self) -> StoredMatch:
        """Return the match as it is stored."""
        record = self.match.record
        return StoredMatch(
            self.name,
            record.game.name,
            record.text,
            list(self.owners),
            self.version,
            self.rematch,
            self.over,
            self.referee,
            None if any(map(is_account, self.owners)) else self.guest,
            self.counts,
            self.listed,
            None if self.offers.open is None else self.offers.open.text,
        )

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self.closed or self.match.outcome is not None

    @property
    def counts(self) -> bool:
        """Whether it is rated: a game that ends before both sides have moved is not."""
        return self.rated and (not self.over or {ply.side for ply in self._plies} == {0, 1})

    @property
    def ready(self) -> bool:
        """Whether both seats are taken."""
        return OPEN not in self.match.record.players

    @property
    def machine(self) -> str | None:
        """The text of the built-in player or bot whose turn it is."""
        text = self.match.record.players[self.match.state.side]
        automatic = not self.over and self.ready and self.referee is None and text != HUMAN
        return text if automatic else None

    @property
    def idle(self) -> bool:
        """Whether it can leave memory: nobody follows it, and no clock runs."""
        waits = self.over or not self.ready or (self.machine is None and self.left(self.match.state.side) is None)
        looked = self.watching > 0 or time.monotonic() - self.looked_at < IDLE_SECONDS
        return waits and not looked and not self.offered and (self.over or self.referee is None)

    @property
    def offered(self) -> bool:
        """Whether the lobby shows its open seat."""
        if not self.listed or self.ready or self.over or self.dropped:
            return False
        age = time.monotonic() - self.turn_began
        return age < SHOWN_SECONDS if self.match.record.clock == "none" else self.watching > 0 or age < ARRIVAL_SECONDS

    @property
    def friendly(self) -> bool:
        """Whether no two people compete: then undo and hints are allowed."""
        people = {owner for owner in self.owners if owner is not None}
        return len(people) <= 1 and self.ready

    def arrive(self, owner: str) -> None:
        """Count a page that someone has opened."""
        self.watching += 1
        self._open_pages[owner] += 1
        if owner in self.owners:  # the coming and going of others wakes nobody
            self.notify()

    def depart(self, owner: str) -> None:
        """Count a page that someone has closed."""
        self.watching -= 1
        self._open_pages[owner] -= 1
        if not self._open_pages[owner]:
            del self._open_pages[owner]
        if owner in self.owners:
            self._last_here[owner] = time.monotonic()

    @property
    def away(self) -> tuple[bool | None, bool | None]:
        """Whether the person on each side is away; None while the game is not one between two people."""
        first, second = self.owners
        if self.over or not self.ready or first is None or second is None or first == second:
            return None, None
        return self._is_away(first), self._is_away(second)

    def _is_away(self, owner: str) -> bool:
        since = self._last_here.get(owner, self._restored)
        return not self._open_pages[owner] and time.monotonic() - since >= AWAY_SECONDS

    def changed(self, since: int, *, turn: bool = True) -> None:
        """Increase the version after a change that kept the first `since` plies; a new `turn` starts its clock."""
        if self.over:
            self.offers.close("withdrawn")
        self.version += 1
        self._since[self.version] = since
        while len(self._since) > MOST_CHANGES:
            del self._since[next(iter(self._since))]
        del self._plies[since:]
        self._add_plies()
        self._position = position_view(self.match.state, self.match.outcome)
        if turn:
            self.turn_began = time.monotonic()

    def _add_plies(self) -> None:
        """Add the views of plies that have none yet."""
        moves = self.match.record.moves
        if len(self._plies) == len(moves):
            return
        states = self.match.record.states()
        for ply in range(len(self._plies), len(moves)):
            self._plies.append(ply_view(states[ply], moves[ply], states[ply + 1]))

    def since(self, seen: int) -> int:
        """Return how many plies are unchanged since a version; 0 for an unknown version."""
        if seen not in self._since:
            return 0
        return min((since for version, since in self._since.items() if version > seen), default=len(self._plies))

    def sides_of(self, owner: str | None) -> list[int]:
        """Return the sides that a person plays."""
        return [side for side in (0, 1) if owner is not None and self.owners[side] == owner]

    def may(self, owner: str | None) -> list[str]:
        """Return what a person may do now: actions as in `MatchView.may`."""
        mine = self.sides_of(owner)
        if self.dropped:
            return []
        if self.over:
            return ["rematch"] if mine else []
        if not self.ready:
            return [] if mine or (self.rated and not is_account(owner)) else ["sit"]
        if not mine:
            return []
        allowed = ["resign"]
        if self.match.state.side in mine:
            allowed.append("move")
            if self.friendly:
                allowed.append("hint")
        if self.friendly and any(ply.side in mine for ply in self._plies):
            allowed.append("undo")
        if len({*self.owners} - {None}) == 2:
            moved = {ply.side for ply in self._plies}
            allowed += self.offers.allowed(mine[0], moved, rated=self.rated)
        return allowed

    def require(self, what: str, owner: str | None) -> None:
        """Raise NotAllowed for an action that a person may not take."""
        if what not in self.may(owner):
            raise NotAllowed(self._why_not(what, owner))
        if owner is not None:
            self._last_here[owner] = time.monotonic()

    def _why_not(self, what: str, owner: str | None) -> Message:
        if self.over and what != "rematch":
            return Message("web.match_over")
        if not self.sides_of(owner) and what != "sit":
            return Message("web.only_watching")
        if what == "move":
            return Message("web.not_your_turn") if self.ready else Message("web.opponent_missing")
        if what == "sit" and self.rated and not self.ready:
            return Message("web.rated_needs_account")
        codes = {
            "sit": "web.no_open_seat",
            "undo": "web.nothing_to_undo",
            "hint": "web.no_hints",
            "draw": "web.no_offer_now",
            "takeback": "web.no_offer_now",
            "answer": "web.nothing_offered",
            "withdraw": "web.nothing_offered",
        }
        return Message(codes.get(what, "web.not_now"))

    def left(self, side: int) -> float | None:
        """Return the seconds that a side's next move may take at most; None without a clock."""
        seconds = self.match.time_left(side).seconds
        return None if math.isinf(seconds) else round(seconds, 3)

    def view(self, owner: str | None, seen: int = 0) -> MatchView:
        """Return the match for a person who has seen a version of it."""
        since = self.since(seen)
        runs = not self.over and self.ready and not self.rests
        mine = self.sides_of(owner)
        first, second = (
            self._seat(side, text, you=side in mine, away=None if side in mine else away)
            for side, (text, away) in enumerate(zip(self.match.record.players, self.away, strict=True))
        )
        return MatchView(
            id=self.name,
            version=self.version,
            since=since,
            frame=self.frame,
            seats=(first, second),
            clock=self.match.record.clock,
            left=(self.left(0), self.left(1)),
            running=self.match.state.side if runs else None,
            elapsed=round(time.monotonic() - self.turn_began, 3) if runs else 0.0,
            plies=self._plies[since:],
            start=self._start,
            position=self._position,
            may=self.may(owner),
            rematch=self.rematch,
            rated=self.counts,
            offer=None
            if self.offers.open is None
            else OfferView(what=self.offers.open.what, side=self.offers.open.side),
            ending=self._ending(mine),
        )

    def _seat(self, side: int, player: str, *, you: bool, away: bool | None) -> SeatView:
        view = SeatView(player=player, name=self.name_of(side), you=you, away=away)
        if (rating := self.ratings[side]) is not None:
            view.rating = round(rating.elo)
            view.change = None if rating.change is None else view.rating - round(rating.elo - rating.change)
        return view

    def _ending(self, mine: list[int]) -> Message | None:
        """Return how the game ended, for someone who plays these sides."""
        state, outcome = self.match.state, self.match.outcome
        reader = mine[0] if len(mine) == 1 else None
        return outcome and ending(state, outcome, len(self._plies), reader)

    def json(self, owner: str | None, seen: int) -> str:
        """Return the view as JSON; it is written once for all who see the same."""
        viewer: tuple[int | str, ...] = (*self.sides_of(owner), *self.may(owner))
        key = (self.version, seen, *viewer, self.name_of(0), self.name_of(1), *self.away, *self.ratings)
        now = time.monotonic()
        if self._shown is None or self._shown[0] != key or now - self._shown[1] > SAME_SECONDS:
            self._shown = (key, now, self.view(owner, seen).model_dump_json(exclude_defaults=True))
        return self._shown[2]

    def name_of(self, side: int) -> str | None:
        """Return the name of the person or the bot on a side, where it is known."""
        return (self.names or {}).get(self.owners[side] or self.match.record.players[side])

    def set_owners(self, owners: Iterable[str | None]) -> None:
        """Change the owners of the seats; their names must be looked up again."""
        self.owners = list(owners)
        self.names = None

    def summary(self) -> MatchSummaryView:
        """Return the match for a list."""
        record = self.match.record
        return MatchSummaryView(
            id=self.name,
            game=self.frame.game,
            title=self.frame.title,
            players=record.players,
            names=(self.name_of(0), self.name_of(1)),
            moves=len(record.moves),
            watching=self.watching,
        )
