"""All matches of this server: starts, changes and stores them, and lets players and bots move.

Knows the database and the workers; knows no HTTP. A single match is `LiveMatch`.

A clock runs from the moment when the last change was stored. No time passes while the server is down: the current move
starts again when it is back. A built-in player is charged for its choice, not for waiting for a worker.
"""

from __future__ import annotations

import asyncio
import logging
import math
import secrets
import time
from collections.abc import Callable, Coroutine, Iterable
from datetime import timedelta
from functools import partial
from typing import Any

from ludus.errors import Fault
from ludus.game import State
from ludus.moments import earliest
from ludus.play.clock import Clock
from ludus.play.match import Match, PlayerAnswer
from ludus.play.record import Record
from ludus.players import HUMAN
from ludus.store import unavailable
from ludus.store.accounts import is_account
from ludus.store.bots import PREFIX
from ludus.store.matches import Matches, StoredMatch
from ludus.store.person_ratings import SeatRating
from ludus.web.http.events import Observable
from ludus.web.http.rate_limit import Allowance
from ludus.web.jobs.workers import AsyncWorkers, Busy, TaskFailed
from ludus.web.matches.bot_seats import BotSeats
from ludus.web.matches.live import OPEN, LiveMatch, NotAllowed, known_in
from ludus.web.threads import Threads

LOG = logging.getLogger("ludus.web")
MOST_RESUMED = 2000
"""Unfinished matches that are continued when the server starts."""
LONGEST_CHOICE = 60.0
BEYOND_THE_CLOCK = 10.0
"""Extra time for an answer beyond the player's clock, which the worker measures: it may have to start first."""
SECONDS_BETWEEN_CHECKS = 0.4
GUEST_DAYS = 90
"""Days without a move after which a guest's match is deleted."""
MOST_OF_GUEST = 200
"""Matches of one guest that are kept: those with the latest moves."""
MOST_OF_GUESTS = 20_000
"""Matches of all guests that are kept."""
MOST_UNDER_WAY = 100
"""Unfinished matches of one guest that may be in memory."""
MOST_OF_ACCOUNT_UNDER_WAY = 500
"""The same of one account: programs play with tokens."""
MOST_BEGUN, BEGUN_PER_SECOND = 500.0, 1.0
"""New matches of one account, at once and in the long run: they are kept."""
MOST_IN_MEMORY = 5000
"""Matches in memory beyond which guests cannot start more."""
NEW_BETWEEN_TIDYINGS = 500
UNWATCHED_SECONDS = 20.0
"""How long a match that a job plays is followed while nobody watches."""


def _guest(owner: str) -> str | None:
    """Return an owner who is a guest; None for an account."""
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
        ratings: Callable[[StoredMatch], list[SeatRating | None]] = lambda _: [None, None],
    ) -> None:
        self._store = store
        self._elsewhere = elsewhere
        """Returns a match that a job is playing and that is not in the database yet."""
        self._names = names
        """Returns the names of those owners and players that have one."""
        self._ratings = ratings
        """Returns the ratings of those who play a match."""
        self._workers = workers
        self._bots = bots
        self._matches: dict[str, LiveMatch] = {}
        self._threads = Threads(1, "matches")  # a single one, so that changes are stored in order
        self._readers = Threads(1, "reading")  # a long game on a large board takes a while
        self._tasks: set[asyncio.Task[None]] = set()
        self._begun = Allowance(MOST_BEGUN, BEGUN_PER_SECOND)
        self._new = 0
        """Matches of guests since the last tidying."""
        self.lobby = Observable()
        """Notified when a seat is offered, taken or withdrawn."""

    async def open(self) -> None:
        """Continue the matches that were unfinished when the server stopped."""
        await self.tidy()
        for stored in await self._threads.run(self._store.unfinished, MOST_RESUMED):
            live = self._matches[stored.id] = LiveMatch.restore(stored)
            await self._look_up(live)
            self._follow_up(live)

    async def close(self) -> None:
        """Stop all players; everything is stored already."""
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._threads.shutdown()
        self._readers.shutdown()

    def wake(self) -> None:
        """Wake everyone who follows any match, so that streams can end."""
        for live in (self.lobby, *self._matches.values()):
            live.notify()

    def now(self) -> list[LiveMatch]:
        """Return the matches that are being played and watched, the latest moves first."""
        playing = [live for live in self._matches.values() if not live.over and live.ready and live.watching]
        return sorted(playing, key=lambda live: -live.turn_began)

    async def find(self, name: str) -> LiveMatch | None:
        """Return a match by its name; None when there is none."""
        if (live := self._matches.get(name)) is not None:
            live.looked_at = time.monotonic()
            return live
        stored, about = await self._load(name)
        if stored is None:
            return None
        if stored.id not in self._matches:  # the name may have changed when the game of a tournament ended
            restored = await self._readers.run(LiveMatch.restore, stored)
            restored.names, restored.ratings = about
            if stored.id not in self._matches:  # nobody else has read it meanwhile
                self._keep(restored)
                if restored.referee is not None and not restored.over:
                    self._begin(self._observe(restored))
                elif restored.referee is None:
                    self._follow_up(restored)
        return self._matches[stored.id]

    def _about(self, stored: StoredMatch) -> tuple[dict[str, str], list[SeatRating | None]]:
        """Return the names in a match, and the ratings of those who play it where it is rated."""
        return self._names(known_in(stored)), self._ratings(stored) if stored.rated else [None, None]

    async def _look_up(self, live: LiveMatch) -> None:
        live.names, live.ratings = await self._threads.run(self._about, live.stored())

    async def _load(self, name: str) -> tuple[StoredMatch | None, tuple[dict[str, str], list[SeatRating | None]]]:
        """Read a match and what is shown beside it in one call, so that they fit together.

        A match that a job has played is stored before the job drops it, so that it is always found.
        """
        playing = self._elsewhere(name)

        def load() -> tuple[StoredMatch | None, tuple[dict[str, str], list[SeatRating | None]]]:
            stored = playing or self._store.load(name)
            return stored, self._about(stored) if stored else ({}, [None, None])

        return await self._threads.run(load)

    def _keep(self, live: LiveMatch) -> None:
        """Hold a match in memory, and drop idle ones."""
        for old in [old.name for old in self._matches.values() if old.idle]:
            del self._matches[old]
        self._matches[live.name] = live

    async def tidy(self) -> None:
        """Delete old matches of guests, and the oldest where there are too many."""
        self._new = 0
        oldest = earliest() - timedelta(days=GUEST_DAYS)
        self._drop(await self._threads.run(self._store.prune, oldest, MOST_OF_GUESTS, self._in_use()))

    def _in_use(self) -> set[str]:
        return {live.name for live in self._matches.values() if not live.idle}

    def _drop(self, names: Iterable[str]) -> None:
        for name in names:
            self._matches.pop(name, None)

    def _admit(self, owner: str) -> None:
        """Refuse a new match of a person who has too many, or of any guest if the server has too many."""
        most = MOST_OF_ACCOUNT_UNDER_WAY if is_account(owner) else MOST_UNDER_WAY
        if sum(owner in (live.guest, *live.owners) and not live.over for live in self._matches.values()) >= most:
            raise Busy("web.too_many_own_games")
        if is_account(owner):
            if not self._begun.take(owner):
                raise Busy("web.too_many_requests")
        elif len(self._matches) >= MOST_IN_MEMORY and len(self._in_use()) >= MOST_IN_MEMORY:
            raise Busy("web.too_many_games")

    async def _save_new(self, live: LiveMatch) -> None:
        """Store a new match; if a guest has too many, the oldest is deleted."""
        self._keep(live)
        try:
            await self._save(live)
        except Exception:
            self._matches.pop(live.name, None)
            raise
        if live.guest is not None:
            self._drop(await self._threads.run(self._store.trim, live.guest, MOST_OF_GUEST, self._in_use()))
            self._new += 1
            if self._new >= NEW_BETWEEN_TIDYINGS:
                await self.tidy()

    async def begin(
        self,
        start: State,
        seats: tuple[str, str],
        clock: Clock,
        owner: str,
        seed: int,
        *,
        rated: bool = False,
        listed: bool = False,
        address: str | None = None,
    ) -> LiveMatch:
        """Start a match; the person who starts it plays all human seats that are not open.

        An open seat that is `listed` is offered in the lobby, from an address.
        """
        owners = [owner if text == HUMAN else None for text in seats]
        guest = _guest(owner)
        self._admit(owner)
        match = Match(start, seats, clock, seed)
        live = LiveMatch(secrets.token_urlsafe(9), match, owners)
        live.guest, live.rated, live.listed, live.address = guest, rated, listed, address
        await self._save_new(live)
        self._follow_up(live)
        self.lobby.notify()
        return live

    async def add(self, record: Record, owner: str) -> LiveMatch:
        """Store an uploaded record as a finished match without owners; it counts as a match of that guest."""
        guest = _guest(owner)
        self._admit(owner)
        first, second = ("?" if text.startswith(PREFIX) else text for text in record.players)
        record.players = (first, second)  # a file says that a bot played; only this server knows
        name = secrets.token_urlsafe(9)
        stored = StoredMatch(name, record.game.name, record.text, [None, None], 1, None, True, guest=guest)
        live = await self._readers.run(LiveMatch.restore, stored)
        await self._save_new(live)
        return live

    async def play(self, live: LiveMatch, owner: str, move: str, ply: int) -> None:
        """Play a move of a person at a ply; a move that is sent twice is played once."""
        moves = live.match.record.moves
        if ply < len(moves) and moves[ply].move == move:
            return
        live.require("move", owner)
        if ply != len(moves):
            raise NotAllowed("web.game_moved_on")
        live.match.play(move, time.monotonic() - live.turn_began)
        live.offers.close("withdrawn")
        await self._changed(live, ply)

    async def undo(self, live: LiveMatch, owner: str) -> None:
        """Take moves back until it is the person's turn again."""
        live.require("undo", owner)
        mine = live.sides_of(owner)
        while live.match.undo() and live.match.state.side not in mine:
            pass
        await self._changed(live)

    async def offer(self, live: LiveMatch, owner: str, what: str) -> None:
        """Offer the other person a draw, or ask to take one's last move back."""
        live.require(what, owner)
        live.offers.make(what, live.sides_of(owner)[0])
        await self._changed(live, turn=False)

    async def answer(self, live: LiveMatch, owner: str, *, accept: bool) -> None:
        """Accept or decline what the other person has offered."""
        live.require("answer", owner)
        offer = live.offers.close("accepted" if accept else "declined")
        if accept and offer is not None and offer.what == "draw":
            live.match.agree()
        elif accept and offer is not None:
            while live.match.undo() and live.match.state.side != offer.side:
                pass
        await self._changed(live, turn=accept)

    async def withdraw(self, live: LiveMatch, owner: str) -> None:
        """Take back what one has offered."""
        live.require("withdraw", owner)
        live.offers.close("withdrawn")
        await self._changed(live, turn=False)

    async def resign(self, live: LiveMatch, owner: str) -> None:
        """Resign a game; a person who plays both sides resigns the one to move."""
        live.require("resign", owner)
        mine = live.sides_of(owner)
        side = live.match.state.side
        live.match.resign(side if side in mine else mine[0])
        await self._changed(live)

    async def sit(self, live: LiveMatch, owner: str) -> None:
        """Take the open seat."""
        live.require("sit", owner)
        players = list(live.match.record.players)
        side = players.index(OPEN)
        players[side] = HUMAN
        live.match.record.players = (players[0], players[1])
        live.set_owners(owner if seat == side else before for seat, before in enumerate(live.owners))
        self.lobby.notify()
        await self._changed(live)

    def seats(self) -> list[LiveMatch]:
        """Return the matches whose open seat is offered in the lobby, the longest waiting first."""
        return sorted((live for live in self._matches.values() if live.offered), key=lambda live: live.turn_began)

    def rated_now(self, one: str, other: str) -> int:
        """Return how many rated games two people are playing against each other."""
        both = {one, other}
        return sum(live.rated and not live.over and both == {*live.owners} for live in self._matches.values())

    async def close_seat(self, live: LiveMatch) -> None:
        """Delete a match that nobody has joined; from here on nobody can."""
        live.dropped = True
        self._matches.pop(live.name, None)
        await self._threads.run(self._store.remove, live.name)
        live.notify()
        self.lobby.notify()

    async def rematch(self, live: LiveMatch, owner: str) -> LiveMatch:
        """Start the same match with the seats swapped; both players get the same new match."""
        live.require("rematch", owner)
        if live.rematch is not None and (found := await self.find(live.rematch)) is not None:
            return found
        guest = None if any(map(is_account, live.owners)) else _guest(owner)
        self._admit(owner)
        record = live.match.record
        seed = secrets.randbits(32)
        match = Match(
            record.game.initial(seed), (record.players[1], record.players[0]), Clock.parse(record.clock), seed
        )
        following = LiveMatch(secrets.token_urlsafe(9), match, live.owners[::-1])
        following.guest, following.rated, following.listed = guest, live.rated, live.listed
        live.rematch = following.name
        await self._save_new(following)
        await self._changed(live)
        self._follow_up(following)
        return following

    async def adopt(self, before: str, after: str) -> None:
        """Give the matches of one owner to another, such as those of a guest to an account."""
        await self._replace(before, after, partial(self._store.adopt, before, after))

    async def forget(self, owner: str, write: Callable[[], None]) -> None:
        """Remove a person: resign games against others, and clear the seats; `write` changes the database."""
        for live in [live for live in self._matches.values() if live.sides_of(owner)]:
            if not live.over and not live.friendly:
                live.match.resign(live.sides_of(owner)[0])
                await self._changed(live)
        await self._replace(owner, None, write)

    async def _replace(self, before: str, after: str | None, write: Callable[[], None]) -> None:
        """Change an owner in memory, in the database, and in memory again, for a match that was loaded meanwhile."""
        for work in (write, lambda: None):
            for live in [live for live in self._matches.values() if before in live.owners]:
                live.set_owners(after if owner == before else owner for owner in live.owners)
                await self._look_up(live)
            await self._threads.run(work)

    async def _changed(self, live: LiveMatch, since: int | None = None, *, turn: bool = True) -> None:
        """Store a change, and only then show it: nobody sees what a crash could undo.

        If it cannot be stored, it is undone: the match leaves memory, and who asks for it next gets it as it is stored.
        Moves are new from the ply `since` on; without it none is. A change without a new `turn` leaves the clock
        running.
        """
        live.changed(len(live.match.record.moves) if since is None else since, turn=turn)
        try:
            await self._save(live)
        except Exception:
            self._matches.pop(live.name, None)
            live.dropped = True
            live.notify()
            raise
        live.notify()
        self._follow_up(live)

    async def _save(self, live: LiveMatch) -> None:
        stored = live.stored()
        await self._threads.run(self._store.save, stored)
        if live.names is None or (stored.rated and stored.finished):
            await self._look_up(live)

    async def rename(self, player: str) -> None:
        """Look up the name of a player again."""
        for live in [live for live in self._matches.values() if player in live.match.record.players]:
            await self._look_up(live)

    def _follow_up(self, live: LiveMatch) -> None:
        """Let the player answer whose turn it is, or wait until a person's time runs out."""
        if live.over or not live.ready:
            return
        self._begin(self._flag(live) if live.machine is None else self._answer(live))

    def _begin(self, work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.get_running_loop().create_task(work)
        self._tasks.add(task)
        task.add_done_callback(self._ended)

    def _ended(self, task: asyncio.Task[None]) -> None:
        self._tasks.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            if unavailable(error):
                LOG.error("not stored", extra={"why": str(error).partition("\n")[0]})
            else:
                LOG.error("failure", exc_info=error)

    async def _observe(self, live: LiveMatch) -> None:
        """Follow a match that a job plays, as long as somebody watches."""
        unwatched = 0.0
        while not live.over and unwatched < UNWATCHED_SECONDS:
            await asyncio.sleep(SECONDS_BETWEEN_CHECKS)
            try:
                stored = self._elsewhere(live.name) or await self._threads.run(self._store.load, live.name)
            except Exception as error:
                if unavailable(error):
                    continue
                raise
            rests, live.rests = live.rests, stored is None
            if stored is not None and (stored.finished or stored.version > live.version):
                live.take(stored)
                live.notify()
            elif rests != live.rests:
                live.changed(len(live.match.record.moves))
                live.notify()
            unwatched = 0.0 if live.watching else unwatched + SECONDS_BETWEEN_CHECKS
        self._matches.pop(live.name, None)  # the next request loads it again

    async def _flag(self, live: LiveMatch) -> None:
        """End the game when the time of the person to move runs out."""
        version = live.version
        seconds = live.match.time_left(live.match.state.side).seconds
        if math.isinf(seconds):
            return
        await asyncio.sleep(max(0.0, live.turn_began + seconds - time.monotonic()) + 0.01)
        if live.version == version and not live.over:
            live.match.run_out()
            await self._changed(live)

    async def _answer(self, live: LiveMatch) -> None:
        """Ask the player whose turn it is, and play its move, or all moves of its turn."""
        version, plies = live.version, len(live.match.record.moves)
        answers = await self._answers(live)
        if live.version != version:
            return  # undone or resigned meanwhile
        for answer in answers:
            if not live.over:
                live.match.take(answer)
        await self._changed(live, plies)

    async def _answers(self, live: LiveMatch) -> list[PlayerAnswer]:
        """Return the answer of a built-in player, or all answers of a bot in its turn."""
        text, match = live.machine or "", live.match
        seconds = match.time_left(match.state.side).seconds
        try:
            if self._bots is not None and text.startswith(PREFIX):
                return await self._bots.turn(text, match)
            patience = min(LONGEST_CHOICE, seconds) + BEYOND_THE_CLOCK
            asker = next(filter(None, live.owners), live.name)  # people take turns, not their games
            return [await self._workers.play(asker, "choose", text, match.position, seconds=patience)]
        except TaskFailed as failure:
            LOG.warning("player failed", extra={"match": live.name, "player": text, "why": str(failure)})
            return [PlayerAnswer(fault=Fault("timeout" if seconds < LONGEST_CHOICE else "crash", failure.message))]
