"""A busy machine: it is measured, said, and a game lost by time meanwhile is played once more."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import ludus
from ludus.courses.matches import CachedPool
from ludus.courses.pressure import BUSY, PressureGauge, cpu_pressure
from ludus.game_task import Task, host
from ludus.play.result import GameResult
from ludus.store import Ledger


class ScriptedPool:
    """A pool whose games end as they are told to."""

    size = 1
    missing = None

    def __init__(self, *reasons: str) -> None:
        self.reasons = list(reasons)
        self.tasks: list[Task] = []
        self.played = 0

    def submit(self, task: Task) -> None:
        self.tasks.append(task)

    def results(self, seconds: float) -> Iterator[GameResult]:
        assert seconds >= 0
        while self.tasks:
            task = self.tasks.pop(0)
            self.played += 1
            reason, _, moves = self.reasons.pop(0).partition(":")
            told = record(moves.split())
            yield GameResult(*task.key, *task.entries, 1, reason, stalled=0.25, host=host(), record=told)

    def close(self) -> None:
        self.tasks.clear()


def record(moves: list[str]) -> str:
    """Return the record of a game that began with these moves."""
    made = ludus.Record(ludus.game("cantris").initial(0))
    for move in moves:
        made.play(move)
    return made.text


def task(clock: str = "3/move") -> Task:
    start = ludus.game("cantris").initial(0).text
    players = ("greedy", "random:seed=1")
    return Task("runs/ann", 0, 0, "cantris", {}, start, ("ann", "random"), players, clock)


def played(pool: ScriptedPool, gauge: PressureGauge, clock: str = "3/move") -> list[GameResult]:
    cached = CachedPool(pool, Ledger("sqlite://"), "course", gauge)
    cached.submit(task(clock))
    found: list[GameResult] = []
    for _ in range(5):
        found += cached.results(0)
    cached.ledger.close()
    return found


@pytest.mark.parametrize(
    ("share", "clock", "reasons", "games", "counts"),
    [
        (0.9, "3/move", ("timeout", "rules"), 2, "rules"),
        (0.9, "3/move", ("timeout", "timeout"), 2, "timeout"),  # once, and no more
        (0.9, "3/move", ("timeout:0,0 1,1", "rules:0,0 1,1 2,2"), 2, "rules"),
        (0.9, "3/move", ("timeout:0,0 1,1", "rules:0,0 2,2"), 2, "timeout"),  # other moves: no second try
        (0.9, "3/move", ("timeout:0,0 1,1", "rules:0,0"), 2, "timeout"),
        (0.9, "3/move", ("crash",), 1, "crash"),
        (0.1, "3/move", ("timeout",), 1, "timeout"),
        (0.9, "cpu:3/move", ("timeout",), 1, "timeout"),  # a clock in CPU time does not run while others do
        (0.9, "none", ("rules",), 1, "rules"),
    ],
)
def test_a_time_loss_on_a_busy_machine_is_played_again_once(
    share: float, clock: str, reasons: tuple[str, ...], games: int, counts: str
) -> None:
    pool = ScriptedPool(*reasons)
    gauge = PressureGauge(read=lambda: share)
    (result,) = played(pool, gauge, clock)
    assert (result.reason, pool.played) == (counts, games)
    assert gauge.measured.again == result.replays == games - 1
    other = "other moves were made" in result.fault
    assert other == (counts == "timeout" and ":" in reasons[0]) == ("other moves were made" in result.record)


def test_a_program_that_is_slow_by_itself_is_believed_after_two_games() -> None:
    gauge = PressureGauge(read=lambda: 0.9)
    asked = [gauge.play_again(key, 0.0, "ann") for key in ("a", "a", "b", "b", "c", "d")]
    assert asked == [True, False, True, False, False, False]
    assert gauge.play_again("e", 0.0, "bob"), "others still get theirs"
    assert not gauge.play_again("f", 0.0, None)


def test_what_was_measured_is_kept_and_told(tmp_path: Path) -> None:
    kept = tmp_path / "pressure.json"
    gauge = PressureGauge(kept, read=lambda: 0.8)
    played(ScriptedPool("timeout", "rules"), gauge)
    gauge.save()
    again = PressureGauge(kept, read=lambda: 0.0)
    played(ScriptedPool("rules"), again)
    assert again.measured.games == 3 and again.measured.busy == 2
    said = str(again.measured.message)
    assert "busy at the end of 2 of 3 games: programs waited for a core up to 80% of the time" in said
    assert "1 games lost by time were played again" in said and "0.8 seconds" in said
    assert PressureGauge(tmp_path / "none").measured.message is None
    kept.write_text("{}{")
    assert PressureGauge(kept).measured.games == 0


def test_the_pressure_is_read_where_linux_tells_it_or_from_the_load(tmp_path: Path) -> None:
    file = tmp_path / "cpu"
    file.write_text("some avg10=61.50 avg60=1.00 avg300=0.00 total=1\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=0\n")
    assert cpu_pressure(file) == pytest.approx(0.615)
    for text in ("", "none\n", "some avg10=x\n"):
        file.write_text(text)
        assert 0 <= cpu_pressure(file) < 1
    assert 0 <= cpu_pressure(tmp_path / "none") < 1
    assert 0 < BUSY < 1
