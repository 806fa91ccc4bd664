"""A bot at the board: carries a protocol's texts to the program and back, under the clock."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ludus import sandbox
from ludus.bots.build import build
from ludus.bots.languages import usual_calls
from ludus.errors import Fault, UserError
from ludus.messages import Message
from ludus.play.player import Player, Situation
from ludus.protocols import hear_line, is_move, protocol, read_answer

if TYPE_CHECKING:
    from ludus.bots import Bot
    from ludus.bots.build import BuildResult
    from ludus.game import Game, State
    from ludus.play.clock import TimeLeft
    from ludus.protocols import BotProtocol
    from ludus.sandbox import Process

GREETING_SECONDS = 60.0
"""How long a bot may take to say that it is there, where its protocol asks."""
MOST_NOTES = 20


class BotPlayer(Player):
    """A player that is a foreign program. It is started for a game, and must be closed."""

    spent: float

    def __init__(self, bot: Bot, *, trusted: bool = False, pondering: bool = False) -> None:
        self.bot = bot
        self.spent = 0.0
        """What the last move took, on the wall or in CPU time as the clock says."""
        self.stalled = 0.0
        """How long the referee itself was held up during the last move, without the bot using that time."""
        self.notes: list[Message] = []
        """What was tolerated."""
        self._owed = 0.0
        """Seconds of its start that count to its first move."""
        self._trusted = trusted
        self._pondering = pondering
        self._speech = protocol(bot.protocol)
        self._talk = self._speech
        """The conversation of the game being played."""
        self._process: Process | None = None
        self._built: BuildResult | None = None
        self._known_moves: list[tuple[int, str]] = []
        self._situation: Situation | None = None
        self._log = ""
        self._refused: tuple[str, ...] = ()

    def check(self, game: Game) -> None:
        """Refuse a game that the bot does not play."""
        if self.bot.game is not None and self.bot.game != game.name:
            raise UserError("bots.other_game", name=self.bot.name, game=self.bot.game, name2=game.name)

    def follow(self, situation: Situation) -> None:
        """Take note of the game so far, before being asked to choose."""
        self._situation = situation

    def choose(self, state: State, time: TimeLeft) -> str:
        """Ask the program for its move; every way that it can fail is a Fault."""
        situation = self._situation or Situation(state, (), state, (time, time))
        self._situation = None
        self.spent = self.stalled = 0.0
        try:
            move = self._move(situation, time)
        except Fault:
            self.close()
            raise
        self._known_moves = [*situation.moves, (state.side, move)]
        return move

    def _move(self, situation: Situation, time: TimeLeft) -> str:
        """Return its move. One that keeps more memory with every move is started again, if it can go on from there."""
        process = self._ready(situation)
        try:
            return self._ask(process, situation, time)
        except Fault as fault:
            if fault.kind != "memory" or not self._known_moves or not self._speech.tells_all:
                raise
        taken, stalled = self.spent, self.stalled
        self.close()
        self.notes.append(Message("bots.note_started_again"))
        process = self._ready(situation)
        self._owed += taken
        try:
            return self._ask(process, situation, time)
        finally:
            self.stalled += stalled

    def _ready(self, situation: Situation) -> Process:
        """Return the running program; it is started where it does not run, or has another game in mind."""
        known = list(situation.moves[: len(self._known_moves)])
        if self._process is not None and self._speech.remembers and known != self._known_moves:
            self.close()
        if self._process is None:
            self._known_moves = []
            self._process = self._start(situation)
        return self._process

    def _start(self, situation: Situation) -> Process:
        bot, side = self.bot, situation.state.side
        self._built = built = build(bot, trusted=self._trusted)  # held, so that it stays as long as it is in use
        self._talk = self._conversation(situation)
        shown = sandbox.rules if self._speech.needs_ludus else sandbox.ludus if bot.shows_ludus else sandbox.python
        process = sandbox.start(
            self._talk.command(bot.run, side),
            folder=built.folder,
            view=shown(),
            limits=bot.limits,
            environment=bot.environment,
            trusted=self._trusted,
            pondering=self._pondering,
            terminal=bot.protocol == "console",
            usual_calls=usual_calls(bot.language),
        )
        try:
            process.start_clock()
            for exchange in self._talk.greeting:
                process.send(f"{exchange.say}\n")
                line = ""
                while not line.startswith(exchange.until):
                    line = process.line(GREETING_SECONDS).strip()
                    hear_line(self._talk, line)
            self._owed = max(0.0, process.spent() - self._talk.free_start_seconds)
        except BaseException:
            process.close()
            self._log, self._refused = process.log.text, process.refused
            raise
        return process

    def _conversation(self, situation: Situation) -> BotProtocol:
        """Return what is said in this game: the protocol itself, or a dialogue by a script."""
        if self.bot.protocol != "console":
            return self._speech.telling(self.bot.time)
        from ludus.bots.console import dialogue  # noqa: PLC0415 - it looks for scripts by playing

        return dialogue(self.bot, situation.start, situation.state.side, trusted=self._trusted)

    def _ask(self, process: Process, situation: Situation, time: TimeLeft) -> str:
        text = self._talk.ask(situation, len(self._known_moves))
        process.start_clock(cpu=time.clock.cpu)  # before what it wrote is read: one that may ponder thinks meanwhile
        stalled = process.stalled
        owed, self._owed = self._owed, 0.0
        try:
            if text and not self._talk.hears_early:
                self._refuse_early_answers(process, situation)
            process.send(text)
            move = self._answer(process, situation, max(0.0, time.seconds - owed))
        finally:
            self.spent = process.spent() + owed
            self.stalled = process.stalled - stalled
        if self._known_moves and text and process.unread() >= len(text.encode()):
            raise Fault("bad-output", Message("bots.answer_unread", move=repr(move)))
        process.answered()
        return move

    def _answer(self, process: Process, situation: Situation, seconds: float) -> str:
        """Read lines until one of them holds a move."""
        move = None
        while move is None:
            line = process.line(seconds)
            try:
                move = read_answer(self._talk, situation, line, self.notes)
            except Fault as fault:
                # Where a shim starts the bot's program, it is the shim that tells how that ended.
                if fault.kind not in ("crash", "no-answer"):
                    raise
                if process.out_of_memory():
                    raise Fault("memory") from None
                raise Fault(fault.kind, process.with_thread_limit(fault.message), fault.signal) from None
            finally:
                del self.notes[MOST_NOTES:]
            if move is None and (reply := self._talk.reply()):
                process.send(reply)
        return move

    def _refuse_early_answers(self, process: Process, situation: Situation) -> None:
        """Pass over what it said out of turn; a move among it is a try to answer before being asked."""
        own = [move for side, move in self._known_moves if side == situation.state.side]
        for line in process.early():
            text = line.strip()
            if is_move(situation.state, text) and text.upper() not in own[-1:]:
                raise Fault("bad-output", Message("bots.answer_early", text=repr(text)))
            if text and len(self.notes) < MOST_NOTES:
                self.notes.append(Message("protocols.note_out_of_turn", line=repr(text[:60])))

    @property
    def version(self) -> str:
        """The bot's content."""
        return self.bot.content

    @property
    def log(self) -> str:
        """What it wrote on standard error; for its owner only."""
        return self._process.log.text if self._process is not None else self._log

    @property
    def refused(self) -> tuple[str, ...]:
        """The system calls that the sandbox refused it in this game, by their names."""
        return self._process.refused if self._process is not None else self._refused

    def close(self) -> None:
        """End the program."""
        if self._process is not None:
            process, self._process = self._process, None
            process.close()
            self._log, self._refused = process.log.text, process.refused
