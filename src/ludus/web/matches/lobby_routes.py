"""The routes of the lobby: the seats that wait, offering and withdrawing one, quick pairing; and offers in a game."""

from __future__ import annotations

import secrets
from collections.abc import AsyncIterator
from functools import partial
from typing import Annotated, Literal

from fastapi import Body, Request
from pydantic import BaseModel, Field

from ludus.web.accounts.visitors import Someone, Who, address_of
from ludus.web.http.events import BEAT, BEAT_SECONDS, EventStream, any_of, event, stream
from ludus.web.http.routing import Router
from ludus.web.matches.live import LiveMatch, MatchView, NotAllowed
from ludus.web.matches.lobby import SeatOfferView, Terms, read_terms, seats_for
from ludus.web.matches.routes import MatchDep, Word
from ludus.web.services import Services, ServicesDep

router = Router()
get = partial(router.get, response_model_exclude_defaults=True)
post = partial(router.post, response_model_exclude_defaults=True)

CHECK_SECONDS = 2.0
"""How often a stream looks whether those who wait are still there."""
Side = Literal["first", "second", "any"]


class NewSeat(BaseModel):
    """A seat to offer: in the lobby, or only by its link."""

    game: Word
    options: Annotated[dict[Word, int | Word], Field(max_length=16)] = {}
    clock: Word = "600+5"
    rated: bool = False
    side: Side = "any"
    """The side that the person plays who offers it."""
    listed: bool = True


class NewPairing(BaseModel):
    """A game to be paired for."""

    game: Word
    clock: Word = "600+5"
    rated: bool = False


class PairedView(BaseModel):
    """The match that a person was paired into, or that waits for somebody."""

    id: str
    waits: bool


@get("/lobby")
async def show(services: ServicesDep, who: Who) -> list[SeatOfferView]:
    """List the seats that wait for anybody, the longest waiting first."""
    return await services.lobby.views(who.owner)


@router.get("/lobby/events", response_class=EventStream)
async def follow(services: ServicesDep, who: Who) -> EventStream:
    """Follow the lobby: all seats, whenever something has changed."""
    return stream(_news(services, who.owner))


async def _news(services: Services, owner: str) -> AsyncIterator[str]:
    sent: list[SeatOfferView] | None = None
    quiet = 0.0
    while not services.stopping:
        news = services.arena.lobby.news
        seats = await services.lobby.views(owner)
        if seats != sent:
            sent, quiet = seats, 0.0
            yield event([seat.brief() for seat in seats])
        elif quiet >= BEAT_SECONDS:
            quiet = 0.0
            yield BEAT
        quiet += 0.0 if await any_of([news], CHECK_SECONDS) else CHECK_SECONDS


async def _offer(services: Services, terms: Terms, side: Side, owner: str, address: str, *, listed: bool) -> LiveMatch:
    if listed:
        services.lobby.admit(owner, address)
    seed = secrets.randbits(32)
    own = secrets.randbelow(2) if side == "any" else ("first", "second").index(side)
    start = terms.game.initial(seed)
    seats, rated = seats_for(own), terms.rated
    return await services.arena.begin(
        start, seats, terms.clock, owner, seed, rated=rated, listed=listed, address=address
    )


@post("/lobby", status_code=201)
async def offer_seat(services: ServicesDep, request: Request, wanted: NewSeat, who: Someone) -> MatchView:
    """Offer a seat; the game starts when somebody takes it."""
    terms = read_terms(wanted.game, wanted.options, wanted.clock, rated=wanted.rated, owner=who.owner)
    live = await _offer(services, terms, wanted.side, who.owner, address_of(request), listed=wanted.listed)
    return live.view(who.owner)


@router.post("/lobby/pair")
async def pair(services: ServicesDep, request: Request, wanted: NewPairing, who: Someone) -> PairedView:
    """Take the first seat that suits, or offer one."""
    terms = read_terms(wanted.game, {}, wanted.clock, rated=wanted.rated, owner=who.owner)
    for live in services.lobby.compatible(terms, who.owner):
        try:
            await services.lobby.take(live, who.owner)
        except NotAllowed:
            continue  # somebody was quicker, or the two have met enough
        return PairedView(id=live.name, waits=False)
    waiting = [live for live in services.lobby.seats() if who.owner in live.owners]
    own = next((live for live in waiting if services.lobby.matches(live, terms)), None)
    live = own or await _offer(services, terms, "any", who.owner, address_of(request), listed=True)
    return PairedView(id=live.name, waits=True)


@router.post("/lobby/{name}/withdraw")
async def withdraw_seat(services: ServicesDep, who: Who, live: MatchDep) -> list[SeatOfferView]:
    """Withdraw a seat that nobody has taken; its match is deleted."""
    if not live.sides_of(who.owner) or live.ready or live.over:
        raise NotAllowed("web.no_seat_to_withdraw")
    await services.arena.close_seat(live)
    return await show(services, who)


@post("/matches/{name}/offer")
async def offer(
    services: ServicesDep, who: Who, live: MatchDep, what: Annotated[Literal["draw", "takeback"], Body(embed=True)]
) -> MatchView:
    """Offer a draw, or ask to take one's last move back."""
    await services.arena.offer(live, who.owner, what)
    return live.view(who.owner)


@post("/matches/{name}/offer/answer")
async def answer(
    services: ServicesDep, who: Who, live: MatchDep, accept: Annotated[bool, Body(embed=True)]
) -> MatchView:
    """Accept or decline what the other person has offered."""
    await services.arena.answer(live, who.owner, accept=accept)
    return live.view(who.owner)


@post("/matches/{name}/offer/withdraw")
async def withdraw(services: ServicesDep, who: Who, live: MatchDep) -> MatchView:
    """Withdraw one's own offer."""
    await services.arena.withdraw(live, who.owner)
    return live.view(who.owner)
