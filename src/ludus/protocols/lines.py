"""`lines`: the bot is started with `first` or `second`, reads the start position and then the opponent's moves as
lines, and writes its own as lines. `first` writes at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ludus.play.record import SIDES
from ludus.protocols import BotProtocol, spoken_move

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ludus.messages import Message
    from ludus.play.player import Situation


class Lines(BotProtocol):
    """Moves, one a line."""

    name = "lines"

    def command(self, run: Sequence[str], side: int) -> tuple[str, ...]:
        """Add which side it is."""
        return (*run, SIDES[side])

    def ask(self, situation: Situation, known: int) -> str:
        """Tell the start before all else, then what the opponent played since."""
        mine = situation.state.side
        news = [] if known else [situation.start.text]
        return "".join(f"{line}\n" for line in (*news, *(m for side, m in situation.moves[known:] if side != mine)))

    def read(self, situation: Situation, line: str, notes: list[Message]) -> str | None:
        """Find the move."""
        return spoken_move(situation.state, line, notes)


PROTOCOL = Lines()
