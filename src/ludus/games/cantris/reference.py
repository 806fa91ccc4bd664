"""Cantris, slow and obvious: lists and loops. Tests compare the compiled rules with this at every ply."""

from __future__ import annotations

from dataclasses import dataclass, replace

EMPTY = 0


@dataclass(frozen=True)
class Reference:
    """A state, as rows of numbers from the top."""

    rows: tuple[tuple[int, ...], ...]
    side: int = 0
    scores: tuple[int, int] = (0, 0)
    removed: int = 0
    removals: int = 1
    second_removal: str = "required"

    @classmethod
    def parse(cls, text: str, **options: int | str) -> Reference:
        """Read a position text with all its fields."""
        board, side, points, removed = text.split(" ")
        first, second = points.split("-")
        return cls(
            rows=tuple(tuple(EMPTY if char == "." else int(char) for char in line) for line in board.split("/")),
            side=int(side) - 1,
            scores=(int(first), int(second)),
            removed=int(removed),
            removals=int(options.get("removals", 1)),
            second_removal=str(options.get("second_removal", "required")),
        )

    @property
    def text(self) -> str:
        """The position text."""
        lines = ["".join(str(tile) if tile else "." for tile in row) for row in self.rows]
        return f"{'/'.join(lines)} {self.side + 1} {self.scores[0]}-{self.scores[1]} {self.removed}"

    @property
    def outcome(self) -> tuple[int | None, str] | None:
        """(winner, "rules"), or None while the game goes on."""
        if all(any(column) for column in zip(*self.rows, strict=True)):
            return None
        first, second = self.scores
        return (0 if first > second else 1 if second > first else None), "rules"

    @property
    def legal_moves(self) -> tuple[str, ...]:
        """The moves, row by row from the top, and the pass at the end."""
        if self.outcome:
            return ()
        moves = [f"{r},{c}" for r, row in enumerate(self.rows) for c, tile in enumerate(row) if tile != EMPTY]
        if self.removed == 1 and self.second_removal == "optional":
            moves.append("pass")
        return tuple(moves)

    def play(self, move: str) -> Reference:
        """Return the state after a legal move."""
        assert move in self.legal_moves
        if move == "pass":
            return replace(self, side=1 - self.side, removed=0)
        r, c = map(int, move.split(","))
        grid = [list(row) for row in self.rows]
        points = grid[r][c]
        grid[r][c] = EMPTY
        fall(grid)
        while cells := cells_in_runs(grid):
            for y, x in cells:
                points += grid[y][x]
                grid[y][x] = EMPTY
            fall(grid)
        scores = (
            (self.scores[0] + points, self.scores[1]) if self.side == 0 else (self.scores[0], self.scores[1] + points)
        )
        after = replace(self, rows=tuple(tuple(row) for row in grid), scores=scores, removed=self.removed + 1)
        if after.removed == self.removals or after.outcome:
            after = replace(after, side=1 - self.side, removed=0)
        return after


def fall(grid: list[list[int]]) -> None:
    """Let every tile above an empty cell drop, a row at a time, until none moves."""
    moved = True
    while moved:
        moved = False
        for r in range(len(grid) - 1):
            for c in range(len(grid[0])):
                if grid[r][c] != EMPTY and grid[r + 1][c] == EMPTY:
                    grid[r][c], grid[r + 1][c] = EMPTY, grid[r][c]
                    moved = True


def cells_in_runs(grid: list[list[int]]) -> list[tuple[int, int]]:
    """Find the cells of all maximal runs of three or more equal tiles in a row."""
    found = []
    for r, row in enumerate(grid):
        start = 0
        while start < len(row):
            end = start
            while end < len(row) and row[end] == row[start]:
                end += 1
            if row[start] != EMPTY and end - start >= 3:
                found += [(r, c) for c in range(start, end)]
            start = end
    return found
