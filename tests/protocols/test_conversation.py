"""The referee's side of every protocol as a state machine: whatever a bot writes, in whatever pieces and at whatever
moment, and however it ends, the referee finds what reading all of it at once finds, or the fault that it is.

The bot's side is a thread at the other end of the pipes, so that nothing has to be started. `make fuzz` does more.
"""

from __future__ import annotations

import base64
import contextlib
import json
import os
import select
import subprocess
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule, run_state_machine_as_test
from more_readers import SCRIPT

import ludus
from ludus.bots import Bot
from ludus.bots.build import BuildResult
from ludus.bots.player import BotPlayer
from ludus.errors import Fault
from ludus.play.clock import Clock
from ludus.play.player import Situation
from ludus.protocols import is_move, protocol, protocols, read_answer
from ludus.protocols.console import Dialogue
from ludus.protocols.console.script import Board
from ludus.sandbox.process import LONGEST_LINE, MOST_LINES, MOST_OUTPUT, Process

EXAMPLES = int(os.environ.get("LUDUS_FUZZ_EXAMPLES", "6"))
LONG, SHORT = 60.0, 0.02
"""Seconds for an answer that comes, and for one that does not."""
GAMES = {"class": "chain-reaction", "algorithm": "chain-reaction", "console": "cantris"}


def cells(move: str, game: str) -> str:
    cell = Board.of(ludus.game(game)).cell(move)
    return f"{cell.row} {cell.col}"


def shown(text: str) -> str:
    return json.dumps({"out": base64.b64encode(text.encode()).decode()})


WRITTEN: dict[str, Callable[[str], str]] = {
    "lines": lambda move: f"My move: {move}",
    "ugi": lambda move: f"info depth 1\nbestmove {move} ponder A1",
    "class": lambda move: cells(move, "chain-reaction"),
    "algorithm": lambda move: cells(move, "chain-reaction"),
    "python": lambda move: json.dumps({"move": move}),
    "files": lambda move: f"answer 0 {base64.b64encode(move.encode()).decode()}",
    "console": lambda move: f'{shown(f"Your move is {move}.")}\n{shown(chr(10))}\n{{"waits": true}}',
}
"""How a bot of each protocol writes a move."""


class NoKeeper:
    """The first process of a sandbox that is none."""

    refused: tuple[str, ...] = ()
    out_of_memory = False

    def find(self, _pid: int) -> None: ...
    def stop(self) -> None: ...
    def resume(self) -> None: ...
    def kill(self) -> None: ...
    def close(self) -> None: ...


class Puppet:
    """A process that is none: its pipes are real, and it ends when it is told to."""

    def __init__(self, pid: int) -> None:
        self.pid = pid
        self.returncode: int | None = None
        (self.input, theirs_in), (theirs_out, self.output), (theirs_err, self.errors) = (os.pipe() for _ in range(3))
        self.stdin = os.fdopen(theirs_in, "wb", 0)
        self.stdout, self.stderr = (os.fdopen(descriptor, "rb", 0) for descriptor in (theirs_out, theirs_err))
        self._open = {self.input, self.output, self.errors}
        self._thread = threading.Thread(target=lambda: None)
        self._thread.start()

    def poll(self) -> int | None:
        return self.returncode

    def wait(self, timeout: float | None = None) -> int:
        if self.returncode is None:
            time.sleep(timeout or 0.0)
            raise subprocess.TimeoutExpired("puppet", timeout or 0.0)
        return self.returncode

    def kill(self) -> None:
        if self.returncode is None:
            self.returncode = -9

    def do(self, actions: list[tuple[str, Any]]) -> None:
        """Do one thing after the other, in a thread."""
        self._thread = threading.Thread(target=self._do, args=(actions,))
        self._thread.start()

    def _do(self, actions: list[tuple[str, Any]]) -> None:
        with contextlib.suppress(OSError):  # nobody listens any more
            for what, value in actions:
                match what:
                    case "read":
                        self._read(value)
                    case "asked":
                        self._wait_for_question()
                    case "write" | "error":
                        self._write(self.output if what == "write" else self.errors, value)
                    case "sleep":
                        time.sleep(value)
                    case _:
                        self.shut(self.output)
                        if what == "end":
                            self.shut(self.errors)
                            self.returncode = value

    def _read(self, lines: int) -> None:
        """Read that many lines, and what comes with them."""
        while lines > 0 and self.returncode is None:
            if select.select([self.input], [], [], 0.05)[0]:
                lines -= os.read(self.input, 1 << 16).count(b"\n")

    def _wait_for_question(self) -> None:
        """Wait until there is something to read, and leave it there."""
        while self.returncode is None and not select.select([self.input], [], [], 0.05)[0]:
            pass

    def _write(self, descriptor: int, data: bytes) -> None:
        while data and self.returncode is None and descriptor in self._open:
            if select.select([], [descriptor], [], 0.05)[1]:
                data = data[os.write(descriptor, data[:4096]) :]

    def shut(self, descriptor: int) -> None:
        if descriptor in self._open:
            self._open.discard(descriptor)
            os.close(descriptor)

    def settle(self) -> None:
        """Wait until all is done, and forget what it was sent and has not read."""
        self._thread.join()
        while self.input in self._open and select.select([self.input], [], [], 0)[0] and os.read(self.input, 1 << 16):
            pass

    def close(self) -> None:
        self.kill()
        self._thread.join()
        for descriptor in list(self._open):
            self.shut(descriptor)


def pieces(data: bytes, cuts: Sequence[int], pauses: bool) -> list[tuple[str, Any]]:
    """Return what writes data in pieces."""
    places = sorted({cut % (len(data) + 1) for cut in cuts})
    found: list[tuple[str, Any]] = []
    for first, last in zip([0, *places], [*places, len(data)], strict=True):
        found += [("write", data[first:last]), *([("sleep", 0.001)] if pauses else [])]
    return found


NOISE = st.lists(
    st.one_of(
        st.binary(max_size=30),
        st.sampled_from([b"", b"A1", b"thinking...", b"info x", b"bestmove", b"answer 0 -", b'{"move": 1}', b"0 0"]),
        st.sampled_from(
            [b'{"waits": true}', b'{"ended": "x"}', b'{"ended": null}', b'{"out": 3}', b"[" * 3000, b"\xff"]
        ),
    ),
    max_size=3,
)
CUTS = st.lists(st.integers(0, 10_000), max_size=4)


class Conversation(RuleBasedStateMachine):
    """A game with a bot that does what it likes, beside a reader that sees everything at once."""

    name = ""

    def __init__(self) -> None:
        super().__init__()
        self.game = ludus.game(GAMES.get(self.name, "magnetic-cave"))
        self.patch = pytest.MonkeyPatch()
        self.patch.setattr("ludus.bots.player.build", lambda *_args, **_more: BuildResult(Path(), "", None))  # type: ignore[arg-type]
        self.patch.setattr("ludus.sandbox.start", self.started)
        self.sleeper = subprocess.Popen(["sleep", "1000"])
        self.puppet: Puppet | None = None
        bot = Bot("bot", None, self.name, None, ("python3", "main.py"), {}, console=SCRIPT)
        self.player = BotPlayer(bot, pondering=True)
        self.state = self.game.initial(1)
        self.moves: list[tuple[int, str]] = []
        self.start()

    def start(self) -> None:
        """Begin a game; nothing of an earlier one counts."""
        self.state, self.moves = self.game.initial(1), []
        self.pending = b""
        """What the bot has written, and nobody has read."""
        self.known = 0
        self.over: tuple[str, Any] | None = None
        """How the bot has ended, though it had answered before."""
        self.coming: list[tuple[str, Any]] = []
        """What a bot does when it is started."""
        self.talk = Dialogue(SCRIPT, self.state, 0) if self.name == "console" else protocol(self.name)

    def started(self, *_words: Any, **_more: Any) -> Process:
        self.puppet = Puppet(self.sleeper.pid)
        self.puppet.do(self.coming)
        self.coming = []
        return Process(self.puppet, None, NoKeeper(), contextlib.ExitStack(), pondering=True)  # type: ignore[arg-type]

    def teardown(self) -> None:
        self.player.close()
        if self.puppet is not None:
            self.puppet.close()
        self.patch.undo()
        self.sleeper.kill()
        self.sleeper.wait()

    # What the bot does

    @initialize()
    def begin(self) -> None:
        self.start()

    @rule(noise=NOISE, hello=NOISE, cuts=CUTS, pauses=st.booleans(), which=st.integers(0, 100))
    def answers(self, noise: list[bytes], hello: list[bytes], cuts: list[int], pauses: bool, which: int) -> None:
        """Say something, and then a move that is legal."""
        legal = self.state.legal_moves
        said = WRITTEN[self.name](legal[which % len(legal)]).encode()
        self.ask(in_lines(*noise, said), cuts=cuts, pauses=pauses, hello=hello)

    @rule(noise=NOISE, cuts=CUTS)
    def says_nothing_of_use(self, noise: list[bytes], cuts: list[int]) -> None:
        self.ask(in_lines(*noise), cuts=cuts)

    @rule(noise=NOISE, status=st.sampled_from([0, 1, 3, 137, 255, -9, -11]), rest=st.binary(max_size=5))
    def ends(self, noise: list[bytes], status: int, rest: bytes) -> None:
        """End, perhaps in the middle of a line."""
        self.ask(in_lines(*noise) + rest.replace(b"\n", b""), ending=("end", status))

    @rule(noise=NOISE)
    def closes_its_output(self, noise: list[bytes]) -> None:
        self.ask(in_lines(*noise), ending=("close", None))

    @rule(how=st.sampled_from(["line", "lines", "bytes", "errors"]))
    def floods(self, how: str) -> None:
        flood = {"line": b"x" * (LONGEST_LINE + 2), "lines": b"\n" * (MOST_LINES + 2), "errors": b""}
        data = flood.get(how, (b" " * 4000 + b"\n") * (MOST_OUTPUT // 4000 + 2))
        self.ask(data, before=[("error", b"e" * 300_000)] if how == "errors" else [])

    @precondition(lambda self: self.moves and not self.over and self.name != "console")
    @rule(noise=NOISE, rest=st.binary(max_size=5))
    def speaks_out_of_turn(self, noise: list[bytes], rest: bytes) -> None:
        """Write before being asked; all of it is there when the referee asks."""
        assert self.puppet is not None
        data = in_lines(*noise) + rest.replace(b"\n", b"")
        self.puppet.do([("write", data)])
        self.puppet.settle()
        self.pending += data

    @precondition(lambda self: self.moves and not self.over)
    @rule()
    def does_not_read(self) -> None:
        """Answer without reading: the question is still in the pipe."""
        self.ask(in_lines(WRITTEN[self.name](self.state.legal_moves[0]).encode()), reads=False)

    # What the referee does, and what it should find

    def ask(
        self,
        data: bytes,
        *,
        cuts: Sequence[int] = (),
        pauses: bool = False,
        hello: Sequence[bytes] = (),
        before: Sequence[tuple[str, Any]] = (),
        ending: tuple[str, Any] | None = None,
        reads: bool = True,
    ) -> None:
        """Let the referee ask for a move while the bot does all this; compare what comes of it."""
        first, greeting = not self.moves, self.talk.greeting
        words = [first_word(exchange.until).encode() for exchange in greeting]
        greeted = in_lines(*hello, *words) if first and greeting else b""
        heard = ("read", 1 + first * len(greeting)) if reads else ("asked", None)
        actions = [*before, heard, *pieces(data, cuts, pauses)]
        actions += [ending] if ending else []
        expected = self.expected(greeted, b"" if self.over else data, self.over or ending, reads=reads)
        time_left = Clock.parse(f"{SHORT if expected[0] == 'timeout' else LONG}/move").start()
        self.coming = [("write", greeted), *actions]
        if not first:
            assert self.puppet is not None
            self.puppet.do(actions)
        self.player.follow(Situation(self.game.initial(1), tuple(self.moves), self.state, (time_left, time_left)))
        try:
            found = ("move", self.player.choose(self.state, time_left))
        except Fault as fault:
            found = (fault.kind, "")
        assert found == expected, (self.name, data[:200], ending)
        assert self.puppet is not None
        self.over = self.over or ending
        if found[0] == "move":
            self.puppet.settle()
            self.play(found[1])
        else:
            assert self.puppet.returncode is not None, "it is killed"
            assert all(stream.closed for stream in (self.puppet.stdin, self.puppet.stdout, self.puppet.stderr))
            self.puppet.close()
            self.start()

    def play(self, move: str) -> None:
        """Play a move, and one of the opponent's; a game that is over begins again."""
        self.moves.append((self.state.side, move))
        self.state = self.state.play(move)
        if self.state.outcome is None:
            self.known = len(self.moves)
            self.moves.append((self.state.side, self.state.legal_moves[-1]))
            self.state = self.state.play(self.state.legal_moves[-1])
        if self.state.outcome is not None:
            assert self.puppet is not None
            self.player.close()
            self.puppet.close()
            self.start()

    def expected(self, greeted: bytes, data: bytes, ending: tuple[str, Any] | None, *, reads: bool) -> tuple[str, str]:
        """Return what reading everything at once finds: a move, or the kind of a fault."""
        time_left = Clock.parse("60/move").start()
        asked = Situation(self.game.initial(1), tuple(self.moves), self.state, (time_left, time_left))
        hello = greeted.split(b"\n")[:-1]
        for exchange in self.talk.greeting if not self.moves else ():
            heard = ""
            while not heard.startswith(exchange.until):
                heard = text_of(hello.pop(0)).strip()
                self.talk.hear(heard)
        self.talk.ask(asked, self.known)
        *early, self.pending = self.pending.split(b"\n")
        if self.talk.hears_early:
            self.pending = b"\n".join([*early, self.pending])
        else:
            mine = [move for side, move in self.moves if side == self.state.side]
            said = [text_of(line).strip() for line in early]
            if any(is_move(self.state, text) and text.upper() not in mine[-1:] for text in said):
                return "bad-output", ""
        *lines, self.pending = [*hello, *(self.pending + data).split(b"\n")]
        for number, line in enumerate(lines, 1):
            if len(line) > LONGEST_LINE or number > MOST_LINES:
                return "too-much-output", ""
            try:
                move = read_answer(self.talk, asked, text_of(line), [])
            except Fault as fault:
                return fault.kind, ""
            if move is not None:
                self.pending = b"\n".join([*lines[number:], self.pending])
                return ("move", move) if reads else ("bad-output", "")
            self.talk.reply()
        if len(self.pending) > LONGEST_LINE or sum(map(len, lines)) > MOST_OUTPUT:
            return "too-much-output", ""
        return {"end": "no-answer" if ending and ending[1] == 0 else "crash", "close": "no-answer"}.get(
            ending[0] if ending else "", "timeout"
        ), ""


def in_lines(*lines: bytes) -> bytes:
    return b"".join(line.replace(b"\n", b"") + b"\n" for line in lines)


def text_of(line: bytes) -> str:
    return line.decode(errors="replace").removesuffix("\r")


def first_word(until: str | tuple[str, ...]) -> str:
    return until if isinstance(until, str) else f"{until[0]}: true}}"


@pytest.mark.parametrize("name", protocols())
def test_the_referee_finds_the_same_in_whatever_pieces_it_comes(name: str) -> None:
    machine = type(f"Conversation of {name}", (Conversation,), {"name": name})
    slow = [HealthCheck.too_slow, HealthCheck.data_too_large]
    run_state_machine_as_test(
        machine, settings=settings(max_examples=EXAMPLES, stateful_step_count=10, suppress_health_check=slow)
    )
