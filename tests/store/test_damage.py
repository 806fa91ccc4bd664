"""A damaged ledger: it is noticed before anything is played or shown, says what to do, and gives back what it can."""

from __future__ import annotations

import contextlib
import json
import shutil
import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest
import sqlalchemy as sa
from commands import one_sentence
from commands import run as ludus
from patience import until
from postgres import new_database

from ludus.errors import DamagedError, DiskFullError
from ludus.play.result import GameResult
from ludus.store import Ledger
from ludus.store.integrity import BackgroundCheck, check_structure
from ludus.store.salvage import salvage
from ludus.tournament import Plan, Progress, run
from ludus.tournament.pools import ThisProcess

PLAN = Plan(name="cup", game="cantris", entries={"a": "greedy", "b": "random:seed=1", "c": "random:seed=2"}, pairs=6)
TOML = 'name = "cup"\ngame = "cantris"\npairs = 6\n[entries]\na = "greedy"\nb = "random:seed=1"\nc = "random:seed=2"\n'
GAME = GameResult("R1.1", 0, 0, "a", "b", 0, "rules", record="x" * 3000, logs=("y" * 9000, ""))
PAGE = 4096


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a tournament's ledger, all of it in one file."""
    path = tmp_path_factory.mktemp("sound") / "cup.db"
    progress = Progress(PLAN, Ledger(path))
    run(progress, ThisProcess())
    progress.ledger.close()
    into_one_file(path)
    return path


@pytest.fixture
def ledger(sound: Path, tmp_path: Path) -> Path:
    (tmp_path / "cup.toml").write_text(TOML)
    return Path(shutil.copy(sound, tmp_path / "cup.db"))


def into_one_file(path: Path) -> None:
    with contextlib.closing(sqlite3.connect(path)) as database:
        database.execute("PRAGMA journal_mode=DELETE")


def pages_of(path: Path, table: str) -> list[int]:
    """Return the pages of a table's rows, those that are neither its root nor inside its tree."""
    with contextlib.closing(sqlite3.connect(path)) as database:
        try:
            found = database.execute(
                "SELECT pageno FROM dbstat WHERE name = ? AND pagetype = 'leaf' ORDER BY pageno", (table,)
            )
            return [page for (page,) in found]
        except sqlite3.OperationalError:  # built without it: pages whose first byte says that they are leaves
            data = path.read_bytes()
            return [page for page in range(2, len(data) // PAGE + 1) if data[(page - 1) * PAGE] == 13]


def overwrite(path: Path, at: int, data: bytes) -> None:
    with path.open("r+b") as stream:
        stream.seek(at)
        stream.write(data)


def test_a_damaged_page_is_noticed_at_opening(ledger: Path) -> None:
    overwrite(ledger, (pages_of(ledger, "game")[3] - 1) * PAGE, b"\xff" * PAGE)
    with pytest.raises(DamagedError, match=r"is damaged \(.+\); restore it from a backup, or keep what can be read"):
        Ledger(ledger)
    for command in (["tournament", "cup.toml", "--resume"], ["report", "tournament", "cup.db", "--out", "x.pdf"]):
        said = one_sentence(ludus(*command, where=ledger.parent))
        assert "cup.db is damaged" in said
        assert "ludus salvage cup.db" in said


@pytest.mark.parametrize("change", [b"X", b"\xff"])
def test_a_changed_letter_is_noticed_when_it_is_read(ledger: Path, change: bytes) -> None:
    """No check of SQLite's sees it: the structure is sound."""
    overwrite(ledger, ledger.read_bytes().index(b'[Game "cantris"]') + 2, change)
    check_structure(sa.make_url(f"sqlite:///{ledger}"))
    with contextlib.closing(Ledger(ledger)) as opened, pytest.raises(DamagedError, match="ludus salvage"):
        opened.games(1)
    assert "is damaged" in one_sentence(ludus("tournament", "cup.toml", "--resume", where=ledger.parent))


def test_a_setting_that_is_not_json_any_more_is_damage(ledger: Path) -> None:
    overwrite(ledger, ledger.read_bytes().index(b'"opening_plies"'), b"!")
    with contextlib.closing(Ledger(ledger)) as opened, pytest.raises(DamagedError, match="is damaged"):
        opened.find("cup")


def test_what_is_no_database_says_so(tmp_path: Path) -> None:
    (tmp_path / "cup.toml").write_text(TOML)
    (tmp_path / "cup.db").write_bytes(b"something else" * 1000)
    said = one_sentence(ludus("tournament", "cup.toml", where=tmp_path))
    assert "cup.db is not a database, or its beginning is damaged" in said


def test_the_whole_is_checked_while_games_are_played(ledger: Path) -> None:
    """A key of an index that is not the table's is no fault of the structure: only the thorough check finds it."""
    with contextlib.closing(Ledger(ledger)) as opened:
        pairing = opened.games(1)[-1].pairing.encode()
    into_one_file(ledger)
    data = ledger.read_bytes()
    starts = range(0, len(data), PAGE)
    at = next(data.index(pairing, start) for start in starts if data[start] == 10 and pairing in data[start:][:PAGE])
    overwrite(ledger, at, b"\x7f")
    check_structure(sa.make_url(f"sqlite:///{ledger}"))
    with contextlib.closing(Ledger(ledger)) as opened:
        opened.check_in_background()

        def notices() -> bool:
            try:
                opened.add(1, [GAME])
            except DamagedError:
                return True
            return False

        until(notices)


def test_a_check_ends_with_the_ledger(ledger: Path) -> None:
    opened = Ledger(ledger)
    opened.check_in_background()
    opened.close()
    check = BackgroundCheck(sa.make_url("sqlite://"))
    check.wait()
    check.raise_if_damaged()
    check.close()


@pytest.mark.parametrize("damage", ["a page", "the last page", "a letter", "the root"])
def test_what_can_be_read_is_kept_and_the_rest_played_again(ledger: Path, damage: str) -> None:
    with contextlib.closing(Ledger(ledger)) as opened:
        before = {game.key: game for game in opened.games(1)}
    into_one_file(ledger)
    pages = pages_of(ledger, "game")
    if damage == "a letter":
        overwrite(ledger, ledger.read_bytes().rindex(b'[Game "cantris"]') + 2, b"X")
    elif damage == "the root":
        with contextlib.closing(sqlite3.connect(ledger)) as database:
            (root,) = database.execute("SELECT rootpage FROM sqlite_master WHERE name = 'game'").fetchone()
        overwrite(ledger, (root - 1) * PAGE, bytes(PAGE))
    else:
        overwrite(ledger, (pages[-1 if damage == "the last page" else 3] - 1) * PAGE, bytes(PAGE))
    done = ludus("salvage", "cup.db", where=ledger.parent)
    assert done.returncode == 0, done
    assert "the damaged file is cup.db.damaged" in done.stdout
    with contextlib.closing(Ledger(ledger)) as opened:
        kept = {game.key: game for game in opened.games(1)}
    assert kept.items() <= before.items()
    assert len(kept) == len(before) - 1 if damage == "a letter" else len(kept) < len(before)
    assert kept or damage == "the root", "without its root, nothing of a table can be found"
    done = ludus("tournament", "cup.toml", "--resume", "--jobs", "1", where=ledger.parent)
    assert done.returncode == 0, done
    with contextlib.closing(Ledger(ledger)) as opened:
        after = {game.key: game for game in opened.games(1)}
    essence = {key: (game.winner, game.moves, game.versions) for key, game in before.items()}
    assert {key: (game.winner, game.moves, game.versions) for key, game in after.items()} == essence
    assert not [path for path in ledger.parent.iterdir() if path.name.startswith(".")]


def test_a_lost_tournament_takes_its_games_along(ledger: Path) -> None:
    """Another tournament could get its number, and must not get its games."""
    overwrite(ledger, ledger.read_bytes().index(b'"opening_plies"'), b"!")
    assert "no data can be read" in one_sentence(ludus("salvage", "cup.db", where=ledger.parent))
    assert ledger.exists(), "and is left as it is"


def test_what_is_no_database_cannot_be_salvaged(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    assert "there is no such file" in one_sentence(ludus("salvage", "x.db", where=tmp_path))
    path.write_bytes(b"something else" * 1000)
    assert "no data can be read from it" in one_sentence(ludus("salvage", "x.db", where=tmp_path))
    assert path.read_bytes() == b"something else" * 1000


def test_a_game_has_the_same_checksum_in_every_database(any_database: Path | str) -> None:
    with contextlib.closing(Ledger(any_database)) as opened:
        number = opened.tournament("cup", {})
        opened.add(number, [GAME, replace(GAME, seats=1, stalled=1, used=(1, 0.1), winner=None)])
        assert len(opened.games(number)) == 2
        with opened.engine.begin() as connection:
            connection.execute(sa.text("UPDATE game SET winner = 1 WHERE seats = 0"))
        with pytest.raises(DamagedError, match="game 1 is not what was stored"):
            opened.games(number)


def test_a_server_that_has_no_space_or_is_damaged_says_so() -> None:
    """PostgreSQL's own codes, from a real server."""
    with contextlib.closing(Ledger(new_database())) as opened, opened.engine.connect() as connection:
        for state, kind in (("53100", DiskFullError), ("XX001", DamagedError)):
            raising = f"DO $$ BEGIN RAISE EXCEPTION 'x' USING ERRCODE = '{state}'; END $$"
            with pytest.raises(kind):
                connection.exec_driver_sql(raising)
            connection.rollback()


def test_settings_are_read_as_they_were(ledger: Path) -> None:
    with contextlib.closing(Ledger(ledger)) as opened:
        found = opened.find("cup")
    assert found is not None
    assert found.config == json.loads(json.dumps(PLAN.config))
    assert salvage(ledger).rows["game"] == 36, "a sound one stays as it is"
