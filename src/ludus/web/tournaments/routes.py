"""The routes of tournaments: list, create, follow, change with a reason, download; and what is being played now."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Literal

from fastapi import APIRouter, Header, HTTPException, Path, Query, Request
from fastapi.responses import FileResponse
from pydantic import BaseModel, Field, JsonValue
from starlette.concurrency import run_in_threadpool
from starlette.responses import StreamingResponse  # noqa: TC002 - the description of the routes needs it

from ludus.errors import UserError
from ludus.formats import find as find_format
from ludus.formats import formats
from ludus.messages import Message
from ludus.players import is_named
from ludus.store.bots import number_of, version_of, version_text
from ludus.store.matches import ledger_name
from ludus.tournament import Plan
from ludus.tournament.view import MessageData  # noqa: TC001 - the description of the routes needs it
from ludus.web.accounts.visitors import Instructor, Visitor, Who  # noqa: TC001
from ludus.web.http.events import BEAT, event, stream
from ludus.web.matches.live import MatchLine  # noqa: TC001
from ludus.web.tournaments.service import FINISHED, state_of
from ludus.web.views import OptionPicture, drawable_games, game_title, option_pictures

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Mapping

    from ludus.play.result import GameResult
    from ludus.store.bots import BotStore
    from ludus.store.tournaments import TournamentSummary
    from ludus.web.tournaments.service import TournamentService

router = APIRouter(prefix="/api")

Number = Annotated[int, Path(ge=1, lt=2**31)]
Word = Annotated[str, Field(max_length=64)]
Name = Annotated[str, Field(min_length=1, max_length=80)]
Reason = Annotated[str, Field(min_length=1, max_length=500, pattern=r"\S")]
Options = Annotated[dict[Word, int | Word], Field(max_length=16)]
MOST_GAMES = 2000
"""Games per response; a page asks for more with the number of the last one."""
FILES = {
    "standings.csv": "tournament/standings.csv",
    "games.csv": "tournament/games.csv",
    "results.json": "tournament/results.json",
    "page.html": "tournament/index.html",
    "report.pdf": "report.pdf",
    "everything.zip": "everything.zip",
}
"""What can be downloaded, and where it is in the folder of a tournament's files."""


class NewEntry(BaseModel):
    """An entry: its name, and the text of a built-in player or a submitted bot."""

    name: Name
    player: Annotated[str, Field(min_length=1, max_length=200)]


class NewTournament(BaseModel):
    """A tournament to create."""

    name: Name
    game: Word
    options: Options = {}
    format: Word = "round-robin"
    format_options: Options = {}
    clock: Word = "none"
    pairs: Annotated[int, Field(ge=1, le=100)] = 1
    seed: Annotated[int, Field(ge=0, lt=2**31)] = 0
    entries: Annotated[list[NewEntry], Field(max_length=200)]


class Withdrawal(BaseModel):
    """An entry that withdraws, and why."""

    entry: Name
    reason: Reason


class TakenBack(BaseModel):
    """Games that are to be played again: a game's number, a pairing's key or an entry; and why."""

    what: Name
    reason: Reason


class FormatView(BaseModel):
    """A format, and its options."""

    name: str
    options: list[OptionPicture]


class LiveGame(BaseModel):
    """A game that is being played; `match` is the name under which it is watched, and shown when it is over."""

    match: str
    pairing: str
    first: str
    second: str


class ReportedProgress(BaseModel):
    """What the job of a tournament reports while it plays."""

    games: int = 0
    left: int | None = None
    going: list[LiveGame] = []


class ReportedResult(BaseModel):
    """What the job of a tournament returns when it is done."""

    games: int | None = None
    leaders: list[str] = []


class TournamentLine(BaseModel):
    """A tournament in a list."""

    id: int
    name: str
    game: str
    title: str
    format: str
    entries: int
    games: int
    left: int | None = None
    """Games that can be played now and have not been, while it is being played."""
    going: list[LiveGame] = []
    """Its games that are being played, but for those that take only a moment."""
    state: str
    leaders: list[str]
    """Who won, when it is finished."""
    created: datetime


class TournamentResponse(BaseModel):
    """A tournament as it stands: `document` is what `ludus tournament --out` writes as results.json."""

    id: int
    version: int
    state: Literal["waiting", "running", "failed", "stopped", "finished"]
    error: str | None
    message: dict[str, JsonValue] | None = None
    """The error as data."""
    progress: dict[str, JsonValue] | None
    document: dict[str, JsonValue]
    may: bool
    """Whether the visitor may change it."""


class GameLine(BaseModel):
    """A game in a list; `match` is the name under which it can be watched."""

    id: int
    match: str
    pairing: str
    board: int
    seats: int
    first: str
    second: str
    winner: int | None
    reason: str
    fault: str
    fault_message: MessageData | None
    margin: int
    moves: int


class Change(BaseModel):
    """Something that was done to a tournament, and why."""

    at: datetime
    kind: str
    reason: str
    what: str


class Now(BaseModel):
    """What is being played: matches of people, and tournaments with their games."""

    matches: list[MatchLine]
    tournaments: list[TournamentLine]


class ChangeResponse(BaseModel):
    """The result of a change."""

    id: int
    games: int | None = None


def service_of(request: Request) -> TournamentService:
    """Return the tournaments of this server."""
    service: TournamentService = request.app.state.tournaments
    return service


async def require(request: Request, number: int) -> TournamentService:
    """Return the tournaments if there is one of this number; otherwise the answer is that there is none."""
    service = service_of(request)
    if await service.find(number) is None:
        raise HTTPException(404, Message("tournament.not_found"))
    return service


async def audit(request: Request, who: Visitor, kind: str, **detail: int | str) -> None:
    """Write into the audit log what an instructor did."""
    await run_in_threadpool(request.app.state.accounts.note, who.signed_in.id, kind, detail)


def may_change(who: Visitor) -> bool:
    """Return whether someone may change tournaments."""
    return who.role in ("instructor", "admin")


@router.get("/formats")
def list_formats() -> list[FormatView]:
    """List the formats of tournaments."""
    return [FormatView(name=name, options=option_pictures(find_format(name).options)) for name in formats()]


@router.get("/now")
async def now(request: Request) -> Now:
    """List what is being played."""
    tournaments = await list_all(request, "running")
    theirs = {game.match for one in tournaments for game in one.going}
    matches = [live.line() for live in request.app.state.arena.now() if live.name not in theirs]
    return Now(matches=matches, tournaments=tournaments)


async def list_all(request: Request, job_state: str | None = None) -> list[TournamentLine]:
    """List the tournaments: all, or those whose job is in a state."""
    found = []
    for summary in await service_of(request).all(job_state):
        running = summary.job_state == "running"
        live = await request.app.state.jobs.find(summary.tournament.job) if running else None
        found.append(_line(summary, live.job.progress if live else None))
    return found


def _line(summary: TournamentSummary, progress: JsonValue) -> TournamentLine:
    tournament = summary.tournament
    plan = Plan.from_config(tournament.name, tournament.config)
    reported = ReportedProgress.model_validate(progress or {})
    result = ReportedResult.model_validate(summary.job_result or {})
    state = state_of(summary.job_state, finished=summary.job_state == "done" and result.games == summary.games)
    return TournamentLine(
        id=tournament.id,
        name=tournament.name,
        game=plan.game,
        title=game_title(plan.game),
        format=plan.format,
        entries=len(plan.entries),
        games=max(summary.games, reported.games),
        left=reported.left,
        going=reported.going,
        state=state,
        leaders=result.leaders if state == FINISHED else [],
        created=tournament.created,
    )


@router.get("/tournaments")
async def list_tournaments(request: Request) -> list[TournamentLine]:
    """List the tournaments, the newest first."""
    return await list_all(request)


@router.post("/tournaments", status_code=201)
async def create(request: Request, wanted: NewTournament, who: Instructor) -> ChangeResponse:
    """Create a tournament, and start it."""
    plan = await run_in_threadpool(_plan, wanted, request.app.state.bots.store, who.signed_in.id)
    number = await service_of(request).create(plan, who.signed_in.id, who.owner)
    await audit(request, who, "tournament.create", tournament=number)
    return ChangeResponse(id=number)


def _plan(wanted: NewTournament, bots: BotStore, account: int) -> Plan:
    """Return the plan of a new tournament, or say what is wrong with it."""
    if wanted.game not in drawable_games():
        raise UserError("tournament.unknown_game", game=repr(wanted.game), games=list(drawable_games()))
    entries: dict[str, str] = {}
    for entry in wanted.entries:
        name = " ".join(entry.name.split())
        if not name or name in entries:
            raise UserError("tournament.listed_twice", entry=repr(name))
        entries[name] = _player(name, entry.player, wanted.game, bots, account)
    plan = Plan(
        name=" ".join(wanted.name.split()),
        game=wanted.game,
        entries=entries,
        options=wanted.options,
        format=wanted.format,
        format_options=wanted.format_options,
        clock=wanted.clock,
        pairs=wanted.pairs,
        seed=wanted.seed,
    )
    plan.check(name for name, text in entries.items() if version_of(text) is None)  # bots have passed a check already
    return plan


def _player(name: str, text: str, game: str, bots: BotStore, account: int) -> str:
    """Return the text of a built-in player, or of the version of a submitted bot that plays now."""
    number = number_of(text)
    if number is None:
        if not is_named(text):
            raise UserError("tournament.no_player", entry=name, player=repr(text))
        return text
    allowed = [*bots.open_to_all(game), *(bot for bot in bots.of(account) if bot.game == game)]
    if number not in [bot.id for bot in allowed]:
        raise UserError("tournament.bot_not_open", entry=name, game=game)
    version = bots.playing(number)
    if version is None:
        raise UserError("tournament.bot_not_ready", entry=name)
    return version_text(number, version)


@router.get("/tournaments/{number}")
async def look(request: Request, number: Number, who: Who) -> TournamentResponse:
    """Show a tournament."""
    shown = await (await require(request, number)).show(number)
    return TournamentResponse.model_validate({**shown.json(), "may": may_change(who)})


@router.get("/tournaments/{number}/events")
async def follow(
    request: Request,
    number: Number,
    who: Who,
    seen: int = 0,
    last_event_id: Annotated[str, Header(max_length=20)] = "",
) -> StreamingResponse:
    """Follow a tournament; each message shows it whole, and none is sent while nothing happens."""
    await require(request, number)
    if last_event_id.isascii() and last_event_id.isdecimal():
        seen = int(last_event_id)
    return stream(_news(request, number, seen, may=may_change(who)))


async def _news(request: Request, number: int, seen: int, *, may: bool) -> AsyncIterator[str]:
    async for shown in service_of(request).news(number, seen, lambda: bool(request.app.state.stopping)):
        if shown is None:
            yield BEAT
        else:
            yield event({**shown.json(), "may": may}, shown.version)


@router.get("/tournaments/{number}/games")
async def games(
    request: Request,
    number: Number,
    after: Annotated[int, Query(ge=0, lt=2**31)] = 0,
    most: Annotated[int, Query(ge=1, le=MOST_GAMES)] = MOST_GAMES,
) -> list[GameLine]:
    """List games in the order in which they were finished, those after a game's number."""
    service = await require(request, number)
    return [_game_line(game) for game in await service.games(number, after, most)]


def _game_line(game: GameResult) -> GameLine:
    assert game.id is not None
    assert game.finished is not None
    return GameLine(
        id=game.id,
        match=ledger_name(game.id, game.finished),
        pairing=game.pairing,
        board=game.board,
        seats=game.seats,
        first=game.first,
        second=game.second,
        winner=game.winner,
        reason=game.reason,
        fault=game.fault,
        fault_message=game.fault_message,
        margin=game.margin,
        moves=game.moves,
    )


@router.get("/tournaments/{number}/log")
async def log(request: Request, number: Number, who: Instructor) -> list[Change]:  # noqa: ARG001 - it lets them in
    """List what was done to a tournament, the newest first."""
    service = await require(request, number)
    return [
        Change(
            at=row.at if row.at.tzinfo else row.at.replace(tzinfo=UTC),
            kind=row.kind,
            reason=row.reason,
            what=_what(row.detail),
        )
        for row in reversed(await service.log(number))
    ]


def _what(detail: Mapping[str, object]) -> str:
    """Return what a change was about; nothing that a bot wrote is part of it."""
    if "entry" in detail:
        return str(detail["entry"])
    return f"{detail.get('pairing')}: {detail.get('first')} – {detail.get('second')}"


@router.post("/tournaments/{number}/stop")
async def stop(request: Request, number: Number, who: Instructor) -> ChangeResponse:
    """Stop a tournament; the games played so far are kept."""
    await (await require(request, number)).stop(number)
    await audit(request, who, "tournament.stop", tournament=number)
    return ChangeResponse(id=number)


@router.post("/tournaments/{number}/resume")
async def resume(request: Request, number: Number, who: Instructor) -> ChangeResponse:
    """Continue a tournament."""
    await (await require(request, number)).resume(number, who.owner)
    await audit(request, who, "tournament.resume", tournament=number)
    return ChangeResponse(id=number)


@router.post("/tournaments/{number}/withdraw")
async def withdraw(request: Request, number: Number, wanted: Withdrawal, who: Instructor) -> ChangeResponse:
    """Take an entry out from now on."""
    await (await require(request, number)).withdraw(number, wanted.entry, wanted.reason, who.owner)
    await audit(request, who, "tournament.withdraw", tournament=number, entry=wanted.entry, reason=wanted.reason)
    return ChangeResponse(id=number)


@router.post("/tournaments/{number}/take-back")
async def take_back(request: Request, number: Number, wanted: TakenBack, who: Instructor) -> ChangeResponse:
    """Take results back; the games are played again."""
    service = await require(request, number)
    count = await service.take_back(number, wanted.what, wanted.reason, who.owner)
    changed: dict[str, int | str] = {"what": wanted.what, "games": count, "reason": wanted.reason}
    await audit(request, who, "tournament.take-back", tournament=number, **changed)
    return ChangeResponse(id=number, games=count)


@router.get("/tournaments/{number}/files/{name}", response_class=FileResponse)
async def download(
    request: Request, number: Number, name: Word, who: Who, language: Literal["en", "zh-Hant"] = "en"
) -> FileResponse:
    """Download a table, the page, the report or everything; it is written when it is asked for."""
    if name not in FILES:
        raise HTTPException(404, Message("tournament.no_file", files=list(FILES)))
    service = await require(request, number)
    folder = await service.files(number, language, who.owner or "guests")
    shown = await service.show(number)
    plain = re.sub(r"[^\w-]+", "-", str(shown.document["name"])).strip("-") or "tournament"
    return FileResponse(folder / FILES[name], filename=f"{plain}-{name}")
