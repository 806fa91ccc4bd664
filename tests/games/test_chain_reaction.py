"""What the rules page says of Chain Reaction, sentence by sentence."""

from __future__ import annotations

import itertools
import random
import re
from dataclasses import replace
from typing import Any

import pytest
from conftest import reference
from random_games import random_game

import ludus

RULES = ("empties", "keeps-surplus", "dies")


def game(rows: int = 5, cols: int = 6, explosion: str = "empties") -> Any:
    return ludus.game("chain-reaction", rows=rows, cols=cols, explosion=explosion)


def test_red_moves_first_on_an_empty_board_of_five_by_six() -> None:
    state = game().initial()
    assert state.text == "/".join(["......"] * 5) + " 1 0"
    assert state.side == 0
    assert state.legal_moves[0] == "A1"
    assert state.legal_moves[-1] == "F5"
    assert len(state.legal_moves) == 30
    assert state.play("F5").text.endswith("/.....r1 2 1")


def test_capacity_is_the_number_of_neighbours() -> None:
    for cell, one_short in (("A1", "r1../.../..b1"), ("B1", ".r2./.../..b1"), ("B2", ".../.r3./..b1")):
        assert [step.kind for step in game(3, 3).parse(f"{one_short} 1 4").steps(cell)] == ["place", "explode"]


def test_only_empty_and_own_cells_can_be_played() -> None:
    state = game().initial().play("A1")
    assert "A1" not in state.legal_moves
    with pytest.raises(ludus.IllegalMove, match="A1 belongs to the opponent"):
        state.play("A1")
    assert "A1" in state.play("F5").legal_moves


def test_an_explosion_takes_the_neighbours_and_empties_the_cell() -> None:
    after = game(3, 3).parse("r1b1./.../..b1 1 4").play("A1")
    assert after.text == ".r2./r1../..b1 2 5"


def test_surplus_orbs_are_lost_kept_or_burnt() -> None:
    """The inner B2 holds 3 and is hit by B1 and A2 in one wave: 5 orbs, one beyond its capacity."""
    position = "r1r2../r2b3../..../...b1 1 10"
    texts = {rule: game(4, 4, rule).parse(position).play("A1").text for rule in RULES}
    assert texts["empties"] == ".r2r1./r2.r1./r1r1../...b1 2 11"
    assert texts["keeps-surplus"] == ".r2r1./r2r1r1./r1r1../...b1 2 11"
    assert texts["dies"] == "##r1./##r1./r1r1../...b1 2 11"


def test_orbs_are_conserved_when_the_surplus_is_kept_and_the_game_is_bounded() -> None:
    """After ply k the board holds k orbs, and there are at most 2 x edges - cells + 1 = 69 plies on 5 x 6."""
    for seed in range(50):
        for state in random_game(game(explosion="keeps-surplus").initial(), random.Random(seed)):
            ply = int(state.text.split()[2])
            assert sum(int(char) for char in state.text.split()[0] if char.isdigit()) == ply
        assert ply <= 69


@pytest.mark.parametrize("rule", RULES)
def test_the_order_of_explosions_makes_no_difference(rule: str) -> None:
    for seed in range(25):
        chooser = random.Random(seed)
        options = {"rows": chooser.randint(2, 5), "cols": chooser.randint(2, 6), "explosion": rule}
        state: Any = ludus.game("chain-reaction", **options).initial()  # type: ignore[arg-type]
        while state.outcome is None:
            move = chooser.choice(state.legal_moves)
            results = [
                replace(reference("chain-reaction", state.text, options), order=order).play(move)
                for order in ("wave", "queue", "reverse")
            ]
            state = state.play(move)
            for result in results:
                assert result.outcome == results[0].outcome
                if result.outcome is None:
                    assert result.text == state.text


def test_whoever_takes_the_last_enemy_orb_wins_at_once() -> None:
    after = game(2, 2).parse("r1b1/.. 1 2").play("A1")
    assert after.outcome == ludus.Outcome(winner=0, reason="rules")
    assert after.legal_moves == ()


def test_a_chain_without_end_stops_at_the_win() -> None:
    """Five orbs on 2 x 2 could explode for ever: every cell holds two at most."""
    after = game(2, 2, "keeps-surplus").parse("r1r1/r1b1 1 4").play("A1")
    assert after.outcome == ludus.Outcome(winner=0)


def test_nobody_wins_before_both_have_played() -> None:
    assert game().initial().play("A1").outcome is None


def test_dead_cells_swallow_orbs_and_cannot_be_played() -> None:
    after = game(3, 3, "dies").parse("r1#./.../..b1 1 6").play("A1")
    assert after.text == "##./r1../..b1 2 7"
    with pytest.raises(ludus.IllegalMove, match="A1 is dead"):
        after.play("A1")


def test_a_mover_who_burns_out_has_lost() -> None:
    after = game(2, 2, "dies").parse("r1#/#b1 1 5").play("A1")
    assert after.outcome == ludus.Outcome(winner=1)


def test_a_player_without_a_legal_move_has_lost() -> None:
    """Blue cannot move: every cell is dead or red's; blue's last orb is what keeps the game from ending before."""
    state = game(2, 3, "dies").parse("##r1/#b1# 1 5")
    assert state.outcome is None
    assert state.side == 0


def test_a_thousand_plies_are_a_tie() -> None:
    state = game().parse("r1...../....../....../....../.....b1 2 999")
    assert state.outcome is None
    assert state.play("E5").outcome == ludus.Outcome(winner=None)


@pytest.mark.parametrize("rule", ["empties", "keeps-surplus"])
@pytest.mark.parametrize(("rows", "cols", "winner"), [(2, 2, 1), (2, 4, 1), (2, 3, 0), (2, 5, 0), (3, 3, 0)])
def test_small_boards_solved(rows: int, cols: int, winner: int, rule: str) -> None:
    """With best play the second player wins on 2x2 and 2x4, the first on 2x3, 2x5 and 3x3."""
    values: dict[str, bool] = {}

    def mover_wins(state: Any) -> bool:
        if state.outcome is not None:
            return bool(state.outcome.winner == state.side)
        key = state.canonical.text.rsplit(" ", 1)[0]
        if key not in values:
            values[key] = any(not mover_wins(state.play(move)) for move in state.legal_moves)
        return values[key]

    assert mover_wins(game(rows, cols, rule).initial()) == (winner == 0)


def test_texts_of_any_size_are_read_when_the_options_agree() -> None:
    small = ludus.game("chain-reaction").parse("r1./.b1")
    assert small.game.options["rows"] == 2
    assert small.text == "r1./.b1 1 2", "the ply left out is the number of orbs"
    with pytest.raises(ludus.ParseError, match="rows=2, but the game was set up with 5"):
        game().parse("r1./.b1")


@pytest.mark.parametrize(
    ("text", "place", "message"),
    [
        ("......", "column 1", "option rows must be"),
        ("..x../...../...../...../.....", "column 3", "expected a cell"),
        ("r0.../..../..../....", "column 2", "orbs of a cell must be from 1 to 7"),
        ("r2b1/..", "column 1", "cell A1 has 2 orbs although the game is not over, but it explodes at 2"),
        ("../.. 3", "column 7", "expected the side to move, 1 or 2, found '3'"),
        ("../.. 1 01", "column 9", "expected the ply"),
        ("../.. 1 0 x", "column 10", "expected nothing more"),
        ("../...", "column 1", "row 2 of the board has 3 cells, but row 1 has 2"),
        ("../.é", "column 5", "is not allowed in a position"),
        ("#./..", "column 1", "expected a cell"),
    ],
)
def test_bad_texts_are_refused_with_the_place(text: str, place: str, message: str) -> None:
    with pytest.raises(ludus.ParseError, match=f"{place}.*{re.escape(message)}"):
        ludus.game("chain-reaction").parse(text)


@pytest.mark.parametrize("explosion", RULES)
def test_a_move_from_any_position_gives_a_state_that_its_text_gives_back(explosion: str) -> None:
    """Also from positions with a wrong number of plies: `r1./.. 1 1`, where Red is to move again."""
    played = game(2, 2, explosion)
    alone = 0
    for cells in itertools.product((".", "r1", "b1"), repeat=4):
        for side, ply in itertools.product("12", range(4)):
            text = f"{''.join(cells[:2])}/{''.join(cells[2:])} {side} {ply}"
            state, slow = played.parse(text), reference("chain-reaction", text, {"explosion": explosion})
            for move in state.legal_moves:
                after, slow_after = state.play(move), slow.play(move)
                assert played.parse(after.text) == after, (text, move)
                assert (after.text, after.outcome) == (slow_after.text, slow_after.outcome), (text, move)
                alone += after.outcome is not None and len(state.steps(move)) == 1
    assert alone > 0
    assert played.parse("r1./.. 1 1").play("A2").outcome.winner == 0
