"""The games as OpenSpiel has them pass its own tests; our players and its tree search play each other's games."""

from __future__ import annotations

import importlib
import os
import pickle
import subprocess
import sys
import unittest
from typing import Any

import numpy as np
import pytest

import ludus
from ludus.envs.openspiel import MctsPlayer, PlayerBot, load_game, short_name
from ludus.play.clock import Clock, TimeLeft

pyspiel: Any = pytest.importorskip("pyspiel")
make_observation: Any = pytest.importorskip("open_spiel.python.observation").make_observation
get_all_states: Any = pytest.importorskip("open_spiel.python.algorithms.get_all_states")
minimax: Any = pytest.importorskip("open_spiel.python.algorithms.minimax")
pytest.importorskip("absl.flags").FLAGS.mark_as_parsed()  # as its own programs do

CASES = [
    *((name, {}) for name in ludus.games()),
    ("cantris", {"rows": 10, "cols": 5, "second_removal": "optional"}),
    ("chain-reaction", {"rows": 3, "cols": 4, "explosion": "dies"}),
    ("connect-four", {"rows": 4, "cols": 5, "line": 3}),
    ("fruit-rage", {"size": 5, "types": 2}),
    ("magnetic-cave", {"rows": 6, "cols": 5, "line": 4}),
]
NO_CLOCK = TimeLeft(Clock.parse("none"), None)


@pytest.mark.parametrize(("name", "options"), CASES, ids=str)
def test_the_tests_of_the_library_pass(name: str, options: dict[str, Any], tmp_path: Any) -> None:
    game = load_game(name, **options)
    pyspiel.random_sim_test(game, num_sims=2, serialize=True, verbose=False)
    generate_playthrough: Any = importlib.import_module("open_spiel.python.algorithms.generate_playthrough")  # slow
    text = generate_playthrough.playthrough(str(game), None)
    path = tmp_path / "playthrough.txt"
    path.write_text(text)
    assert generate_playthrough.replay(path) == (text, text)


@pytest.mark.parametrize(("name", "options"), CASES, ids=str)
def test_states_are_ours(name: str, options: dict[str, Any]) -> None:
    """Moves, observations and returns are those of the game, with every state of a random game."""
    game = load_game(name, **options)
    ours: Any = ludus.game(name, **options).initial()
    state, chooser = game.new_initial_state(), np.random.default_rng(3)
    observer = make_observation(game)
    assert game.observation_tensor_shape() == [*ours.game.plane_shape]
    length = 0
    while ours.outcome is None:
        assert (state.current_player(), state.is_terminal(), state.returns()) == (ours.side, False, [0.0, 0.0])
        assert state.legal_actions() == [*ours.legal_actions]
        assert [state.action_to_string(action) for action in state.legal_actions()] == [*ours.legal_moves]
        for side in (0, 1):
            observer.set_from(state, side)
            assert np.array_equal(observer.tensor.reshape(ours.game.plane_shape), ours.planes(side))
            assert state.observation_string(side) == ours.text
        action = int(chooser.choice(state.legal_actions()))
        kept = state.clone()
        state.apply_action(action)
        assert str(kept) == ours.text
        ours, length = ours.play_action(action), length + 1
    assert length <= game.max_game_length()
    assert (state.is_terminal(), state.legal_actions()) == (True, [])
    expected = {0: [1.0, -1.0], 1: [-1.0, 1.0], None: [0.0, 0.0]}[ours.outcome.winner]
    assert state.returns() == expected
    assert str(pickle.loads(pickle.dumps(game))) == str(game)


def test_algorithms_of_the_library_find_the_value_that_ours_proves() -> None:
    game = load_game("chain-reaction", rows=2, cols=2)
    value, _ = minimax.alpha_beta_search(game)
    proven = ludus.analyse(ludus.game("chain-reaction", rows=2, cols=2).initial(), seconds=60)
    assert proven.exact
    assert value == proven.value == -1
    assert len(get_all_states.get_all_states(load_game("connect-four", rows=3, cols=3, line=3), depth_limit=3)) > 20


def test_the_board_and_the_options_are_parameters() -> None:
    game = pyspiel.load_game("ludus_cantris(rows=6,cols=3,seed=5)")
    assert str(game.new_initial_state()) == ludus.game("cantris", rows=6, cols=3).initial(5).text
    with pytest.raises(ValueError, match="option rows must be a whole number from 3 to 7, not 50"):
        pyspiel.load_game("ludus_connect_four(rows=50)")
    assert {short_name(name) for name in ludus.games()} <= set(pyspiel.registered_names())


def test_a_state_begins_with_a_text_or_a_state_of_its_game() -> None:
    game, position = load_game("connect-four"), ludus.game("connect-four").initial().play("D")
    assert str(game.new_initial_state(position.text)) == str(game.new_initial_state(position)) == position.text
    with pytest.raises(ValueError, match="line 1, column 1"):
        game.new_initial_state("?")
    with pytest.raises(ValueError, match="the state to begin with must be of"):
        game.new_initial_state(ludus.game("cantris").initial())


@pytest.mark.parametrize("name", ludus.games())
def test_the_api_test_of_the_library_passes(name: str, capfd: pytest.CaptureFixture[str]) -> None:
    library = pytest.importorskip("open_spiel.integration_tests.api_test")
    case = type(name, (library.EnforceAPIOnPartialTreeBase,), {"game_name": short_name(name), "game": load_game(name)})
    result = unittest.TestResult()
    unittest.defaultTestLoader.loadTestsFromTestCase(case).run(result)
    assert result.testsRun >= 5
    assert result.wasSuccessful(), [text for _, text in (*result.errors, *result.failures)]
    capfd.readouterr()  # it says which errors it asked for


def test_our_engine_is_a_bot_of_theirs() -> None:
    game = load_game("connect-four")
    engine, other = PlayerBot("engine:nodes=500"), pyspiel.make_uniform_random_bot(1, 7)
    assert pyspiel.evaluate_bots(game.new_initial_state(), [engine, other], 1) == [1.0, -1.0]
    with pytest.raises(ValueError, match="there is no player 'engin'"):
        PlayerBot("engin")
    with pytest.raises(ValueError, match="is not a game of Ludus; their names begin with ludus_"):
        engine.step(pyspiel.load_game("tic_tac_toe").new_initial_state())


def test_their_tree_search_is_a_player_of_ours() -> None:
    game = ludus.game("connect-four")
    record = ludus.play_match(game, ("openspiel-mcts:simulations=60,seed=1", "random:seed=2"))
    assert record.outcome == ludus.Outcome(0)
    wins = game.parse("......./......./......./......./..ooo../..xxx.. 1")
    chosen = {MctsPlayer(simulations="200", seed=str(seed)).choose(wins, NO_CLOCK) for seed in range(3)}
    assert chosen <= {"B", "F"}
    for options, says in (
        ({"simulation": "3"}, "openspiel-mcts has no option 'simulation'; its options are simulations, rollouts"),
        ({"simulations": "x"}, "option simulations must be a whole number from 1"),
        ({"seed": "x"}, "seed"),
    ):
        with pytest.raises(ValueError, match=says):
            MctsPlayer(**options)


def test_a_program_that_used_it_ends_well() -> None:
    """OpenSpiel keeps what is registered until after Python has gone."""
    program = "import ludus.envs.openspiel as o; print(o.load_game('cantris').new_initial_state())"
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, check=True, text=True, env=os.environ)
    assert ran.stdout.strip() == ludus.game("cantris").initial().text
