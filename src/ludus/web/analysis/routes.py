"""The routes of analysis: positions of any kind, what the engine thinks of them, reviews, trees. Decides nothing."""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING, Annotated, Any, Literal

from fastapi import APIRouter, Header, HTTPException, Path, Query, Request, Response
from fastapi.responses import JSONResponse, PlainTextResponse
from pydantic import BaseModel, Field
from starlette.responses import StreamingResponse  # noqa: TC002 - the description of the routes needs it

from ludus.errors import UserError
from ludus.messages import Message
from ludus.play.record import Record
from ludus.web.accounts.visitors import Someone, Visitor, Who  # noqa: TC001 - routes are read at run time
from ludus.web.analysis.positions import StudyPicture, export, made_game, read_any, set_up, study
from ludus.web.analysis.reviews import AnswerPicture, Reviews
from ludus.web.http.connections import network_of
from ludus.web.http.events import event, stream
from ludus.web.http.reading import AT_ONCE, in_worker
from ludus.web.http.uploads import MOST_TEXT
from ludus.web.jobs.tasks import MOST_DEPTH
from ludus.web.jobs.workers import Busy, TaskFailed
from ludus.web.matches.live import NotAllowed
from ludus.web.matches.routes import Name, Word, arena_of, match_of
from ludus.web.views import Picture

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from ludus.game import State
    from ludus.web.jobs.workers import AsyncWorkers
    from ludus.web.matches.live import LiveMatch

router = APIRouter(prefix="/api")

LINES = 3
SLICES = (0.3, 1.0, 2.5, 5.0)
"""Seconds that a position is thought about, in turns with what others ask."""
PATIENCE_SECONDS = 30.0
CHECK_SECONDS = 1.0
"""How often a stream looks whether the server stops."""
MOST_MOVES = 1000
"""Characters of what someone brings: a record of a thousand moves with comments has less."""

Options = Annotated[str, Query(max_length=300)]
Text = Annotated[str, Query(max_length=2000)]
Moves = Annotated[list[Word], Query(max_length=MOST_MOVES)]
Cell = Annotated[str, Field(max_length=4)]


class Brought(BaseModel):
    """What someone pastes or loads: a record, a position, a course's board file, a list of moves."""

    game: Word
    options: Annotated[str, Field(max_length=300)] = ""
    start: Annotated[str, Field(max_length=2000)] = ""
    """The board that is shown: where moves begin in a game whose boards are random."""
    text: str


class SetUp(BaseModel):
    """A board that was set up by hand."""

    game: Word
    options: Annotated[str, Field(max_length=300)] = ""
    rows: Annotated[list[Annotated[list[Cell], Field(max_length=26)]], Field(max_length=26)]
    side: Annotated[int, Field(ge=0, le=1)] = 0
    scores: tuple[Annotated[int, Field(ge=0, le=10**6)], Annotated[int, Field(ge=0, le=10**6)]] | None = None


class Found(Picture):
    """What was brought: a game that is kept here, or a position."""

    match: str | None = None
    study: StudyPicture | None = None


class NewAnswer(BaseModel):
    """A move that someone would rather have played."""

    move: Word


def asker_of(request: Request, who: Visitor) -> str:
    """Return what is known of the one who asks, so that everyone has their turn."""
    return who.owner or (network_of(request.client.host) if request.client else "?")


def read(game: str, options: str, position: str, seed: int = 0) -> State:
    """Return the state that an address speaks of; without a position the start of the game."""
    made = made_game(game, options)
    return made.parse(position) if position else made.initial(seed)


@router.get("/positions", response_model=StudyPicture)
def look_at(
    game: Word,
    options: Options = "",
    position: Text = "",
    moves: Moves = [],  # noqa: B006 - FastAPI makes its own
    seed: Annotated[int, Query(ge=0, lt=2**63)] = 0,
) -> JSONResponse:
    """Show a position and what some moves from it do; without a position the start, on the board with that number."""
    return JSONResponse(study(read(game, options, position, seed), moves).brief())


@router.get("/positions/files/{kind}", response_class=PlainTextResponse)
def take_away(
    kind: Literal["text", "record", "picture", "course"],
    game: Word,
    options: Options = "",
    position: Text = "",
    moves: Moves = [],  # noqa: B006 - FastAPI makes its own
) -> Response:
    """Return a position as a file."""
    name, media_type, text = export(kind, read(game, options, position), moves)
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(text, media_type=media_type, headers=headers)


@router.post("/positions", response_model=StudyPicture)
def put_together(wanted: SetUp) -> JSONResponse:
    """Read a board that was set up by hand, or say what is wrong with it."""
    made = made_game(wanted.game, wanted.options)
    return JSONResponse(study(set_up(made, wanted.rows, wanted.side, wanted.scores), ()).brief())


@router.post("/imports", response_model=Found)
async def bring(request: Request, wanted: Brought, who: Someone) -> dict[str, Any]:
    """Read a record, a position, a board file or moves; a game is kept, so that it can be shared."""
    if len(wanted.text) > MOST_TEXT:
        raise HTTPException(413, Message("web.text_too_long", most=MOST_TEXT))
    given = (wanted.game, wanted.text, wanted.options, wanted.start)
    if len(wanted.text) <= AT_ONCE:
        found = read_any(*given)
    else:
        found = await in_worker(request.app.state.readers, asker_of(request, who), read_any, *given)
    if not isinstance(found, Record):
        return Found(study=study(found, ())).brief()
    if len(found.moves) > MOST_MOVES:
        raise UserError("web.record_too_long", most=MOST_MOVES, count=len(found.moves))
    return Found(match=(await arena_of(request).add(found, who.owner)).name).brief()


@router.get("/positions/events", response_class=PlainTextResponse)
def think(request: Request, who: Who, game: Word, options: Options = "", position: Text = "") -> StreamingResponse:
    """Think about a position, and tell the best lines, ever deeper; the last message says `done`."""
    state = read(game, options, position)
    if state.outcome is not None:
        raise UserError("web.position_over")
    return stream(_thoughts(request, state, asker_of(request, who)))


async def _thoughts(request: Request, state: State, asker: str) -> AsyncIterator[str]:
    workers: AsyncWorkers = request.app.state.workers
    arguments = (state.game.name, tuple(state.game.options.items()), state.text)
    wanted = min(LINES, len(state.legal_moves))
    best: dict[str, Any] = {"depth": 0, "lines": []}
    try:
        for number, seconds in enumerate(SLICES, 1):
            asked = workers.ask(asker, "look", *arguments, seconds, LINES, seconds=PATIENCE_SECONDS)
            async with contextlib.aclosing(asked) as answers:
                async for answer in answers:
                    is_whole = len(answer["lines"]) >= wanted  # a depth that time ended may lack lines
                    is_news = is_whole and answer["depth"] > best["depth"]
                    best = answer if is_news or not best["lines"] else best
                    proven = all(line["exact"] for line in best["lines"])
                    last = answer["done"] and (number == len(SLICES) or proven or request.app.state.stopping)
                    if is_news or last:
                        yield event({**best, "nodes": answer["nodes"], "seconds": answer["seconds"], "done": last})
            if last:
                return
    except (Busy, TaskFailed) as failure:
        yield event({"refused": str(failure), "message": failure.message.json, "done": True, "lines": []})


def reviews_of(request: Request) -> Reviews:
    """Return the reviews."""
    reviews: Reviews = request.app.state.reviews
    return reviews


async def ended(request: Request, name: str) -> LiveMatch:
    """Return a match that is over; one that goes on is for its players alone."""
    live = await match_of(request, name)
    if not live.over:
        raise NotAllowed("web.game_not_over")
    return live


@router.get("/matches/{name}/positions")
async def positions(request: Request, name: Name) -> list[str]:
    """Return the position text of the start of a match that is over, and of the state after each move."""
    return [state.text for state in (await ended(request, name)).match.record.states()]


@router.get("/matches/{name}/review/events", response_class=PlainTextResponse)
async def review(
    request: Request, who: Who, name: Name, last_event_id: Annotated[str, Header(max_length=20)] = ""
) -> StreamingResponse:
    """Judge every move of a game that is over, and tell each as it is judged; the last message says `done`."""
    live = await ended(request, name)
    seen = int(last_event_id) if last_event_id.isascii() and last_event_id.isdecimal() else 0
    return stream(_judgements(request, live, f"review {asker_of(request, who)}", seen))


async def _judgements(request: Request, live: LiveMatch, asker: str, seen: int) -> AsyncIterator[str]:
    review = reviews_of(request).follow(live.name, live.match.record, asker)
    told = False
    try:
        while not request.app.state.stopping:
            news = review.news
            if len(review.judged) > seen or review.done or review.failed or not told:
                picture = review.picture(min(seen, len(review.judged)))
                told, seen = True, len(review.judged)
                yield event(picture.brief(), seen)
                if picture.done or picture.failed:
                    return
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(CHECK_SECONDS):
                    await news.wait()
    finally:
        reviews_of(request).leave(review)


@router.post("/matches/{name}/review/{number}", response_model=AnswerPicture)
async def answer(
    request: Request,
    name: Name,
    number: Annotated[int, Path(ge=1, le=100_000)],
    wanted: NewAnswer,
    who: Who,
) -> JSONResponse:
    """Judge a move that someone would rather have played in a game that has been reviewed."""
    found = reviews_of(request).find(name)
    if found is None:
        raise NotAllowed("web.not_reviewed")
    judged = await reviews_of(request).answer(found, number, wanted.move, asker_of(request, who))
    return JSONResponse(judged.brief())


@router.get("/searches/depths")
async def depths(request: Request, who: Who, game: Word, options: Options = "", position: Text = "") -> dict[str, int]:
    """Return how deep each search of the textbook may go in a position; 0 where the game is over."""
    state = read(game, options, position)
    arguments = (state.game.name, tuple(state.game.options.items()), state.text)
    told: dict[str, int] = await _answer(request, who, "depths", *arguments)
    return told


async def _answer(request: Request, who: Visitor, task: str, *arguments: Any) -> Any:
    """Return the last thing that a worker tells."""
    workers: AsyncWorkers = request.app.state.workers
    asked = workers.ask(asker_of(request, who), task, *arguments, seconds=PATIENCE_SECONDS)
    async with contextlib.aclosing(asked) as answers:
        return [answer async for answer in answers][-1]


@router.get("/searches", response_class=JSONResponse)
async def search(
    request: Request,
    who: Who,
    game: Word,
    method: Literal["minimax", "alphabeta", "ordering"],
    depth: Annotated[int, Query(ge=1, le=MOST_DEPTH)],
    options: Options = "",
    position: Text = "",
) -> Response:
    """Return the tree of a search of the textbook, a list for each thing that is known of its nodes."""
    state = read(game, options, position)
    arguments = (state.game.name, tuple(state.game.options.items()), state.text, method, depth)
    told: dict[str, Any] = await _answer(request, who, "search", *arguments)
    if "refused" in told:
        raise UserError(Message.from_json(told["refused"]))
    return Response(told["text"], media_type="application/json")
