"""Many states of one game at once, as arrays: `ludus.batch`.

Compiled games are stepped in native code by threads, and the arrays show its memory; games in Python are stepped one by
one, behind the same face. Knows games and arrays; nothing of learning.
"""

from __future__ import annotations

import operator
import os
import random
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from ludus.errors import IllegalMove, UserError, message_of
from ludus.game import MASK_64, Game, NativeGame, State, complete
from ludus.game import game as game_of
from ludus.messages import Message

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

OUTCOME, POINTS = REWARDS = ("outcome", "points")
"""What a reward is: +1, 0 or -1 at the end of a game, or the points of each step, mine minus theirs."""
MOST_STATES = 1 << 24
MOST_THREADS = 1024
AT_ONCE = 1 << 20
"""How many random moves are played before Ctrl-C is noticed."""
INT32 = np.dtype(np.int32)
COPIED = ("done", "rewards", "seeds", "random")
"""The arrays that a copy takes over beside the states, which fill the others."""


def check_rewards(game: Game, rewards: str) -> bool:
    """Return whether rewards are points; raise UserError for a kind that there is not, or that the game has not."""
    if rewards not in REWARDS:
        raise UserError("rules.rewards", choices=list(REWARDS), value=repr(rewards))
    if rewards == POINTS and game.initial().scores is None:
        raise UserError("rules.no_points", name=game.name)
    return rewards == POINTS


def rewards_of(before: State, after: State, *, points: bool) -> tuple[float, float]:
    """Return what a move gave to the first and to the second side."""
    if points:
        assert before.scores is not None
        assert after.scores is not None
        gain = float(after.scores[0] - before.scores[0] - (after.scores[1] - before.scores[1]))
        return gain, -gain
    if after.outcome is None or after.outcome.winner is None:
        return 0.0, 0.0
    return (1.0, -1.0) if after.outcome.winner == 0 else (-1.0, 1.0)


class Core(Protocol):
    """What holds the states: the compiled batch, or the one below."""

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the arrays by name, which stay the same."""

    def step(self, chosen: NDArray[np.int32]) -> int:
        """Play one action in each state; return the slot of one that is not legal, or -1."""

    def reset(self, seed: int) -> None:
        """Begin new games."""

    def random_steps(self, count: int) -> int:
        """Play that many random moves in each slot; return how many games ended."""

    def choose_randomly(self) -> None:
        """Fill the array `actions` with random legal ones."""

    def state(self, owner: Any, slot: int) -> State:
        """Return the state of a slot."""

    def put(self, slot: int, state: Any) -> None:
        """Put another state into a slot."""


class PythonCore:
    """States of any game, stepped one by one; it does what the compiled batch does, and checks it in the tests."""

    def __init__(self, game: Game, states: int, *, seed: int, auto_reset: bool, points: bool) -> None:
        self._game, self._auto_reset, self._points = game, auto_reset, points
        self._arrays: dict[str, NDArray[Any]] = {
            "legal": np.zeros((states, len(game.actions)), np.bool_),
            "done": np.zeros(states, np.bool_),
            "sides": np.zeros(states, np.int8),
            "actions": np.zeros(states, np.int32),
            "observations": np.zeros((states, int(np.prod(game.plane_shape))), np.float32),
            "rewards": np.zeros((states, 2), np.float32),
            "seeds": np.zeros(states, np.uint64),
            "random": np.zeros(states, np.uint64),
        }
        self._states: list[State] = []
        self.reset(seed)

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return the arrays by name, which stay the same."""
        return self._arrays

    def reset(self, seed: int) -> None:
        """Begin new games."""
        chooser = random.Random(seed)
        seeds = [seed + slot & MASK_64 for slot in range(len(self._arrays["done"]))]
        self._arrays["seeds"][:] = seeds
        self._arrays["random"][:] = [chooser.getrandbits(64) for _ in seeds]
        self._states = [complete(self._game.initial(one)) for one in seeds]
        for slot, state in enumerate(self._states):
            self.put(slot, state)

    def step(self, chosen: NDArray[np.int32]) -> int:
        """Play one action in each state; return the slot of one that is not legal, or -1."""
        legal = self._arrays["legal"]
        for slot, (state, action) in enumerate(zip(self._states, chosen, strict=True)):
            if state.outcome is None and not (0 <= action < legal.shape[1] and legal[slot, action]):
                return slot
        for slot, action in enumerate(chosen):
            self._play(slot, int(action))
        return -1

    def _play(self, slot: int, action: int) -> None:
        arrays, before = self._arrays, self._states[slot]
        arrays["rewards"][slot] = 0.0
        if before.outcome is not None:
            return
        after = complete(before.play_action(action))
        arrays["rewards"][slot] = rewards_of(before, after, points=self._points)
        arrays["done"][slot] = after.outcome is not None
        if after.outcome is not None and self._auto_reset:
            arrays["seeds"][slot] = seed = int(arrays["seeds"][slot]) + len(self._states) & MASK_64
            after = complete(self._game.initial(seed))
        self._states[slot] = after
        self._show(slot)

    def _show(self, slot: int) -> None:
        arrays, state = self._arrays, self._states[slot]
        arrays["sides"][slot] = state.side
        arrays["legal"][slot] = False
        arrays["legal"][slot, list(state.legal_actions)] = True
        arrays["observations"][slot] = state.planes().ravel()

    def random_steps(self, count: int) -> int:
        """Play that many random moves in each slot; return how many games ended."""
        ended = 0
        for _ in range(count):
            open_before = [state.outcome is None for state in self._states]
            self.choose_randomly()
            self.step(self._arrays["actions"])
            ended += int(np.sum(self._arrays["done"] & open_before))
        return ended

    def choose_randomly(self) -> None:
        """Fill the array `actions` with random legal ones."""
        for slot, state in enumerate(self._states):
            chooser = random.Random(int(self._arrays["random"][slot]))
            self._arrays["actions"][slot] = chooser.choice(state.legal_actions) if state.outcome is None else 0
            self._arrays["random"][slot] = chooser.getrandbits(64)

    def state(self, owner: Any, slot: int) -> State:  # noqa: ARG002 - states know their game
        """Return the state of a slot."""
        return self._states[slot]

    def put(self, slot: int, state: State) -> None:
        """Put another state into a slot."""
        self._states[slot] = complete(state)
        self._arrays["done"][slot] = state.outcome is not None
        self._arrays["rewards"][slot] = 0.0
        self._show(slot)


class Batch:
    """States of one game that are played at once. Its arrays are the same objects for ever; each step changes them.

    What is written into the arrays changes no game. Threads may share a batch: one waits for the other. A copy has
    arrays of its own and goes on as the original does, random moves included; so does what was pickled. `ludus.batch`
    makes one; `batch[slot]` is a state of it, and can be set.

    Args:
        game: The game.
        core: What holds the states.
        settings: The arguments of `ludus.batch` that it was made with.

    Example:
        >>> batch = ludus.batch("connect-four", 2)
        >>> batch.step([3, 0])
        >>> batch[0].text
        '......./......./......./......./......./...x... 2'
    """

    def __init__(self, game: Game, core: Core, settings: dict[str, Any]) -> None:
        self.game = game
        self._core, self._settings = core, settings
        arrays = core.arrays()
        self.legal: NDArray[np.bool_] = arrays["legal"]
        """(states, actions): which actions are legal."""
        self.observations: NDArray[np.float32] = arrays["observations"].reshape(-1, *game.plane_shape)
        """(states, planes, rows, columns): the planes as the side to move sees them."""
        self.rewards: NDArray[np.float32] = arrays["rewards"]
        """(states, 2): what the last step gave to the first and to the second side."""
        self.done: NDArray[np.bool_] = arrays["done"]
        """(states,): where the last step ended a game; without auto-reset, where no game goes on."""
        self.sides: NDArray[np.int8] = arrays["sides"]
        """(states,): whose move it is."""
        self._actions: NDArray[np.int32] = arrays["actions"]

    def __reduce__(self) -> tuple[Any, ...]:
        arrays = self._core.arrays()
        return _copied, (self.game, [*self], {name: arrays[name].copy() for name in COPIED}, self._settings)

    def __len__(self) -> int:
        return len(self.done)

    def __repr__(self) -> str:
        return f"<{len(self)} states of {self.game!r}>"

    def __getitem__(self, slot: int) -> State:
        return self._core.state(self.game, self._checked(slot))

    def __setitem__(self, slot: int, state: State) -> None:
        game = getattr(state, "game", None)
        if game != self.game:
            raise UserError("rules.batch_other_game", game=repr(self.game), given=repr(state if game is None else game))
        self._core.put(self._checked(slot), state)

    def __iter__(self) -> Iterator[State]:
        return (self[slot] for slot in range(len(self)))

    def _checked(self, slot: int) -> int:
        slot = operator.index(slot)
        if not -len(self) <= slot < len(self):
            raise IndexError(f"the batch has {len(self)} states")
        return slot % len(self)

    def step(self, actions: ArrayLike) -> None:
        """Play one action in each state. Raise IllegalMove, and play nothing, if one of them is not legal.

        Actions of states whose game is over are ignored.
        """
        if not isinstance(actions, np.ndarray):
            actions = np.asarray(actions)
        if actions.shape != self._actions.shape:
            raise UserError("rules.batch_actions", states=len(self), shape=str(actions.shape))
        slot = self._core.step(actions if actions.dtype is INT32 else self._whole_numbers(actions))
        if slot >= 0:
            try:
                self.game.actions.text(int(actions[slot]))
                self[slot].play_action(int(actions[slot]))
            except ValueError as error:
                raise IllegalMove(Message("rules.illegal.in_slot", slot=slot, problem=message_of(error))) from None

    def _whole_numbers(self, actions: NDArray[Any]) -> NDArray[np.int32]:
        """Return actions of another type of whole numbers; those that are out of range stay so."""
        if actions.dtype.kind not in "iu":
            raise UserError("rules.batch_numbers", type=str(actions.dtype))
        within = (actions >= 0) & (actions < self.legal.shape[1])
        return np.where(within, actions, -1).astype(np.int32)

    def reset(self, seed: int = 0) -> None:
        """Begin new games: the one in slot i with `game.initial(seed + i)`, the next one there with `seed + i + n`."""
        self._core.reset(operator.index(seed) & MASK_64)

    def random_actions(self) -> NDArray[np.int32]:
        """Return a random legal action for each state, in an array that the next call fills again."""
        self._core.choose_randomly()
        return self._actions

    def random_steps(self, count: int) -> int:
        """Play that many random moves in each state; return how many games ended. The arrays show the last step."""
        count = operator.index(count)
        if count < 0:
            raise UserError("rules.batch_steps", count=count)
        piece = max(1, AT_ONCE // len(self))
        return sum(self._core.random_steps(min(piece, count - begin)) for begin in range(0, count, piece))


def batch(
    game: Game | str,
    states: int,
    *,
    seed: int = 0,
    threads: int | None = None,
    auto_reset: bool = True,
    rewards: str = OUTCOME,
) -> Batch:
    """Return that many states of a game, to be played at once.

    Args:
        game: A game, or the name of one.
        states: How many.
        seed: Slot i begins with `game.initial(seed + i)`; random moves depend on it too.
        threads: How many threads play; all cores unless given. They change no result.
        auto_reset: Whether a game that ends is followed by the next one in the same step: `done` and `rewards` tell of
            the old game, `legal` and `observations` of the new one.
        rewards: `outcome`, or `points` in games that have them.

    Raises:
        ValueError: There is no such game, or a number is out of range.

    Example:
        >>> batch = ludus.batch("connect-four", 64)
        >>> batch.step(batch.random_actions())
        >>> batch.legal.shape, batch.observations.shape
        ((64, 7), (64, 2, 6, 7))
    """
    made = game_of(game) if isinstance(game, str) else complete(game.initial()).game
    states, seed = operator.index(states), operator.index(seed) & MASK_64
    if not 1 <= states <= MOST_STATES:
        raise UserError("rules.batch_size", most=MOST_STATES, states=states)
    threads = len(os.sched_getaffinity(0)) if threads is None else operator.index(threads)
    if not 1 <= threads <= MOST_THREADS:
        raise UserError("rules.batch_threads", most=MOST_THREADS, threads=threads)
    points = check_rewards(made, rewards)
    try:
        if isinstance(made, NativeGame):
            core: Core = made.make_batch(states, seed=seed, threads=threads, auto_reset=auto_reset, points=points)
        else:
            core = PythonCore(made, states, seed=seed, auto_reset=auto_reset, points=points)
    except MemoryError:
        raise UserError("rules.batch_memory", states=states) from None
    return Batch(made, core, {"threads": threads, "auto_reset": auto_reset, "rewards": rewards})


def _copied(game: Game, states: list[State], kept: dict[str, NDArray[Any]], settings: dict[str, Any]) -> Batch:
    """Return a batch that goes on where another one was."""
    made = batch(game, len(states), **settings)
    arrays = made._core.arrays()  # noqa: SLF001 - a copy's own
    for slot, state in enumerate(states):
        made[slot] = state
    for name in COPIED:
        arrays[name][:] = kept[name]
    return made
