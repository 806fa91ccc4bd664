"""The rules of Cantris: positions as text, the legal moves, and what a move does."""

REMOVALS = 0  # removals per turn; 0 means the default: two on a board of 10 rows and 5 columns, else one
SECOND_REMOVAL = "required"  # or "optional": then "pass" is a move after the first removal of a turn


class State:
    """A position. `play` returns a new one and does not change this one, so you can look ahead freely."""

    def __init__(self, rows, side, points, removed):
        self.rows = rows  # rows[row][col]: the number of a tile, 0 for an empty cell; row 0 is the top
        self.side = side  # whose move it is: 0 or 1; with two removals per turn it stays for the second
        self.points = points
        self.removed = removed  # removals already made in this turn
        self.removals = REMOVALS or (2 if (len(rows), len(rows[0])) == (10, 5) else 1)

    @staticmethod
    def parse(text):
        """Read a position text such as "12/21 1 0-0 0"."""
        board, side, points, removed = (text.split() + ["1", "0-0", "0"])[:4]
        rows = [[0 if tile == "." else int(tile) for tile in row] for row in board.split("/")]
        first, second = points.split("-")
        return State(rows, int(side) - 1, (int(first), int(second)), int(removed))

    @property
    def text(self):
        """The position as one line."""
        board = "/".join("".join(str(tile) if tile else "." for tile in row) for row in self.rows)
        return f"{board} {self.side + 1} {self.points[0]}-{self.points[1]} {self.removed}"

    @property
    def over(self):
        """Whether a column is empty: that ends the game."""
        return not all(any(column) for column in zip(*self.rows))

    def legal_moves(self):
        """Return all moves as texts such as "2,1": row and column, both from 0; none when the game is over."""
        if self.over:
            return []
        moves = [f"{row},{col}" for row, line in enumerate(self.rows) for col, tile in enumerate(line) if tile]
        return moves + ["pass"] if self.removed == 1 and SECOND_REMOVAL == "optional" else moves

    def play(self, move):
        """Return the position after a move."""
        if move == "pass":
            return State(self.rows, 1 - self.side, self.points, 0)
        row, col = map(int, move.split(","))
        rows = [line[:] for line in self.rows]
        gained = rows[row][col]
        rows[row][col] = 0
        fall(rows)
        while runs := cells_in_runs(rows):
            for r, c in runs:
                gained += rows[r][c]
                rows[r][c] = 0
            fall(rows)
        points = list(self.points)
        points[self.side] += gained
        after = State(rows, self.side, tuple(points), self.removed + 1)
        if after.removed == self.removals or after.over:
            after.side, after.removed = 1 - self.side, 0
        return after

    def value(self, side):
        """Estimate how well a side stands. A better estimate makes a better bot."""
        return self.points[side] - self.points[1 - side]


def fall(rows):
    """Let the tiles fall down."""
    for col in range(len(rows[0])):
        column = [row[col] for row in rows if row[col]]
        column = [0] * (len(rows) - len(column)) + column
        for row, tile in zip(rows, column):
            row[col] = tile


def cells_in_runs(rows):
    """Return the cells of all runs: three or more equal tiles side by side in a row."""
    cells = set()
    for r, row in enumerate(rows):
        for c in range(len(row) - 2):
            if row[c] and row[c] == row[c + 1] == row[c + 2]:
                cells.update({(r, c), (r, c + 1), (r, c + 2)})
    return cells
