"""The rules of Connect Four: positions as text, the legal moves, and what a move does."""

LINE = 4  # this many discs of one player in a row, a column or a diagonal win


class State:
    """A position. `play` returns a new one and does not change this one, so you can look ahead freely."""

    def __init__(self, board, side):
        self.board = board  # the rows from the top, joined by "/": "x" first player, "o" second, "." empty
        self.side = side  # whose move it is: 0 or 1
        self.cols = board.index("/")

    @staticmethod
    def parse(text):
        """Read a position text such as "......./ ... /...x... 2"."""
        board, side = (text.split() + ["1"])[:2]
        return State(board, int(side) - 1)

    @property
    def text(self):
        """The position as one line."""
        return f"{self.board} {self.side + 1}"

    def has_line(self, side):
        """Return whether a side has a line. From one cell of it to the next is always the same step in the text."""
        down = self.cols + 1
        lines = (
            self.board[start::step][:LINE] for step in (1, down - 1, down, down + 1) for start in range(len(self.board))
        )
        return "xo"[side] * LINE in lines

    def legal_moves(self):
        """Return the columns that are not full, such as "D"; none when the game is over."""
        if self.has_line(0) or self.has_line(1):
            return []
        return ["ABCDEFGH"[col] for col in range(self.cols) if self.board[col] == "."]

    def play(self, move):
        """Return the position after a move: the disc falls to the lowest empty cell."""
        cells, down = list(self.board), self.cols + 1
        cells[max(i for i in range("ABCDEFGH".index(move), len(cells), down) if cells[i] == ".")] = "xo"[self.side]
        return State("".join(cells), 1 - self.side)

    def value(self, side):
        """Estimate how well a side stands. A better estimate makes a better bot."""
        if self.has_line(side) or self.has_line(1 - side):
            return 1000 if self.has_line(side) else -1000
        middle = self.board[self.cols // 2 :: self.cols + 1]
        return middle.count("xo"[side]) - middle.count("xo"[1 - side])
