"""The routes of matches: begin, look, follow, move, take back, give up, once more. Reads requests; decides nothing."""

from __future__ import annotations

import asyncio
import contextlib
import secrets
from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Header, HTTPException, Path, Request
from fastapi.responses import JSONResponse, PlainTextResponse
from pydantic import BaseModel, Field
from starlette.concurrency import run_in_threadpool
from starlette.responses import StreamingResponse  # noqa: TC002 - the description of the routes needs it

from ludus.errors import UserError
from ludus.game import game
from ludus.messages import Message
from ludus.play.clock import Clock
from ludus.play.record import Record
from ludus.players import HUMAN
from ludus.store.bots import PREFIX
from ludus.web.accounts.visitors import Someone, Visitor, Who  # noqa: TC001 - routes are read at run time
from ludus.web.http.events import BEAT, BEAT_SECONDS, stream, written
from ludus.web.http.reading import read_text
from ludus.web.http.uploads import MOST_TEXT, UploadLimits
from ludus.web.matches.live import OPEN, LiveMatch, MatchLine, MatchPicture
from ludus.web.views import GamePicture, drawable_games, game_picture, opponents

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from ludus.web.matches.arena import Arena

router = APIRouter(prefix="/api")

Name = Annotated[str, Path(pattern=r"^[A-Za-z0-9_-]{12}$")]
Word = Annotated[str, Field(max_length=64)]


class NewMatch(BaseModel):
    """What someone wants to play. A seat is `human`, `open` (for whoever follows the link) or one of our players."""

    game: Word
    options: Annotated[dict[Word, int | Word], Field(max_length=16)] = {}
    seats: tuple[Word, Word]
    clock: Word = "none"
    seed: Annotated[int | None, Field(ge=0, lt=2**63)] = None
    start: Annotated[str | None, Field(max_length=2000)] = None


class NewMove(BaseModel):
    """A move, and the number of moves played before it."""

    move: Word
    ply: Annotated[int, Field(ge=0, le=100_000)]


class NewRecord(BaseModel):
    """A record as a file holds it."""

    text: Annotated[str, Field(max_length=MOST_TEXT)]


class Hint(BaseModel):
    """A move that the engine would play."""

    move: str


def arena_of(request: Request) -> Arena:
    """Return the arena."""
    arena: Arena = request.app.state.arena
    return arena


async def match_of(request: Request, name: str) -> LiveMatch:
    """Return a match by its name, or answer that there is none."""
    live = await arena_of(request).find(name)
    if live is None:
        raise HTTPException(404, Message("web.no_such_match"))
    return live


def shown(live: LiveMatch, who: Visitor | None = None) -> dict[str, Any]:
    """Show a match to someone."""
    return live.picture(who.owner if who else None).brief()


@router.get("/games", response_model=list[GamePicture])
def list_games() -> JSONResponse:
    """List the games that can be played."""
    return JSONResponse([game_picture(name).brief() for name in drawable_games()])


@router.get("/limits")
def limits() -> UploadLimits:
    """Say how much may be sent."""
    return UploadLimits()


@router.get("/matches", response_model=list[MatchLine])
def list_matches(request: Request) -> list[MatchLine]:
    """List the matches that are being played."""
    return [live.line() for live in arena_of(request).now()]


@router.post("/matches", status_code=201, response_model=MatchPicture)
async def begin(request: Request, wanted: NewMatch, who: Someone) -> dict[str, Any]:
    """Begin a match."""
    if wanted.game not in drawable_games():
        raise UserError("web.no_game_named", name=repr(wanted.game), games=list(drawable_games()))
    for text in wanted.seats:
        if text not in (HUMAN, OPEN) and text not in opponents(wanted.game):
            await run_in_threadpool(request.app.state.bots.opponent, wanted.game, text, who.account)
    if HUMAN not in wanted.seats:
        raise UserError("web.own_seat_needed")
    clock = Clock.parse(wanted.clock)
    if clock.cpu:
        raise UserError("web.no_cpu_clock")
    played = game(wanted.game, **wanted.options)
    seed = secrets.randbits(32) if wanted.seed is None else wanted.seed
    start = played.parse(wanted.start) if wanted.start else played.initial(seed)
    if start.outcome is not None:
        raise UserError("web.position_over")
    if start.side == 1 and wanted.seats[1].startswith(PREFIX):
        raise UserError("web.bot_waits")
    return shown(await arena_of(request).begin(start, wanted.seats, clock, who.owner, seed), who)


@router.post("/records", status_code=201, response_model=MatchPicture)
async def add_record(request: Request, wanted: NewRecord, who: Someone) -> dict[str, Any]:
    """Keep a record, so that it can be looked at and shared."""
    record: Record = await read_text(request.app.state.readers, who.owner or "", Record.parse, wanted.text)
    if record.game.name not in drawable_games():
        raise UserError("web.not_drawable", game=record.game.name)
    if len(record.moves) > 1000:
        raise UserError("web.record_over_1000", count=len(record.moves))
    return shown(await arena_of(request).add(record, who.owner))


@router.get("/matches/{name}", response_model=MatchPicture)
async def look(request: Request, name: Name, who: Who) -> JSONResponse:
    """Show a match."""
    return JSONResponse(shown(await match_of(request, name), who))


@router.get("/matches/{name}/record", response_class=PlainTextResponse)
async def record(request: Request, name: Name) -> PlainTextResponse:
    """Return a match as a record."""
    live = await match_of(request, name)
    headers = {"Content-Disposition": f'attachment; filename="{live.frame.game}-{name}.txt"'}
    record = live.match.record
    called = [
        live.name_of(side) or text if text.startswith(PREFIX) else text for side, text in enumerate(record.players)
    ]
    return PlainTextResponse(replace(record, players=(called[0], called[1])).text, headers=headers)


@router.get("/matches/{name}/events", response_class=PlainTextResponse)
async def follow(
    request: Request,
    name: Name,
    who: Who,
    seen: int = 0,
    last_event_id: Annotated[str, Header(max_length=20)] = "",
) -> StreamingResponse:
    """Follow a match from the version last seen; each message has everything since the one before."""
    live = await match_of(request, name)
    if last_event_id.isascii() and last_event_id.isdecimal():
        seen = int(last_event_id)
    return stream(_news(request, live, who.owner, seen))


async def _news(request: Request, live: LiveMatch, owner: str, seen: int) -> AsyncIterator[str]:
    live.watching += 1
    try:
        while not request.app.state.stopping:
            news = live.news
            if live.version != seen:
                yield written(live.json(owner, seen), live.version)
                seen = live.version
                continue
            try:
                async with asyncio.timeout(BEAT_SECONDS):
                    await news.wait()
            except TimeoutError:
                yield BEAT
    finally:
        live.watching -= 1


@router.post("/matches/{name}/moves", response_model=MatchPicture)
async def play(request: Request, name: Name, wanted: NewMove, who: Who) -> JSONResponse:
    """Play a move."""
    live = await match_of(request, name)
    await arena_of(request).play(live, who.owner, wanted.move, wanted.ply)
    return JSONResponse(live.picture(who.owner, live.version).brief())


@router.post("/matches/{name}/undo", response_model=MatchPicture)
async def undo(request: Request, name: Name, who: Who) -> JSONResponse:
    """Take back."""
    live = await match_of(request, name)
    await arena_of(request).undo(live, who.owner)
    return JSONResponse(shown(live, who))


@router.post("/matches/{name}/resign", response_model=MatchPicture)
async def resign(request: Request, name: Name, who: Who) -> JSONResponse:
    """Return the game up."""
    live = await match_of(request, name)
    await arena_of(request).resign(live, who.owner)
    return JSONResponse(shown(live, who))


@router.post("/matches/{name}/seat", response_model=MatchPicture)
async def sit(request: Request, name: Name, who: Someone) -> dict[str, Any]:
    """Take the open seat."""
    live = await match_of(request, name)
    await arena_of(request).sit(live, who.owner)
    return shown(live, who)


@router.post("/matches/{name}/rematch", response_model=MatchPicture)
async def again(request: Request, name: Name, who: Who) -> JSONResponse:
    """Play once more, with the seats swapped."""
    live = await match_of(request, name)
    return JSONResponse(shown(await arena_of(request).again(live, who.owner), who))


@router.post("/matches/{name}/hint", response_model=Hint)
async def hint(request: Request, name: Name, who: Who) -> Hint:
    """Ask the engine for a move."""
    live = await match_of(request, name)
    live.require("hint", who.owner)
    state = live.match.state
    options = tuple(state.game.options.items())
    asked = request.app.state.workers.ask(who.owner, "look", state.game.name, options, state.text, 0.5, 1, seconds=20.0)
    async with contextlib.aclosing(asked) as answers:
        told = [answer async for answer in answers]
    return Hint(move=told[-1]["lines"][0]["moves"][0])
