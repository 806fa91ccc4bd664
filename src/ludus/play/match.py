"""A match: one game from start to outcome, with its clock and its record.

Knows who moves and when time is up; knows nothing of how a player is reached. When several things meet in one
answer, the first of `FAULTS` decides, and the rules of the game come last: a move that wins on the board but came too
late has lost.
"""

from __future__ import annotations

import contextlib
import time
from typing import TYPE_CHECKING

from ludus._native import cpu_seconds
from ludus.errors import Fault, IllegalMove
from ludus.game import Outcome, complete
from ludus.play.clock import Clock, TimeLeft
from ludus.play.record import Played, Record
from ludus.players import player

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ludus.game import Game, State
    from ludus.players import Player


class Match:
    """A game in progress."""

    def __init__(
        self, start: State, players: tuple[str, str] = ("?", "?"), clock: Clock | None = None, seed: int | None = None
    ) -> None:
        self.clock = clock or Clock()
        self.record = Record(complete(start), players, self.clock.text, outcome=start.outcome)
        if seed is not None:
            self.record.headers["Seed"] = str(seed)
        self.stalled = 0.0
        """How long the referee itself was held up while it waited, in seconds."""
        self.last_stall = 0.0
        """The same during the last move."""
        self.fault: Fault | None = None
        """How the player that lost the game failed, where it did."""
        self._states = [start]
        self._left: list[tuple[TimeLeft, TimeLeft]] = [(self.clock.start(), self.clock.start())]

    @property
    def state(self) -> State:
        """Where the game stands."""
        return self._states[-1]

    @property
    def outcome(self) -> Outcome | None:
        """None while the game goes on."""
        return self.record.outcome

    @property
    def played(self) -> list[tuple[int, str]]:
        """The moves so far, and who made them."""
        return [(before.side, move.move) for before, move in zip(self._states, self.record.moves, strict=False)]

    def time_left(self, side: int) -> TimeLeft:
        """Give what a side has on its clock."""
        return self._left[-1][side]

    def seconds_used(self, side: int) -> float:
        """Give what a side's moves took so far."""
        played = zip(self._states, self.record.moves, strict=False)  # one state more than moves
        return sum(move.seconds or 0.0 for state, move in played if state.side == side)

    def last_turn(self) -> tuple[State, list[str]]:
        """Give the moves that the opponent of the side to move has just played, and the state before them."""
        ply = len(self.record.moves)
        while ply and self._states[ply - 1].side != self.state.side:
            ply -= 1
        return self._states[ply], [played.move for played in self.record.moves[ply:]]

    def play(self, move: str, seconds: float = 0.0, value: float | None = None) -> None:
        """Play a move for the side to move. Too late loses the game; an illegal one raises and changes nothing."""
        if self.outcome is not None:
            raise IllegalMove("the game is over")
        side = self.state.side
        if self.time_left(side).after(seconds) is None:
            self.forfeit(side, "timeout")
            return
        name = self.state.move_name(move)
        after = self.state.play(name)
        left = self.time_left(side).after(seconds, turn_goes_on=after.side == side)
        assert left is not None
        both = self._left[-1]
        self._states.append(after)
        self._left.append((left, both[1]) if side == 0 else (both[0], left))
        self.record.moves.append(Played(name, seconds, value))
        self.record.outcome = after.outcome

    def forfeit(self, side: int, reason: str, sentence: str = "") -> None:
        """End the game against a side, and keep the sentence that says why."""
        self.record.outcome = Outcome(1 - side, reason)
        if sentence:
            self.record.headers["Fault"] = sentence

    def fail(self, side: int, fault: Fault) -> None:
        """End the game against a side that has failed, and keep how."""
        self.fault = fault
        self.forfeit(side, fault.kind, fault.sentence)

    def ask(self, seat: Player) -> None:
        """Let the player whose turn it is choose, and play its move; its failure ends the game."""
        state, side = self.state, self.state.side
        if (follow := getattr(seat, "follow", None)) is not None:
            follow(self.record.start, self.played, self._left[-1])
        now = cpu_seconds if self.clock.cpu else time.monotonic  # of a player of ours; a bot has its own count
        began = now()
        try:
            move = seat.choose(state, self.time_left(side))
            self.play(move, getattr(seat, "spent", now() - began))
        except Fault as fault:
            self.fail(side, fault)
        except IllegalMove as error:
            self.forfeit(side, "illegal-move", str(error))
        self.last_stall = getattr(seat, "stalled", 0.0)
        self.stalled += self.last_stall

    def undo(self) -> bool:
        """Take the last move back, clock included; False if there is none."""
        if not self.record.moves:
            return False
        self._states.pop()
        self._left.pop()
        self.record.moves.pop()
        self.record.outcome = None
        self.record.headers.pop("Fault", None)
        self.fault = None
        return True


def agreed(seats: Sequence[Player], state: State) -> Outcome | None:
    """Give the outcome that both players have proven, if they have: +1, -1 or 0 to the side that each moved for."""
    thoughts = [getattr(seat, "last", None) for seat in seats]
    if state.scores is not None or not all(getattr(thought, "exact", False) for thought in thoughts):
        return None
    first, second = (thought.value for thought in thoughts if thought is not None)
    if first != -second or first not in (-1, 0, 1):
        return None
    return Outcome({1: 0, -1: 1, 0: None}[first], "adjudicated")


def play_match(
    game: Game,
    players: tuple[str, str],
    clock: str = "none",
    *,
    start: State | None = None,
    seed: int = 0,
    trusted: bool = False,
    pondering: bool = False,
    adjudicate: bool = False,
    seen: Callable[[Match], None] | None = None,
) -> Record:
    """Play one game between two players and give its record; `seen` is called after every move.

    Bots run in the sandbox; `trusted` lets them out of it, for one's own only. `pondering` lets them think in the
    opponent's turn, in which they are paused otherwise. `adjudicate` ends a game without points when both players have
    proven the same outcome.
    """
    match = Match(start or game.initial(seed), players, Clock.parse(clock), seed if start is None else None)
    with contextlib.ExitStack() as leaving:
        seats = [seated(leaving, player(text, game, trusted=trusted, pondering=pondering)) for text in players]
        play_out(match, seats, adjudicate=adjudicate, seen=seen)
    return match.record


def play_out(
    match: Match,
    seats: Sequence[Player],
    *,
    adjudicate: bool = False,
    seen: Callable[[Match], None] | None = None,
) -> None:
    """Play a match on to its end."""
    while match.outcome is None:
        match.ask(seats[match.state.side])
        if adjudicate and match.outcome is None:
            match.record.outcome = agreed(seats, match.state)
        if seen is not None:
            seen(match)


def seated(leaving: contextlib.ExitStack, seat: Player) -> Player:
    """Give a player that is sent home when the game is left, however that comes about."""
    close: Callable[[], None] | None = getattr(seat, "close", None)
    if close is not None:
        leaving.callback(close)
    return seat
