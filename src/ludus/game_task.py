"""One game as a piece of work that can be sent to another process or machine: a task in, what was played out.

Knows how to play it; knows nothing of formats, ledgers or who sends it.
"""

from __future__ import annotations

import contextlib
import functools
import os
import signal
import socket
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from ludus.errors import FAULTS, NO_SPACE, is_disk_full, message_of
from ludus.game import Game, game
from ludus.messages import Message
from ludus.play.clock import Clock
from ludus.play.match import Match
from ludus.play.openings import DrawnMoves
from ludus.play.record import Record
from ludus.play.result import UNPLAYED, GameKey, GameResult
from ludus.players import player

if TYPE_CHECKING:
    from ludus.bots import Bot
    from ludus.play.player import Player

MOST_REPLAYS = 2
RECORD, RESULT = "record", "result"
"""What a worker tells of a game: how it stands, and its result."""
SECONDS_BETWEEN_RECORDS = 0.5
"""A game that is over sooner is not shown while it is played."""
STALL_SECONDS = 0.05
"""A stall of the referee beyond this makes a time loss doubtful."""


class Task(NamedTuple):
    """A game that is to be played."""

    pairing: str
    board: int
    seats: int
    """0 when the pairing's first entry moves first, 1 when its second does."""
    game: str
    options: Mapping[str, int | str]
    start: str
    """The position that it starts from."""
    entries: tuple[str, str]
    """The names of who moves first and who second."""
    players: tuple[str, str]
    """Their texts."""
    clock: str = "none"
    seed: int = 0
    adjudicate: bool = False
    trusted: bool = False
    untimed: tuple[bool, bool] = (False, False)
    """Sides whose time is not counted."""
    pondering: bool = False
    """Whether bots may think in the opponent's turn."""
    drawn: tuple[int, int] = (0, 0)
    """How many of each side's first moves are drawn from the seed, where the other cannot be told a position."""

    @property
    def key(self) -> GameKey:
        """What is unique about it in its tournament."""
        return self.pairing, self.board, self.seats


def attempt(
    task: Task, bots: Mapping[str, Bot] | None = None, on_move: Callable[[Match], None] | None = None
) -> GameResult:
    """Play a task's game as `perform` does; the result of one that cannot be played says why, and stops nothing else.

    This is the one place that decides it, for every pool: whatever one game raises ends that game alone.
    """
    try:
        return perform(task, bots, on_move)
    except Exception as error:
        ours = Message("tournament.our_fault", kind=type(error).__name__, problem=str(error))
        return unplayed(task, message_of(error) if isinstance(error, ValueError) or is_disk_full(error) else ours)


def lacked_space(result: GameResult) -> bool:
    """Return whether a game could not be played because a disk was full: then no other can be played either."""
    return not result.played and result.fault_message is not None and result.fault_message.code in NO_SPACE


def play(
    tell: Callable[[tuple[str, str | GameResult]], None], bots: Mapping[str, Bot] | None, watched: bool, task: Task
) -> None:
    """Play a task's game in a worker; tell its result at the end, and where someone watches how it stands meanwhile.

    A thread of its own does the latter, so that a game is neither slowed down nor shown late while a bot thinks.
    """
    lock, over = threading.Lock(), threading.Event()
    matches: list[Match] = []

    def show() -> None:
        shown = -1
        while not over.wait(SECONDS_BETWEEN_RECORDS):
            with lock, contextlib.suppress(OSError):  # the parent may have gone
                if over.is_set() or not matches or len(matches[0].record.moves) == shown or matches[0].outcome:
                    continue
                shown = len(matches[0].record.moves)
                tell((RECORD, matches[0].record.text))

    def on_move(match: Match) -> None:
        matches[:] = [match]

    if watched:
        threading.Thread(target=show, daemon=True).start()
    result = attempt(task, bots, on_move if watched else None)
    with lock:  # nothing is sent of a game that is over
        over.set()
    tell((RESULT, result))


def perform(
    task: Task, bots: Mapping[str, Bot] | None = None, on_move: Callable[[Match], None] | None = None
) -> GameResult:
    """Play a task's game, and return its result; `bots` are those that were sent along.

    A time loss in a move during which the referee itself was held up proves nothing: the game is played again. Nor does
    a program's death by SIGKILL. The new game counts only if it comes to the lost move by the same moves; otherwise
    the first one does, so that nobody gets another try. One that is lost even earlier in the same way is played again.
    `on_move` is called before the first move and after every move.
    """
    made = game(task.game, **task.options)
    start = made.parse(task.start)
    stalled, replays = 0.0, 0
    counts: tuple[Match, list[Player]] | None = None
    while True:
        match = Match(start, task.entries, Clock.parse(task.clock), task.seed, untimed=task.untimed)
        with ExitStack() as stack:
            seats = [
                DrawnMoves(seat, task.seed, drawn) if drawn else seat
                for text, drawn in zip(task.players, task.drawn, strict=True)
                for seat in [stack.enter_context(_player(text, made, task, bots or {}))]
            ]
            if on_move is not None:
                on_move(match)
            match.run(seats, adjudicate=task.adjudicate, on_move=on_move)
        stalled += match.stalled
        again = doubtful(match) and replays < MOST_REPLAYS
        if counts is None or goes_on(counts[0].moves, match.moves):
            counts = match, seats
        elif not goes_on(match.moves, counts[0].moves):  # else it was only lost earlier than before
            lost = counts[0].record
            lost.fault = Message("tournament.other_moves", fault=lost.fault or FAULTS["timeout"])
            again = False
        if not again:
            break
        replays += 1
    match, seats = counts
    if replays:
        match.record.headers["Replayed"] = f"{replays} games before it ended by a stall or a kill from outside"
    return _result(task, match, seats, stalled, replays)


def doubtful(match: Match) -> bool:
    """Return whether a loss may not be the loser's own: the referee was held up in its move, or its program was killed.

    Nobody can tell a kill from outside from a program that kills itself, so the number of replays is limited.
    """
    assert match.outcome is not None
    if match.outcome.reason == "timeout":
        return match.last_stall >= STALL_SECONDS
    return match.fault is not None and match.fault.signal == signal.SIGKILL


def goes_on(before: Sequence[object], after: Sequence[object]) -> bool:
    """Return whether a game that was played again came by the same moves to where it was lost before."""
    return list(after[: len(before)]) == list(before)


def counts_again(before: GameResult, after: GameResult) -> GameResult:
    """Return which of two results of a game counts: the new one only if it came by the same moves to the lost one."""
    old, new = (Record.parse(result.record) for result in (before, after))
    lost, played = ([one.move for one in record.moves] for record in (old, new))
    if goes_on(lost, played):
        return replace(after, replays=after.replays + 1)
    if goes_on(played, lost) and after.reason == before.reason:  # it was only lost even earlier
        return replace(before, replays=before.replays + 1)
    old.fault = Message("tournament.other_moves", fault=old.fault or FAULTS[before.reason])
    return replace(before, replays=before.replays + 1, fault=str(old.fault), fault_message=old.fault, record=old.text)


def _player(text: str, made: Game, task: Task, bots: Mapping[str, Bot]) -> Player:
    if text not in bots:
        return player(text, made, trusted=task.trusted, pondering=task.pondering)
    from ludus.bots.player import BotPlayer  # noqa: PLC0415 - only where there are bots

    return BotPlayer(bots[text], trusted=task.trusted, pondering=task.pondering)


def unplayed(task: Task, why: Message) -> GameResult:
    """Return the result of a game that could not be played: nobody has won it, and nothing is known of it."""
    match = Match(game(task.game, **task.options).parse(task.start), task.entries, Clock.parse(task.clock))
    match.record.headers["Unplayed"] = str(why)
    return GameResult(
        *task.key,
        *task.entries,
        winner=None,
        reason=UNPLAYED,
        fault=str(why),
        fault_message=why,
        host=host(),
        seed=task.seed,
        record=match.record.text,
    )


def _result(task: Task, match: Match, seats: list[Player], stalled: float, replays: int) -> GameResult:
    assert match.outcome is not None
    scores = match.state.scores or (0, 0)
    return GameResult(
        *task.key,
        *task.entries,
        winner=match.outcome.winner,
        reason=match.outcome.reason,
        fault=match.record.headers.get("Fault", ""),
        fault_message=match.record.fault,
        margin=scores[0] - scores[1],
        moves=len(match.record.moves),
        used=(match.seconds_used(0), match.seconds_used(1)),
        left=(match.time_left(0).bank, match.time_left(1).bank),
        versions=(seats[0].version or task.players[0], seats[1].version or task.players[1]),
        stalled=stalled,
        replays=replays,
        logs=(_log(seats[0]), _log(seats[1])),
        host=host(),
        seed=task.seed,
        record=match.record.text,
    )


def _log(seat: Player) -> str:
    """Return what a bot wrote on standard error; a database takes no zero bytes."""
    return seat.log.replace("\0", "")


@functools.cache
def host() -> str:
    """Return the name of this machine."""
    return socket.gethostname() or os.uname().nodename


TASKS = {"play": play}
