"""Ludus: the arena for two-player board-game AI.

The public names, flat. Heavy parts load when they are first used.
"""

from typing import TYPE_CHECKING

import ludus.games  # noqa: F401 - loaded now, so that it never takes the place of the function `games` below
from ludus.errors import IllegalMove, ParseError
from ludus.game import Game, Outcome, State, game, games

if TYPE_CHECKING:
    from ludus.batches import Batch, batch
    from ludus.play.clock import Clock
    from ludus.play.record import Record
    from ludus.players import play_match
    from ludus.search.analysis import analyse
    from ludus.search.evaluation import Evaluation, evaluate
    from ludus.search.result import Analysis

__all__ = [
    "Analysis",
    "Batch",
    "Clock",
    "Evaluation",
    "Game",
    "IllegalMove",
    "Outcome",
    "ParseError",
    "Record",
    "State",
    "analyse",
    "batch",
    "evaluate",
    "game",
    "games",
    "play_match",
]

_LATER = {
    "Analysis": "search.result",
    "Batch": "batches",
    "Clock": "play.clock",
    "Evaluation": "search.evaluation",
    "Record": "play.record",
    "analyse": "search.analysis",
    "batch": "batches",
    "evaluate": "search.evaluation",
    "play_match": "players",
}


def __getattr__(name: str) -> object:
    if name not in _LATER:
        raise AttributeError(f"module 'ludus' has no attribute {name!r}")
    from importlib import import_module  # noqa: PLC0415

    try:
        return getattr(import_module(f"ludus.{_LATER[name]}"), name)
    except (ModuleNotFoundError, FileNotFoundError) as error:  # the latter where an editable install lists its files
        if isinstance(error, ModuleNotFoundError) and not str(error.name).startswith("ludus."):
            from ludus.errors import UserError  # noqa: PLC0415

            raise UserError("rules.needs_research", package=error.name) from None
        raise AttributeError(f"there is no ludus.{name} here: a bot has rules and states only") from None
