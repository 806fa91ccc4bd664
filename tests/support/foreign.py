"""What tests of protocols and starters share: foreign programs, as plain processes in their folder or as bots."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType

import ludus
from ludus.bots import read_bot
from ludus.bots.build import build
from ludus.bots.player import BotPlayer
from ludus.game import State
from ludus.messages import Message
from ludus.play.clock import Clock, TimeLeft
from ludus.play.player import Situation
from ludus.protocols import BotProtocol

MOST_LINES = 2000


def tool(name: str) -> str:
    """Find a compiler or an interpreter; a machine without it cannot say that starters work."""
    found = shutil.which(name)
    assert found, f"this test needs {name}: install g++, default-jdk-headless and nodejs, or run make test"
    return found


def place(folder: Path, files: Mapping[str, str | bytes]) -> Path:
    """Write files into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, content in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())
    return folder


def last_open_cell(state: State) -> str:
    """What the students of Chain Reaction in these tests play."""
    rows = {move[1]: move for move in reversed(state.legal_moves)}
    return rows[max(rows)]


def hand_in(folder: Path, files: Mapping[str, str | bytes]) -> Path:
    """Write what a student hands in: a file, or a folder."""
    place(folder, files)
    return folder / next(iter(files)) if len(files) == 1 and "/" not in next(iter(files)) else folder


def assert_it_plays(given: Path, protocol: str, noted: str | None) -> None:
    """Check that a program for Chain Reaction is recognised, builds with no note but one that says this, and plays."""
    bot = read_bot(given)
    assert bot.protocol == protocol
    notes = [str(note) for note in build(bot).notes]
    assert [noted is not None and noted in note for note in notes[-1:]] == ([True] if noted else []), notes
    chooser, state = random.Random(1), ludus.game("chain-reaction").initial()
    with BotPlayer(bot) as player:
        for _ in range(6):
            assert player.choose(state, Clock.parse("60/move").start()) == last_open_cell(state)
            state = state.play(chooser.choice(state.legal_moves))


def compile_cpp(folder: Path, main: str, *flags: str) -> tuple[str, ...]:
    """Build a C++ program in its folder, as a course would, and give what runs it."""
    command = [tool("g++"), "-O1", "-o", "bot", *flags, main]
    built = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    assert built.returncode == 0, built.stderr
    return ("./bot",)


def situation(
    state: State,
    clock: str = "none",
    *,
    start: State | None = None,
    moves: Sequence[tuple[int, str]] = (),
    banks: tuple[float, float] | None = None,
) -> Situation:
    """Return what a bot is asked about."""
    time = Clock.parse(clock).start()
    times = (time, time) if banks is None else (TimeLeft(time.clock, banks[0]), TimeLeft(time.clock, banks[1]))
    return Situation(start or state, moves, state, times)


class Foreign:
    """A program that a protocol speaks to."""

    def __init__(
        self, speech: BotProtocol, folder: Path, run: Sequence[str], side: int = 0, **environment: str
    ) -> None:
        self.speech = speech
        place(folder, speech.files())
        self.errors = (folder / "stderr").open("w+b")
        self.process = subprocess.Popen(
            speech.command(run, side),
            cwd=folder,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.errors,
            encoding="utf-8",
            errors="replace",
            env={**os.environ, **environment},
        )
        self.told = 0
        self.notes: list[Message] = []
        for exchange in speech.greeting:
            self.say(exchange.say + "\n")
            while not self.line().startswith(exchange.until):
                pass

    def say(self, text: str) -> None:
        assert self.process.stdin
        self.process.stdin.write(text)
        self.process.stdin.flush()

    def line(self) -> str:
        assert self.process.stdout
        line = self.process.stdout.readline()
        assert line, f"it ended without an answer; standard error: {self.stderr()}"
        return line

    def ask(self, asked: Situation) -> str:
        self.say(self.speech.ask(asked, self.told))
        self.told = len(asked.moves)
        for _ in range(MOST_LINES):
            move = self.speech.read(asked, self.line().rstrip("\r\n"), self.notes)
            if move is not None:
                return move
        raise AssertionError("it talks without end")

    def stderr(self) -> str:
        self.errors.flush()
        self.errors.seek(0)
        return self.errors.read().decode(errors="replace")

    def __enter__(self) -> Foreign:
        return self

    def __exit__(self, kind: type | None, value: BaseException | None, trace: TracebackType | None) -> None:
        assert self.process.stdin
        assert self.process.stdout
        self.process.kill()
        self.process.communicate()
        self.errors.close()


def play_out(bot: Foreign, start: State, side: int, seed: int, clock: str = "none", most: int = 400) -> State:
    """Let a program play one side against random moves, to the end; every move of it is checked."""
    chooser = random.Random(seed)
    state, moves = start, list[tuple[int, str]]()
    bot.told = 0
    while state.outcome is None and len(moves) < most:
        mine = state.side == side
        move = bot.ask(situation(state, clock, start=start, moves=moves)) if mine else chooser.choice(state.legal_moves)
        moves.append((state.side, move))
        if mine:
            bot.told = len(moves)
        state = state.play(move)
    return state
