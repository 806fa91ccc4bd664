"""The animated boards of the first page: a few moves of each game, always the same."""

from __future__ import annotations

import functools

from fastapi import APIRouter, Response

from ludus.game import game
from ludus.play.record import PlayedMove
from ludus.search.teaching import look_ahead, play_out
from ludus.view import View
from ludus.web.views import FrameView, PlyView, PositionView, drawable_games, frame_view, ply_view, position_view

router = APIRouter(prefix="/api")

SEED = 11
SHOWN = 14
"""Moves of each game."""


class ShowcaseView(View):
    """Some moves of a game."""

    frame: FrameView
    start: PositionView
    plies: list[PlyView]


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
    shown = range(first, min(len(moves), first + SHOWN))
    plies = [ply_view(states[ply], PlayedMove(moves[ply]), states[ply + 1]) for ply in shown]
    start = position_view(states[first], legal=False)
    return ShowcaseView(frame=frame_view(states[0]), start=start, plies=plies)


@router.get("/showcase", response_model_exclude_defaults=True)
def showcase(response: Response) -> list[ShowcaseView]:
    """Return some moves of each game."""
    response.headers["Cache-Control"] = "max-age=3600"
    return [scene(name) for name in drawable_games()]
