"""Tournaments: play a format on workers and store every game in the ledger first; what the ledger holds is done.

Killed at any moment, a tournament loses only the games then being played, and plays them again when it is resumed.
Knows no rules of a game and no pairing system: formats say who meets whom, tasks say how a game is played.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import (
    Callable,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from typing import TYPE_CHECKING

from pydantic import BaseModel, ConfigDict, Field, PrivateAttr, ValidationError

from ludus.errors import DiskFullError, UserError, no_space
from ludus.formats import Pairing, Result, Schedule
from ludus.formats import schedule as draw
from ludus.game import Game, State, game
from ludus.game_task import Task, lacked_space
from ludus.play.clock import Clock
from ludus.play.openings import PLIES, for_players, opening
from ludus.players import HUMAN, knows_positions, player
from ludus.store import Ledger, transient

if TYPE_CHECKING:
    from ludus.play.result import GameKey, GameResult
    from ludus.tournament.pools import Pool

WAIT_SECONDS = 0.2
TASKS_PER_WORKER = 4
"""Tasks that are handed out for each worker before it is free, so that none waits."""
DATABASE_TRIES = 10
MOST_UNPLAYED = 20
"""Games that may fail to start before any is played: then the cause is not one game's, and the rest is not tried."""
ALWAYS_STORED = frozenset(
    {"game", "format", "format_options", "options", "clock", "pairs", "seed", "opening_plies", "adjudicate", "entries"}
)
"""Settings that a ledger stores even where they have their default."""


class Plan(BaseModel):
    """Everything that is fixed before the first game."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    game: str
    entries: Mapping[str, str]
    """Names, and the texts of the players."""
    format: str = "round-robin"
    format_options: Mapping[str, int | str] = Field(default_factory=dict)
    options: Mapping[str, int | str] = Field(default_factory=dict)
    clock: str = "none"
    pairs: int = 1
    """Boards per pairing, each played twice with the seats swapped."""
    seed: int = 0
    opening_plies: int = PLIES
    openings: tuple[str, ...] = ()
    """Positions to start from, in this order and then again; without any, random ones from the seed."""
    adjudicate: bool = False
    trusted: bool = False
    pondering: bool = False
    """Whether bots may think in the opponent's turn; otherwise they are paused."""
    boards: tuple[Mapping[str, int | str], ...] = ()
    """Options that the boards of a pairing take in turn, where a course plays on boards of several sizes."""
    programs: Mapping[str, tuple[str, ...]] = Field(default_factory=dict)
    """Entries that have a program of their own for each of `boards`."""
    games: int | None = None
    """Games per pairing, where the last board is played only once: 11 are five pairs and one more."""
    ties: str = "draw"
    """`draw`, or `time`: an even game counts for the side with more time left, though its record says draw."""
    untimed: tuple[str, ...] = ()
    """Entries whose time is not counted: built-in opponents, so that a slow machine changes no result."""
    only_seats: Mapping[str, int] = Field(default_factory=dict)
    """Players that can move only first (0) or only second (1), and do so in all their games; other games of such a
    player are lost."""

    _known: dict[str, bool] = PrivateAttr(default_factory=dict)

    @classmethod
    def from_config(cls, name: str, config: Mapping[str, object]) -> Plan:
        """Return the plan that a ledger stores; its players need not exist any more."""
        try:
            return cls.model_validate({"name": name, **config})
        except ValidationError:
            raise UserError("tournament.other_version", name=name) from None

    @property
    def config(self) -> dict[str, object]:
        """What may not change between one run and the next, as a ledger stores it."""
        changed = self.model_dump(mode="json", exclude={"name", "trusted"}, exclude_defaults=True)
        return self.model_dump(mode="json", include=set(ALWAYS_STORED)) | changed

    @property
    def games_per_pairing(self) -> int:
        """How many games two entries play when they meet."""
        return self.games or 2 * self.pairs

    def check(self, players: Iterable[str] | None = None) -> None:
        """Raise UserError if this cannot be played; of the players only those of the given entries are checked."""
        made = self.make_game()
        Clock.parse(self.clock)
        for name in self.entries if players is None else players:
            if self.entries[name] == HUMAN:
                raise UserError("tournament.person", entry=name)
            for text in self.programs.get(name, (self.entries[name],)):
                player(text, made, trusted=self.trusted)
        if self.pairs < 1:
            raise UserError("tournament.no_pair", pairs=self.pairs)
        if self.games is not None and not 2 * self.pairs - 1 <= self.games <= 2 * self.pairs:
            raise UserError("tournament.games_and_pairs", games=self.games, pairs=self.pairs)
        self.schedule()

    def make_game(self) -> Game:
        """Return the game with its options."""
        return game(self.game, **self.options)

    def schedule(self, results: Iterable[Result] = (), withdrawn: Mapping[str, int] | None = None) -> Schedule:
        """Draw the format, and enter what has happened."""
        options = dict(self.format_options)
        return draw(self.format, self.entries, seed=self.seed, results=results, withdrawn=withdrawn, **options)

    def _start(self, made: Game, board: int) -> State:
        if self.openings:
            return made.parse(self.openings[board % len(self.openings)])
        return opening(made, self.seed + board, self.opening_plies)

    def tasks(self, pairing: Pairing) -> Iterator[Task]:
        """Yield the games of a pairing: each board twice, with the seats swapped.

        Every pairing plays the same boards, so that nobody gets easier ones.
        """
        variants = [game(self.game, **{**self.options, **more}) for more in self.boards or ({},)]
        for board, seats in self.places(pairing):
            entries = (pairing.first, pairing.second) if seats == 0 else (pairing.second, pairing.first)
            first, second = (self._program(entry, board) for entry in entries)
            made = variants[board % len(variants)]
            start, usual = self._start(made, board), made.initial(self.seed + board)
            knows = (True, True) if start == usual else (self._knows(first), self._knows(second))
            start, drawn = for_players(start, usual, knows, self.opening_plies)
            yield Task(
                pairing=pairing.key,
                board=board,
                seats=seats,
                game=self.game,
                options=dict(start.game.given),
                start=start.text,
                entries=entries,
                players=(first, second),
                clock=self.clock,
                seed=self.seed + board,
                adjudicate=self.adjudicate,
                trusted=self.trusted,
                untimed=(entries[0] in self.untimed, entries[1] in self.untimed),
                pondering=self.pondering,
                drawn=drawn,
            )

    def places(self, pairing: Pairing) -> Iterator[tuple[int, int]]:
        """Yield board and seats of each game of a pairing; for a seat that a player does not have, another board."""
        more = -(-self.pairs // (len(self.boards) or 1)) * (len(self.boards) or 1)  # of the same kinds in turn
        for number in range(self.games_per_pairing):
            board, seats = divmod(number, 2)
            first, second = (self.only_seats.get(self._program(entry, board)) for entry in pairing[1:3])
            wanted = {seat for seat in (first, None if second is None else 1 - second) if seat is not None}
            yield (board, seats) if wanted != {1 - seats} else (board + more, 1 - seats)

    def _knows(self, text: str) -> bool:
        """Return whether a player can be told a position; one that cannot be read fails later, when it plays."""
        if text not in self._known:
            try:
                self._known[text] = knows_positions(text)
            except UserError:
                self._known[text] = True
        return self._known[text]

    def _program(self, entry: str, board: int) -> str:
        """Return the text of the player that plays a board for an entry."""
        own = self.programs.get(entry)
        return own[board % len(own)] if own else self.entries[entry]


class Progress:
    """A tournament being played: what is done, what is being played, and what can be played next."""

    def __init__(self, plan: Plan, ledger: Ledger) -> None:
        self.plan = plan
        self.ledger = ledger
        self.number = ledger.tournament(plan.name, plan.config)
        self.results: dict[GameKey, GameResult] = {}
        """The games in the ledger."""
        self.failures: dict[str, int] = {}
        """Games lost by a failure, by kind."""
        self.replays = 0
        self.counts: dict[tuple[str, str], tuple[int, int, int]] = {}
        """Games won, drawn and lost by the first of (first seat, second seat): what ratings are made from."""
        for result in ledger.games(self.number):
            self._count(result)
        self.schedule = plan.schedule(withdrawn=ledger.withdrawals(self.number))
        self._waiting: deque[Task] = deque()
        self._missing: dict[str, set[GameKey]] = {}
        """The games that each open pairing still needs."""
        self._pairings: dict[str, Pairing] = {}
        self._open(self.schedule.playable.values())

    def _count(self, result: GameResult) -> None:
        self.results[result.key] = result
        if not result.played:
            return
        if result.forfeited:
            self.failures[result.reason] = self.failures.get(result.reason, 0) + 1
        self.replays += result.replays
        wins, draws, losses = self.counts.get(result.entries, (0, 0, 0))
        winner = result.winner
        self.counts[result.entries] = (wins + (winner == 0), draws + (winner is None), losses + (winner == 1))

    def _open(self, pairings: Iterable[Pairing]) -> None:
        """Take up pairings that can be played; those whose games are all in the ledger are done at once."""
        coming = deque(pairings)
        while coming:
            pairing = coming.popleft()
            self._pairings[pairing.key] = pairing
            tasks = list(self.plan.tasks(pairing))
            self._drop_superseded(tasks)
            missing = [task for task in tasks if task.key not in self.results]
            if missing:
                self._missing[pairing.key] = {task.key for task in missing}
                self._waiting.extend(missing)
            else:
                coming.extend(self.schedule.add(self._pairing_result(pairing)))

    def _drop_superseded(self, tasks: Iterable[Task]) -> None:
        """Take back games that others played under the same key, in a draw that a changed result has changed."""
        found = [(task, self.results[task.key]) for task in tasks if task.key in self.results]
        stale = [result.id for task, result in found if result.entries != task.entries and result.id is not None]
        if stale:
            self.ledger.undo(self.number, stale, "an earlier result was changed, and with it the pairing", "superseded")
            kept = [result for result in self.results.values() if result.id not in stale]
            self.results, self.counts, self.failures, self.replays = {}, {}, {}, 0
            for result in kept:
                self._count(result)

    def _pairing_result(self, pairing: Pairing) -> Result:
        """Add up the games of a pairing, as its first entry sees them."""
        wins = draws = losses = margin = 0
        forfeits, left = [0, 0], [0.0, 0.0]
        for board, seats in self.plan.places(pairing):
            result = self.results[pairing.key, board, seats]
            margin += -result.margin if seats else result.margin
            for side, seconds in enumerate(result.left):
                left[side ^ seats] += seconds or 0.0
            winner = counted_winner(result, self.plan.ties)
            if winner is None:
                draws += 1
                continue
            won = winner == seats
            wins, losses = wins + won, losses + (not won)
            if result.forfeited:
                forfeits[won] += 1
        return pairing.result(wins, draws, losses, margin, (forfeits[0], forfeits[1]), (left[0], left[1]))

    @property
    def done(self) -> bool:
        """Whether every game has been played."""
        return not self._waiting and not self._missing

    @property
    def unplayed(self) -> list[GameResult]:
        """The games that could not be played. Each counts as a draw in its pairing, and for no rating."""
        return [result for result in self.results.values() if not result.played]

    @property
    def played(self) -> list[GameResult]:
        """The games that were played."""
        return [result for result in self.results.values() if result.played]

    @property
    def left(self) -> int:
        """The number of games that can be played now and have not been."""
        return sum(map(len, self._missing.values()))

    def next_task(self) -> Task | None:
        """Return a task that nobody works on, and count it as handed out."""
        return self._waiting.popleft() if self._waiting else None

    def add(self, results: Sequence[GameResult]) -> None:
        """Store finished games, and find what they make playable. The ledger comes first, then everything else."""
        wanted = [result for result in results if result.key in self._missing.get(result.pairing, ())]
        if not wanted:
            return
        self._store(wanted)
        for result in wanted:
            self._count(result)
            missing = self._missing[result.pairing]
            missing.discard(result.key)
            if not missing:
                del self._missing[result.pairing]
                self._open(self.schedule.add(self._pairing_result(self._pairings[result.pairing])))

    def _store(self, results: Sequence[GameResult]) -> None:
        """Add to the ledger, also when its connection is lost for a while."""
        for attempt in range(DATABASE_TRIES):
            try:
                self.ledger.add(self.number, results)
            except Exception as error:
                if attempt == DATABASE_TRIES - 1 or not transient(error):
                    raise
                time.sleep(0.05 * 2**attempt)
            else:
                return


def counted_winner(result: GameResult, ties: str) -> int | None:
    """Return the side that a game counts for: its winner, or with `ties="time"` the side that had more time left."""
    first, second = result.left
    if result.winner is not None or ties != "time" or first == second:
        return result.winner
    return int((second or 0.0) > (first or 0.0))


def stop_if_full(results: Iterable[GameResult]) -> None:
    """Raise DiskFullError if a game could not be played for want of space."""
    for result in results:
        if lacked_space(result):
            raise DiskFullError(result.fault_message or no_space())


def run(
    progress: Progress,
    pool: Pool,
    on_progress: Callable[[Progress], None] | None = None,
    until: Callable[[Progress], bool] = lambda _progress: False,
) -> None:
    """Play all that is left, or until enough is known; `on_progress` is called after every few games or moments.

    A game that cannot be played stops nothing. Only if none of the first games can be played, or a disk is full, the
    rest is given up.
    """
    outstanding = failed = 0
    before = len(progress.played)
    while not progress.done and not until(progress):
        while outstanding < pool.size * TASKS_PER_WORKER and (task := progress.next_task()) is not None:
            pool.submit(task)
            outstanding += 1
        results = list(pool.results(WAIT_SECONDS))
        outstanding -= len(results)
        progress.add([result for result in results if not lacked_space(result)])
        stop_if_full(results)
        if on_progress is not None:
            on_progress(progress)
        failed += sum(not result.played for result in results)
        if failed >= MOST_UNPLAYED and len(progress.played) == before:
            last = progress.unplayed[-1]
            raise UserError("tournament.none_played", games=failed, problem=last.fault_message or last.fault)
