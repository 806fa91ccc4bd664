"""The routes of pictures: of positions, and of matches. Those of studies are with the studies."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Annotated

from fastapi import Depends, Query, Request, Response

from ludus.errors import UserError
from ludus.messages.names import player_message
from ludus.play.pictures import PlayedMoves, game_gif, position_card, position_png
from ludus.web.accounts.visitors import address_of
from ludus.web.analysis.routes import Moves, StateDep
from ludus.web.http.routing import Router
from ludus.web.matches.live import LiveMatch
from ludus.web.matches.routes import MatchDep
from ludus.web.services import ServicesDep
from ludus.web.views import side_names

router = Router()
DAY = 24 * 3600
MINUTE = 60


async def _painter(services: ServicesDep, request: Request) -> Callable[..., Awaitable[Response]]:
    return partial(services.pictures.response, address_of(request))


PaintDep = Annotated[Callable[..., Awaitable[Response]], Depends(_painter)]
"""Makes a picture and returns the response with it: `Pictures.response` for who asks."""
Ply = Annotated[int | None, Query(ge=0, le=100_000)]


def line_of(live: LiveMatch, ply: int | None = None) -> PlayedMoves:
    """Return the moves of a match, up to a ply."""
    record = live.match.record
    if ply is not None and ply > len(record.moves):
        raise UserError("web.no_such_ply", ply=ply, n=len(record.moves))
    return record.start, tuple(played.move for played in record.moves[:ply])


def players_of(live: LiveMatch) -> str:
    """Return the names of both players, in English."""
    first, second = (
        live.name_of(side) or str(player_message(text)) for side, text in enumerate(live.match.record.players)
    )
    return f"{first} – {second}"


@router.get("/positions/picture.png", response_class=Response)
async def position_picture(
    paint: PaintDep,
    state: StateDep,
    moves: Moves = [],  # noqa: B006 - FastAPI copies it
) -> Response:
    """Return the position after some moves as a PNG."""
    return await paint(state.game.name, DAY, position_png, (state, tuple(moves)))


@router.get("/positions/card.png", response_class=Response)
async def position_link(paint: PaintDep, state: StateDep) -> Response:
    """Return the picture that a link to a position shows."""
    words = (str(state.game.title), [f"{side_names(state.game)[state.side]} to move" if state.outcome is None else ""])
    return await paint(state.game.name, DAY, position_card, (state, ()), (), *words)


@router.get("/positions/animation.gif", response_class=Response)
async def position_animation(
    paint: PaintDep,
    state: StateDep,
    moves: Moves = [],  # noqa: B006 - FastAPI copies it
) -> Response:
    """Return the moves from a position as a GIF."""
    return await paint(state.game.name, DAY, game_gif, (state, tuple(moves)))


@router.get("/matches/{name}/picture.png", response_class=Response)
async def match_picture(paint: PaintDep, live: MatchDep, ply: Ply = None) -> Response:
    """Return a match as a PNG: the current position, or the one after some moves."""
    return await paint(f"{live.frame.game}-{live.name}", _seconds(live), position_png, line_of(live, ply))


@router.get("/matches/{name}/card.png", response_class=Response)
async def match_link(paint: PaintDep, live: MatchDep, ply: Ply = None) -> Response:
    """Return the picture that a link to a match shows."""
    record = live.match.record
    words = (str(record.game.title), [players_of(live), record.result if live.over else ""])
    return await paint(f"{live.frame.game}-{live.name}", _seconds(live), position_card, line_of(live, ply), (), *words)


@router.get("/matches/{name}/animation.gif", response_class=Response)
async def match_animation(paint: PaintDep, live: MatchDep) -> Response:
    """Return a match as a GIF."""
    return await paint(f"{live.frame.game}-{live.name}", _seconds(live), game_gif, line_of(live))


def _seconds(live: LiveMatch) -> int:
    """Return how long a picture of a match can be kept: one that is being played changes."""
    return DAY if live.over else MINUTE
