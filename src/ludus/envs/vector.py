"""Many games at once for one agent, as Gymnasium's vector environments have it: the states are a `ludus.batch`.

`gymnasium.make_vec("ludus/ConnectFour-v0", 1024)` after `import ludus.envs.gymnasium`. Against the random player Python
only begins games, all moves are native; other players are asked position by position.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ludus.batches import OUTCOME, batch
from ludus.encoding import needed
from ludus.envs import RENDER_MODES, SEEDS, Renderer, game_with, start_of
from ludus.envs.gymnasium import Opponent, check_seat, side_of
from ludus.errors import UserError

spaces: Any = needed("gymnasium.spaces")
vector: Any = needed("gymnasium.vector")
batch_space: Any = needed("gymnasium.vector.utils").batch_space

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from ludus.game import Game, State

RANDOM = "random"


class OpponentVectorEnv(vector.VectorEnv):  # type: ignore[misc] # the library is optional
    """That many games against a player, with Gymnasium's three ways to go on after the end of a game.

    In `infos`, `action_mask` says which actions are legal and `side` which side the agent is.

    Args:
        num_envs: How many games.
        game: A game, or the name of one.
        opponent: The text of a player; against `random` all moves are native.
        seat: The agent's side: `first`, `second`, `swap` or `random`.
        rewards: `outcome`, or `points` in games that have them.
        render_mode: `ansi`, `rgb_array`, `human` or None.
        autoreset_mode: `NextStep`, `SameStep` or `Disabled`, as Gymnasium has them.
        threads: How many threads play; all cores unless given.
        options: The options of the game, such as `rows=10`.

    Example:
        >>> made = OpponentVectorEnv(3, "connect-four")
        >>> made.reset(seed=1)[0].shape
        (3, 2, 6, 7)
    """

    def __init__(
        self,
        num_envs: int,
        game: Game | str,
        *,
        opponent: str = RANDOM,
        seat: str = "first",
        rewards: str = OUTCOME,
        render_mode: str | None = None,
        autoreset_mode: Any = "NextStep",
        threads: int | None = None,
        **options: int | str,
    ) -> None:
        super().__init__()
        self.game, self.num_envs = game_with(game, options), num_envs
        self._seat = check_seat(seat)
        self._mode = vector.AutoresetMode(autoreset_mode)
        self.metadata = {"autoreset_mode": self._mode, "render_modes": list(RENDER_MODES), "render_fps": 2}
        self.render_mode, self._renderer = render_mode, Renderer(render_mode)
        self._native = opponent == RANDOM
        self._opponent = Opponent(opponent, self.game)
        self._batch = batch(self.game, num_envs, rewards=rewards, auto_reset=False, threads=threads)
        self.single_observation_space = spaces.Box(-1.0, 1.0, self.game.plane_shape, np.float32)
        self.single_action_space = spaces.Discrete(len(self.game.actions))
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._sides = np.zeros(num_envs, np.int8)
        self._played = np.full(num_envs, -1)
        self._over = np.ones(num_envs, np.bool_)

    def reset(
        self, *, seed: int | list[int] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """Begin games: all, or those of `options["reset_mask"]`. With a seed, the same games every time.

        `options["state"]` begins with another state.
        """
        if isinstance(seed, list):
            seed = int(np.random.SeedSequence(seed).generate_state(1)[0])
        super().reset(seed=seed)
        if seed is not None:
            self._played[:] = -1
            self._batch.reset(int(self.np_random.integers(SEEDS)))
        if seed is not None or self._played.max() < 0:
            self._opponent.seed(int(self.np_random.integers(SEEDS)))
        which = (options or {}).get("reset_mask")
        self._begin(np.arange(self.num_envs) if which is None else np.flatnonzero(which), options)
        return self._observations(), self._infos()

    def _begin(self, slots: NDArray[np.intp], options: dict[str, Any] | None = None) -> None:
        """Begin a game in some slots; where the opponent is first, it moves."""
        for slot in slots.tolist():
            self._played[slot] += 1
            board, by_chance = int(self.np_random.integers(SEEDS)), int(self.np_random.integers(2))
            self._sides[slot] = side = side_of(self._seat, int(self._played[slot]), by_chance)
            state = start_of(self.game, options, board)
            while state.outcome is None and state.side != side:
                state = state.play(self._chosen(state))
            self._batch[slot] = state
        self._over[slots] = False

    def _chosen(self, state: State) -> str:
        if self._native:
            return state.legal_moves[int(self.np_random.integers(len(state.legal_moves)))]
        return self._opponent.choose(state)

    def step(self, actions: Any) -> tuple[NDArray[np.float32], NDArray[np.float64], Any, Any, dict[str, Any]]:
        """Play an action in each game that goes on, and the opponent's answers."""
        if self._played.max() < 0:
            raise UserError("rules.reset_first")
        began = self._over.copy()
        if began.any() and self._mode == vector.AutoresetMode.DISABLED:
            raise UserError("rules.reset_again")
        chosen = np.asarray(actions)
        if chosen.shape != self._over.shape:
            raise UserError("rules.batch_actions", states=self.num_envs, shape=str(chosen.shape))
        if chosen.dtype.kind not in "iu":
            raise UserError("rules.batch_numbers", type=str(chosen.dtype))
        within = (chosen >= 0) & (chosen < len(self.game.actions))
        if not (within | began).all():
            self.game.actions.text(int(chosen[~(within | began)][0]))
        chosen = np.where(within, chosen, 0)
        legal = self._batch.legal[np.arange(self.num_envs), chosen]
        rewards = self._play(chosen, ~began & legal) + self._answers(~began & legal)
        self._over = ~began & (~legal | self._batch.done)
        rewards[~began & ~legal] = -1.0
        self._begin(np.flatnonzero(began))
        terminated = self._over.copy()
        infos: dict[str, Any] = {}
        observations = self._observations()
        if self._mode == vector.AutoresetMode.SAME_STEP and terminated.any():
            mask = self._mask()
            for slot in np.flatnonzero(terminated).tolist():
                ended = {"action_mask": mask[slot], "side": int(self._sides[slot])}
                infos = self._add_info(infos, {"final_obs": observations[slot].copy(), "final_info": ended}, slot)
            self._begin(np.flatnonzero(terminated))
            observations = self._observations()
        return observations, rewards, terminated, np.zeros(self.num_envs, np.bool_), {**self._infos(), **infos}

    def _play(self, actions: Any, where: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Play in some games, while the others wait; return what that gave to the agent."""
        waiting = np.flatnonzero(~where & ~self._batch.done)
        kept = [(slot, self._batch[slot]) for slot in waiting.tolist()]
        actions = actions.copy()
        actions[waiting] = self._batch.legal[waiting].argmax(axis=1)
        self._batch.step(actions)
        gains = self._batch.rewards[np.arange(self.num_envs), self._sides] * where
        for slot, state in kept:
            self._batch[slot] = state
        return gains.astype(np.float64)

    def _answers(self, where: NDArray[np.bool_]) -> NDArray[np.float64]:
        """Let the opponent move until it is the agent's turn in some games; return what that gave to the agent."""
        gains = np.zeros(self.num_envs)
        while (theirs := where & ~self._batch.done & (self._batch.sides != self._sides)).any():
            if self._native:
                actions = self._batch.random_actions()
            else:
                actions = np.zeros(self.num_envs, np.int32)
                for slot in np.flatnonzero(theirs).tolist():
                    actions[slot] = self.game.actions.number(self._opponent.choose(self._batch[slot]))
            gains += self._play(actions, theirs)
        return gains

    def _observations(self) -> NDArray[np.float32]:
        """Return the planes as the agent sees them, which is the side to move but after the end."""
        found = self._batch.observations.copy()
        for slot in np.flatnonzero(self._batch.sides != self._sides).tolist():
            found[slot] = self._batch[slot].planes(int(self._sides[slot]))
        return found

    def _mask(self) -> NDArray[np.int8]:
        return self._batch.legal.astype(np.int8)

    def _infos(self) -> dict[str, Any]:
        there = np.ones(self.num_envs, np.bool_)
        sides = self._sides.astype(np.int64)
        return {"action_mask": self._mask(), "_action_mask": there, "side": sides, "_side": there.copy()}

    def render(self) -> tuple[Any, ...] | None:
        """Return each board as text or as a picture, or show the first."""
        if self.render_mode in (None, "human"):
            self._renderer.render(self._batch[0])
            return None
        return tuple(self._renderer.render(state) for state in self._batch)

    def close_extras(self, **_: Any) -> None:
        """Close the window and the opponent."""
        self._renderer.close()
        self._opponent.close()
