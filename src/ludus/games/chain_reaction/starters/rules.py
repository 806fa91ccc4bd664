"""The rules of Chain Reaction: positions as text, the legal moves, and what a move does."""

EXPLOSION = "empties"  # what happens to a cell that explodes; other courses say "keeps-surplus" or "dies"
PLY_LIMIT = 1000  # a game of this many moves is a draw


class State:
    """A position. `play` returns a new one and does not change this one, so you can look ahead freely."""

    def __init__(self, owner, orbs, side, ply):
        self.owner = owner  # owner[row][col]: "r" first player, "b" second, "." nobody, "#" dead; row 0 is the top
        self.orbs = orbs  # orbs[row][col]
        self.side = side  # whose move it is: 0 or 1
        self.ply = ply  # moves played so far

    @staticmethod
    def parse(text):
        """Read a position text such as "r1.b2.../....../....../....../...... 1 2"."""
        board, side, ply = (text.split() + ["1", "0"])[:3]
        owner = [[cell for cell in row if not cell.isdigit()] for row in board.split("/")]
        orbs = [[] for _ in owner]
        for row, line in zip(orbs, board.split("/")):
            for char in line:
                if char.isdigit():
                    row[-1] = int(char)
                else:
                    row.append(0)
        return State(owner, orbs, int(side) - 1, int(ply))

    @property
    def text(self):
        """The position as one line."""
        rows = [
            "".join(owner + (str(orbs) if orbs else "") for owner, orbs in zip(owners, counts))
            for owners, counts in zip(self.owner, self.orbs)
        ]
        return f"{'/'.join(rows)} {self.side + 1} {self.ply}"

    def neighbours(self, row, col):
        """Return the cells above, below, left and right; a cell that holds as many orbs as it has of these explodes."""
        near = [(row - 1, col), (row + 1, col), (row, col - 1), (row, col + 1)]
        return [(r, c) for r, c in near if 0 <= r < len(self.owner) and 0 <= c < len(self.owner[0])]

    def count(self, side):
        """Count the orbs of a side."""
        return sum(
            orbs
            for owners, counts in zip(self.owner, self.orbs)
            for owner, orbs in zip(owners, counts)
            if owner == "rb"[side]
        )

    @property
    def winner(self):
        """The side that has won, or None while nobody has."""
        mine, theirs = self.count(self.side), self.count(1 - self.side)
        if self.ply < 2 and mine + theirs < 2:
            return None  # both must have played
        if mine == 0 or theirs == 0:
            return self.side if mine else 1 - self.side
        return None if self._free() else 1 - self.side

    def _free(self):
        rows = enumerate(self.owner)
        return [
            f"{chr(ord('A') + col)}{row + 1}"
            for row, owners in rows
            for col, owner in enumerate(owners)
            if owner in (".", "rb"[self.side])
        ]

    def legal_moves(self):
        """Return all moves as texts such as "C4"; none when the game is over."""
        return [] if self.ply >= PLY_LIMIT or self.winner is not None else self._free()

    def play(self, move):
        """Return the position after a move."""
        new = State([row[:] for row in self.owner], [row[:] for row in self.orbs], 1 - self.side, self.ply + 1)
        me = "rb"[self.side]
        row, col = int(move[1:]) - 1, ord(move[0]) - ord("A")
        new.owner[row][col] = me
        new.orbs[row][col] += 1
        while full := new._full():  # a wave: all full cells explode together
            for row, col in full:
                new._explode(row, col, me)
            if new.count(1 - self.side) == 0:
                break  # won: the chain could go on forever
        return new

    def _full(self):
        return [
            (row, col)
            for row, counts in enumerate(self.orbs)
            for col, orbs in enumerate(counts)
            if orbs >= len(self.neighbours(row, col))
        ]

    def _explode(self, row, col, me):
        near = self.neighbours(row, col)
        left = self.orbs[row][col] - len(near) if EXPLOSION == "keeps-surplus" else 0
        self.orbs[row][col] = left
        self.owner[row][col] = "#" if EXPLOSION == "dies" else me if left else "."
        for r, c in near:
            if self.owner[r][c] != "#":
                self.owner[r][c] = me
                self.orbs[r][c] += 1

    def value(self, side):
        """Estimate how well a side stands. A better estimate makes a better bot."""
        winner = self.winner
        if winner is not None:
            return 1000 if winner == side else -1000
        return self.count(side) - self.count(1 - side)
