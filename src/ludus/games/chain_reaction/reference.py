"""Chain Reaction, slow and obvious: lists and loops. Tests compare the compiled rules with this at every ply."""

from __future__ import annotations

from dataclasses import dataclass, replace

Held = tuple[int | str | None, int]
"""What a cell holds: its owner (0 red, 1 blue, None nobody, "dead" burnt out) and its orbs."""
LETTERS = "ABCDEFGHIJ"
PLY_LIMIT = 1000


@dataclass(frozen=True)
class Reference:
    """A state, as rows of cells."""

    cells: tuple[tuple[Held, ...], ...]
    explosion: str = "empties"
    side: int = 0
    ply: int = 0
    winner: int | None = None
    order: str = "wave"
    """How the cells of a chain are taken: whole waves, one by one from a queue, or waves in reverse; all the same."""

    @classmethod
    def parse(cls, text: str, **options: int | str) -> Reference:
        """Read a position text with all its fields."""
        board, side, ply = text.split(" ")
        rows = []
        for line in board.split("/"):
            row: list[Held] = []
            for i, char in enumerate(line):
                if char == ".":
                    row.append((None, 0))
                elif char == "#":
                    row.append(("dead", 0))
                elif char in "rb":
                    row.append(("rb".index(char), int(line[i + 1])))
            rows.append(tuple(row))
        state = cls(tuple(rows), str(options.get("explosion", "empties")), int(side) - 1, int(ply))
        if state.alone:
            state = replace(state, winner=state.side if state.orbs(state.side) else 1 - state.side)
        return state

    @property
    def text(self) -> str:
        """The position text."""
        shown = {None: ".", "dead": "#", 0: "r", 1: "b"}
        lines = ["".join(shown[owner] + (str(n) if n else "") for owner, n in row) for row in self.cells]
        return f"{'/'.join(lines)} {self.side + 1} {self.ply}"

    @property
    def scores(self) -> None:
        """No points in this game."""

    def orbs(self, side: int) -> int:
        """Count the orbs of a side."""
        return sum(n for row in self.cells for owner, n in row if owner == side)

    @property
    def alone(self) -> bool:
        """Whether a side has no orb although both have played, by the plies or by the orbs."""
        orbs = (self.orbs(0), self.orbs(1))
        return 0 in orbs and (self.ply >= 2 or sum(orbs) >= 2)

    @property
    def free(self) -> list[str]:
        """The cells that the side to move may play on."""
        return [
            f"{LETTERS[c]}{r + 1}"
            for r, row in enumerate(self.cells)
            for c, (owner, _) in enumerate(row)
            if owner is None or owner == self.side
        ]

    @property
    def legal_moves(self) -> tuple[str, ...]:
        """The moves, row by row."""
        return () if self.outcome else tuple(self.free)

    @property
    def outcome(self) -> tuple[int | None, str] | None:
        """(winner, "rules"), or None while the game goes on."""
        if self.winner is not None:
            return self.winner, "rules"
        if not self.free:
            return 1 - self.side, "rules"
        return (None, "rules") if self.ply >= PLY_LIMIT else None

    def neighbours(self, r: int, c: int) -> list[tuple[int, int]]:
        """Return the orthogonal neighbours of a cell; their number is its capacity."""
        near = [(r - 1, c), (r + 1, c), (r, c - 1), (r, c + 1)]
        return [(y, x) for y, x in near if 0 <= y < len(self.cells) and 0 <= x < len(self.cells[0])]

    def full(self, grid: list[list[Held]], r: int, c: int) -> bool:
        """Return whether a cell has reached its capacity."""
        return grid[r][c][1] >= len(self.neighbours(r, c))

    def play(self, move: str) -> Reference:
        """Return the state after a legal move."""
        assert move in self.legal_moves
        grid = [list(row) for row in self.cells]
        r, c = int(move[1:]) - 1, LETTERS.index(move[0])
        grid[r][c] = (self.side, grid[r][c][1] + 1)
        winner = None
        waiting = [(r, c)] if self.full(grid, r, c) else []
        while waiting and winner is None:
            taken = waiting[:1] if self.order == "queue" else waiting[::-1] if self.order == "reverse" else waiting
            waiting = waiting[len(taken) :]
            for y, x in taken:
                capacity, held = len(self.neighbours(y, x)), grid[y][x][1]
                left = held - capacity if self.explosion == "keeps-surplus" else 0
                grid[y][x] = ("dead", 0) if self.explosion == "dies" else (self.side if left else None, left)
                for v, u in self.neighbours(y, x):
                    if grid[v][u][0] != "dead":
                        grid[v][u] = (self.side, grid[v][u][1] + 1)
                        if self.full(grid, v, u) and (v, u) not in waiting:
                            waiting.append((v, u))
            if 1 - self.side not in {owner for row in grid for owner, _ in row}:
                winner = self.side
        owners = {owner for row in grid for owner, _ in row}
        if winner is None and self.side not in owners:
            winner = 1 - self.side
        cells = tuple(tuple(row) for row in grid)
        after = replace(self, cells=cells, side=1 - self.side, ply=self.ply + 1, winner=winner)
        return replace(after, winner=self.side) if winner is None and after.alone else after
