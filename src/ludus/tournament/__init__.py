"""Tournaments: runs a format on workers, ledger first. What the ledger holds is done; everything else is played.

Killed at any moment it loses the games then going on, and plays them again when it goes on. Knows no rules of a game
and no pairing system: formats say who meets, tasks say how a game is played.
"""

from __future__ import annotations

import time
from collections import deque
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ludus.formats import schedule as draw
from ludus.game import game
from ludus.play.clock import Clock
from ludus.play.openings import PLIES, opening
from ludus.players import HUMAN, player, version_of
from ludus.store import transient
from ludus.tournament.task import UNPLAYED, Task

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

    from ludus.formats import Pairing, Result, Schedule
    from ludus.game import Game, State
    from ludus.store import GameRow, Ledger
    from ludus.tournament.pools import Pool

WAIT_SECONDS = 0.2
AHEAD = 4
"""Tasks that are handed out for each worker before it is free, so that none waits."""
DATABASE_TRIES = 10
MOST_IN_VAIN = 20
"""Games that may fail before any is played: then the reason is not one game's, and the rest need not be tried."""


@dataclass(frozen=True)
class Plan:
    """Everything that is settled before the first game."""

    name: str
    game: str
    entries: Mapping[str, str]
    """Names, and the texts of the players."""
    format: str = "round-robin"
    format_options: Mapping[str, int | str] = field(default_factory=dict)
    options: Mapping[str, int | str] = field(default_factory=dict)
    clock: str = "none"
    pairs: int = 1
    """Boards a pairing is played on, each twice with the seats swapped."""
    seed: int = 0
    opening_plies: int = PLIES
    openings: tuple[str, ...] = ()
    """Positions to start from, in this order and then again; without any, random ones that the seed gives."""
    adjudicate: bool = False
    trusted: bool = False
    pondering: bool = False
    """Whether bots may think in the opponent's turn; they are paused otherwise."""
    boards: tuple[Mapping[str, int | str], ...] = ()
    """Options that the boards of a pairing take in turn, where a course plays on boards of several sizes."""
    programs: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Entries that bring a program of their own for each of `boards`."""
    games: int | None = None
    """Games of a pairing, where the last board is played once only: 11 are five pairs and one more."""
    ties: str = "draw"
    """`draw`, or `time`: an even game counts for who had more time left, though its record says what it was."""
    untimed: tuple[str, ...] = ()
    """Entries whose time is not counted: opponents of ours, so that a slow machine changes no result."""

    def __post_init__(self) -> None:
        made = self.made
        Clock.parse(self.clock)
        for name, text in self.entries.items():
            if text == HUMAN:
                raise ValueError(f"entry {name}: a person cannot play in a tournament of programs")
            for one in self.programs.get(name, (text,)):
                player(one, made, trusted=self.trusted)
        if self.pairs < 1:
            raise ValueError(f"a pairing needs at least one pair of games, not {self.pairs}")
        if self.games is not None and not 2 * self.pairs - 1 <= self.games <= 2 * self.pairs:
            raise ValueError(f"{self.games} games are not played on {self.pairs} boards, each twice")

    @property
    def made(self) -> Game:
        """The game with its options."""
        return game(self.game, **self.options)

    def schedule(self, results: Iterable[Result] = (), withdrawn: Mapping[str, int] | None = None) -> Schedule:
        """Draw its format, and take in what has happened."""
        options = dict(self.format_options)
        return draw(self.format, self.entries, seed=self.seed, results=results, withdrawn=withdrawn, **options)

    def settled(self) -> dict[str, Any]:
        """Give what may not change between one run and the next."""
        fixed = ("game", "format", "format_options", "options", "clock", "pairs", "seed", "opening_plies", "adjudicate")
        seldom = {
            name: getattr(self, name) for name in ("openings", "boards", "programs", "games", "untimed", "pondering")
        }
        seldom["ties"] = self.ties if self.ties != "draw" else None
        named = {name: value for name, value in seldom.items() if value}
        return {name: getattr(self, name) for name in fixed} | {"entries": dict(self.entries)} | named

    def _start(self, made: Game, board: int) -> State:
        if self.openings:
            return made.parse(self.openings[board % len(self.openings)])
        return opening(made, self.seed + board, self.opening_plies)

    def tasks(self, pairing: Pairing) -> Iterator[Task]:
        """Give the games of a pairing: each board twice, with the seats swapped.

        Every pairing plays the same boards, so that nobody is given easier ones.
        """
        variants = [game(self.game, **{**self.options, **more}) for more in self.boards or ({},)]
        for number in range(self.games or 2 * self.pairs):
            board, seats = divmod(number, 2)
            start = self._start(variants[board % len(variants)], board)
            entries = (pairing.first, pairing.second) if seats == 0 else (pairing.second, pairing.first)
            first, second = (self.program(entry, board) for entry in entries)
            untimed = (entries[0] in self.untimed, entries[1] in self.untimed)
            yield Task(
                pairing.key,
                board,
                seats,
                self.game,
                dict(start_options(start.game)),
                start.text,
                entries,
                (first, second),
                self.clock,
                self.seed + board,
                self.adjudicate,
                self.trusted,
                untimed,
                self.pondering,
            )

    def program(self, entry: str, board: int) -> str:
        """Give the text of the player that an entry sends to a board."""
        own = self.programs.get(entry)
        return own[board % len(own)] if own else self.entries[entry]


def start_options(made: Game) -> Mapping[str, int | str]:
    """Give the options that a game was given, so that another process makes the same one."""
    return made.given


class Progress:
    """A tournament on its way: what is done, what is going on, and what can be played next."""

    def __init__(self, plan: Plan, ledger: Ledger) -> None:
        self.plan = plan
        self.ledger = ledger
        self.number = ledger.tournament(plan.name, plan.settled())
        self.rows: dict[tuple[str, int, int], Any] = {}
        """The ledger's games by pairing, board and seats."""
        self.failures: dict[str, int] = {}
        """Games lost by a failure, by kind."""
        self.replays = 0
        self.counts: dict[tuple[str, str], tuple[int, int, int]] = {}
        """Games won, drawn and lost by the first of (first seat, second seat): what ratings are made from."""
        for row in ledger.games(self.number):
            self._count(_plain(row))
        withdrawn = {log.detail["entry"]: log.detail["round"] for log in ledger.log(self.number, "withdraw")}
        self.schedule = plan.schedule(withdrawn=withdrawn)
        self._waiting: deque[Task] = deque()
        self._going: dict[str, set[tuple[str, int, int]]] = {}
        self._pairings: dict[str, Pairing] = {}
        self._enter(self.schedule.playable.values())

    def _count(self, row: Mapping[str, Any]) -> None:
        self.rows[row["pairing"], row["board"], row["seats"]] = row
        if row["reason"] == UNPLAYED:
            return
        if row["reason"] not in ("rules", "adjudicated"):
            self.failures[row["reason"]] = self.failures.get(row["reason"], 0) + 1
        self.replays += row["replays"]
        wins, draws, losses = self.counts.get((row["first"], row["second"]), (0, 0, 0))
        winner = row["winner"]
        tally = (wins + (winner == 0), draws + (winner is None), losses + (winner == 1))
        self.counts[row["first"], row["second"]] = tally

    def _enter(self, pairings: Iterable[Pairing]) -> None:
        """Take in pairings that can be played; those whose games are all in the ledger are done at once."""
        coming = deque(pairings)
        while coming:
            pairing = coming.popleft()
            self._pairings[pairing.key] = pairing
            tasks = list(self.plan.tasks(pairing))
            self._drop_superseded(tasks)
            missing = [task for task in tasks if task.key not in self.rows]
            if missing:
                self._going[pairing.key] = {task.key for task in missing}
                self._waiting.extend(missing)
            else:
                coming.extend(self.schedule.add(self._result(pairing)))

    def _drop_superseded(self, tasks: Iterable[Task]) -> None:
        """Take back games that others played under the same key, in a draw that a changed result has changed."""
        stale = [
            row["id"]
            for task in tasks
            if (row := self.rows.get(task.key)) is not None and (row["first"], row["second"]) != task.entries
        ]
        if stale:
            self.ledger.undo(self.number, stale, "an earlier result was changed, and with it the pairing", "superseded")
            kept = [row for row in self.rows.values() if row.get("id") not in stale]
            self.rows, self.counts, self.failures, self.replays = {}, {}, {}, 0
            for row in kept:
                self._count(row)

    def _result(self, pairing: Pairing) -> Result:
        """Add up the games of a pairing, as its first entry sees them."""
        wins = draws = losses = margin = 0
        forfeits, left = [0, 0], [0.0, 0.0]
        for number in range(self.plan.games or 2 * self.plan.pairs):
            board, seats = divmod(number, 2)
            row = self.rows[pairing.key, board, seats]
            margin += -row["margin"] if seats else row["margin"]
            for side, seconds in enumerate((row["left_first"], row["left_second"])):
                left[side ^ seats] += seconds or 0.0
            winner = settled_winner(row, self.plan.ties)
            if winner is None:
                draws += 1
                continue
            won = winner == seats
            wins, losses = wins + won, losses + (not won)
            if row["reason"] not in ("rules", "adjudicated"):
                forfeits[won] += 1
        return pairing.result(wins, draws, losses, margin, (forfeits[0], forfeits[1]), (left[0], left[1]))

    @property
    def done(self) -> bool:
        """Whether every game has been played."""
        return not self._waiting and not self._going

    @property
    def unplayed(self) -> list[Mapping[str, Any]]:
        """The games that could not be played. Each counts as a draw in its pairing, and in no rating."""
        return [row for row in self.rows.values() if row["reason"] == UNPLAYED]

    @property
    def left(self) -> int:
        """The games that can be played now and have not been."""
        return sum(map(len, self._going.values()))

    def next_task(self) -> Task | None:
        """Give a task that nobody works on."""
        return self._waiting.popleft() if self._waiting else None

    def take(self, rows: list[dict[str, Any]]) -> None:
        """Write down games that were played, and see what they make playable. The ledger first, then all else."""
        wanted = [row for row in rows if _key(row) in self._going.get(row["pairing"], ())]
        if not wanted:
            return
        self._write(wanted)
        for row in wanted:
            self._count(row)
            going = self._going[row["pairing"]]
            going.discard(_key(row))
            if not going:
                del self._going[row["pairing"]]
                self._enter(self.schedule.add(self._result(self._pairings[row["pairing"]])))

    def _write(self, rows: list[dict[str, Any]]) -> None:
        """Add to the ledger, also when its connection is lost for a while."""
        for attempt in range(DATABASE_TRIES):
            try:
                self.ledger.add(self.number, rows)
            except Exception as error:
                if attempt == DATABASE_TRIES - 1 or not transient(error):
                    raise
                time.sleep(0.05 * 2**attempt)
            else:
                return


def settled_winner(row: Mapping[str, Any], ties: str) -> int | None:
    """Give the side that a game counts for: its winner, or where `ties` says so who had more time left."""
    if row["winner"] is not None or ties != "time" or row["left_first"] == row["left_second"]:
        winner: int | None = row["winner"]
        return winner
    return int((row["left_second"] or 0.0) > (row["left_first"] or 0.0))


def _key(row: Mapping[str, Any]) -> tuple[str, int, int]:
    return row["pairing"], row["board"], row["seats"]


def _plain(row: GameRow) -> dict[str, Any]:
    return {column.name: getattr(row, column.name) for column in row.__table__.columns}


def run(
    progress: Progress,
    pool: Pool,
    seen: Callable[[Progress], None] | None = None,
    until: Callable[[Progress], bool] = lambda _progress: False,
) -> None:
    """Play all that is left, or until enough is known; `seen` is called after every few games, or a moment.

    A game that cannot be played stops nothing. Only where none of the first games can be played is it given up.
    """
    outstanding = in_vain = 0
    before = len(progress.rows) - len(progress.unplayed)
    while not progress.done and not until(progress):
        while outstanding < pool.size * AHEAD and (task := progress.next_task()) is not None:
            pool.submit(task)
            outstanding += 1
        rows = list(pool.results(WAIT_SECONDS))
        outstanding -= len(rows)
        progress.take(rows)
        if seen is not None:
            seen(progress)
        in_vain += sum(row["reason"] == UNPLAYED for row in rows)
        if in_vain >= MOST_IN_VAIN and len(progress.rows) - len(progress.unplayed) == before:
            raise ValueError(f"none of the first {in_vain} games could be played: {progress.unplayed[-1]['fault']}")


def changed(progress: Progress) -> list[int]:
    """Find the games that a bot played which is another one by now."""
    plan = progress.plan
    now = {name: version_of(text) for name, text in plan.entries.items()}
    return [
        row["id"]
        for row in progress.rows.values()
        if (now.get(row["first"]), now.get(row["second"])) != (row["version_first"], row["version_second"])
    ]
