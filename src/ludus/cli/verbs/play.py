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
    animation_option,
    bot_options,
    check_player,
    clock_option,
    find_position,
    game_argument,
    json_option,
    make_game,
)
from ludus.cli.output import echo, echo_json, echo_row, rendered
from ludus.cli.person import PersonPlayer, keyboard
from ludus.cli.terminal import TerminalScreen
from ludus.cli.verbs import Verb
from ludus.errors import FAULTS, UserError, message_of
from ludus.game import read_move
from ludus.messages import Message
from ludus.play.match import Match
from ludus.play.narration import ending
from ludus.players import HUMAN, player
from ludus.players.levels import levels as levels_of

if TYPE_CHECKING:
    from ludus.game import State
    from ludus.play.clock import Clock
    from ludus.play.player import Player
    from ludus.play.record import Record

COMMANDS = ("moves", "hint", "undo", "save FILE", "help", "quit")
LOG_LINES = 8
"""How many lines of a failed bot's standard error are shown."""
ADVISER = "engine:seconds=1"
"""The player that gives hints."""

SECTION = "Play"
SUMMARY = "play a game in the terminal"
EXAMPLES = """
ludus play chain-reaction                            you against the engine at level 3
ludus play magnetic-cave --second engine             the engine at full strength
ludus play magnetic-cave --levels                    what each level sees, and its Elo
ludus play cantris --first human --second human      two people
ludus play fruit-rage --first greedy --second human --board input.txt
ludus play magnetic-cave --clock 3/move --save game.txt
ludus play chain-reaction --option rows=8 --option cols=8 --option explosion=keeps-surplus
ludus play cantris --board Board.txt --first engine --second human      you type the moves of an opponent elsewhere
ludus play cantris --first greedy --second random --seed 7 --json
ludus play chain-reaction --first ./mybot.py --second heithoff --clock 3/move
"""


class Leave(Exception):  # noqa: N818 - no error: a person has had enough
    """The person leaves the game."""


class TakenBack(Exception):  # noqa: N818 - no error: the game goes on from an earlier position
    """The person has taken moves back instead of choosing one."""


class TerminalMatch:
    """A match at a terminal."""

    def __init__(
        self, match: Match, screen: TerminalScreen, stack: ExitStack, *, trusted: bool, pondering: bool
    ) -> None:
        self.match = match
        self.screen = screen
        self.saved_in = ""
        """The file that has the game as it stands, by the command `save`."""
        self.people = [text == HUMAN for text in match.record.players]
        self.lines = keyboard(screen) if any(self.people) else None
        self.players: list[Player] = [
            PersonPlayer(self.ask)
            if human
            else stack.enter_context(player(text, match.state.game, trusted=trusted, pondering=pondering))
            for text, human in zip(match.record.players, self.people, strict=True)
        ]

    def run(self) -> None:
        """Play on until the game is over; Leave when a person does not want to."""
        record, game = self.match.record, self.match.state.game
        self.screen.say(words.title(game))
        self.screen.say(words.against(game, record.players))
        self.show(self.match.state)
        while self.match.outcome is None:
            self.turn()
        reader = self.people.index(True) if self.people.count(True) == 1 else None
        self.screen.say(ending(self.match.state, self.match.outcome, len(record.moves), reader))
        self.explain_fault()

    def explain_fault(self) -> None:
        """Print what a bot did that failed, and the last lines of its standard error."""
        match = self.match
        if match.outcome is None or match.outcome.reason not in FAULTS or match.outcome.winner is None:
            return
        loser = 1 - match.outcome.winner
        fault = match.record.fault or FAULTS[match.outcome.reason]
        self.screen.say(Message("cli.play.failed", player=match.record.players[loser], fault=fault))
        for line in self.players[loser].log.splitlines()[-LOG_LINES:]:
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
        match, self.saved_in = self.match, ""
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
            left = words.minutes(allowed - (time.monotonic() - began)) if ticking else ""
            clock = Message("cli.play.time_left", time=left) if ticking else ""
            return f" {rendered(Message('cli.play.toolbar', clock=clock, commands='  '.join(COMMANDS)))}"

        assert self.lines is not None
        name = rendered(state.game.sides[state.side])
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
                self.screen.say(Message("cli.play.no_undo"))
            elif not self.obeyed(line):
                try:
                    return read_move(state, as_typed(line))
                except ValueError as error:
                    self.screen.say(Message("cli.play.wrong", problem=message_of(error)))

    def obeyed(self, line: str) -> bool:
        """Do what a line asks for that leaves the position as it is; False when it is no such command."""
        state = self.match.state
        match line.split(maxsplit=1):
            case []:
                self.screen.say(Message("cli.play.nothing_typed"))
            case [word] if word.lower() == "help":
                self.screen.say(Message("cli.play.how_to_move", move=state.legal_moves[0]))
                for name in COMMANDS:
                    does = rendered(Message(f"cli.play.command.{name.partition(' ')[0]}"))
                    self.screen.say(f"  {name:<10} {does}")
            case [word] if word.lower() == "moves":
                self.screen.say(" ".join(state.legal_moves))
            case [word] if word.lower() == "hint":
                advice = player(ADVISER).choose(state, self.match.time_left(state.side))
                self.screen.say(Message("cli.play.hint", move=advice))
            case [word, name] if word.lower() == "save":
                self.save(name)
            case [word] if word.lower() == "save":
                self.screen.say(Message("cli.play.save_needs_file"))
            case _:
                return False
        return True

    def save(self, name: str) -> None:
        """Write the record where a person wants it."""
        try:
            self.match.record.save(Path(name).expanduser())
        except (OSError, ValueError, RuntimeError) as error:
            problem = reason(error) if isinstance(error, OSError) else message_of(error)
            self.screen.say(Message("cli.play.not_saved", problem=problem))
        else:
            self.saved_in = name
            self.screen.say(Message("cli.play.saved", n=len(self.match.record.moves), file=name))

    def undo(self) -> bool:
        """Take back to the person's previous turn; False when there was none."""
        *earlier, _ = self.match.record.states()
        if not any(self.people[state.side] for state in earlier):
            return False
        played = len(self.match.record.moves)
        self.match.undo()
        while not self.people[self.match.state.side]:
            self.match.undo()
        self.screen.say(Message("cli.play.undone", n=played - len(self.match.record.moves)))
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
@click.option("--first", callback=check_player, default="human", show_default=True, help="The first player.")
@click.option("--second", callback=check_player, default="engine:level=3", show_default=True, help="The second player.")
@click.option("--levels", is_flag=True, help="List the levels of the engine with their Elo, and play nothing.")
@click.option("--board", metavar="FILE|TEXT", help="Start from a course's board file or from a position.")
@click.option("--seed", type=int, help="The number of the random board.  [default: a new one each time]")
@clock_option
@click.option("--save", metavar="FILE", type=click.Path(dir_okay=False), help="Save the game to this file at the end.")
@bot_options
@animation_option
@json_option
def play(
    *,
    game: str,
    options: tuple[str, ...],
    first: str,
    second: str,
    levels: bool,
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

    A player is human, a name that ludus --help lists, or the path of a bot. On your turn, type a move or help.
    """
    made = make_game(game, options)
    if levels:
        show_levels(game, as_json=as_json)
        return
    if board is not None and seed is not None:
        raise UserError("cli.board_and_seed")
    if save is not None and not Path(save).absolute().parent.is_dir():
        raise UserError("cli.no_save_folder", file=save)
    if seed is None:
        seed = random.randrange(1_000_000)
    start = made.initial(seed) if board is None else find_position(made, board).state
    match = Match(start, (first, second), clock, seed if board is None else None)
    screen = TerminalScreen(on_error_stream=as_json, animation=not no_animation)
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
        screen.say(Message("cli.play.kept", file=save, command=shlex.join(["ludus", "replay", save])), whole=True)
    if interrupted:
        raise KeyboardInterrupt
    if as_json:
        echo_json(record_json(match.record))


def show_levels(game: str, *, as_json: bool) -> None:
    """Print what each level of the engine sees, and its Elo where it was measured."""
    found = levels_of(game)
    if as_json:
        echo_json([{"level": n, "elo": level.elo, "sees": str(level.sees)} for n, level in enumerate(found, 1)])
        return
    for number, level in enumerate(found, 1):
        about = level.sees if level.elo is None else Message("level.about", elo=level.elo, sees=level.sees)
        echo_row((17, 1), f"engine:level={number}", about)
    if found[0].elo is not None:
        echo(Message("level.elo.about"))


def left_early(shown: TerminalMatch, save: str | None) -> None:
    """Print how to continue a game that was left before its end."""
    played = len(shown.match.record.moves)
    if not played:
        return
    file = save or shown.saved_in
    left = Message("cli.play.left_saved", n=played, file=file) if file else Message("cli.play.left", n=played)
    shown.screen.say(left)
    shown.screen.say(Message("cli.play.continue", command=how_to_go_on(shown.match)), whole=True)
