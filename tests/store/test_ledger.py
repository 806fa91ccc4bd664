"""The ledger: what goes in comes out, from either kind of database, and from one that an older version wrote."""

from __future__ import annotations

import contextlib
import sqlite3
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import create_engine
from sqlalchemy.exc import OperationalError

from ludus.messages import Message
from ludus.play.result import GameResult
from ludus.store import TABLES, Ledger, newest, tables_of_migrations, transient, upgrade

FAULT = Message("tournament.other_moves", fault=Message("faults.timeout"))
GAME = GameResult(
    pairing="R1.1",
    board=2,
    seats=1,
    first="甲",
    second="b",
    winner=1,
    reason="timeout",
    fault=str(FAULT),
    fault_message=FAULT,
    margin=-4,
    moves=31,
    used=(1.5, 0.25),
    left=(None, 3.5),
    versions=("abc", "greedy"),
    stalled=0.5,
    replays=1,
    logs=("hello", ""),
    host="here",
    seed=7,
    record="the record",
)


def test_a_game_comes_out_as_it_went_in(any_database: Path | str) -> None:
    plain = replace(GAME, seats=0, winner=None, reason="rules", fault="", fault_message=None)
    with contextlib.closing(Ledger(any_database)) as ledger:
        number = ledger.tournament("cup", {"game": "cantris"})
        ledger.add(number, [GAME, plain])
        first, second = ledger.games(number)
        assert first.id is not None
        assert first.finished is not None
        assert replace(first, id=None, finished=None) == GAME
        assert replace(second, id=None, finished=None) == plain
        assert ledger.undo(number, [first.id], "a power cut") == 1
        (log,) = ledger.log(number)
        assert (log.detail["used_second"], log.detail["log_first"], log.detail["fault"]) == (0.25, "hello", str(FAULT))
        assert Message.from_json(log.detail["fault_message"]) == FAULT
        assert [game.id for game in ledger.games(number)] == [second.id]


def test_withdrawals_are_found(any_database: Path | str) -> None:
    with contextlib.closing(Ledger(any_database)) as ledger:
        number = ledger.tournament("cup", {})
        ledger.note(number, "withdraw", "ill", entry="b", round=3)
        ledger.note(number, "undo", "a mistake", pairing="R1.1")
        assert ledger.withdrawals(number) == {"b": 3}


def test_games_that_an_older_version_stored_are_read(tmp_path: Path) -> None:
    path = tmp_path / "old.db"
    engine = create_engine(f"sqlite:///{path}")
    upgrade(engine, "0009")
    engine.dispose()
    columns = "pairing, board, seats, first, second, winner, reason, fault, margin, moves, used_first, used_second, "
    columns += "version_first, version_second, stalled, replays, log_first, log_second, host, seed, record, finished"
    values = ("R1.1", 0, 0, "a", "b", 1, "crash", "it fell", 0, 3, 0.1, 0.2, "x", "y", 0, 0, "", "", "h", 1, "r")
    with contextlib.closing(sqlite3.connect(path)) as database:
        database.execute("INSERT INTO tournament VALUES (1, 'cup', '{}', '2026-01-01 00:00:00')")
        holes = ", ".join("?" * 23)
        row = (1, *values, "2026-01-01 00:00:00")
        database.execute(f"INSERT INTO game (tournament_id, {columns}) VALUES ({holes})", row)  # noqa: S608
        database.commit()
    with contextlib.closing(Ledger(path)) as ledger:
        (game,) = ledger.games(1)
        assert (game.fault, game.fault_message, game.failed) == ("it fell", None, "a")
    with contextlib.closing(sqlite3.connect(path)) as database:
        assert database.execute("SELECT version_num FROM alembic_version").fetchall() == [(newest(),)]


def test_a_new_database_has_the_tables_of_all_migrations() -> None:
    assert tables_of_migrations() == TABLES.read_text(encoding="utf-8"), "run make tables"


def test_a_busy_database_is_tried_again_and_a_wrong_question_is_not(tmp_path: Path) -> None:
    path = tmp_path / "busy.db"
    with contextlib.closing(Ledger(path)) as ledger, contextlib.closing(sqlite3.connect(path)) as other:
        other.execute("BEGIN IMMEDIATE")
        with ledger.engine.connect() as connection:
            connection.exec_driver_sql("PRAGMA busy_timeout=0")
            with pytest.raises(OperationalError) as locked:
                connection.exec_driver_sql("BEGIN IMMEDIATE")
            with pytest.raises(OperationalError) as wrong:
                connection.exec_driver_sql("SELECT * FROM nowhere")
    assert transient(locked.value)
    assert not transient(wrong.value)
    assert not transient(ValueError("locked"))
