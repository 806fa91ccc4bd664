"""Tournament files: TOML in, a plan out, every fault one sentence with its place; and the commented example."""

from __future__ import annotations

from pathlib import Path

from ludus.files import read_text, read_toml
from ludus.game import game
from ludus.play.openings import read_openings
from ludus.tournament import Plan

EXAMPLE = """\
# A tournament of programs. Run it:          ludus tournament tournament.toml --out results
# Interrupted? It goes on where it stopped:  ludus tournament tournament.toml --out results --resume

name = "spring"                # games are kept under this name
game = "magnetic-cave"         # cantris, chain-reaction, fruit-rage or magnetic-cave
clock = "1/move"               # 3/move, 300, 60+1, cpu:300 or none
pairs = 2                      # boards a pairing is played on, each twice with the seats swapped
seed = 1                       # of the draw and of the boards: the same seed gives the same tournament
# ledger = "spring.db"         # where games are kept: a file beside this one, or postgresql://USER@HOST/NAME
# openings = "openings.txt"    # positions to start from, one a line; random ones unless given
# pondering = true             # let programs think in the opponent's turn, in which they are paused otherwise
# adjudicate = true            # end a game when both engines have proven the same outcome; not for grades

# [options]                    # of the game, where the usual board is not meant
# rows = 8
# cols = 8

[format]
name = "round-robin"           # double-elimination, gauntlet, king-of-the-hill, knockout, ladder, round-robin, swiss
# rounds = 7                   # each format has options of its own: docs/formats.md

[entries]                      # a name, and a player: built in, a bot's folder or file, or PROTOCOL:COMMAND
Greedy = "greedy"
"Depth 2" = "alphabeta:depth=2"
"Level 3" = "engine:level=3"
Random = "random:seed=1"
# Mine = "bots/mine"
"""

KEYS = {
    "name": str,
    "game": str,
    "clock": str,
    "pairs": int,
    "seed": int,
    "opening_plies": int,
    "openings": str,
    "ledger": str,
    "adjudicate": bool,
    "pondering": bool,
    "options": dict,
    "format": dict,
    "entries": dict,
}
KIND_NAMES = {str: "a text", int: "a whole number", bool: "true or false", dict: "a table"}


def read_plan(path: Path | str) -> tuple[Plan, str]:
    """Read a tournament file: its plan, and where its games are kept."""
    path = Path(path)
    given = read_toml(read_text(path), str(path))
    for key, value in given.items():
        if key not in KEYS:
            raise ValueError(f"{path}: there is no key {key!r}; the keys are {', '.join(KEYS)}")
        if type(value) is not KEYS[key]:
            raise ValueError(f"{path}: {key} must be {KIND_NAMES[KEYS[key]]}")
    for key in ("game", "entries"):
        if key not in given:
            raise ValueError(f"{path}: {key} is missing; ludus tournament --example shows a whole file")
    name = given.get("name", path.stem)
    ledger = given.pop("ledger", f"{path.stem}.db")
    form = dict(given.pop("format", {}))
    given["entries"] = {entry: _beside(path, text) for entry, text in given["entries"].items()}
    given |= {"name": name, "format": form.pop("name", "round-robin"), "format_options": form}
    if "openings" in given:
        made = game(given["game"], **given.get("options", {}))
        given["openings"] = read_openings(path.parent / given["openings"], made)
    try:
        plan = Plan(**given)
        plan.schedule()
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None
    return plan, ledger if "://" in ledger else str(path.parent / ledger)


def _beside(path: Path, text: object) -> str:
    """Give a player's text; the path of a bot is taken from where the file is."""
    if not isinstance(text, str):
        raise ValueError(f'{path}: an entry is a name and a player\'s text, as in Mine = "bots/mine"')
    bot = path.parent / text
    return str(bot) if ":" not in text and bot.exists() else text
