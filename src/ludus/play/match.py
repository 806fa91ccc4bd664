"""A match: one game from start to outcome, with its clock and its record. The only referee.

Knows who moves, when time is up and how a game is lost; knows nothing of how a player is reached. When several things
meet in one answer, the first of `FAULTS` decides, and the rules of the game come last: a move that wins on the board
but came too late has lost.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import NamedTuple

from ludus._native import cpu_seconds
from ludus.errors import Fault, IllegalMove
from ludus.game import Outcome, State, complete
from ludus.messages import Message
from ludus.play.clock import Clock, TimeLeft
from ludus.play.player import Player, Situation
from ludus.play.record import Record


class PlayerAnswer(NamedTuple):
    """What a player did when it was asked: a move, or a fault. It can be sent from one process to another."""

    move: str = ""
    seconds: float = 0.0
    value: float | None = None
    """What the player thought of the position, where the record should have it."""
    stalled: float = 0.0
    """How long the referee was held up meanwhile."""
    fault: Fault | None = None


def answer_of(player: Player, situation: Situation) -> PlayerAnswer:
    """Ask a player for a move, and return what it did; every way in which it can fail is a fault."""
    own_time = situation.time
    now = cpu_seconds if own_time.clock.cpu else time.monotonic
    player.follow(situation)
    began = now()
    move, fault = "", None
    try:
        move = player.choose(situation.state, own_time)
    except Fault as failure:
        fault = failure
    except IllegalMove as error:
        fault = Fault("illegal-move", error.message)
    seconds = now() - began if player.spent is None else player.spent
    return PlayerAnswer(move, seconds, stalled=player.stalled, fault=fault)


class Clocks(NamedTuple):
    """How the clocks stand after some moves."""

    left: tuple[TimeLeft, TimeLeft]
    used: tuple[float, float] = (0.0, 0.0)
    """The seconds that each side's moves took so far."""

    def after(self, side: int, seconds: float, left: TimeLeft) -> Clocks:
        """Return the clocks after a move of a side, which leaves it that much."""
        first, second = self.used
        if side == 0:
            return Clocks((left, self.left[1]), (first + seconds, second))
        return Clocks((self.left[0], left), (first, second + seconds))


class Match:
    """A game in progress. States and clocks are kept move by move, so that nothing is ever played again."""

    def __init__(
        self,
        start: State,
        players: tuple[str, str] = ("?", "?"),
        clock: Clock | None = None,
        seed: int | None = None,
        *,
        untimed: tuple[bool, bool] = (False, False),
    ) -> None:
        """Begin a match; the time of `untimed` sides is not counted."""
        self.clock = clock or Clock()
        self.record = Record(complete(start), players, self.clock.text, outcome=start.outcome)
        if seed is not None:
            self.record.headers["Seed"] = str(seed)
        self.untimed = untimed
        self.stalled = 0.0
        """How long the referee itself was held up while it waited, in seconds."""
        self.last_stall = 0.0
        """The same during the last move."""
        self.fault: Fault | None = None
        """How the player that lost the game failed, where it did."""
        self._clocks = [Clocks((self.clock.start(), self.clock.start()))]
        self._moves: list[tuple[int, str]] = []

    @classmethod
    def resume(cls, record: Record, *, finished: bool = False) -> Match:
        """Return the match of a record that was kept, with its clocks as they were, or stopped where it is finished."""
        match = cls(record.start, record.players, Clock() if finished else Clock.parse(record.clock))
        states = record.states()
        for played, before, after in zip(record.moves, states, states[1:], strict=False):
            match._count(before.side, played.move, played.seconds or 0.0, turn_goes_on=after.side == before.side)
        match.record = record
        return match

    @classmethod
    def at(cls, situation: Situation) -> Match:
        """Return a match that continues from a situation."""
        match = cls(situation.start, clock=situation.time.clock)
        for _, move in situation.moves:
            match.play(move)
        match._clocks[-1] = Clocks(situation.times)
        return match

    @property
    def state(self) -> State:
        """Where the game stands."""
        return self.record.final

    @property
    def outcome(self) -> Outcome | None:
        """None while the game goes on."""
        return self.record.outcome

    @property
    def moves(self) -> Sequence[tuple[int, str]]:
        """The moves so far, and who made them."""
        return self._moves

    @property
    def situation(self) -> Situation:
        """What the player to move is asked about."""
        first, second = (
            Clock().start() if free else left for left, free in zip(self._clocks[-1].left, self.untimed, strict=True)
        )
        return Situation(self.record.start, self._moves, self.state, (first, second))

    @property
    def position(self) -> Situation:
        """The same as if the game began here."""
        return self.situation._replace(start=self.state, moves=())

    @property
    def last_turn(self) -> Situation:
        """The same as if the game had begun with the opponent's last turn."""
        ply = len(self._moves)
        while ply and self._moves[ply - 1][0] != self.state.side:
            ply -= 1
        return self.situation._replace(start=self.record.states()[ply], moves=self._moves[ply:])

    def time_left(self, side: int) -> TimeLeft:
        """Return what a side has on its clock."""
        return self._clocks[-1].left[side]

    def seconds_used(self, side: int) -> float:
        """Return what a side's moves took so far."""
        return self._clocks[-1].used[side]

    def play(self, move: str, seconds: float = 0.0, value: float | None = None) -> None:
        """Play a move for the side to move. Too late loses the game; an illegal one raises and changes nothing."""
        if self.outcome is not None:
            raise IllegalMove(Message("play.game_over"))
        side = self.state.side
        if self.time_left(side).after(seconds) is None:
            self.forfeit(side, "timeout")
            return
        played = self.record.play(move, seconds, value)
        self._count(side, played.move, seconds, turn_goes_on=self.state.side == side)

    def _count(self, side: int, move: str, seconds: float, *, turn_goes_on: bool) -> None:
        """Store who made a move, and what it left on the clock."""
        before = self.time_left(side)
        left = before.after(seconds, turn_goes_on=turn_goes_on) or before
        self._moves.append((side, move))
        self._clocks.append(self._clocks[-1].after(side, seconds, left))

    def ask(self, player: Player) -> PlayerAnswer:
        """Let the player whose turn it is choose, and take its answer, which is returned too."""
        answer = answer_of(player, self.situation)
        self.take(answer)
        return answer

    def take(self, answer: PlayerAnswer) -> None:
        """Play the move of an answer for the side to move; a fault, a late or an illegal move loses the game."""
        side = self.state.side
        self.last_stall = answer.stalled
        self.stalled += answer.stalled
        if answer.fault is not None:
            self.fail(side, answer.fault)
            return
        try:
            self.play(answer.move, 0.0 if self.untimed[side] else answer.seconds, answer.value)
        except IllegalMove as error:
            self.fail(side, Fault("illegal-move", error.message, move=answer.move))

    def run(
        self,
        players: Sequence[Player],
        *,
        adjudicate: bool = False,
        on_move: Callable[[Match], None] | None = None,
    ) -> None:
        """Play on to the end; `on_move` is called after every move.

        `adjudicate` ends a game without points when both players have proven the same outcome.
        """
        while self.outcome is None:
            self.ask(players[self.state.side])
            if adjudicate and self.outcome is None:
                self.record.outcome = proven_outcome(players, self.state)
            if on_move is not None:
                on_move(self)

    def fail(self, side: int, fault: Fault) -> None:
        """End the game against a side that has failed, and keep how."""
        self.fault = fault
        self.record.fault = fault.message
        self.forfeit(side, fault.kind)

    def resign(self, side: int) -> None:
        """End the game against a side that resigns."""
        self.forfeit(side, "resigned")

    def agree(self) -> None:
        """End the game as a draw to which both sides have agreed."""
        self.record.outcome = Outcome(None, "agreed")

    def run_out(self) -> None:
        """End the game against the side to move, whose time is up."""
        self.forfeit(self.state.side, "timeout")

    def forfeit(self, side: int, reason: str) -> None:
        """End the game against a side."""
        self.record.outcome = Outcome(1 - side, reason)

    def undo(self) -> bool:
        """Take the last move back, clock included; False if there is none."""
        if not self._moves:
            return False
        self.record.undo()
        self._clocks.pop()
        self._moves.pop()
        self.fault = None
        return True


def proven_outcome(players: Sequence[Player], state: State) -> Outcome | None:
    """Return the outcome that both players have proven, if they have: +1, -1 or 0 to the side that each moved for."""
    first, second = (player.last for player in players)
    if state.scores is not None or first is None or second is None or not (first.exact and second.exact):
        return None
    if first.value != -second.value or first.value not in (-1, 0, 1):
        return None
    return Outcome({1: 0, -1: 1, 0: None}[int(first.value)], "adjudicated")
