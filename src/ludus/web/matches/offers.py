"""Offers between two people during a game: a draw, or to take the last move back. Knows no HTTP and no clock.

An offer stands until it is answered or withdrawn; any move withdraws it. Who was refused can ask again after two more
plies. Each offer and what became of it is kept in the record, under the header `Offers`:

    [Offers "draw 1 12 declined, takeback 2 15 accepted"]

the kind, the side that made it (1 or 2), after how many plies, and its end. In a rated game no move is taken back.
"""

from __future__ import annotations

from typing import NamedTuple

from ludus.play.record import Record

HEADER = "Offers"
KINDS = ("draw", "takeback")
MOST = 40
"""Offers of one game."""
REST_PLIES = 2


class Offer(NamedTuple):
    """An offer that waits for its answer."""

    what: str
    side: int
    """Who made it."""

    @property
    def text(self) -> str:
        """The offer as it is stored."""
        return f"{self.what} {self.side + 1}"

    @classmethod
    def read(cls, text: str | None) -> Offer | None:
        """Return a stored offer; None where there is none."""
        what, _, side = (text or "").partition(" ")
        return cls(what, int(side) - 1) if what in KINDS and side in ("1", "2") else None


class Offers:
    """The offers of a game: the one that is open, and what became of the others."""

    def __init__(self, record: Record) -> None:
        self._record = record
        self.open: Offer | None = None

    @property
    def _past(self) -> list[list[str]]:
        """The offers that are over, as words of the header."""
        past = map(str.split, self._record.headers.get(HEADER, "").split(", "))
        return [words for words in past if len(words) == 4 and words[2].isdecimal()]

    def allowed(self, side: int, moved: set[int], *, rated: bool) -> list[str]:
        """Return what a side may do about offers; `moved` are the sides that have played a move."""
        if self.open is not None:
            return ["withdraw"] if self.open.side == side else ["answer"]
        past = self._past
        if len(past) >= MOST:
            return []
        plies = len(self._record.moves)
        kinds = [("draw", len(moved) == 2), ("takeback", side in moved and not rated)]
        recent = {what for what, who, ply, _ in past if who == str(side + 1) and plies - int(ply) < REST_PLIES}
        return [what for what, can in kinds if can and what not in recent]

    def make(self, what: str, side: int) -> None:
        """Make an offer."""
        self.open = Offer(what, side)

    def close(self, end: str) -> Offer | None:
        """End the open offer, if there is one, and write down how."""
        offer, self.open = self.open, None
        if offer is not None:
            text = f"{offer.text} {len(self._record.moves)} {end}"
            past = self._record.headers.get(HEADER)
            self._record.headers[HEADER] = f"{past}, {text}" if past else text
        return offer
