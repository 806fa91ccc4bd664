"""The engine of every game: what it proves is true, it keeps to its limits, and it does not depend on chance."""

from __future__ import annotations

import itertools
import math
import random
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from conftest import folder, some_game
from english import english_in
from patience import PATIENCE, until
from random_games import after_moves, random_game

import ludus
from ludus.game import Number
from ludus.messages import render
from ludus.play.budget import Budget, safe_seconds
from ludus.play.clock import Clock
from ludus.play.match import Match
from ludus.play.openings import opening
from ludus.play.record import Record
from ludus.players import play_match, player
from ludus.players.engine import EnginePlayer
from ludus.search.analysis import Engine, SearchLimits, grade, review, turning_point
from ludus.search.bench import bench, positions
from ludus.search.result import Analysis


@pytest.mark.parametrize(("scored", "options"), [("cantris", {}), ("fruit-rage", {"size": 6, "types": 3})])
def test_who_wins_is_proven_sooner_than_by_how_much(scored: str, options: dict[str, int | str]) -> None:
    """Nodes of six boards in all, a move or some into the game, where one side is ahead."""
    nodes = {"margin": 0, "win": 0}
    for seed in range(6):
        state: Any = ludus.game(scored, **options).initial(seed)
        for _ in range(8):
            state = state.play(ludus.analyse(state, depth=2).move)
        for objective in nodes:
            found = ludus.analyse(state, nodes=3_000_000, objective=objective)
            assert found.exact
            nodes[objective] += found.nodes
    assert nodes["win"] < nodes["margin"]


def test_without_a_proof_the_objective_to_win_has_a_chance_for_a_value() -> None:
    state = ludus.game("fruit-rage").initial(1)
    found = ludus.analyse(state, nodes=3000, objective="win")
    assert not found.exact
    assert 0.5 < found.win_chance < 1.0, "the first to move takes the largest group"
    assert found.value == pytest.approx(2 * found.win_chance - 1)
    with pytest.raises(ValueError, match="objective must be one of margin, win, not 'draw'"):
        ludus.analyse(state, objective="draw")


def test_the_engine_plays_to_win_when_asked(name: str) -> None:
    record = ludus.play_match(ludus.game(name), ("engine:nodes=2000,objective=win", "random:seed=1"), seed=1)
    assert record.outcome is not None
    assert record.outcome.winner == 0
    with pytest.raises(ValueError, match="objective must be one of margin, win"):
        player("engine:objective=points")


def test_lines_come_best_first_before_anything_is_proven() -> None:
    """At depths 8 and 9 of this position a later line turns out better than the first."""
    state = ludus.game("chain-reaction").parse("....r1./....../.....b1/r1...../...... 2 3")
    told: list[Analysis] = []
    told.append(ludus.analyse(state, depth=9, lines=3, progress=told.append))
    for found in told:
        values = [line.value for line in found.lines]
        assert values == sorted(values, reverse=True)
        assert (found.move, found.value) == (found.lines[0].moves[0], max(values))


def test_lines_can_be_played(name: str) -> None:
    for state in positions(name):
        for line in ludus.analyse(state, nodes=3000).lines:
            at: Any = state
            for move in line.moves:
                assert move in at.legal_moves
                at = at.play(move)
            assert at is not state


@pytest.mark.parametrize("seed", range(6))
def test_a_node_limit_gives_the_same_answer_every_time(name: str, seed: int) -> None:
    """On boards of any size and kind: each may have code of its own in the core."""
    chooser = random.Random(seed)
    state = after_moves(some_game(name, chooser).initial(seed), 4, chooser)
    if state.outcome is not None:
        return
    first, second = (ludus.analyse(state, nodes=5000, lines=2) for _ in range(2))
    assert first._replace(seconds=0) == second._replace(seconds=0)
    assert first.nodes <= 5000 + 50


def test_the_signature_is_the_tracked_one(name: str) -> None:
    """A change that means to keep the engine's behaviour leaves it; another one runs `make signature`."""
    assert bench(name).signature == (folder(name) / "signature.txt").read_text().strip()


def test_a_time_limit_ends_the_search(name: str) -> None:
    """On the usual board and on the largest; without the limit it would go on for hours."""
    kinds = ludus.game(name).option_types.items()
    largest = ludus.game(name, **{option: kind.high for option, kind in kinds if isinstance(kind, Number)})
    for state in (next(positions(name)), largest.initial(1)):
        found = ludus.analyse(state, seconds=0.05)
        assert not found.exact
        assert found.move in state.legal_moves


def test_a_search_stops_when_its_progress_says_so(name: str) -> None:
    state = next(positions(name))
    reports: list[Analysis] = []

    def stop(report: Analysis) -> bool:
        reports.append(report)
        return True

    found = ludus.analyse(state, seconds=PATIENCE, progress=stop)
    assert len(reports) == 1
    assert not found.exact


def test_a_search_goes_on_while_its_progress_says_nothing(name: str) -> None:
    reports: list[Analysis] = []

    def stop_at_the_third(report: Analysis) -> bool:
        reports.append(report)
        return len(reports) == 3

    ludus.analyse(next(positions(name)), seconds=PATIENCE, progress=stop_at_the_third)
    assert len(reports) == 3


def test_thinking_leaves_other_threads_alone(name: str) -> None:
    """The interpreter's lock is free while the engine thinks: the search goes on until another thread has had turns."""
    enough = threading.Event()

    def take_turns() -> None:
        for _ in range(20):
            time.sleep(0.001)
        enough.set()

    other = threading.Thread(target=take_turns)
    other.start()
    ludus.analyse(next(positions(name)), seconds=PATIENCE, progress=lambda _: enough.is_set())
    assert enough.is_set()
    other.join()


def test_finished_games_and_bad_limits_are_refused(name: str) -> None:
    state: Any = ludus.game(name).initial(1)
    for wrong in ("seconds", "nodes", "depth", "threads", "lines"):
        with pytest.raises(ValueError, match=f"{wrong} must be greater than 0"):
            ludus.analyse(state, **{wrong: 0})  # type: ignore[arg-type]
        if wrong != "seconds":
            with pytest.raises(TypeError, match=r"^'float' object cannot be interpreted as an integer$"):
                ludus.analyse(state, **{wrong: 1.5})  # type: ignore[arg-type]
    *_, over = random_game(state, random.Random(1))
    with pytest.raises(ValueError, match="the game is over"):
        ludus.analyse(over, nodes=10)


def test_the_engine_beats_greedy(name: str) -> None:
    """The same starts with the seats swapped: by games won, or where there are points by the margins added up."""
    won, lost, margin = 0, 0, 0
    game = ludus.game(name)
    for number in range(3):
        for seat in (0, 1):
            seats = ("engine:nodes=3000", "greedy") if seat == 0 else ("greedy", "engine:nodes=3000")
            record = play_match(game, seats, start=opening(game, number))
            assert record.outcome is not None
            won += int(record.outcome.winner == seat)
            lost += int(record.outcome.winner == 1 - seat)
            scores = record.final.scores or (0, 0)
            margin += scores[seat] - scores[1 - seat]
    assert margin > 0 if game.initial().scores else won > lost


def test_no_bank_runs_out(name: str) -> None:
    """Every move of a game takes its hard limit, and time is left at the end."""
    thinker = EnginePlayer()
    for text in ("300", "20", "2", "1+0.05"):
        match = Match(ludus.game(name).initial(1), clock=Clock.parse(text))
        chooser = random.Random(1)
        while match.outcome is None:
            state: Any = match.state
            limits = thinker.limits(state, match.time_left(state.side))
            assert 0.0 < limits.soft_seconds <= limits.seconds
            match.play(chooser.choice(state.legal_moves), seconds=limits.seconds)
        assert match.outcome.reason == "rules", text


def test_a_bank_is_never_spent_on_one_move(name: str) -> None:
    for state in positions(name):
        soft, hard = Budget().share(state, Clock.parse("100").start())
        assert 0.0 < soft <= hard <= 20.0


def test_the_margin_grows_with_the_limit_up_to_a_point() -> None:
    assert safe_seconds(3.0) == pytest.approx(2.92)
    assert 0.01 < safe_seconds(0.05) < 0.03
    assert safe_seconds(math.inf) == math.inf
    assert 0.0 < safe_seconds(0.001) < 0.001


def test_a_long_move_leaves_time_for_a_stall_of_the_machine() -> None:
    state = ludus.game("chain-reaction").initial()
    for seconds, spare in ((30.0, 0.5), (10.0, 0.4), (1.0, 0.08), (0.05, 0.03)):
        _, hard = Budget().share(state, Clock.parse(f"{seconds:g}/move").start())
        assert hard == pytest.approx(seconds - spare)


def test_engine_options_are_checked() -> None:
    for text, message in {
        "engine:level=11": "level of player engine must be 1 to 10",
        "engine:level=0": "level of player engine must be a number greater than 0",
        "engine:seconds=soon": "seconds of player engine must be a number",
        "engine:seconds=inf": "seconds of player engine must be a number",
        "engine:nodes=1.5": "nodes of player engine must be a number",
        "engine:speed=3": "player engine has no option 'speed'; its options are seconds, nodes",
    }.items():
        with pytest.raises(ValueError, match=message):
            player(text)


def test_every_level_plays_legally(name: str) -> None:
    """In one position after another, and each level has its own game."""
    games = set()
    for level in range(1, 11):
        engine = EnginePlayer(level=str(level), seed="1", nodes="300")
        match = Match(ludus.game(name).initial(2))
        for _ in range(8):
            match.play(engine.choose(match.state, Clock().start()))
            if match.outcome is not None:
                break
        assert match.outcome is None or match.outcome.reason == "rules"
        games.add(tuple(played.move for played in match.record.moves))
    assert len(games) > 1, "a level makes no difference"


def running_threads() -> int:
    """Return the number of threads of this process, those of the engine included."""
    return sum(1 for _ in Path("/proc/self/task").iterdir())


def test_pondering_fills_the_table_until_it_is_stopped(name: str) -> None:
    state = next(positions(name))
    engine = Engine(ludus.game(name), megabytes=16)
    threads = running_threads()
    began = time.process_time()
    engine.ponder(state)
    until(lambda: time.process_time() > began + 0.2, "thinking")
    engine.stop()
    until(lambda: running_threads() <= threads, "the end of its thread")
    pondered = engine.think(state, SearchLimits(depth=3))
    assert pondered.nodes < Engine(ludus.game(name), megabytes=16).think(state, SearchLimits(depth=3)).nodes


def test_a_player_that_ponders_stops_for_its_next_move(name: str) -> None:
    engine = EnginePlayer(nodes="2000", ponder="1")
    match = Match(ludus.game(name).initial(3))
    threads = running_threads()
    for _ in range(6):
        match.play(engine.choose(match.state, Clock().start()))
        until(lambda: running_threads() <= threads + 1, "the end of the search before")


def test_an_engine_keeps_to_its_own_game(name: str) -> None:
    engine = Engine(ludus.game(name), megabytes=1)
    other: Any = ludus.game(next(other for other in ludus.games() if other != name)).initial()
    with pytest.raises(ValueError, match="this state is of another game"):
        engine.think(other, SearchLimits(nodes=10))


SIZES: tuple[tuple[str, dict[str, int], dict[str, int]], ...] = (
    ("chain-reaction", {"rows": 3, "cols": 8}, {"rows": 6, "cols": 5}),
    ("magnetic-cave", {"rows": 6, "cols": 8, "line": 4}, {"rows": 8, "cols": 8, "line": 4}),
    ("fruit-rage", {"size": 3}, {"size": 10}),
    ("cantris", {"rows": 6, "cols": 6}, {"rows": 12, "cols": 8}),
)
"""Boards that are the same kind of memory, and of which the first has too little for what the second does."""


@pytest.mark.parametrize(("name", "small", "large"), SIZES)
def test_no_engine_and_no_batch_takes_a_state_of_another_board(
    name: str, small: dict[str, int], large: dict[str, int]
) -> None:
    own: Any = ludus.game(name, **small)
    other = ludus.game(name, **large)
    engine, batch = Engine(own, megabytes=1), own.make_batch(1, seed=1, threads=1, auto_reset=False, points=False)
    for refused in (
        lambda: engine.think(other.initial(), SearchLimits(nodes=10)),
        lambda: engine.ponder(other.initial()),
        lambda: batch.put(0, other.initial()),
    ):
        with pytest.raises(ValueError, match="this state is of another game"):
            refused()
    batch.put(0, ludus.game(name, **small).initial(seed=2))  # made again, it is the same game
    assert engine.think(ludus.game(name, **small).initial(), SearchLimits(nodes=10)).move


@pytest.mark.parametrize("threads", [-1, 0, 257, 10**6])
def test_the_number_of_threads_has_limits(threads: int) -> None:
    game = ludus.game("cantris")
    engine = Engine(game, megabytes=1)
    for refused in (
        lambda: engine.think(game.initial(), SearchLimits(nodes=10, threads=threads)),
        lambda: engine.ponder(game.initial(), threads),
    ):
        with pytest.raises(ValueError, match=f"a search has 1 to 256 threads, not {threads}"):
            refused()


def test_a_limit_that_is_no_number_ends_a_search_at_once() -> None:
    game = ludus.game("magnetic-cave")
    assert Engine(game, megabytes=1).think(game.initial(), SearchLimits(seconds=math.nan)).depth == 0


def test_a_review_finds_the_move_that_lost() -> None:
    """Second does not see the line; at move 8 only A5 holds."""
    record = Record.parse('[Game "magnetic-cave"]\n1. A1 H1 2. A2 H2 3. A3 H3 4. A4 B1 5. A5')
    judged = list(review(record, nodes=3000))
    assert [(entry.number, entry.side, entry.move) for entry in judged] == [
        (number, (number + 1) % 2, played.move) for number, played in enumerate(record.moves, 1)
    ]
    for entry in judged:
        assert (entry.grade == "best") == (entry.loss == 0.0) == (entry.move == entry.best)
        assert entry.grade == grade(entry.loss, is_best=entry.move == entry.best)
    worst = turning_point(judged, winner=0)
    assert worst is not None
    assert (worst.number, worst.move, worst.best, worst.grade) == (8, "B1", "A5", "blunder")
    assert turning_point(judged[-1:], winner=0) is None, "the winner lost nothing"
    assert str(worst.why).startswith("A5 ") and "; B1 allows A5" in str(worst.why)
    assert not [entry.why for entry in judged if english_in(render(entry.why, "zh"))]


def test_grades_go_by_the_win_chance_lost() -> None:
    assert grade(0.0, is_best=False) == "best"
    assert grade(0.3, is_best=True) == "best"
    assert [grade(loss, is_best=False) for loss in (0.01, 0.05, 0.1, 0.5)] == [
        "good",
        "inaccuracy",
        "mistake",
        "blunder",
    ]


def test_threads_may_analyse_at_once_and_find_what_one_alone_finds() -> None:
    states = [game.initial(seed) for game in map(ludus.game, ludus.games()) for seed in (1, 2)] * 2

    def found(state: ludus.State) -> tuple[str, float, int]:
        analysis = ludus.analyse(state, nodes=3000)
        return analysis.move, analysis.value, analysis.nodes

    alone = [found(state) for state in states]
    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(found, states)) == alone


def test_threads_that_share_an_engine_wait_for_each_other() -> None:
    engine = Engine(ludus.game("chain-reaction"))
    states = [ludus.game("chain-reaction").initial().play(move) for move in ("A1", "B2", "C3", "D4")]
    order: list[int] = []

    def think(number: int) -> Analysis:
        return engine.think(states[number], SearchLimits(nodes=200_000), lambda _: order.append(number))

    with ThreadPoolExecutor(4) as threads:
        for state, analysis in zip(states, threads.map(think, range(4)), strict=True):
            assert analysis.move in state.legal_moves
    assert sorted(number for number, _ in itertools.groupby(order)) == [0, 1, 2, 3], "one search at a time"


def test_lines_of_two_depths_are_not_compared(name: str) -> None:
    """The best move of a depth stays first while the other lines still come from the depth before."""
    state = ludus.game(name).initial(3)
    mixed = 0
    whole = [ludus.analyse(state, depth=depth, lines=3) for depth in range(2, 7)]
    for before, after in itertools.pairwise(whole):
        best = after.lines[0]
        for eighth in range(1, 8):
            nodes = before.nodes + (after.nodes - before.nodes) * eighth // 8
            lines = ludus.analyse(state, nodes=nodes, lines=3).lines
            found = [line.moves[0] for line in lines if line.value == best.value]
            if best.moves[0] in found and best not in before.lines:
                mixed += lines != after.lines
                assert lines[0].moves[0] in found
    assert mixed > 0 or name == "cantris", "some were stopped between two lines; Cantris only takes whole depths"
