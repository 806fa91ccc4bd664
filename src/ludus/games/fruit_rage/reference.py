"""The Fruit Rage, slow and obvious: lists and loops. Tests compare the compiled rules with this at every ply."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
EMPTY = "*"


@dataclass(frozen=True)
class Reference:
    """A state, as rows of characters from the top."""

    rows: tuple[str, ...]
    side: int = 0
    scores: tuple[int, int] = (0, 0)

    @classmethod
    def parse(cls, text: str, **_options: int | str) -> Reference:
        """Read a position text with all its fields."""
        board, side, points = text.split(" ")
        first, second = points.split("-")
        return cls(tuple(board.split("/")), int(side) - 1, (int(first), int(second)))

    @property
    def text(self) -> str:
        """The position text."""
        return f"{'/'.join(self.rows)} {self.side + 1} {self.scores[0]}-{self.scores[1]}"

    @cached_property
    def groups(self) -> dict[str, list[tuple[int, int]]]:
        """The cells of every group by its name: the cell of it that comes first, row by row from the top."""
        found: dict[str, list[tuple[int, int]]] = {}
        seen: set[tuple[int, int]] = set()
        for r, row in enumerate(self.rows):
            for c, fruit in enumerate(row):
                if fruit != EMPTY and (r, c) not in seen:
                    cells = [(r, c)]
                    for y, x in cells:  # grows while it is walked through
                        for v, u in ((y - 1, x), (y + 1, x), (y, x - 1), (y, x + 1)):
                            inside = 0 <= v < len(self.rows) and 0 <= u < len(self.rows)
                            if inside and self.rows[v][u] == fruit and (v, u) not in cells:
                                cells.append((v, u))
                    seen.update(cells)
                    found[f"{LETTERS[c]}{r + 1}"] = cells
        return found

    @property
    def legal_moves(self) -> tuple[str, ...]:
        """The names of the groups, row by row from the top."""
        return tuple(self.groups)

    @property
    def outcome(self) -> tuple[int | None, str] | None:
        """(winner, "rules"), or None while the game goes on."""
        if any(cell != EMPTY for row in self.rows for cell in row):
            return None
        first, second = self.scores
        return (None if first == second else 0 if first > second else 1), "rules"

    def play(self, move: str) -> Reference:
        """Return the state after a legal move."""
        claimed = self.groups[move]
        columns = []
        for c in range(len(self.rows)):
            kept = [row[c] for r, row in enumerate(self.rows) if row[c] != EMPTY and (r, c) not in claimed]
            columns.append([EMPTY] * (len(self.rows) - len(kept)) + kept)
        points = list(self.scores)
        points[self.side] += len(claimed) ** 2
        rows = tuple("".join(column[r] for column in columns) for r in range(len(self.rows)))
        return Reference(rows, 1 - self.side, (points[0], points[1]))
