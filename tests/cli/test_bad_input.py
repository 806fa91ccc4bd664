"""Any text at all, given to any reader, gives a value or one clear sentence with its place: never anything else."""

from __future__ import annotations

import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import ludus
from ludus.errors import UserError
from ludus.players import player

LETTERS = ".#rbxo*/0123456789- ,\n\r\tABZ\x00é\ufeff\ud800"
WORDS = ["1", "2", "3", "0", "*", "01", "21", "**", "1.5", "nan", "1e-400", " ", "\r", "1\x0b2\x1c3\x852\u2028"]
texts = st.text() | st.text(alphabet=LETTERS) | st.lists(st.sampled_from(WORDS)).map("\n".join)


def damaged(data: Any, text: str) -> str:
    """The text after a few random cuts and insertions."""
    for _ in range(data.draw(st.integers(1, 3))):
        at = data.draw(st.integers(0, len(text)))
        text = text[:at] + data.draw(st.text(alphabet=LETTERS, max_size=2)) + text[at + data.draw(st.integers(0, 3)) :]
    return text


def check_position(name: str, text: str) -> None:
    try:
        state: Any = ludus.game(name).parse(text)
    except ludus.ParseError as error:
        assert error.line == 1
        assert 1 <= error.column <= len(text) + 1
        assert "\n" not in str(error)
    else:
        assert state.game.parse(state.text) == state
        assert str(state)
        for move in state.legal_moves[:3]:
            assert state.play(move).text


@given(text=texts)
def test_positions(name: str, text: str) -> None:
    check_position(name, text)


@given(data=st.data())
def test_damaged_positions(name: str, data: Any) -> None:
    start = ludus.game(name).initial(data.draw(st.integers(0, 99)))
    check_position(name, damaged(data, start.text))


@given(text=texts)
def test_moves(name: str, text: str) -> None:
    state: Any = ludus.game(name).initial()
    try:
        move = state.game.read_move(state, text)
        after = state.play(move)
    except ludus.IllegalMove as error:
        assert "\n" not in str(error)
        assert str(error).isprintable()
    else:
        assert after != state
        assert state.move_name(move) in state.legal_moves


@given(text=texts)
def test_course_files(name: str, text: str) -> None:
    game = ludus.game(name)
    if game.course.read_file is None:
        pytest.skip("this course has no board file")
    try:
        board = game.course.read_file(game, text, "board.txt")
    except ludus.ParseError as error:
        assert str(error).startswith("board.txt, line ")
        lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        assert 1 <= error.line <= len(lines) + 1, "at most where the next line would stand"
        assert 1 <= error.column <= len([*lines, ""][error.line - 1]) + 1
    else:
        assert board.state.side == 0
        assert board.seconds is None or 0 < board.seconds < math.inf


@given(text=texts)
def test_option_values(name: str, text: str) -> None:
    for option in ludus.game(name).option_types:
        try:
            ludus.game(name, **{option: text})
        except ValueError as error:
            assert option in str(error)


@given(text=texts)
def test_players(text: str) -> None:
    try:
        player(text)
    except UserError as error:  # any other is a fault of ours
        assert str(error)
