"""Chooses a move. THIS IS THE FILE TO CHANGE: as it is, the bot takes whatever looks best after its own move."""

import random


def choose(state, seconds):
    """Return the best move of a position. `seconds` is about how long you may think about it.

    Where to go from here, one step at a time:
    1. Look at the opponent's best answer to each move, and at yours to that: minimax to a fixed depth.
    2. Stop looking at a move once it is known to be worse than another: alpha-beta. Try good moves first.
    3. Search depth 1, then 2, then 3 until `seconds` are nearly over (time.monotonic() tells): iterative deepening.
    4. Make State.value in rules.py wiser. What do you look at when you play the game yourself?
    """
    me = state.side  # in Cantris with two removals a turn the same side may move twice: always look at state.side
    best_moves, best_value = [], None
    for move in state.legal_moves():
        value = state.play(move).value(me)
        if best_value is None or value > best_value:
            best_moves, best_value = [move], value
        elif value == best_value:
            best_moves.append(move)
    return random.choice(best_moves)
