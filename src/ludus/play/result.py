"""The result of one game: who played on which board, how it ended, what it took, and the record of its moves.

Every part that deals with finished games (tournaments, courses, reports, web, terminal) passes this type; the ledger
stores it. Knows nothing of pairing systems, databases or pages.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from datetime import datetime

    from ludus.messages import Message

UNPLAYED = "unplayed"
"""The reason of a game that could not be played: a draw in its pairing that counts for no rating."""
PLAYED_OUT = ("rules", "adjudicated")
"""The reasons of games that ended on the board. Every other reason but UNPLAYED is a failure of the losing side."""

GameKey = tuple[str, int, int]
"""Pairing, board and seats: what is unique about a game in its tournament."""


@dataclass(frozen=True, slots=True)
class GameResult:
    """A finished game. Pairs of values belong to the side that moved first and the side that moved second."""

    pairing: str
    board: int
    seats: int
    """0 when the pairing's first entry moved first, 1 when its second entry did."""
    first: str
    """The entry that moved first."""
    second: str
    winner: int | None
    """The side that won: 0 the first, 1 the second, None for a draw."""
    reason: str
    """One of PLAYED_OUT, a kind of fault, or UNPLAYED."""
    fault: str = ""
    """What the loser did wrong, as an English sentence."""
    fault_message: Message | None = None
    """The same as data; games stored by older versions have none."""
    margin: int = 0
    """Points of the first side minus those of the second, in games with points."""
    moves: int = 0
    used: tuple[float, float] = (0.0, 0.0)
    """Seconds that each side used."""
    left: tuple[float | None, float | None] = (None, None)
    """Seconds that each side had left, where the clock counts down."""
    versions: tuple[str, str] = ("", "")
    """What exactly played: the hash of a bot's files, or the text of a player."""
    stalled: float = 0.0
    """Seconds for which the referee itself was delayed."""
    replays: int = 0
    """How often it was played again because a loss was doubtful."""
    logs: tuple[str, str] = ("", "")
    """What each bot wrote to standard error: private to its owner."""
    host: str = ""
    seed: int = 0
    record: str = ""
    """The game record as text."""
    record_file: str = ""
    """The name of the file that holds the record, where games are written to a folder."""
    id: int | None = None
    """Its number in the ledger, once it is stored there."""
    finished: datetime | None = None
    """When it was stored."""

    @property
    def key(self) -> GameKey:
        """What is unique about it in its tournament."""
        return self.pairing, self.board, self.seats

    @property
    def entries(self) -> tuple[str, str]:
        """The names of both sides, the one that moved first first."""
        return self.first, self.second

    @property
    def played(self) -> bool:
        """Whether it was played at all."""
        return self.reason != UNPLAYED

    @property
    def forfeited(self) -> bool:
        """Whether a failure of a player decided it rather than the board."""
        return self.reason not in PLAYED_OUT and self.played

    @property
    def winner_entry(self) -> str | None:
        """The name of the winner, or None for a draw."""
        return None if self.winner is None else self.entries[self.winner]

    @property
    def failed(self) -> str | None:
        """The name of the entry that lost by its own failure, or None."""
        return self.entries[1 - self.winner] if self.forfeited and self.winner is not None else None

    def side(self, entry: str) -> int:
        """Return the side that an entry played: 0 first, 1 second."""
        return self.entries.index(entry)

    def opponent(self, entry: str) -> str:
        """Return the name of the other side."""
        return self.second if self.first == entry else self.first

    def points(self, entry: str) -> float:
        """Return what the game was worth to an entry: 1, 0.5 or 0."""
        return 0.5 if self.winner is None else float(self.winner_entry == entry)

    def margin_of(self, entry: str) -> int:
        """Return the points on the board by which an entry was ahead."""
        return self.margin if self.first == entry else -self.margin
