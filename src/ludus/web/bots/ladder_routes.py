"""The routes of ladders and challenges: show, challenge, follow; logs for their owners."""

from __future__ import annotations

from typing import Annotated, Literal

from fastapi import Body, Depends, HTTPException, Path, Response
from fastapi.responses import PlainTextResponse

from ludus.messages import Message
from ludus.store.challenges import Challenge
from ludus.web.accounts.visitors import Student, Who
from ludus.web.bots.routes import OwnBotDep, job_stream
from ludus.web.bots.views import ChallengeView, LadderView
from ludus.web.http.events import EventStream
from ludus.web.http.responses import attachment
from ludus.web.http.routing import Router
from ludus.web.jobs.service import LiveJob
from ludus.web.services import Services, ServicesDep
from ludus.web.views import drawable_games

router = Router()

Name = Annotated[str, Path(pattern=r"^[A-Za-z0-9_-]{12}$")]


def challenge_of(services: ServicesDep, who: Who, name: Name) -> Challenge:
    """Return a challenge by its name; respond 404 when there is none that this person may see."""
    found = services.bots.challenges.find(name)
    if found is None or services.bots.hidden((found.challenger, found.defender), who):
        raise HTTPException(404, Message("web.no_such_challenge"))
    return found


ChallengeDep = Annotated[Challenge, Depends(challenge_of)]


@router.get("/ladders", response_model_exclude_defaults=True)
def list_tops(services: ServicesDep) -> list[LadderView]:
    """List the best bots of each ladder that has any."""
    return services.bots.tops(drawable_games())


@router.get("/ladders/{game}")
def show_ladder(services: ServicesDep, game: str, who: Who) -> LadderView:
    """Return a ladder."""
    if game not in drawable_games():
        raise HTTPException(404, Message("web.no_such_game"))
    return services.bots.ladder_view(game, who)


@router.post("/bots/{bot}/challenges", status_code=201)
def challenge(
    services: ServicesDep,
    who: Student,
    bot: OwnBotDep,
    defender: Annotated[str, Body(min_length=1, max_length=64)],
    rated: Annotated[bool, Body()] = True,
) -> ChallengeView:
    """Challenge a player by its text or a bot by its name; a rated challenge counts for the ladder."""
    bots = services.bots
    unfinished = bots.open_challenge(bot)
    if unfinished is not None:
        _current(services, unfinished)  # ends one whose job has failed
    created = bots.challenge(who.signed_in, bot, defender, rated=rated)
    try:
        job = services.wait_for(services.jobs.add("challenge", {"challenge": created.id}, who.owner))
    except Exception:
        bots.challenges.finish(created.id, None, Message("web.challenge_not_begun"))
        raise
    bots.challenges.set_job(created.id, job)
    return bots.challenge_view(created, None, who)


def _current(services: Services, found: Challenge) -> tuple[Challenge, LiveJob | None]:
    """Return the current state of a challenge, and the job that plays it."""
    live = services.job(found.job)
    return services.bots.end_challenge(found, live.job if live else None), live


@router.get("/challenges/{name}")
def show_challenge(services: ServicesDep, challenge: ChallengeDep, who: Who) -> ChallengeView:
    """Return a challenge."""
    found, live = _current(services, challenge)
    return services.bots.challenge_view(found, live.job if live else None, who)


@router.get("/challenges/{name}/events", response_class=EventStream)
def follow(services: ServicesDep, challenge: ChallengeDep) -> EventStream:
    """Follow a challenge."""
    found, live = _current(services, challenge)
    return job_stream(services, live, found.state)


@router.get("/challenges/{name}/games/{board}/{seats}/{role}.log", response_class=PlainTextResponse)
def download_log(
    services: ServicesDep,
    who: Student,
    challenge: ChallengeDep,
    board: Annotated[int, Path(ge=0, le=99)],
    seats: Annotated[int, Path(ge=0, le=1)],
    role: Literal["challenger", "defender"],
) -> Response:
    """Return what a bot wrote on standard error in a game, to its owner."""
    if not services.bots.owns(who, challenge.challenger if role == "challenger" else challenge.defender):
        raise HTTPException(403, Message("web.bot_not_yours"))
    log = services.bots.challenges.log(challenge.id, board, seats, defender=role == "defender")
    if log is None:
        raise HTTPException(404, Message("web.game_not_played"))
    return attachment(log, "text/plain", f"{role}-{board + 1}-{seats + 1}.txt")
