"""Ludus: the arena for two-player board-game AI.

The public names, flat. Heavy parts load when they are first used.
"""

import ludus.games  # noqa: F401 - loaded now, so that it never takes the place of the function `games` below
from ludus.errors import IllegalMove, ParseError
from ludus.game import Game, Outcome, State, game, games

__all__ = ["Game", "IllegalMove", "Outcome", "ParseError", "State", "game", "games"]
