"""Talks to the arena in the protocol `files`: started for every move, reads input.txt, writes output.txt. Put
your own ideas into search.py.

Line 1 of input.txt is the position, line 2 the seconds left. output.txt gets the move.
"""

from pathlib import Path

from rules import State
from search import choose


def main():
    """Make one move."""
    position, seconds = Path("input.txt").read_text().splitlines()[:2]
    move = choose(State.parse(position), float(seconds) / 40)
    Path("output.txt").write_text(f"{move}\n")


if __name__ == "__main__":
    main()
