"""What a move did and how a game ended, as messages: the same for the terminal, the page and a PDF.

The words for each kind of step are in the game's own catalogue, under `FOLDER.did.KIND`; a kind without words is not
mentioned. Knows no game.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ludus.errors import FAULTS
from ludus.messages import Message, catalogue

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ludus.game import Game, Outcome, State, Step


def effects(game: Game, steps: Sequence[Step]) -> list[Message]:
    """Return what a move did beyond its own cell: one message for each kind of step, then the points."""
    messages = []
    words, folder = catalogue("en"), game.name.replace("-", "_")
    for kind in dict.fromkeys(step.kind for step in steps):
        same = [step for step in steps if step.kind == kind]
        code, n = f"{folder}.did.{kind}", sum(len(step.cells) for step in same)
        if len(same) > 1 and f"{code}.repeated" in words:
            messages.append(Message(f"{code}.repeated", n=n, times=len(same)))
        elif code in words:
            messages.append(Message(code, n=n))
    if points := sum(step.points for step in steps):
        messages.append(Message("rules.points", n=points))
    return messages


def why(state: State, outcome: Outcome) -> Message | None:
    """Return why a game is over; None where the points say it all."""
    if outcome.reason == "rules":
        return state.game.why(state)
    loser = state.game.sides[1 - outcome.winner] if outcome.winner is not None else ""
    reason = outcome.reason if outcome.reason in REASONS else "failed" if outcome.reason in FAULTS else "other"
    return Message(f"rules.{reason}", loser=loser, reason=outcome.reason)


REASONS = ("timeout", "illegal-move", "resigned", "adjudicated")
"""The ends that have words of their own, beside those by the rules; of the other faults it is said that one failed."""


def ending(state: State, outcome: Outcome, moves: int) -> Message:
    """Return one sentence: who won, by how much, after how many moves and why."""
    reason = why(state, outcome)
    params = {"after": Message("rules.after", n=moves), "why": Message("rules.because", why=reason) if reason else ""}
    if outcome.winner is None:
        if state.scores is None:
            return Message("rules.draw", **params)
        return Message("rules.draw_at", first=state.scores[0], second=state.scores[1], **params)
    winner = state.game.sides[outcome.winner]
    if state.scores is None or outcome.reason != "rules":
        return Message("rules.wins", winner=winner, **params)
    high, low = state.scores[outcome.winner], state.scores[1 - outcome.winner]
    margin = Message("rules.margin", n=high - low)
    return Message("rules.wins_by", winner=winner, margin=margin, high=high, low=low, **params)
