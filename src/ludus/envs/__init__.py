"""The games under the interfaces of other libraries, one module for each: an optional part, `ludus[research]`.

This module knows what those modules share: options, rewards and pictures. It imports none of the libraries.
"""

from __future__ import annotations

import io
import operator
from typing import TYPE_CHECKING, Any

from ludus.drawing.boards import draw_board
from ludus.encoding import needed
from ludus.errors import UserError
from ludus.game import Game, complete
from ludus.game import game as game_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from ludus.game import State

AGENTS = ("player_0", "player_1")
"""The first side and the second, named as PettingZoo recommends."""
RENDER_MODES = ("ansi", "rgb_array", "human")
SEEDS = 2**31 - 1
needed("numpy")  # the libraries need it before all else


def game_with(game: Game | str, options: dict[str, Any]) -> Game:
    """Return a game by name and options, or the game that was given."""
    if isinstance(game, str):
        return game_of(game, **options)
    return complete((game.with_options(**options) if options else game).initial()).game


def start_of(game: Game, options: dict[str, Any] | None, seed: int) -> State:
    """Return the state that `options["state"]` of a reset asks for, else the start with a seed."""
    given = (options or {}).get("state")
    if given is None:
        return complete(game.initial(seed))
    if complete(given).game != game:
        raise UserError("rules.other_start", game=repr(game), given=repr(given.game))
    found: State = given
    return found


def action_number(game: Game, action: Any) -> int:
    """Return an action as a number; raise UserError for what is no whole number, or none of the game's actions."""
    try:
        number = operator.index(action)
    except TypeError:
        raise UserError("rules.no_action", game=game.name, action=repr(action), last=len(game.actions) - 1) from None
    game.actions.text(number)
    return number


class Renderer:
    """Shows states in one of RENDER_MODES, or not at all."""

    def __init__(self, mode: str | None) -> None:
        if mode is not None and mode not in RENDER_MODES:
            raise UserError("rules.render_mode", modes=list(RENDER_MODES), mode=repr(mode))
        self.mode = mode
        self._window: Any = None

    def render(self, state: State) -> str | NDArray[np.uint8] | None:
        """Return the board as text or as a picture, or show it."""
        if self.mode == "ansi":
            return state.game.draw(state)
        if self.mode == "rgb_array":
            return picture(state)
        if self.mode == "human":
            self._show(state)
        return None

    def _show(self, state: State) -> None:
        """Show the board in a window; where there is no screen, in the terminal."""
        pygame = needed("pygame")
        image = picture(state)
        try:
            if self._window is None:
                pygame.display.init()
                self._window = pygame.display.set_mode(image.shape[1::-1])
        except pygame.error:
            print(state.game.draw(state))  # noqa: T201 - the terminal is what is left
            return
        self._window.blit(pygame.surfarray.make_surface(image.swapaxes(0, 1)), (0, 0))
        pygame.event.pump()
        pygame.display.flip()

    def close(self) -> None:
        """Close the window, if there is one."""
        if self._window is not None:
            needed("pygame").display.quit()
            self._window = None


def picture(state: State) -> NDArray[np.uint8]:
    """Return the board as an array (height, width, 3), drawn as on the page."""
    import numpy as np  # noqa: PLC0415 - only for pictures

    svg = draw_board(state.game, state)
    png = bytes(needed("resvg_py").svg_to_bytes(svg_string=svg, background="#ffffff"))
    return np.asarray(needed("PIL.Image").open(io.BytesIO(png)).convert("RGB"))
