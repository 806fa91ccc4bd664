"""Every game as an environment of PettingZoo's: `ludus.envs.pettingzoo.env("cantris", rows=10, cols=5)`.

Knows PettingZoo's agent-environment cycle and our states. The agents are "player_0" and "player_1"; a side may move
twice in a row. Observations are dicts of `observation` (the planes as that agent sees them) and `action_mask`; with
`mask="info"` they are the planes alone. The infos have the mask of the agent too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ludus.batches import OUTCOME, check_rewards, rewards_of
from ludus.encoding import needed
from ludus.envs import AGENTS, RENDER_MODES, SEEDS, Renderer, action_number, game_with, start_of
from ludus.errors import UserError
from ludus.game import Game, complete

spaces: Any = needed("gymnasium.spaces")
seeding: Any = needed("gymnasium.utils.seeding")
pettingzoo: Any = needed("pettingzoo")
wrappers: Any = needed("pettingzoo.utils.wrappers")

if TYPE_CHECKING:
    from ludus.game import State


MASKS = ("observation", "info")
"""Where the mask is: in the observation and the infos, or in the infos only."""


class GameEnv(pettingzoo.AECEnv):  # type: ignore[misc] # the library is optional
    """One game as an agent-environment cycle, without the wrappers that check its use.

    Args:
        game: The game.
        rewards: `outcome` (+1, 0 or -1 at the end), or `points` in games that have them.
        render_mode: `ansi`, `rgb_array`, `human` or None.
        mask: Where the legal actions are: `observation` (in the observation and the infos) or `info`.

    Example:
        >>> made = GameEnv(ludus.game("connect-four"), render_mode="ansi")
        >>> made.reset(seed=1)
        >>> made.step(3)
        >>> made.agent_selection
        'player_1'
    """

    def __init__(
        self, game: Game, *, rewards: str = OUTCOME, render_mode: str | None = None, mask: str = MASKS[0]
    ) -> None:
        super().__init__()
        if mask not in MASKS:
            raise UserError("rules.mask", masks=list(MASKS), mask=repr(mask))
        self.game = game
        self._bare = mask == "info"
        self.metadata = {
            "name": f"ludus_{game.name}_v0",
            "render_modes": list(RENDER_MODES),
            "is_parallelizable": False,
        }
        self.metadata["render_fps"] = 2
        self.render_mode = render_mode
        self.possible_agents = list(AGENTS)
        self.agents: list[str] = []
        self._points = check_rewards(game, rewards)
        self._renderer = Renderer(render_mode)
        actions = len(game.actions)
        self.action_spaces = {agent: spaces.Discrete(actions) for agent in AGENTS}
        planes = spaces.Box(-1.0, 1.0, game.plane_shape, np.float32)
        self.state_space = planes
        masks = spaces.Box(0, 1, (actions,), np.int8)
        space = planes if self._bare else spaces.Dict({"observation": planes, "action_mask": masks})
        self.observation_spaces = dict.fromkeys(AGENTS, space)
        self._boards: Any = None

    def observation_space(self, agent: str) -> Any:
        """Return the space of an agent's observations: the same object every time."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Any:
        """Return the space of an agent's actions: the same object every time."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begin a game. With a seed, the same boards every time; `options["state"]` begins with another state."""
        if seed is not None or self._boards is None:
            self._boards = seeding.np_random(seed)[0]
        self.state_now: State = start_of(self.game, options, int(self._boards.integers(SEEDS)))
        self.agents = list(AGENTS)
        self.rewards = dict.fromkeys(AGENTS, 0.0)
        self._cumulative_rewards = dict.fromkeys(AGENTS, 0.0)
        self.terminations = dict.fromkeys(AGENTS, self.state_now.outcome is not None)
        self.truncations = dict.fromkeys(AGENTS, False)
        self.agent_selection = AGENTS[self.state_now.side]
        self._tell()

    def _tell(self) -> None:
        """Fill the infos: the position text, the masks, and the points where there are any."""
        said: dict[str, Any] = {"position": self.state_now.text}
        if self.state_now.scores is not None:
            said["scores"] = self.state_now.scores
        self.infos = {agent: {**said, "action_mask": self._mask(agent)} for agent in AGENTS}

    def _mask(self, agent: str) -> Any:
        """Return the legal actions of an agent: none unless it is to move."""
        mask = np.zeros(len(self.game.actions), np.int8)
        if self.state_now.side == AGENTS.index(agent):
            mask[list(self.state_now.legal_actions)] = 1
        return mask

    def observe(self, agent: str) -> Any:
        """Return the planes as an agent sees them, with the mask unless that is in the infos only."""
        planes = self.state_now.planes(AGENTS.index(agent))
        return planes if self._bare else {"observation": planes, "action_mask": self._mask(agent)}

    def state(self) -> Any:
        """Return the planes as the first agent sees them."""
        return self.state_now.planes(0)

    def step(self, action: int | None) -> None:
        """Play an action of the agent whose turn it is; after the end, take None from each agent."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        before = self.state_now
        self.state_now = complete(before.play_action(action_number(self.game, action)))
        self._cumulative_rewards[agent] = 0.0
        gains = rewards_of(before, self.state_now, points=self._points)
        self.rewards = dict(zip(AGENTS, gains, strict=True))
        self.terminations = dict.fromkeys(AGENTS, self.state_now.outcome is not None)
        self.agent_selection = AGENTS[self.state_now.side]
        self._tell()
        self._accumulate_rewards()
        if self.render_mode == "human":
            self.render()

    def render(self) -> Any:
        """Return the board as text or as a picture, or show it."""
        if self.render_mode is None:
            needed("gymnasium").logger.warn("render() needs a render_mode, given to env()")
        return self._renderer.render(self.state_now)

    def close(self) -> None:
        """Close the window, if there is one."""
        self._renderer.close()


def raw_env(
    game: Game | str,
    *,
    rewards: str = OUTCOME,
    render_mode: str | None = None,
    mask: str = MASKS[0],
    **options: int | str,
) -> GameEnv:
    """Return the environment of a game without wrappers.

    Args:
        game: A game, or the name of one.
        rewards: `outcome`, or `points` in games that have them.
        render_mode: `ansi`, `rgb_array`, `human` or None.
        mask: `observation` or `info`.
        options: The options of the game, such as `rows=10`.

    Example:
        >>> raw_env("cantris", rows=6, cols=3).possible_agents
        ['player_0', 'player_1']
    """
    return GameEnv(game_with(game, options), rewards=rewards, render_mode=render_mode, mask=mask)


def env(game: Game | str, **options: Any) -> Any:
    """Return the environment of a game; an illegal action loses the game, a wrong order of calls is an error.

    Args:
        game: A game, or the name of one.
        options: `rewards`, `render_mode` and `mask` as `raw_env` has them, and the options of the game.

    Example:
        >>> made = env("connect-four")
        >>> made.reset(seed=1)
        >>> observation, reward, terminated, truncated, info = made.last()
        >>> observation["action_mask"]
        array([1, 1, 1, 1, 1, 1, 1], dtype=int8)
    """
    made: Any = raw_env(game, **options)
    made = wrappers.TerminateIllegalWrapper(made, illegal_reward=-1)
    made = wrappers.AssertOutOfBoundsWrapper(made)
    return wrappers.OrderEnforcingWrapper(made)
