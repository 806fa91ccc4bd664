"""Ludus: the arena for two-player board-game AI.

The public names, flat. Heavy parts load when they are first used.
"""

import ludus.games  # loaded before the function of that name below, which would otherwise be replaced by the package
from ludus.errors import IllegalMove, ParseError
from ludus.game import Game, Outcome, State, game, games

__all__ = ["Game", "IllegalMove", "Outcome", "ParseError", "State", "game", "games"]
