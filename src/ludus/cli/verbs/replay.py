"""`ludus replay`: step through a record, key by key in a terminal, all of it elsewhere."""

from __future__ import annotations

import contextlib
import os
import re
import sys
import termios
import tty
from typing import TYPE_CHECKING

import click

from ludus.cli import words
from ludus.cli.arguments import (
    animation_option,
    board_option,
    check_game,
    find_moves,
    json_option,
    load_record,
    make_game,
    option_option,
)
from ludus.cli.output import echo_json, rendered
from ludus.cli.terminal import TerminalScreen
from ludus.cli.verbs import Verb
from ludus.errors import UserError
from ludus.messages import Message
from ludus.play.narration import ending

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ludus.cli.terminal import Cells
    from ludus.game import State
    from ludus.play.record import Record

KEY = re.compile(r"\x1b(?:\[|O)[A-Z]|.", re.DOTALL)
NEXT = {"\r", "\n", "n", " ", "\x1b[C", "\x1bOC"}
BACK = {"b", "p", "\x1b[D", "\x1bOD", "\x7f"}
QUIT = {"q", "\x04"}

SECTION = "Play"
SUMMARY = "step through a saved game"
EXAMPLES = """
ludus replay game.txt
ludus replay game.txt --ply 12
ludus replay moves.txt --game chain-reaction         a list of moves from the start
"""


class Replay:
    """A record and where one looks at it."""

    def __init__(self, record: Record, screen: TerminalScreen) -> None:
        self.record = record
        self.screen = screen
        self.states: list[State] = list(record.states())

    def show(self, ply: int, *, motion: bool = False) -> None:
        """Show the position after this number of moves."""
        state, before = self.states[ply], self.states[max(0, ply - 1)]
        moved: Cells = ()
        if ply:
            played = self.record.moves[ply - 1]
            moved = self.screen.move(before, played.move, motion=motion)
            line = words.story(ply, before, played.move, played.seconds)
            if played.value is not None:
                line.append(rendered(Message("cli.replay.value", value=f"{played.value:+g}")))
            if played.comment:
                line.append(f" {' '.join(played.comment.split())}")
            self.screen.say(line)
        else:
            self.screen.say(words.against(state.game, self.record.players))
        self.screen.board(state, moved, before)
        if standing := words.standing(state):
            self.screen.say(standing)
        if ply == len(self.record.moves):
            outcome = self.record.outcome
            self.screen.say(ending(state, outcome, ply) if outcome else Message("cli.replay.not_over"))

    def all(self) -> None:
        """Print every position."""
        self.screen.say(words.title(self.record.game))
        for ply in range(len(self.states)):
            self.screen.say()
            self.show(ply)

    def step(self, keys: Iterator[str]) -> None:
        """Go where the keys lead."""
        ply, shown = 0, -1
        while True:
            if shown != ply:
                self.screen.console.clear()
                self.show(ply, motion=ply == shown + 1)
                shown = ply
                self.screen.say(f"{ply}/{len(self.record.moves)}   {rendered(Message('cli.replay.keys'))}")
            key = next(keys)
            last = len(self.record.moves)
            if key in NEXT:
                ply = min(last, ply + 1)
            elif key in BACK:
                ply = max(0, ply - 1)
            elif key == "g":
                wanted = number(keys)
                ply = shown if wanted is None else min(last, wanted)
            elif key in QUIT:
                return


@contextlib.contextmanager
def keyboard() -> Iterator[Iterator[str]]:
    """Yield the keys as they are pressed, none lost while a board is drawn; the end of input quits."""
    terminal = sys.stdin.fileno()
    before = termios.tcgetattr(terminal)
    tty.setcbreak(terminal, termios.TCSANOW)
    try:
        yield typed(terminal)
    finally:
        termios.tcsetattr(terminal, termios.TCSADRAIN, before)


def typed(terminal: int) -> Iterator[str]:
    """Yield one key after the other; one read may bring several."""
    while data := os.read(terminal, 64):
        yield from KEY.findall(data.decode(errors="replace"))
    while True:
        yield "q"


def number(keys: Iterator[str]) -> int | None:
    """Read a number up to Enter; None for anything else."""
    digits = ""
    for key in keys:
        if key in "\r\n":
            break
        digits += key
    digits = digits.strip()
    return int(digits) if digits.isdecimal() and len(digits) < 10 else None


@click.command(cls=Verb, examples=EXAMPLES)
@click.argument("file", metavar="FILE", type=click.Path(dir_okay=False))
@click.option("--ply", type=click.IntRange(min=0), help="Show only the position after this number of moves.")
@click.option("--game", "name", metavar="GAME", callback=check_game, help="The game, if FILE is only a list of moves.")
@option_option
@board_option
@animation_option
@json_option
def replay(
    *,
    file: str,
    ply: int | None,
    name: str | None,
    options: tuple[str, ...],
    seed: int,
    no_animation: bool,
    as_json: bool,
) -> None:
    """Step through a saved game.

    In a terminal, Enter, n or → shows the next move, b or ← the one before, g 12 Enter goes to move 12, and q quits.
    Otherwise every position is printed.
    """
    record = None
    if name is not None:
        made = make_game(name, options)
        record = find_moves(made.initial(seed), file)
    record = load_record(file, f"ludus replay {file} --game GAME") if record is None else record
    if ply is not None and ply > len(record.moves):
        raise UserError("cli.no_such_ply", ply=ply, file=file, n=len(record.moves))
    screen = TerminalScreen(animation=not no_animation)
    view = Replay(record, screen)
    if as_json:
        chosen = view.states if ply is None else [view.states[ply]]
        positions = [{"position": state.text, "scores": state.scores} for state in chosen]
        moves = [played.move for played in record.moves]
        echo_json({"game": record.game.name, "moves": moves, "positions": positions, "result": record.result})
    elif ply is not None:
        view.show(ply)
    elif screen.is_terminal and sys.stdin.isatty():
        with keyboard() as keys:
            view.step(keys)
    else:
        view.all()
