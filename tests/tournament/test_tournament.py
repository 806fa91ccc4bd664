"""Tournaments: nothing is lost and nothing counted twice, whatever is killed; the same games with any pool and any
database; and what a person can undo, withdraw and play again.
"""

from __future__ import annotations

import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from bots import cave_bot, cave_task, processes_with
from patience import PATIENCE, until
from postgres import new_database

import ludus
from ludus.cli import main
from ludus.formats import formats
from ludus.game_task import Task, perform
from ludus.play.match import Match, proven_outcome
from ludus.play.openings import opening
from ludus.play.player import Player
from ludus.play.record import Record
from ludus.players import version_of
from ludus.sandbox import launch
from ludus.search.teaching import SearchResult
from ludus.store import Ledger
from ludus.tournament import Plan, Progress, run
from ludus.tournament.files import EXAMPLE, read_plan
from ludus.tournament.pools import LocalPool, ThisProcess, local, open_pool

MATCH = ["match", "magnetic-cave", "greedy", "random:seed=1", "--jobs", "1"]
PLAYERS = {"Ann": "random:seed=1", "Bö": "greedy", "陳": "random:seed=2", "Dot": "random:seed=3"}


def plan(**changes: Any) -> Plan:
    settings: dict[str, Any] = {"name": "test", "game": "magnetic-cave", "entries": PLAYERS, "pairs": 2, "seed": 5}
    return Plan(**{**settings, **changes})


def essence(progress: Progress) -> dict[Any, Any]:
    """Return what must be the same however the games were played: who met whom, where, and what came of it."""
    return {
        key: (*row.entries, row.winner, row.reason, row.margin, row.moves, row.versions, row.seed)
        for key, row in progress.results.items()
    }


def play(settled: Plan, where: Path | str = "sqlite://", pool: Any = None) -> Progress:
    progress = Progress(settled, Ledger(where))
    run(progress, pool or ThisProcess())
    return progress


@pytest.fixture(scope="module")
def undisturbed() -> dict[Any, Any]:
    return essence(play(plan()))


def test_a_tournament_plays_every_game_once(undisturbed: dict[Any, Any]) -> None:
    assert len(undisturbed) == 6 * 2 * 2
    boards: dict[tuple[str, int], set[tuple[int, str, str]]] = {}
    for (pairing, board, seats), (first, second, *_rest) in undisturbed.items():
        boards.setdefault((pairing, board), set()).add((seats, first, second))
    for games in boards.values():
        (_, first, second), (_, other_first, other_second) = sorted(games)
        assert (first, second) == (other_second, other_first)


def test_a_pool_of_processes_plays_the_same_games(undisturbed: dict[Any, Any]) -> None:
    pool = LocalPool(2)
    try:
        assert essence(play(plan(), pool=pool)) == undisturbed
    finally:
        pool.close()


def test_whoever_looks_on_is_told_of_games_that_take_longer_than_a_moment() -> None:
    told: list[tuple[Task, ludus.Record]] = []
    watched = local(1, watcher=lambda task, record: told.append((task, ludus.Record.parse(record))))
    slow = plan(entries={"Slow": "engine:seconds=0.1", "Quick": "greedy"}, pairs=1)
    with contextlib.closing(watched) as pool:
        quick_games = play(plan(), pool=pool).results
        assert {task.key for task, _ in told} < set(quick_games), "most of these end at once"
        told.clear()
        rows = play(slow, pool=pool).results
    assert {task.key for task, _ in told} == set(rows)
    for task, record in told:
        final = ludus.Record.parse(rows[task.key].record)
        assert record.outcome is None
        assert record.players == final.players
        assert record.moves == final.moves[: len(record.moves)]
    counts = [len(record.moves) for task, record in told if task == told[0][0]]
    assert counts == sorted(set(counts)), "nothing is told twice"


@pytest.mark.parametrize("name", formats())
def test_every_format_comes_to_its_end(name: str) -> None:
    progress = play(plan(format=name, pairs=1, game="chain-reaction", options={"rows": 3, "cols": 3}))
    assert progress.schedule.finished
    assert len(progress.schedule.standings().rows) == len(PLAYERS)
    again = Progress(progress.plan, progress.ledger)
    assert again.done
    ranks, ranks_again = (
        [(row.rank, row.entry, row.values, row.decided_by) for row in one.schedule.standings().rows]
        for one in (progress, again)
    )
    assert ranks == ranks_again


def test_what_is_in_the_ledger_is_not_played_again(tmp_path: Path, undisturbed: dict[Any, Any]) -> None:
    ledger = tmp_path / "a.db"
    seen = []

    def stop(progress: Progress) -> bool:
        seen.append(len(progress.results))
        return len(progress.results) >= 7

    progress = Progress(plan(), Ledger(ledger))
    run(progress, ThisProcess(), until=stop)
    assert len(progress.results) == 7
    again = Progress(plan(), Ledger(ledger))
    assert (len(again.results), again.left) == (7, len(undisturbed) - 7)
    run(again, ThisProcess())
    assert essence(again) == undisturbed
    assert len({row.id for row in again.ledger.games(again.number)}) == len(undisturbed)


def test_a_result_goes_in_once() -> None:
    progress = play(plan(pairs=1))
    row = next(iter(progress.results.values()))
    before = len(progress.ledger.games(progress.number))
    progress.ledger.add(progress.number, [replace(row, winner=1 - (row.winner or 0), reason="crash")])
    rows = progress.ledger.games(progress.number)
    assert len(rows) == before
    assert all(found.reason == "rules" for found in rows)


def test_many_may_open_a_new_ledger_at_once(tmp_path: Path) -> None:
    script = f"from ludus.store import Ledger; print('game' in Ledger({str(tmp_path / 'a.db')!r}).tables)"
    programs = [subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True) for _ in range(6)]
    assert [program.communicate(timeout=PATIENCE)[0] for program in programs] == ["True\n"] * 6


def test_a_tournament_cannot_change_its_terms(tmp_path: Path) -> None:
    play(plan(pairs=1), tmp_path / "a.db")
    with pytest.raises(ValueError, match=r"tournament test started with clock = 'none', but now it is '1/move'"):
        Progress(plan(pairs=1, clock="1/move"), Ledger(tmp_path / "a.db"))


KILLED = """
import sys
from ludus.tournament.files import read_plan
from ludus.store import Ledger
from ludus.tournament import Progress, run
from ludus.tournament.pools import LocalPool
if __name__ == "__main__":
    plan, where = read_plan(sys.argv[1])
    progress = Progress(plan, Ledger(where))
    pool = LocalPool(2)
    run(progress, pool)
    pool.close()
    print("done", flush=True)
"""


def descendants(root: int) -> list[int]:
    parents = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            try:
                parents[int(entry.name)] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
            except OSError:
                continue
    found, more = {root}, {root}
    while more:
        more = {pid for pid, parent in parents.items() if parent in more} - found
        found |= more
    return sorted(found - {root})


def test_a_script_that_each_worker_would_run_again_is_told_so(tmp_path: Path) -> None:
    config = tmp_path / "t.toml"
    config.write_text('game = "cantris"\n[entries]\ngreedy = "greedy"\nrandom = "random:seed=1"\n')
    script = tmp_path / "run.py"
    script.write_text(KILLED.replace('if __name__ == "__main__":', "if True:"))
    command = [sys.executable, str(script), str(config)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE, check=False)
    assert "UserError: 5 worker processes ended before they started" in done.stderr
    assert '`if __name__ == "__main__":`' in done.stderr


def test_whatever_is_killed_the_games_are_the_same(tmp_path: Path) -> None:
    """Kills the runner, a worker, a bot or its sandbox at random moments, and goes on, until all is played."""
    cave_bot(tmp_path, "time.sleep(0.004)", "slow.py")
    config = tmp_path / "t.toml"
    config.write_text(
        'game = "magnetic-cave"\npairs = 2\nseed = 5\n[entries]\nbot = "slow.py"\ngreedy = "greedy"\n'
        'one = "random:seed=1"\ntwo = "random:seed=2"\n'
    )
    settled, where = read_plan(config)
    script = tmp_path / "run.py"
    script.write_text(KILLED)
    chooser, runners = random.Random(7), 0
    while runners < 40:
        runners += 1
        with subprocess.Popen([sys.executable, str(script), str(config)], stdout=subprocess.PIPE, text=True) as runner:
            if runners == 1:  # both kinds of death at least once, however fast the machine is
                until(lambda: bool(descendants(runner.pid)))
                _kill(descendants(runner.pid)[-1])
                _kill(runner.pid)
                assert runner.wait(PATIENCE) == -signal.SIGKILL, "it was done before it could be killed"
            for _ in range(chooser.randint(1, 4)):
                try:
                    runner.wait(chooser.uniform(0.3, 1.2))
                except subprocess.TimeoutExpired:
                    below = descendants(runner.pid)
                    if below and chooser.random() < 0.7:
                        _kill(chooser.choice(below))
            if runner.poll() is None and runners < 5:
                _kill(runner.pid)
            said, _ = runner.communicate(timeout=PATIENCE)
        if said.strip() == "done":
            break
    assert said.strip() == "done"
    assert runners > 1
    disturbed = Progress(settled, Ledger(where))
    assert disturbed.done
    expected = play(Plan(**{**settled.__dict__, "name": "again"}))
    assert essence(disturbed) == essence(expected)


def test_a_bot_that_is_killed_from_outside_plays_again(tmp_path: Path) -> None:
    task = cave_task(cave_bot(tmp_path, "time.sleep(0.02)", "victim.py"))
    expected = perform(task)
    until(lambda: not processes_with("python3\0victim.py"))  # the one of that game is gone
    killed: list[int] = []

    def kill_once() -> None:
        until(lambda: bool(processes_with("python3\0victim.py")))
        killed.extend(processes_with("python3\0victim.py"))
        _kill(killed[-1])

    killer = threading.Thread(target=kill_once)
    killer.start()
    row = perform(task)
    killer.join()
    assert killed
    assert row.replays == 1
    assert (row.winner, row.reason, row.moves) == (expected.winner, expected.reason, expected.moves)


@pytest.mark.parametrize("times", [1, 2])
def test_a_build_that_is_killed_from_outside_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, times: int
) -> None:
    monkeypatch.setenv("LUDUS_CACHE", str(tmp_path / "cache"))
    spawn, killed = launch.spawn, list[Any]()

    def spawn_and_kill(*given: Any, **more: Any) -> Any:
        child = spawn(*given, **more)
        if len(killed) < times:
            child.kill()
            killed.append(child)
        return child

    monkeypatch.setattr(launch, "spawn", spawn_and_kill)
    row = perform(cave_task(cave_bot(tmp_path)))
    assert (row.reason, row.replays) == ("rules", times)


def test_a_bot_that_kills_itself_has_crashed(tmp_path: Path) -> None:
    row = perform(cave_task(cave_bot(tmp_path, "os.kill(os.getpid(), 9)", "suicidal.py")))
    assert (row.reason, row.winner, row.replays) == ("crash", 1, 2)


@pytest.mark.parametrize("dying", ["os.kill(os.getpid(), 9)", "sys.exit(137)"])
def test_a_bot_that_kills_itself_for_another_try_gets_none(tmp_path: Path, dying: str) -> None:
    trouble = f"""
        import random
        if turn == 8: {dying}
        move = random.choice(list(legal()))
        print(move, file=sys.stderr, flush=True)
        answer(move)
        continue
    """
    task = cave_task(cave_bot(tmp_path, trouble, "gambler.py"))
    row = perform(task._replace(options={"line": 8}))  # a line of five would now and then end the game before
    assert (row.reason, row.winner, row.replays, row.moves) == ("crash", 1, 1, 14)
    assert row.fault.endswith("SIGKILL before it answered; when the game was played again, other moves were made")
    assert row.logs[0].split() == [played.move for played in Record.parse(row.record).moves[::2]]


def test_a_replay_that_is_killed_even_earlier_is_played_again(tmp_path: Path) -> None:
    """Whoever kills a bot chooses when: fewer moves are no other moves."""
    task = cave_task(cave_bot(tmp_path, name="often.py"))
    expected = perform(task)
    killed_after = [8, 2]

    def kill(match: Match) -> None:
        if killed_after and len(match.moves) == killed_after[0]:
            del killed_after[0]
            _kill(processes_with("python3\0often.py")[-1])

    row = perform(task, on_move=kill)
    assert row.replays == 2
    assert (row.winner, row.reason, row.moves) == (expected.winner, expected.reason, expected.moves)


def _kill(pid: int) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)


def test_a_database_connection_that_is_lost_is_made_again(undisturbed: dict[Any, Any]) -> None:
    """On a real server, whose connections are cut while games go on."""
    import psycopg  # noqa: PLC0415 - only here

    url = new_database()
    progress = Progress(plan(), Ledger(url))
    cut = 0

    def seen(_progress: Progress) -> None:
        nonlocal cut
        with psycopg.connect(url) as other:
            query = "select count(pg_terminate_backend(pid)) from pg_stat_activity where pid <> pg_backend_pid() "
            row = other.execute(query + "and datname = current_database()").fetchone()
            cut += row[0] if row else 0

    run(progress, ThisProcess(), seen)
    assert cut > 0
    assert essence(progress) == undisturbed
    assert len(progress.ledger.games(progress.number)) == len(undisturbed)
    again = Progress(plan(), Ledger(url))
    assert again.done
    again.ledger.close()
    progress.ledger.close()


SCHEDULER = "from distributed.cli.dask_scheduler import main; main()"
WORKER = "from distributed.cli.dask_worker import main; main()"


def test_a_cluster_plays_the_same_games_though_a_worker_dies(tmp_path: Path) -> None:
    """A real scheduler and two workers, one of which is killed in the middle; bots are sent by content."""
    bot = cave_bot(tmp_path, "time.sleep(0.001)", "sent.py")
    settled = plan(entries={**PLAYERS, "bot": bot}, pairs=1)
    expected = essence(play(settled))
    address_file = tmp_path / "scheduler.json"
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    place = ["--host", "127.0.0.1", "--no-dashboard", "--scheduler-file", str(address_file)]
    processes = [subprocess.Popen([sys.executable, "-c", SCHEDULER, *place, "--port", "0"], **quiet)]  # type: ignore[call-overload]
    try:
        until(address_file.exists)
        pool: Any = open_pool(json.loads(address_file.read_text())["address"])
        assert str(pool.missing).startswith("No worker has joined the cluster")
        worker = [sys.executable, "-c", WORKER, "--scheduler-file", str(address_file), "--nthreads", "1", "--no-nanny"]
        processes += [subprocess.Popen([*worker, "--no-dashboard"], cwd=tmp_path, **quiet) for _ in range(2)]  # type: ignore[call-overload]
        until(lambda: pool.missing is None and pool.size == 2)
        progress = Progress(settled, Ledger("sqlite://"))

        def seen(now: Progress) -> None:
            if len(now.results) >= 3:
                processes[1].kill()

        run(progress, pool, seen)
        assert processes[1].wait(PATIENCE) != 0
        assert essence(progress) == expected
        pool.close()
    finally:
        for process in reversed(processes):
            process.kill()
            process.wait()


def test_a_dead_scheduler_is_survived_by_resume(tmp_path: Path, undisturbed: dict[Any, Any]) -> None:
    progress = Progress(plan(), Ledger(tmp_path / "a.db"))
    pool: Any = open_pool("local:1")

    def seen(now: Progress) -> None:
        if len(now.results) >= 4:
            pool.cluster.close()

    with pytest.raises(ValueError, match=r"continue with --resume"):
        run(progress, pool, seen)
    again = play(plan(), tmp_path / "a.db")
    assert essence(again) == undisturbed


@pytest.mark.parametrize("clock", ["none", "60/move", "cpu:60"])
@pytest.mark.parametrize("untimed", [True, False])
def test_a_bot_without_a_clock_is_told_its_game_and_keeps_log_and_version(
    tmp_path: Path, clock: str, *, untimed: bool
) -> None:
    """The same as with one, whether nobody has a clock or only this bot has none."""
    bot = cave_bot(tmp_path, "if turn == 1: print(side, len(board), board[0], file=sys.stderr)")
    start = "o......./......../......../......../......../......../......../x....... 1"
    row = perform(cave_task(bot, clock)._replace(start=start, untimed=(untimed, False)))
    assert row.reason == "rules"
    assert row.logs[0] == f"first 8 {[*'o.......']}\n"
    assert row.versions == (version_of(bot), "random:seed=1")
    assert ludus.Record.parse(row.record).clock == clock


def test_undo_needs_a_reason_and_leaves_a_trace() -> None:
    progress = play(plan(pairs=1))
    game = next(iter(progress.ledger.games(progress.number)))
    with pytest.raises(ValueError, match="needs a reason; give it with --reason"):
        progress.ledger.undo(progress.number, [game.id or 0], " ")
    assert progress.ledger.undo(progress.number, [game.id or 0], "the wrong bot was sent") == 1
    (log,) = progress.ledger.log(progress.number)
    assert (log.kind, log.reason, log.detail["record"]) == ("undo", "the wrong bot was sent", game.record)
    again = Progress(progress.plan, progress.ledger)
    assert again.left == 1


def test_an_undone_result_takes_later_pairings_along() -> None:
    """In a knockout, another winner meets the next opponent; what the loser had played there is taken back."""
    settled = plan(format="knockout", pairs=1, entries={**PLAYERS, "Eve": "random:seed=9"})
    progress = play(settled)
    ledger, number = progress.ledger, progress.number
    games = [row for row in ledger.games(number) if row.pairing == "R1.2"]
    assert {row.entries[row.winner or 0] for row in games} == {"Dot"}, "who wins, to lose it"
    untouched = {row.id for row in ledger.games(number) if row.pairing == "R2.2"}
    ledger.undo(number, [row.id or 0 for row in games], "to be turned round")
    ledger.add(number, [replace(row, winner=1 - (row.winner or 0)) for row in games])
    again = Progress(settled, ledger)
    run(again, ThisProcess())
    assert again.done
    rows = ledger.games(number)
    assert {row.pairing for row in rows if "Dot" in row.entries} == {"R1.2"}
    assert {row.entries for row in rows if row.pairing == "R2.1"} == {("Ann", "Eve"), ("Eve", "Ann")}
    assert {row.id for row in rows if row.pairing == "R2.2"} == untouched


def test_withdrawing_by_command(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("t.toml").write_text(
        'game = "cantris"\n[options]\nrows = 6\ncols = 3\n'
        '[entries]\na = "random:seed=1"\nb = "greedy"\nc = "random:seed=2"\n'
    )
    assert main(["tournament", "t.toml", "--jobs", "1"]) == 0
    assert "1.  b" in capsys.readouterr().out
    assert main(["tournament", "t.toml"]) == 2
    assert "t has already started: 6 games are in t.db; use --resume to continue" in capsys.readouterr().err
    assert main(["tournament", "t.toml", "--withdraw", "b"]) == 2
    assert "needs a reason; give it with --reason" in capsys.readouterr().err
    withdrawn = ["--withdraw", "b", "--reason", "left the course"]
    assert main(["tournament", "t.toml", *withdrawn, "--resume", "--jobs", "1"]) == 0
    assert "b (withdrawn)" in capsys.readouterr().out


def test_only_what_a_changed_submission_touches_is_played_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    cave_bot(tmp_path, name="mine.py")
    Path("t.toml").write_text(
        'game = "magnetic-cave"\n[entries]\nmine = "mine.py"\nb = "greedy"\nc = "random:seed=2"\n'
    )
    assert main(["tournament", "t.toml", "--jobs", "1"]) == 0
    rerun = ["tournament", "t.toml", "--rerun", "changed", "--resume", "--jobs", "1", "--reason"]
    assert main([*rerun, "new"]) == 0
    assert "The results of 0 games were undone" in capsys.readouterr().err
    cave_bot(tmp_path, "pass  # better", name="mine.py")
    assert main([*rerun, "a new version"]) == 0
    assert "The results of 4 games were undone: a new version" in capsys.readouterr().err
    _, where = read_plan("t.toml")
    versions = {row.versions[0] for row in Ledger(where).games(1) if row.first == "mine"}
    assert len(versions) == 1
    assert main(["tournament", "t.toml", "--rerun", "nobody", "--reason", "x"]) == 2
    assert "no game that was played, pairing or entry has this name" in capsys.readouterr().err


def test_the_example_is_a_tournament(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["tournament", "--example"]) == 0
    assert Path("tournament.toml").read_text() == EXAMPLE
    assert main(["tournament", "--example"]) == 2
    settled, where = read_plan("tournament.toml")
    assert (settled.name, settled.game, where) == ("spring", "magnetic-cave", "tournament.db")
    assert set(formats()) <= set(EXAMPLE.replace(",", " ").split())


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("game = ", "this is not valid TOML"),
        ('gmae = "cantris"', "there is no key 'gmae'; the keys are name, game"),
        ('game = "cantris"', "entries is missing; ludus tournament --example writes a complete example"),
        ('game = "cantris"\npairs = "2"\n[entries]\n', "pairs must be a whole number"),
        ('game = "chess"\n[entries]\na = "random"\nb = "random"', "there is no game 'chess'"),
        ('game = "cantris"\n[entries]\na = "random"\nb = "human"', "entry b: a person cannot take part"),
        ('game = "cantris"\n[entries]\na = "random"\nb = "nobody"', "there is no player 'nobody'"),
        ('game = "cantris"\n[entries]\na = "random"', "entries"),
        ('game = "cantris"\n[entries]\na = "random"\nb = 3', "an entry must be a name and a player"),
        (
            'game = "cantris"\n[format]\nname = "swis"\n[entries]\na = "random"\nb = "greedy"',
            "there is no format 'swis'",
        ),
        ('game = "cantris"\n[format]\nround = 3\n[entries]\na = "random"\nb = "greedy"', "no option 'round'"),
        ('game = "cantris"\nclock = "fast"\n[entries]\na = "random"\nb = "greedy"', "'fast' is not a clock"),
        ('game = "cantris"\npairs = 0\n[entries]\na = "random"\nb = "greedy"', "at least one pair"),
    ],
)
def test_a_wrong_file_is_one_sentence(tmp_path: Path, text: str, says: str) -> None:
    path = tmp_path / "t.toml"
    path.write_text(text)
    with pytest.raises(ValueError, match=r"^[^\n]+$") as caught:
        read_plan(path)
    assert says in str(caught.value)
    assert str(path) in str(caught.value)


def test_more_games_than_cores_are_refused_unless_forced() -> None:
    cores = len(os.sched_getaffinity(0))
    with pytest.raises(ValueError, match=f"use at most {cores}, or --force"):
        local(cores + 1)
    pool = local(cores + 1, force=True)
    assert pool.size == cores + 1
    pool.close()


def test_openings_differ_and_are_the_same_everywhere(name: str) -> None:
    game = ludus.game(name)
    starts = [opening(game, number) for number in range(40)]
    assert len({start.text for start in starts}) > 30
    assert all(start.outcome is None for start in starts)
    assert starts == [opening(game, number) for number in range(40)]


def test_a_suite_of_openings_is_played(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    game, suite = ludus.game("magnetic-cave"), tmp_path / "suite.txt"
    texts = [opening(game, number, 6).text for number in range(2)]
    suite.write_text(f"# two of them\n{texts[0]}  # the first\n\n{texts[1]}\n")
    ledger = str(tmp_path / "m.db")
    command = [*MATCH, "--games", "6", "--ledger", ledger]
    assert main([*command, "--openings", str(suite)]) == 0
    starts = [ludus.Record.parse(row.record).start.text for row in Ledger(ledger).games(1)]
    assert sorted(starts) == sorted([texts[0]] * 4 + [texts[1]] * 2)
    capsys.readouterr()
    suite.write_text(f"{texts[0]}\nrubbish\n")
    assert main([*command, "--openings", str(suite)]) == 2
    assert "suite.txt, line 2" in capsys.readouterr().err


def test_ctrl_c_ends_cleanly_and_says_how_to_go_on(tmp_path: Path) -> None:
    """Standings are printed, workers are gone, and what was played is in the ledger."""
    command = ["match", "magnetic-cave", "greedy", "random", "--games", "100000", "--ledger", str(tmp_path / "m.db")]
    program = [sys.executable, "-m", "ludus", *command, "--out", str(tmp_path / "out")]
    with subprocess.Popen(program, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as running:
        until(lambda: (tmp_path / "m.db").exists() and bool(Ledger(tmp_path / "m.db").games(1)))
        running.send_signal(signal.SIGINT)
        out, err = running.communicate(timeout=PATIENCE)
    assert running.returncode == 130
    assert "of the points" in out
    assert "Run the same command to continue from" in err
    assert "Traceback" not in err
    assert (tmp_path / "out" / "index.html").exists()


def test_a_time_loss_during_a_stall_of_the_referee_is_played_again(monkeypatch: pytest.MonkeyPatch) -> None:
    calls: list[int] = []
    ask = Match.ask

    def stalling(self: Match, seat: Any) -> None:
        ask(self, seat)
        if not calls:
            calls.append(1)
            self.stalled = self.last_stall = 1.0
            self.forfeit(0, "timeout")

    monkeypatch.setattr(Match, "ask", stalling)
    row = perform(cave_task("random:seed=1", "9/move"))
    assert (row.reason, row.replays) == ("rules", 1)
    assert "Replayed" in row.record
    assert row.stalled >= 1.0


def test_both_players_must_have_proven_it() -> None:
    class Seat(Player):
        def __init__(self, value: float, exact: bool) -> None:
            self.last = SearchResult("A1", value, 0, 0.0, 1, exact)

    state = ludus.game("magnetic-cave").initial()
    assert proven_outcome([Seat(1, True), Seat(-1, True)], state) == ludus.Outcome(0, "adjudicated")
    assert proven_outcome([Seat(-1, True), Seat(1, True)], state) == ludus.Outcome(1, "adjudicated")
    assert proven_outcome([Seat(0, True), Seat(0, True)], state) == ludus.Outcome(None, "adjudicated")
    assert proven_outcome([Seat(1, True), Seat(-1, False)], state) is None
    assert proven_outcome([Seat(1, True), Seat(1, True)], state) is None


def test_adjudicated_games_end_as_played_ones(tmp_path: Path) -> None:
    game = ludus.game("chain-reaction", rows=3, cols=3)
    players = ("engine:depth=12", "engine:depth=12")
    short = ludus.play_match(game, players, adjudicate=True)
    whole = ludus.play_match(game, players)
    assert short.outcome is not None
    assert whole.outcome is not None
    assert (short.outcome.reason, short.outcome.winner) == ("adjudicated", whole.outcome.winner)
    assert len(short.moves) < len(whole.moves)
    short.save(tmp_path / "r.txt")
    assert ludus.Record.load(tmp_path / "r.txt").outcome == short.outcome


def test_match_by_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*MATCH, "--games", "10", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert {"games", "wins", "draws", "losses", "score", "elo", "elo_low", "elo_high", "forfeits"} <= said.keys()
    assert (said["games"], said["wins"], said["score"]) == (10, 10, 1.0)
    assert (said["elo"], said["elo_high"]) == (None, None)
    assert said["elo_low"] > 0
    assert main(["match", "cantris", "greedy", "random:seed=1", "--games", "4", "--jobs", "1"]) == 0
    assert "pairs by summed margin: 2 won" in capsys.readouterr().out


def test_a_match_that_tests_sequentially_stops_by_itself(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*MATCH, "--sprt", "0,100", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["sprt"]["decision"] == "accept H1"
    assert said["games"] < 200
    assert main(["match", "magnetic-cave", "greedy", "random", "--sprt", "5"]) == 2
    assert "--sprt must be LOW,HIGH" in capsys.readouterr().err


def test_a_match_goes_on_from_its_ledger(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ledger = str(tmp_path / "m.db")
    command = [*MATCH, "--games", "6", "--ledger", ledger, "--json"]
    assert main(command) == 0
    first = json.loads(capsys.readouterr().out)
    assert main(command) == 0
    assert json.loads(capsys.readouterr().out) == first
    assert len(Ledger(ledger).games(1)) == 6


def test_forfeits_are_counted_by_kind(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bot = cave_bot(tmp_path, "sys.exit(1)")
    assert main(["match", "magnetic-cave", bot, "random:seed=1", "--games", "2", "--jobs", "1", "--json"]) == 0
    said = json.loads(capsys.readouterr().out)
    assert said["forfeits"] == {"A": {"crash": 2}}
    assert said["losses"] == 2
