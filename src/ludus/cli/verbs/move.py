"""`ludus move`: one move the way a course asks for it, from file to file or from standard input to standard output."""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from typing import TYPE_CHECKING

import click

from ludus.cli.arguments import check_player, game_argument, json_option, make_game
from ludus.cli.output import echo
from ludus.cli.verbs import Verb
from ludus.errors import UserError
from ludus.game import read_position

if TYPE_CHECKING:
    from ludus.game import CourseBoard, State

INPUT, OUTPUT = "input.txt", "output.txt"
STANDARD_INPUT = "standard input"
END_SHARE, END_SECONDS = 0.25, 0.05
"""What a process takes before it can look at its clock, and after its move: a share of its start, and seconds."""
NO_TIME = 1e-3
"""A bank so short that the move is made without thinking."""

EXAMPLES = """
ludus move fruit-rage                      reads input.txt here, leaves output.txt
ludus move fruit-rage --folder games/7     the same in another folder
echo '....../....../....../....../......' | ludus move chain-reaction
ludus move chain-reaction 'r1./.b1 1 2' --player random
"""


def choose(course: CourseBoard, player: str, source: str) -> str:
    """Let a player choose, in the time that the file says is left."""
    from ludus.play.budget import likely_own_moves  # noqa: PLC0415 - the help page does without
    from ludus.play.clock import Clock  # noqa: PLC0415
    from ludus.players import HUMAN  # noqa: PLC0415
    from ludus.players import player as make_player  # noqa: PLC0415

    if player == HUMAN:
        raise UserError("cli.human_player")
    if course.state.outcome is not None:
        raise UserError("cli.no_move", source=source)
    bank = course.seconds
    if bank is not None:  # every move to come starts this program again, and pays for it
        each = seconds_since_start() * (1 + END_SHARE) + END_SECONDS
        bank = max(bank - each * likely_own_moves(course.state), NO_TIME)
    with make_player(player) as chooser:
        return chooser.choose(course.state, Clock(bank=bank).start())


def seconds_since_start() -> float:
    """Give how long ago this process began; where the system does not tell, the time that it has computed."""
    try:
        ticks = int(Path("/proc/self/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[19])
        return time.clock_gettime(time.CLOCK_BOOTTIME) - ticks / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, AttributeError):
        return time.process_time()


def answer(state: State, move: str) -> str:
    """Give what the answer file holds: the course's form where the game has one, else the move."""
    write_file = state.game.course.write_file
    return write_file(state, move) if write_file else f"{move}\n"


@click.command(
    cls=Verb,
    section="For courses and scripts",
    examples=EXAMPLES,
    short_help="one move: input.txt to output.txt, or a position in, a move out",
)
@game_argument
@click.argument("position", metavar="[POSITION]", required=False)
@click.option("--folder", type=click.Path(file_okay=False, exists=True), help="Where input.txt is; here unless given.")
@click.option("--player", callback=check_player, default="engine", show_default=True, help="Who chooses.")
@json_option
def move(
    *, game: str, options: tuple[str, ...], position: str | None, folder: str | None, player: str, as_json: bool
) -> None:
    """Make one move.

    In a folder with input.txt the answer goes to output.txt, written whole or not at all. Elsewhere, or when POSITION
    is given, a position goes in and a move comes out; POSITION may be - for standard input.
    """
    from ludus.files import read_text, write_whole  # noqa: PLC0415 - the help page does without

    made = make_game(game, options)
    here = Path(folder or ".")
    files = position is None and (folder is not None or (here / INPUT).exists())
    if files:
        source = str(here / INPUT)
        text = read_text(here / INPUT)
    elif position not in (None, "-"):
        source, text = "POSITION", str(position)
    else:
        source = STANDARD_INPUT
        if sys.stdin.isatty():
            raise UserError("cli.no_input", file=INPUT)
        text = sys.stdin.read()
    course = read_position(made, text, source)
    chosen = choose(course, player, source)
    if files:
        write_whole(here / OUTPUT, answer(course.state, chosen))
    if as_json:
        after = course.state.play(chosen)
        echo(json.dumps({"game": game, "position": course.state.text, "move": chosen, "after": after.text}))
    elif not files:
        echo(chosen)


COMMAND = move
