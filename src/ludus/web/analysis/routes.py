"""The routes of analysis: positions, what the engine finds, reviews of games, search trees. Knows no rule."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator, Mapping
from functools import partial
from typing import Annotated, Any, Literal

from fastapi import Body, Depends, HTTPException, Path, Query, Request, Response
from fastapi.responses import JSONResponse
from pydantic import BaseModel, Field

from ludus.errors import UserError
from ludus.game import State
from ludus.messages import Message
from ludus.play.record import Record
from ludus.view import View
from ludus.web.accounts.visitors import Someone, Who, address_of
from ludus.web.analysis.positions import AnalysisBoardView, analysis_board, export, game_with_options, read_any, set_up
from ludus.web.analysis.reviews import AnswerView
from ludus.web.http.description import responds
from ludus.web.http.events import EventStream, LastSeen, any_of, event, stream
from ludus.web.http.reading import AT_ONCE, in_worker
from ludus.web.http.responses import attachment
from ludus.web.http.routing import Router
from ludus.web.http.uploads import MOST_TEXT
from ludus.web.jobs.tasks import MOST_DEPTH
from ludus.web.jobs.workers import Busy, TaskFailed
from ludus.web.matches.live import LiveMatch, NotAllowed
from ludus.web.matches.routes import MatchDep, Name, Word
from ludus.web.services import Services, ServicesDep

router = Router()
get = partial(router.get, response_model_exclude_defaults=True)
post = partial(router.post, response_model_exclude_defaults=True)

LINES = 3
SLICES = (0.3, 1.0, 2.5, 5.0)
"""Seconds of search for a position, in turns with the questions of others."""
PATIENCE_SECONDS = 30.0
CHECK_SECONDS = 1.0
"""How often a stream checks whether the server stops."""
MOST_MOVES = 1000
"""Moves of a record that is imported."""

Options = Annotated[str, Query(max_length=300)]
Text = Annotated[str, Query(max_length=2000)]
Moves = Annotated[list[Word], Query(max_length=MOST_MOVES)]
Cell = Annotated[str, Field(max_length=4)]


class NewImport(BaseModel):
    """A text to import: a record, a position, a board file of a course, or a list of moves."""

    game: Word
    options: Annotated[str, Field(max_length=300)] = ""
    start: Annotated[str, Field(max_length=2000)] = ""
    """The position on the board: where moves start in a game with random boards."""
    text: str


class BoardSetup(BaseModel):
    """A board that was set up cell by cell."""

    game: Word
    options: Annotated[str, Field(max_length=300)] = ""
    rows: Annotated[list[Annotated[list[Cell], Field(max_length=26)]], Field(max_length=26)]
    side: Annotated[int, Field(ge=0, le=1)] = 0
    scores: tuple[Annotated[int, Field(ge=0, le=10**6)], Annotated[int, Field(ge=0, le=10**6)]] | None = None


class ImportView(View):
    """What was imported: a game, which is stored as a match, or a position."""

    match: str | None = None
    study: AnalysisBoardView | None = None


async def asker_of(request: Request, who: Who) -> str:
    """Return a text for the person who asks; askers take turns."""
    return who.owner or address_of(request)


def read_state(
    game: Word, options: Options = "", position: Text = "", seed: Annotated[int, Query(ge=0, lt=2**63)] = 0
) -> State:
    """Return the state that an address describes; without a position the start of the game, on the board of a seed."""
    found = game_with_options(game, options)
    return found.parse(position) if position else found.initial(seed)


AskerDep = Annotated[str, Depends(asker_of)]
StateDep = Annotated[State, Depends(read_state)]


@get("/positions")
def show(state: StateDep, moves: Moves = []) -> AnalysisBoardView:  # noqa: B006 - FastAPI copies it
    """Return a position and what some moves from it do."""
    return analysis_board(state, moves)


@router.get("/positions/files/{kind}", response_class=Response)
def download(
    kind: Literal["text", "record", "picture", "course"],
    state: StateDep,
    moves: Moves = [],  # noqa: B006 - FastAPI copies it
) -> Response:
    """Return a position as a file."""
    name, media_type, text = export(kind, state, moves)
    return attachment(text, media_type, name)


@post("/positions")
def read_board(wanted: BoardSetup) -> AnalysisBoardView:
    """Read a board that was set up cell by cell."""
    game = game_with_options(wanted.game, wanted.options)
    return analysis_board(set_up(game, wanted.rows, wanted.side, wanted.scores), ())


@post("/imports")
async def import_text(services: ServicesDep, request: Request, wanted: NewImport, who: Someone) -> ImportView:
    """Read a record, a position, a board file or moves; a game is stored, so that it can be shared."""
    if len(wanted.text) > MOST_TEXT:
        raise HTTPException(413, Message("web.text_too_long", most=MOST_TEXT))
    arguments = (wanted.game, wanted.text, wanted.options, wanted.start)
    if len(wanted.text) <= AT_ONCE:
        found = read_any(*arguments)
    else:
        found = await in_worker(services.readers, await asker_of(request, who), read_any, *arguments)
    if not isinstance(found, Record):
        return ImportView(study=analysis_board(found, ()))
    if len(found.moves) > MOST_MOVES:
        raise UserError("web.record_too_long", most=MOST_MOVES, count=len(found.moves))
    return ImportView(match=(await services.arena.add(found, who.owner)).name)


@router.get("/positions/events", response_class=EventStream)
def analyse(services: ServicesDep, asker: AskerDep, state: StateDep) -> EventStream:
    """Search a position, and send the best lines at each depth; the last message says `done`."""
    if state.outcome is not None:
        raise UserError("web.position_over")
    return stream(_lines(services, state, asker))


async def _lines(services: Services, state: State, asker: str) -> AsyncIterator[str]:
    wanted = min(LINES, len(state.legal_moves))
    best: dict[str, Any] = {"depth": 0, "lines": []}
    try:
        for number, seconds in enumerate(SLICES, 1):
            asked = services.workers.ask(asker, "look", state, seconds, LINES, seconds=PATIENCE_SECONDS)
            async with contextlib.aclosing(asked) as answers:
                async for answer in answers:
                    is_whole = len(answer["lines"]) >= wanted  # a depth that ran out of time may lack lines
                    is_news = is_whole and answer["depth"] > best["depth"]
                    if is_news or not best["lines"]:
                        best = {"why": best.get("why") if _move(best) == _move(answer) else None} | answer
                    elif _move(best) == _move(answer):
                        best["why"] = answer.get("why") or best.get("why")
                    proven = all(line["exact"] for line in best["lines"])
                    last = answer["done"] and (number == len(SLICES) or proven or services.stopping)
                    if is_news or answer["done"]:
                        yield event({**best, "nodes": answer["nodes"], "seconds": answer["seconds"], "done": last})
            if last:
                return
    except (Busy, TaskFailed) as failure:
        yield event({"refused": str(failure), "message": failure.message.json, "done": True, "lines": []})


def _move(answer: Mapping[str, Any]) -> str:
    """Return the best move of an answer, which its explanation is about."""
    return str(answer["lines"][0]["moves"][0]) if answer["lines"] else ""


@responds(409)
async def finished_match(live: MatchDep) -> LiveMatch:
    """Return a match that is over; one that is being played must not be analysed."""
    if not live.over:
        raise NotAllowed("web.game_not_over")
    return live


FinishedMatchDep = Annotated[LiveMatch, Depends(finished_match)]


@router.get("/matches/{name}/positions")
async def positions(live: FinishedMatchDep) -> list[str]:
    """Return the position texts of a finished match: of its start, and after each move."""
    return [state.text for state in live.match.record.states()]


@router.get("/matches/{name}/review/events", response_class=EventStream)
async def review(services: ServicesDep, asker: AskerDep, live: FinishedMatchDep, seen: LastSeen) -> EventStream:
    """Judge every move of a finished game, and send each when it is judged; the last message says `done`."""
    return stream(_judgements(services, live, f"review {asker}", seen))


async def _judgements(services: Services, live: LiveMatch, asker: str, seen: int) -> AsyncIterator[str]:
    review = services.reviews.follow(live.name, live.match.record, asker)
    is_first = True
    try:
        while not services.stopping:
            news = review.news
            if len(review.judged) > seen or review.done or review.failed or is_first:
                view = review.view(min(seen, len(review.judged)))
                is_first, seen = False, len(review.judged)
                yield event(view.brief(), seen)
                if view.done or view.failed:
                    return
            await any_of([news], CHECK_SECONDS)
    finally:
        services.reviews.leave(review)


@post("/matches/{name}/review/{number}")
async def answer(
    services: ServicesDep,
    asker: AskerDep,
    name: Name,
    number: Annotated[int, Path(ge=1, le=100_000)],
    move: Annotated[str, Body(embed=True, max_length=64)],
) -> AnswerView:
    """Judge a suggested move in a game that has been reviewed."""
    found = services.reviews.find(name)
    if found is None:
        raise NotAllowed("web.not_reviewed")
    return await services.reviews.answer(found, number, move, asker)


@router.get("/searches/depths")
async def depths(services: ServicesDep, asker: AskerDep, state: StateDep) -> dict[str, int]:
    """Return how deep each textbook search may go in a position; 0 where the game is over."""
    found: dict[str, int] = await services.workers.ask_once(asker, "depths", state, seconds=PATIENCE_SECONDS)
    return found


@router.get("/searches", response_class=JSONResponse)
async def search(
    services: ServicesDep,
    asker: AskerDep,
    state: StateDep,
    method: Literal["minimax", "alphabeta", "ordering"],
    depth: Annotated[int, Query(ge=1, le=MOST_DEPTH)],
) -> Response:
    """Return the tree of a textbook search: a list for each attribute of its nodes."""
    arguments = (state, method, depth)
    found: dict[str, Any] = await services.workers.ask_once(asker, "search", *arguments, seconds=PATIENCE_SECONDS)
    if "refused" in found:
        raise UserError(Message.from_json(found["refused"]))
    return Response(found["text"], media_type="application/json")
