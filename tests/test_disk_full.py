"""A full disk: one sentence, nothing of what was stored is lost, and the same command goes on when there is room."""

from __future__ import annotations

import contextlib
import json
import random
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from bots import cave_bot
from patience import until
from small_disk import SmallDisk, says_full
from web import begin, running_server

import ludus
from ludus.store import Ledger
from ludus.store.backup import back_up

ROOM = 64 * 1024
"""kB: enough for everything."""
MATCH = ["match", "magnetic-cave", "greedy", "random:seed=1", "--jobs", "1", "--ledger", "m.db"]
TOURNAMENT = """
name = "cup"
game = "magnetic-cave"
pairs = 12
[entries]
a = "greedy"
b = "random:seed=1"
c = "random:seed=2"
d = "random:seed=3"
"""
COURSE = """
game = "cantris"
clock = "cpu:9/move"
[options]
rows = 4
cols = 3
[submission]
protocols = ["python"]
[rubric.runs]
kind = "builds-and-finishes"
points = 30
opponent = "random:seed=1"
games = 2
[tournaments.all]
format = "round-robin"
games = 2
[rubric.rate]
kind = "win-rate"
points = 10
tournament = "all"
"""
STUDENT = "def choose(state, clock):\n    return {}(state.legal_moves)\n"


@pytest.fixture
def disk(tmp_path: Path) -> Iterator[SmallDisk]:
    with SmallDisk(tmp_path / "small", ROOM) as made:
        yield made


def stored(disk: SmallDisk, where: str) -> dict[Any, Any]:
    """Return the games of a ledger on a disk, copied away so that looking changes nothing."""
    away = disk.place.parent / "copy"
    shutil.rmtree(away, ignore_errors=True)
    away.mkdir()
    name = Path(where)
    for file in (disk.seen / name.parent).glob(f"{name.name}*"):
        shutil.copy(file, away)
    with contextlib.closing(Ledger(away / name.name)) as ledger:
        games = ledger.games(1)
    assert len({game.key for game in games}) == len(games)
    return {game.key: (game.id, game.winner, game.record) for game in games}


def test_a_match_says_it_and_goes_on_from_its_ledger(disk: SmallDisk) -> None:
    disk.fill(left=500)
    said = says_full(disk.run(*MATCH, "--games", "300"))
    assert said.endswith("games are stored in m.db: make room, then run the same command again")
    before = stored(disk, "m.db")
    assert f" {len(before)} games are stored" in said
    assert 0 < len(before) < 300
    disk.resize(ROOM)
    done = disk.run(*MATCH, "--games", "300", "--json")
    assert json.loads(done.stdout)["games"] == 300, done
    after = stored(disk, "m.db")
    assert len(after) == 300
    assert before.items() <= after.items()


def test_a_tournament_says_it_and_resumes(disk: SmallDisk) -> None:
    (disk.seen / "t.toml").write_text(TOURNAMENT)
    play = ["tournament", "t.toml", "--out", "out", "--jobs", "2", "--force"]
    disk.fill(left=400)
    said = says_full(disk.run(*play))
    assert said.startswith("ludus: t.db: ")
    assert said.endswith("games are stored: make room, then run the same command with --resume")
    before = stored(disk, "t.db")
    disk.fill(left=60)
    says_full(disk.run(*play, "--resume"))
    disk.resize(ROOM)
    done = disk.run(*play, "--resume")
    assert done.returncode == 0, done
    after = stored(disk, "t.db")
    assert len(after) == 6 * 24
    assert before.items() <= after.items()
    assert len(list((disk.seen / "out" / "records").iterdir())) == 6 * 24
    assert not list((disk.seen / "out").rglob("*.part")), "nothing half written is left"


def test_results_are_printed_even_if_their_files_cannot_be_written(disk: SmallDisk) -> None:
    disk.fill(left=100)
    done = disk.run(*MATCH[:-2], "--games", "20", "--out", "out")
    assert "make room, then run the same command again, with --ledger FILE" in says_full(done)
    assert "20 games: 20 won" in done.stdout
    assert not list(disk.seen.rglob("*.part"))


def test_a_build_that_has_no_room_is_not_the_bots_fault(disk: SmallDisk, tmp_path: Path) -> None:
    bot = Path(cave_bot(tmp_path))
    cache = disk.place / "cache"
    play: list[str | Path] = ["match", "magnetic-cave", bot, "random:seed=1", "--games", "2", "--jobs", "1"]
    disk.fill()
    said = says_full(disk.run(*play, LUDUS_CACHE=str(cache)))
    assert str(cache) in said
    disk.resize(ROOM)
    done = disk.run(*play, "--json", LUDUS_CACHE=str(cache))
    assert json.loads(done.stdout)["forfeits"] == {}


def test_a_course_is_graded_in_the_end_and_nobody_loses_a_point(disk: SmallDisk) -> None:
    """Each time a little more fits: bots, builds, the ledger, checks, files, PDF. No failure is a student's."""
    (disk.seen / "course.toml").write_text(COURSE)
    (disk.seen / "handed").mkdir()
    for id_, choice in (("106001", "min"), ("106002", "max")):
        (disk.seen / "handed" / f"{id_}.py").write_text(STUDENT.format(choice))
    grade = ["course", "grade", "course.toml", "handed", "--out", "out", "--jobs", "1"]
    places, games = set(), 0
    for left in (24, 400, 2400, 240):
        disk.fill(left=left)
        done = disk.run(*grade, LUDUS_CACHE=str(disk.place / "cache"), TMPDIR=str(disk.place))
        if done.returncode == 0:
            break
        assert "Traceback" not in done.stderr
        said = done.stderr.splitlines()[-1]
        assert said.startswith("ludus: ")
        assert said.endswith("make room, then run the same command again")
        places.add(said.removeprefix("ludus: ").partition(":")[0].replace(f"{disk.place}/", "").partition("/")[0])
        if (disk.seen / "out" / "ledger.db").exists():
            now = len(stored(disk, "out/ledger.db"))
            assert now >= games
            games = now
    assert len(places) > 1, places
    disk.resize(ROOM)
    done = disk.run(*grade, LUDUS_CACHE=str(disk.place / "cache"), TMPDIR=str(disk.place))
    assert done.returncode == 0, done
    graded = json.loads((disk.seen / "out" / "grades.json").read_text())
    assert [(one["id"], one["rules"][0]["points"], one["trouble"]) for one in graded["students"]] in (
        [("106001", 30, ""), ("106002", 30, "")],
        [("106002", 30, ""), ("106001", 30, "")],
    )
    assert (disk.seen / "out" / "course.pdf").exists()
    left_over = [path for path in disk.seen.rglob("*") if path.name.startswith((".", "making-", "removing-"))]
    assert not left_over


@pytest.mark.parametrize("where", ["out", "scratch"])
def test_a_report_is_whole_or_not_there(disk: SmallDisk, tmp_path: Path, where: str) -> None:
    record = tmp_path / "game.txt"
    ludus.play_match(ludus.game("cantris"), ("greedy", "random:seed=1")).save(record)
    pdf = "report.pdf" if where == "out" else str(tmp_path / "report.pdf")
    environment = {} if where == "out" else {"TMPDIR": str(disk.place)}
    disk.fill(left=8)
    makes: list[str | Path] = ["report", "game", record, "--out", pdf, "--nodes", "100"]
    done = disk.run(*makes, **environment)
    assert done.returncode == 2
    assert done.stderr.splitlines()[-1].endswith("make room, then run the same command again")
    assert "Traceback" not in done.stderr
    assert not list(disk.seen.iterdir()), "no half of a file, and no scratch folder"
    disk.resize(ROOM)
    assert disk.run(*makes, **environment).returncode == 0
    assert (disk.seen if where == "out" else tmp_path).joinpath("report.pdf").read_bytes().startswith(b"%PDF")


def test_a_backup_is_whole_or_not_there(disk: SmallDisk, tmp_path: Path) -> None:
    database, files = tmp_path / "arena.db", tmp_path / "arena.files"
    Ledger(database).close()
    database.chmod(0o600)
    files.mkdir(0o700)
    (files / "large").write_bytes(random.Random(1).randbytes(1_000_000))
    disk.fill(left=12)
    makes: list[str | Path] = ["backup", "out.zip", "--database", database, "--files", files]
    assert "out.zip: no space is left" in says_full(disk.run(*makes))
    assert not list(disk.seen.iterdir())
    disk.resize(ROOM)
    assert disk.run(*makes).returncode == 0
    back_up(database, files, tmp_path / "here.zip")
    disk.fill(left=800)
    restores: list[str | Path] = ["restore", tmp_path / "here.zip", "--database", "new.db", "--files", "new.files"]
    refused = disk.run(*restores)
    assert refused.returncode == 2
    assert "MB are needed, but only 0 MB are free" in refused.stderr
    assert refused.stderr.count("\n") == 1
    assert not [path for path in disk.seen.iterdir() if path.name.startswith(".restoring")]


def test_output_that_cannot_be_written_is_one_sentence() -> None:
    with Path("/dev/full").open("w") as full:
        command = [sys.executable, "-m", "ludus", "perft", "cantris", "2"]
        done = subprocess.run(command, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    says_full(done)


def test_a_server_says_it_and_goes_on(disk: SmallDisk, tmp_path: Path) -> None:
    serve = ["-m", "ludus", "serve", "--port", "0", "--workers", "2", "--database", "a.db"]
    disk.fill()
    refused = subprocess.run(
        disk.command(sys.executable, *serve), capture_output=True, text=True, timeout=60, check=False
    )
    says_full(refused)
    disk.resize(ROOM)
    log = tmp_path / "log"
    with running_server(serve, log, disk.command) as server, server.client() as client:
        playing = begin(client, "cantris", "human", "greedy", seed=1)
        move = playing["position"]["legal"][0]["move"]
        disk.fill()
        refusals = []

        def is_full() -> bool:
            refusals.append(client.post("/api/matches", json={"game": "cantris", "seats": ["human", "greedy"]}))
            return refusals[-1].status_code == httpx.codes.SERVICE_UNAVAILABLE

        until(is_full)
        assert refusals[-1].json()["message"]["code"] == "web.no_space"
        path = f"/api/matches/{playing['id']}"
        refused_move = client.post(f"{path}/moves", json={"move": move, "ply": 0})
        assert refused_move.status_code == httpx.codes.SERVICE_UNAVAILABLE
        assert "plies" not in client.get(path).json(), "what could not be stored is not shown"
        assert client.get("/healthz").text == "ok\n"
        disk.resize(ROOM)
        assert client.post(f"{path}/moves", json={"move": move, "ply": 0}).status_code == httpx.codes.OK
        until(lambda: len(client.get(path).json()["plies"]) > 1)
    written = log.read_text()
    assert "Traceback" not in written
    assert "no space is left" in written
