"""Tournament files: TOML in, a plan out, every error one sentence with its place; and the commented example."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from pydantic import Field, field_validator

from ludus.errors import UserError, message_of
from ludus.files import read_text, read_toml
from ludus.game import game
from ludus.play.openings import PLIES, read_openings
from ludus.settings import Settings, read_settings
from ludus.tournament import Plan

EXAMPLE = """\
# A tournament of programs. Run it:          ludus tournament tournament.toml --out results
# To continue after an interruption:         ludus tournament tournament.toml --out results --resume

name = "spring"                # the name of the tournament in the ledger
game = "magnetic-cave"         # or cantris, chain-reaction, connect-four, fruit-rage
clock = "1/move"               # 3/move, 300, 60+1, cpu:300 or none
pairs = 2                      # boards per pairing, each played twice with the sides swapped
seed = 1                       # for the draw and the boards: the same seed gives the same tournament
# ledger = "spring.db"         # the database of the games: a file beside this one, or postgresql://USER@HOST/NAME
# openings = "openings.txt"    # positions to start from, one per line; random ones by default
# pondering = true             # let programs think in the opponent's turn; otherwise they are paused
# adjudicate = true            # end a game when both engines have proven the same result; not for grades

# [options]                    # options of the game, for another board than the usual one
# rows = 8
# cols = 8

[format]
name = "round-robin"           # double-elimination, gauntlet, king-of-the-hill, knockout, ladder, round-robin, swiss
# rounds = 7                   # the options of each format are in docs/formats.md

[entries]                      # a name and a player: a built-in one, a bot's folder or file, or PROTOCOL:COMMAND
Greedy = "greedy"
"Depth 2" = "alphabeta:depth=2"
"Level 3" = "engine:level=3"
Random = "random:seed=1"
# Mine = "bots/mine"
"""


class TournamentFile(Settings):
    """A tournament file."""

    example_command: ClassVar[str] = "ludus tournament --example"

    name: str | None = None
    game: str
    clock: str = "none"
    pairs: int = 1
    """Boards per pairing; each is played twice, with sides swapped."""
    seed: int = 0
    opening_plies: int = PLIES
    """How many random moves are played before a game from a fixed board."""
    openings: str | None = None
    """A file with positions to start from, one per line, instead of random ones."""
    ledger: str | None = None
    """The database of the games: a file beside this one, or a URL."""
    adjudicate: bool = False
    """Whether a game ends when both engines have proven the same result."""
    pondering: bool = False
    """Whether programs may think in the opponent's turn; otherwise they are paused."""
    options: dict[str, int | str] = Field(default_factory=dict)
    format: dict[str, int | str] = Field(default_factory=dict)
    """The name of the format, and its options."""
    entries: dict[str, str]
    """Names, each with its player."""

    @field_validator("entries", mode="before")
    @classmethod
    def _are_texts(cls, entries: object) -> object:
        if isinstance(entries, dict) and not all(isinstance(text, str) for text in entries.values()):
            raise UserError("tournament.entry_text")
        return entries

    def plan(self, path: Path) -> Plan:
        """Return the plan; paths of bots and openings are taken from the folder of the file."""
        openings: tuple[str, ...] = ()
        if self.openings is not None:
            openings = read_openings(path.parent / self.openings, game(self.game, **self.options))
        return Plan(
            **self.model_dump(exclude={"name", "entries", "format", "openings", "ledger"}),
            name=self.name or path.stem,
            entries={entry: _beside(path, text) for entry, text in self.entries.items()},
            format=str(self.format.get("name", "round-robin")),
            format_options={name: value for name, value in self.format.items() if name != "name"},
            openings=openings,
        )


def read_plan(path: Path | str) -> tuple[Plan, str]:
    """Read a tournament file; return its plan, and where its games are stored."""
    path = Path(path)
    file = read_settings(TournamentFile, read_toml(read_text(path), str(path)), str(path))
    try:
        plan = file.plan(path)
        plan.check()
    except ValueError as error:
        raise UserError("settings.refused_table", place=str(path), problem=message_of(error)) from None
    ledger = file.ledger or f"{path.stem}.db"
    return plan, ledger if "://" in ledger else str(path.parent / ledger)


def _beside(path: Path, text: str) -> str:
    """Return the text of a player; the path of a bot is relative to the folder of the file."""
    bot = path.parent / text
    return str(bot) if ":" not in text and bot.exists() else text
