"""The rules of Magnetic Cave: positions as text, the legal moves, and what a move does."""

LINE = 5  # this many bricks of one player in a row, a column or a diagonal win


class State:
    """A position. `play` returns a new one and does not change this one, so you can look ahead freely."""

    def __init__(self, cells, side):
        self.cells = cells  # cells[row][col]: "x" first player, "o" second, "." empty; row 0 is the top
        self.side = side  # whose move it is: 0 or 1

    @staticmethod
    def parse(text):
        """Read a position text such as "x......./......../ ... /........ 2"."""
        board, side = (text.split() + ["1"])[:2]
        return State([list(row) for row in board.split("/")], int(side) - 1)

    @property
    def text(self):
        """The position as one line."""
        return f"{'/'.join(''.join(row) for row in self.cells)} {self.side + 1}"

    def at(self, row, col):
        """Return what is on a cell; outside the board there is nothing."""
        inside = 0 <= row < len(self.cells) and 0 <= col < len(self.cells[0])
        return self.cells[row][col] if inside else ""

    def longest(self, side):
        """Return the length of a side's longest line."""
        best, mark = 0, "xo"[side]
        for row in range(len(self.cells)):
            for col in range(len(self.cells[0])):
                for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
                    length = 0
                    while self.at(row + length * down, col + length * right) == mark:
                        length += 1
                    best = max(best, length)
        return best

    def legal_moves(self):
        """Return all moves as texts such as "A8"; none when the game is over. Row 1 is the bottom row."""
        if self.longest(0) >= LINE or self.longest(1) >= LINE:
            return []
        return [
            f"{chr(ord('A') + col)}{len(self.cells) - row}"
            for row in range(len(self.cells))
            for col in range(len(self.cells[0]))
            # A brick must touch a wall, or a brick to its left or right.
            if self.at(row, col) == "." and not (self.at(row, col - 1) == "." and self.at(row, col + 1) == ".")
        ]

    def play(self, move):
        """Return the position after a move."""
        cells = [row[:] for row in self.cells]
        cells[len(cells) - int(move[1:])][ord(move[0]) - ord("A")] = "xo"[self.side]
        return State(cells, 1 - self.side)

    def value(self, side):
        """Estimate how well a side stands. A better estimate makes a better bot."""
        mine, theirs = self.longest(side), self.longest(1 - side)
        if mine >= LINE or theirs >= LINE:
            return 1000 if mine >= LINE else -1000
        return mine - theirs
