"""All matches of this server: they begin, change, are stored, and our players answer in them.

Knows the store and the workers; knows no HTTP. What one match is, `live` says.

Clocks: time runs from the moment when a change has been stored. While the server is down no time runs: the move under
way begins anew when it is back. A player of ours is charged what its choice took, not what it waited for a worker.
"""

from __future__ import annotations

import asyncio
import logging
import math
import secrets
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from ludus.errors import Fault
from ludus.play.clock import Clock
from ludus.play.match import Answer, Match
from ludus.players import HUMAN
from ludus.store.accounts import is_account
from ludus.store.bots import PREFIX
from ludus.store.matches import StoredMatch
from ludus.web.jobs.workers import Busy, TaskFailed
from ludus.web.matches.live import OPEN, LiveMatch, NotAllowed, known_in

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Iterable

    from ludus.game import State
    from ludus.play.record import Record
    from ludus.store.matches import Matches
    from ludus.web.jobs.workers import AsyncWorkers
    from ludus.web.matches.bot_seats import BotSeats

T = TypeVar("T")

LOG = logging.getLogger("ludus.web")
MOST_RESUMED = 2000
"""Matches that a server goes on with when it starts."""
LONGEST_CHOICE = 60.0
BEYOND_THE_CLOCK = 10.0
"""What an answer may take beyond the player's clock, which the worker measures: a worker may have to start first."""
SECONDS_BETWEEN_LOOKS = 0.4
GUEST_DAYS = 90
"""After how many days without a move a guest's match goes."""
MOST_OF_GUEST = 200
"""Matches of one guest that are kept: the latest played."""
MOST_OF_GUESTS = 20_000
"""Matches of all guests that are kept."""
MOST_UNDER_WAY = 100
"""Matches of one guest that may be under way, as far as they are in memory."""
MOST_IN_MEMORY = 5000
"""Matches in memory beyond which guests begin no more."""
NEW_BETWEEN_TIDYINGS = 500
LOOKS_ON_SECONDS = 20.0
"""For how long a match that is played elsewhere is followed though nobody watches."""


def _guest(owner: str) -> str | None:
    """Return the guest that an owner is; None for an account."""
    return None if is_account(owner) else owner


class Arena:
    """All matches of this server."""

    def __init__(
        self,
        store: Matches,
        workers: AsyncWorkers,
        names: Callable[[Iterable[str | None]], dict[str, str]],
        bots: BotSeats | None = None,
        elsewhere: Callable[[str], StoredMatch | None] = lambda _: None,
    ) -> None:
        self._store = store
        self._elsewhere = elsewhere
        """Gives the matches that jobs play and that are not in the store yet."""
        self._names = names
        """Gives the names of those owners and players that have one."""
        self._workers = workers
        self._bots = bots
        self._matches: dict[str, LiveMatch] = {}
        self._writer = ThreadPoolExecutor(1, "store")  # one, so that changes are written in their order
        self._tasks: set[asyncio.Task[None]] = set()
        self._new = 0
        """Matches of guests since the last tidying."""

    async def open(self) -> None:
        """Go on with the matches that were not over when the server stopped."""
        await self.tidy()
        for stored in await self._writing(lambda: self._store.unfinished(MOST_RESUMED)):
            live = self._matches[stored.id] = LiveMatch.restore(stored)
            live.names = await self._writing(partial(self._names, known_in(live.stored())))
            self._follow_up(live)

    async def close(self) -> None:
        """Stop thinking; everything has been stored already."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._writer.shutdown()

    def wake(self) -> None:
        """Wake everyone who follows any match, so that streams can end."""
        for live in self._matches.values():
            live.tell()

    def now(self, most: int = 20) -> list[LiveMatch]:
        """Return the matches that are being played: those that someone looks at or that moved of late."""
        playing = [live for live in self._matches.values() if not live.over and live.ready and live.watching]
        return sorted(playing, key=lambda live: -live.turn_began)[:most]

    async def find(self, name: str) -> LiveMatch | None:
        """Return a match by its name, None when there is none."""
        if (live := self._matches.get(name)) is not None:
            live.looked_at = time.monotonic()
            return live
        stored, names = await self._load(name)
        if stored is None:
            return None
        if stored.id not in self._matches:  # another name than was asked for, where a board's game is over
            live = LiveMatch.restore(stored)
            live.names = names
            self._keep(live)
            if live.referee is not None and not live.over:
                self._begin(self._observe(live))
        return self._matches[stored.id]

    async def _load(self, name: str) -> tuple[StoredMatch | None, dict[str, str]]:
        """Read a match and what its people are called, in one go: nothing can change hands between.

        What is played elsewhere is in the store before it is gone from there, so that it is always found.
        """
        playing = self._elsewhere(name)

        def load() -> tuple[StoredMatch | None, dict[str, str]]:
            stored = playing or self._store.load(name)
            return stored, self._names(known_in(stored)) if stored else {}

        return await self._writing(load)

    def _keep(self, live: LiveMatch) -> None:
        """Keep a match in memory, and let go of idle ones."""
        for old in [old.name for old in self._matches.values() if old.idle]:
            del self._matches[old]
        self._matches[live.name] = live

    async def tidy(self) -> None:
        """Remove what guests left long ago, and the oldest where they left too much."""
        self._new = 0
        oldest = datetime.now(UTC) - timedelta(days=GUEST_DAYS)
        self._drop(await self._writing(partial(self._store.prune, oldest, MOST_OF_GUESTS, self._in_use())))

    def _in_use(self) -> set[str]:
        return {live.name for live in self._matches.values() if not live.idle}

    def _drop(self, names: Iterable[str]) -> None:
        for name in names:
            self._matches.pop(name, None)

    def _admit(self, guest: str | None) -> None:
        """Refuse a guest who has too much under way, or any where too much is."""
        if guest is None:
            return
        if sum(live.guest == guest and not live.over for live in self._matches.values()) >= MOST_UNDER_WAY:
            raise Busy("web.too_many_own_games")
        if len(self._matches) >= MOST_IN_MEMORY and len(self._in_use()) >= MOST_IN_MEMORY:
            raise Busy("web.too_many_games")

    async def _save_new(self, live: LiveMatch) -> None:
        """Store a new match; a guest's oldest goes for it where there are many."""
        await self._save(live)
        if live.guest is not None:
            self._drop(await self._writing(partial(self._store.trim, live.guest, MOST_OF_GUEST, self._in_use())))
            self._new += 1
            if self._new >= NEW_BETWEEN_TIDYINGS:
                await self.tidy()

    async def begin(self, start: State, seats: tuple[str, str], clock: Clock, owner: str, seed: int) -> LiveMatch:
        """Begin a match; its people are all the one who begins it, a seat that is open aside."""
        owners = [owner if text == HUMAN else None for text in seats]
        guest = _guest(owner)
        self._admit(guest)
        match = Match(start, seats, clock, seed)
        live = LiveMatch(secrets.token_urlsafe(9), match, owners)
        live.guest = guest
        self._keep(live)
        await self._save_new(live)
        self._follow_up(live)
        return live

    async def add(self, record: Record, owner: str) -> LiveMatch:
        """Keep a record that someone brought: a match with nobody's seats, which counts for that guest."""
        guest = _guest(owner)
        self._admit(guest)
        named = secrets.token_urlsafe(9)
        stored = StoredMatch(named, record.game.name, record.text, [None, None], 1, None, True, guest=guest)
        live = LiveMatch.restore(stored)
        self._keep(live)
        await self._save_new(live)
        return live

    async def play(self, live: LiveMatch, owner: str, move: str, ply: int) -> None:
        """Play a person's move at a ply; the same move sent twice is played once."""
        moves = live.match.record.moves
        if ply < len(moves) and moves[ply].move == move:
            return
        live.require("move", owner)
        if ply != len(moves):
            raise NotAllowed("web.game_moved_on")
        live.match.play(move, time.monotonic() - live.turn_began)
        await self._changed(live, ply)

    async def undo(self, live: LiveMatch, owner: str) -> None:
        """Take moves back until it is the person's turn again."""
        live.require("undo", owner)
        mine = live.sides_of(owner)
        while live.match.undo() and live.match.state.side not in mine:
            pass
        await self._changed(live, len(live.match.record.moves))

    async def resign(self, live: LiveMatch, owner: str) -> None:
        """Return a game up; a person who plays both sides gives up the one to move."""
        live.require("resign", owner)
        mine = live.sides_of(owner)
        side = live.match.state.side
        live.match.resign(side if side in mine else mine[0])
        await self._changed(live, len(live.match.record.moves))

    async def sit(self, live: LiveMatch, owner: str) -> None:
        """Take the seat that is open."""
        live.require("sit", owner)
        players = list(live.match.record.players)
        side = players.index(OPEN)
        players[side] = HUMAN
        live.match.record.players = (players[0], players[1])
        live.set_owners(owner if seat == side else before for seat, before in enumerate(live.owners))
        await self._changed(live, len(live.match.record.moves))

    async def again(self, live: LiveMatch, owner: str) -> LiveMatch:
        """Begin the same match with the seats swapped; both players are led to the same one."""
        live.require("rematch", owner)
        if live.rematch is not None and (found := await self.find(live.rematch)) is not None:
            return found
        guest = None if any(map(is_account, live.owners)) else _guest(owner)
        self._admit(guest)
        record = live.match.record
        seed = secrets.randbits(32)
        match = Match(
            record.game.initial(seed), (record.players[1], record.players[0]), Clock.parse(record.clock), seed
        )
        following = LiveMatch(secrets.token_urlsafe(9), match, live.owners[::-1])
        following.guest = guest
        live.rematch = following.name
        self._keep(following)
        await self._save_new(following)
        await self._changed(live, len(record.moves))
        self._follow_up(following)
        return following

    async def adopt(self, before: str, after: str) -> None:
        """Let a person who was known by one owner's text be known by another from now on."""
        await self._replace(before, after, lambda: self._store.adopt(before, after))

    async def forget(self, owner: str, write: Callable[[], None]) -> None:
        """Let a person go: games against others are given up, and the seats are nobody's; `write` tells the store."""
        for live in [live for live in self._matches.values() if live.sides_of(owner)]:
            if not live.over and not live.friendly:
                live.match.resign(live.sides_of(owner)[0])
                await self._changed(live, len(live.match.record.moves))
        await self._replace(owner, None, write)

    async def _replace(self, before: str, after: str | None, write: Callable[[], None]) -> None:
        """Change an owner in memory, in the store, and in memory once more, for a match that was read meanwhile."""
        for work in (write, lambda: None):
            for live in [live for live in self._matches.values() if before in live.owners]:
                live.set_owners(after if owner == before else owner for owner in live.owners)
                live.names = await self._writing(partial(self._names, known_in(live.stored())))
            await self._writing(work)

    async def _changed(self, live: LiveMatch, since: int) -> None:
        """Number a change, store it, and only then tell: nobody sees what a crash could take back."""
        live.changed(since)
        await self._save(live)
        live.tell()
        self._follow_up(live)

    async def _save(self, live: LiveMatch) -> None:
        stored = live.stored()
        await self._writing(lambda: self._store.save(stored))
        if live.names is None:
            live.names = await self._writing(partial(self._names, known_in(stored)))

    async def rename(self, player: str) -> None:
        """Find out anew what a player is called."""
        for live in [live for live in self._matches.values() if player in live.match.record.players]:
            live.names = await self._writing(partial(self._names, known_in(live.stored())))

    async def _writing(self, work: Callable[[], T]) -> T:
        """Speak to the store, in the order of asking."""
        return await asyncio.get_running_loop().run_in_executor(self._writer, work)

    def _follow_up(self, live: LiveMatch) -> None:
        """Let a player of ours answer, or a person's time run out."""
        if live.over or not live.ready:
            return
        self._begin(self._flag(live) if live.machine is None else self._answer(live))

    def _begin(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)

    async def _observe(self, live: LiveMatch) -> None:
        """Follow a match that is played elsewhere, as long as somebody watches."""
        unwatched = 0.0
        while not live.over and unwatched < LOOKS_ON_SECONDS:
            await asyncio.sleep(SECONDS_BETWEEN_LOOKS)
            stored = self._elsewhere(live.name) or await self._writing(lambda: self._store.load(live.name))
            rests, live.rests = live.rests, stored is None
            if stored is not None and (stored.finished or stored.version > live.version):
                live.take(stored)
                live.tell()
            elif rests != live.rests:
                live.changed(len(live.match.record.moves))
                live.tell()
            unwatched = 0.0 if live.watching else unwatched + SECONDS_BETWEEN_LOOKS
        self._matches.pop(live.name, None)  # whoever looks next reads it anew

    async def _flag(self, live: LiveMatch) -> None:
        """End the game when the time of the person to move is up."""
        version = live.version
        seconds = live.match.time_left(live.match.state.side).seconds
        if math.isinf(seconds):
            return
        await asyncio.sleep(max(0.0, live.turn_began + seconds - time.monotonic()) + 0.01)
        if live.version == version and not live.over:
            live.match.run_out()
            await self._changed(live, len(live.match.record.moves))

    async def _answer(self, live: LiveMatch) -> None:
        """Let the player whose turn it is choose, and play its move, or the moves of its turn."""
        version, plies = live.version, len(live.match.record.moves)
        answers = await self._answers(live)
        if live.version != version:
            return  # it was taken back meanwhile, or given up
        for answer in answers:
            if not live.over:
                live.match.take(answer)
        await self._changed(live, plies)

    async def _answers(self, live: LiveMatch) -> list[Answer]:
        """Ask for a choice: a player of ours gives a move, a bot the moves of its turn."""
        text, match = live.machine or "", live.match
        seconds = match.time_left(match.state.side).seconds
        try:
            if self._bots is not None and text.startswith(PREFIX):
                return await self._bots.turn(text, match)
            patience = min(LONGEST_CHOICE, seconds) + BEYOND_THE_CLOCK
            return [await self._workers.play(live.name, "choose", text, match.position, seconds=patience)]
        except TaskFailed as failure:
            LOG.warning("player failed", extra={"match": live.name, "player": text, "why": str(failure)})
            return [Answer(fault=Fault("timeout" if seconds < LONGEST_CHOICE else "crash", failure.message))]
