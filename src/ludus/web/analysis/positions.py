"""Positions on the analysis board: read from what people paste, shown with the moves tried, written as files.

Knows games, records and views; knows no HTTP and no engine.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any, NamedTuple

from ludus.drawing.boards import draw_board
from ludus.errors import ParseError, UserError
from ludus.game import Game, State, game, read_options, read_position
from ludus.play.moves import looks_like_moves, read_moves
from ludus.play.record import PlayedMove, Record
from ludus.view import View
from ludus.web.views import (
    FrameView,
    MarkView,
    PlyView,
    PositionView,
    board_of,
    drawable_games,
    frame_view,
    mark_view,
    ply_view,
    position_view,
)

EXPORTED_SECONDS = 300.0
"""The time left that an exported board file of a course states."""


class PieceView(View):
    """What a cell can hold: as positions write it, and as it looks."""

    cell: str
    mark: MarkView


class AnalysisBoardView(View):
    """A position, the moves that were tried from it, and where they led."""

    frame: FrameView
    options: str = ""
    """The options that the position text does not contain, as in `explosion=dies`."""
    palette: list[PieceView] = []
    course_file: bool = False
    """Whether the course of the game has its own format of board files."""
    start: PositionView
    plies: list[PlyView] = []
    position: PositionView


class CellText(NamedTuple):
    """The text of a cell, in place of a state."""

    text: str


def game_with_options(name: str, options: str) -> Game:
    """Return a game by its name and its options, such as `rows=5 cols=6`."""
    if name not in drawable_games():
        raise UserError("web.no_game_named", name=repr(name), games=list(drawable_games()))
    return game(name, **read_options(options.split()))


def options_beside(state: State) -> str:
    """Return the options that the text of a position does not contain."""
    known = game(state.game.name).parse(state.text).game.options
    return " ".join(f"{name}={value}" for name, value in state.game.options.items() if known[name] != value)


def analysis_board(start: State, moves: Sequence[str]) -> AnalysisBoardView:
    """Return a position and what some moves do; raise IllegalMove for one that is illegal."""
    plies, state = list[PlyView](), start
    for move in moves:
        after = state.play(move)
        plies.append(ply_view(state, PlayedMove(move), after))
        state = after
    game = start.game
    return AnalysisBoardView(
        frame=frame_view(start),
        options=options_beside(start),
        palette=[
            PieceView(cell=cell, mark=mark_view(board_of(game, CellText(cell)).marks[0][0]))
            for cell in game.look.palette(game)
        ],
        course_file=game.course.read_file is not None,
        start=position_view(start),
        plies=plies,
        position=position_view(state) if plies else position_view(start),
    )


def read_any(name: str, text: str, options: str = "", shown: str = "") -> Record | State:
    """Read what someone pastes: a record, a position, a board file of a course or a list of moves.

    A position may be of another game than the one named. Moves are played from the start of the game, or from the
    position `shown` where boards are random. An error says what the text looks like.
    """
    text = text.strip().strip("\ufeff").strip()
    if not text:
        raise UserError("web.nothing_to_read")
    if text.startswith("["):
        return _read_record(text)
    errors: dict[str, ParseError] = {}
    for other in sorted(drawable_games(), key=lambda other: other != name):
        try:
            return read_position(game_with_options(other, ""), text, "").state
        except ParseError as error:
            errors[other] = error
    named = game_with_options(name, options)
    if looks_like_moves(text, named):
        try:
            return read_moves(_start(named, shown), text)
        except ParseError as error:
            raise _looks_like("moves", error, game=named.title) from None
    if (board := _board_of(text)) is not None:
        likely = next((other for other in errors if _writes(other, board)), name)
        raise _looks_like("position" if "/" in board else "board_file", errors[likely], game=game(likely).title)
    start = named.initial(0)
    rows = start.text.partition(" ")[0].split("/")
    first = start.legal_moves[0]
    second = start.play(first).legal_moves[-1]
    raise UserError("web.not_readable", game=named.title, rows="/".join(rows[:2]), first=first, second=second)


def _looks_like(kind: str, error: ParseError, **params: Any) -> UserError:
    """Return the error for a text that looks like a kind of input but cannot be read."""
    return UserError(f"web.like_{kind}", line=error.line, column=error.column, problem=error.message, **params)


PUNCTUATION = frozenset("0123456789./-")


@functools.cache
def _signs() -> frozenset[str]:
    """Return the characters that boards are written with, without digits and punctuation."""
    cells = [cell for one in map(game, drawable_games()) for cell in one.look.palette(one)]
    return frozenset("".join(cells)) - PUNCTUATION


def _board_of(text: str) -> str | None:
    """Return the part of a text that looks like a board: the first word of a position, or only rows; else None."""
    first, *_ = text.split(maxsplit=1)
    if "/" in first:
        return first if 2 * sum(sign in _signs() | PUNCTUATION for sign in first) >= len(first) else None
    return text if "\n" in text and set("".join(text.split())) <= _signs() | PUNCTUATION else None


def _read_record(text: str) -> Record:
    try:
        record = Record.parse(text)
    except ParseError as error:
        raise _looks_like("record", error) from None
    if record.game.name not in drawable_games():
        raise UserError("web.not_drawable", game=record.game.name)
    return record


def _start(game: Game, shown: str) -> State:
    """Return where a list of moves starts: the position `shown` if the game has random boards, else its start."""
    start = game.initial(0)
    return game.parse(shown) if shown and game.initial(1) != start else start


def _writes(name: str, board: str) -> bool:
    """Return whether a text may be a board of a game: as a board file, or with the characters of its positions."""
    one = game(name)
    if "/" not in board:
        return one.course.read_file is not None
    signs = {sign for cell in one.look.palette(one) for sign in cell}
    shown = _signs() & set(board)
    return not shown or bool(shown & signs)


def set_up(game: Game, rows: Sequence[Sequence[str]], side: int, scores: tuple[int, int] | None) -> State:
    """Return the state of a board that was set up cell by cell; raise UserError if it is not possible."""
    allowed = game.look.palette(game)
    for cell in (cell for row in rows for cell in row):
        if cell not in allowed:
            raise UserError("web.bad_cell", allowed=" ".join(allowed), cell=repr(cell))
    text = "/".join("".join(row) for row in rows) + f" {side + 1}"
    if scores is not None:
        text += f" {scores[0]}-{scores[1]}"
    try:
        return game.parse(text)
    except ParseError as error:
        raise UserError(error.message) from None


class Export(NamedTuple):
    """A file to download."""

    name: str
    media_type: str
    text: str


def export(kind: str, start: State, moves: Sequence[str]) -> Export:
    """Return a position, or a record of the moves that led to it, as a file."""
    state = start
    for move in moves:
        state = state.play(move)
    title = state.game.name
    if kind == "record":
        record = Record(start, moves=[PlayedMove(move) for move in moves], outcome=state.outcome)
        return Export(f"{title}.txt", "text/plain", record.text)
    if kind == "picture":
        return Export(f"{title}.svg", "image/svg+xml", draw_board(state.game, state))
    if kind == "course":
        return _course_file(state)
    return Export(f"{title}-position.txt", "text/plain", f"{state.text}\n")


def _course_file(state: State) -> Export:
    course = state.game.course
    if course.write_board is not None:
        return Export("input.txt", "text/plain", course.write_board(state, EXPORTED_SECONDS))
    if course.read_file is None:
        raise UserError("web.no_board_file", game=state.game.title)
    rows = state.text.partition(" ")[0].split("/")
    return Export("Board.txt", "text/plain", "\n".join(" ".join(row) for row in rows) + "\n")
