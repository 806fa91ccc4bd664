"""Checks a bot: builds it, plays it in both seats on its course's boards and near every edge, and lists what is right,
what is only to be noted, and what must be fixed, each with the command that shows it.

Knows matches and bots; prints nothing.
"""

from __future__ import annotations

import math
import random
import re
import shlex
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from pydantic import ConfigDict, computed_field, model_validator

from ludus.bots.build import BuildFailed, build
from ludus.bots.console import console_instead, discover, opens_window
from ludus.bots.player import BotPlayer
from ludus.errors import Fault, UserError
from ludus.game import game, games
from ludus.messages import Message, known, verbatim
from ludus.messages.fields import MessageField
from ludus.messages.names import player_message
from ludus.play.clock import Clock
from ludus.play.match import Match
from ludus.players import player
from ludus.protocols import protocol as speaking
from ludus.protocols import sides_note
from ludus.protocols.console import script_toml, tells_start
from ludus.view import View

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence

    from ludus.bots import Bot
    from ludus.game import Game, State
    from ludus.play.player import Player
    from ludus.protocols.console import ConsoleScript

OPPONENTS = ("random:seed={}", "greedy")
EDGES = (1, 2, 3, 6)
"""Plies before the end of a game at which a bot is put before a board."""
EDGE_GAMES = 40
"""Random games among which the tightest board is looked for."""
SLOW = 0.5
"""The share of its time beyond which a move is worth a warning."""
SHARES = (0.001, 0.003, 0.01, 0.03, 0.1, 0.3, 1.0)
"""Where the steps of the histogram of times end, as shares of the limit."""
OK, WARNING, REJECT = "ok", "warning", "reject"


class Finding(View):
    """One thing that was found: whether it must be fixed, what it is, and how to see it."""

    model_config = ConfigDict(frozen=True)

    verdict: str
    message: MessageField
    shows: str = ""
    """The input that shows it: a position."""
    command: str = ""
    """What to type to see it again."""
    log: str = ""
    """What the bot or the compiler wrote then."""
    game: str = ""
    """The game of the position, and its options: with `shows` all that a board is drawn from."""
    options: Mapping[str, int | str] = {}
    cells: tuple[tuple[int, int], ...] = ()
    """The cells of the move that is in question, to be marked on the board."""
    also: tuple[Finding, ...] = ()
    """The other games and positions in which it failed alike, each in full."""

    @model_validator(mode="before")
    @classmethod
    def _add_message(cls, data: dict[str, Any]) -> dict[str, Any]:
        """Take the words of a finding that an older version stored without its message."""
        return data if data.get("message") else {**data, "message": verbatim(data["text"])}

    @computed_field  # type: ignore[prop-decorator]
    @property
    def text(self) -> str:
        """What it is, in English."""
        return str(self.message)

    @property
    def where(self) -> Message:
        """The game or position in which it was found, where it is a failure in one."""
        where: Message = self.message.params.get("trial", self.message)
        return where

    @property
    def state(self) -> State | None:
        """The position, where there is one that can be drawn."""
        if not self.shows or self.game not in games():
            return None
        return game(self.game, **self.options).parse(self.shows)


class Verdict(NamedTuple):
    """The summary of findings: the same for the terminal, the pages and the PDF reports."""

    problems: int
    """What must be fixed."""
    notes: int
    """What is only worth a look."""

    @property
    def ready(self) -> bool:
        """Whether nothing must be fixed."""
        return not self.problems

    @property
    def message(self) -> Message:
        """The verdict in words."""
        return Message("check.ready") if self.ready else Message("check.problems", n=self.problems)


def verdict_of(kinds: Iterable[str]) -> Verdict:
    """Return the summary of findings, by their kinds."""
    found = list(kinds)
    return Verdict(found.count(REJECT), found.count(WARNING))


class Trial(NamedTuple):
    """A game that a bot is tried in."""

    start: State
    side: int
    opponent: str
    what: Message
    moves: int | None = None
    """The number of the bot's moves to play; None plays to the end."""


@dataclass
class CheckReport:
    """All that was found."""

    bot: str
    game: str
    protocol: str
    clock: str
    findings: list[Finding] = field(default_factory=list)
    seconds: list[float] = field(default_factory=list)
    """What each move took."""
    limit: float = math.inf
    """What a move may take, or the whole game where the clock is a bank."""
    games: list[float] = field(default_factory=list)
    """What the moves of each game took together."""
    faults: list[str] = field(default_factory=list)
    """What each game that it lost by failing was lost by, as FAULTS has it."""
    refused: list[str] = field(default_factory=list)
    """The system calls that the sandbox refused it."""

    @property
    def verdict(self) -> Verdict:
        """What the findings amount to."""
        return verdict_of(finding.verdict for finding in self.findings)

    @property
    def passed(self) -> bool:
        """Whether nothing must be fixed."""
        return self.verdict.ready

    @property
    def slowest(self) -> float:
        """The longest that a move took."""
        return max(self.seconds, default=0.0)

    def histogram(self) -> list[tuple[float, float, int]]:
        """Return how many moves took how long: from, to, count; each step is about three times the one before."""
        top = self.limit if math.isfinite(self.limit) else max(self.slowest, 0.001)
        edges = [0.0, *(top * share for share in SHARES)]
        counts = [0] * len(SHARES)
        for seconds in self.seconds:
            counts[sum(seconds > edge for edge in edges[1:-1])] += 1
        return list(zip(edges[:-1], edges[1:], counts, strict=True))

    def document(self) -> dict[str, Any]:
        """Return the report as JSON."""
        return {
            "bot": self.bot,
            "game": self.game,
            "protocol": self.protocol,
            "clock": self.clock,
            "passed": self.passed,
            **self.verdict._asdict(),
            "games": len(self.games),
            "slowest": self.slowest,
            "findings": [finding.model_dump(mode="json") for finding in self.findings],
            "histogram": [{"from": low, "to": high, "moves": count} for low, high, count in self.histogram()],
        }


class UnknownGame(UserError):  # noqa: N818 - it names what is not known
    """The game that a bot plays is not known."""


def game_of(bot: Bot, wanted: str | None) -> str:
    """Return the game in which a bot is tried: the one asked for, its own, or the only one of its protocol."""
    if wanted and bot.game and wanted != bot.game:
        raise UserError("check.other_game", bot=bot.name, game=bot.game, wanted=wanted)
    found = wanted or bot.game or next(iter(speaking(bot.protocol).games), None)
    if found is None:
        raise UnknownGame("check.game_unknown", bot=bot.name)
    return found


def boards(name: str, options: Mapping[str, int | str], protocol: str) -> list[Game]:
    """Return the games that a bot is tried in: those of the course, unless options were given."""
    if options:
        return [game(name, **options)]
    usual = speaking(protocol).usual_board_only
    return [game(name, **board) for board in game(name).course.boards if not (board and usual)]


def trials(games: list[Game], seed: int = 1) -> Iterator[Trial]:
    """Return the games to try: whole ones in both seats, then positions near the end of some."""
    for played in games:
        shape = _shape(played)
        for side in (0, 1):
            for opponent in OPPONENTS:
                text = opponent.format(seed + side)
                code = "check.whole_game_second" if side else "check.whole_game_first"
                what = Message(code, board=shape, opponent=player_message(text.partition(":")[0]))
                yield Trial(played.initial(seed + side), side, text, what)
        yield from _edges(played, shape, seed)


def _shape(played: Game) -> Message:
    """Return what a board is called: its size, and options that are no size, where it is not the usual one."""
    usual = game(played.name).options
    chosen = {name: value for name, value in played.given.items() if usual.get(name) != value}
    if not chosen:
        return Message("check.usual_board")
    board = played.look.board
    marks = board(played.initial(1)).marks if board is not None else ()
    sizes = (len(marks), len(marks[0])) if marks else ()
    words = f"{played.name.replace('-', '_')}.{{}}.{{}}"
    options = [
        Message(
            "player.option",
            name=known(words.format("option", name), name),
            value=known(words.format("choice", value), str(value)),
        )
        for name, value in chosen.items()
        if value not in sizes
    ]
    size = Message("check.sized_board", rows=sizes[0], cols=sizes[1]) if sizes else Message("check.usual_board")
    return Message("check.board_with", board=size, options=options) if options else size


def _edges(played: Game, shape: Message, seed: int) -> Iterator[Trial]:
    """Play at random, and put the bot before the last boards of a game, and before the tightest of many games.

    Only boards on which the first side moves: a bot that plays `second` waits for its opponent.
    """
    games = [_at_random(played, number) for number in range(seed, seed + EDGE_GAMES)]
    for back in EDGES:
        if back <= len(games[0]):
            what = Message("check.before_end", n=back, board=shape)
            yield Trial(games[0][-back], 0, f"random:seed={seed}", what, 1)
    tightest = min((state for states in games for state in states), key=lambda state: len(state.legal_moves))
    what = Message("check.few_moves", n=len(tightest.legal_moves), board=shape)
    yield Trial(tightest, 0, f"random:seed={seed}", what, 1)


def _at_random(played: Game, seed: int) -> list[State]:
    """Return the boards of a random game on which the first side moves."""
    state, chooser, found = played.initial(seed), random.Random(seed), []
    while state.outcome is None:
        if state.side == 0:
            found.append(state)
        state = state.play(chooser.choice(state.legal_moves))
    return found


def check(
    bot: Bot,
    path: str,
    wanted: str | None = None,
    options: Mapping[str, int | str] | None = None,
    clock: str | None = None,
    *,
    protocol: str | None = None,
    trusted: bool = False,
    on: Sequence[Game] = (),
    seen: Callable[[CheckReport, Finding], None] | None = None,
) -> CheckReport:
    """Try a bot and return the report; `seen` is called with each finding, also with one that is like an earlier one.

    It is tried `on` these boards, or on those of the game's course. Commands name the bot by `path`. The protocol is
    given where it was said beside the bot: commands must say it too.
    """
    name = game_of(bot, wanted)
    report = CheckReport(bot.name, name, bot.protocol, clock or game(name).course.clock)
    report.limit = Clock.parse(report.clock).start().seconds

    alike: dict[Hashable, int] = {}

    def say(verdict: str, message: Message, *, kind: Hashable = None, **more: Any) -> None:
        finding, number = Finding(verdict=verdict, message=message, **more), len(report.findings)
        first = number if kind is None else alike.setdefault(kind, number)
        if first == number:
            report.findings.append(finding)
        else:
            before = report.findings[first]
            report.findings[first] = before.model_copy(update={"also": (*before.also, finding)})
        if seen is not None:
            seen(report, finding)

    is_bot = Message("check.is_bot", game=game(name).title, protocol=bot.protocol)
    say(OK, Message("check.because", found=is_bot, why=bot.why) if bot.why else is_bot)
    if sides := sides_note(game(name), bot.protocol):
        say(OK, sides)
    for note in bot.notes:
        say(WARNING, note)
    again = check_command(path, name, protocol, options or {}, clock, trusted=trusted)
    if not _builds(bot, say, again, trusted=trusted):
        return report
    played = list(on) or boards(name, options or {}, bot.protocol)
    if (other := console_instead(bot, played[0], trusted=trusted)) is not None:
        bot, report.protocol = other, other.protocol
        say(WARNING, Message("check.console_instead"))
    elif (window := opens_window(bot, played[0], trusted=trusted)) is not None:
        say(REJECT, window, command=again)
        return report
    scripts: dict[Game, ConsoleScript] = {}
    if bot.protocol == "console":
        scripts = _find_scripts(bot, played, say, again, trusted=trusted)
        played = list(scripts)
    notes: dict[str, tuple[Message, str]] = {}
    for trial in trials(played):
        if (script := scripts.get(trial.start.game)) and not (
            tells_start(bot.console, trial.start) and script.plays(trial.side)
        ):
            continue
        command = again if protocol else play_command(path, trial, report.clock, trusted=trusted)
        _try(bot, command, trial, report, notes, say, trusted=trusted)
    for note, command in notes.values():
        say(WARNING, Message("check.tolerated", note=note), command=command)
    if report.refused:
        say(WARNING, Message("check.refused_calls", calls=report.refused), command=again)
    if report.seconds:
        say(*_headroom(report))
    return report


def _builds(bot: Bot, say: Callable[..., None], again: str, *, trusted: bool) -> bool:
    """Build a bot, and say what there is to say of that; return whether it could be built."""
    try:
        built = build(bot, trusted=trusted)
    except BuildFailed as fault:
        say(REJECT, fault.named, command=again, log=fault.log)
        return False
    if bot.build:
        warned = "warning" in built.log
        message = Message("check.builds_with_warnings" if warned else "check.builds")
        say(WARNING if warned else OK, message, log=built.log)
    for note in built.notes:
        say(WARNING, Message("check.tolerated", note=note))
    return True


def _find_scripts(
    bot: Bot, played: list[Game], say: Callable[..., None], again: str, *, trusted: bool
) -> dict[Game, ConsoleScript]:
    """Find out how a program is played at its terminal, and propose the script; return the scripts by board."""
    if bot.console is not None:
        return dict.fromkeys(played, bot.console)
    say(OK, Message("check.console_trying"))
    found = {made: discover(bot, made, trusted=trusted) for made in played}
    works = {made: script for made in played if (script := found[made].script) is not None}
    for made in played:
        script, shape = works.get(made), _shape(made)
        if script is None:
            verdict, code = (WARNING, "check.console_not_here") if works else (REJECT, "check.console_not_found")
            failed = found[made]
            say(verdict, Message(code, board=shape, why=failed.why), command=again, log=failed.log)
            if not works and failed.why is not None and failed.why.code == "protocols.console_unknown_at":
                say(WARNING, Message("check.console_proposal"), log=failed.proposal)
        elif next(other for other in works if works[other] == script) == made:
            say(WARNING, Message("check.console_found", board=shape), log=script_toml(script))
            if (doubt := found[made].doubt) is not None:
                say(WARNING, doubt)
            if script.seats != "both":
                first = script.seats == "first"
                never = Message("check.console_never_second") if first else Message("check.console_never_first")
                say(WARNING, never, command=again)
    return works


def _try(
    bot: Bot,
    command: str,
    trial: Trial,
    report: CheckReport,
    notes: dict[str, tuple[Message, str]],
    say: Callable[..., None],
    *,
    trusted: bool,
) -> None:
    """Play one trial, which the command shows again."""
    report.games.append(0.0)
    with BotPlayer(bot, trusted=trusted) as own:
        seats: list[Player] = [player(trial.opponent, trial.start.game)] * 2
        seats[trial.side] = own
        names = (bot.name, trial.opponent) if trial.side == 0 else (trial.opponent, bot.name)
        match, moves = Match(trial.start, names, Clock.parse(report.clock)), 0
        while match.outcome is None and moves != trial.moves:
            mine, before = match.state.side == trial.side, match.state
            match.ask(seats[before.side])
            if mine:
                moves += 1
                report.seconds.append(own.spent)
                report.games[-1] += own.spent
        for note in own.notes:
            notes.setdefault(note.code, (note, command))
        report.refused += [call for call in own.refused if call not in report.refused]
    if match.outcome is not None and match.outcome.reason != "rules" and match.outcome.winner != trial.side:
        report.faults.append(match.outcome.reason)
        fault = match.fault or Fault(match.outcome.reason)
        message = Message("check.failed", trial=trial.what, fault=fault.named)
        board = {"game": before.game.name, "options": before.game.given, "cells": cells_of(before, fault.move)}
        say(REJECT, message, kind=_kind_of(fault, own.log), shows=before.text, command=command, log=own.log, **board)
    else:
        say(OK, trial.what, command=command)


def each_stored(findings: Iterable[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield the findings of a report's document, and after each those that are like it."""
    for finding in findings:
        yield finding
        yield from each_stored(finding.get("also", ()))


QUOTING = ("no-answer", "bad-output", "illegal-move")
"""The faults whose message quotes what a program wrote, which is seldom the same twice."""


def _kind_of(fault: Fault, log: str) -> Hashable:
    """Return a key that failures for the same reason share: numbers that a program wrote do not count."""
    said = log.rstrip().rpartition("\n")[2]
    what = tuple(_codes(fault.message)) if fault.kind in QUOTING else fault.message
    return fault.kind, what, re.sub(r"\d+", "", said)


def _codes(message: Message) -> Iterator[str]:
    """Yield the code of a message, and those of the messages in it."""
    yield message.code
    for value in message.params.values():
        if isinstance(value, Message):
            yield from _codes(value)


def cells_of(state: State, move: str) -> tuple[tuple[int, int], ...]:
    """Return the cells of a move as a bot wrote it, legal or not; none where it names no cell of the board."""
    if not move or state.game.look.board is None:
        return ()
    name = state.game.read_move(state, move)
    legal = next((one for one in state.legal_moves if one.lower() == name.lower()), None)
    steps = state.steps(legal) if legal else ()
    return tuple(steps[0].cells) if steps else state.game.look.board(state).cells_named(name)


def at_path(path: str) -> str:
    """Return a path as no command takes it for the name of a player, an option or a protocol."""
    return path if "/" in path else f"./{path}"


def check_command(
    path: str,
    name: str,
    protocol: str | None = None,
    options: Mapping[str, int | str] = MappingProxyType({}),
    clock: str | None = None,
    *,
    trusted: bool = False,
) -> str:
    """Return the command that checks a bot."""
    words = ["ludus", "check", at_path(path), "--game", name, *(["--protocol", protocol] if protocol else [])]
    words += [word for option, value in options.items() for word in ("--option", f"{option}={value}")]
    return shlex.join([*words, *(["--clock", clock] if clock else []), *(["--trust"] if trusted else [])])


def play_command(path: str, trial: Trial, clock: str, *, trusted: bool) -> str:
    """Return the command that plays a trial again."""
    made = trial.start.game
    options = [w for name, value in made.given.items() for w in ("--option", f"{name}={value}")]
    seats = (at_path(path), trial.opponent) if trial.side == 0 else (trial.opponent, at_path(path))
    words = ["ludus", "play", made.name, *options, "--first", seats[0], "--second", seats[1], "--clock", clock]
    return shlex.join([*words, "--board", trial.start.text, *(["--trust"] if trusted else [])])


def _headroom(report: CheckReport) -> tuple[str, Message]:
    """Return the finding about the slowest move."""
    if not math.isfinite(report.limit):
        return OK, Message("check.slowest_no_limit", seconds=f"{report.slowest:.3g}")
    slowest, code = report.slowest, "check.slowest_move"
    if Clock.parse(report.clock).bank is not None:
        slowest, code = max(report.games), "check.slowest_game"
    share = slowest / report.limit
    message = Message(code, seconds=f"{slowest:.3g}", share=f"{share:.1%}", limit=f"{report.limit:.4g}")
    return WARNING if share > SLOW else OK, message
