"""Boards as drawings: every game, every cell, whatever is marked; well-formed, and only text where text is meant."""

from __future__ import annotations

import random
import re
from typing import Any
from xml.etree import ElementTree

from conftest import random_options
from hypothesis import given
from hypothesis import strategies as st
from python_games import SubtractionGame
from random_games import after_moves

import ludus
from ludus.drawing.boards import Marks, draw_board, outline, pieces_of
from ludus.drawing.canvas import CELL
from ludus.drawing.palette import DARK, LIGHT
from ludus.game import Step, complete
from ludus.reports.review import cells_of

SVG = "{http://www.w3.org/2000/svg}"


def parsed(drawing: str) -> ElementTree.Element:
    return ElementTree.fromstring(drawing)  # noqa: S314 - it is our own


def some_state(name: str, seed: int) -> Any:
    chooser = random.Random(seed)
    start = ludus.game(name, **random_options(name, chooser)).initial(seed)
    return after_moves(start, chooser.randint(0, 30), chooser)


@given(seed=st.integers(0, 10_000))
def test_every_board_is_a_well_formed_drawing(name: str, seed: int) -> None:
    state = some_state(name, seed)
    moves = state.legal_moves
    marks = Marks(cells_of(state, moves[0]), cells_of(state, moves[-1]), {(0, 0): "1"}) if moves else Marks()
    root = parsed(draw_board(state.game, state, marks))
    assert root.tag == f"{SVG}svg"
    board = state.game.look.board(state)
    labels = [node.text for node in root.iter(f"{SVG}text") if node.get("font-size") == "13"]
    assert labels == [*board.col_labels, *board.row_labels]
    wide, high = float(root.attrib["width"]), float(root.attrib["height"])
    assert wide > CELL * len(board.marks[0]) and high > CELL * len(board.marks)


COLOURS = re.compile(r' (fill|stroke)="(#[0-9a-f]+|url\([^)]*\))"')


def shape(name: str, piece: str) -> str:
    """Return a symbol without its colours: what somebody sees who sees no colour."""
    found = re.search(rf'<symbol id="{name.replace("-", "_")}-{piece}".*?</symbol>', pieces_of(name), re.DOTALL)
    assert found is not None, piece
    text = found[0].partition(">")[2]
    for used in re.findall(r'href="#([^"]+)"', text):  # an orb is drawn once, and used in many symbols
        inner = re.search(rf'id="{used}".*', pieces_of(name))
        text += inner[0].partition(" ")[2] if inner else ""
    return COLOURS.sub("", re.sub(r'href="[^"]*"', "", text))


def test_pieces_differ_without_colour(name: str) -> None:
    game = ludus.game(name)
    assert game.look.board is not None
    marks = [game.look.board(Step("", (), 0, cell)).marks[0][0] for cell in game.look.palette(game)]
    shapes = [shape(name, mark.piece) for mark in marks if mark.piece]
    assert len(shapes) == len(marks) - 1, "every cell but the empty one has a symbol"
    assert len(set(shapes)) == len(shapes)


def test_every_piece_of_a_game_has_a_symbol(name: str) -> None:
    """During a move too: more lies in a cell then than at rest."""
    for seed in range(20):
        chooser = random.Random(seed)
        state: Any = ludus.game(name).initial(seed)
        while state.outcome is None:
            move = chooser.choice(state.legal_moves)
            for shown in (state, *state.steps(move)):
                for mark in {mark for row in state.game.look.board(shown).marks for mark in row if mark.piece}:
                    assert f'"{name.replace("-", "_")}-{mark.piece}"' in pieces_of(name)
            state = state.play(move)


def test_paper_sees_plain_colours_and_screens_can_choose() -> None:
    state = ludus.game("chain-reaction").initial().play("A1")
    style = draw_board(state.game, state).partition("<style>")[2].partition("</style>")[0]
    plain, _, screens = style.partition("@supports")
    assert LIGHT["soft"] in plain and "var(" not in plain
    assert "var(--ludus-soft," in screens and DARK["soft"] in screens


def test_cells_that_touch_are_framed_together() -> None:
    assert outline([(0, 0)]).count("M") == 4
    assert outline([(0, 0), (0, 1)]).count("M") == 6
    assert outline([(0, 0), (1, 1)]).count("M") == 8


def test_the_marks_of_a_move_are_on_its_cells() -> None:
    state = ludus.game("fruit-rage").parse("001/001/111 1")
    assert cells_of(state, "A1") == {(0, 0), (0, 1), (1, 0), (1, 1)}
    assert cells_of(state, "") == frozenset()


class Foreign(SubtractionGame):
    """A game of somebody else, whose board is the text that it draws."""

    def draw(self, _state: object) -> str:
        return "a b\n<&> 象"


def test_a_game_of_others_is_its_text() -> None:
    state: Any = Foreign().initial()
    root = parsed(draw_board(complete(state).game, state, title="<x>"))
    assert [node.text for node in root.iter(f"{SVG}text")] == ["a\u00a0b", "<&>\u00a0象"]


def test_numbers_are_only_text() -> None:
    state = ludus.game("cantris").initial()
    drawing = draw_board(state.game, state, Marks(numbers={(0, 0): "<b>"}), title="\x00<script>")
    assert "<script>" not in drawing and "<b>" not in drawing
    parsed(drawing)
