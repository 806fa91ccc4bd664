"""What the rules page says of Magnetic Cave, sentence by sentence; then its texts, pictures and evaluation."""

from __future__ import annotations

import random
import string
from typing import Any

import pytest
from conftest import random_options, reference
from hypothesis import given
from hypothesis import strategies as st
from random_games import after_moves, random_game
from test_rules import same

import ludus

EMPTY = "........"


def game(**options: int | str) -> Any:
    return ludus.game("magnetic-cave", **options)


def position(side: int = 1, /, **rows: str) -> Any:
    """A state on 8 x 8: each row by its number, `_7="....xxxx"`; the others are empty."""
    return game().parse("/".join(rows.get(f"_{number}", EMPTY) for number in range(8, 0, -1)) + f" {side}")


def texts_after(state: Any, *moves: str) -> str:
    for move in moves:
        state = state.play(move)
    return str(state.text)


# The board


def test_the_board_is_eight_by_eight_with_row_eight_at_the_top_and_the_first_player_begins() -> None:
    state = game().initial()
    assert state.text == "/".join([EMPTY] * 8) + " 1"
    assert state.side == 0
    assert texts_after(state, "A8", "H1") == "x......./" + "/".join([EMPTY] * 6) + "/.......o 1"


def test_it_is_drawn_with_marks_letters_and_numbers() -> None:
    lines = str(game().initial().play("A8").play("H7")).splitlines()
    assert lines[0] == "  A B C D E F G H"
    assert lines[1] == "8 ■ · · · · · · ·"
    assert lines[2] == "7 · · · · · · · □"
    assert lines[8] == "1 · · · · · · · ·"


def test_sizes_go_from_five_to_sixteen_and_lines_from_three_to_eight() -> None:
    for rows, cols, line in ((5, 5, 3), (16, 16, 8), (5, 16, 3), (16, 5, 8), (5, 5, 8)):
        state = game(rows=rows, cols=cols, line=line).initial()
        assert len(state.legal_moves) == 2 * rows
        assert state.legal_moves[0] == f"A{rows}"
    for option, values in {"rows": (4, 17), "cols": (4, 17), "line": (2, 9)}.items():
        for value in values:
            with pytest.raises(ValueError, match=f"option {option} must be"):
                game(**{option: value})


# Placing bricks


def test_a_brick_sticks_to_a_wall_or_to_a_brick_at_its_left_or_right() -> None:
    state = position(_7="xo.....x")
    assert [move for move in state.legal_moves if move[1] == "7"] == ["C7", "G7"]
    assert [move for move in state.legal_moves if move[1] == "6"] == ["A6", "H6"], "a brick above holds nothing"
    with pytest.raises(ludus.IllegalMove, match=r"^D7 must touch a wall or a brick to its left or right$"):
        state.play("D7")
    with pytest.raises(ludus.IllegalMove, match=r"^A7 is not empty; play on an empty cell$"):
        state.play("A7")


def test_a_row_is_a_block_at_each_wall_and_has_at_most_two_legal_cells() -> None:
    for seed in range(30):
        for state in random_game(game().initial(), random.Random(seed)):
            rows = [move[1] for move in state.legal_moves]
            assert len(rows) <= 16
            assert all(rows.count(row) <= 2 for row in rows)
            for row in state.text.split(" ")[0].split("/"):
                assert set(row.strip("xo")) <= {"."}, row


# Lines


def test_the_seeds_first_example_a_line_from_d7_to_h7_wins() -> None:
    before = position(_7="....xxxx", _1="oooo....")
    assert before.outcome is None
    after = before.play("D7")
    assert after.outcome == ludus.Outcome(winner=0, reason="rules")
    assert after.legal_moves == ()


def test_the_seeds_second_example_a_line_from_a3_to_e7_wins() -> None:
    before = position(_7="oxoo....", _6="oxox....", _5="xox.....", _4="ox......", _3="x.......")
    assert before.outcome is None
    assert before.play("E7").outcome == ludus.Outcome(winner=0)


def test_the_seeds_third_example_a_lone_brick_on_b6_is_not_reachable() -> None:
    with pytest.raises(ludus.IllegalMove, match="B6 must touch a wall or a brick"):
        game().initial().play("B6")
    with pytest.raises(ludus.ParseError, match="line 1, column 20: the brick on B6 floats"):
        position(_6=".x......")


@pytest.mark.parametrize(
    ("rows", "move"),
    [
        ({"_4": "oo.ooxxx"}, "C4"),
        ({"_8": "o.......", "_7": "o.......", "_6": "o.......", "_5": "o......."}, "A4"),
        ({"_8": "o.......", "_7": "xo......", "_6": "xx......", "_5": "xoxo....", "_4": "xxoxo..."}, "C6"),
        ({"_8": ".......o", "_7": "......ox", "_6": "......xx", "_5": "....oxox", "_4": "...oxoxx"}, "F6"),
    ],
    ids=["row", "column", "diagonal", "other diagonal"],
)
def test_five_in_a_row_a_column_or_a_diagonal_win_at_once(rows: dict[str, str], move: str) -> None:
    before = position(2, **rows)
    assert before.outcome is None
    assert before.play(move).outcome == ludus.Outcome(winner=1)


def test_more_than_five_win_too() -> None:
    after = position(_4="xxx.xxxx").play("D4")
    assert after.outcome == ludus.Outcome(winner=0)


def test_four_do_not_win() -> None:
    assert position(_4="xxx.....").play("D4").outcome is None


@pytest.mark.parametrize(
    ("rows", "move"),
    [
        ({"_5": ".....xxx", "_4": "x......."}, "B4"),
        ({"_7": ".....xoo", "_6": "......xo", "_5": ".......x", "_3": "x.......", "_2": "o......."}, "B2"),
        ({"_6": "oox.....", "_5": "ox......", "_4": "x......x", "_3": ".......o"}, "G3"),
    ],
    ids=["row", "diagonal", "other diagonal"],
)
def test_a_line_does_not_go_on_round_the_edge(rows: dict[str, str], move: str) -> None:
    """The bits of these cells are evenly spaced, as those of a line are."""
    assert position(**rows).play(move).outcome is None


def test_a_full_board_without_a_line_is_a_tie() -> None:
    """Rows of xxoo shifted by two: nobody has three in any direction."""
    full = "/".join(("xxooxxoo", "ooxxooxx")[row % 2] for row in range(8))
    before = game().parse(full.replace("x", ".", 1) + " 1")
    assert before.legal_moves == ("A8",)
    after = before.play("A8")
    assert after.outcome == ludus.Outcome(winner=None)
    assert after.text == full + " 2"


def test_the_last_brick_of_a_full_board_may_win() -> None:
    rows = ["xxooxxoo", "ooxxooxx"] * 4
    rows[0] = ".xxxxooo"
    assert game().parse("/".join(rows) + " 1").play("A8").outcome == ludus.Outcome(winner=0)


# Texts


@pytest.mark.parametrize(
    ("side", "rows", "winner"),
    [
        (1, {"_1": "xxxxx..."}, 0),
        (2, {"_1": "xxxxx..."}, 0),
        (1, {"_1": "xxxxx...", "_8": "ooooo..."}, 1),
        (2, {"_1": "xxxxx...", "_8": "ooooo..."}, 0),
    ],
    ids=["of the side to move", "of the last mover", "both, second moved last", "both, first moved last"],
)
def test_a_position_with_a_line_is_a_finished_game(side: int, rows: dict[str, str], winner: int) -> None:
    state = position(side, **rows)
    assert state.outcome == ludus.Outcome(winner=winner)
    assert state.legal_moves == ()
    with pytest.raises(ludus.IllegalMove, match=r"^the game is over$"):
        state.play("A2")


def test_texts_of_any_size_are_read_when_the_options_agree() -> None:
    small = game().parse("/".join(["....."] * 5))
    assert small.game.options == {"rows": 5, "cols": 5, "line": 5}
    assert small.text.endswith(" 1"), "the side left out is the first"
    with pytest.raises(ludus.ParseError, match="rows=5, but the game was set up with 8"):
        game(rows=8).parse(small.text)


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("", "column 1", "option rows must be"),
        ("/".join([EMPTY] * 4), "column 1", "option rows must be"),
        ("/".join([EMPTY] * 17), "column 1", "option rows must be"),
        ("/".join([EMPTY] * 7) + "/..r.....", "column 66", "expected a cell: '.', 'x' or 'o', found 'r'"),
        ("/".join([EMPTY] * 7) + "/X.......", "column 64", "expected a cell"),
        ("/".join([EMPTY] * 7) + "/xxo.x...", "column 68", "the brick on E1 floats"),
        ("/".join([EMPTY] * 8) + " 3", "column 73", "expected the side to move, 1 or 2, found '3'"),
        ("/".join([EMPTY] * 8) + " 1 0", "column 74", "expected nothing more"),
        ("/".join([EMPTY] * 7) + "/.......", "column 1", "row 8 of the board has 7 cells, but row 1 has 8"),
        ("/".join([EMPTY] * 7) + "/■.......", "column 64", "is not allowed in a position"),
    ],
)
def test_bad_texts_are_refused_with_the_place(text: str, place: str, message: str) -> None:
    with pytest.raises(ludus.ParseError) as error:
        game().parse(text)
    assert place + ":" in str(error.value)
    assert message in str(error.value)


def test_moves_may_be_written_in_small_letters() -> None:
    state = game().initial()
    assert state.move_name("h3") == "H3"
    assert state.play("h3") == state.play("H3")


@pytest.mark.parametrize("text", ["", "A", "A0", "A9", "I1", "A01", "1A", "A1 ", "AA1", "8", "@1", "A-1", "Ä1", "\0\0"])
def test_a_text_that_names_no_cell_is_refused(text: str) -> None:
    with pytest.raises(ludus.IllegalMove, match="is not a cell of this board; the cells are A1 to H8"):
        game().initial().play(text)


@st.composite
def hand_made(draw: st.DrawFn) -> tuple[str, int]:
    """A position text of any size, with bricks at both walls in any number, and the length of a line."""
    cols = draw(st.integers(5, 16))
    rows = []
    for _ in range(draw(st.integers(5, 16))):
        left = draw(st.text("xo", max_size=cols))
        right = draw(st.text("xo", max_size=cols - len(left)))
        rows.append(left + "." * (cols - len(left) - len(right)) + right)
    return "/".join(rows) + draw(st.sampled_from([" 1", " 2"])), draw(st.integers(3, 8))


@given(hand_made())
def test_hand_made_positions_agree_with_the_reference(made: tuple[str, int]) -> None:
    text, line = made
    state = game(line=line).parse(text)
    twin = reference("magnetic-cave", text, state.game.options)
    same(state, twin)
    for move in state.legal_moves[:3]:
        same(state.play(move), twin.play(move))


# Pictures


def test_a_winning_move_shows_its_line_as_a_step_of_its_own() -> None:
    before = position(_7="....xxxx", _1="oooo....")
    place, line = before.steps("D7")
    assert (place.kind, place.cells) == ("place", ((1, 3),))
    assert (line.kind, line.cells) == ("line", tuple((1, col) for col in range(3, 8)))
    assert place.board == line.board == before.play("D7").text.split(" ")[0]
    assert [step.kind for step in before.steps("A2")] == ["place"]


def test_a_brick_that_completes_two_lines_shows_both() -> None:
    rows = {"_8": "x.......", "_7": "x.......", "_6": "x.......", "_5": "x.......", "_4": ".xxxxooo"}
    _, line = position(**rows).steps("A4")
    assert line.cells == tuple((row, 0) for row in range(4)) + tuple((4, col) for col in range(5))


# Symmetry and keys


def test_positions_that_differ_in_a_few_cells_have_different_keys() -> None:
    """Bricks on the last two cells and on two cells of another row once cancelled each other in the key."""
    start = game().parse("xx.....o/oxx...../....xxox/ooxoxxoo/o..xooox/o....xox/......../xoxoox.. 1")
    one = start.play("G1").play("H1").play("C8").play("B4")
    other = start.play("H1").play("G1").play("C8").play("C4")
    assert one.key != other.key


def test_flipped_positions_share_one_canonical_state_and_turned_ones_do_not() -> None:
    for seed in range(20):
        chooser = random.Random(seed)
        options = {**random_options("magnetic-cave", chooser), "line": 8}
        state = after_moves(game(**options).initial(), 12, chooser)
        board, side = state.text.split(" ")
        rows = board.split("/")
        assert state.game.parse("/".join(rows[::-1]) + f" {side}").canonical == state.canonical
    beside, above = position(_8="xo......"), position(_8="x.......", _7="o.......")
    assert beside.canonical != above.canonical


def test_keys_use_their_low_and_their_high_bits() -> None:
    """4,096 games of three plies: 20 bits of the key, any 20, keep nearly all positions apart."""
    keys = {
        state.key
        for first in [game().initial().play(move) for move in game().initial().legal_moves]
        for second in [first.play(move) for move in first.legal_moves]
        for state in [second.play(move) for move in second.legal_moves]
    }
    assert len(keys) > 2000
    for shift in (0, 22, 44):
        assert len({key >> shift & 0xFFFFF for key in keys}) > 0.99 * len(keys)


# Evaluation


def greedy(state: Any) -> str:
    """The move after which the opponent stands worst."""
    return str(max(state.legal_moves, key=lambda move: -state.play(move).evaluation))


def test_one_ply_takes_a_win_before_it_blocks() -> None:
    assert greedy(position(_3="xxxx....", _1="oooo....")) == "E3"
    assert greedy(position(2, _3="xxxx....", _1="oooo....")) == "E1"


def test_one_ply_blocks_the_opponents_win() -> None:
    assert greedy(position(_5="xx......", _4="xx......", _1="oooo....")) == "E1"
    assert greedy(position(_8="o......o", _7="o......x", _6="o......x", _5="o......x")) == "A4"


def test_one_ply_does_not_open_a_winning_cell_to_the_opponent() -> None:
    """C2 and C7 would complete the column C; B2 or B7 would let the opponent in."""
    state = position(_6="oxo.....", _5="xxo.....", _4="oxo.....", _3="xoo.....", _2="x.......", _7="x.......")
    after = {move: state.play(move).evaluation for move in state.legal_moves}
    assert after["B2"] == after["B7"] == max(after.values())
    assert greedy(state) not in {"B2", "B7"}


def test_one_ply_makes_two_winning_cells_at_once() -> None:
    state = position(_5="x.......", _4="x.......", _3="x......o", _8=".......o", _1=".......o")
    assert greedy(state) in {"A2", "A6"}
    assert state.play("A6").evaluation < -1_000_000
    assert state.play("H5").evaluation > -1_000_000


def test_one_ply_builds_where_lines_are_open() -> None:
    state = position(_4="x.......", _8="o.......")
    assert greedy(state) in {"A5", "A3", "B4"}
    assert state.play("A5").evaluation < state.play("H1").evaluation


def test_a_block_that_opens_the_next_winning_cell_is_no_rescue() -> None:
    """The opponent threatens C2; the block there holds D2, which completes the column D."""
    rows = {"_6": "xooo....", "_5": "oxoo....", "_4": "xooo....", "_3": "oxoo....", "_2": "xx......"}
    assert position(**rows).evaluation < -1_000_000
    rows["_4"] = "xoox...."
    assert position(**rows).evaluation > -1_000_000


def test_a_finished_game_is_the_best_and_the_worst_of_all() -> None:
    won, lost = position(_1="xxxxx...").evaluation, position(2, _1="xxxxx...").evaluation
    assert won == -lost
    assert won > position(_1="xxxx....").evaluation > 1_000_000
    full = "/".join(("xxooxxoo", "ooxxooxx")[row % 2] for row in range(8))
    assert game().parse(full).evaluation == 0


def slow_evaluation(state: Any) -> int:
    """The evaluation of an open game, window by window."""
    rows = state.text.split(" ")[0].split("/")
    line = state.game.options["line"]
    values = [0, 0]
    gaps: list[set[str]] = [set(), set()]
    for row in range(len(rows)):
        for col in range(len(rows[0])):
            for down, right in ((0, 1), (1, 0), (1, 1), (1, -1)):
                cells = [(row + i * down, col + i * right) for i in range(line)]
                if cells[-1][0] >= len(rows) or not 0 <= cells[-1][1] < len(rows[0]):
                    continue
                held = [rows[y][x] for y, x in cells]
                for side, (mine, theirs) in enumerate((("x", "o"), ("o", "x"))):
                    if mine in held and theirs not in held:
                        values[side] += 128 >> held.count(".")
                        if held.count(".") == 1:
                            y, x = cells[held.index(".")]
                            gaps[side].add(f"{string.ascii_uppercase[x]}{len(rows) - y}")
    me: int = state.side
    foe = 1 - me
    if gaps[me] & set(state.legal_moves):
        return 3_000_000
    threats = gaps[foe] & set(state.legal_moves)
    if len(threats) == 1:
        after = state.play(threats.pop())
        return 0 if after.outcome else -slow_evaluation(after)
    return values[me] - values[foe] - (2_000_000 if threats else 0)


@pytest.mark.parametrize("seed", range(24))
def test_the_evaluation_agrees_with_a_slow_count_of_windows(seed: int) -> None:
    chooser = random.Random(seed)
    state = game(**random_options("magnetic-cave", chooser)).initial()
    while state.outcome is None:
        assert state.evaluation == slow_evaluation(state)
        state = state.play(chooser.choice(state.legal_moves))
