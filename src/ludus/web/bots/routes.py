"""The routes of bots: hand in, look, follow a check, let others play, remove; and starters to begin with."""

from __future__ import annotations

import asyncio
import base64
import binascii
import io
import zipfile
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple

from fastapi import APIRouter, HTTPException, Path, Request, Response
from fastapi.responses import JSONResponse, PlainTextResponse
from pydantic import BaseModel, Field, ValidationError
from starlette.concurrency import run_in_threadpool
from starlette.responses import StreamingResponse  # noqa: TC002 - the description of the routes needs it

from ludus.bots.source import packed
from ludus.bots.starters import LANGUAGES, starter
from ludus.errors import UserError
from ludus.messages import Message
from ludus.store.accounts import ROLES
from ludus.web.accounts.visitors import Instructor, Student, Visitor, Who  # noqa: TC001 - routes are read at run time
from ludus.web.bots.service import BotLine, BotPicture, Bots, PlayerPicture, VersionPicture, version_picture
from ludus.web.bots.submissions import Taken, take_in
from ludus.web.http.errors import invalid_field
from ludus.web.http.events import BEAT, BEAT_SECONDS, event, stream
from ludus.web.http.reading import in_worker
from ludus.web.views import drawable_games

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from ludus.store.bots import BotVersion, StoredBot
    from ludus.web.bots.submissions import Taken
    from ludus.web.http.uploads import Uploads
    from ludus.web.jobs.service import Jobs, LiveJob

router = APIRouter(prefix="/api")

Number = Annotated[int, Path(ge=1, lt=2**31)]
Word = Annotated[str, Field(max_length=64)]
FileName = Annotated[str, Field(min_length=1, max_length=500)]


class UploadedFile(BaseModel):
    """A file: its name, with the folders that it is in, and its content in base64 or as text."""

    name: FileName
    data: str | None = None
    text: str | None = None

    def content(self) -> bytes:
        """Return its bytes."""
        if self.data is None:
            return (self.text or "").encode()
        try:
            return base64.b64decode(self.data, validate=True)
        except binascii.Error:
            raise UserError("web.not_base64", name=self.name) from None


class Upload(BaseModel):
    """A bot that is handed in: an archive, a file, or several; name, game and protocol where it does not say them."""

    files: Annotated[list[UploadedFile], Field(max_length=2000)]
    name: Annotated[str | None, Field(max_length=200)] = None
    game: Word | None = None
    protocol: Word | None = None
    source: Annotated[str | None, Field(max_length=1000)] = None
    """The path that the sender has it at, for the commands that a check offers."""


class NewPublic(BaseModel):
    """Whether everybody may play against a bot."""

    public: bool


class HandedIn(BaseModel):
    """Where to look at what was handed in."""

    id: int
    name: str | None
    game: str
    version: int


class CheckState(BaseModel):
    """How far a check is."""

    state: str
    progress: Any = None


UPLOAD = {"requestBody": {"required": True, "content": {"application/json": {"schema": Upload.model_json_schema()}}}}
"""The routes read the body themselves, after they know who sends it: it is larger than others may be."""


def bots_of(request: Request) -> Bots:
    """Return the bots."""
    bots: Bots = request.app.state.bots
    return bots


def jobs_of(request: Request) -> Jobs:
    """Return the jobs."""
    jobs: Jobs = request.app.state.jobs
    return jobs


async def upload_of(request: Request) -> Upload:
    """Read a body, beside the event loop."""
    body = await request.body()
    try:
        return await run_in_threadpool(Upload.model_validate_json, body)
    except ValidationError as error:
        first = error.errors()[0]
        raise HTTPException(422, invalid_field({**first, "loc": first["loc"] or ("the body",)})) from None


def teaches(who: Visitor) -> bool:
    """Tell whether someone may see what all students' checks found."""
    return ROLES.index(who.role) >= ROLES.index("instructor")


def bot_of(request: Request, number: int, who: Visitor, *, own: bool = False) -> StoredBot:
    """Return a bot that this person may see, or may change where it must be their own."""
    bot = bots_of(request).store.find(number)
    mine = bot is not None and who.account is not None and bot.owner == who.account.id
    if bot is None or bot.name is None or not (bot.public or mine or teaches(who)):
        raise HTTPException(404, Message("web.no_such_bot"))
    if own and not mine:
        raise HTTPException(403, Message("web.bot_not_yours"))
    return bot


def version_of(request: Request, bot: StoredBot, number: int, who: Visitor, *, own: bool = False) -> BotVersion:
    """Return a version of a bot to its owner, or to someone who teaches."""
    mine = who.account is not None and bot.owner == who.account.id
    if not mine and (own or not teaches(who)):
        raise HTTPException(403, Message("web.bot_not_yours"))
    found = bots_of(request).store.version(bot.id, number)
    if found is None:
        raise HTTPException(404, Message("web.no_such_version", bot=bot.name, number=number))
    return found


@router.get("/bots", response_model=list[BotLine])
def list_bots(request: Request, who: Student) -> JSONResponse:
    """List one's own bots."""
    bots, account = bots_of(request), who.signed_in
    return JSONResponse([bots.line(bot, account).model_dump() for bot in bots.store.of(account.id)])


@router.get("/bots/all", response_model=list[BotLine])
def list_all(request: Request, who: Instructor) -> JSONResponse:
    """List everybody's bots."""
    bots = bots_of(request)
    return JSONResponse([bots.line(bot, who.account).model_dump() for bot in bots.store.all()])


@router.get("/opponents/{game}", response_model=list[PlayerPicture])
def list_opponents(request: Request, game: str, who: Who) -> list[PlayerPicture]:
    """List the submitted bots that this person may play against."""
    bots = bots_of(request)
    found = {bot.id: bot for bot in bots.store.open_to_all(game)}
    found |= {bot.id: bot for bot in (bots.store.of(who.account.id) if who.account else []) if bot.game == game}
    return [
        PlayerPicture(player=bot.text, name=bot.name)
        for bot in found.values()
        if bots.store.playing(bot.id) is not None
    ]


@router.get("/starters/{game}/{language}", response_class=Response)
def give_starter(game: str, language: str, protocol: str | None = None) -> Response:
    """Return a bot to begin with, as a zip."""
    if game not in drawable_games():
        raise HTTPException(404, Message("web.no_such_game"))
    made, name = io.BytesIO(), f"{game}-{language}"
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for file, text in starter(game, language, protocol, name).items():
            archive.writestr(f"{name}/{file}", text)
    headers = {"Content-Disposition": f'attachment; filename="{name}.zip"'}
    return Response(made.getvalue(), media_type="application/zip", headers=headers)


@router.get("/starters", response_model=list[str])
def list_starters() -> list[str]:
    """List the languages that there are starters in."""
    return list(LANGUAGES)


@router.post("/bots", status_code=201, response_model=HandedIn, openapi_extra=UPLOAD)
async def hand_in(request: Request, who: Student) -> HandedIn:
    """Hand in a bot, or another version of one's own by its name; it is checked at once."""
    uploads: Uploads = request.app.state.uploads

    async with uploads.one(who.signed_in.id):
        wanted = await upload_of(request)
        if wanted.game is not None and wanted.game not in drawable_games():
            raise UserError("web.no_game_named", name=repr(wanted.game), games=list(drawable_games()))
        taken = await _taken(request, who, wanted, wanted.game)
        bot, version = await run_in_threadpool(bots_of(request).hand_in, who.signed_in, taken, wanted.name)
    return await _checked(request, who, bot, version, Source(taken.source, wanted.protocol))


async def _taken(request: Request, who: Visitor, wanted: Upload, game: str | None) -> Taken:
    """Read what was handed in, away from the server: an archive may unpack to far more than it is."""
    files = await run_in_threadpool(lambda: [(file.name, file.content()) for file in wanted.files])
    asker = who.owner or ""
    read = (take_in, files, game, wanted.protocol, wanted.source)
    taken: Taken = await in_worker(request.app.state.readers, asker, *read)
    return taken


@router.post("/bots/{bot}/versions", status_code=201, response_model=HandedIn, openapi_extra=UPLOAD)
async def hand_in_version(request: Request, bot: Number, who: Student) -> HandedIn:
    """Hand in another version of a bot; it is checked at once."""
    found = await run_in_threadpool(bot_of, request, bot, who, own=True)
    uploads: Uploads = request.app.state.uploads
    async with uploads.one(who.signed_in.id):
        wanted = await upload_of(request)
        taken = await _taken(request, who, wanted, found.game)
        version = await run_in_threadpool(bots_of(request).add_version, found, taken)
    return await _checked(request, who, found, version, Source(taken.source, wanted.protocol))


class Source(NamedTuple):
    """What the commands that a check offers must say of a bot."""

    path: str
    """Where its sender has it."""
    protocol: str | None
    """The one that was said beside the bot: its files do not tell."""


async def _checked(request: Request, who: Visitor, bot: StoredBot, version: BotVersion, source: Source) -> HandedIn:
    """Ask for a check."""
    store = bots_of(request).store
    try:
        wanted = {"bot": bot.id, "version": version.number, "source": source.path, "protocol": source.protocol}
        job = await jobs_of(request).add("check", wanted, who.owner)
    except Exception:
        await run_in_threadpool(store.change_version, bot.id, version.number, state="failed")
        raise
    await run_in_threadpool(store.change_version, bot.id, version.number, job=job)
    return HandedIn(id=bot.id, name=bot.name, game=bot.game, version=version.number)


@router.get("/bots/{bot}", response_model=BotPicture)
def look(request: Request, bot: Number, who: Who) -> BotPicture:
    """Show a bot."""
    found = bot_of(request, bot, who)
    return bots_of(request).picture(found, who.account, teaches=teaches(who))


async def settled(request: Request, version: BotVersion) -> tuple[BotVersion, LiveJob | None]:
    """Return a version as it stands, and the job that checks it."""
    live = await jobs_of(request).find(version.job) if version.job else None
    return await run_in_threadpool(bots_of(request).end_check, version, live.job if live else None), live


@router.get("/bots/{bot}/versions/{number}", response_model=VersionPicture)
async def look_at_version(request: Request, bot: Number, number: Number, who: Student) -> VersionPicture:
    """Show what the check of a version found; what the bot said is for its owner."""
    found = await run_in_threadpool(bot_of, request, bot, who)
    version, _ = await settled(request, await run_in_threadpool(version_of, request, found, number, who))
    return version_picture(version, logs=found.owner == who.signed_in.id)


@router.get("/bots/{bot}/versions/{number}/events", response_class=PlainTextResponse)
async def follow_check(request: Request, bot: Number, number: Number, who: Student) -> StreamingResponse:
    """Follow the check of a version."""
    found = await run_in_threadpool(bot_of, request, bot, who)
    version, live = await settled(request, await run_in_threadpool(version_of, request, found, number, who))
    return stream(job_news(request, live, version.state))


async def job_news(request: Request, live: LiveJob | None, state: str) -> AsyncIterator[str]:
    """Tell how far a job is, until it is over; where there is none, only how things stand."""
    if live is None:
        yield event({"state": state, "over": True})
        return
    seen = 0
    while not request.app.state.stopping:
        news, job = live.news, live.job
        if job.version != seen:
            failure = {"error": job.error, "message": job.failure and job.failure.json}
            yield event({"state": job.state, "over": job.over, "progress": job.progress, **failure}, job.version)
            seen = job.version
            if job.over:
                return
            continue
        async for beat in waited(news):
            yield beat


async def waited(news: Any) -> AsyncIterator[str]:
    """Wait for news; a beat when there are none for long."""
    try:
        async with asyncio.timeout(BEAT_SECONDS):
            await news.wait()
    except TimeoutError:
        yield BEAT


@router.get("/bots/{bot}/versions/{number}/log", response_class=PlainTextResponse)
def download_log(request: Request, bot: Number, number: Number, who: Student) -> PlainTextResponse:
    """Return what the compiler and the bot said during a check, to its owner."""
    version = version_of(request, bot_of(request, bot, who), number, who, own=True)
    said = [finding for finding in (version.report or {}).get("findings", []) if finding.get("log")]
    parts = [f"== build ==\n{version.log}"]
    parts += [f"== {one['text']} ==\n{one['log']}" for one in said if one["log"] != version.log]
    headers = {"Content-Disposition": f'attachment; filename="bot-{bot}-v{number}-log.txt"'}
    return PlainTextResponse("\n".join(parts), headers=headers)


@router.get("/bots/{bot}/versions/{number}/files", response_class=Response)
def download_files(request: Request, bot: Number, number: Number, who: Student) -> Response:
    """Return the files of a version, to its owner."""
    found = bot_of(request, bot, who)
    version_of(request, found, number, who, own=True)
    data = packed(bots_of(request).store.files(found.id, number))
    headers = {"Content-Disposition": f'attachment; filename="bot-{bot}-v{number}.tar"'}
    return Response(data, media_type="application/x-tar", headers=headers)


@router.post("/bots/{bot}/public", response_model=BotLine)
def publish(request: Request, bot: Number, wanted: NewPublic, who: Student) -> BotLine:
    """Let everybody play against a bot, or nobody else."""
    bots, found = bots_of(request), bot_of(request, bot, who, own=True)
    bots.store.publish(found.id, public=wanted.public)
    return bots.line(bot_of(request, bot, who), who.account)


@router.post("/bots/{bot}/enter", response_model=BotLine)
def enter(request: Request, bot: Number, who: Student) -> BotLine:
    """Put a bot on its ladder."""
    bots, found = bots_of(request), bot_of(request, bot, who, own=True)
    if bots.store.playing(found.id) is None:
        raise UserError("web.no_checked_version")
    bots.store.enter(found.id)
    return bots.line(bot_of(request, bot, who), who.account)


@router.post("/bots/{bot}/remove", response_model=BotLine)
async def remove(request: Request, bot: Number, who: Student) -> BotLine:
    """Remove a bot: its owner may, and an admin, which is written down. Its games stay."""
    bots, admin = bots_of(request), who.role == "admin"
    found = await run_in_threadpool(bot_of, request, bot, who, own=not admin)
    line = await run_in_threadpool(bots.line, found, who.account)
    await run_in_threadpool(bots.store.remove, found.id)
    if found.owner != who.signed_in.id:
        detail = {"bot": found.id, "name": found.name, "owner": found.owner}
        await run_in_threadpool(request.app.state.accounts.note, who.signed_in.id, "bot.remove", detail)
    await request.app.state.arena.rename(found.text)
    return line
