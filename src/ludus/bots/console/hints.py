"""What the sources of a program for a person at a terminal tell before it is started: guesses, to be tried in order.

Knows sources and a game; starts nothing.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, NamedTuple

from ludus.bots.languages import language_of
from ludus.protocols.console import with_usual_names
from ludus.protocols.console.prompts import BOARD_FILE, EITHER, listed_words
from ludus.protocols.console.script import LONGEST

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from ludus.bots import Bot
    from ludus.game import Game

LETTERS = re.compile(
    r"[-+=<>]\s?'[aAhH]'|\bord\s?\(|[aA]\W{0,6}[bB]\W{0,6}[cC]\W{0,6}[dD]\W{0,6}[eE]|[\"'][aA][\"']|\b(?:64|65|97)\b"
)
"""What a source has that reads letters: `c - 'A'`, `ord(c)`, "ABCDEFGH"."""
FILE_NAME = re.compile(r"[\"']([\w.-]{1,60}\.(?:txt|dat|in|csv))[\"']", re.IGNORECASE)
FIRST_ARGUMENT = re.compile(r"argv\s?\[\s?1\s?\]|args\s?\[\s?0\s?\]|argparse")
READS_ARGUMENT = re.compile(
    r"\bargv\s?\[\s?-?\d|\blen\s?\(\s?(?:sys\.)?argv|\bargc\s?[<>=!]|\bargs\s?(?:\[\s?\d|\.length|\.Length)|\badd_argument\b"
)
"""Where a source reads an argument, and does not only declare that there are some."""
TOLD = re.compile(rf"{READS_ARGUMENT.pattern}|\bargv\b|[Uu]sage")
"""Where a source has to do with its arguments."""
OPTION_NAME = re.compile(r"add_argument\(\s?[\"'](--?\w[\w-]{0,20})[\"']|[\"'](--\w[\w-]{0,20})[\"']")
SHORT_WORD = re.compile(r"[\"']([A-Za-z0-9][\w-]{0,11})[\"']")
SIZE = re.compile(
    r"\brows?\b[ \t]*,[ \t]*\bcol\w*[ \t]*=[ \t]*(\d{1,2})[ \t]*,[ \t]*(\d{1,2})\b"
    r"|\b\w*rows?\b[ \t]*=?[ \t]*(\d{1,2})\b[^\n\d]{0,40}\n?[^\n\d]{0,40}\bcol\w*[ \t]*=?[ \t]*(\d{1,2})\b",
    re.IGNORECASE,
)
"""`row, col = 6, 3`, `int row = 6; int col = 3;`, `#define ROW 6`."""
LOOKED_AT = 1 << 16
"""Characters of a source."""
NEAR_LINES = 3
MOST_ARGUMENTS = 10
OURS = re.compile(r"(?:^|/)ludus_")
"""Files that were added here."""


class Hints(NamedTuple):
    """What the sources of a program tell."""

    sources: Mapping[str, str]
    files: list[str]
    """Names under which it may look for its board; none in a game that always starts alike."""
    file_arguments: list[tuple[str, ...]]
    """Arguments that may name such a file."""
    seats: list[str]
    """Arguments that may tell it its seat."""
    letters: bool
    """Whether it may read letters."""
    other_size: tuple[int, int] | None
    """The size of the board that it is written for, where that is another one."""

    @classmethod
    def of(cls, bot: Bot, game: Game) -> Hints:
        """Return the hints of a bot that is to play a game."""
        sources = sources_of(bot)
        texts = [with_usual_names(text) for text in sources.values()]
        random_board = game.initial(1).text != game.initial(2).text
        size = _fixed_size(sources.get(bot.main, "")) if random_board else None
        reads_argument = random_board and any(map(FIRST_ARGUMENT.search, texts))
        return cls(
            sources,
            files=_board_files(texts) if random_board else [],
            file_arguments=[(BOARD_FILE,), ()] if reads_argument else [()],
            seats=seat_arguments(texts),
            letters=any(map(LETTERS.search, texts)) or not texts,
            other_size=size if size != (game.options.get("rows"), game.options.get("cols")) else None,
        )


def sources_of(bot: Bot) -> dict[str, str]:
    """Return the sources of a bot by name, the one that is started first."""
    own = {name: file for name, file in bot.files.items() if language_of(name) and not OURS.search(name)}
    names = sorted(own, key=lambda name: name != bot.main)
    return {name: own[name].data.decode("utf-8", errors="replace") for name in names}


def _board_files(texts: Iterable[str]) -> list[str]:
    """Return the names under which a program may look for its board: those in its source, or the course's."""
    names = dict.fromkeys(name for text in texts for name in FILE_NAME.findall(text))
    boards_first = sorted(names, key=lambda name: "board" not in name.lower())
    return list(dict.fromkeys([*boards_first[:4], BOARD_FILE, "Board.txt"]))


def _fixed_size(text: str) -> tuple[int, int] | None:
    """Return the size of the board that a source is written for; None where it names none."""
    found = SIZE.search(text[:LOOKED_AT])
    if found is None:
        return None
    rows, cols = (number for number in found.groups() if number)
    return int(rows), int(cols)


def seat_arguments(sources: Iterable[str]) -> list[str]:
    """Return what a program may be started with to be told its seat, the likeliest first; none where it reads nothing.

    These are the words beside the places that have to do with arguments, with the options that are named there.
    """
    words: dict[str, None] = {}
    options: dict[str, None] = {}
    told = False
    for source in sources:
        lines = source[:LOOKED_AT].splitlines()
        places = [at for at, line in enumerate(lines) if TOLD.search(line[:LONGEST])]
        told = told or any(READS_ARGUMENT.search(lines[at][:LONGEST]) for at in places)
        near = {one for at in places for one in range(at, min(at + NEAR_LINES, len(lines)))}
        for line in (lines[at][:LONGEST] for at in sorted(near)):
            if "sage" in line:
                words |= dict.fromkeys([*listed_words(line), *(word for pair in EITHER.findall(line) for word in pair)])
            words |= dict.fromkeys(word for word in SHORT_WORD.findall(line) if not re.search(r"\.|main", word))
            options |= dict.fromkeys(one or other for one, other in OPTION_NAME.findall(line))
    if not told:
        return []
    usual = [word for word in ("1", "2", "0") if word not in words]
    found = [f"{option} {word}" for option in options for word in (*words, *usual)] + list(options)
    return list(dict.fromkeys([*found, *words, *usual]))[:MOST_ARGUMENTS]
