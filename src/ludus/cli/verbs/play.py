"""`ludus play`: a game in the terminal, people and programs at either side of the board."""

from __future__ import annotations

import math
import random
import re
import shlex
import time
import unicodedata
from contextlib import ExitStack, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ludus.cli import reason, words
from ludus.cli.arguments import (
    bot_options,
    check_clock,
    check_player,
    find_position,
    game_argument,
    json_option,
    make_game,
)
from ludus.cli.output import echo_json
from ludus.cli.person import Person, keyboard
from ludus.cli.terminal import Screen
from ludus.cli.verbs import Verb
from ludus.errors import FAULTS, UserError
from ludus.game import read_move
from ludus.play.match import Match
from ludus.play.narration import ending
from ludus.players import HUMAN, player

if TYPE_CHECKING:
    from ludus.game import State
    from ludus.play.clock import Clock
    from ludus.play.player import Player
    from ludus.play.record import Record

COMMANDS = {
    "moves": "list the moves that you may play",
    "hint": "suggest a move",
    "undo": "take back to your previous turn",
    "save FILE": "write the game so far; `ludus replay FILE` shows it",
    "help": "this list",
    "quit": "leave the game",
}
LAST_WORDS = 8
"""How many lines of a failed bot's standard error are shown."""
ADVISER = "engine:seconds=1"
"""Who gives the hints."""

SECTION = "Play"
SUMMARY = "play a game in the terminal, against a program or a person"
EXAMPLES = """
ludus play chain-reaction                            you against the engine, not at its strongest
ludus play magnetic-cave --second engine             the engine at full strength
ludus play cantris --first human --second human      two people
ludus play fruit-rage --first greedy --second human --board input.txt
ludus play magnetic-cave --clock 3/move --save game.txt
ludus play chain-reaction --option rows=8 --option cols=8 --option explosion=keeps-surplus
ludus play cantris --board Board.txt --first engine --second human      type the moves of an opponent elsewhere
ludus play cantris --first greedy --second random --seed 7 --json
ludus play chain-reaction --first ./mybot.py --second heithoff --clock 3/move
"""


class Leave(Exception):  # noqa: N818 - no error: a person has had enough
    """The person leaves the game."""


class TakenBack(Exception):  # noqa: N818 - no error: the game goes on from an earlier position
    """The person has taken moves back instead of choosing one."""


class TerminalMatch:
    """A match at a terminal."""

    def __init__(self, match: Match, screen: Screen, stack: ExitStack, *, trusted: bool, pondering: bool) -> None:
        self.match = match
        self.screen = screen
        self.people = [text == HUMAN for text in match.record.players]
        self.lines = keyboard(screen) if any(self.people) else None
        self.players: list[Player] = [
            Person(self.ask)
            if human
            else stack.enter_context(player(text, match.state.game, trusted=trusted, pondering=pondering))
            for text, human in zip(match.record.players, self.people, strict=True)
        ]

    def run(self) -> None:
        """Play on until the game is over; Leave when a person does not want to."""
        record, game = self.match.record, self.match.state.game
        first, second = (words.side_name(game, side) + f" {record.players[side]}" for side in (0, 1))
        self.screen.say(words.title(game))
        self.screen.say(first + " against " + second)
        self.show(self.match.state)
        while self.match.outcome is None:
            self.turn()
        self.screen.say(str(ending(self.match.state, self.match.outcome, len(record.moves))))
        self.explain_fault()

    def explain_fault(self) -> None:
        """Print what a bot did that failed, and the last lines of its standard error."""
        match = self.match
        if match.outcome is None or match.outcome.reason not in FAULTS or match.outcome.winner is None:
            return
        loser = 1 - match.outcome.winner
        self.screen.say(f"{match.record.players[loser]}: {match.record.fault or match.outcome.reason}.")
        for line in self.players[loser].log.splitlines()[-LAST_WORDS:]:
            self.screen.say(f"  | {line}")

    def turn(self) -> None:
        """Let the side to move choose, play it and show it."""
        match, before = self.match, self.match.state
        with suppress(TakenBack):
            match.ask(self.players[before.side])
            if match.state is not before:
                self.show(before, match.record.moves[-1].move)

    def show(self, before: State, move: str | None = None) -> None:
        """Show the board, after a move what it did."""
        match = self.match
        self.screen.say()
        moved = self.screen.move(before, move) if move is not None else ()
        if move is not None:
            self.screen.say(words.story(len(match.record.moves), before, move, match.record.moves[-1].seconds))
        self.screen.board(match.state, moved, before)
        if line := words.status(match):
            self.screen.say(line)

    def ask(self, state: State, allowed: float) -> str:
        """Ask the person to move until there is a legal move; TakenBack after a command that changed the position."""
        began = time.monotonic()
        ticking = not math.isinf(allowed)

        def below() -> str:
            left = allowed - (time.monotonic() - began)
            clock = f"{words.minutes(max(0.0, left))} left   " if ticking else ""
            return f" {clock}a move, or: {'  '.join(COMMANDS)}"

        assert self.lines is not None
        name = words.side_names(state.game)[state.side]
        while True:
            known = [*(command.partition(" ")[0] for command in COMMANDS), *state.legal_moves]
            try:
                line = self.lines.ask(name, state.side, known, below, ticking=ticking)
            except EOFError:
                raise Leave from None
            line = unicodedata.normalize("NFKC", line).strip()
            if line.lower() in ("quit", "exit"):
                raise Leave
            if line.lower() == "undo":
                if self.undo():
                    raise TakenBack
                self.screen.say("There is no move of yours to take back.")
            elif not self.obeyed(line):
                try:
                    return read_move(state, as_typed(line))
                except ValueError as error:
                    self.screen.say(f"{error}. Type help for what else you can say.")

    def obeyed(self, line: str) -> bool:
        """Do what a line asks for that leaves the position as it is; False when it is no such command."""
        state = self.match.state
        match line.split(maxsplit=1):
            case []:
                self.screen.say("Type a move, or help.")
            case [word] if word.lower() == "help":
                self.screen.say(
                    f"A move is written like {state.legal_moves[0]}; the course's way to write it works too."
                )
                for name, does in COMMANDS.items():
                    self.screen.say(f"  {name:<10} {does}")
            case [word] if word.lower() == "moves":
                self.screen.say(" ".join(state.legal_moves))
            case [word] if word.lower() == "hint":
                self.screen.say(f"Try {player(ADVISER).choose(state, self.match.time_left(state.side))}.")
            case [word, name] if word.lower() == "save":
                self.save(name)
            case [word] if word.lower() == "save":
                self.screen.say("Save needs the name of a file, as in: save game.txt")
            case _:
                return False
        return True

    def save(self, name: str) -> None:
        """Write the record where a person wants it."""
        try:
            self.match.record.save(Path(name).expanduser())
        except (OSError, ValueError, RuntimeError) as error:
            self.screen.say(f"Nothing was saved: {reason(error) if isinstance(error, OSError) else error}.")
        else:
            self.screen.say(f"Saved {words.count(len(self.match.record.moves), 'move')} in {name}.")

    def undo(self) -> bool:
        """Take back to the person's previous turn; False when there was none."""
        *earlier, _ = self.match.record.states()
        if not any(self.people[state.side] for state in earlier):
            return False
        played = len(self.match.record.moves)
        self.match.undo()
        while not self.people[self.match.state.side]:
            self.match.undo()
        self.screen.say(f"Took back {words.count(played - len(self.match.record.moves), 'move')}.")
        self.show(self.match.state)
        return True


def as_typed(line: str) -> str:
    """Put a move right that somebody typed in a hurry: `(2,1)`, `2-1`, `row 2 col 1`, `R2C1`, 第2列第1行, ２，１."""
    text = unicodedata.normalize("NFKC", line).strip()
    words = re.sub(r"row|column|col|r|c|第|列|行", " ", text, flags=re.IGNORECASE)
    numbers = re.fullmatch(r"[^\w-]*(\d+)(?:[^\w-]+|\s*-\s*)(\d+)[^\w-]*", words)
    return f"{numbers[1]} {numbers[2]}" if numbers else text.strip(" .()[]")


def record_json(record: Record) -> dict[str, Any]:
    """Return a record as JSON."""
    final = record.final
    return {
        "game": record.game.name,
        "options": dict(record.game.options),
        "players": list(record.players),
        "clock": record.clock,
        "start": record.start.text,
        "moves": [{"move": played.move, "seconds": played.seconds, "value": played.value} for played in record.moves],
        "position": final.text,
        "scores": final.scores,
        "outcome": record.outcome and {"winner": record.outcome.winner, "reason": record.outcome.reason},
        "result": record.result,
    }


def how_to_go_on(match: Match) -> str:
    """Return the command that continues a game from where it stands."""
    game = match.state.game
    options = [word for name, value in game.given.items() for word in ("--option", f"{name}={value}")]
    return shlex.join(["ludus", "play", game.name, *options, "--board", match.state.text])


@click.command(cls=Verb, examples=EXAMPLES)
@game_argument
@click.option("--first", callback=check_player, default="human", show_default=True, help="Who moves first.")
@click.option("--second", callback=check_player, default="engine:level=3", show_default=True, help="Who moves second.")
@click.option("--board", metavar="FILE|TEXT", help="Start from a course's board file or from a position.")
@click.option("--seed", type=int, help="The random board with this number; without it, any.")
@click.option("--clock", callback=check_clock, default="none", show_default=True, help="3/move, 300, 60+1 or none.")
@click.option(
    "--save", metavar="FILE", type=click.Path(dir_okay=False), help="Write the game's record there at the end."
)
@bot_options
@click.option("--no-animation", is_flag=True, help="Show each move at once, not step by step.")
@json_option
def play(
    *,
    game: str,
    options: tuple[str, ...],
    first: str,
    second: str,
    board: str | None,
    seed: int | None,
    clock: Clock,
    save: str | None,
    pondering: bool,
    trust: bool,
    no_animation: bool,
    as_json: bool,
) -> None:
    """Play a game in the terminal.

    A player is human, or the name of a program; ludus --help lists them. At your turn type a move, or help.
    """
    made = make_game(game, options)
    if board is not None and seed is not None:
        raise UserError("cli.board_and_seed")
    if save is not None and not Path(save).absolute().parent.is_dir():
        raise UserError("cli.no_save_folder", file=save)
    if seed is None:
        seed = random.randrange(1_000_000)
    start = made.initial(seed) if board is None else find_position(made, board).state
    match = Match(start, (first, second), clock, seed if board is None else None)
    screen = Screen(on_error_stream=as_json, animation=not no_animation)
    interrupted = False
    with ExitStack() as stack:
        shown = TerminalMatch(match, screen, stack, trusted=trust, pondering=pondering)
        try:
            shown.run()
        except (Leave, KeyboardInterrupt) as stopped:
            interrupted = isinstance(stopped, KeyboardInterrupt)
        finally:
            if save is not None:
                match.record.save(save)
    if match.outcome is None:
        left_early(shown, save)
    elif save is not None:
        shown.screen.say(f"The game is in {save}; ludus replay shows it.")
    if interrupted:
        raise KeyboardInterrupt
    if as_json:
        echo_json(record_json(match.record))


def left_early(shown: TerminalMatch, save: str | None) -> None:
    """Print how to continue a game that was left before its end."""
    played = len(shown.match.record.moves)
    if not played:
        return
    moves = words.count(played, "move")
    if save is not None:
        shown.screen.say(f"You left after {moves}; the game is in {save}.")
    else:
        shown.screen.say(f"You left after {moves}; next time `save FILE` or --save FILE keeps them.")
    shown.screen.say(f"To go on from here: {how_to_go_on(shown.match)}", whole=True)
