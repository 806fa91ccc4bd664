"""Anything that Python can hand over, into the compiled module: `make sanitize-module SECONDS=600`.

fuzz_module.py MODULE --seconds 60              a module that was built with AddressSanitizer and UBSan, preloaded
fuzz_module.py MODULE --calls 100000 --seed 7   a number of calls, the same ones each time

Calls what the module has (games, states, engines, batches), with arguments that are nearly right or of any kind: texts
with NUL or without meaning, numbers of any size, arrays of any form, states of other boards, other threads meanwhile.
A call may raise an error of Python; the sanitizers end the program at the first wrong access to memory, and it says
which call that was. It knows the module's names (`_native.pyi`), and no rules.
"""

from __future__ import annotations

import argparse
import contextlib
import faulthandler
import importlib.util
import math
import pickle
import random
import sys
import threading
import time
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

MOST_STATES, MOST_THREADS, MOST_DEPTH, MOST_NODES, MOST_SECONDS = 300, 4, 3, 2_000, 0.05
"""Right arguments are small ones: many calls find more than long ones."""
ALLOWED = (ValueError, TypeError, MemoryError, OverflowError, IndexError, RuntimeError, BufferError, KeyError)
"""What a call with wrong arguments may raise; errors of ours are ValueErrors."""


def load(path: Path) -> Any:
    """Load a compiled module under the name of the one that is installed, before anything else asks for that."""
    spec = importlib.util.spec_from_file_location("ludus._native", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["ludus._native"] = module
    spec.loader.exec_module(module)
    return module


def native(game: Any) -> Any:
    """Return what the module knows of a game."""
    return vars(game)["_native"]


class Caller:
    """Makes calls at random, and what they need."""

    def __init__(self, chooser: random.Random) -> None:
        import numpy  # noqa: PLC0415 - after the module

        import ludus  # noqa: PLC0415

        self.numpy, self.ludus, self.chooser = numpy, ludus, chooser
        self.counts: Counter[str] = Counter()
        self.games = [self.game() for _ in range(12)]
        self.states = [game.initial(chooser.randrange(100)) for game in self.games]
        self.engines = [game.make_engine(1 << 16) for game in self.games]
        self.batches = [self.batch(game) for game in self.games]

    # What calls are made with

    def game(self) -> Any:
        """Return a game with random options."""
        name = self.chooser.choice(self.ludus.games())
        rules: Any = importlib.import_module(f"ludus.games.{name.replace('-', '_')}").RULES
        while True:
            options: dict[str, Any] = {}
            for option, kind in rules.options.items():
                if self.chooser.random() < 0.7:
                    given = getattr(kind, "choices", None) or range(kind.low, kind.high + 1)
                    options[option] = self.chooser.choice(given)
            with contextlib.suppress(ValueError):
                return self.ludus.game(name, **options)

    def batch(self, game: Any) -> Any:
        """Return a batch of a game."""
        size = self.chooser.choice((1, 2, 63, 64, 65, self.chooser.randrange(1, MOST_STATES)))
        flags = {name: self.chooser.random() < 0.5 for name in ("auto_reset", "points")}
        return native(game).make_batch(
            size, seed=self.chooser.getrandbits(64), threads=self.chooser.randrange(MOST_THREADS), **flags
        )

    def number(self) -> Any:
        """Return a number, mostly a small one."""
        sizes = (8, 8, 8, 64, 1 << 31, 1 << 63, 1 << 64, 1 << 80)
        return self.chooser.randrange(-2, self.chooser.choice(sizes))

    def text(self, like: str = "") -> str:
        """Return a text: one that is like another, or anything."""
        text = list(like if self.chooser.random() < 0.8 else "")
        for _ in range(self.chooser.choice((0, 1, 1, 2, 5, 40))):
            at = self.chooser.randrange(len(text) + 1)
            sign = self.chooser.choice("0123456789./-#*rbxo ABCZaz,:=\n\0é中\ud800\U0010ffff")
            match self.chooser.randrange(4):
                case 0:
                    text.insert(at, sign * self.chooser.choice((1, 1, 3, 300)))
                case 1 if text:
                    text[at - 1] = sign
                case 2:
                    del text[at : at + self.chooser.randrange(4)]
                case _:
                    text[at:at] = text[: self.chooser.randrange(len(text) + 1)][:100]
        return "".join(text)[:4000]

    def anything(self) -> Any:
        """Return an argument of any kind."""
        kinds: tuple[Callable[[], Any], ...] = (
            self.number,
            self.text,
            self.state,
            lambda: self.chooser.choice((None, True, 0.5, math.nan, math.inf, -math.inf, 1e300, b"\xff\0", (), {}, [])),
            lambda: self.array(self.chooser.randrange(70)),
            lambda: self.chooser.choice(self.engines + self.batches + self.games),
        )
        return self.chooser.choice(kinds)()

    def sometimes(self, right: Any) -> Any:
        """Return the argument that is right, or now and then any other."""
        return self.anything() if self.chooser.random() < 0.1 else right

    def state(self) -> Any:
        """Return a state."""
        return self.chooser.choice(self.states)

    def array(self, length: int) -> Any:
        """Return an array of actions, right ones or not."""
        kind = self.chooser.choice(("int32",) * 6 + ("int64", "uint8", "float32", "bool", "O"))
        made = self.numpy.array([self.chooser.randrange(-1, 30) for _ in range(length)], dtype="int64").astype(kind)
        match self.chooser.randrange(10):
            case 0:
                return self.numpy.repeat(made, 2)[::2]
            case 1:
                return made.reshape(1, -1)
            case 2:
                made.setflags(write=False)
        return made

    # Calls

    def look(self) -> None:
        """Ask a state for everything that it has."""
        state = self.state()
        name = self.chooser.choice([name for name in dir(state) if not name.startswith("__")])
        found = getattr(state, name)
        if callable(found):
            move = self.chooser.choice(state.legal_moves or ("A1",))
            given = self.number() if name in ("play_action", "random_length", "planes") else self.text(move)
            found(*(self.sometimes(given) for _ in range(self.chooser.choice((1, 1, 1, 1, 0, 2)))))

    def play(self) -> None:
        """Play a legal move, by its name or by its number, and keep the state."""
        place = self.chooser.randrange(len(self.states))
        state = self.states[place]
        if not state.legal_moves:
            self.states[place] = state.game.initial(self.chooser.randrange(1000))
        elif self.chooser.random() < 0.5:
            self.states[place] = state.play(self.chooser.choice(state.legal_moves))
        else:
            self.states[place] = state.play_action(self.chooser.choice(state.legal_actions))

    def special(self) -> None:
        """Compare, hash, show, pickle."""
        state = self.state()
        same = pickle.loads(pickle.dumps(state))
        assert same == state
        assert hash(same) == hash(state)
        _ = (str(state), repr(state), state == self.anything(), state != self.anything(), {state: 1})

    def parse(self) -> None:
        """Read a position."""
        state = self.state()
        made = native(self.chooser.choice(self.games))
        read = made.parse(self.sometimes(state.game), self.sometimes(self.text(state.text)))
        _ = (read.text, read.legal_moves, read.outcome, read.key)

    def begin(self) -> None:
        """Make a game, or begin one."""
        made = native(self.chooser.choice(self.games))
        match self.chooser.randrange(4):
            case 0:
                made.initial(self.sometimes(self.state().game), self.sometimes(self.number()))
            case 1:
                options = {self.text("rows"): self.text("8") for _ in range(self.chooser.randrange(4))}
                sys.modules["ludus._native"].make_game(self.text("cantris"), self.sometimes(options))
            case 2:
                made.random_plies(self.chooser.randrange(3), self.sometimes(self.number()))
            case _:
                made.encoding()

    def engine(self) -> None:
        """Use an engine, which may be of another game."""
        place = self.chooser.randrange(len(self.engines))
        engine, state = self.engines[place], self.state()
        if self.chooser.random() < 0.7:
            state = self.states[place]
        match self.chooser.randrange(8):
            case 0:
                engine.ponder(self.sometimes(state), self.sometimes(1))
            case 1:
                engine.stop()
            case 2:
                engine.clear()
            case 3:
                self.engines[place] = self.games[place].make_engine(self.chooser.choice((0, 1, 100, 1 << 20)))
            case _:
                self.think(engine, state)

    def think(self, engine: Any, state: Any) -> None:
        limits = {
            "depth": self.chooser.randrange(-1, MOST_DEPTH + 1),
            "nodes": self.chooser.randrange(1, MOST_NODES),
            "soft_seconds": self.chooser.choice((0.0, 0.01, math.inf, math.nan, -1.0)),
            "hard_seconds": self.chooser.choice((0.0, MOST_SECONDS, MOST_SECONDS, math.nan, -1.0)),
            "threads": self.chooser.choice((1, 1, 2, 3, 0, -1, 1 << 20)),
            "lines": self.chooser.choice((1, 1, 3, 0, -1, 1 << 20)),
            "win_only": self.chooser.random() < 0.3,
            "progress": self.chooser.choice((None, lambda _: True, lambda _: 1 / 0, self.state)),
        }
        with contextlib.suppress(ZeroDivisionError):
            found = engine.think(self.sometimes(state), **limits)
            _ = [(line.moves, line.value, line.win_chance, line.exact, line.plies_to_end) for line in found.lines]

    def textbook(self) -> None:
        """Use the searches of the textbook."""
        module = sys.modules["ludus._native"]
        state = self.sometimes(min(self.states, key=lambda one: (self.chooser.random() + 0.1) * len(one.legal_moves)))
        match self.chooser.randrange(3):
            case 0:
                method = self.chooser.choice(("minimax", "alphabeta", "ordering", "table", self.text("table")))
                module.look_ahead(state, method, self.chooser.randrange(-1, 2), self.text("plain"))
            case 1:
                module.play_out(state, self.chooser.randrange(-1, 3), self.sometimes(self.number()))
            case _:
                module.perft(state, self.chooser.randrange(-2, 2))

    def many(self) -> None:
        """Use a batch."""
        place = self.chooser.randrange(len(self.batches))
        batch = self.batches[place]
        arrays = batch.arrays()
        size = len(arrays["done"])
        match self.chooser.randrange(9):
            case 0:
                batch.reset(self.sometimes(self.number()))
            case 1:
                batch.random_steps(self.chooser.randrange(-1, 20))
            case 2:
                batch.choose_randomly()
                batch.step(arrays["actions"])
            case 3:
                batch.step(self.sometimes(self.array(self.chooser.choice((size, size, size, size + 1, 0)))))
            case 4:
                _ = batch.state(self.state().game, self.sometimes(self.chooser.randrange(-1, size + 2))).text
            case 5:
                state = self.chooser.choice((self.states[place], self.state()))
                batch.put(self.sometimes(self.chooser.randrange(-1, size + 2)), self.sometimes(state))
            case 6:
                self.batches[place] = self.batch(self.games[place])
            case 7:  # what the arrays show belongs to whoever has them
                name = self.chooser.choice(list(arrays))
                arrays[name][...] = self.chooser.choice((0, 1, -1, 127))
            case _:
                self.while_others_write(batch, arrays["actions"])

    def while_others_write(self, batch: Any, actions: Any) -> None:
        """Step while another thread changes the actions that were handed over."""
        batch.choose_randomly()
        over = threading.Event()

        def write() -> None:
            while not over.is_set():
                actions[...] = self.chooser.choice((-1, 10**6, -(10**9)))

        other = threading.Thread(target=write)
        other.start()
        try:
            batch.step(actions)
        finally:
            over.set()
            other.join()

    def replace(self) -> None:
        """Forget a game with all that was made for it; arrays may outlive their batch."""
        place = self.chooser.randrange(len(self.games))
        kept = self.batches[place].arrays()
        self.games[place] = game = self.game()
        self.states[place] = game.initial(self.chooser.randrange(100))
        self.engines[place], self.batches[place] = game.make_engine(1 << 16), self.batch(game)
        assert all(len(array) for array in kept.values())

    def call(self) -> None:
        """Make a call of any kind."""
        calls = (self.look, self.play, self.special, self.parse, self.begin, self.engine, self.textbook, self.many)
        made = self.chooser.choice((*calls, self.look, self.play, self.play, self.parse, self.many, self.replace))
        self.counts[made.__name__] += 1
        with contextlib.suppress(*ALLOWED):
            made()


def main() -> int:
    """Do what was asked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("module", type=Path, help="the compiled module")
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--calls", type=int, help="instead of --seconds")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    given = parser.parse_args()
    sys.stdout.write(f"{load(given.module).__file__}, seed {given.seed}\n")
    sys.stdout.flush()
    caller = Caller(random.Random(given.seed))
    faulthandler.enable()  # says which call it was
    ends, count = time.monotonic() + given.seconds, 0
    while count < given.calls if given.calls is not None else time.monotonic() < ends:
        caller.call()
        count += 1
    sys.stdout.write(f"{count:,} calls: {', '.join(f'{n:,} {name}' for name, n in caller.counts.most_common())}\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
