"""What the rules page says of Cantris, sentence by sentence; and its board file, on any text."""

from __future__ import annotations

import pickle
import random
import re
from collections import Counter
from typing import Any

import pytest
from conftest import reference
from hypothesis import given
from hypothesis import strategies as st

import ludus
from ludus.game import CourseBoard

WORKED_EXAMPLE = "4224/3134/1312/3241/1132/2411/2343/4423"


def game(**options: int | str) -> Any:
    return ludus.game("cantris", **options)


def after(text: str, *moves: str, **options: int | str) -> str:
    """The text after some moves."""
    state = game(**options).parse(text)
    for move in moves:
        state = state.play(move)
    return str(state.text)


def columns(text: str) -> list[str]:
    return ["".join(tiles) for tiles in zip(*text.split(" ", maxsplit=1)[0].split("/"), strict=True)]


def read_file(text: str, source: str = "Board.txt", **options: int | str) -> CourseBoard:
    read = ludus.game("cantris").course.read_file
    assert read is not None
    return read(game(**options), text, source)


def test_the_worked_example_of_the_course() -> None:
    state = game().parse(WORKED_EXAMPLE)
    assert columns(state.text) == ["43131224", "21321434", "23143142", "44212133"]
    then = state.play("2,1")
    assert columns(then.text) == [".4331224", "..221434", ".2343142", "44212133"]
    assert then.scores == (6, 0)
    assert then.side == 1


def test_the_worked_example_step_by_step() -> None:
    steps = game().parse(WORKED_EXAMPLE).steps("2,1")
    rest = "/3241/1132/2411/2343/4423"
    assert [(step.kind, step.points, step.board) for step in steps] == [
        ("remove", 3, "4224/3134/1.12" + rest),
        ("fall", 0, "4.24/3234/1112" + rest),
        ("run", 3, "4.24/3234/...2" + rest),
        ("fall", 0, "...4/4.24/3232" + rest),
    ]
    assert [step.cells for step in steps] == [
        ((2, 1),),
        ((0, 1), (1, 1)),
        ((2, 0), (2, 1), (2, 2)),
        ((0, 0), (0, 2), (1, 0), (1, 1), (1, 2)),
    ]


@pytest.mark.parametrize(
    ("rows", "cols", "tiles", "removals"),
    [(6, 3, 3, 1), (8, 4, 4, 1), (10, 5, 5, 2), (12, 8, 6, 1), (5, 8, 2, 1), (1, 1, 1, 1)],
)
def test_the_size_settles_tiles_and_removals(rows: int, cols: int, tiles: int, removals: int) -> None:
    options = game(rows=rows, cols=cols).options
    assert (options["tiles"], options["removals"], options["second_removal"]) == (tiles, removals, "required")


def test_eight_by_four_is_the_usual_board() -> None:
    assert game() == game(rows=8, cols=4)


def test_a_removal_scores_its_number_and_the_tiles_above_drop_by_one() -> None:
    assert after("12/34/56", "1,0") == ".2/14/56 2 3-0 0"
    assert after("12/34/56", "0,1") == "1./34/56 2 2-0 0", "the top tile leaves nothing to fall"
    assert [step.kind for step in game().parse("12/34/56").steps("0,1")] == ["remove"]


def test_the_last_step_of_a_game_shows_the_columns_that_ended_it() -> None:
    steps = game().parse("..3/123/123").steps("1,0")
    assert [step.kind for step in steps] == ["remove"]
    steps = game().parse("..3/.23/123").steps("2,0")
    assert [(step.kind, step.cells, step.points) for step in steps[1:]] == [("empty", ((0, 0), (1, 0), (2, 0)), 0)]
    assert steps[-1].board == "..3/.23/.23"


def test_any_tile_may_be_taken_row_by_row_from_the_top() -> None:
    assert game().parse(".1/22/22").legal_moves == ("0,1", "1,0", "1,1", "2,0", "2,1")


def test_a_maximal_run_of_more_than_three_is_removed_as_a_whole() -> None:
    assert after("....3/33334/12121", "1,4") == "...../...../12121 2 19-0 0"


def test_all_runs_of_a_round_go_at_the_same_time() -> None:
    """One after the other, from below, the twos would pull the ones apart before they counted."""
    assert after("1.../911./5222/3434", "1,0") == "..../..../5.../3434 2 18-0 0"
    assert after("1...../911222/345345", "1,0") == "....../....../345345 2 18-0 0", "two runs side by side"


def test_tiles_drop_and_runs_repeat_until_there_is_none() -> None:
    """The twos go, the ones that stood on two of them land beside a third."""
    steps = game().parse("211./9221/3434").steps("1,0")
    assert [(step.kind, step.points) for step in steps] == [
        ("remove", 9),
        ("fall", 0),
        ("run", 6),
        ("fall", 0),
        ("run", 3),
    ]
    assert steps[-1].board == "..../..../3434"


def test_columns_never_make_a_run() -> None:
    assert after("12/12/12/19", "3,1") == "1./12/12/12 2 9-0 0"


def test_two_equal_tiles_are_no_run_and_nor_are_tiles_across_a_gap() -> None:
    assert after("9..../11.11/23455", "0,0") == "...../11.11/23455 2 9-0 0"


def test_one_removal_is_a_turn_on_the_two_small_boards() -> None:
    for rows, cols in ((6, 3), (8, 4)):
        state = game(rows=rows, cols=cols).initial(1)
        assert state.play(state.legal_moves[0]).side == 1


def test_two_removals_are_a_turn_on_ten_by_five() -> None:
    state = game(rows=10, cols=5).initial(1)
    sides = []
    for _ in range(6):
        sides.append((state.side, state.text[-1]))
        state = state.play(state.legal_moves[-1])
    assert sides == [(0, "0"), (0, "1"), (1, "0"), (1, "1"), (0, "0"), (0, "1")]


def test_each_of_two_removals_has_its_own_drops_and_runs() -> None:
    text = "1..2../911922/343434"
    assert after(text, "1,0", removals=2) == "...2../...922/343434 1 12-0 1"
    assert after(text, "1,0", "1,3", removals=2) == "....../....../343434 2 27-0 0"


def test_if_the_first_removal_ends_the_game_the_turn_ends_there() -> None:
    state = game(removals=2).parse(".2/13").play("1,0")
    assert state.outcome == ludus.Outcome(winner=0)
    assert state.text == ".2/.3 2 1-0 0"


def test_an_optional_second_removal_may_be_passed_and_only_that() -> None:
    state = game(rows=10, cols=5, second_removal="optional").initial(1)
    assert "pass" not in state.legal_moves
    with pytest.raises(ludus.IllegalMove, match="you can only pass after the first removal of a turn"):
        state.play("pass")
    then = state.play("9,0")
    assert then.legal_moves[-1] == "pass"
    assert then.play("pass").text == then.text.replace(" 1 ", " 2 ")[:-1] + "0"
    assert [(step.kind, step.cells, step.points) for step in then.steps("pass")] == [("pass", (), 0)]


def test_nobody_passes_a_removal_that_is_required() -> None:
    with pytest.raises(ludus.IllegalMove, match="passing is not allowed: each turn is one removal"):
        game().initial().play("pass")
    with pytest.raises(ludus.IllegalMove, match="each turn needs two removals"):
        game(rows=10, cols=5).initial().play("9,0").play("pass")


@pytest.mark.parametrize(("rows", "cols"), [(6, 3), (8, 4), (10, 5)])
def test_random_boards_hold_each_number_twice_a_column_and_no_run(rows: int, cols: int) -> None:
    texts = [game(rows=rows, cols=cols).initial(seed).text for seed in range(200)]
    assert len(set(texts)) == 200, "every seed has a board of its own"
    for text in texts:
        for column in columns(text):
            assert Counter(column) == {str(number): 2 for number in range(1, rows // 2 + 1)}
        for row in text.split(" ")[0].split("/"):
            assert not any(row[c] == row[c + 1] == row[c + 2] for c in range(cols - 2))


def test_random_boards_of_other_sizes_are_as_even_as_they_can_be() -> None:
    for seed in range(200):
        chooser = random.Random(seed)
        rows, cols, tiles = chooser.randint(1, 12), chooser.randint(1, 8), chooser.randint(2, 9)
        text = game(rows=rows, cols=cols, tiles=tiles).initial(seed).text
        for column in columns(text):
            counts = [column.count(str(number)) for number in range(1, tiles + 1)]
            assert max(counts) - min(counts) <= 1
        for row in text.split(" ")[0].split("/"):
            assert not any(row[c] == row[c + 1] == row[c + 2] for c in range(cols - 2))


def test_a_seed_gives_the_same_board_on_every_machine() -> None:
    assert game().initial(3).text == "4212/3414/3223/2432/1331/1341/2144/4123 1 0-0 0"


def test_runs_that_cannot_be_helped_stand_at_the_start() -> None:
    assert game(rows=3, cols=4, tiles=1).initial(7).text == "1111/1111/1111 1 0-0 0"


def test_a_run_on_the_initial_board_goes_to_the_first_mover() -> None:
    state = game().parse("1231/4441/2222/1343")
    assert state.scores == (0, 0)
    assert state.play("0,3").text == "..../..../1231/1343 2 21-0 0"


def test_the_game_is_over_when_a_column_is_empty_at_rest() -> None:
    state = game().parse(".2/13").play("1,0")
    assert state.outcome == ludus.Outcome(winner=0)
    assert state.legal_moves == ()
    with pytest.raises(ludus.IllegalMove, match="the game is over"):
        state.play("1,1")


@pytest.mark.parametrize(("points", "winner"), [("3-2", 0), ("2-3", 1), ("7-7", None)])
def test_more_points_win_and_equal_is_a_tie(points: str, winner: int | None) -> None:
    assert game().parse(f".1 2 {points}").outcome == ludus.Outcome(winner=winner)


def test_coordinates_count_from_the_top_of_the_initial_board() -> None:
    state = game().parse(WORKED_EXAMPLE).play("0,0")
    assert "0,0" not in state.legal_moves
    assert state.play("1,0").scores == (4, 3)


@pytest.mark.parametrize(
    ("move", "reason"),
    [
        ("8,0", "'8,0' is not a cell of this board; the cells are 0,0 to 7,3"),
        ("0,4", "'0,4' is not a cell of this board"),
        ("0,1", "there is no tile at 0,1; the top tile of column 1 is at 2,1"),
        ("", "'' is not a move; write the row and column of a tile, from 0,0 to 7,3"),
        ("2", "'2' is not a move"),
        ("2,", "'2,' is not a move"),
        (",", "',' is not a move"),
        ("2,1,0", "'2,1,0' is not a move"),
        ("-1,0", "'-1,0' is not a move"),
        ("a,b\n", r"'a,b\x0a' is not a move"),
        ("Pass", "'Pass' is not a move"),
    ],
)
def test_illegal_moves_say_why(move: str, reason: str) -> None:
    state = game().parse("...4/4.24/3232/3241/1132/2411/2343/4423 2 6-0 0")
    with pytest.raises(ludus.IllegalMove, match=re.escape(reason)):
        state.play(move)


def test_moves_are_read_with_blanks_and_as_the_course_writes_them() -> None:
    state = game().parse(WORKED_EXAMPLE)
    assert {state.move_name(text) for text in ("2,1", " 2 , 1 ", "2, 1")} == {"2,1"}
    read_move = ludus.game("cantris").read_move
    assert read_move(state, " 2  1 ") == "2,1"
    assert read_move(state, "2,1") == "2,1"
    assert read_move(state, "help me") == "help me"


def test_texts_leave_out_what_is_usual() -> None:
    for text in ("12/34", "12/34 1", "12/34 1 0-0", "12/34 1 0-0 0"):
        assert game().parse(text).text == "12/34 1 0-0 0"
    ten_by_five = game().parse("/".join(["12345"] * 10) + " 2 3-4 1")
    assert ten_by_five.game.options["removals"] == 2


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("12/3x", "column 5", "expected a tile from 1 to 3, or '.', found 'x'"),
        ("10/34", "column 2", "found '0'"),
        ("", "column 1", "option cols must be"),
        ("1/2/3/4/5/6/7/8/9/1/2/3/4", "column 1", "option rows must be"),
        ("12/3", "column 1", "row 2 of the board has 1 cells, but row 1 has 2"),
        ("12/1./34", "column 2", "the tile at 0,1 floats above an empty cell"),
        ("12/34 3", "column 7", "expected the side to move"),
        ("12/34 1 3", "column 10", "expected '-' between the points"),
        ("12/34 1 10000-0", "column 9", "must be from 0 to 9999"),
        ("12/34 1 9990-0", "column 9", "cannot be more than 9999 together"),
        ("12/34 1 0-0 1", "column 13", "the removals made in this turn must be from 0 to 0"),
        ("12/34 1 0-0 0 ", "column 14", "expected nothing more"),
    ],
)
def test_bad_texts_are_refused_with_the_place(text: str, place: str, message: str) -> None:
    with pytest.raises(ludus.ParseError, match=f"{place}.*{re.escape(message)}"):
        game().parse(text)


def test_a_position_may_show_any_tile_unless_the_option_says_otherwise() -> None:
    state = game().parse("9123/1234/4321/1234/4321/1234/4321/1234")
    assert state.game.options["tiles"] == 9
    later = state.play("0,0")
    assert later.game.parse(later.text) == later, "the nine is gone, the game is still one with nines"
    assert pickle.loads(pickle.dumps(later)) == later
    assert game(tiles=9).parse("78/12").game.options["tiles"] == 9
    with pytest.raises(ludus.ParseError, match="column 1: expected a tile from 1 to 4"):
        game(tiles=4).parse("91/11")


def test_points_do_not_change_the_key_and_turn_and_tiles_do() -> None:
    ten = game(rows=3, cols=2, removals=2)
    keys = [ten.parse(f"12/34/56 {rest}").key for rest in ("1 0-0 0", "1 7-9 0", "2 0-0 0", "1 0-0 1", "2 0-0 1")]
    assert keys[0] == keys[1]
    assert len(set(keys)) == 4
    assert ten.parse("21/34/56").key != keys[0]


def test_the_evaluation_is_the_best_removal() -> None:
    state = game().parse(WORKED_EXAMPLE + " 2 30-1")
    gains = [state.play(move).scores[1] - 1 for move in state.legal_moves]
    assert state.evaluation == max(gains)
    assert game().parse("1.").evaluation == 0


def test_the_board_as_a_person_reads_it() -> None:
    assert str(game().parse(".1/23")) == "  0 1\n0 · 1\n1 2 3"
    draw = ludus.game("cantris").look.board
    assert draw is not None
    shown = draw(game().parse(".1/23"))
    assert [mark.tone for row in shown.marks for mark in row] == [None, 1, 2, 3]


@st.composite
def boards(draw: st.DrawFn) -> tuple[str, dict[str, int | str]]:
    """A position of any size with anything on it, many equal tiles, and the options that go with it."""
    rows, cols = draw(
        st.one_of(st.sampled_from([(6, 3), (8, 4), (10, 5)]), st.tuples(*map(st.integers, (1, 1), (12, 8))))
    )
    most = draw(st.sampled_from([1, 2, 3, 9]))
    heights = [draw(st.integers(1, rows)) for _ in range(cols)]
    tiles = [[draw(st.integers(1, most)) for _ in range(height)] for height in heights]
    grid = [
        "".join(str(column[height]) if height < len(column) else "." for column in tiles)
        for height in reversed(range(rows))
    ]
    removals = draw(st.integers(1, 2))
    options: dict[str, int | str] = {
        "rows": rows,
        "cols": cols,
        "tiles": 9,
        "removals": removals,
        "second_removal": draw(st.sampled_from(["required", "optional"])),
    }
    points = f"{draw(st.integers(0, 99))}-{draw(st.integers(0, 99))}"
    return f"{'/'.join(grid)} {draw(st.integers(1, 2))} {points} {draw(st.integers(0, removals - 1))}", options


@given(boards(), st.randoms(use_true_random=False))
def test_hand_made_boards_agree_with_the_reference(board: tuple[str, dict[str, int | str]], chooser: Any) -> None:
    text, options = board
    state, twin = game(**options).parse(text), reference("cantris", text, options)
    while True:
        assert (state.text, state.legal_moves, state.side, state.scores) == (
            twin.text,
            twin.legal_moves,
            twin.side,
            twin.scores,
        )
        assert (state.outcome and tuple(state.outcome)) == twin.outcome
        assert state.game.parse(state.text) == state
        if state.outcome is not None:
            return
        move = chooser.choice(state.legal_moves)
        steps = state.steps(move)
        before, state, twin = state, state.play(move), twin.play(move)
        assert steps[-1].board == state.text.split(" ")[0]
        assert sum(step.points for step in steps) == sum(state.scores) - sum(before.scores)
        boards_seen = [before.text.split(" ")[0], *(step.board for step in steps)]
        for step, earlier in zip(steps, boards_seen, strict=False):
            tiles = [earlier.split("/")[r][c] for r, c in step.cells]
            assert "." not in tiles or step.kind == "empty"
            if step.kind in ("remove", "run"):
                assert step.points == sum(map(int, tiles))


@pytest.mark.parametrize(
    "text", ["1 2 3\n4 5 6\n", "123\n456", "1 2 3\r\n4 5 6\r\n\r\n\r\n", "\ufeff1\t2  3 \n 456\n  \n", "1 2 3\r4 5 6\r"]
)
def test_board_files_in_every_dress(text: str) -> None:
    board = read_file(text)
    assert board.state.text == "123/456 1 0-0 0"
    assert board.state.game.options["rows"] == 2
    assert board.seconds is None


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("", "line 1, column 1", "found an empty line"),
        ("1 2\n\n3 4", "line 2, column 1", "found an empty line"),
        ("1 2 3\n 4 x 6", "line 2, column 4", "expected a tile from 1 to 9, or '.', found 'x'"),
        ("1 2 3\n 4 50 6", "line 2, column 4", "found '50'"),
        ("123\n406", "line 2, column 2", "found '0'"),
        ("1 2 3\n4 5", "line 2, column 3", "this row has 2 tiles, but the first has 3"),
        ("1 2\n. 4\n5 6", "line 1, column 1", "the tile at 0,0 floats"),
        ("1 2\n3 4\n5 .\n", "line 2, column 3", "the tile at 1,1 floats"),
        ("123456789", "line 1, column 1", "option cols must be"),
        ("1\n" * 13, "line 1, column 1", "option rows must be"),
    ],
)
def test_bad_board_files_are_refused_with_the_place(text: str, place: str, message: str) -> None:
    with pytest.raises(ludus.ParseError) as error:
        read_file(text, source="Board.txt")
    assert str(error.value).startswith(f"Board.txt, {place}: ")
    assert message in str(error.value)


def test_a_board_file_must_agree_with_the_options_given() -> None:
    with pytest.raises(ludus.ParseError, match=r"Board.txt, line 1, column 1: .*rows=2, but .* set up with 8"):
        read_file("12\n34", rows=8)
    with pytest.raises(ludus.ParseError, match=r"Board.txt, line 2, column 3: expected a tile from 1 to 3"):
        read_file("1 2\n3 4", tiles=3)
