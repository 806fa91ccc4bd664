"""What the rules page says of The Fruit Rage, sentence by sentence, and the course's files."""

from __future__ import annotations

import pickle
import random
import re
from typing import Any

import pytest
from conftest import reference
from hypothesis import given
from hypothesis import strategies as st

import ludus
from ludus.game import CourseBoard

COURSE = ludus.game("fruit-rage").course


def parse(text: str, **options: int) -> Any:
    return ludus.game("fruit-rage", **options).parse(text)


def read_file(text: str, **options: int) -> CourseBoard:
    assert COURSE.read_file is not None
    return COURSE.read_file(ludus.game("fruit-rage", **options), text, "input.txt")


def write_file(state: Any, move: str) -> str:
    assert COURSE.write_file is not None
    return COURSE.write_file(state, move)


def lines(*rows: str) -> str:
    return "\n".join(rows) + "\n"


@st.composite
def boards(draw: st.DrawFn) -> str:
    """Position texts of any size and number of types, with columns of any height."""
    size = draw(st.integers(1, 26))
    types = draw(st.integers(1, 10))
    chooser = draw(st.randoms(use_true_random=False))
    columns = []
    for _ in range(size):
        height = chooser.randint(0, size)
        columns.append(["*"] * (size - height) + [str(chooser.randrange(types)) for _ in range(height)])
    board = "/".join("".join(column[row] for column in columns) for row in range(size))
    return f"{board} {draw(st.integers(1, 2))} {draw(st.integers(0, 500_000))}-{draw(st.integers(0, 500_000))}"


# The board


def test_the_board_is_square_from_1_to_26() -> None:
    for size in (1, 2, 16, 17, 26):
        state: Any = ludus.game("fruit-rage", size=size).initial(seed=1)
        rows = state.text.split(" ")[0].split("/")
        assert len(rows) == size
        assert {len(row) for row in rows} == {size}
    with pytest.raises(ludus.ParseError, match="2 rows of 3 cells, but must be square"):
        parse("012/012")
    with pytest.raises(ludus.ParseError, match="option size must be a whole number from 1 to 26, not 27"):
        parse("/".join(["0" * 27] * 27))


def test_a_random_board_is_full_and_has_every_type_about_equally_often() -> None:
    for types in range(1, 11):
        state: Any = ludus.game("fruit-rage", size=26, types=types).initial(seed=7)
        board = state.text.split(" ")[0].replace("/", "")
        assert set(board) == set("0123456789"[:types])
        for digit in set(board):
            assert 0.6 < board.count(digit) * types / len(board) < 1.4


def test_random_boards_are_the_same_on_every_machine() -> None:
    assert ludus.game("fruit-rage", size=3).initial(seed=1).text == "223/113/321 1 0-0"
    assert ludus.game("fruit-rage").initial(1) != ludus.game("fruit-rage").initial(2)


def test_a_fruit_above_an_empty_cell_is_an_error() -> None:
    with pytest.raises(ludus.ParseError, match="column 5: the fruit at B1 floats above the empty cell B2"):
        parse("01/0*")
    with pytest.raises(ludus.ParseError) as error:
        read_file(lines("2", "2", "1", "01", "0*"))
    assert str(error.value) == "input.txt, line 5, column 2: the fruit at B1 floats above the empty cell B2"


def test_types_that_were_asked_for_bound_the_digits_and_others_do_not() -> None:
    state = parse("*7/89")
    assert state.game.options == {"size": 2, "types": 10}
    assert state.game.parse(state.text) == state
    assert pickle.loads(pickle.dumps(state)) == state
    assert eval(repr(state), {"ludus": ludus}) == state
    assert parse("*3/12").game.options == {"size": 2, "types": 4}
    assert parse("*7/12", types=8) == parse("*7/12")
    with pytest.raises(ludus.ParseError, match="column 2: expected a cell: '\\*' or a fruit from 0 to 6, found '7'"):
        parse("*7/12", types=7)


def test_the_board_is_drawn_with_letters_above_and_numbers_from_the_top() -> None:
    state = parse("*10/000/212")
    assert str(state) == "  A B C\n1 · 1 0\n2 0 0 0\n3 2 1 2"
    assert [mark.tone for mark in state.game.look.board(state).marks[0]] == [None, 1, 0]


# A turn


def test_a_turn_claims_the_whole_group_through_horizontal_and_vertical_steps() -> None:
    """The 0 at D2 touches the group of seven by corners only."""
    state = parse("0001/0110/0001/1110")
    assert state.legal_moves == ("A1", "D1", "B2", "D2", "D3", "A4", "D4")
    claim = state.steps("C3")[0]
    assert claim.cells == ((0, 0), (0, 1), (0, 2), (1, 0), (2, 0), (2, 1), (2, 2))
    assert claim.points == 49


def test_the_reward_is_the_square_of_the_group_size() -> None:
    """The course's own figures: 14 fruits are 196 points, 12 are 144."""
    state = parse("0000/0000/0000/0011")
    after = state.play("A1")
    assert after.scores == (196, 0)
    assert after.text == "****/****/****/**11 2 196-0"
    assert parse("****/1111/1111/1111 2 196-0").play("D4").scores == (196, 144)


def test_fruits_above_fall_straight_down() -> None:
    after = parse("123/003/140").play("A2")
    assert after.text == "**3/123/140 2 4-0"
    assert after.play("A2").text == "**3/*23/*40 1 4-4", "what fell hangs together with what it fell on"


def test_columns_never_move_sideways() -> None:
    after = parse("102/102/102").play("B1")
    assert after.text == "1*2/1*2/1*2 2 9-0"
    assert after.legal_moves == ("A1", "C1"), "an empty column keeps its neighbours apart"


def test_the_game_ends_when_the_board_is_empty_and_more_points_win() -> None:
    state = parse("*0/11 1 0-0")
    second = state.play("A2")
    assert second.scores == (4, 0)
    assert second.outcome is None
    over = second.play("B2")
    assert over.scores == (4, 1)
    assert over.outcome == ludus.Outcome(winner=0, reason="rules")
    assert over.legal_moves == ()
    with pytest.raises(ludus.IllegalMove, match="the game is over"):
        over.play("B2")
    assert parse("**/** 1 3-7").outcome == ludus.Outcome(winner=1)


def test_equal_points_are_a_draw() -> None:
    assert parse("**/01").play("A2").play("B2").outcome == ludus.Outcome(winner=None)


# Moves


def test_any_cell_of_a_group_names_it_and_the_topmost_leftmost_is_canonical() -> None:
    state = parse("1020/1000/1111/2222")
    for cell in ("B1", "D1", "B2", "C2", "D2", "d2"):
        assert state.move_name(cell) == "B1"
        assert state.play(cell) == state.play("B1")
    assert state.legal_moves == ("A1", "B1", "C1", "A4")


def test_a_column_is_a_letter_and_a_row_a_number_from_the_top() -> None:
    rows = ["0" * 26] * 25 + ["0" * 25 + "1"]
    assert parse("/".join(rows)).legal_moves == ("A1", "Z26")
    rows = ["0" * 26] * 12 + ["010" + "0" * 23] + ["0" * 26] * 13
    assert parse("/".join(rows)).legal_moves == ("A1", "B13")


@pytest.mark.parametrize(
    ("move", "sentence"),
    [
        ("C1", "'C1' is not a cell of this board; the cells are A1 to B2"),
        ("A3", "'A3' is not a cell of this board; the cells are A1 to B2"),
        ("A0", "'A0' is not a cell of this board"),
        ("", "'' is not a cell of this board"),
        ("A1", "A1 is empty; choose a cell with a fruit"),
    ],
)
def test_illegal_moves_are_refused_with_the_reason(move: str, sentence: str) -> None:
    with pytest.raises(ludus.IllegalMove, match=re.escape(sentence)):
        parse("*1/21").play(move)


def test_steps_show_the_claim_and_then_the_fall() -> None:
    claim, fall = parse("123/003/120").steps("B2")
    assert (claim.kind, claim.points, claim.board) == ("claim", 4, "123/**3/120")
    assert claim.cells == ((1, 0), (1, 1))
    assert (fall.kind, fall.points, fall.board) == ("fall", 0, "**3/123/120")
    assert fall.cells == ((0, 0), (0, 1))
    (only,) = parse("*2/11").steps("B1")
    assert (only.kind, only.board) == ("claim", "**/11"), "nothing falls"


# Positions


def test_later_fields_may_be_left_out_and_are_written() -> None:
    assert parse("01/21").text == "01/21 1 0-0"
    assert parse("01/21 2").text == "01/21 2 0-0"
    assert parse("01/21 2 196-144").text == "01/21 2 196-144"


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("", "column 1", "1 rows of 0 cells, but must be square"),
        ("01/2", "column 1", "row 2 of the board has 1 cells, but row 1 has 2"),
        ("0x/21", "column 2", "expected a cell: '*' or a fruit from 0 to 3, found 'x'"),
        ("0é/21", "column 2", "is not allowed in a position"),
        ("01/21 3", "column 7", "expected the side to move, 1 or 2, found '3'"),
        ("01/21 1 5", "column 10", "expected '-' between the points, found the end"),
        ("01/21 1 5-", "column 11", "expected the second player's points"),
        ("01/21 1 3000000000-0", "column 9", "the first player's points must be from 0 to 2147483631"),
        ("01/21 1 0-0 ", "column 12", "expected nothing more"),
    ],
)
def test_bad_texts_are_refused_with_the_place(text: str, place: str, message: str) -> None:
    with pytest.raises(ludus.ParseError, match=f"{place}.*{re.escape(message)}"):
        parse(text)


def test_points_never_overflow() -> None:
    state = parse("00/00 1 2147483631-0").play("A1")
    assert state.scores == (2**31 - 1, 0)
    assert state.game.parse(state.text) == state


@given(boards(), st.randoms(use_true_random=False))
def test_positions_of_any_shape_agree_with_the_reference(text: str, chooser: random.Random) -> None:
    state, twin = parse(text), reference("fruit-rage", text, {})
    assert state.text == text
    for _ in range(4):
        assert state.legal_moves == twin.legal_moves
        assert (state.outcome and tuple(state.outcome)) == twin.outcome
        if not twin.groups:
            break
        name, cells = chooser.choice(list(twin.groups.items()))
        row, col = chooser.choice(cells)
        any_cell = f"{chr(ord('A') + col)}{row + 1}"
        assert state.move_name(any_cell) == name
        assert set(state.steps(any_cell)[0].cells) == set(cells)
        state, twin = state.play(any_cell), twin.play(name)
        assert state.text == twin.text


@given(boards())
def test_the_evaluation_is_the_margin_of_taking_the_largest_groups_in_turn(text: str) -> None:
    sizes = sorted((len(cells) for cells in reference("fruit-rage", text, {}).groups.values()), reverse=True)
    assert parse(text).evaluation == sum((-1) ** i * size**2 for i, size in enumerate(sizes))


def test_the_key_covers_the_board_and_the_side_but_not_the_points() -> None:
    assert parse("01/21").key == parse("01/21 1 5-9").key
    assert len({parse(text).key for text in ("01/21", "01/21 2", "01/20", "10/12")}) == 4


# Files of the course


@pytest.mark.parametrize(
    ("board", "seconds", "move", "answer"),
    [
        (("2", "3", "123.6", "01", "21"), 123.6, "B1", ("B1", "0*", "2*")),
        (("3", "2", "24.345", "***", "*10", "000"), 24.345, "C2", ("C2", "***", "***", "*1*")),
    ],
)
def test_the_examples_of_the_course(board: tuple[str, ...], seconds: float, move: str, answer: tuple[str, ...]) -> None:
    read = read_file(lines(*board))
    assert read.seconds == seconds
    assert read.state.text == "/".join(board[3:]) + " 1 0-0"
    assert write_file(read.state, move) == lines(*answer)
    assert write_file(read.state, move.lower()) == lines(*answer)


@pytest.mark.parametrize("end", ["\n", "\r\n"])
@pytest.mark.parametrize("tail", ["", "\n", "\r\n", "\n\n  \n"])
@pytest.mark.parametrize("mark", ["", "\ufeff"])
def test_line_ends_blank_lines_and_a_byte_order_mark_do_no_harm(end: str, tail: str, mark: str) -> None:
    assert read_file(mark + end.join(["2", "10", "1e2", "09", "21"]) + tail).seconds == 100.0


def test_a_file_may_say_ten_types() -> None:
    assert read_file(lines("2", "10", "1", "09", "21")).state.game.options == {"size": 2, "types": 10}


@pytest.mark.parametrize(
    ("text", "line", "column", "message"),
    [
        ("", 1, 1, "expected the size of the board, but the file ends here"),
        ("27\n", 1, 1, "the size of the board must be a whole number from 1 to 26, not '27'"),
        ("two\n", 1, 1, "must be a whole number from 1 to 26, not 'two'"),
        ("2\n0\n", 2, 1, "the number of fruit types must be a whole number from 1 to 10, not '0'"),
        ("2\n11\n", 2, 1, "must be a whole number from 1 to 10, not '11'"),
        ("2\n3\n", 3, 1, "expected the seconds left, but the file ends here"),
        ("2\n3\n0.0\n", 3, 1, "the seconds left must be a number greater than 0, not '0.0'"),
        ("2\n3\n-1\n", 3, 1, "greater than 0, not '-1'"),
        ("2\n3\ninf\n", 3, 1, "greater than 0, not 'inf'"),
        ("2\n3\n1e999\n", 3, 1, "greater than 0, not '1e999'"),
        ("2\n3\n1\n01\n", 5, 1, "expected row 2 of 2, but the file ends here"),
        ("2\n3\n1\n01\n2\n", 5, 2, "expected 2 cells, found 1"),
        ("2\n3\n1\n012\n21\n", 4, 3, "expected 2 cells, found 3"),
        ("2\n3\n1\n01\n23\n", 5, 2, "expected '*' or a fruit from 0 to 2, found '3'"),
        ("2\n3\n1\n0/\n21\n", 4, 2, "found '/'"),
        ("2\n3\n1\n01\n21\n\n1\n", 6, 1, "expected nothing after 2 rows"),
        ("3\n3\n1\n01\n21\n", 1, 1, "the file has size=3, but the game was set up with 2"),
    ],
)
def test_bad_files_are_refused_with_line_and_column(text: str, line: int, column: int, message: str) -> None:
    with pytest.raises(ludus.ParseError) as error:
        read_file(text, **({"size": 2} if "set up" in message else {}))
    assert (error.value.source, error.value.line, error.value.column) == ("input.txt", line, column)
    assert message in str(error.value)
