"""The rules of The Fruit Rage: positions as text, the legal moves, and what a move does."""


class State:
    """A position. `play` returns a new one and does not change this one, so you can look ahead freely."""

    def __init__(self, rows, side=0, points=(0, 0)):
        self.rows = rows  # rows[row][col]: a digit for a fruit, "*" for an empty cell; row 0 is the top
        self.side = side  # whose move it is: 0 or 1
        self.points = points

    @staticmethod
    def parse(text):
        """Read a position text such as "01/21 1 0-0"."""
        board, side, points = (text.split() + ["1", "0-0"])[:3]
        first, second = points.split("-")
        return State(board.split("/"), int(side) - 1, (int(first), int(second)))

    @property
    def text(self):
        """The position as one line."""
        return f"{'/'.join(self.rows)} {self.side + 1} {self.points[0]}-{self.points[1]}"

    def group(self, row, col):
        """Return the cells that one move on this cell claims: all of its fruit that are connected."""
        fruit, size = self.rows[row][col], len(self.rows)
        cells, seen = [(row, col)], {(row, col)}
        for r, c in cells:  # the list grows while we walk through it
            for near in ((r - 1, c), (r + 1, c), (r, c - 1), (r, c + 1)):
                inside = 0 <= near[0] < size and 0 <= near[1] < size
                if inside and near not in seen and self.rows[near[0]][near[1]] == fruit:
                    seen.add(near)
                    cells.append(near)
        return cells

    def legal_moves(self):
        """Return one move for each group, such as "B13"; none when the board is empty."""
        moves, seen = [], set()
        for row, line in enumerate(self.rows):
            for col, fruit in enumerate(line):
                if fruit != "*" and (row, col) not in seen:
                    seen.update(self.group(row, col))
                    moves.append(f"{chr(ord('A') + col)}{row + 1}")
        return moves

    def play(self, move):
        """Return the position after a move."""
        claimed = set(self.group(int(move[1:]) - 1, ord(move[0]) - ord("A")))
        size = len(self.rows)
        columns = []
        for col in range(size):
            kept = [self.rows[row][col] for row in range(size) if (row, col) not in claimed]
            kept = [fruit for fruit in kept if fruit != "*"]
            columns.append(["*"] * (size - len(kept)) + kept)  # what is left falls down
        points = list(self.points)
        points[self.side] += len(claimed) ** 2
        return State(["".join(row) for row in zip(*columns)], 1 - self.side, tuple(points))

    def value(self, side):
        """Estimate how well a side stands. A better estimate makes a better bot."""
        return self.points[side] - self.points[1 - side]
