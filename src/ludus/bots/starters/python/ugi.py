"""Talks to the arena in the protocol `ugi`: the whole game and the clock before every move. Put your own ideas into
search.py.

Standard output is only for the protocol; print to standard error when you debug: print(..., file=sys.stderr)
"""

import sys

import rules
from search import choose


def read_position(words):
    """Read `position fen TEXT moves M1 M2 ...`: the start, and every move since."""
    moves = words.index("moves") if "moves" in words else len(words)
    state = rules.State.parse(" ".join(words[2:moves]))
    for move in words[moves + 1 :]:
        state = state.play(move)
    return state


def read_seconds(words, side):
    """Read `go movetime MS`, or `go p1time MS p2time MS ...`: from a bank, each move gets a small part."""
    limits = dict(zip(words[1::2], words[2::2]))
    if "movetime" in limits:
        return int(limits["movetime"]) / 1000 * 0.8
    return int(limits.get(f"p{side + 1}time", "1000")) / 1000 / 40


def main():
    """Answer until the arena says quit."""
    state = None
    for line in sys.stdin:
        words = line.split() or [""]
        if words[0] == "ugi":
            print("id name starter\nugiok", flush=True)
        elif words[0] == "isready":
            print("readyok", flush=True)
        elif words[0] == "setoption":  # setoption name NAME value VALUE: an option that differs from its default
            option = words[2].upper()
            if hasattr(rules, option):
                setattr(rules, option, int(words[4]) if words[4].isdigit() else words[4])
        elif words[0] == "position":
            state = read_position(words)
        elif words[0] == "go":
            print(f"bestmove {choose(state, read_seconds(words, state.side))}", flush=True)
        elif words[0] == "quit":
            return


if __name__ == "__main__":
    main()
