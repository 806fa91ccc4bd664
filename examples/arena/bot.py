"""A bot that plays on an arena from anywhere: it offers a seat in the lobby, or plays the engine, and moves greedily.

LUDUS_ARENA=http://127.0.0.1:8000 LUDUS_TOKEN=... python bot.py cantris engine:level=2
"""

import sys

from ludus.client import ArenaClient


def choose(state):
    """Take the move after which the opponent has the fewest points to gain, as far as one move shows it."""
    side = state.side

    def lead(move):
        after = state.play(move)
        if after.outcome is not None:
            return 1000 if after.outcome.winner == side else -1000
        return 0 if after.scores is None else after.scores[side] - after.scores[1 - side]

    return max(state.legal_moves, key=lead)


arena = ArenaClient()
name, *opponent = sys.argv[1:]
match = arena.begin(name, *opponent) if opponent else arena.pair(name)
print("watch it at", match.address, flush=True)
for state, _seconds in match.turns():
    match.play(choose(state))
if match.outcome is None or match.outcome.winner is None:
    print("a draw")
else:
    print("won" if match.outcome.winner == match.side else "lost")
