"""Every game for a single agent, against any of our players, as Gymnasium has it.

`gymnasium.make("ludus/ConnectFour-v0", opponent="engine:level=4", seat="swap")`, after `import ludus.envs.gymnasium`;
or `ludus.envs.gymnasium.env("cantris", rows=6, cols=3)`. Knows Gymnasium, our states and players.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from ludus.batches import OUTCOME, check_rewards, rewards_of
from ludus.encoding import needed
from ludus.envs import RENDER_MODES, SEEDS, Renderer, action_number, game_with, start_of
from ludus.errors import UserError
from ludus.game import Game, complete, games
from ludus.play.clock import Clock, TimeLeft
from ludus.players import player

gymnasium: Any = needed("gymnasium")
spaces: Any = needed("gymnasium.spaces")

if TYPE_CHECKING:
    from ludus.game import State
    from ludus.play.player import Player

SEATS = ("first", "second", "swap", "random")
SEEDED = ("random", "mcts", "engine")
"""Players whose choices depend on a seed of their own."""


def check_seat(seat: str) -> str:
    """Return a seat; raise UserError if it is none of SEATS."""
    if seat not in SEATS:
        raise UserError("rules.seat", seats=list(SEATS), seat=repr(seat))
    return seat


def side_of(seat: str, played: int, by_chance: int) -> int:
    """Return the agent's side in a game, by how many it has played before."""
    return {"first": 0, "second": 1, "swap": played % 2, "random": by_chance}[seat]


class Opponent:
    """A player without a clock, whose choices follow the seeds of an environment."""

    def __init__(self, text: str, game: Game) -> None:
        self._text, self._game = text, game
        self._player: Player = player(text, game)
        self._time = TimeLeft(Clock.parse("none"), None)

    def seed(self, seed: int) -> None:
        """Begin again with a seed, unless the player's text has one."""
        if self._text.partition(":")[0] in SEEDED and "seed=" not in self._text:
            self.close()
            self._player = player(f"{self._text}{',' if ':' in self._text else ':'}seed={seed}", self._game)

    def choose(self, state: State) -> str:
        """Return its move."""
        return self._player.choose(state, self._time)

    def close(self) -> None:
        """Close the player."""
        self._player.close()


class OpponentEnv(gymnasium.Env):  # type: ignore[misc] # the library is optional
    """One game against a player. An illegal action loses the game at once.

    `info["action_mask"]` says which actions are legal; so does `action_masks()`, as sb3-contrib asks for it.

    Args:
        game: A game, or the name of one.
        opponent: The text of a player: `random`, `greedy`, `engine:level=4`, the path of a bot.
        seat: The agent's side: `first`, `second`, `swap` (another one each game) or `random`.
        rewards: `outcome` (+1, 0 or -1 at the end), or `points` in games that have them.
        render_mode: `ansi`, `rgb_array`, `human` or None.
        options: The options of the game, such as `rows=10`.

    Example:
        >>> made = OpponentEnv("connect-four", opponent="engine:level=2")
        >>> observation, info = made.reset(seed=1)
        >>> observation.shape, info["side"]
        ((2, 6, 7), 0)
    """

    metadata: Mapping[str, Any] = {"render_modes": list(RENDER_MODES), "render_fps": 2}

    def __init__(
        self,
        game: Game | str,
        *,
        opponent: str = "random",
        seat: str = "first",
        rewards: str = OUTCOME,
        render_mode: str | None = None,
        **options: int | str,
    ) -> None:
        self.game = game_with(game, options)
        self.render_mode, self._seat = render_mode, check_seat(seat)
        self._points = check_rewards(self.game, rewards)
        self._renderer = Renderer(render_mode)
        self._opponent = Opponent(opponent, self.game)
        self._played = -1
        self._state: State | None = None
        self._over = False
        self.observation_space = spaces.Box(-1.0, 1.0, self.game.plane_shape, np.float32)
        self.action_space = spaces.Discrete(len(self.game.actions))

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begin a game; where the opponent is first, it has moved. With a seed, the same games every time."""
        super().reset(seed=seed)
        if seed is not None:
            self._played = -1
        if seed is not None or self._played < 0:
            self._opponent.seed(int(self.np_random.integers(SEEDS)))
        self._played += 1
        board = int(self.np_random.integers(SEEDS))
        by_chance = int(self.np_random.integers(2))
        self.side = side_of(self._seat, self._played, by_chance)
        self._state = start_of(self.game, options, board)
        self._answer()
        self._over = self._state.outcome is not None
        self._show()
        return self._observation(), self._info()

    @property
    def state(self) -> State:
        """Where the game stands."""
        if self._state is None:
            raise UserError("rules.reset_first")
        return self._state

    def _answer(self) -> float:
        """Let the opponent move until it is the agent's turn; return what that gave to the agent."""
        reward = 0.0
        while self.state.outcome is None and self.state.side != self.side:
            reward += self._play(self._opponent.choose(self.state))
        return reward

    def _play(self, move: str) -> float:
        before = self.state
        self._state = complete(before.play(move))
        return rewards_of(before, self._state, points=self._points)[self.side]

    def step(self, action: int) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Play an action and the opponent's answer; a side that moves twice in a row is asked twice."""
        number = action_number(self.game, action)
        if self._over:
            raise UserError("rules.reset_again")
        self._over = number not in self.state.legal_actions
        if self._over:
            return self._observation(), -1.0, True, False, {**self._info(), "illegal": True}
        reward = self._play(self.game.actions.text(number)) + self._answer()
        self._over = self.state.outcome is not None
        self._show()
        return self._observation(), reward, self._over, False, self._info()

    def action_masks(self) -> Any:
        """Return which actions are legal."""
        mask = np.zeros(len(self.game.actions), np.int8)
        mask[list(self.state.legal_actions)] = 1
        return mask

    def _observation(self) -> Any:
        return self.state.planes(self.side)

    def _info(self) -> dict[str, Any]:
        return {"action_mask": self.action_masks(), "position": self.state.text, "side": self.side}

    def _show(self) -> None:
        if self.render_mode == "human":
            self.render()

    def render(self) -> Any:
        """Return the board as text or as a picture, or show it."""
        return self._renderer.render(self.state)

    def close(self) -> None:
        """Close the window and the opponent."""
        self._renderer.close()
        self._opponent.close()


def env(game: Game | str, **options: Any) -> OpponentEnv:
    """Return the environment of a game, as `gymnasium.make("ludus/ConnectFour-v0")` does, but without wrappers.

    Args:
        game: A game, or the name of one.
        options: The arguments of `OpponentEnv`: `opponent`, `seat`, `rewards`, `render_mode`, options of the game.

    Example:
        >>> env("cantris", rows=6, cols=3, opponent="greedy").action_space
        Discrete(18)
    """
    if isinstance(game, str) and game in games():  # so made, it has a `spec`, by which Gymnasium can make it again
        made: OpponentEnv = gymnasium.make(environment_id(game), **options).unwrapped
        return made
    return OpponentEnv(game, **options)


def environment_id(name: str) -> str:
    """Return the name under which Gymnasium knows a game: `ludus/ConnectFour-v0`."""
    return f"ludus/{name.title().replace('-', '')}-v0"


for _name in games():
    if environment_id(_name) not in gymnasium.registry:
        gymnasium.register(
            environment_id(_name),
            entry_point=f"{__name__}:OpponentEnv",
            vector_entry_point="ludus.envs.vector:OpponentVectorEnv",
            kwargs={"game": _name},
        )
