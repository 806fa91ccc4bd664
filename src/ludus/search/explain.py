"""Why the best move is best, in at most two sentences. Says nothing that was not played out by the rules or proven.

Knows what a search found and the rules; what can only be said of one game comes from it (`Game.remarks`).
"""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import NamedTuple

from ludus.game import State, complete
from ludus.messages import Message
from ludus.search.analysis import OBJECTIVES, analyse, line_text
from ludus.search.result import Analysis, Variation

MOST = 2
"""Sentences."""
SIDE_NODES = 20_000
"""Positions of the search for the second best move, where the analysis has only the best."""
MOST_LOOKS = 20_000
"""Pairs of moves that are played to find threats; larger boards are explained without."""
CLEAR_CHANCE = 0.02
"""A difference in win chance that is worth a word."""


class BestMove(NamedTuple):
    """A position, the best move and what comes after it."""

    state: State
    line: Variation
    objective: str
    second: Variation | None
    """The best of the other moves."""

    @property
    def move(self) -> str:
        """The best move."""
        return self.line.moves[0]

    @property
    def others(self) -> list[str]:
        """The other moves."""
        return [move for move in self.state.legal_moves if move != self.move]

    @property
    def names(self) -> dict[str, Message]:
        """What the sides are called in every sentence."""
        sides = self.state.game.sides
        return {"side": sides[self.state.side], "opponent": sides[1 - self.state.side]}

    def say(self, code: str, **params: object) -> Message:
        """Return a sentence."""
        return Message(f"search.why.{code}", move=self.move, **self.names, **params)


def explain(state: State, analysis: Analysis, objective: str = OBJECTIVES[0]) -> list[Message]:
    """Return why the best move of an analysis is best: the most telling sentence first, two at most."""
    complete(state)
    line = next((line for line in analysis.lines if line.moves), None)
    if line is None:
        return []
    if len(state.legal_moves) == 1:
        return [BestMove(state, line, objective, None).say("only_legal")]
    choice = BestMove(state, line, objective, _second(state, analysis, line, objective))
    after = state.play(choice.move)
    if after.outcome is not None:
        said = [*_ending(choice, after), *_proofs(choice)]
    else:
        said = list(itertools.islice(_facts(choice, after), MOST))
    return said[:MOST]


def _facts(choice: BestMove, after: State) -> Iterator[Message]:
    """Find what can be said of a move that does not end the game, the most telling first."""
    yield from itertools.islice(_threats(choice, after), 1)
    yield from _proofs(choice)
    yield from itertools.islice(choice.state.game.remarks(choice.state, choice.move), 1)
    yield from _points(choice, after)
    yield from _next_best(choice)
    yield from _by_the_end(choice)
    if len(choice.line.moves) > 1:
        yield choice.say("expects", line=line_text(choice.line.moves))


def _second(state: State, analysis: Analysis, best: Variation, objective: str) -> Variation | None:
    """Return the best of the other moves; None where another one leads to the same position, or is found better."""
    move, lines = best.moves[0], analysis.lines
    after = state.play(move)
    if any(state.play(other) == after for other in state.legal_moves if other != move):
        return None  # searches list only one of the two
    if len(lines) < 2:
        lines = analyse(state, nodes=SIDE_NODES, lines=2, megabytes=8, objective=objective).lines
    known = len(lines) > 1 and lines[0].moves[:1] == (move,) and lines[1].moves
    return lines[1] if known else None


def _ending(choice: BestMove, after: State) -> Iterator[Message]:
    """Say how a move ends the game, and by what rule."""
    assert after.outcome is not None
    winner, side = after.outcome.winner, choice.state.side
    if after.scores is not None:
        yield choice.say("ends", own=after.scores[side], other=after.scores[1 - side])
    elif winner is None or winner == side:
        yield choice.say("draws_now" if winner is None else "wins_now")
    elif choice.line.exact:
        yield choice.say("loses_now")
    if (rule := after.game.why(after)) is not None:
        yield rule


def _wins(state: State) -> frozenset[str]:
    """Return the moves that win at once for the side to move."""
    ends = ((move, state.play(move).outcome) for move in state.legal_moves)
    return frozenset(move for move, outcome in ends if outcome is not None and outcome.winner == state.side)


def _threats(choice: BestMove, after: State) -> Iterator[Message]:
    """Find wins at once that the move stops or makes, in games without points."""
    state = choice.state
    if state.scores is not None or after.side == state.side or len(state.legal_moves) ** 2 > MOST_LOOKS:
        return
    if _wins(after):
        return
    answers = {reply: _wins(after.play(reply)) for reply in after.legal_moves if after.play(reply).outcome is None}
    safe = [reply for reply in after.legal_moves if not answers.get(reply)]
    wins = Counter(win for found in answers.values() for win in found)
    if answers and not safe:
        yield choice.say("wins_next")
        return
    yield from _stopped(choice)
    if wins and len(safe) <= min(2, len(after.legal_moves) - 2):
        win = _most_common(wins)
        if wins[win] == len(after.legal_moves) - len(safe):  # no other reply stops this win and allows a second one
            yield choice.say("threatens", win=win, replies=safe)


def _stopped(choice: BestMove) -> Iterator[Message]:
    """Find what the opponent would win with at once after other moves."""
    found: dict[str, frozenset[str]] = {}
    for other in choice.others:
        after = choice.state.play(other)
        if after.outcome is None and after.side != choice.state.side:
            found[other] = _wins(after)
    threats = Counter(win for wins in found.values() for win in wins)
    if not threats:
        return
    reply = _most_common(threats)
    there = "_there" if reply == choice.move else ""
    if threats[reply] == len(choice.others):
        yield choice.say(f"only_stops{there}", reply=reply)
    elif all(found.get(other) for other in choice.others):
        example = next(other for other in choice.others if reply in found[other])
        yield choice.say("only_safe", reply=reply, other=example)
    elif 2 * threats[reply] > len(choice.others):
        yield choice.say(f"stops{there}", reply=reply)


def _most_common(moves: Mapping[str, int]) -> str:
    """Return the move that occurs most; the first by name of equals."""
    return min(moves, key=lambda move: (-moves[move], move))


def _proofs(choice: BestMove) -> Iterator[Message]:
    """Find what is proven of the result, and whether the move is the only one that reaches it."""
    state, line, second = choice.state, choice.line, choice.second
    if not line.exact:
        if second is not None and second.exact and _result(choice, second) < 0:
            yield choice.say("others_lose")
        return
    by_points = state.scores is not None and choice.objective == OBJECTIVES[0]
    result = _result(choice, line)
    if second is not None and second.exact and _result(choice, second) < result:
        yield choice.say("only_wins" if result > 0 else "only_draws")
    elif by_points or state.play(choice.move).outcome is not None:
        return
    elif result > 0:
        yield choice.say("forces", n=line.plies_to_end) if line.plies_to_end else choice.say("wins")
    else:
        yield choice.say("all_lose" if result < 0 else "draws")


def _result(choice: BestMove, line: Variation) -> int:
    """Return who wins by a proven line: 1 the side to move, 0 nobody, -1 the opponent."""
    value, scores, side = line.value, choice.state.scores, choice.state.side
    if scores is not None and choice.objective == OBJECTIVES[0]:
        value += scores[side] - scores[1 - side]
    return (value > 0) - (value < 0)


def _gain(state: State, move: str) -> int:
    """Return the points that a move makes at once."""
    after = state.play(move).scores
    return after[state.side] - state.scores[state.side] if after and state.scores else 0


def _best_gain(state: State) -> tuple[int, str]:
    """Return the most points that one move makes, and the move."""
    return max(((_gain(state, move), move) for move in state.legal_moves), key=lambda found: found[0], default=(0, ""))


def _alternates(state: State) -> bool:
    """Return whether one move ends a turn, so that the points of one move are all that a turn can make."""
    then = state.play(state.legal_moves[0])
    return then.outcome is not None or then.side != state.side


def _points(choice: BestMove, after: State) -> Iterator[Message]:
    """Find what the move takes, and what it leaves to the opponent."""
    state = choice.state
    if state.scores is None:
        return
    gain = _gain(state, choice.move)
    most, greedy = _best_gain(state)
    opposed = after.side != state.side and _alternates(after)
    left = _best_gain(after)[0] if opposed else 0
    if gain == most:
        rivals = sum(_gain(state, other) == most for other in choice.others)
        yield choice.say("takes_as_many" if rivals else "takes_most", n=gain)
    elif opposed and (then := state.play(greedy)).outcome is None and then.side != state.side:
        allowed, reply = _best_gain(then)
        if allowed > left:
            more = {"greedy": greedy, "points": most, "reply": reply, "allowed": allowed, "left": left}
            yield choice.say("takes_less", n=gain, **more)
            return
    if opposed and choice.second is not None:
        other = choice.second.moves[0]
        then = state.play(other)
        allowed, reply = _best_gain(then) if then.outcome is None and then.side != state.side else (0, "")
        if allowed > left:
            yield choice.say("denies", other=other, reply=reply, allowed=allowed, left=left)


def _next_best(choice: BestMove) -> Iterator[Message]:
    """Say by how much the next best move is worse."""
    line, second = choice.line, choice.second
    if second is None:
        return
    exact, other = line.exact and second.exact, second.moves[0]
    if choice.state.scores is not None and choice.objective == OBJECTIVES[0]:
        if (less := round(line.value - second.value)) > 0:
            yield choice.say("worth_less" if exact else "worth_about_less", other=other, n=less)
    elif not exact and line.win_chance - second.win_chance >= CLEAR_CHANCE:
        percent = round(100 * (line.win_chance - second.win_chance))
        if len(second.moves) > 1:
            yield choice.say("chance_less_line", line=line_text(second.moves), other=other, percent=percent)
        else:
            yield choice.say("chance_less", other=other, percent=percent)


def _by_the_end(choice: BestMove) -> Iterator[Message]:
    """Say what the search expects by the end of a game with points."""
    line = choice.line
    if choice.state.scores is not None and choice.objective == OBJECTIVES[0] and (rest := round(line.value)):
        yield choice.say(("by_end" if line.exact else "by_end_about") + ("" if rest > 0 else "_behind"), n=abs(rest))
