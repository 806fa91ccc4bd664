"""Boards as drawings: every game, every cell, whatever is marked; well-formed, and only text where text is meant."""

from __future__ import annotations

import random
import re
from typing import Any
from xml.etree import ElementTree

import pytest
from conftest import random_options
from hypothesis import given
from hypothesis import strategies as st
from python_games import SubtractionGame

import ludus
from ludus.drawing.boards import CELL, GENERIC, Marks, draw_board, look, outline
from ludus.drawing.palette import ACCENTS, DARK
from ludus.game import complete
from ludus.reports.review import cells_of

SVG = "{http://www.w3.org/2000/svg}"


def parsed(drawing: str) -> ElementTree.Element:
    return ElementTree.fromstring(drawing)  # noqa: S314 - it is our own


def some_state(name: str, seed: int) -> Any:
    chooser = random.Random(seed)
    state = ludus.game(name, **random_options(name, chooser)).initial(seed)
    for _ in range(chooser.randint(0, 30)):
        if state.outcome is None:
            state = state.play(chooser.choice(state.legal_moves))
    return state


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


def shapes(drawing: str) -> list[str]:
    """Every shape of a drawing without its place and colours: what somebody sees who sees no colour."""
    root = parsed(drawing)
    kinds = re.compile(r"\b(first|second|tone\d)(-line)?\b")
    return sorted(f"{node.tag} {node.get('r')} {kinds.sub('', node.get('class', ''))} {node.text}" for node in root)


@pytest.mark.parametrize(
    ("name", "one", "other"),
    [
        ("chain-reaction", "r1./.. 1", "b1./.. 1"),
        ("chain-reaction", "r1.../.... 1", "r2.../.... 1"),
        ("chain-reaction", "..../..r3. 1", "..../..b3. 1"),
        ("magnetic-cave", "x....../" + "/".join(["......."] * 4) + " 2", "o....../" + "/".join(["......."] * 4) + " 1"),
        *(("fruit-rage", f"{digit} 1", f"{digit + 1} 1") for digit in range(9)),
        *(("cantris", f"{digit} 1", f"{digit + 1} 1") for digit in range(1, 9)),
    ],
)
def test_what_differs_differs_without_colour(name: str, one: str, other: str) -> None:
    drawings = [draw_board(state.game, state, title="x") for state in map(ludus.game(name).parse, (one, other))]
    assert shapes(drawings[0]) != shapes(drawings[1])


def test_each_game_has_a_look_of_its_own(name: str) -> None:
    assert look(name) is not GENERIC


def test_paper_sees_plain_colours_and_screens_can_choose() -> None:
    state = ludus.game("chain-reaction").initial().play("A1")
    style = draw_board(state.game, state).partition("<style>")[2].partition("</style>")[0]
    plain, _, screens = style.partition("@supports")
    assert ACCENTS[0] in plain and "var(" not in plain
    assert "var(--ludus-first," in screens and DARK["soft"] in screens


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
    assert look("foreign") is GENERIC


def test_numbers_are_only_text() -> None:
    state = ludus.game("cantris").initial()
    drawing = draw_board(state.game, state, Marks(numbers={(0, 0): "<b>"}), title="\x00<script>")
    assert "<script>" not in drawing and "<b>" not in drawing
    parsed(drawing)
