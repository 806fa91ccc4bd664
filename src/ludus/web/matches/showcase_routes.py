"""Animated boards, always the same: a few moves of each game for the first page, and the steps of its lesson."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Sequence
from typing import Annotated

from fastapi import HTTPException, Path, Response

from ludus.game import State, game
from ludus.messages import Message
from ludus.messages.fields import MessageField
from ludus.play.record import PlayedMove
from ludus.search.teaching import look_ahead, play_out
from ludus.view import View
from ludus.web.http.routing import Router
from ludus.web.views import FrameView, PlyView, PositionView, drawable_games, frame_view, ply_view, position_view

router = Router()

SEED = 11
SHOWN = 14
"""Moves of each game."""


class ShowcaseView(View):
    """Some moves of a game."""

    frame: FrameView
    start: PositionView
    plies: list[PlyView]


class LessonStepView(ShowcaseView):
    """A step of a lesson: moves, and the words beside them."""

    words: MessageField


class LessonView(View):
    """How to play a game; a game of another package may have no steps."""

    goal: MessageField | None = None
    hint: MessageField | None = None
    """What can be done at one's first move."""
    steps: list[LessonStepView] = []


def plies_of(states: Sequence[State], moves: Sequence[str]) -> list[PlyView]:
    """Return moves that were played one after the other, each in its state."""
    pairs = itertools.pairwise(states)
    return [ply_view(before, PlayedMove(move), after) for (before, after), move in zip(pairs, moves, strict=True)]


@functools.cache
def lesson(name: str) -> LessonView:
    """Return how to play a game."""
    played = game(name)
    if played.lesson is None:
        return LessonView()
    steps = []
    for words, position, moves in played.lesson.steps:
        states = [*itertools.accumulate(moves, lambda state, move: state.play(move), initial=played.parse(position))]
        frame, start = frame_view(states[0]), position_view(states[0], legal=False)
        steps.append(LessonStepView(words=words, frame=frame, start=start, plies=plies_of(states, moves)))
    return LessonView(goal=played.lesson.goal, hint=played.lesson.hint, steps=steps)


@functools.cache
def scene(name: str) -> ShowcaseView:
    """Play a game, and return its end, or the start of a game with points: that is where most happens."""
    state = game(name).initial(SEED)
    states, moves = [state], list[str]()
    while state.outcome is None and len(moves) < 60:
        thought = look_ahead(state, "alphabeta", 2) if state.scores is not None else play_out(state, 60, len(moves))
        moves.append(thought.move)
        state = state.play(thought.move)
        states.append(state)
    first = max(0, len(moves) - SHOWN) if states[0].scores is None else 0
    shown = moves[first : first + SHOWN]
    plies = plies_of(states[first : first + len(shown) + 1], shown)
    start = position_view(states[first], legal=False)
    return ShowcaseView(frame=frame_view(states[0]), start=start, plies=plies)


@router.get("/showcase", response_model_exclude_defaults=True)
def showcase(response: Response) -> list[ShowcaseView]:
    """Return some moves of each game."""
    response.headers["Cache-Control"] = "max-age=3600"
    return [scene(name) for name in drawable_games()]


@router.get("/lessons/{name}", response_model_exclude_defaults=True)
def show_lesson(name: Annotated[str, Path(max_length=64)], response: Response) -> LessonView:
    """Return how to play a game."""
    if name not in drawable_games():
        raise HTTPException(404, Message("web.no_such_game"))
    response.headers["Cache-Control"] = "max-age=3600"
    return lesson(name)
