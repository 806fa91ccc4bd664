"""Positions to study: read from whatever people bring, shown with the moves tried from them, written as files.

Knows games, records and pictures; knows no HTTP and no engine.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, NamedTuple

from ludus.drawing.boards import draw_board
from ludus.errors import ParseError, UserError
from ludus.game import game, read_options, read_position
from ludus.play.moves import looks_like_moves, read_moves
from ludus.play.record import PlayedMove, Record
from ludus.web.views import (
    FramePicture,
    MarkPicture,
    Picture,
    PlyPicture,
    PositionPicture,
    board_of,
    drawable_games,
    frame_picture,
    mark_picture,
    ply_picture,
    position_picture,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ludus.game import Game, State

UNTIMED_SECONDS = 300.0
"""What a course's board file says is left where nobody plays."""


class PiecePicture(Picture):
    """What a cell may hold: as it is written in a position, and as it looks."""

    cell: str
    mark: MarkPicture


class StudyPicture(Picture):
    """A position, the moves that were tried from it, and where they led."""

    frame: FramePicture
    options: str = ""
    """What must be said beside the position text to read it again, as in `explosion=dies`."""
    palette: list[PiecePicture] = []  # noqa: RUF012 - pydantic gives each its own
    course_file: bool = False
    """Whether the course has a form of its own for this board."""
    start: PositionPicture
    plies: list[PlyPicture] = []  # noqa: RUF012
    position: PositionPicture


class Shown(NamedTuple):
    """A board field without a state."""

    text: str


def made_game(name: str, options: str) -> Game:
    """Return the game that a visitor names; `options` are words such as `rows=5 cols=6`."""
    if name not in drawable_games():
        raise UserError("web.no_game_named", name=repr(name), games=list(drawable_games()))
    return game(name, **read_options(options.split()))


def options_beside(state: State) -> str:
    """Return the options that the position text does not tell."""
    told = game(state.game.name).parse(state.text).game.options
    return " ".join(f"{name}={value}" for name, value in state.game.options.items() if told[name] != value)


def study(start: State, moves: Sequence[str]) -> StudyPicture:
    """Show a position and what some moves do; an illegal one is refused."""
    plies, state = list[PlyPicture](), start
    for move in moves:
        after = state.play(move)
        plies.append(ply_picture(state, PlayedMove(move), after))
        state = after
    its = start.game
    return StudyPicture(
        frame=frame_picture(start),
        options=options_beside(start),
        palette=[
            PiecePicture(cell=cell, mark=mark_picture(board_of(its, Shown(cell)).marks[0][0]))
            for cell in its.look.palette(its)
        ],
        course_file=its.course.read_file is not None,
        start=position_picture(start),
        plies=plies,
        position=position_picture(state) if plies else position_picture(start),
    )


def read_any(name: str, text: str, options: str = "", shown: str = "") -> Record | State:
    """Read what someone brings: a record, a position, a course's board file or a list of moves.

    A position may be of another game than the one named. Moves are played from the game's start; where boards are
    random, from the position `shown`. What cannot be read is refused with what it was taken for.
    """
    text = text.strip("\ufeff \t\r\n")
    if not text:
        raise UserError("web.nothing_to_read")
    if text.startswith("["):
        return _read_record(text)
    refusals: dict[str, ParseError] = {}
    for other in sorted(drawable_games(), key=lambda other: other != name):
        try:
            return read_position(made_game(other, ""), text, "").state
        except ParseError as error:
            refusals[other] = error
    made = made_game(name, options)
    title = made.title
    if looks_like_moves(text, made):
        try:
            return read_moves(_start(made, shown), text)
        except ParseError as error:
            raise UserError(
                "web.like_moves", game=title, line=error.line, column=error.column, problem=error.message
            ) from None
    if (board := _board_of(text)) is not None:
        its = next((other for other in refusals if _writes(other, board)), name)
        wrong = refusals[its]
        code = "web.like_position" if "/" in board else "web.like_board_file"
        raise UserError(code, game=game(its).title, line=wrong.line, column=wrong.column, problem=wrong.message)
    start = made.initial(0)
    rows = start.text.partition(" ")[0].split("/")
    first = start.legal_moves[0]
    raise UserError(
        "web.not_readable", game=title, rows="/".join(rows[:2]), first=first, second=start.play(first).legal_moves[-1]
    )


PUNCTUATION = frozenset("0123456789./-")


@functools.cache
def _signs() -> frozenset[str]:
    """Return the characters that boards are written with, other than digits and what stands between cells."""
    cells = [cell for made in map(game, drawable_games()) for cell in made.look.palette(made)]
    return frozenset("".join(cells)) - PUNCTUATION


def _board_of(text: str) -> str | None:
    """Return the part of a text that looks like a board: the first word of a position, or rows alone; else None."""
    first, *_ = text.split(maxsplit=1)
    if "/" in first:
        return first if 2 * sum(sign in _signs() | PUNCTUATION for sign in first) >= len(first) else None
    return text if "\n" in text and set("".join(text.split())) <= _signs() | PUNCTUATION else None


def _read_record(text: str) -> Record:
    try:
        record = Record.parse(text)
    except ParseError as error:
        raise UserError("web.like_record", line=error.line, column=error.column, problem=error.message) from None
    if record.game.name not in drawable_games():
        raise UserError("web.not_drawable", game=record.game.name)
    return record


def _start(made: Game, shown: str) -> State:
    """Return where a list of moves begins: the game's only start, or where boards are random the one that is shown."""
    start = made.initial(0)
    return made.parse(shown) if shown and made.initial(1) != start else start


def _writes(name: str, board: str) -> bool:
    """Return whether a game writes its boards like this: in a file of its own, or with the letters of a position."""
    its = game(name)
    if "/" not in board:
        return its.course.read_file is not None
    signs = {sign for cell in its.look.palette(its) for sign in cell}
    shown = _signs() & set(board)
    return not shown or bool(shown & signs)


def set_up(made: Game, rows: Sequence[Sequence[str]], side: int, scores: tuple[int, int] | None) -> State:
    """Read a board that was set up by hand, cell by cell; what is wrong with it is said in one sentence."""
    allowed = made.look.palette(made)
    for cell in (cell for row in rows for cell in row):
        if cell not in allowed:
            raise UserError("web.bad_cell", allowed=" ".join(allowed), cell=repr(cell))
    text = "/".join("".join(row) for row in rows) + f" {side + 1}"
    if scores is not None:
        text += f" {scores[0]}-{scores[1]}"
    try:
        return made.parse(text)
    except ParseError as error:
        raise UserError(error.message) from None


class Export(NamedTuple):
    """A file to take away."""

    name: str
    media_type: str
    text: str


def export(kind: str, start: State, moves: Sequence[str]) -> Export:
    """Write a position, or a record of the moves that led to it, as a file."""
    state = start
    for move in moves:
        state = state.play(move)
    title = state.game.name
    if kind == "record":
        return Export(
            f"{title}.txt",
            "text/plain",
            Record(start, moves=[PlayedMove(m) for m in moves], outcome=state.outcome).text,
        )
    if kind == "picture":
        return Export(f"{title}.svg", "image/svg+xml", draw_board(state.game, state))
    if kind == "course":
        return Export(*_course_file(state))
    return Export(f"{title}-position.txt", "text/plain", f"{state.text}\n")


def _course_file(state: State) -> tuple[str, str, str]:
    its = state.game
    if its.course.write_board is not None:
        return "input.txt", "text/plain", its.course.write_board(state, UNTIMED_SECONDS)
    if its.course.read_file is None:
        raise UserError("web.no_board_file", game=its.title)
    rows = state.text.partition(" ")[0].split("/")
    return "Board.txt", "text/plain", "\n".join(" ".join(row) for row in rows) + "\n"
