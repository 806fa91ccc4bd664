"""Boards, moves and their effects as typed JSON, for pages to draw. Knows states, but not who looks at them.

A page knows no rules: each legal move comes with its cells, each played move with its steps. Fields that have their
default value are left out of the JSON.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Mapping

from ludus.drawing.look import HasText
from ludus.drawing.text_board import Mark, TextBoard
from ludus.errors import UserError
from ludus.game import Choice, Game, Number, Outcome, State, game, games
from ludus.messages import catalogue, render
from ludus.messages.fields import MessageField
from ludus.play.narration import effects
from ludus.play.record import PlayedMove
from ludus.players import player, players
from ludus.players.levels import levels
from ludus.view import View

Cell = tuple[int, int]
LEVELS = tuple(f"engine:level={level}" for level in range(1, 11))
TEACHING = ("random", "greedy", "minimax:depth=2", "alphabeta:depth=4", "mcts:playouts=2000")
"""The teaching players that visitors can play: each answers quickly."""
GENERAL = frozenset({"human", "engine", "openspiel-mcts", *(text.partition(":")[0] for text in TEACHING)})


class MarkView(View):
    """What a cell shows."""

    text: str
    side: int | None = None
    tone: int | None = None
    strong: bool = False
    piece: str = ""
    """The symbol of the game's pieces.svg; its text is shown where there is none."""


class BoardView(View):
    """The marks that are in use, and for each cell, row by row, the number of its mark."""

    marks: list[MarkView]
    cells: list[int]


class StepView(View):
    """One thing that happens during a move, and the board after it."""

    kind: str
    cells: list[Cell]
    board: BoardView
    points: int = 0


class MoveView(View):
    """A legal move, and the cells to click for it; a move without cells needs a button."""

    move: str
    cells: list[Cell] = []
    points: int = 0
    """The points that it scores at once."""


class OutcomeView(View):
    """How a game ended."""

    winner: int | None = None
    reason: str


class PositionView(View):
    """A position."""

    text: str
    side: int
    board: BoardView
    legal: list[MoveView] = []
    scores: tuple[int, int] | None = None
    outcome: OutcomeView | None = None


class PlyView(View):
    """A move that was played, and what it did."""

    move: str
    side: int
    steps: list[StepView]
    effects: list[MessageField] = []
    """What it did."""
    scores: tuple[int, int] | None = None
    """The points after it."""
    seconds: float | None = None


class FrameView(View):
    """What stays the same during a game."""

    game: str
    title: str
    sides: tuple[str, str]
    options: dict[str, int | str]
    rows: int
    cols: int
    row_labels: list[str]
    col_labels: list[str]


class OptionView(View):
    """An option of a game: a whole number of a range, or one of a few words."""

    name: str
    default: int | str | None = None
    low: int | None = None
    high: int | None = None
    choices: list[str] | None = None


class LevelView(View):
    """A level of the engine: its Elo where it was measured, and what it sees."""

    elo: int | None = None
    sees: MessageField


class GameView(View):
    """A game that can be played."""

    name: str
    title: str
    sides: tuple[str, str]
    options: list[OptionView]
    players: list[str]
    clock: str
    boards: list[dict[str, int | str]]
    """The options of the boards that its course plays on."""
    levels: list[LevelView]
    """The levels of the engine, the weakest first."""


@functools.cache
def mark_view(mark: Mark) -> MarkView:
    """Return the view of a mark."""
    return MarkView.model_validate(mark)


def board_view(game: Game, shown: HasText) -> BoardView:
    """Return the board of a state or a step."""
    marks = [*itertools.chain.from_iterable(board_of(game, shown).marks)]
    numbers = {mark: number for number, mark in enumerate(dict.fromkeys(marks))}
    return BoardView(marks=[*map(mark_view, numbers)], cells=[*map(numbers.__getitem__, marks)])


def board_of(game: Game, shown: HasText) -> TextBoard:
    """Return the marks of a state or a step; raise UserError for a game that cannot be drawn."""
    if game.look.board is None:
        raise UserError("rules.not_drawable", name=game.name)
    return game.look.board(shown)


def side_names(game: Game) -> tuple[str, str]:
    """Return the English names of both sides."""
    first, second = game.sides
    return str(first), str(second)


def frame_view(start: State) -> FrameView:
    """Return what stays the same during a game."""
    board = board_of(start.game, start)
    return FrameView(
        game=start.game.name,
        title=str(start.game.title),
        sides=side_names(start.game),
        options=dict(start.game.options),
        rows=len(board.row_labels),
        cols=len(board.col_labels),
        row_labels=list(board.row_labels),
        col_labels=list(board.col_labels),
    )


def steps_of(state: State, move: str) -> list[StepView]:
    """Return the steps of a move, each with the board after it."""
    return [
        StepView(kind=step.kind, cells=list(step.cells), points=step.points, board=board_view(state.game, step))
        for step in state.steps(move)
    ]


def move_view(state: State, move: str) -> MoveView:
    """Return a legal move with the cells of its first step."""
    steps = state.steps(move)
    points = sum(step.points for step in steps)
    return MoveView(move=move, cells=list(steps[0].cells) if steps else [], points=points)


def position_view(state: State, outcome: Outcome | None = None, *, legal: bool = True) -> PositionView:
    """Return a position; `outcome` is how the game ended where that does not follow from the board."""
    ended = outcome or state.outcome
    moves = state.legal_moves if legal and ended is None else ()
    return PositionView(
        text=state.text,
        side=state.side,
        board=board_view(state.game, state),
        legal=[move_view(state, move) for move in moves],
        scores=state.scores,
        outcome=OutcomeView(winner=ended.winner, reason=ended.reason) if ended else None,
    )


def ply_view(state: State, played: PlayedMove, after: State) -> PlyView:
    """Return a move that was played in a state, and what it did."""
    return PlyView(
        move=played.move,
        side=state.side,
        steps=steps_of(state, played.move),
        effects=list(effects(state.game, state.steps(played.move))),
        scores=after.scores,
        seconds=played.seconds,
    )


@functools.cache
def opponents(name: str) -> tuple[str, ...]:
    """Return the players that a visitor can play in a game: none that is a path or a command."""
    own = []
    for text in players():
        if text not in GENERAL:
            try:
                player(text, game(name))
            except ValueError:
                continue  # it plays another game
            own.append(text)
    return (*LEVELS, *own, *TEACHING)


def option_views(options: Mapping[str, Number | Choice]) -> list[OptionView]:
    """Return the options of a game or a format."""
    return [
        OptionView(
            name=key, default=option.default, low=option.low, high=option.high, choices=list(option.choices) or None
        )
        for key, option in options.items()
    ]


@functools.cache
def game_title(name: str) -> str:
    """Return the title of a game, or its name where it is no longer installed."""
    return str(game(name).title) if name in drawable_games() else name


def game_view(name: str) -> GameView:
    """Return a game that can be played."""
    found = game(name)
    return GameView(
        name=name,
        title=str(found.title),
        sides=side_names(found),
        options=option_views(found.option_types),
        players=list(opponents(name)),
        clock=found.course.clock.removeprefix("cpu:"),
        boards=[dict(board) for board in found.course.boards],
        levels=[LevelView(elo=level.elo, sees=level.sees) for level in levels(name)],
    )


@functools.cache
def game_words(language: str) -> Mapping[str, str]:
    """Return the words that pages need about games: their catalogues, and the sides by their English names."""
    words, all_games = catalogue(language), [game(name) for name in drawable_games()]
    prefixes = ("rules.", *(f"{one.name.replace('-', '_')}." for one in all_games))
    sides = {
        f"side.{side}": words.get(f"{side.code}.long", render(side, language))
        for one in all_games
        for side in one.sides
    }
    return {key: text for key, text in words.items() if key.startswith(prefixes)} | sides


@functools.cache
def drawable_games() -> tuple[str, ...]:
    """Return the names of the games that can be drawn."""
    return tuple(name for name in games() if game(name).look.board is not None)
