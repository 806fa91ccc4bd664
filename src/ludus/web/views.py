"""What a page has to draw: boards, moves and what they do, as typed JSON. Knows states, and nothing of who looks.

A page knows no rules: each legal move comes with its cells, each move played with its steps. Fields that have their
default are left out of the JSON.
"""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import BaseModel, Field

from ludus.errors import UserError
from ludus.game import game, games
from ludus.messages import catalogue, render
from ludus.play.narration import effects, why
from ludus.players import player, players

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ludus.drawing.look import HasText
    from ludus.drawing.text_board import Board, Mark
    from ludus.game import Choice, Game, Number, Outcome, State
    from ludus.play.record import PlayedMove

Cell = tuple[int, int]
LEVELS = tuple(f"engine:level={level}" for level in range(1, 11))
TEACHING = ("random", "greedy", "minimax:depth=2", "alphabeta:depth=4", "mcts:playouts=2000")
"""The teaching players as visitors may have them: each answers soon."""
GENERAL = frozenset({"human", "engine", *(text.partition(":")[0] for text in TEACHING)})


class Picture(BaseModel):
    """A typed piece of JSON."""

    def brief(self) -> dict[str, Any]:
        """Return it without the fields that have their default."""
        return self.model_dump(exclude_defaults=True)


class MarkPicture(Picture):
    """What a cell shows."""

    text: str
    side: int | None = None
    tone: int | None = None
    strong: bool = False
    piece: str = ""
    """The symbol of the game's pieces.svg; its text is shown where there is none."""


class BoardPicture(Picture):
    """The marks that are in use, and for each cell, row by row, the number of its mark."""

    marks: list[MarkPicture]
    cells: list[int]


class StepPicture(Picture):
    """One thing that happens during a move, and the board after it."""

    kind: str
    cells: list[Cell]
    board: BoardPicture
    points: int = 0


class MovePicture(Picture):
    """A legal move, and the cells that stand for it; one without cells wants a button."""

    move: str
    cells: list[Cell] = []
    points: int = 0
    """What it makes at once."""


class OutcomePicture(Picture):
    """How a game ended."""

    winner: int | None = None
    reason: str
    why: dict[str, Any] | None = None
    """A message: what ended it, where more can be said than the points tell."""


class PositionPicture(Picture):
    """A position."""

    text: str
    side: int
    board: BoardPicture
    legal: list[MovePicture] = []
    scores: tuple[int, int] | None = None
    outcome: OutcomePicture | None = None


class PlyPicture(Picture):
    """A move that was played, and what it did."""

    move: str
    side: int
    steps: list[StepPicture]
    effects: list[dict[str, Any]] = []
    """What it did, as messages."""
    scores: tuple[int, int] | None = None
    """After it."""
    seconds: float | None = None


class FramePicture(Picture):
    """What stays the same during a game."""

    game: str
    title: str
    sides: tuple[str, str]
    options: dict[str, int | str]
    rows: int
    cols: int
    row_labels: list[str]
    col_labels: list[str]


class OptionPicture(Picture):
    """An option of a game: a whole number of a range, or one of a few words."""

    name: str
    default: int | str | None = None
    low: int | None = None
    high: int | None = None
    choices: list[str] | None = None


class GamePicture(Picture):
    """A game that can be played."""

    name: str
    title: str
    sides: tuple[str, str]
    options: list[OptionPicture]
    players: list[str]
    clock: str
    boards: list[dict[str, int | str]]
    """The options of the boards that its course plays on."""


Position = Annotated[str, Field(max_length=2000)]


@functools.cache
def mark_picture(mark: Mark) -> MarkPicture:
    """Show what a cell shows."""
    return MarkPicture(text=mark.text, side=mark.side, tone=mark.tone, strong=mark.strong, piece=mark.piece)


def board_picture(board: Board) -> BoardPicture:
    """Show a board."""
    numbers: dict[Mark, int] = {}
    cells = [numbers.setdefault(mark, len(numbers)) for row in board.marks for mark in row]
    return BoardPicture(marks=[mark_picture(mark) for mark in numbers], cells=cells)


def picture(game: Game, shown: HasText) -> BoardPicture:
    """Show a state or a step."""
    return board_picture(board_of(game, shown))


def board_of(game: Game, shown: HasText) -> Board:
    """Return the marks of a state or a step; a game that has none cannot be drawn."""
    if game.look.board is None:
        raise UserError("rules.not_drawable", name=game.name)
    return game.look.board(shown)


def side_names(game: Game) -> tuple[str, str]:
    """Return what the players are called on the board, in English."""
    first, second = game.sides
    return str(first), str(second)


def frame_picture(start: State) -> FramePicture:
    """Show what stays the same during a game."""
    its = start.game
    board = board_of(its, start)
    return FramePicture(
        game=its.name,
        title=str(its.title),
        sides=side_names(its),
        options=dict(its.options),
        rows=len(board.row_labels),
        cols=len(board.col_labels),
        row_labels=list(board.row_labels),
        col_labels=list(board.col_labels),
    )


def steps_of(state: State, move: str) -> list[StepPicture]:
    """Show what a move does."""
    return [
        StepPicture(kind=step.kind, cells=list(step.cells), points=step.points, board=picture(state.game, step))
        for step in state.steps(move)
    ]


def legal_picture(state: State, move: str) -> MovePicture:
    """Show a legal move by the cells that its first step names."""
    steps = state.steps(move)
    points = sum(step.points for step in steps)
    return MovePicture(move=move, cells=list(steps[0].cells) if steps else [], points=points)


def outcome_picture(state: State, outcome: Outcome | None) -> OutcomePicture | None:
    """Show how a game ended."""
    if outcome is None:
        return None
    reason = why(state, outcome)
    return OutcomePicture(winner=outcome.winner, reason=outcome.reason, why=reason.json if reason else None)


def position_picture(state: State, outcome: Outcome | None = None, *, legal: bool = True) -> PositionPicture:
    """Show a position; an outcome that is not the board's own ends it as well."""
    ended = outcome or state.outcome
    moves = state.legal_moves if legal and ended is None else ()
    return PositionPicture(
        text=state.text,
        side=state.side,
        board=picture(state.game, state),
        legal=[legal_picture(state, move) for move in moves],
        scores=state.scores,
        outcome=outcome_picture(state, ended),
    )


def ply_picture(state: State, played: PlayedMove, after: State) -> PlyPicture:
    """Show a move that was played."""
    return PlyPicture(
        move=played.move,
        side=state.side,
        steps=steps_of(state, played.move),
        effects=[message.json for message in effects(state.game, state.steps(played.move))],
        scores=after.scores,
        seconds=played.seconds,
    )


@functools.cache
def opponents(name: str) -> tuple[str, ...]:
    """Return the players that a visitor may meet in a game: none that comes by a path or a command."""
    made = game(name)
    own = []
    for text in players():
        if text not in GENERAL:
            try:
                player(text, made)
            except ValueError:
                continue  # another game's
            own.append(text)
    return (*LEVELS, *own, *TEACHING)


def option_pictures(options: Mapping[str, Number | Choice]) -> list[OptionPicture]:
    """Show the options of a game or a format."""
    return [
        OptionPicture(
            name=key, default=option.default, low=option.low, high=option.high, choices=list(option.choices) or None
        )
        for key, option in options.items()
    ]


@functools.cache
def game_title(name: str) -> str:
    """Return what a game is called; one that is not installed any more is called by its name."""
    return str(game(name).title) if name in drawable_games() else name


def game_picture(name: str) -> GamePicture:
    """Show a game that can be played."""
    its = game(name)
    return GamePicture(
        name=name,
        title=str(its.title),
        sides=side_names(its),
        options=option_pictures(its.option_types),
        players=list(opponents(name)),
        clock=its.course.clock.removeprefix("cpu:"),
        boards=[dict(board) for board in its.course.boards],
    )


@functools.cache
def game_words(language: str) -> Mapping[str, str]:
    """Return what a page needs to speak of games: their catalogues, and names of sides by the English ones."""
    words, made = catalogue(language), [game(name) for name in drawable_games()]
    prefixes = ("rules.", *(f"{one.name.replace('-', '_')}." for one in made))
    sides = {str(side): words.get(f"{side.code}.long", render(side, language)) for one in made for side in one.sides}
    own = {key: text for key, text in words.items() if key.startswith(prefixes)}
    return own | {f"side.{english}": text for english, text in sides.items()}


@functools.cache
def drawable_games() -> tuple[str, ...]:
    """Return the games that can be drawn."""
    return tuple(name for name in games() if game(name).look.board is not None)
