"""The vector environment does what Gymnasium's own does over single ones, however they go on after a game."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.vector import AutoresetMode, SyncVectorEnv

import ludus
from ludus.envs.gymnasium import SEATS, OpponentEnv, environment_id
from ludus.envs.vector import OpponentVectorEnv

CASES: list[tuple[str, dict[str, Any], Any]] = [
    *(("connect-four", {"rows": 4, "cols": 5}, mode) for mode in AutoresetMode),
    *(("magnetic-cave", {"rows": 5, "cols": 5, "line": 4}, mode) for mode in AutoresetMode),
    ("chain-reaction", {"rows": 3, "cols": 3}, AutoresetMode.SAME_STEP),
    ("cantris", {"rows": 10, "cols": 5, "rewards": "points"}, AutoresetMode.DISABLED),  # random boards: given at resets
    ("fruit-rage", {"size": 4, "types": 2, "rewards": "points"}, AutoresetMode.DISABLED),
]
GAMES = 5


@pytest.mark.parametrize("seat", ["first", "second", "swap"])
@pytest.mark.parametrize(("name", "options", "mode"), CASES, ids=str)
def test_it_is_that_many_single_environments(name: str, options: dict[str, Any], mode: Any, seat: str) -> None:
    """One action in twelve is chosen blindly, so that some are illegal."""
    given = {**options, "seat": seat, "opponent": "alphabeta:depth=1"}
    slow = SyncVectorEnv([lambda: OpponentEnv(name, **given)] * GAMES, autoreset_mode=mode)
    fast = OpponentVectorEnv(GAMES, name, autoreset_mode=mode, **given)
    start = {"state": fast.game.initial(3)}
    chooser, ended = np.random.default_rng(2), 0
    found: list[Any] = [made.reset(seed=1, options=start) for made in (fast, slow)]
    for _ in range(70):
        mask = found[0][-1]["action_mask"]
        blindly = (chooser.random(GAMES) < 1 / 12) | ~mask.any(axis=1)
        actions = np.array(
            [0 if blindly[slot] else chooser.choice(np.flatnonzero(mask[slot])) for slot in range(GAMES)]
        )
        found = [made.step(actions) for made in (fast, slow)]
        compare(*found)
        over = found[0][2]
        ended += int(over.sum())
        if mode == AutoresetMode.DISABLED and over.any():
            found = [made.reset(options={**start, "reset_mask": over.copy()}) for made in (fast, slow)]
    assert ended > GAMES


def compare(fast: Any, slow: Any) -> None:
    for one, same in zip(fast[:-1], slow[:-1], strict=True):
        np.testing.assert_array_equal(one, same)
    for key in ("action_mask", "side"):
        np.testing.assert_array_equal(fast[-1][key], slow[-1][key])
    assert ("final_obs" in fast[-1]) == ("final_obs" in slow[-1])
    if "final_obs" in fast[-1]:
        for one, same in zip(fast[-1]["final_obs"], slow[-1]["final_obs"], strict=True):
            np.testing.assert_array_equal(one, same)


@pytest.mark.parametrize("name", ludus.games())
def test_gymnasium_makes_it_and_a_seed_repeats_it(name: str) -> None:
    def played(seat: str) -> list[Any]:
        made: Any = gymnasium.make_vec(environment_id(name), 3, seat=seat)
        assert isinstance(made.unwrapped, OpponentVectorEnv)
        chooser, (observations, infos) = np.random.default_rng(1), made.reset(seed=5)
        seen = []
        for _ in range(40):
            assert observations in made.observation_space
            actions = np.array(
                [chooser.choice(np.flatnonzero(row)) if row.any() else 0 for row in infos["action_mask"]]
            )
            observations, rewards, terminated, _, infos = made.step(actions)
            seen += [observations, rewards, terminated]
        made.close()
        return seen

    for seat in SEATS:
        for one, same in zip(played(seat), played(seat), strict=True):
            np.testing.assert_array_equal(one, same)


def test_each_board_is_shown() -> None:
    made: Any = gymnasium.make_vec(environment_id("connect-four"), 2, render_mode="rgb_array", seat="second")
    made.reset(seed=1)
    first, second = made.render()
    assert first.shape == second.shape and first.dtype == np.uint8
    assert OpponentVectorEnv(2, "connect-four").render() is None
    texts: Any = OpponentVectorEnv(2, "connect-four", render_mode="ansi").render()
    assert texts == (str(ludus.game("connect-four").initial()),) * 2


def test_wrong_use_is_told() -> None:
    made = OpponentVectorEnv(2, "connect-four", autoreset_mode="Disabled")
    with pytest.raises(ValueError, match=r"no game has begun; call reset\(\) first"):
        made.step([0, 0])
    made.reset(seed=1)
    for actions, says in (
        ([0], r"takes 2 actions, .*\(1,\)"),
        ([0.0, 1.0], "whole numbers"),
        ([0, 7], "connect-four has no action 7"),
    ):
        with pytest.raises(ValueError, match=says):
            made.step(actions)
    over = np.zeros(2, np.bool_)
    while not over.any():
        over = made.step(made.action_space.sample())[2]
    with pytest.raises(ValueError, match=r"the game is over; call reset\(\) first"):
        made.step([0, 0])
