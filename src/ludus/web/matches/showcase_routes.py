"""The living pictures of the first page: of each game a few moves between two players of ours, always the same."""

from __future__ import annotations

import functools
from typing import Any

from fastapi import APIRouter
from fastapi.responses import JSONResponse

from ludus.game import game
from ludus.play.record import PlayedMove
from ludus.search.teaching import look_ahead, play_out
from ludus.web.views import (
    FramePicture,
    Picture,
    PlyPicture,
    PositionPicture,
    drawable_games,
    frame_picture,
    ply_picture,
    position_picture,
)

router = APIRouter(prefix="/api")

SEED = 11
SHOWN = 14
"""Moves of each game."""


class Scene(Picture):
    """Some moves of a game."""

    frame: FramePicture
    start: PositionPicture
    plies: list[PlyPicture]


@functools.cache
def scene(name: str) -> Scene:
    """Play a game, and show its end, or where fruit falls and tiles pop its beginning: there most happens at once."""
    state = game(name).initial(SEED)
    states, moves = [state], list[str]()
    while state.outcome is None and len(moves) < 60:
        thought = look_ahead(state, "alphabeta", 2) if state.scores is not None else play_out(state, 60, len(moves))
        moves.append(thought.move)
        state = state.play(thought.move)
        states.append(state)
    first = max(0, len(moves) - SHOWN) if states[0].scores is None else 0
    shown = range(first, min(len(moves), first + SHOWN))
    plies = [ply_picture(states[ply], PlayedMove(moves[ply]), states[ply + 1]) for ply in shown]
    start = position_picture(states[first], legal=False)
    return Scene(frame=frame_picture(states[0]), start=start, plies=plies)


@router.get("/showcase", response_model=list[Scene])
def showcase() -> JSONResponse:
    """Return the living pictures."""
    scenes: list[dict[str, Any]] = [scene(name).brief() for name in drawable_games()]
    return JSONResponse(scenes, headers={"Cache-Control": "max-age=3600"})
