"""Every game's compiled rules against its slow, obvious reference, and the promises of the Python face."""

from __future__ import annotations

import pickle
import random
import re
from typing import Any

import pytest
from conftest import folder, reference, some_game
from python_games import SubtractionGame

import ludus
from ludus import _native
from ludus.game import complete
from ludus.messages import catalogue


def same(state: Any, twin: Any) -> None:
    """The two agree in everything that can be seen."""
    assert state.text == twin.text
    assert state.legal_moves == twin.legal_moves
    assert state.side == twin.side
    assert state.scores == twin.scores
    assert (state.outcome and (state.outcome.winner, state.outcome.reason)) == twin.outcome


@pytest.mark.parametrize("seed", range(60))
def test_random_games_agree_with_the_reference_at_every_ply(name: str, seed: int) -> None:
    chooser = random.Random(seed)
    game = some_game(name, chooser)
    state: Any = game.initial(seed)
    twin = reference(name, state.text, game.options)
    same(state, twin)
    while state.outcome is None:
        move = chooser.choice(state.legal_moves)
        before, text = state, state.text
        state, twin = state.play(move), twin.play(move)
        same(state, twin)
        assert before.text == text, "playing leaves a state as it was"
        assert state.game.parse(state.text) == state
        assert before.steps(move)[-1].board == state.text.split(" ")[0]
    assert state.legal_moves == ()
    with pytest.raises(ludus.IllegalMove):
        state.play(move)


def test_states_are_values(name: str) -> None:
    game = ludus.game(name)
    state: Any = game.initial(seed=5)
    again: Any = ludus.game(name).initial(seed=5)
    assert state == again
    assert hash(state) == hash(again)
    assert {state: 1}[again] == 1
    moved = state.play(state.legal_moves[0])
    assert moved != state
    assert state != "something else"
    copy = pickle.loads(pickle.dumps(moved))
    assert copy == moved
    assert copy.game == moved.game
    assert eval(repr(moved), {"ludus": ludus}) == moved
    with pytest.raises(AttributeError):
        state.side = 1
    assert isinstance(state, ludus.State)
    assert isinstance(game, ludus.Game)
    assert str(state).strip()


def test_unknown_names_are_answered_with_the_choices(name: str) -> None:
    with pytest.raises(ValueError, match=f"there is no game 'go'.*{', '.join(ludus.games())}"):
        ludus.game("go")
    with pytest.raises(ValueError, match=f"{name} has no option 'colour'; its options are"):
        ludus.game(name, colour=1)
    for option in ludus.game(name).option_types:
        for bad in (-1, 1000, "many", "", None, 2.5, True):
            with pytest.raises(ValueError, match=f"option {option} must be"):
                ludus.game(name, **{option: bad})  # type: ignore[arg-type]


def test_perft_tables(name: str) -> None:
    """The numbers of perft.txt, by the compiled rules and, as far as it gets, by the reference."""

    def count(twin: Any, depth: int) -> int:
        if depth == 1:
            return len(twin.legal_moves)
        return sum(count(twin.play(move), depth - 1) for move in twin.legal_moves)

    lines = [line for line in (folder(name) / "perft.txt").read_text().splitlines() if line and line[0] != "#"]
    assert len(lines) >= 4
    for line in lines:
        options_text, position, *counts = (part.strip() for part in line.split(";"))
        game = ludus.game(name, **dict(word.split("=") for word in options_text.split()))
        state: Any = game.parse(position)
        for depth, wanted in enumerate(map(int, counts), 1):
            assert game.perft(state, depth) == wanted
            if wanted <= 3000:
                assert count(reference(name, state.text, game.options), depth) == wanted
    with pytest.raises(ValueError, match="depth must be 0 or more"):
        game.perft(state, -1)


@pytest.mark.parametrize("seed", range(6))
def test_a_board_and_its_mirror_image_share_one_canonical_state(name: str, seed: int) -> None:
    chooser = random.Random(seed)
    state: Any = some_game(name, chooser).initial(seed)
    while state.outcome is None:
        canonical = state.canonical
        assert canonical.canonical == canonical
        assert len(canonical.legal_moves) == len(state.legal_moves)
        assert canonical.scores == state.scores
        board, rest = state.text.split(" ", 1)
        rows = [re.findall(r"[rb]\d|.", row) for row in board.split("/")]
        assert state.game.parse(f"{'/'.join(''.join(row[::-1]) for row in rows)} {rest}").canonical == canonical
        state = state.play(chooser.choice(state.legal_moves))


def test_keys_tell_positions_apart(name: str) -> None:
    seen: dict[int, str] = {}
    for seed in range(100):
        chooser = random.Random(seed)
        state: Any = ludus.game(name).initial(seed)
        while state.outcome is None:
            board, side, *rest = (word for word in state.text.split(" ") if "-" not in word)  # points do not count
            rest = [] if state.scores is None else rest  # nor does the ply
            position = f"{board} {side} {rest}"
            assert seen.setdefault(state.key, position) == position
            state = state.play(chooser.choice(state.legal_moves))


def test_the_native_registry_knows_what_the_package_knows() -> None:
    for game in ludus.games():
        with pytest.raises(ValueError, match=r"option (rows|size) is missing"):
            _native.make_game(game, {})
    with pytest.raises(ValueError, match="no compiled game is called 'go'"):
        _native.make_game("go", {})


def test_a_lesson_has_three_steps_that_the_rules_allow(name: str) -> None:
    """The goal and every step have words; the last step of a game with lines or colours wins it."""
    game = ludus.game(name)
    assert game.lesson is not None
    assert len(game.lesson.steps) == 3
    for words, position, moves in game.lesson.steps:
        state = game.parse(position)
        assert state.outcome is None
        assert moves
        for move in moves:
            assert move in state.legal_moves
            state = state.play(move)
        assert words.code in catalogue("en")
    assert state.scores is not None or state.outcome == (0, "rules")
    for words in (game.lesson.goal, game.lesson.hint):
        assert words.code in catalogue("en")
        assert "{" not in str(words)


def test_a_game_of_another_package_needs_no_lesson() -> None:
    bare: Any = SubtractionGame().initial()
    assert complete(bare).game.lesson is None
