"""Chain Reaction: orbs that explode. The rules are in rules.hpp; here is what Python needs to know of the game."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterator, Mapping

from ludus.drawing.look import HasText, Look
from ludus.drawing.text_board import EMPTY, Mark, TextBoard
from ludus.game import Choice, CourseSupport, Game, Number, Rules, State, rows_and_cols
from ludus.messages import Message


def cells(board: str) -> list[list[str]]:
    """Split a board field into its cells; a character that is no cell is a cell of its own."""
    return [re.findall(r"[rb]\d|.", row, re.DOTALL) for row in board.split("/")]


def shape(board: str) -> Mapping[str, int]:
    """Return the size that a board field has."""
    return rows_and_cols(cells(board))


ORBS = {"r": "●", "b": "○"}


@functools.lru_cache(1024)
def mark(cell: str, capacity: int) -> Mark:
    """Show a cell: its owner's letter and its orbs. One short of exploding it trembles: (●●)."""
    if cell == ".":
        return EMPTY
    if cell == "#":
        return Mark("#", picture="▒▒▒", piece="dead")
    owner, orbs = cell[0], int(cell[1])
    picture = ORBS[owner] * orbs if orbs <= 4 else f"{orbs}{ORBS[owner]}"
    critical = orbs == capacity - 1
    return Mark(
        owner.upper() + cell[1],
        side=0 if owner == "r" else 1,
        picture=f"({picture})" if critical else picture,
        strong=critical,
        piece=f"{cell}-critical" if critical else cell,
    )


def board(shown: HasText) -> TextBoard:
    """Show a state or a step."""
    rows = cells(shown.text.partition(" ")[0])
    last_row, last_col = len(rows) - 1, len(rows[0]) - 1

    def capacity(row: int, col: int) -> int:
        return (row > 0) + (row < last_row) + (col > 0) + (col < last_col)

    return TextBoard(
        marks=tuple(
            tuple(mark(cell, capacity(row, col)) for col, cell in enumerate(line)) for row, line in enumerate(rows)
        ),
        row_labels=tuple(str(row) for row in range(1, len(rows) + 1)),
        col_labels=tuple(chr(ord("A") + col) for col in range(len(rows[0]))),
        text_width=len("R1"),
        picture_width=len("(●●●)"),
    )


def why(state: State) -> Message:
    """Return what ended a game."""
    if state.outcome is None or state.outcome.winner is None:
        return Message("chain_reaction.too_long")
    loser = 1 - state.outcome.winner
    has_orbs = "rb"[loser] in state.text.partition(" ")[0]
    return Message(f"chain_reaction.{'no_move' if has_orbs else 'no_orb'}", loser=state.game.sides[loser])


def remarks(state: State, move: str) -> Iterator[Message]:
    """Yield what a move does: the chain that it starts, and what it takes."""
    names = {"move": move, "opponent": state.game.sides[1 - state.side]}
    explosions = sum(len(step.cells) for step in state.steps(move) if step.kind == "explode")
    taken = cells_of(state, 1 - state.side) - cells_of(state.play(move), 1 - state.side)
    if explosions and taken > 0:
        chain = Message("chain_reaction.did.explode", n=explosions)
        yield Message("chain_reaction.why.chain", n=taken, explosions=chain, **names)
    quiet = [other for other in state.legal_moves if not can_take(state.play(other))]
    if quiet == [move]:
        yield Message("chain_reaction.why.only_quiet", **names)


def cells_of(state: State, side: int) -> int:
    """Return how many cells a side owns."""
    return state.text.partition(" ")[0].count("rb"[side])


def can_take(state: State) -> bool:
    """Return whether the side to move can take a cell at once."""
    other = 1 - state.side
    return any(cells_of(state.play(move), other) < cells_of(state, other) for move in state.legal_moves)


def read_move(_state: State, text: str) -> str:
    """Read the course's 0-based `row col`."""
    match = re.fullmatch(r"\s*(\d)[\s,]+(\d)\s*", text, re.ASCII)
    if match is None:
        return text
    row, col = int(match[1]), int(match[2])
    return f"{chr(ord('A') + col)}{row + 1}"


def palette(game: Game) -> tuple[str, ...]:
    """Return what a cell may hold at rest."""
    return (".", "r1", "r2", "r3", "b1", "b2", "b3", *("#" if game.options["explosion"] == "dies" else ""))


RULES = Rules(
    options={
        "rows": Number(2, 10, 5, "rows of the board"),
        "cols": Number(2, 10, 6, "columns of the board"),
        "explosion": Choice(("empties", "keeps-surplus", "dies"), "empties", "what becomes of a cell that explodes"),
    },
    shape=shape,
    read_move=read_move,
    why=why,
    remarks=remarks,
)
LOOK = Look(board=board, palette=palette)
COURSE = CourseSupport(
    protocol="class",
    opponents=("randomMove", "noLook", "heithoff", "rlawrenc"),
    ladder=("noLook", "106062130", "rlawrenc", "heithoff"),
)
