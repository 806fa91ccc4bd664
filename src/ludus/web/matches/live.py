"""A match that is played here: who sits where, whose time runs, what a looker sees and may do.

Knows the referee (`ludus.play.match`) and what is stored of a match; knows no HTTP, no store and no workers. Every
change has a number, the version: who has seen version 7 gets everything since in one piece, so that nothing is missed
or seen twice.
"""

from __future__ import annotations

import asyncio
import hashlib
import math
import re
import time
from typing import TYPE_CHECKING

from ludus.errors import MessageError
from ludus.messages import Message
from ludus.play.match import Match
from ludus.play.record import Record
from ludus.players import HUMAN
from ludus.store.accounts import is_account
from ludus.store.bots import PREFIX
from ludus.store.matches import StoredMatch
from ludus.web.http.events import compact
from ludus.web.views import (
    FramePicture,
    Picture,
    PlyPicture,
    PositionPicture,
    frame_picture,
    ply_picture,
    position_picture,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

OPEN = "open"
"""A seat that waits for the person who follows the link."""
IDLE_SECONDS = 60.0
"""How long a match stays in memory after a look though nobody follows it: longer than any request that holds it.
Then it is read from the store when someone looks."""
MOST_CHANGES = 1000
"""Changes of a match that are remembered, so that whoever has seen one is told only what came after it."""
SAME_SECONDS = 0.05
"""How long what was shown to one is shown to others who see the same; only clocks have moved meanwhile."""
BOTS = re.compile(rf'^\[(?:First|Second) "({PREFIX}\d+)"\]$', re.MULTILINE)


class SeatPicture(Picture):
    """A seat: the player's text, the name of a person who is known by one, and whether it is the looker's own."""

    player: str
    name: str | None = None
    you: bool = False


class MatchPicture(Picture):
    """A match as one person sees it, from a ply on: what was before is unchanged since the version last seen."""

    id: str
    version: int
    since: int
    """The number of plies that stay as they were; `plies` follow them."""
    frame: FramePicture
    seats: tuple[SeatPicture, SeatPicture]
    clock: str
    left: tuple[float | None, float | None]
    """Seconds that the next move of each side may take at most."""
    running: int | None = None
    """The side whose time runs, and since when, in seconds."""
    elapsed: float = 0.0
    plies: list[PlyPicture] = []  # noqa: RUF012 - pydantic gives each its own
    start: PositionPicture
    position: PositionPicture
    may: list[str] = []  # noqa: RUF012
    """What the looker may do now: move, undo, hint, resign, sit, rematch."""
    rematch: str | None = None


class MatchLine(Picture):
    """A match in a list."""

    id: str
    game: str
    title: str
    players: tuple[str, str]
    names: tuple[str | None, str | None]
    moves: int
    watching: int


class NotAllowed(MessageError):  # noqa: N818 - an answer, no failure
    """Something that this person may not do; the message says why."""


def owner_of(guest: str) -> str:
    """Return what is kept of a guest's secret."""
    return hashlib.sha256(guest.encode()).hexdigest()[:32]


def known_in(stored: StoredMatch) -> list[str | None]:
    """Return the owners and the bots of a match: those who may have a name."""
    return [*stored.owners, *BOTS.findall(stored.record)]


class LiveMatch:
    """A match, and everyone who follows it."""

    def __init__(
        self, name: str, match: Match, owners: list[str | None], version: int = 1, *, closed: bool = False
    ) -> None:
        self.name = name
        self.names: dict[str, str] | None = None
        """What its owners and bots are called, of those who have a name; None until that is found out."""
        self.closed = closed
        """Whether nothing more will be played, whatever the board says."""
        self.match = match
        self.owners = owners
        self.version = version
        self.rematch: str | None = None
        self.referee: str | None = None
        """Who plays it, where the server only looks on."""
        self.guest: str | None = None
        """The guest whom it counts for, as long as no account takes part."""
        self.rests = False
        """Whether its referee has stopped; it may begin anew."""
        self.news = asyncio.Event()
        self.watching = 0
        self.looked_at = self.turn_began = time.monotonic()
        self._since = {version: 0}
        """For each version: the number of plies that it left as they were."""
        self._shown: tuple[tuple[int | str | None, ...], float, str] | None = None
        """What was last shown to whom, when, and as what JSON."""
        self._plies: list[PlyPicture] = []
        self._start = position_picture(match.record.start, legal=False)
        self.frame = frame_picture(match.record.start)
        self._draw()
        self._position = position_picture(match.state, match.outcome)

    @classmethod
    def restore(cls, stored: StoredMatch) -> LiveMatch:
        """Bring a match back from the store."""
        match = Match.resume(Record.parse(stored.record), finished=stored.finished)
        live = cls(stored.id, match, list(stored.owners), stored.version, closed=stored.finished)
        live.rematch, live.referee, live.guest = stored.rematch, stored.referee, stored.guest
        return live

    def take(self, stored: StoredMatch) -> None:
        """Take over what has been played elsewhere."""
        before = self.match.record
        now = Record.parse(stored.record, known=before)
        pairs = enumerate(zip(before.moves, now.moves, strict=False))
        same = next((ply for ply, (old, new) in pairs if old.move != new.move), len(now.moves))
        self.match, self.closed = Match.resume(now, finished=stored.finished), stored.finished
        self.version = max(self.version, stored.version - 1)
        self.changed(min(same, len(before.moves)))

    def stored(self) -> StoredMatch:
        """Return what the store keeps."""
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
        )

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self.closed or self.match.outcome is not None

    @property
    def ready(self) -> bool:
        """Whether both seats are taken."""
        return OPEN not in self.match.record.players

    @property
    def machine(self) -> str | None:
        """The text of the player of ours whose turn it is."""
        text = self.match.record.players[self.match.state.side]
        ours = not self.over and self.ready and self.referee is None and text != HUMAN
        return text if ours else None

    @property
    def idle(self) -> bool:
        """Whether it can be read from the store whenever someone looks again: nobody follows it, and no time runs."""
        waits = self.over or not self.ready or (self.machine is None and self.left(self.match.state.side) is None)
        looked = self.watching > 0 or time.monotonic() - self.looked_at < IDLE_SECONDS
        return waits and not looked and (self.over or self.referee is None)

    @property
    def friendly(self) -> bool:
        """Whether no two people compete: then moves may be taken back, and hints be had."""
        people = {owner for owner in self.owners if owner is not None}
        return len(people) <= 1 and self.ready

    def changed(self, since: int) -> None:
        """Number a change that left so many plies as they were."""
        self.version += 1
        self._since[self.version] = since
        while len(self._since) > MOST_CHANGES:  # whoever has not looked for so long is shown everything
            del self._since[next(iter(self._since))]
        del self._plies[since:]
        self._draw()
        self._position = position_picture(self.match.state, self.match.outcome)
        self.turn_began = time.monotonic()

    def tell(self) -> None:
        """Wake everyone who follows."""
        news, self.news = self.news, asyncio.Event()
        news.set()

    def _draw(self) -> None:
        """Draw the plies that are not yet drawn."""
        moves = self.match.record.moves
        if len(self._plies) == len(moves):
            return
        states = self.match.record.states()
        for ply in range(len(self._plies), len(moves)):
            self._plies.append(ply_picture(states[ply], moves[ply], states[ply + 1]))

    def since(self, seen: int) -> int:
        """Give the number of plies that are the same as in a version seen earlier; a version unknown here has none."""
        if seen not in self._since:
            return 0
        return min((since for version, since in self._since.items() if version > seen), default=len(self._plies))

    def sides_of(self, owner: str | None) -> list[int]:
        """Return the sides that a person plays."""
        return [side for side in (0, 1) if owner is not None and self.owners[side] == owner]

    def may(self, owner: str | None) -> list[str]:
        """Return what a person may do now."""
        mine = self.sides_of(owner)
        if self.over:
            return ["rematch"] if mine else []
        if not self.ready:
            return [] if mine else ["sit"]
        if not mine:
            return []
        allowed = ["resign"]
        if self.match.state.side in mine:
            allowed.append("move")
            if self.friendly:
                allowed.append("hint")
        if self.friendly and any(ply.side in mine for ply in self._plies):
            allowed.append("undo")
        return allowed

    def require(self, what: str, owner: str | None) -> None:
        """Refuse what a person may not do."""
        if what not in self.may(owner):
            raise NotAllowed(self._why_not(what, owner))

    def _why_not(self, what: str, owner: str | None) -> Message:
        if self.over and what != "rematch":
            return Message("web.match_over")
        if not self.sides_of(owner) and what != "sit":
            return Message("web.only_watching")
        if what == "move":
            return Message("web.not_your_turn") if self.ready else Message("web.opponent_missing")
        codes = {"sit": "web.no_open_seat", "undo": "web.nothing_to_undo", "hint": "web.no_hints"}
        return Message(codes.get(what, "web.not_now"))

    def left(self, side: int) -> float | None:
        """Return the seconds that a side's next move may take at most; None without a clock."""
        seconds = self.match.time_left(side).seconds
        return None if math.isinf(seconds) else round(seconds, 3)

    def picture(self, owner: str | None, seen: int = 0) -> MatchPicture:
        """Show the match to a person who has seen a version of it."""
        since = self.since(seen)
        runs = not self.over and self.ready and not self.rests
        mine = self.sides_of(owner)
        first, second = (
            SeatPicture(player=text, name=self.name_of(side), you=side in mine)
            for side, text in enumerate(self.match.record.players)
        )
        return MatchPicture(
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
        )

    def json(self, owner: str | None, seen: int) -> str:
        """Show the match as `picture` does, as JSON, written once for a crowd that sees the same."""
        key = (self.version, seen, *self.sides_of(owner), self.name_of(0), self.name_of(1))
        now = time.monotonic()
        if self._shown is None or self._shown[0] != key or now - self._shown[1] > SAME_SECONDS:
            self._shown = (key, now, compact(self.picture(owner, seen).brief()))
        return self._shown[2]

    def name_of(self, side: int) -> str | None:
        """Return the name of the person or the bot on a side, where it is known."""
        return (self.names or {}).get(self.owners[side] or self.match.record.players[side])

    def set_owners(self, owners: Iterable[str | None]) -> None:
        """Let the seats be others'; what those are called is yet to be found out."""
        self.owners = list(owners)
        self.names = None

    def line(self) -> MatchLine:
        """Show the match in a list."""
        record = self.match.record
        return MatchLine(
            id=self.name,
            game=self.frame.game,
            title=self.frame.title,
            players=record.players,
            names=(self.name_of(0), self.name_of(1)),
            moves=len(record.moves),
            watching=self.watching,
        )
