"""Talks to the arena in the protocol `lines`: moves, one a line. Your own thoughts go to search.py.

Standard output belongs to the conversation; print to standard error when you debug: print(..., file=sys.stderr)
"""

import sys

from rules import State
from search import choose

SECONDS = 1.0  # this protocol does not tell the clock: set what your course allows for a move, less a little


def main():
    """Play one game."""
    me = 0 if sys.argv[1] == "first" else 1
    state = State.parse(sys.stdin.readline())
    while state.legal_moves():
        if state.side == me:
            move = choose(state, SECONDS)
            print(move, flush=True)
        else:
            move = sys.stdin.readline().strip()
            if not move:
                return  # the arena has hung up
        state = state.play(move)


if __name__ == "__main__":
    main()
