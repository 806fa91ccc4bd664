"""The routes of tournaments: list, create, follow, change with a reason, download; and what is being played now."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Mapping
from datetime import datetime
from typing import Annotated, Literal

from fastapi import Body, Depends, HTTPException, Path, Query
from fastapi.responses import FileResponse
from pydantic import BaseModel, Field, JsonValue
from starlette.concurrency import run_in_threadpool

from ludus.errors import UserError
from ludus.formats import find as find_format
from ludus.formats import formats
from ludus.messages import Message
from ludus.messages.fields import MessageField
from ludus.play.result import GameResult
from ludus.players import is_named
from ludus.store.bots import BotStore, number_of, version_of, version_text
from ludus.store.matches import ledger_name
from ludus.store.played import OPEN, GameFilter
from ludus.store.tournaments import TournamentSummary
from ludus.tournament import Plan
from ludus.view import View
from ludus.web.accounts.visitors import Instructor, Who
from ludus.web.bots.views import LadderView
from ludus.web.http.events import BEAT, EventStream, LastSeen, stream, written
from ludus.web.http.routing import Router
from ludus.web.matches.live import MatchSummaryView
from ludus.web.matches.routes import list_matches
from ludus.web.people.routes import list_games
from ludus.web.people.views import PlayedView
from ludus.web.services import Services, ServicesDep
from ludus.web.tournaments.service import FINISHED, TournamentState, state_of
from ludus.web.views import OptionView, drawable_games, game_title, option_views

router = Router()

Word = Annotated[str, Field(max_length=64)]
Name = Annotated[str, Field(min_length=1, max_length=80)]
EntryName = Annotated[str, Body(min_length=1, max_length=80)]
Reason = Annotated[str, Body(min_length=1, max_length=500, pattern=r"\S")]
Options = Annotated[dict[Word, int | Word], Field(max_length=16)]
MOST_GAMES = 2000
"""Games per response; a page asks for the next ones with the number of the last one."""
MOST_CONTINUED = 3
"""Unfinished games of a visitor on the home page."""
FILES = {
    "standings.csv": "tournament/standings.csv",
    "games.csv": "tournament/games.csv",
    "results.json": "tournament/results.json",
    "page.html": "tournament/index.html",
    "report.pdf": "report.pdf",
    "everything.zip": "everything.zip",
}
"""The files to download, and their paths in the folder of a tournament."""


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


class FormatView(BaseModel):
    """A format, and its options."""

    name: str
    options: list[OptionView]


class LiveGame(BaseModel):
    """A game that is being played; `match` is its name as a match, during the game and after it."""

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


class TournamentSummaryView(BaseModel):
    """A tournament in a list."""

    id: int
    name: str
    game: str
    title: str
    format: str
    entries: int
    games: int
    left: int | None = None
    """Games that are left to play now, while it is being played."""
    going: list[LiveGame] = []
    """Its games that are being played, without very short ones."""
    state: str
    leaders: list[str]
    """The winners, when it is finished."""
    created: datetime


class TournamentResponse(TournamentState):
    """A tournament as one visitor sees it."""

    may: bool
    """Whether the visitor may change it."""


class TournamentGameView(View):
    """A game in a list: some attributes of a GameResult, and its name as a match."""

    id: int
    match: str = ""
    pairing: str
    board: int
    seats: int
    first: str
    second: str
    winner: int | None
    reason: str
    fault: str
    fault_message: MessageField | None
    margin: int
    moves: int


class ChangeView(BaseModel):
    """A change of a tournament, and why."""

    at: datetime
    kind: str
    reason: str
    what: str


class NowView(BaseModel):
    """What is being played, for the home page: matches, and tournaments with their games."""

    mine: list[PlayedView]
    """The visitor's own games that are not over, the latest first."""
    matches: list[MatchSummaryView]
    """Those of others."""
    tournaments: list[TournamentSummaryView]
    ladders: list[LadderView]
    """The best bots of each ladder that has any."""


class ChangeResponse(BaseModel):
    """The result of a change."""

    id: int
    games: int | None = None


async def existing(services: ServicesDep, number: Annotated[int, Path(ge=1, lt=2**31)]) -> int:
    """Return the number of a tournament; respond 404 if there is none."""
    if await services.tournaments.find(number) is None:
        raise HTTPException(404, Message("tournament.not_found"))
    return number


NumberDep = Annotated[int, Depends(existing)]


@router.get("/formats")
def list_formats() -> list[FormatView]:
    """List the formats of tournaments."""
    return [FormatView(name=name, options=option_views(find_format(name).options)) for name in formats()]


@router.get("/now")
async def now(services: ServicesDep, who: Who) -> NowView:
    """List what is being played, and what the visitor can continue."""
    tournaments = await run_in_threadpool(_summaries, services, "running")
    mine = (await run_in_threadpool(list_games, services, who.owner, who, GameFilter(result=OPEN), 0)).games[
        :MOST_CONTINUED
    ]
    shown = {game.match for one in tournaments for game in one.going} | {one.id for one in mine}
    matches = [one for one in await list_matches(services, who) if one.id not in shown]
    ladders = await run_in_threadpool(services.bots.tops, drawable_games())
    return NowView(mine=mine, matches=matches, tournaments=tournaments, ladders=ladders)


@router.get("/tournaments")
def list_tournaments(services: ServicesDep) -> list[TournamentSummaryView]:
    """List the tournaments, the newest first."""
    return _summaries(services)


def _summaries(services: Services, job_state: str | None = None) -> list[TournamentSummaryView]:
    """Return all tournaments, or those whose job is in a state."""
    found = services.tournaments.store.all(job_state)
    live = [services.job(one.tournament.job) if one.job_state == "running" else None for one in found]
    return [_summary(one, job.job.progress if job else None) for one, job in zip(found, live, strict=True)]


def _summary(summary: TournamentSummary, progress: JsonValue) -> TournamentSummaryView:
    tournament = summary.tournament
    plan = Plan.from_config(tournament.name, tournament.config)
    reported = ReportedProgress.model_validate(progress or {})
    result = ReportedResult.model_validate(summary.job_result or {})
    state = state_of(summary.job_state, finished=summary.job_state == "done" and result.games == summary.games)
    return TournamentSummaryView(
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


@router.post("/tournaments", status_code=201)
async def create(services: ServicesDep, wanted: NewTournament, who: Instructor) -> ChangeResponse:
    """Create a tournament, and start it."""
    plan = await run_in_threadpool(_plan, wanted, services.bots.store, who.signed_in.id)
    number = await services.tournaments.create(plan, who.signed_in.id, who.owner)
    await run_in_threadpool(services.note, who, "tournament.create", tournament=number)
    return ChangeResponse(id=number)


def _plan(wanted: NewTournament, bots: BotStore, account: int) -> Plan:
    """Return the plan of a new tournament; raise UserError where it is wrong."""
    if wanted.game not in drawable_games():
        raise UserError("tournament.unknown_game", game=repr(wanted.game), games=list(drawable_games()))
    entries: dict[str, str] = {}
    for entry in wanted.entries:
        name = " ".join(entry.name.split())
        if not name or name in entries:
            raise UserError("tournament.listed_twice", entry=repr(name))
        entries[name] = _player(name, entry.player, wanted.game, bots, account)
    plan = Plan(**{**dict(wanted), "name": " ".join(wanted.name.split()), "entries": entries})
    plan.check(
        name for name, text in entries.items() if version_of(text) is None
    )  # bots were checked when they were submitted
    return plan


def _player(name: str, text: str, game: str, bots: BotStore, account: int) -> str:
    """Return the text of a built-in player, or of the current version of a submitted bot."""
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
async def show(services: ServicesDep, number: NumberDep, who: Who) -> TournamentResponse:
    """Return a tournament."""
    state = await services.tournaments.show(number)
    return TournamentResponse(**dict(state), may=who.teaches)


@router.get("/tournaments/{number}/events", response_class=EventStream)
async def follow(services: ServicesDep, number: NumberDep, who: Who, seen: LastSeen) -> EventStream:
    """Follow a tournament; each message has all of it, and none is sent while nothing changes."""
    return stream(_news(services, number, seen, may=who.teaches))


async def _news(services: Services, number: int, seen: int, *, may: bool) -> AsyncIterator[str]:
    async for state in services.tournaments.news(number, seen, lambda: services.stopping):
        if state is None:
            yield BEAT
        else:
            shown = TournamentResponse.model_construct(**dict(state), may=may)
            yield written(shown.model_dump_json(), state.version)


@router.get("/tournaments/{number}/games")
def games(
    services: ServicesDep,
    number: NumberDep,
    after: Annotated[int, Query(ge=0, lt=2**31)] = 0,
    most: Annotated[int, Query(ge=1, le=MOST_GAMES)] = MOST_GAMES,
) -> list[TournamentGameView]:
    """List games in the order in which they ended, those after the number of a game."""
    return [_game_view(game) for game in services.tournaments.store.games(number, after, most)]


def _game_view(game: GameResult) -> TournamentGameView:
    assert game.id is not None
    assert game.finished is not None
    view = TournamentGameView.model_validate(game)
    view.match = ledger_name(game.id, game.finished)
    return view


@router.get("/tournaments/{number}/log")
def log(services: ServicesDep, _who: Instructor, number: NumberDep) -> list[ChangeView]:
    """List the changes of a tournament, the newest first."""
    rows = reversed(services.tournaments.store.ledger.log(number))
    return [ChangeView(at=row.at, kind=row.kind, reason=row.reason, what=_what(row.detail)) for row in rows]


def _what(detail: Mapping[str, object]) -> str:
    """Return what was changed; nothing that a bot wrote is part of it."""
    if "entry" in detail:
        return str(detail["entry"])
    return f"{detail.get('pairing')}: {detail.get('first')} – {detail.get('second')}"


@router.post("/tournaments/{number}/stop")
async def stop(services: ServicesDep, who: Instructor, number: NumberDep) -> ChangeResponse:
    """Stop a tournament; the games played so far are kept."""
    await services.tournaments.stop(number)
    await run_in_threadpool(services.note, who, "tournament.stop", tournament=number)
    return ChangeResponse(id=number)


@router.post("/tournaments/{number}/resume")
async def resume(services: ServicesDep, who: Instructor, number: NumberDep) -> ChangeResponse:
    """Continue a tournament."""
    await services.tournaments.resume(number, who.owner)
    await run_in_threadpool(services.note, who, "tournament.resume", tournament=number)
    return ChangeResponse(id=number)


@router.post("/tournaments/{number}/withdraw")
async def withdraw(
    services: ServicesDep, who: Instructor, number: NumberDep, entry: EntryName, reason: Reason
) -> ChangeResponse:
    """Withdraw an entry: it plays no more games."""
    await services.tournaments.withdraw(number, entry, reason, who.owner)
    await run_in_threadpool(services.note, who, "tournament.withdraw", tournament=number, entry=entry, reason=reason)
    return ChangeResponse(id=number)


@router.post("/tournaments/{number}/take-back")
async def take_back(
    services: ServicesDep, who: Instructor, number: NumberDep, what: EntryName, reason: Reason
) -> ChangeResponse:
    """Take back a game by its number, a pairing by its key or all games of an entry; they are played again."""
    count = await services.tournaments.take_back(number, what, reason, who.owner)
    detail = {"tournament": number, "what": what, "games": count, "reason": reason}
    await run_in_threadpool(services.note, who, "tournament.take-back", **detail)
    return ChangeResponse(id=number, games=count)


@router.get("/tournaments/{number}/files/{name}", response_class=FileResponse)
async def download(
    services: ServicesDep, number: NumberDep, name: Word, who: Who, language: Literal["en", "zh-Hant"] = "en"
) -> FileResponse:
    """Download a table, the page, the report or everything; it is written when it is asked for."""
    if name not in FILES:
        raise HTTPException(404, Message("tournament.no_file", files=list(FILES)))
    folder = await services.tournaments.files(number, language, who.owner or "guests")
    title = str((await services.tournaments.show(number)).document["name"])
    plain = re.sub(r"[^\w-]+", "-", title).strip("-") or "tournament"
    return FileResponse(folder / FILES[name], filename=f"{plain}-{name}")
