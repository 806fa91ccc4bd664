"""Openings: starts that differ, so that deterministic players do not play one game a hundred times."""

from __future__ import annotations

import random
from pathlib import Path

from ludus.errors import ParseError, UserError
from ludus.files import read_text
from ludus.game import Game, State
from ludus.messages import Message
from ludus.play.clock import TimeLeft
from ludus.play.player import Player, Situation

PLIES = 4
"""Random plies before a game that always starts from the same board."""


def opening(game: Game, number: int, plies: int = PLIES) -> State:
    """Return the start with this number: a random board where the game has them, else the board after random plies.

    The same number gives the same start on every machine. Finished positions are skipped.
    """
    start = game.initial(number)
    if start.text != game.initial(number + 1).text:
        return start
    chooser = random.Random(number)
    while True:
        state = start
        for _ in range(plies):
            if state.outcome is None:
                state = state.play(chooser.choice(state.legal_moves))
        if state.outcome is None:
            return state
        plies = max(0, plies - 1)


def for_players(start: State, usual: State, knows: tuple[bool, bool], plies: int) -> tuple[State, tuple[int, int]]:
    """Return where two players begin, and how many first moves of each are drawn; `knows` says who can be told a start.

    One who cannot begins on the usual board, and the other's first moves are drawn instead, so that games differ and
    are the same when they are played again.
    """
    if start == usual or all(knows):
        return start, (0, 0)
    moves = (plies + 1) // 2
    return usual, (moves * (knows[0] and not knows[1]), moves * (knows[1] and not knows[0]))


class DrawnMoves(Player):
    """A player whose first moves are drawn from a seed: the opponent cannot be told a position, and games must differ.

    The moves are ordinary moves of the record. The player itself sees a game that begins when they are over.
    """

    def __init__(self, inner: Player, seed: int, moves: int) -> None:
        self._inner = inner
        self._chooser = random.Random(seed)
        self._left = moves
        self._begun = -1
        self._drawn: str | None = None

    def follow(self, situation: Situation) -> None:
        """Draw a move, or pass the game on as it is since the first side's last move before the player's own."""
        state = situation.state
        self._drawn = None
        if self._left:
            self._left -= 1
            quiet = [move for move in state.legal_moves if state.play(move).outcome is None]
            self._drawn = self._chooser.choice(quiet or state.legal_moves)
            return
        if self._begun < 0:
            self._begun = len(situation.moves) - state.side
        start = situation.start
        for _, move in situation.moves[: self._begun]:
            start = start.play(move)
        self._inner.follow(situation._replace(start=start, moves=situation.moves[self._begun :]))

    def choose(self, state: State, time: TimeLeft) -> str:
        """Play what was drawn, or let the player choose."""
        self.spent, self.stalled, self.last = 0.0, 0.0, None
        if self._drawn is not None:
            return self._drawn
        try:
            return self._inner.choose(state, time)
        finally:
            self.spent, self.stalled, self.last = self._inner.spent, self._inner.stalled, self._inner.last

    def close(self) -> None:
        """Close the player."""
        self._inner.close()

    @property
    def log(self) -> str:
        """What the player wrote."""
        return self._inner.log

    @property
    def version(self) -> str:
        """What exactly the player is."""
        return self._inner.version


def read_openings(path: Path | str, game: Game) -> tuple[str, ...]:
    """Read a suite of openings: a position a line; what follows a `#` is a remark."""
    found = []
    for number, line in enumerate(read_text(path).removeprefix("\ufeff").splitlines(), 1):
        text = line.partition("#")[0].strip()
        if not text:
            continue
        try:
            state = game.parse(text)
        except ParseError as error:
            raise ParseError(error.message, number, error.column, str(path)) from None
        if state.outcome is not None:
            raise ParseError(Message("play.position_over"), number, 1, str(path))
        found.append(state.text)
    if not found:
        raise UserError("play.no_positions", path=path)
    return tuple(found)
