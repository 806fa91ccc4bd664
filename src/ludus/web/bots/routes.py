"""The routes of bots: submit, show, follow a check, publish, remove; and starter bots."""

from __future__ import annotations

import base64
import binascii
import io
import zipfile
from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import Body, Depends, HTTPException, Path, Request, Response
from fastapi.responses import PlainTextResponse
from pydantic import BaseModel, Field, ValidationError
from starlette.concurrency import run_in_threadpool

from ludus.bots.source import packed
from ludus.bots.starters import LANGUAGES, starter
from ludus.check import each_stored
from ludus.errors import UserError
from ludus.messages import Message
from ludus.store.bots import BotVersion, StoredBot
from ludus.web.accounts.visitors import Instructor, Student, Visitor, Who
from ludus.web.bots.submissions import Upload, read_upload
from ludus.web.bots.views import BotSummaryView, BotView, PlayerView, VersionView, version_view
from ludus.web.http.events import EventStream, event, stream
from ludus.web.http.reading import in_worker
from ludus.web.http.responses import attachment, invalid_field
from ludus.web.http.routing import Router, is_plain
from ludus.web.jobs.service import LiveJob
from ludus.web.services import Services, ServicesDep
from ludus.web.views import drawable_games

router = Router()

Number = Annotated[int, Path(ge=1, lt=2**31)]
Word = Annotated[str, Field(max_length=64)]
FileName = Annotated[str, Field(min_length=1, max_length=500)]


class UploadedFile(BaseModel):
    """A file: its path, and its content in base64 or as text."""

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


class NewBot(BaseModel):
    """A bot to submit: an archive, a file or several files; name, game and protocol where the files do not say them."""

    files: Annotated[list[UploadedFile], Field(max_length=2000)]
    name: Annotated[str | None, Field(max_length=200)] = None
    game: Word | None = None
    protocol: Word | None = None
    source: Annotated[str | None, Field(max_length=1000)] = None
    """Its path on the computer of the sender, for the commands in the report of the check."""


class SubmittedVersion(BaseModel):
    """A version that was submitted."""

    id: int
    name: str | None
    game: str
    version: int


BODY = {"requestBody": {"required": True, "content": {"application/json": {"schema": NewBot.model_json_schema()}}}}
"""The routes read the body themselves, after they know who sends it, since it may be large."""


def visible_bot(services: ServicesDep, who: Who, bot: Number) -> StoredBot:
    """Return a bot that this person may see; respond 404 for others."""
    found = services.bots.store.find(bot)
    if found is None or found.name is None or not (found.public or who.owns(found.owner) or who.teaches):
        raise HTTPException(404, Message("web.no_such_bot"))
    return found


BotDep = Annotated[StoredBot, Depends(visible_bot)]


def own_bot(who: Student, bot: BotDep) -> StoredBot:
    """Return a bot of this person; respond 403 for others."""
    if not who.owns(bot.owner):
        raise HTTPException(403, Message("web.bot_not_yours"))
    return bot


def visible_version(services: ServicesDep, who: Student, bot: BotDep, number: Number) -> BotVersion:
    """Return a version of a bot to its owner and to instructors; respond 403 to others."""
    if not (who.owns(bot.owner) or who.teaches):
        raise HTTPException(403, Message("web.bot_not_yours"))
    found = services.bots.store.version(bot.id, number)
    if found is None:
        raise HTTPException(404, Message("web.no_such_version", bot=bot.name, number=number))
    return found


OwnBotDep = Annotated[StoredBot, Depends(own_bot)]
VersionDep = Annotated[BotVersion, Depends(visible_version)]


@router.get("/bots")
def list_bots(services: ServicesDep, who: Student) -> list[BotSummaryView]:
    """List the person's own bots."""
    return [services.bots.summary(bot, who) for bot in services.bots.store.of(who.signed_in.id)]


@router.get("/bots/all")
def list_all(services: ServicesDep, who: Instructor) -> list[BotSummaryView]:
    """List everybody's bots."""
    return [services.bots.summary(bot, who) for bot in services.bots.store.all()]


@router.get("/opponents/{game}")
def list_opponents(services: ServicesDep, game: str, who: Who) -> list[PlayerView]:
    """List the submitted bots that this person may play against."""
    store = services.bots.store
    own = store.of(who.account.id) if who.account else []
    found = {bot.id: bot for bot in [*store.open_to_all(game), *own] if bot.game == game}
    return [PlayerView(player=bot.text, name=bot.name) for bot in found.values() if store.playing(bot.id) is not None]


@router.get("/starters/{game}/{language}", response_class=Response)
def download_starter(game: str, language: str, protocol: str | None = None) -> Response:
    """Return a starter bot as a zip."""
    if game not in drawable_games():
        raise HTTPException(404, Message("web.no_such_game"))
    content, name = io.BytesIO(), f"{game}-{language}"
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for file, text in starter(game, language, protocol, name).items():
            archive.writestr(f"{name}/{file}", text)
    return attachment(content.getvalue(), "application/zip", f"{name}.zip")


@router.get("/starters")
def list_starters() -> list[str]:
    """List the programming languages of starter bots."""
    return list(LANGUAGES)


@router.post("/bots", status_code=201, openapi_extra=BODY)
async def submit(services: ServicesDep, request: Request, who: Student) -> SubmittedVersion:
    """Submit a bot, or another version of the person's bot with that name; it is checked at once."""
    async with services.uploads.one(who.signed_in.id):
        wanted = await _body(request)
        if wanted.game is not None and wanted.game not in drawable_games():
            raise UserError("web.no_game_named", name=repr(wanted.game), games=list(drawable_games()))
        upload = await _upload(services, who, wanted, wanted.game)
        bot, version = await run_in_threadpool(services.bots.submit, who.signed_in, upload, wanted.name)
        return await run_in_threadpool(_check, services, who, bot, version, upload.source, wanted.protocol)


@router.post("/bots/{bot}/versions", status_code=201, openapi_extra=BODY)
async def submit_version(services: ServicesDep, request: Request, who: Student, bot: OwnBotDep) -> SubmittedVersion:
    """Submit another version of a bot; it is checked at once."""
    async with services.uploads.one(who.signed_in.id):
        wanted = await _body(request)
        upload = await _upload(services, who, wanted, bot.game)
        version = await run_in_threadpool(services.bots.add_version, bot, upload)
        return await run_in_threadpool(_check, services, who, bot, version, upload.source, wanted.protocol)


async def _body(request: Request) -> NewBot:
    body = await request.body()
    try:
        wanted = await run_in_threadpool(NewBot.model_validate_json, body)
    except ValidationError as error:
        first = error.errors()[0]
        raise HTTPException(422, invalid_field({**first, "loc": first["loc"] or ("the body",)})) from None
    if not all(is_plain(text or "") for text in (wanted.name, wanted.game, wanted.protocol, wanted.source)):
        raise UserError("web.bad_character")
    return wanted


async def _upload(services: Services, who: Visitor, wanted: NewBot, game: str | None) -> Upload:
    """Read the files in a separate process, since an archive may unpack to far more than its size."""
    files = await run_in_threadpool(lambda: [(file.name, file.content()) for file in wanted.files])
    arguments = (files, game, wanted.protocol, wanted.source)
    upload: Upload = await in_worker(services.readers, who.owner, read_upload, *arguments)
    return upload


def _check(
    services: Services, who: Visitor, bot: StoredBot, version: BotVersion, source: str, protocol: str | None
) -> SubmittedVersion:
    """Start the check of a version; `protocol` is the one that the sender has chosen."""
    change = services.bots.store.change_version
    try:
        wanted = {"bot": bot.id, "version": version.number, "source": source, "protocol": protocol}
        job = services.wait_for(services.jobs.add("check", wanted, who.owner))
    except Exception:
        change(bot.id, version.number, state="failed")
        raise
    change(bot.id, version.number, job=job)
    return SubmittedVersion(id=bot.id, name=bot.name, game=bot.game, version=version.number)


@router.get("/bots/{bot}")
def show(services: ServicesDep, bot: BotDep, who: Who) -> BotView:
    """Return a bot."""
    return services.bots.view(bot, who)


def checked_version(services: ServicesDep, version: VersionDep) -> tuple[BotVersion, LiveJob | None]:
    """Return the current state of a version, and the job that checks it."""
    live = services.job(version.job)
    return services.bots.end_check(version, live.job if live else None), live


CheckDep = Annotated[tuple[BotVersion, LiveJob | None], Depends(checked_version)]


@router.get("/bots/{bot}/versions/{number}")
def show_version(who: Student, bot: BotDep, check: CheckDep) -> VersionView:
    """Return a version with the report of its check; the output of the bot is for its owner."""
    return version_view(check[0], logs=who.owns(bot.owner))


@router.get("/bots/{bot}/versions/{number}/events", response_class=EventStream)
def follow_check(services: ServicesDep, check: CheckDep) -> EventStream:
    """Follow the check of a version."""
    version, live = check
    return job_stream(services, live, version.state)


def job_stream(services: Services, live: LiveJob | None, state: str) -> EventStream:
    """Return the progress of a job as a stream; without a job, one message with a state."""

    async def only_state() -> AsyncIterator[str]:
        yield event({"state": state, "over": True})

    return stream(live.events(lambda: services.stopping) if live else only_state())


def own_version(who: Student, bot: BotDep, version: VersionDep) -> BotVersion:
    """Return a version of a bot to its owner; respond 403 to others."""
    own_bot(who, bot)
    return version


OwnVersionDep = Annotated[BotVersion, Depends(own_version)]


@router.get("/bots/{bot}/versions/{number}/log", response_class=PlainTextResponse)
def download_log(version: OwnVersionDep) -> Response:
    """Return the output of the compiler and the bot during a check, to its owner."""
    parts = [f"== build ==\n{version.log}"]
    found = each_stored((version.report or {}).get("findings", []))
    parts += [f"== {one['text']} ==\n{one['log']}" for one in found if one.get("log") not in ("", None, version.log)]
    return attachment("\n".join(parts), "text/plain", f"bot-{version.bot}-v{version.number}-log.txt")


@router.get("/bots/{bot}/versions/{number}/files", response_class=Response)
def download_files(services: ServicesDep, version: OwnVersionDep) -> Response:
    """Return the files of a version, to its owner."""
    content = packed(services.bots.store.files(version.bot, version.number))
    return attachment(content, "application/x-tar", f"bot-{version.bot}-v{version.number}.tar")


@router.post("/bots/{bot}/public")
def publish(
    services: ServicesDep, who: Student, bot: OwnBotDep, public: Annotated[bool, Body(embed=True)]
) -> BotSummaryView:
    """Let everybody play against a bot, or nobody else."""
    services.bots.store.publish(bot.id, public=public)
    return services.bots.summary(visible_bot(services, who, bot.id), who)


@router.post("/bots/{bot}/enter")
def enter(services: ServicesDep, who: Student, bot: OwnBotDep) -> BotSummaryView:
    """Put a bot on its ladder."""
    if services.bots.store.playing(bot.id) is None:
        raise UserError("web.no_checked_version")
    services.bots.store.enter(bot.id)
    return services.bots.summary(visible_bot(services, who, bot.id), who)


@router.post("/bots/{bot}/remove")
def remove(services: ServicesDep, who: Student, bot: BotDep) -> BotSummaryView:
    """Remove a bot; its games stay. An admin may remove those of others, which is logged."""
    if who.role != "admin":
        own_bot(who, bot)
    summary = services.bots.summary(bot, who)
    services.bots.store.remove(bot.id)
    if not who.owns(bot.owner):
        services.note(who, "bot.remove", bot=bot.id, name=bot.name, owner=bot.owner)
    services.wait_for(services.arena.rename(bot.text))
    return summary
