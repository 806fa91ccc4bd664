"""The routes of tournaments: list, make, follow, change with a reason, download; and what is being played now."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Annotated, Any, Literal

from fastapi import APIRouter, Header, HTTPException, Path, Query, Request
from fastapi.responses import FileResponse
from pydantic import BaseModel, Field
from starlette.concurrency import run_in_threadpool
from starlette.responses import StreamingResponse  # noqa: TC002 - the description of the routes needs it

from ludus.formats import find as find_format
from ludus.formats import formats
from ludus.players import is_named
from ludus.reports.tournament import Played
from ludus.store.bots import number_of, version_of, version_text
from ludus.store.matches import ledger_name
from ludus.tournament import Plan
from ludus.web.accounts.visitors import Instructor, Visitor, Who  # noqa: TC001
from ludus.web.http.events import BEAT, event, stream
from ludus.web.matches.live import MatchLine  # noqa: TC001
from ludus.web.tournaments.service import FINISHED, state_of
from ludus.web.views import OptionPicture, drawable_games, game_title, option_pictures

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from ludus.store.bots import BotStore
    from ludus.store.tournaments import Line
    from ludus.web.tournaments.service import Stage

router = APIRouter(prefix="/api")

Number = Annotated[int, Path(ge=1, lt=2**31)]
Word = Annotated[str, Field(max_length=64)]
Name = Annotated[str, Field(min_length=1, max_length=80)]
Reason = Annotated[str, Field(min_length=1, max_length=500, pattern=r"\S")]
Options = Annotated[dict[Word, int | Word], Field(max_length=16)]
MOST_GAMES = 2000
"""Games of one answer; a page asks for more with the number of the last one."""
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
    """An entry: its name, and the text of a player of ours."""

    name: Name
    player: Annotated[str, Field(min_length=1, max_length=200)]


class NewTournament(BaseModel):
    """A tournament as an instructor wants it."""

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
    """An entry that leaves, and why."""

    entry: Name
    reason: Reason


class TakenBack(BaseModel):
    """Games that are to be played again: a game's number, a pairing's key or an entry; and why."""

    what: Name
    reason: Reason


class FormatPicture(BaseModel):
    """A format, and its options."""

    name: str
    options: list[OptionPicture]


class Going(BaseModel):
    """A game that is being played; `match` is the name under which it is watched, and looked at when it is over."""

    match: str
    pairing: str
    first: str
    second: str


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
    going: list[Going] = []
    """Its games under way, those aside that take only a moment."""
    state: str
    leaders: list[str]
    """Who won, when it is finished."""
    created: datetime


class TournamentPicture(BaseModel):
    """A tournament as it stands: `document` is what `ludus tournament --out` writes as results.json."""

    id: int
    version: int
    state: Literal["waiting", "running", "failed", "stopped", "finished"]
    error: str | None
    progress: dict[str, Any] | None
    document: dict[str, Any]
    may: bool
    """Whether the one who looks may change it."""


class GameLine(BaseModel):
    """A game in a list; `match` is the name under which it can be looked at."""

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


class Answer(BaseModel):
    """What came of a change."""

    id: int
    games: int | None = None


def stage_of(request: Request) -> Stage:
    """Give the tournaments."""
    stage: Stage = request.app.state.stage
    return stage


async def staged_of(request: Request, number: int) -> None:
    """Answer that there is no such tournament, unless there is."""
    if await stage_of(request).find(number) is None:
        raise HTTPException(404, "there is no such tournament here")


async def note(request: Request, who: Visitor, kind: str, **detail: Any) -> None:
    """Write into the audit log what an instructor did."""
    await run_in_threadpool(request.app.state.accounts.note, who.signed_in.id, kind, detail)


def may(who: Visitor) -> bool:
    """Tell whether someone may change tournaments."""
    return who.role in ("instructor", "admin")


@router.get("/formats")
def list_formats() -> list[FormatPicture]:
    """List the formats of tournaments."""
    return [FormatPicture(name=name, options=option_pictures(find_format(name).options)) for name in formats()]


@router.get("/now")
async def now(request: Request) -> Now:
    """List what is being played."""
    tournaments = await lines(request, "running")
    theirs = {game.match for one in tournaments for game in one.going}
    matches = [live.line() for live in request.app.state.arena.now() if live.name not in theirs]
    return Now(matches=matches, tournaments=tournaments)


async def lines(request: Request, state: str | None = None) -> list[TournamentLine]:
    """Give the tournaments in a list: all, or those whose job is in a state."""
    found = []
    for line in await stage_of(request).all(state):
        live = await request.app.state.jobs.find(line.staged.job) if line.state == "running" else None
        found.append(_line(line, live.job.progress if live else None))
    return found


def _line(line: Line, progress: Any) -> TournamentLine:
    staged = line.staged
    counted = progress if isinstance(progress, dict) else {}
    result = line.result if isinstance(line.result, dict) else {}
    state = state_of(line.state, finished=line.state == "done" and result.get("games") == line.games)
    return TournamentLine(
        id=staged.id,
        name=staged.name,
        game=staged.config["game"],
        title=game_title(staged.config["game"]),
        format=staged.config["format"],
        entries=len(staged.config["entries"]),
        games=max(line.games, counted.get("games", 0)),
        left=counted.get("left"),
        going=counted.get("going", []),
        state=state,
        leaders=result.get("leaders", []) if state == FINISHED else [],
        created=staged.created,
    )


@router.get("/tournaments")
async def list_tournaments(request: Request) -> list[TournamentLine]:
    """List the tournaments, the newest first."""
    return await lines(request)


@router.post("/tournaments", status_code=201)
async def create(request: Request, wanted: NewTournament, who: Instructor) -> Answer:
    """Make a tournament, and begin to play it."""
    plan = await run_in_threadpool(_plan, wanted, request.app.state.bots.store, who.signed_in.id)
    number = await stage_of(request).create(plan, who.signed_in.id, who.owner)
    await note(request, who, "tournament.create", tournament=number)
    return Answer(id=number)


def _plan(wanted: NewTournament, bots: BotStore, account: int) -> Plan:
    """Settle a tournament, or say what is wrong with it."""
    if wanted.game not in drawable_games():
        raise ValueError(f"there is no game {wanted.game!r}; the games are {', '.join(drawable_games())}")
    entries: dict[str, str] = {}
    for entry in wanted.entries:
        name = " ".join(entry.name.split())
        if not name or name in entries:
            raise ValueError(f"entry {name!r} is listed twice; give each a name of its own")
        entries[name] = _player(name, entry.player, wanted.game, bots, account)
    given = wanted.model_dump() | {"name": " ".join(wanted.name.split()), "entries": entries}
    Plan(**given | {"entries": {name: text for name, text in entries.items() if version_of(text) is None}})
    plan = Played(**given)  # bots have passed their check already
    plan.schedule()
    return plan


def _player(name: str, text: str, game: str, bots: BotStore, account: int) -> str:
    """Give the text of a player of ours, or of the version of a submitted bot that plays now."""
    number = number_of(text)
    if number is None:
        if not is_named(text):
            raise ValueError(f"entry {name}: there is no player {text!r} here")
        return text
    allowed = [*bots.open_to_all(game), *(bot for bot in bots.of(account) if bot.game == game)]
    if number not in [bot.id for bot in allowed]:
        raise ValueError(f"entry {name}: there is no such bot of {game} that is open to all")
    version = bots.playing(number)
    if version is None:
        raise ValueError(f"entry {name}: this bot has no version that passed its check")
    return version_text(number, version)


@router.get("/tournaments/{number}")
async def look(request: Request, number: Number, who: Who) -> TournamentPicture:
    """Show a tournament."""
    await staged_of(request, number)
    shown = await stage_of(request).show(number)
    return TournamentPicture(version=shown.version, may=may(who), **shown.picture)


@router.get("/tournaments/{number}/events")
async def follow(
    request: Request,
    number: Number,
    who: Who,
    seen: int = 0,
    last_event_id: Annotated[str, Header(max_length=20)] = "",
) -> StreamingResponse:
    """Follow a tournament; each message shows it whole, and none is sent while nothing happens."""
    await staged_of(request, number)
    if last_event_id.isascii() and last_event_id.isdecimal():
        seen = int(last_event_id)
    return stream(_news(request, number, seen, may=may(who)))


async def _news(request: Request, number: int, seen: int, *, may: bool) -> AsyncIterator[str]:
    async for shown in stage_of(request).news(number, seen, lambda: bool(request.app.state.stopping)):
        if shown is None:
            yield BEAT
        else:
            yield event({**shown.picture, "version": shown.version, "may": may}, shown.version)


@router.get("/tournaments/{number}/games")
async def games(
    request: Request,
    number: Number,
    after: Annotated[int, Query(ge=0, lt=2**31)] = 0,
    most: Annotated[int, Query(ge=1, le=MOST_GAMES)] = MOST_GAMES,
) -> list[GameLine]:
    """List games in the order in which they were finished, from behind a game's number on."""
    await staged_of(request, number)
    rows = await stage_of(request).games(number, after, most)
    return [GameLine(match=ledger_name(row["id"], row.pop("finished")), **row) for row in rows]


@router.get("/tournaments/{number}/log")
async def log(request: Request, number: Number, who: Instructor) -> list[Change]:  # noqa: ARG001 - it lets them in
    """List what was done to a tournament, the newest first."""
    await staged_of(request, number)
    return [
        Change(
            at=row.at if row.at.tzinfo else row.at.replace(tzinfo=UTC),
            kind=row.kind,
            reason=row.reason,
            what=_what(row.detail),
        )
        for row in reversed(await stage_of(request).log(number))
    ]


def _what(detail: dict[str, Any]) -> str:
    """Say what a change was about; nothing that a bot wrote is among it."""
    if "entry" in detail:
        return str(detail["entry"])
    return f"{detail.get('pairing')}: {detail.get('first')} – {detail.get('second')}"


@router.post("/tournaments/{number}/stop")
async def stop(request: Request, number: Number, who: Instructor) -> Answer:
    """Stop a tournament; what was played stays."""
    await staged_of(request, number)
    await stage_of(request).stop(number)
    await note(request, who, "tournament.stop", tournament=number)
    return Answer(id=number)


@router.post("/tournaments/{number}/resume")
async def resume(request: Request, number: Number, who: Instructor) -> Answer:
    """Go on with a tournament."""
    await staged_of(request, number)
    await stage_of(request).resume(number, who.owner)
    await note(request, who, "tournament.resume", tournament=number)
    return Answer(id=number)


@router.post("/tournaments/{number}/withdraw")
async def withdraw(request: Request, number: Number, wanted: Withdrawal, who: Instructor) -> Answer:
    """Take an entry out from now on."""
    await staged_of(request, number)
    await stage_of(request).withdraw(number, wanted.entry, wanted.reason, who.owner)
    detail = {"tournament": number, "entry": wanted.entry, "reason": wanted.reason}
    await note(request, who, "tournament.withdraw", **detail)
    return Answer(id=number)


@router.post("/tournaments/{number}/take-back")
async def take_back(request: Request, number: Number, wanted: TakenBack, who: Instructor) -> Answer:
    """Take results back; the games are played again."""
    await staged_of(request, number)
    count = await stage_of(request).take_back(number, wanted.what, wanted.reason, who.owner)
    detail = {"tournament": number, "what": wanted.what, "games": count, "reason": wanted.reason}
    await note(request, who, "tournament.take-back", **detail)
    return Answer(id=number, games=count)


@router.get("/tournaments/{number}/files/{name}", response_class=FileResponse)
async def download(
    request: Request, number: Number, name: Word, who: Who, language: Literal["en", "zh-Hant"] = "en"
) -> FileResponse:
    """Give a table, the page, the report or everything; it is put together when it is asked for."""
    if name not in FILES:
        raise HTTPException(404, f"there is no such file; there are {', '.join(FILES)}")
    await staged_of(request, number)
    folder = await stage_of(request).files(number, language, who.owner or "guests")
    shown = await stage_of(request).show(number)
    plain = re.sub(r"[^\w-]+", "-", shown.picture["document"]["name"]).strip("-") or "tournament"
    return FileResponse(folder / FILES[name], filename=f"{plain}-{name}")
