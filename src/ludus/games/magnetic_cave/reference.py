"""Magnetic Cave, slow and obvious: lists and loops. Tests compare the compiled rules with this at every ply."""

from __future__ import annotations

from dataclasses import dataclass

LETTERS = "ABCDEFGHIJKLMNOP"
MARKS = "xo"


@dataclass(frozen=True)
class Reference:
    """A state, as rows of cells from the top: `x`, `o` or `.`."""

    cells: tuple[str, ...]
    line: int = 5
    side: int = 0
    winner: int | None = None

    @classmethod
    def parse(cls, text: str, **options: int | str) -> Reference:
        """Read a position text with all its fields."""
        board, side = text.split(" ")
        state = cls(tuple(board.split("/")), int(options.get("line", 5)), int(side) - 1)
        winners = [player for player in (1 - state.side, state.side) if state.has_line(player)]
        return cls(state.cells, state.line, state.side, winners[0]) if winners else state

    @property
    def text(self) -> str:
        """The position text."""
        return f"{'/'.join(self.cells)} {self.side + 1}"

    @property
    def scores(self) -> None:
        """No points in this game."""

    def at(self, row: int, col: int) -> str:
        """Tell what a cell holds; beyond the board there is nothing."""
        inside = 0 <= row < len(self.cells) and 0 <= col < len(self.cells[0])
        return self.cells[row][col] if inside else ""

    def has_line(self, player: int) -> bool:
        """Return whether a player has a line, from any cell in any direction."""
        return any(
            all(self.at(row + i * down, col + i * right) == MARKS[player] for i in range(self.line))
            for row in range(len(self.cells))
            for col in range(len(self.cells[0]))
            for down, right in ((0, 1), (1, 0), (1, 1), (1, -1))
        )

    def playable(self, row: int, col: int) -> bool:
        """Return whether a brick put here would stick: to a wall, which is beyond the board, or to a brick."""
        return self.at(row, col) == "." and not (self.at(row, col - 1) == "." and self.at(row, col + 1) == ".")

    @property
    def legal_moves(self) -> tuple[str, ...]:
        """The moves, row by row from the top."""
        if self.winner is not None:
            return ()
        return tuple(
            f"{LETTERS[col]}{len(self.cells) - row}"
            for row in range(len(self.cells))
            for col in range(len(self.cells[0]))
            if self.playable(row, col)
        )

    @property
    def outcome(self) -> tuple[int | None, str] | None:
        """(winner, "rules"), or None while the game goes on."""
        if self.winner is not None:
            return self.winner, "rules"
        return None if any("." in row for row in self.cells) else (None, "rules")

    def play(self, move: str) -> Reference:
        """Return the state after a legal move."""
        assert move in self.legal_moves
        rows = [list(row) for row in self.cells]
        rows[len(rows) - int(move[1:])][LETTERS.index(move[0])] = MARKS[self.side]
        after = Reference(tuple("".join(row) for row in rows), self.line, 1 - self.side)
        won = after.has_line(self.side)
        return Reference(after.cells, after.line, after.side, self.side if won else None)
