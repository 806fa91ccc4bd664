"""The routes of matches: start, show, follow, move, undo, resign, rematch. Knows no rule."""

from __future__ import annotations

import asyncio
import secrets
from collections.abc import AsyncIterator
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import Annotated

from fastapi import Body, Depends, HTTPException, Path, Response
from fastapi.responses import PlainTextResponse
from pydantic import BaseModel, Field
from starlette.concurrency import run_in_threadpool

from ludus.errors import UserError
from ludus.game import game
from ludus.messages import Message
from ludus.messages.fields import MessageField
from ludus.play.clock import Clock
from ludus.play.record import Record
from ludus.players import HUMAN
from ludus.store.bots import PREFIX
from ludus.web.accounts.visitors import Someone, Who
from ludus.web.http.events import BEAT, BEAT_SECONDS, EventStream, LastSeen, any_of, stream, written
from ludus.web.http.reading import read_text
from ludus.web.http.responses import attachment
from ludus.web.http.routing import Router
from ludus.web.http.uploads import MOST_TEXT, UploadLimits
from ludus.web.matches.live import AWAY_SECONDS, OPEN, LiveMatch, MatchSummaryView, MatchView
from ludus.web.services import Services, ServicesDep
from ludus.web.views import GameView, drawable_games, game_view, opponents

router = Router()
get = partial(router.get, response_model_exclude_defaults=True)
post = partial(router.post, response_model_exclude_defaults=True)

Name = Annotated[str, Path(pattern=r"^[A-Za-z0-9_-]{12}$")]
Word = Annotated[str, Field(max_length=64)]
MOST_LISTED = 20
"""Matches in the list of those that are being played."""


class NewMatch(BaseModel):
    """A match to start. A seat is `human`, `open` (for the first person who follows the link) or a player."""

    game: Word
    options: Annotated[dict[Word, int | Word], Field(max_length=16)] = {}
    seats: tuple[Word, Word]
    clock: Word = "none"
    seed: Annotated[int | None, Field(ge=0, lt=2**63)] = None
    start: Annotated[str | None, Field(max_length=2000)] = None


class Hint(BaseModel):
    """A move that the engine would play, and why."""

    move: str
    why: list[MessageField] = []


async def match_of(services: ServicesDep, name: Name) -> LiveMatch:
    """Return a match by its name; respond 404 when there is none."""
    live = await services.arena.find(name)
    if live is None:
        raise HTTPException(404, Message("web.no_such_match"))
    return live


MatchDep = Annotated[LiveMatch, Depends(match_of)]


@get("/games")
def list_games() -> list[GameView]:
    """List the games that can be played."""
    return [game_view(name) for name in drawable_games()]


@router.get("/limits")
def limits() -> UploadLimits:
    """Return how much may be uploaded."""
    return UploadLimits()


@router.get("/matches")
async def list_matches(services: ServicesDep, who: Who) -> list[MatchSummaryView]:
    """List the matches that are being played, without those of other people's private bots."""
    playing = services.arena.now()
    players = [text for live in playing for text in live.match.record.players]
    hidden = await run_in_threadpool(services.bots.hidden, players, who)
    seen = (live for live in playing if not hidden & {*live.match.record.players})
    return [live.summary() for live in islice(seen, MOST_LISTED)]


@post("/matches", status_code=201)
async def begin(services: ServicesDep, wanted: NewMatch, who: Someone) -> MatchView:
    """Start a match."""
    if wanted.game not in drawable_games():
        raise UserError("web.no_game_named", name=repr(wanted.game), games=list(drawable_games()))
    for text in wanted.seats:
        if text not in (HUMAN, OPEN) and text not in opponents(wanted.game):
            await run_in_threadpool(services.bots.opponent, wanted.game, text, who.account)
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
    live = await services.arena.begin(start, wanted.seats, clock, who.owner, seed)
    return live.view(who.owner)


@post("/records", status_code=201)
async def add_record(
    services: ServicesDep, text: Annotated[str, Body(embed=True, max_length=MOST_TEXT)], who: Someone
) -> MatchView:
    """Store a record, so that it can be shown and shared."""
    record: Record = await read_text(services.readers, who.owner, Record.parse, text)
    if record.game.name not in drawable_games():
        raise UserError("web.not_drawable", game=record.game.name)
    if len(record.moves) > 1000:
        raise UserError("web.record_over_1000", count=len(record.moves))
    return (await services.arena.add(record, who.owner)).view(None)


@get("/matches/{name}")
async def show(who: Who, live: MatchDep) -> MatchView:
    """Return a match."""
    return live.view(who.owner)


@router.get("/matches/{name}/record", response_class=PlainTextResponse)
async def download(live: MatchDep) -> Response:
    """Return the record of a match."""
    record = live.match.record
    first, second = (
        live.name_of(side) or text if text.startswith(PREFIX) else text for side, text in enumerate(record.players)
    )
    text = replace(record, players=(first, second)).text
    return attachment(text, "text/plain", f"{live.frame.game}-{live.name}.txt")


@router.get("/matches/{name}/events", response_class=EventStream)
async def follow(services: ServicesDep, who: Who, live: MatchDep, seen: LastSeen) -> EventStream:
    """Follow a match from the version last seen; each message has everything since the one before."""
    return stream(_news(services, live, who.owner, seen))


async def _news(services: Services, live: LiveMatch, owner: str, seen: int) -> AsyncIterator[str]:
    live.arrive(owner)
    told = live.away
    try:
        while not services.stopping and not live.dropped:
            news = live.news
            if live.version != seen or live.away != told:
                told = live.away
                yield written(live.json(owner, seen), live.version)
                seen = live.version
            elif not await any_of([news], BEAT_SECONDS):
                yield BEAT
    finally:
        live.depart(owner)
        if owner in live.owners:
            asyncio.get_running_loop().call_later(AWAY_SECONDS, live.notify)


@post("/matches/{name}/moves")
async def play(
    services: ServicesDep,
    who: Who,
    live: MatchDep,
    move: Annotated[str, Body(max_length=64)],
    ply: Annotated[int, Body(ge=0, le=100_000)],
) -> MatchView:
    """Play a move; `ply` is the number of moves played before it."""
    await services.arena.play(live, who.owner, move, ply)
    return live.view(who.owner, live.version)


@post("/matches/{name}/undo")
async def undo(services: ServicesDep, who: Who, live: MatchDep) -> MatchView:
    """Take back moves."""
    await services.arena.undo(live, who.owner)
    return live.view(who.owner)


@post("/matches/{name}/resign")
async def resign(services: ServicesDep, who: Who, live: MatchDep) -> MatchView:
    """Resign the game."""
    await services.arena.resign(live, who.owner)
    return live.view(who.owner)


@post("/matches/{name}/seat")
async def sit(services: ServicesDep, who: Someone, live: MatchDep) -> MatchView:
    """Take the open seat."""
    await services.lobby.take(live, who.owner)
    return live.view(who.owner)


@post("/matches/{name}/rematch")
async def rematch(services: ServicesDep, who: Who, live: MatchDep) -> MatchView:
    """Play again, with the seats swapped."""
    await services.lobby.check_rated(live, who.owner)
    for text in live.match.record.players:
        if text.startswith(PREFIX):  # whose owner may have made it private since, or removed it
            await run_in_threadpool(services.bots.opponent, live.frame.game, text, who.account)
    return (await services.arena.rematch(live, who.owner)).view(who.owner)


@router.post("/matches/{name}/hint")
async def hint(services: ServicesDep, who: Who, live: MatchDep) -> Hint:
    """Ask the engine for a move."""
    live.require("hint", who.owner)
    answer = await services.workers.ask_once(who.owner, "look", live.match.state, 0.5, 1, seconds=20.0)
    return Hint(move=answer["lines"][0]["moves"][0], why=answer["why"])
