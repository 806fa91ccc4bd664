"""`ludus engine`: run the engine as a `ugi` program on standard input and output, for any referee.

Knows the protocol; the search is the engine's. One thread reads, another searches and answers.
"""

from __future__ import annotations

import contextlib
import math
import re
import sys
import threading
from time import monotonic
from typing import TYPE_CHECKING, Any, NamedTuple

import click

from ludus.cli.arguments import game_argument, make_game
from ludus.cli.verbs import Verb
from ludus.errors import UserError
from ludus.play.budget import Budget
from ludus.play.clock import Clock, TimeLeft
from ludus.players.engine import EnginePlayer
from ludus.search.analysis import DEPTH_LIMIT, Engine

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ludus.search.analysis import SearchLimits
    from ludus.search.result import Analysis

SECTION = "Compete"
SUMMARY = "run the engine for other referees (protocol ugi)"
EXAMPLES = """
ludus engine chain-reaction
ludus engine cantris --option rows=6 --option cols=3
ludus play chain-reaction --first 'ugi:ludus engine chain-reaction' --second greedy
"""
MOST_PLIES_SHOWN = 12
NUMBER = re.compile(r"-?[0-9]{1,18}")


class Spin(NamedTuple):
    """An option of the engine that is a whole number."""

    default: int
    low: int
    high: int


SPINS = {"Threads": Spin(1, 1, 256), "Hash": Spin(64, 1, 1 << 16), "Level": Spin(10, 1, 10)}


class Conversation:
    """The state of a conversation: options, the position, and the running search."""

    def __init__(self, game: Any, say: Callable[[str], None]) -> None:
        self._say = say
        self._game = game
        self._state = game.initial(0)
        self._spins = {name: spin.default for name, spin in SPINS.items()}
        self._engine: Engine | None = None
        self._search: RunningSearch | None = None
        self._budgets: dict[str, Budget] = {}
        """For each side, the time that its moves in this game have used."""

    def handle(self, line: str) -> bool:
        """Handle one line and return False after `quit`; answer a wrong line with an `info string`."""
        word, _, rest = line.strip().removeprefix("\ufeff").partition(" ")
        commands: dict[str, Callable[[str], None]] = {
            "": lambda _rest: None,
            "ugi": self._introduce,
            "isready": lambda _rest: self._say("readyok"),
            "setoption": self._set,
            "uginewgame": self._forget,
            "position": self._place,
            "go": self._go,
            "stop": lambda _rest: self.finish(stop=True),
            "ponderhit": lambda _rest: None,
            "quit": lambda _rest: self.finish(stop=True),
        }
        try:
            if word not in commands:
                raise UserError("cli.no_command", name=repr(word))
            commands[word](rest)
        except ValueError as error:
            self._say("info string " + " ".join(str(error).split()))
        return word != "quit"

    def finish(self, *, stop: bool = False) -> None:
        """Wait for the running search; stop it if asked to, or if it is endless."""
        if self._search is not None:
            self._search.finish(stop=stop)
            self._search = None

    def _introduce(self, _rest: str) -> None:
        self._say("id name Ludus")
        for name, spin in SPINS.items():
            self._say(f"option name {name} type spin default {spin.default} min {spin.low} max {spin.high}")
        for name, option in self._game.option_types.items():
            value = self._game.options[name]
            if option.choices:
                words = " ".join(f"var {choice}" for choice in option.choices)
                self._say(f"option name {name} type combo default {value} {words}")
            else:
                self._say(f"option name {name} type spin default {value} min {option.low} max {option.high}")
        self._say("ugiok")

    def _set(self, rest: str) -> None:
        self.finish(stop=True)
        words = rest.split()
        if len(words) < 4 or words[0] != "name" or words[2] != "value":
            raise UserError("cli.setoption_form")
        name, value = words[1], " ".join(words[3:])
        spin = next((known for known in SPINS if known.lower() == name.lower()), None)
        if spin is None:
            self._game = self._game.with_options(**{name: value})
            self._state = self._game.initial(0)
            return
        low, high = SPINS[spin].low, SPINS[spin].high
        if not value.isdecimal() or not low <= int(value) <= high:
            raise UserError("cli.option_range", name=spin, low=low, high=high, value=repr(value))
        self._spins[spin] = int(value)
        self._engine = None

    def _forget(self, _rest: str) -> None:
        self.finish(stop=True)
        self._budgets.clear()
        if self._engine is not None:
            self._engine.clear()

    def _place(self, rest: str) -> None:
        self.finish(stop=True)
        where, _, played = f"{rest} ".partition(" moves ")
        kind, _, text = where.strip().partition(" ")
        if kind not in ("startpos", "fen"):
            raise UserError("cli.position_form")
        state = self._game.initial(0) if kind == "startpos" else self._game.parse(text.strip())
        for move in played.split():
            state = state.play(move)
        self._state = state

    def _go(self, rest: str) -> None:
        self.finish(stop=True)
        if self._state.outcome is not None:
            self._say("info string the game is over")
            self._say("bestmove (none)")
            return
        began = monotonic()
        asked = read_go(rest.split())
        if self._engine is None or self._engine.game != self._state.game:
            self._engine = Engine(self._state.game, self._spins["Hash"])
        plan = self._plan(asked, began)
        self._search = RunningSearch(self._engine, self._state, plan, self._say, endless="infinite" in asked)

    def _plan(self, asked: Mapping[str, int], began: float) -> SearchPlan:
        """Return the limits of a search; below the highest level also the player that chooses instead."""
        player = EnginePlayer(threads=str(self._spins["Threads"]), level=str(self._spins["Level"]))
        player.nodes, player.depth = asked.get("nodes", 0), min(asked.get("depth", DEPTH_LIMIT), DEPTH_LIMIT)
        time, state = Clock().start(), self._state
        seat = f"p{state.side + 1}"
        if "movetime" in asked:
            time = Clock(per_move=asked["movetime"] / 1000).start()
        elif f"{seat}time" in asked:
            bank = max(asked[f"{seat}time"], 1) / 1000
            time = TimeLeft(Clock(bank=bank, increment=asked.get(f"{seat}inc", 0) / 1000), bank)
        player.budget = self._budgets.setdefault(seat, Budget())
        player.budget.charged(time)
        limits = player.limits(state, time)
        limits = limits._replace(seconds=math.inf if "infinite" in asked else limits.seconds - (monotonic() - began))
        weaker = (lambda: player.choose(state, time)) if player.weaker else None
        return SearchPlan(limits, player.budget, time, began, weaker)


class SearchPlan(NamedTuple):
    """A search to run: its limits, and the budget that is charged for it."""

    limits: SearchLimits
    budget: Budget
    time: TimeLeft
    began: float
    weaker: Callable[[], str] | None
    """Below the highest level, the function that chooses a move instead."""


class RunningSearch:
    """A search on its own thread; it prints its best move when it ends."""

    def __init__(
        self, engine: Engine, state: Any, plan: SearchPlan, say: Callable[[str], None], *, endless: bool
    ) -> None:
        self._engine, self._state, self._plan, self._say = engine, state, plan, say
        self._endless = endless
        self._stopped = threading.Event()
        self._started = threading.Event()
        """The engine has started: from then on it can be stopped from outside."""
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def finish(self, *, stop: bool) -> None:
        """Wait until the best move is printed."""
        if stop or self._endless:
            self._stopped.set()
            while self._thread.is_alive():
                if self._started.wait(0.01):
                    self._engine.stop()
                self._thread.join(0.01)
        self._thread.join()

    def _run(self) -> None:
        limits, budget, time, began, weaker = self._plan
        if weaker is not None:
            best = weaker()
        else:
            search_began = monotonic()
            best = self._engine.think(self._state, limits, self._report).move
            ended = monotonic()
            budget.spent(time, ended - began, ended - search_began, max(0.0, limits.seconds))
        if self._endless:  # such a search is answered only when it is stopped
            self._started.clear()
            self._stopped.wait()
        self._say(f"bestmove {best}")

    def _report(self, found: Analysis) -> bool:
        self._started.set()
        self._say(info(found, points=self._state.scores is not None))
        return self._stopped.is_set()


def info(found: Analysis, *, points: bool) -> str:
    """Return the info line of a search; its score is in hundredths of a point, or from -100 (lost) to 100 (won)."""
    line = found.lines[0]
    score = f"cp {round(100 * line.value)}"
    if not points and line.exact and line.plies_to_end:
        score = f"mate {line.plies_to_end if line.value > 0 else -line.plies_to_end}"
    milliseconds, nps = round(found.seconds * 1000), round(found.nodes / max(found.seconds, 1e-6))
    head = f"info depth {found.depth} score {score} nodes {found.nodes} nps {nps} time {milliseconds}"
    return " ".join([head, "pv", *line.moves[:MOST_PLIES_SHOWN]])


def read_go(words: Sequence[str]) -> dict[str, int]:
    """Read the limits after `go`; ignore unknown words."""
    known = ("movetime", "nodes", "depth", "p1time", "p2time", "p1inc", "p2inc")
    asked: dict[str, int] = {}
    for word, value in zip(words, [*words[1:], None], strict=False):
        if word in known:
            if value is None or not NUMBER.fullmatch(value):
                raise UserError("cli.go_number", name=word)
            asked[word] = max(int(value), 0)
        elif word == "infinite":
            asked[word] = 1
    for word in ("movetime", "depth"):
        if asked.get(word) == 0:
            raise UserError("cli.go_positive", name=word)
    return asked


@click.command(cls=Verb, examples=EXAMPLES)
@game_argument
def engine(*, game: str, options: tuple[str, ...]) -> None:
    """Speak the Universal Game Interface on standard input and output.

    Commands: ugi, isready, setoption, uginewgame, position, go, stop, quit; see docs/protocols.md. At the end of the
    input, a running search is finished first.
    """
    made = make_game(game, options)
    if not made.compiled:
        raise UserError("cli.no_engine", game=game)
    lock = threading.Lock()

    def say(line: str) -> None:
        with lock, contextlib.suppress(BrokenPipeError):  # nobody reads: the end of the input comes next
            sys.stdout.write(f"{line}\n")
            sys.stdout.flush()

    conversation = Conversation(made, say)
    try:
        for line in sys.stdin:
            if not conversation.handle(line):
                return
        conversation.finish()
    finally:
        conversation.finish(stop=True)
