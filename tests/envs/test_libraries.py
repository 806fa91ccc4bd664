"""The environments pass the test suites of the libraries themselves."""

from __future__ import annotations

import copy
import itertools
import pickle
import time
import warnings
from types import SimpleNamespace
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env

import ludus
from ludus.envs.gymnasium import SEATS, OpponentEnv, environment_id
from ludus.envs.gymnasium import env as gymnasium_env
from ludus.envs.pettingzoo import env, raw_env

with warnings.catch_warnings():
    warnings.simplefilter("ignore", DeprecationWarning)  # the library's tests use the library's old names
    from pettingzoo.test import (
        api_test,
        parallel_api_test,
        parallel_seed_test,
        performance_benchmark,
        render_test,
        seed_test,
    )
    from pettingzoo.test.state_test import state_test
    from pettingzoo.utils.conversions import turn_based_aec_to_parallel

CASES = [
    *((name, {}) for name in ludus.games()),
    ("cantris", {"rows": 6, "cols": 3}),
    ("cantris", {"rows": 10, "cols": 5}),
    ("cantris", {"rows": 10, "cols": 5, "second_removal": "optional", "rewards": "points"}),
    ("chain-reaction", {"rows": 4, "cols": 4, "explosion": "dies"}),
    ("chain-reaction", {"rows": 3, "cols": 5, "explosion": "keeps-surplus"}),
    ("connect-four", {"rows": 5, "cols": 6}),
    ("fruit-rage", {"size": 5, "types": 3, "rewards": "points"}),
    ("magnetic-cave", {"rows": 6, "cols": 7, "line": 4}),
]


@pytest.mark.parametrize(("name", "options"), CASES, ids=str)
def test_pettingzoo(name: str, options: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Observation numpy array is all zeros")  # the board is empty
        warnings.filterwarnings("ignore", ".* in the shape of a graphical observation")  # a board of three columns
        api_test(env(name, mask="info", **options), num_cycles=60)
        warnings.filterwarnings("ignore", "Observation")  # of any dict but those of the library's own games
        api_test(env(name, **options), num_cycles=60)
        warnings.filterwarnings("ignore", "State numpy array is all zeros|.* in the shape of a graphical")
        state_test(env(name, **options), turn_based_aec_to_parallel(env(name, **options)))
    seed_test(lambda: env(name, **options), num_cycles=20)
    render_test(lambda render_mode: env(name, render_mode=render_mode, **options))
    parallel_api_test(turn_based_aec_to_parallel(raw_env(name, **options)), num_cycles=60)
    parallel_seed_test(lambda: turn_based_aec_to_parallel(env(name, **options)), num_cycles=20)  # it knows no mask


def test_the_benchmark_of_pettingzoo_runs(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    seconds = itertools.count()
    module = SimpleNamespace(**{**vars(time), "time": lambda: next(seconds)})  # it measures five of them
    monkeypatch.setitem(performance_benchmark.__globals__, "time", module)
    performance_benchmark(env("cantris", rows=10, cols=5))
    assert "Finished performance benchmark" in capsys.readouterr().out


def test_an_illegal_action_and_wrong_arguments_are_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("gymnasium.logger.warn", lambda *_: None)
    made = env("connect-four")
    made.reset(seed=1)
    for _ in range(7):
        made.step(0)
    assert made.rewards["player_0"] == -1
    assert all(made.terminations.values())
    with pytest.raises(ValueError, match="mask must be one of observation, info, not 'no'"):
        env("cantris", mask="no")
    with pytest.raises(ValueError, match="render_mode must be one of ansi, rgb_array, human, not 'svg'"):
        env("cantris", render_mode="svg")
    with pytest.raises(ValueError, match="option rows must be"):
        env("cantris", rows=99)


@pytest.mark.parametrize("name", ludus.games())
def test_gymnasium(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SDL_VIDEODRIVER", "dummy")
    check_env(gymnasium.make(environment_id(name), seat="second", render_mode="ansi").unwrapped)


def test_the_short_way_makes_the_same() -> None:
    made = gymnasium_env("cantris", rows=6, cols=3, opponent="greedy", render_mode="ansi")
    check_env(made)
    assert (made.game.options["rows"], made.spec.kwargs["opponent"]) == (6, "greedy")
    with pytest.raises(ValueError, match="there is no game 'chess'"):
        gymnasium_env("chess")
    with pytest.raises(ValueError, match="option rows must be"):
        gymnasium_env("cantris", rows=99)


OPPONENTS = ("greedy", "engine:level=2", "random", "mcts:playouts=10")


@pytest.mark.parametrize(("seat", "opponent"), [*zip(SEATS, OPPONENTS, strict=True)])
def test_gymnasium_with_opponents_and_seats(seat: str, opponent: str) -> None:
    check_env(
        OpponentEnv("cantris", opponent=opponent, seat=seat, rewards="points", rows=10, cols=5), skip_render_check=True
    )


@pytest.mark.parametrize("mode", ["sync", "async"])
def test_gymnasium_vectorised(mode: Any) -> None:
    made: Any = gymnasium.make_vec(environment_id("connect-four"), 3, vectorization_mode=mode, seat="swap")
    chooser = np.random.default_rng(1)
    observations, infos = made.reset(seed=[4, 5, 6])
    ended = 0
    for _ in range(60):
        masks = infos["action_mask"]  # empty where a game is over: the next step begins another one there
        actions = np.array([chooser.choice(np.flatnonzero(mask)) if mask.any() else 0 for mask in masks])
        observations, rewards, terminated, _, infos = made.step(actions)
        assert observations.shape == (3, 2, 6, 7)
        assert not rewards[~terminated].any()
        ended += int(terminated.sum())
    made.close()
    assert ended > 3


def test_an_agent_meets_a_player_from_both_seats() -> None:
    made = OpponentEnv("connect-four", opponent="engine:level=4", seat="swap")
    sides = []
    for seed in (3, None, None):
        _, info = made.reset(seed=seed)
        sides.append(info["side"])
        ended = False
        while not ended:
            action = int(np.flatnonzero(info["action_mask"])[0])
            _, reward, ended, _, info = made.step(action)
        assert reward in (-1.0, 0.0, 1.0)
    assert sides == [0, 1, 0]


NO_ACTIONS = [3.7, 3.0, "D", None, np.array([1]), -1, 7, np.float32(2)]


@pytest.mark.parametrize("action", NO_ACTIONS, ids=repr)
@pytest.mark.parametrize("make", [raw_env, OpponentEnv])
def test_what_is_no_action_is_an_error_and_loses_nothing(make: Any, action: Any) -> None:
    made = make("connect-four")
    made.reset(seed=1)
    with pytest.raises(ValueError, match=r"connect-four has no action .*0 to 6"):
        made.step(action)
    made.step(np.array(3))


def test_a_game_that_is_over_takes_no_action() -> None:
    made = OpponentEnv("magnetic-cave", rows=5, cols=5)
    for illegal in (True, False):
        made.reset(seed=1)
        ended = False
        while not ended:
            _, _, ended, _, info = made.step(0 if illegal else int(np.flatnonzero(made.action_masks())[0]))
        assert info.get("illegal", False) == illegal
        with pytest.raises(ValueError, match=r"the game is over; call reset\(\) first"):
            made.step(1)


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda made: pickle.loads(pickle.dumps(made))])
@pytest.mark.parametrize("opponent", OPPONENTS)
def test_an_environment_can_be_copied_in_the_middle_of_a_game(copied: Any, opponent: str) -> None:
    made = gymnasium.make(environment_id("connect-four"), opponent=opponent)
    made.reset(seed=1)
    made.step(3)
    other = copied(made)
    for action in (2, 4, 5):
        for one, same in zip(made.step(action), other.step(action), strict=True):
            np.testing.assert_equal(one, same)


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda made: pickle.loads(pickle.dumps(made))])
def test_so_can_one_of_pettingzoo_and_one_of_many_games(copied: Any) -> None:
    made = env("cantris", rows=10, cols=5)
    made.reset(seed=1)
    made.step(0)
    other = copied(made)
    for one in (made, other):
        one.step(3)
    np.testing.assert_equal(made.last(), other.last())
    many: Any = gymnasium.make_vec(environment_id("connect-four"), 3, seat="swap")
    many.reset(seed=1)
    others = copied(many)
    for _ in range(8):  # some games end, others begin
        for one, same in zip(many.step(np.array([3, 3, 2])), others.step(np.array([3, 3, 2])), strict=True):
            np.testing.assert_equal(one, same)


def made_gymnasium(game: str, **options: Any) -> Any:
    return OpponentEnv(game, **options)


@pytest.mark.parametrize("make", [env, made_gymnasium])
def test_a_game_begins_with_a_state_of_its_own_only(make: Any) -> None:
    own = ludus.game("connect-four", rows=5)
    made = make("connect-four", rows=5)
    made.reset(seed=1, options={"state": own.initial().play("D")})
    for other in (ludus.game("connect-four").initial(), ludus.game("cantris").initial()):
        with pytest.raises(ValueError, match=r"the state to begin with must be of .*rows=5\), not of ludus.game"):
            made.reset(seed=1, options={"state": other})
    with pytest.raises(ValueError, match="'D' is not a state; game"):
        made.reset(seed=1, options={"state": "D"})


def test_an_agent_that_meets_a_person_or_forgets_reset_is_told() -> None:
    with pytest.raises(ValueError, match="human: a person cannot play here"):
        OpponentEnv("cantris", opponent="human")
    made = OpponentEnv("connect-four", render_mode="ansi")
    for use in (lambda: made.step(0), made.render, made.action_masks):
        with pytest.raises(ValueError, match=r"no game has begun; call reset\(\) first"):
            use()
