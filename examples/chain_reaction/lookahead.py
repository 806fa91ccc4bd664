"""Chain Reaction in the protocol `python`: minimax with alpha-beta to a fixed depth, as a lecture shows it."""

import math

DEPTH = 2


def orbs(state, side):
    """Count the orbs of a side in the position text: every `r2` or `b1` is an owner and a number."""
    board = state.text.split()[0]
    return sum(int(board[i + 1]) for i, char in enumerate(board) if char == "rb"[side])


def value(state, me):
    """Tell how well a side stands: orbs owned minus orbs of the opponent."""
    if state.outcome is not None:
        return 0 if state.outcome.winner is None else 1000 if state.outcome.winner == me else -1000
    return orbs(state, me) - orbs(state, 1 - me)


def search(state, depth, alpha, beta, me):
    """Give the value that best play by both sides leads to."""
    if depth == 0 or state.outcome is not None:
        return value(state, me)
    for move in state.legal_moves:
        found = search(state.play(move), depth - 1, alpha, beta, me)
        if state.side == me:
            alpha = max(alpha, found)
        else:
            beta = min(beta, found)
        if alpha >= beta:
            break
    return alpha if state.side == me else beta


def choose(state, clock):
    """Give the move with the highest value; the arena calls this."""
    depth = DEPTH if clock.seconds > 1 else 1
    best, best_value = state.legal_moves[0], -math.inf
    for move in state.legal_moves:
        found = search(state.play(move), depth - 1, best_value, math.inf, state.side)
        if found > best_value:
            best, best_value = move, found
    return best
