"""Every game as a Python game of OpenSpiel's: `pyspiel.load_game("ludus_connect_four")`, after importing this module.

The parameters of a game are its options and `seed`, the number of the random board; `ludus_cantris(rows=6,cols=3)`. An
option that depends on others unless it is given is 0 then. Returns are +1, 0 and -1. `PlayerBot` is any of our players
as a bot of OpenSpiel's, and `MctsPlayer` OpenSpiel's tree search as one of ours: `openspiel-mcts:simulations=1000`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ludus.encoding import needed
from ludus.envs import start_of
from ludus.errors import UserError
from ludus.game import Game, Number, complete, games
from ludus.game import game as game_of
from ludus.play.clock import Clock, TimeLeft
from ludus.play.player import Player
from ludus.players import no_option, player

pyspiel: Any = needed("pyspiel")
observation: Any = needed("open_spiel.python.observation")
mcts: Any = needed("open_spiel.python.algorithms.mcts")

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ludus.game import State

PREFIX = "ludus_"
SEED = "seed"
LONGEST = 1000
"""The most moves of a game whose rules set no lower limit from the start: Chain Reaction is a tie then."""


def short_name(name: str) -> str:
    """Return the name under which OpenSpiel knows a game."""
    return PREFIX + name.replace("-", "_")


def game_type(name: str) -> Any:
    """Return what OpenSpiel is told about a game before its parameters are known."""
    options = game_of(name).option_types
    return pyspiel.GameType(
        short_name=short_name(name),
        long_name=f"Ludus {name.replace('-', ' ').title()}",
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=pyspiel.GameType.ChanceMode.DETERMINISTIC,
        information=pyspiel.GameType.Information.PERFECT_INFORMATION,
        utility=pyspiel.GameType.Utility.ZERO_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=2,
        min_num_players=2,
        provides_information_state_string=True,
        provides_information_state_tensor=False,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification={
            **{option: 0 if kind.default is None else kind.default for option, kind in options.items()},
            SEED: 0,
        },
    )


class OpenSpielGame(pyspiel.Game):  # type: ignore[misc] # the library is optional
    """A game with its parameters settled. `rules` is our game."""

    name: str
    """Each class that is registered has its own."""

    def __init__(self, parameters: Mapping[str, Any] | None = None) -> None:
        given, name = dict(parameters or {}), self.name
        kinds = game_of(name).option_types
        self.start_seed = int(given.get(SEED, 0))
        self.rules: Game = game_of(name, **{key: given[key] for key in kinds if _is_given(kinds[key], given.get(key))})
        self.start = complete(self.rules.initial(self.start_seed))
        info = pyspiel.GameInfo(
            num_distinct_actions=len(self.rules.actions),
            max_chance_outcomes=0,
            num_players=2,
            min_utility=-1.0,
            max_utility=1.0,
            utility_sum=0.0,
            max_game_length=self.start.most_moves or LONGEST,
        )
        super().__init__(game_type(name), info, given)

    def __reduce__(self) -> tuple[Any, ...]:
        return registered_game, (str(self),)

    def new_initial_state(self, state: Any = None) -> OpenSpielState:
        """Return the state before the first move, or that of a position text, or one of our states."""
        return OpenSpielState(self, self.start if state is None else self._position(state))

    def _position(self, given: Any) -> State:
        position = self.rules.parse(given) if isinstance(given, str) else given
        return start_of(self.rules, {"state": position}, 0)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> Any:
        """Return what shows a state: the planes, and the position text."""
        if iig_obs_type is None or (iig_obs_type.public_info and not iig_obs_type.perfect_recall):
            return PlanesObserver(self.rules, params)
        return observation.IIGObserverForPublicInfoGame(iig_obs_type, params)


def _is_given(kind: Any, value: Any) -> bool:
    """Return whether a parameter names a value; 0 leaves an option to the others."""
    return value is not None and not (isinstance(kind, Number) and kind.default is None and value == 0)


class OpenSpielState(pyspiel.State):  # type: ignore[misc] # the library is optional
    """A state that changes with each move, as OpenSpiel has it. `position` is ours."""

    def __init__(self, game: OpenSpielGame, position: State) -> None:
        super().__init__(game)
        self.position = position

    def current_player(self) -> int:
        """Return whose move it is."""
        over: int = pyspiel.PlayerId.TERMINAL
        return self.position.side if self.position.outcome is None else over

    def _legal_actions(self, _player: int) -> list[int]:
        return list(self.position.legal_actions)

    def _apply_action(self, action: int) -> None:
        self.position = complete(self.position.play_action(action))

    def _action_to_string(self, _player: int, action: int) -> str:
        return self.position.game.actions.text(action)

    def is_terminal(self) -> bool:
        """Return whether the game is over."""
        return self.position.outcome is not None

    def returns(self) -> list[float]:
        """Return what the game gave to each side: nothing before it is over."""
        outcome = self.position.outcome
        if outcome is None or outcome.winner is None:
            return [0.0, 0.0]
        return [1.0, -1.0] if outcome.winner == 0 else [-1.0, 1.0]

    def __str__(self) -> str:
        return self.position.text


class PlanesObserver:
    """Shows a state as an array, as one side sees it, and as a text."""

    def __init__(self, game: Game, params: Any) -> None:
        if params:
            raise UserError("rules.no_observer_parameters", parameters=str(params))
        self.tensor = np.zeros(int(np.prod(game.plane_shape)), np.float32)
        self.dict = {"observation": self.tensor.reshape(game.plane_shape)}

    def set_from(self, state: OpenSpielState, player: int) -> None:
        """Show a state as a side sees it."""
        self.dict["observation"][:] = state.position.planes(player)

    def string_from(self, state: OpenSpielState, player: int) -> str:  # noqa: ARG002 - both see the same
        """Return the position text."""
        return state.position.text


class PlayerBot(pyspiel.Bot):  # type: ignore[misc] # the library is optional
    """A player of ours as a bot of OpenSpiel's, in the games of this module.

    Args:
        text: The text of a player: `engine:nodes=10000`, `greedy`, the path of a bot.

    Example:
        >>> PlayerBot("greedy").step(load_game("connect-four").new_initial_state()) in range(7)
        True
    """

    def __init__(self, text: str) -> None:
        super().__init__()
        self._player = player(text)
        self._time = TimeLeft(Clock.parse("none"), None)

    def step(self, state: OpenSpielState) -> int:
        """Choose an action."""
        if not isinstance(state, OpenSpielState):
            raise UserError("rules.not_of_ludus", game=str(state.get_game()), prefix=PREFIX)
        position = state.position
        return position.game.actions.number(self._player.choose(position, self._time))

    def restart_at(self, state: OpenSpielState) -> None:
        """Go on from another state; the players keep nothing that depends on the last one."""


MCTS_OPTIONS = {
    "simulations": Number(1, 10**9, 1000, "simulations of a move"),
    "rollouts": Number(1, 10**6, 1, "random games of a simulation"),
    "uct": Number(1, 1000, 2, "how much is tried that looks worse"),
}


class MctsPlayer(Player):
    """OpenSpiel's Monte Carlo tree search as a player of ours: `openspiel-mcts:simulations=100`.

    Args:
        options: `simulations` of a move, `rollouts` of a simulation, `uct` (how much it tries what looks bad), `seed`.

    Example:
        >>> record = ludus.play_match("connect-four", ("openspiel-mcts:simulations=20", "random"))
        >>> record.outcome is None
        False
    """

    def __init__(self, /, **options: str) -> None:
        known = (*MCTS_OPTIONS, SEED)
        no_option("openspiel-mcts", {key: value for key, value in options.items() if key not in known}, known)
        numbers = {name: kind.read(name, options.get(name, kind.default)) for name, kind in MCTS_OPTIONS.items()}
        self._simulations, self._rollouts, self._uct = numbers.values()
        seed = options.get(SEED)
        if seed is not None and not seed.isdecimal():
            raise UserError("players.bad_seed", seed=repr(seed))
        self._random = np.random.RandomState(None if seed is None else int(seed) % 2**32)
        self._game: OpenSpielGame | None = None

    def choose(self, state: State, time: TimeLeft) -> str:  # noqa: ARG002 - it counts simulations
        """Let it search, and take the action that it tried most often."""
        if self._game is None or self._game.rules != state.game:
            self._game = load_game(state.game)
        evaluator = mcts.RandomRolloutEvaluator(self._rollouts, self._random)
        bot = mcts.MCTSBot(self._game, self._uct, self._simulations, evaluator, random_state=self._random)
        return state.game.actions.text(bot.step(self._game.new_initial_state(state)))


def load_game(game: Game | str, **options: Any) -> Any:
    """Return one of our games as OpenSpiel has it.

    Args:
        game: A game, or the name of one.
        options: The options of the game, such as `rows=10`.

    Example:
        >>> load_game("connect-four", rows=5).num_distinct_actions()
        7
    """
    made = game_of(game, **options) if isinstance(game, str) else game
    return pyspiel.load_game(short_name(made.name), dict(made.given))


def registered_game(text: str) -> Any:
    """Return a game by OpenSpiel's own text, in a process that knows ours by this module."""
    return pyspiel.load_game(text)


def register() -> None:
    """Register every game with OpenSpiel, once: a class each, since OpenSpiel lets go of a function too late."""
    known = set(pyspiel.registered_names())
    for name in games():
        if short_name(name) not in known:
            made = type(f"{OpenSpielGame.__name__}_{short_name(name)}", (OpenSpielGame,), {"name": name})
            pyspiel.register_game(game_type(name), made)


register()
