"""Chooses a move. THIS IS THE FILE TO CHANGE: now, the bot plays the move after which the position looks best."""

import random


def choose(state, seconds):
    """Return the best move of a position. `seconds` is about how long you can think about it.

    Next steps, one at a time:
    1. Look at the opponent's best answer to each move, and at your answer to that: minimax to a fixed depth.
    2. Stop searching a move once you know that another one is better: alpha-beta. Try good moves first.
    3. Search depth 1, then 2, then 3 until `seconds` are nearly over (use time.monotonic()): iterative deepening.
    4. Improve State.value in rules.py. What do you look at when you play the game yourself?
    """
    me = state.side  # in Cantris with two removals per turn the same side can move twice: always look at state.side
    best_moves, best_value = [], None
    for move in state.legal_moves():
        value = state.play(move).value(me)
        if best_value is None or value > best_value:
            best_moves, best_value = [move], value
        elif value == best_value:
            best_moves.append(move)
    return random.choice(best_moves)
