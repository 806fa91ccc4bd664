"""`ludus move`: choose one move, from input.txt to output.txt as in a course, or for a position."""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ludus.cli.arguments import check_player, game_argument, json_option, make_game, position_argument
from ludus.cli.output import echo, echo_json, rendered
from ludus.cli.verbs import Verb
from ludus.errors import UserError
from ludus.files import read_text, write_whole
from ludus.game import read_position
from ludus.messages import Message
from ludus.play.budget import likely_own_moves
from ludus.play.clock import Clock
from ludus.players import HUMAN
from ludus.players import player as make_player

if TYPE_CHECKING:
    from ludus.game import CourseBoard

INPUT, OUTPUT = "input.txt", "output.txt"
END_SHARE, END_SECONDS = 0.25, 0.05
"""Time before the process can read its clock and after its move: a share of its start-up time, and seconds."""
NO_TIME = 1e-3
"""A bank so short that the player moves without thinking."""

SECTION = "Play"
SUMMARY = "choose one move, for input.txt or a position"
EXAMPLES = """
ludus move fruit-rage                      reads input.txt here, writes output.txt
ludus move fruit-rage --folder games/7     the same in another folder
echo '....../....../....../....../......' | ludus move chain-reaction
ludus move chain-reaction 'r1./.b1 1 2' --player random
"""


def choose(course: CourseBoard, player: str, source: str) -> str:
    """Return a player's move, chosen within the time left that the file gives."""
    if player == HUMAN:
        raise UserError("cli.move_by_human")
    if course.state.outcome is not None:
        raise UserError("cli.no_move_left", source=source)
    bank = course.seconds
    if bank is not None:  # each later move starts this program again, in the same time bank
        each = seconds_since_start() * (1 + END_SHARE) + END_SECONDS
        bank = max(bank - each * likely_own_moves(course.state), NO_TIME)
    with make_player(player) as chooser:
        return chooser.choose(course.state, Clock(bank=bank).start())


def seconds_since_start() -> float:
    """Return the time since this process started; if the system does not tell, its CPU time."""
    try:
        ticks = int(Path("/proc/self/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[19])
        return time.clock_gettime(time.CLOCK_BOOTTIME) - ticks / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, AttributeError):
        return time.process_time()


@click.command(cls=Verb, examples=EXAMPLES)
@game_argument
@position_argument
@click.option(
    "--folder", type=click.Path(file_okay=False, exists=True), help="The folder of input.txt.  [default: this one]"
)
@click.option("--player", callback=check_player, default="engine", show_default=True, help="The player that chooses.")
@json_option
def move(
    *, game: str, options: tuple[str, ...], position: str | None, folder: str | None, player: str, as_json: bool
) -> None:
    """Choose one move.

    In a folder with input.txt, the move is written to output.txt, completely or not at all. Otherwise the move for
    POSITION is printed: a text, or - for standard input.
    """
    made = make_game(game, options)
    here = Path(folder or ".")
    files = position is None and (folder is not None or (here / INPUT).exists())
    if files:
        source = str(here / INPUT)
        text = read_text(here / INPUT)
    elif position not in (None, "-"):
        source, text = "POSITION", str(position)
    else:
        source = rendered(Message("cli.standard_input"))
        if sys.stdin.isatty():
            raise UserError("cli.no_input_file", name=INPUT)
        text = sys.stdin.read()
    course = read_position(made, text, source)
    chosen = choose(course, player, source)
    if files:
        write_file = course.state.game.course.write_file
        write_whole(here / OUTPUT, write_file(course.state, chosen) if write_file else f"{chosen}\n")
    if as_json:
        after = course.state.play(chosen)
        echo_json({"game": game, "position": course.state.text, "move": chosen, "after": after.text})
    elif not files:
        echo(chosen)
