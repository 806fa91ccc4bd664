"""A bot in the protocol `python`: the arena imports this file and calls `choose`. THIS IS THE FILE TO CHANGE.

`state` is a state of the package `ludus`, so you need no rules of your own:

    state.side            whose move it is, yours: 0 or 1
    state.legal_moves     the moves, as texts
    state.play(move)      the state after a move; `state` itself never changes, so you can look ahead freely
    state.outcome         None during the game, then .winner is 0, 1 or None for a draw
    state.scores          the points of both sides in a game with points, else None
    state.text            the position as one line

`clock.seconds` is the longest time this move can take. If clock.bank is not None, it is all the time left for the
whole game. What you print goes to standard error, which you can read after the game.
"""

import random


def value(state, me):
    """Estimate how well a side stands. A better estimate makes a better bot."""
    if state.outcome is not None and state.outcome.winner is not None:
        return 1000 if state.outcome.winner == me else -1000
    if state.scores is not None:
        return state.scores[me] - state.scores[1 - me]
    return -len(state.legal_moves)  # the fewer moves the opponent has, the better


def choose(state, clock):
    """Return a move.

    Next steps, one at a time:
    1. Look at the opponent's best answer to each move, and at your answer to that: minimax to a fixed depth.
    2. Stop searching a move once you know that another one is better: alpha-beta. Try good moves first.
    3. Search depth 1, then 2, then 3 until the time for this move is nearly over: iterative deepening.
    4. Improve `value`. What do you look at when you play the game yourself?
    """
    best_moves, best_value = [], None
    for move in state.legal_moves:
        worth = value(state.play(move), state.side)
        if best_value is None or worth > best_value:
            best_moves, best_value = [move], worth
        elif worth == best_value:
            best_moves.append(move)
    return random.choice(best_moves)
