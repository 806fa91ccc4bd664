"""Actions, planes and symmetries agree with the rules; batches agree with states that are played one by one."""

from __future__ import annotations

import copy
import os
import pickle
import random
import subprocess
import sys
import threading
from typing import Any

import numpy as np
import pytest
from patience import PATIENCE
from python_games import SubtractionGame
from small_games import SMALL

import ludus
from ludus.batches import PythonCore
from ludus.game import Game, complete

GAMES = [
    *((name, {}) for name in ludus.games()),
    *SMALL,
    ("cantris", {"rows": 10, "cols": 5, "second_removal": "optional"}),
    ("chain-reaction", {"rows": 4, "cols": 4, "explosion": "dies"}),
]
ARRAYS = ("legal", "observations", "rewards", "done", "sides")


@pytest.fixture(params=GAMES, ids=str)
def game(request: pytest.FixtureRequest) -> Game:
    name, options = request.param
    return ludus.game(name, **options)


def test_actions_and_planes_and_images_agree_with_the_rules(game: Game) -> None:
    seen: dict[bytes, str] = {}
    chooser, state = random.Random(5), game.initial(5)
    while state.outcome is None:
        assert [game.actions.text(action) for action in state.legal_actions] == [*state.legal_moves]
        assert state.planes().shape == game.plane_shape
        assert np.abs(state.planes()).max() <= 1
        assert seen.setdefault(state.planes().tobytes(), state.text) == state.text
        for symmetry in game.symmetries:
            image, goes = symmetry.state(state), symmetry.permutation(state)
            assert np.array_equal(symmetry.planes(state.planes()), image.planes())
            assert sorted(goes) == [*range(len(game.actions))]
            assert {int(goes[action]) for action in state.legal_actions} == {*image.legal_actions}
            action = chooser.choice(state.legal_actions)
            assert symmetry.state(state.play_action(action)) == image.play_action(int(goes[action]))
        action = chooser.choice(state.legal_actions)
        after = state.play_action(action)
        assert after == state.play(game.actions.text(action))
        state = after


@pytest.mark.parametrize("auto_reset", [True, False])
def test_a_batch_is_its_states_played_one_by_one(game: Game, auto_reset: bool) -> None:
    points = game.initial().scores is not None
    fast = ludus.batch(game, 3, seed=7, auto_reset=auto_reset, rewards="points" if points else "outcome")
    slow = PythonCore(game, 3, seed=7, auto_reset=auto_reset, points=points)
    chooser = np.random.default_rng(1)
    for _ in range(60):
        for name in ARRAYS:
            array = slow.arrays()[name]
            assert np.array_equal(getattr(fast, name).reshape(array.shape), array), name
        assert [state.text for state in fast] == [slow.state(None, slot).text for slot in range(3)]
        actions = np.array([chooser.choice(np.flatnonzero(row)) if row.any() else 0 for row in fast.legal], np.int32)
        fast.step(actions)
        assert slow.step(actions) == -1


WAYS_TO_COPY = [copy.copy, copy.deepcopy, lambda made: pickle.loads(pickle.dumps(made))]


@pytest.mark.parametrize("auto_reset", [True, False])
@pytest.mark.parametrize("copied", WAYS_TO_COPY)
def test_a_copy_of_a_batch_goes_on_as_it_does(game: Game, copied: Any, auto_reset: bool) -> None:
    goes_on(ludus.batch(game, 3, seed=5, auto_reset=auto_reset), copied)


@pytest.mark.parametrize("copied", WAYS_TO_COPY)
def test_so_does_one_of_a_game_in_python(monkeypatch: pytest.MonkeyPatch, copied: Any) -> None:
    monkeypatch.setattr("ludus.batches.NativeGame", int)
    goes_on(ludus.batch("connect-four", 3, seed=5), copied)


def goes_on(batch: ludus.Batch, copied: Any) -> None:
    batch.random_steps(11)
    batch.step(batch.random_actions())
    made = copied(batch)
    for _ in range(3):
        for name in ARRAYS:
            assert np.array_equal(getattr(made, name), getattr(batch, name)), name
            assert not np.shares_memory(getattr(made, name), getattr(batch, name))
        assert [*made] == [*batch]
        assert made.random_steps(30) == batch.random_steps(30)
    before = copied(made)
    made.reset(1)
    assert [*before] == [*batch], "it is another batch"


def test_threads_change_nothing() -> None:
    one, two = (ludus.batch("cantris", 700, seed=3, threads=threads) for threads in (1, 2))
    assert one.random_steps(40) == two.random_steps(40) > 0
    assert np.array_equal(one.observations, two.observations)
    assert np.array_equal(one.legal, two.legal)


@pytest.mark.parametrize(
    ("actions", "says"),
    [
        ([0.0, 1.0], "actions must be whole numbers, not an array of type float64"),
        (["A", "B"], "actions must be whole numbers, not an array of type <U1"),
        (np.array([True, False]), "actions must be whole numbers, not an array of type bool"),
        (np.array([0, 2**32]), "state 1 of the batch: connect-four has no action 4294967296; its actions are 0 to 6"),
        ([0, -1], "state 1 of the batch: connect-four has no action -1"),
        ([[0], [1]], "the batch takes 2 actions, one for each state, not an array of shape \\(2, 1\\)"),
    ],
    ids=str,
)
def test_what_is_no_action_is_refused(actions: Any, says: str) -> None:
    batch = ludus.batch("connect-four", 2)
    with pytest.raises(ValueError, match=says):
        batch.step(actions)
    assert not batch.sides.any(), "nothing is played"


def test_actions_may_be_any_whole_numbers_anywhere() -> None:
    batch = ludus.batch("connect-four", 2)
    for number, kind in enumerate(("i8", "u1", ">i4", "i4")):
        actions: Any = np.arange(4).astype(kind)[::2]
        actions.flags.writeable = False
        batch.step(actions)
        assert batch.sides.tolist() == [(number + 1) % 2] * 2


@pytest.mark.parametrize("name", ludus.games())
def test_what_is_written_into_the_arrays_changes_no_game(name: str) -> None:
    batch = ludus.batch(name, 1)
    batch.legal[:] = batch.done[:] = True
    with pytest.raises(ludus.IllegalMove):
        for _ in range(200):
            batch.step([0])
            batch.legal[:] = True


def test_threads_may_share_a_batch() -> None:
    batch = ludus.batch("cantris", 1000, threads=2)
    steps = [threading.Thread(target=lambda: [batch.random_steps(5) for _ in range(10)]) for _ in range(4)]
    for thread in steps:
        thread.start()
    for thread in steps:
        thread.join(PATIENCE)
    alone = ludus.batch("cantris", 1000, threads=1)
    alone.random_steps(200)
    assert np.array_equal(batch.observations, alone.observations)


def test_a_forked_process_goes_on_alone() -> None:
    batch = ludus.batch("connect-four", 1000, threads=2)
    batch.random_steps(1)
    child = os.fork()
    if child == 0:
        batch.random_steps(3)
        del batch
        os._exit(7)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 7


def test_the_arrays_lie_where_other_libraries_take_them_without_a_copy() -> None:
    batch = ludus.batch("chain-reaction", 5)
    for array in (getattr(batch, name) for name in ARRAYS):
        assert array.ctypes.data % 64 == 0
        assert np.shares_memory(np.from_dlpack(array), array)


def test_a_library_that_keeps_an_array_to_the_end_is_no_leak() -> None:
    keep = "ctypes.pythonapi.Py_IncRef(ctypes.py_object(ludus.batch('connect-four', 2).observations))"
    ran = subprocess.run([sys.executable, "-c", f"import ctypes, ludus; {keep}"], capture_output=True, check=True)
    assert ran.stderr == b""


def test_a_finished_game_without_auto_reset_stays_finished() -> None:
    batch = ludus.batch("connect-four", 3, auto_reset=False)
    assert batch.random_steps(50) == 3
    assert batch.done.all()
    assert not batch.legal.any()
    batch.step([99, -1, 3])
    assert not batch.rewards.any()
    assert [state.outcome is None for state in batch] == [False] * 3
    batch[1] = batch.game.initial()
    assert batch.done.tolist() == [True, False, True]


def test_bad_arguments_of_a_batch_are_told() -> None:
    for states, says in ((0, "from 1 to 16777216 states, not 0"), (2**24 + 1, "from 1 to 16777216")):
        with pytest.raises(ValueError, match=says):
            ludus.batch("cantris", states)
    with pytest.raises(TypeError, match="'float' object cannot be interpreted as an integer"):
        ludus.batch("cantris", 1.5)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="there is no game 'chess'"):
        ludus.batch("chess", 1)
    with pytest.raises(ValueError, match="the number of steps must be at least 0, not -1"):
        ludus.batch("cantris", 1).random_steps(-1)
    batch = ludus.batch("connect-four", 1)
    with pytest.raises(ValueError, match=r"the batch has states of .*, not of .*rows=5"):
        batch[0] = ludus.game("connect-four", rows=5).initial()
    with pytest.raises(IndexError):
        _ = batch[1]


def test_an_illegal_action_is_named_and_nothing_is_played() -> None:
    batch = ludus.batch(ludus.game("fruit-rage", size=2, types=1), 2)
    with pytest.raises(ludus.IllegalMove, match="state 1 of the batch: B2 is another name of A1"):
        batch.step([0, 3])
    assert not batch.done.any()
    with pytest.raises(ValueError, match="the batch takes 2 actions"):
        batch.step([0])
    with pytest.raises(ValueError, match="connect-four has no action 9; its actions are 0 to 6"):
        ludus.game("connect-four").actions.text(9)


def test_a_game_of_another_package_says_what_it_needs() -> None:
    start: Any = SubtractionGame().initial()
    game = complete(start).game
    with pytest.raises(ValueError, match="must list every move text in action_texts"):
        _ = game.actions
    with pytest.raises(ValueError, match="must list the characters of its board in marks"):
        game.initial().planes()
