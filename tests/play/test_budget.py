"""No bank of ours runs out, on a slow machine either: whole games on a clock that the test moves, so that load is not
needed and time is not measured."""

from __future__ import annotations

import itertools
import random
import threading
import time
from typing import TYPE_CHECKING, Any

import pytest
from variants import variants

import ludus
from ludus import _native
from ludus.cli.verbs import engine as engine_verb
from ludus.cli.verbs import move as move_verb
from ludus.game import CourseBoard
from ludus.play.budget import Budget, most_own_moves
from ludus.play.clock import Clock, TimeLeft
from ludus.play.match import Match
from ludus.play.player import Player
from ludus.players import engine as engine_module
from ludus.players.engine import EnginePlayer
from ludus.search.analysis import Engine, SearchLimits
from ludus.search.result import Analysis, Variation

if TYPE_CHECKING:
    from collections.abc import Callable


class Machine:
    """A machine on which time passes only when the test says so.

    A search takes `search` seconds, or as long as it may, and is `late` when it has to be stopped; a move without a
    search takes `glance`. Every `stalls_every`-th move something else takes a tenth of a second.
    """

    def __init__(
        self, *, late: float = 0.03, glance: float = 0.003, search: float = 1e9, stalls_every: int = 10**9
    ) -> None:
        self.now = 1000.0
        self.late, self.glance, self.search, self.stalls_every = late, glance, search, stalls_every
        self.searches = self.glances = 0
        self._random = random.Random(1)

    def seconds(self) -> float:
        return self.now

    def think(self, state: Any, limits: SearchLimits, _progress: object = None) -> Analysis:
        if limits.seconds <= 0.0:
            self.glances += 1
            self.now += self.glance
        else:
            self.searches += 1
            self.now += self.glance + (self.search if self.search < limits.seconds else limits.seconds + self.late)
        if (self.searches + self.glances) % self.stalls_every == 0:
            self.now += 0.1
        move = self._random.choice(state.legal_moves)
        return Analysis((Variation((move,), 0.0, exact=False, win_chance=0.5, plies_to_end=None),), 1, 1, 0.0)


class FakeEngine:
    """Stands where the engine stands."""

    def __init__(self, machine: Machine, game: Any) -> None:
        self.game, self.think = game, machine.think

    def clear(self) -> None:
        """Forget nothing."""


@pytest.fixture
def on(monkeypatch: pytest.MonkeyPatch) -> Callable[[Machine], Machine]:
    """Put the engine on another machine."""

    def put(machine: Machine) -> Machine:
        def make(game: Any, _megabytes: int = 64) -> Any:
            return FakeEngine(machine, game)

        monkeypatch.setattr(engine_module, "monotonic", machine.seconds)
        monkeypatch.setattr(engine_module, "cpu_seconds", machine.seconds)
        monkeypatch.setattr(engine_module, "Engine", make)
        monkeypatch.setattr(engine_verb, "monotonic", machine.seconds)
        monkeypatch.setattr(engine_verb, "Engine", make)
        return machine

    return put


def smallest(state: Any) -> str:
    """The move that makes the game longest, more or less: the one that gains least, and ends nothing."""

    def rank(move: str) -> tuple[bool, int]:
        after = state.play(move)
        return after.outcome is not None, 0 if state.scores is None else after.scores[state.side]

    moves: tuple[str, ...] = state.legal_moves
    return min(random.Random(state.text).sample(moves, min(6, len(moves))), key=rank)


def play(machine: Machine, start: Any, clock: str, player: Any, side: int = 0, outside: float = 0.0) -> Match:
    """Let the player play a whole game against one who drags it out; `outside` is what the referee adds to a move."""
    match = Match(start, clock=Clock.parse(clock))
    while match.outcome is None:
        state: Any = match.state
        if state.side != side:
            match.play(smallest(state))
            continue
        player.follow(match.situation)
        began = machine.now
        move = player.choose(state, match.time_left(side))
        match.play(move, machine.now - began + outside)
    return match


LARGE = {"size": 26, "types": 9}


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize(
    ("machine", "outside"),
    [
        (Machine(), 0.0),
        (Machine(late=0.03, glance=0.001), 0.01),
        (Machine(stalls_every=25), 0.0),
        (Machine(late=0.2, glance=0.008), 0.0),
        (Machine(late=0.0, glance=0.0001), 0.0),
    ],
    ids=["busy", "busy-outside", "stalls", "very-busy", "quiet"],
)
def test_a_bank_of_5_s_lasts_on_the_largest_board(
    on: Callable[[Machine], Machine], machine: Machine, outside: float, seed: int
) -> None:
    on(machine)
    match = play(machine, ludus.game("fruit-rage", **LARGE).initial(seed), "5", EnginePlayer(), 0, outside)
    assert match.outcome is not None
    assert match.outcome.reason == "rules", f"lost on time after {len(match.record.moves)} moves"
    assert machine.searches > 0


@pytest.mark.parametrize("clock", ["300", "20", "5", "2", "0.5", "1+0.05", "60+1", "0.2+0.02", "cpu:5"])
@pytest.mark.parametrize("side", [0, 1])
def test_no_bank_runs_out_on_a_busy_machine(on: Callable[[Machine], Machine], name: str, clock: str, side: int) -> None:
    machine = on(Machine(late=0.03, glance=0.002))
    match = play(machine, ludus.game(name).initial(1), clock, EnginePlayer(), side)
    assert match.outcome is not None
    assert match.outcome.reason == "rules", f"lost on time after {len(match.record.moves)} moves"


@pytest.mark.parametrize("options", [{"level": "9"}, {"level": "3"}, {"nodes": "5000000"}, {"seconds": "0.5"}])
def test_levels_and_limits_of_ones_own_keep_the_bank_too(
    on: Callable[[Machine], Machine], options: dict[str, str]
) -> None:
    machine = on(Machine(search=0.4))
    match = play(machine, ludus.game("fruit-rage", **LARGE).initial(1), "5", EnginePlayer(**options))
    assert match.outcome is not None
    assert match.outcome.reason == "rules", f"lost on time after {len(match.record.moves)} moves"


def test_two_removals_share_the_time_of_a_turn(on: Callable[[Machine], Machine]) -> None:
    for text in ("1/move", "0.3/move", "cpu:1/move"):
        machine = on(Machine(late=0.02, glance=0.002))
        match = play(machine, ludus.game("cantris", rows=10, cols=5).initial(1), text, EnginePlayer())
        assert match.outcome is not None
        assert match.outcome.reason == "rules", text


def test_a_short_limit_for_each_move_is_kept_once_the_machine_is_known_to_be_busy(
    on: Callable[[Machine], Machine],
) -> None:
    """The first search is too late for 50 ms a move, which nobody can know; those after it are not begun."""
    machine = on(Machine(late=0.04, glance=0.002))
    player = EnginePlayer()
    state = ludus.game("chain-reaction").initial()
    time_left = Clock.parse("0.05/move").start()
    took = []
    for _ in range(4):
        began = machine.now
        player.choose(state, time_left)
        took.append(machine.now - began)
    assert took[0] > 0.05
    assert max(took[1:]) < 0.05


def test_with_an_ample_bank_the_time_goes_to_thinking(on: Callable[[Machine], Machine], name: str) -> None:
    """Most of it is used by the end, and every choice but the forced ones is thought about."""
    machine = on(Machine(late=0.002, glance=0.0005))
    start: Any = ludus.game(name).initial(1)
    match = play(machine, start, "300", EnginePlayer())
    assert machine.glances <= 1
    left = match.time_left(0).bank
    assert left is not None
    assert left < 150


def test_several_threads_use_a_clock_of_cpu_time_faster(on: Callable[[Machine], Machine]) -> None:
    on(Machine())
    state = ludus.game("chain-reaction").initial()
    one, four = (EnginePlayer(threads=str(threads)).limits(state, Clock.parse("cpu:100").start()) for threads in (1, 4))
    assert four.seconds == pytest.approx(one.seconds / 4)
    assert four.soft_seconds == pytest.approx(one.soft_seconds / 4)
    wall = EnginePlayer(threads="4").limits(state, Clock.parse("100").start())
    assert wall.seconds == pytest.approx(one.seconds)


@pytest.mark.parametrize(("size", "types", "seconds"), [(10, 4, 22.0), (15, 5, 22.0), (26, 9, 100.0)])
def test_a_process_for_each_move_reserves_the_starts_to_come(
    on: Callable[[Machine], Machine], monkeypatch: pytest.MonkeyPatch, size: int, types: int, seconds: float
) -> None:
    """A whole game of `ludus move`: nothing is known from move to move but the board and what is left."""
    start_seconds, end_seconds = 0.2, 0.06
    machine = on(Machine(late=0.01))
    starts = itertools.cycle((0.8, 1.0, 1.3))  # no two starts take the same
    state: Any = ludus.game("fruit-rage", size=size, types=types).initial(1)
    bank, moves = seconds, 0
    while state.outcome is None:
        if state.side == 1:
            state = state.play(smallest(state))
            continue
        began, start = machine.now, start_seconds * next(starts)
        monkeypatch.setattr(move_verb, "seconds_since_start", lambda start=start: start)
        move = move_verb.choose(CourseBoard(state, bank), "engine", "input.txt")
        moves += 1
        bank -= start + machine.now - began + end_seconds
        assert bank > 0, f"lost on time at move {moves}"
        state = state.play(move)
    assert machine.searches > 0


def test_the_ugi_program_keeps_its_bank(on: Callable[[Machine], Machine]) -> None:
    """The referee's pipe costs 10 ms a move, which only the clock tells."""
    machine = on(Machine())
    said: list[str] = []
    game = ludus.game("fruit-rage", **LARGE)
    conversation = engine_verb.Conversation(game, said.append)
    state: Any = game.initial(1)
    bank = 5.0
    while state.outcome is None:
        if state.side == 1:
            state = state.play(smallest(state))
            continue
        began = machine.now
        conversation.handle(f"position fen {state.text}")
        conversation.handle(f"go p1time {int(1000 * bank)} p2time 5000")
        conversation.finish()
        bank -= machine.now - began + 0.01
        assert bank > 0
        state = state.play(said[-1].split()[1])
    assert machine.searches > 0


def test_no_game_has_more_moves_than_the_bound(name: str) -> None:
    for options, seed, choose in itertools.product(variants(name)["starters"][:4], range(4), (smallest, None)):
        chooser = random.Random(seed)
        state: Any = ludus.game(name, **options).initial(seed)
        seen: list[tuple[int, int | None]] = []
        while state.outcome is None:
            seen.append((most_own_moves(state), state.most_moves))
            state = state.play(choose(state) if choose else chooser.choice(state.legal_moves))
        for ply, (own, plies) in enumerate(seen):
            left = len(seen) - ply
            assert plies is None or plies >= left
            assert own >= left // 2 if options == {} else own >= 1


def test_an_answer_without_time_starts_no_thread(name: str) -> None:
    """And is a sound move: what the search itself looks at first."""
    state: Any = ludus.game(name).initial(3)
    engine = Engine(state.game, megabytes=1)
    before = _native.cpu_seconds()
    found = engine.think(state, SearchLimits(seconds=0.0))
    assert found.depth == found.nodes == 0
    assert found.move in state.legal_moves
    assert _native.cpu_seconds() > before
    if state.scores is not None:
        gains = {move: state.play(move).scores[state.side] for move in state.legal_moves}
        assert gains[found.move] == max(gains.values())
    deeper = engine.think(state, SearchLimits(depth=2))
    assert deeper.depth >= 2, "the next search is one again"


def test_cpu_time_is_counted_by_who_asked(name: str) -> None:
    """Searches of other threads, and their own players, cost this thread nothing."""
    state: Any = ludus.game(name).initial(1)
    used: dict[str, float] = {}

    def search() -> None:
        before = _native.cpu_seconds(), time.thread_time()
        ludus.analyse(state, nodes=100_000, threads=2)
        _native.look_ahead(state, "minimax", 2, "plain")
        used["counted"], used["thread"] = _native.cpu_seconds() - before[0], time.thread_time() - before[1]

    before = _native.cpu_seconds(), time.thread_time()
    other = threading.Thread(target=search)
    other.start()
    other.join()
    idle = _native.cpu_seconds() - before[0]
    assert idle == pytest.approx(time.thread_time() - before[1], abs=2e-3)
    assert used["counted"] > used["thread"], "the search's threads are counted"


class Sleeper(Player):
    """Takes time, and no CPU time."""

    def choose(self, state: ludus.State, _time: TimeLeft) -> str:
        time.sleep(0.1)
        return state.legal_moves[0]


def test_a_clock_of_cpu_time_charges_our_players_cpu_time() -> None:
    for clock, seconds in (("cpu:60", 0.0), ("60", 0.1)):
        match = Match(ludus.game("chain-reaction").initial(), clock=Clock.parse(clock))
        match.ask(Sleeper())
        taken = match.record.moves[0].seconds
        assert taken is not None
        assert (taken >= 0.1) == (seconds == 0.1)
    match = Match(ludus.game("chain-reaction").initial(), clock=Clock.parse("cpu:60"))
    match.ask(EnginePlayer(nodes="200000"))
    taken = match.record.moves[0].seconds
    assert taken is not None
    assert taken > 0.01, "the search's own thread counts"


def test_what_the_referee_charges_beyond_the_own_count_is_learned() -> None:
    budget = Budget()
    clock = Clock.parse("10")
    time_left = clock.start()
    budget.spent(time_left, 0.1, 0.1, 0.1)
    before = budget.fixed.average
    after = time_left.after(0.3)
    assert after is not None
    budget.charged(after)
    assert budget.fixed.average == pytest.approx(before + 0.2 * 0.2)
    assert budget.fixed.largest >= 0.2
    budget.charged(after)
    assert budget.fixed.average == pytest.approx(before + 0.2 * 0.2), "once a move"
