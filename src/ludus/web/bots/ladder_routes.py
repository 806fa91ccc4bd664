"""The routes of ladders and challenges: look, challenge, follow; logs to their owners."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, HTTPException, Path, Request
from fastapi.responses import JSONResponse, PlainTextResponse
from pydantic import BaseModel, Field
from starlette.concurrency import run_in_threadpool
from starlette.responses import StreamingResponse  # noqa: TC002 - the description of the routes needs it

from ludus.messages import Message
from ludus.web.accounts.visitors import Student, Who  # noqa: TC001 - routes are read at run time
from ludus.web.bots.routes import Number, bot_of, bots_of, job_news, jobs_of
from ludus.web.bots.service import ChallengePicture, LadderPicture
from ludus.web.http.events import stream
from ludus.web.views import drawable_games

if TYPE_CHECKING:
    from ludus.store.challenges import Challenge

router = APIRouter(prefix="/api")

Name = Annotated[str, Path(pattern=r"^[A-Za-z0-9_-]{12}$")]


class NewChallenge(BaseModel):
    """Whom to challenge: a player's text or a bot's name; and whether it counts for the ladder."""

    defender: Annotated[str, Field(min_length=1, max_length=64)]
    rated: bool = True


@router.get("/ladders", response_model=list[LadderPicture])
def list_tops(request: Request) -> JSONResponse:
    """List the tops of the ladders that have bots on them."""
    return JSONResponse([one.brief() for one in bots_of(request).tops(drawable_games())])


@router.get("/ladders/{game}", response_model=LadderPicture)
def look(request: Request, game: str, who: Who) -> LadderPicture:
    """Show a ladder."""
    if game not in drawable_games():
        raise HTTPException(404, Message("web.no_such_game"))
    return bots_of(request).ladder_picture(game, who.account)


@router.post("/bots/{bot}/challenges", status_code=201, response_model=ChallengePicture)
async def challenge(request: Request, bot: Number, wanted: NewChallenge, who: Student) -> ChallengePicture:
    """Challenge someone; it is played as soon as there is room."""
    bots = bots_of(request)
    found = await run_in_threadpool(bot_of, request, bot, who, own=True)
    unfinished = await run_in_threadpool(bots.open_challenge, found)
    if unfinished is not None:
        await _stands(request, unfinished)  # one whose job failed is in nobody's way
    made = await run_in_threadpool(bots.challenge, who.signed_in, found, wanted.defender, rated=wanted.rated)
    try:
        job = await jobs_of(request).add("challenge", {"challenge": made.id}, who.owner)
    except Exception:
        await run_in_threadpool(bots.challenges.finish, made.id, None, Message("web.challenge_not_begun"))
        raise
    await run_in_threadpool(bots.challenges.set_job, made.id, job)
    return await run_in_threadpool(bots.challenge_picture, made, None, who.account)


async def _stands(request: Request, found: Challenge) -> tuple[Challenge, Any]:
    """Return a challenge as it stands, and the job that plays it."""
    live = await jobs_of(request).find(found.job) if found.job else None
    job = live.job if live else None
    return await run_in_threadpool(bots_of(request).end_challenge, found, job), live


async def challenge_of(request: Request, name: str) -> tuple[Challenge, Any]:
    """Return a challenge by its name, and its job, or answer that there is none."""
    found = await run_in_threadpool(bots_of(request).challenges.find, name)
    if found is None:
        raise HTTPException(404, Message("web.no_such_challenge"))
    return await _stands(request, found)


@router.get("/challenges/{name}", response_model=ChallengePicture)
async def look_at_challenge(request: Request, name: Name, who: Who) -> ChallengePicture:
    """Show a challenge."""
    found, live = await challenge_of(request, name)
    return await run_in_threadpool(bots_of(request).challenge_picture, found, live.job if live else None, who.account)


@router.get("/challenges/{name}/events", response_class=PlainTextResponse)
async def follow(request: Request, name: Name) -> StreamingResponse:
    """Follow a challenge."""
    found, live = await challenge_of(request, name)
    return stream(job_news(request, live, found.state))


@router.get("/challenges/{name}/games/{board}/{seats}/{role}.log", response_class=PlainTextResponse)
def download_log(
    request: Request,
    name: Name,
    board: Annotated[int, Path(ge=0, le=99)],
    seats: Annotated[int, Path(ge=0, le=1)],
    role: Annotated[str, Path(pattern="^(challenger|defender)$")],
    who: Student,
) -> PlainTextResponse:
    """Return what a bot wrote on standard error in a game, to its owner."""
    bots = bots_of(request)
    found = bots.challenges.find(name)
    if found is None:
        raise HTTPException(404, Message("web.no_such_challenge"))
    if not bots.owns(who.account, found.challenger if role == "challenger" else found.defender):
        raise HTTPException(403, Message("web.bot_not_yours"))
    log = bots.challenges.log(name, board, seats, defender=role == "defender")
    if log is None:
        raise HTTPException(404, Message("web.game_not_played"))
    headers = {"Content-Disposition": f'attachment; filename="{role}-{board + 1}-{seats + 1}.txt"'}
    return PlainTextResponse(log, headers=headers)
