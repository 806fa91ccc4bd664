"""The options of each game that generic tests use, from the `variants.toml` in its folder.

starters      boards on which the starters of every language are compared with our rules
small         boards that a slow search in Python can look some moves ahead on
tiny, larger  boards that are searched to the end, after `tiny_moves` and `larger_moves` at random
other         a board of another size than the usual one
last_moves    moves before the end of a game in which much happens at once
greedy_wins   of six games, how many a starter must win against random moves
"""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import ludus

Options = dict[str, int | str]


def variants(name: str) -> dict[str, Any]:
    """Return what the game's `variants.toml` says; amounts that it does not give have their default."""
    file = Path(ludus.__file__).parent / "games" / name.replace("-", "_") / "variants.toml"
    given = tomllib.loads(file.read_text(encoding="utf-8"))
    usual = {"tiny_moves": 0, "larger_moves": 0, "larger_positions": 40, "last_moves": 1, "greedy_wins": 0}
    return usual | given
