"""What a move did and how a game ended, as messages: the same for the terminal, the page and a PDF.

The words for each kind of step are in the game's own catalogue, under `FOLDER.did.KIND`; a kind without words is not
mentioned. Knows no game.
"""

from __future__ import annotations

from collections.abc import Sequence

from ludus.errors import FAULTS
from ludus.game import Game, Outcome, State, Step
from ludus.messages import Message, catalogue


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
    """Return why a game is over, as a sentence; None for a game of another package that does not say."""
    if outcome.reason == "rules":
        return state.game.why(state)
    loser = state.game.sides[1 - outcome.winner] if outcome.winner is not None else ""
    reason = outcome.reason if outcome.reason in REASONS else "failed" if outcome.reason in FAULTS else "other"
    return Message(f"rules.{reason}", loser=loser, reason=outcome.reason)


REASONS = ("timeout", "illegal-move", "resigned", "agreed", "adjudicated")
"""The ends that have words of their own, beside those by the rules; of the other faults it is said that one failed."""


def ending(
    state: State,
    outcome: Outcome,
    moves: int,
    reader: int | None = None,
    names: Sequence[Message] | None = None,
) -> Message:
    """Return the end of a game in sentences: who won, by how much, by what rule, after how many moves.

    The reader is a side, which is told `You won`; `names` are those of the players, if any.
    """
    last = {"moves": Message("rules.moves", n=moves)}
    verdict = _verdict(state, outcome, reader, names or [long_name(side) for side in state.game.sides])
    reason = why(state, outcome)
    if reason is None:
        return Message("rules.over", verdict=verdict, **last)
    return Message("rules.over_because", verdict=verdict, why=reason, **last)


def _verdict(state: State, outcome: Outcome, reader: int | None, names: Sequence[Message]) -> Message:
    winner = outcome.winner
    points = state.scores if outcome.reason == "rules" else None
    if winner is None:
        return Message("rules.draw") if points is None else Message("rules.draw_at", n=points[0])
    name = {} if reader is not None else {"winner": names[winner]}
    what = "wins" if reader is None else "won" if winner == reader else "lost"
    if points is None:
        return Message(f"rules.{what}", **name)
    return Message(f"rules.{what}_by", high=points[winner], low=points[1 - winner], **name)


def long_name(side: Message) -> Message:
    """Return the name of a side with a word beside its mark, where it has one."""
    return Message(f"{side.code}.long") if f"{side.code}.long" in catalogue("en") else side
