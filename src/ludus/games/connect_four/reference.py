"""Connect Four, slow and obvious: lists and loops. Tests compare the compiled rules with this at every ply."""

from __future__ import annotations

from dataclasses import dataclass

LETTERS = "ABCDEFGH"
MARKS = "xo"


@dataclass(frozen=True)
class Reference:
    """A state, as rows of cells from the top: `x`, `o` or `.`."""

    cells: tuple[str, ...]
    line: int = 4
    side: int = 0

    @classmethod
    def parse(cls, text: str, **options: int | str) -> Reference:
        """Read a position text with all its fields."""
        board, side = text.split(" ")
        return cls(tuple(board.split("/")), int(options.get("line", 4)), int(side) - 1)

    @property
    def text(self) -> str:
        """Return the position text."""
        return f"{'/'.join(self.cells)} {self.side + 1}"

    @property
    def scores(self) -> None:
        """Return no points: this game has none."""

    def has_line(self, player: int) -> bool:
        """Return whether a player has a line, from any cell in any direction."""
        size = range(len(self.cells)), range(len(self.cells[0]))
        discs = {(row, col) for row in size[0] for col in size[1] if self.cells[row][col] == MARKS[player]}
        lines = (
            {(row + i * down, col + i * right) for i in range(self.line)}
            for row, col in discs
            for down, right in ((0, 1), (1, 0), (1, 1), (1, -1))
        )
        return any(line <= discs for line in lines)

    @property
    def legal_moves(self) -> tuple[str, ...]:
        """Return the columns with an empty cell, from the left."""
        return () if self.outcome else tuple(LETTERS[col] for col, cell in enumerate(self.cells[0]) if cell == ".")

    @property
    def outcome(self) -> tuple[int | None, str] | None:
        """Return (winner, "rules"), or None while the game goes on."""
        for player in (1 - self.side, self.side):
            if self.has_line(player):
                return player, "rules"
        return None if "." in self.cells[0] else (None, "rules")

    def play(self, move: str) -> Reference:
        """Return the state after a legal move."""
        assert move in self.legal_moves
        rows, col = [list(row) for row in self.cells], LETTERS.index(move)
        lowest = max(row for row in range(len(rows)) if rows[row][col] == ".")
        rows[lowest][col] = MARKS[self.side]
        return Reference(tuple("".join(row) for row in rows), self.line, 1 - self.side)
