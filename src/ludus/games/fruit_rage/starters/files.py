"""Talks to the arena in the protocol `files`, as the Fruit Rage course does: started for every move, reads
input.txt, writes output.txt. Put your own ideas into search.py.

input.txt: the size of the board, the number of fruit types, the seconds left for the whole game, the rows of the board.
output.txt: the move, then the rows of the board after the fruits have fallen.
"""

from pathlib import Path

from rules import State
from search import choose


def main():
    """Make one move."""
    lines = Path("input.txt").read_text().split()
    size, seconds = int(lines[0]), float(lines[2])
    state = State(lines[3 : 3 + size])
    move = choose(state, seconds / 40)
    Path("output.txt").write_text("\n".join([move, *state.play(move).rows, ""]))


if __name__ == "__main__":
    main()
