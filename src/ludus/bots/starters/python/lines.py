"""Talks to the arena in the protocol `lines`: one move per line. Put your own ideas into search.py.

Standard output is only for the protocol; print to standard error when you debug: print(..., file=sys.stderr)
"""

import sys

from rules import State
from search import choose

SECONDS = 1.0  # this protocol does not send the clock: set a bit less than your course allows per move


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
                return  # the arena has closed the connection
        state = state.play(move)


if __name__ == "__main__":
    main()
