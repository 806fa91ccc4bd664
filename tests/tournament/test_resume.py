"""Resuming: what was never begun is not begun by mistake, and a database that fails is one sentence."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pytest
from commands import one_sentence
from commands import run as ludus
from postgres import new_database, server

from ludus.store import Ledger

FILE = 'name = "cup"\ngame = "cantris"\n[entries]\na = "greedy"\nb = "random:seed=1"\n'
PLAY = ["tournament", "cup.toml", "--jobs", "1"]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "cup.toml").write_text(FILE)
    return tmp_path


def test_a_wrong_path_plays_nothing_again(folder: Path) -> None:
    said = one_sentence(ludus(*PLAY, "--resume", "--ledger", "elsewhere.db", where=folder))
    assert "there is nothing to resume: elsewhere.db has no games of cup; check the path, or add --yes" in said
    assert not (folder / "elsewhere.db").exists()
    assert ludus(*PLAY, "--resume", "--yes", "--ledger", "elsewhere.db", where=folder).returncode == 0
    assert ludus(*PLAY, "--resume", "--ledger", "elsewhere.db", where=folder).returncode == 0


def test_another_name_in_the_same_ledger_is_another_tournament(folder: Path) -> None:
    assert ludus(*PLAY, where=folder).returncode == 0
    (folder / "cup.toml").write_text(FILE.replace('"cup"', '"cap"'))
    assert "cup.db has no games of cap" in one_sentence(ludus(*PLAY, "--resume", where=folder))
    with contextlib.closing(Ledger(folder / "cup.db")) as ledger:
        assert ledger.names() == ["cup"]


def test_what_was_not_stored_cannot_be_resumed(folder: Path) -> None:
    players = ["tournament", "--game", "cantris", "greedy", "random:seed=1", "--resume"]
    assert "use --ledger FILE from the beginning" in one_sentence(ludus(*players, where=folder))


def test_a_server_without_the_tournament_has_nothing_to_resume(folder: Path) -> None:
    said = one_sentence(ludus(*PLAY, "--resume", "--ledger", new_database(), where=folder))
    assert "there is nothing to resume: postgresql" in said


def test_a_database_that_is_gone_is_one_sentence(folder: Path) -> None:
    with server() as address:
        gone = f"{address}/postgres"
    assert "cannot be used" in one_sentence(ludus(*PLAY, "--ledger", gone, where=folder))
