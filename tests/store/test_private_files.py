"""Data of an arena is for its owner only: other users of the machine read nothing, whatever the umask says."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from commands import run as ludus
from web import PASSWORD, begin, serving

from ludus.store.accounts import Accounts


def readable_by_others(folder: Path) -> list[str]:
    """Return what others can reach from a folder: a folder that is closed hides what is in it."""
    found = []
    for path in folder.iterdir():
        if path.stat().st_mode & 0o077:
            found.append(path.name)
            found += readable_by_others(path) if path.is_dir() else []
    return found


@pytest.fixture(autouse=True)
def open_umask() -> Iterator[None]:
    before = os.umask(0o000)
    yield
    os.umask(before)


def test_what_a_server_writes_is_for_its_owner(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    place = tmp_path / "new"
    (tmp_path / "cache" / "ludus" / "bots").mkdir(parents=True)
    place.mkdir()
    monkeypatch.delenv("LUDUS_CACHE")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    with serving(place / "arena.db", files=place / "files") as server, server.client() as client:
        begin(client, "cantris", "human", "human")
        assert {"arena.db", "arena.db-wal", "arena.db-shm", "files", "files.log"} <= {
            one.name for one in place.iterdir()
        }
        assert readable_by_others(place) == ["files.log"], "which this test writes"
        assert readable_by_others(tmp_path / "cache" / "ludus") == [], "programs of students, built"


def test_a_backup_and_what_is_restored_are_for_their_owner(tmp_path: Path) -> None:
    data = ["--database", str(tmp_path / "arena.db")]
    assert ludus("account", "add", "ada", *data, text=f"{PASSWORD}\n").returncode == 0
    (tmp_path / "arena.files" / "grades.csv").write_text("id,total\n")
    made = ludus("backup", str(tmp_path / "backup.zip"), *data)
    assert made.returncode == 0, made.stderr
    assert ludus("restore", str(tmp_path / "backup.zip"), "--replace", *data).returncode == 0
    assert (tmp_path / "arena.files" / "grades.csv").is_file()
    assert readable_by_others(tmp_path) == []


def test_what_was_open_is_closed_with_a_note(tmp_path: Path) -> None:
    database, files = tmp_path / "arena.db", tmp_path / "arena.files"
    with contextlib.closing(Accounts(database)) as accounts:
        accounts.add("ada", PASSWORD)
        files.mkdir()
        listed = ludus("account", "list", "--database", str(database))
    assert "Other users of this machine could read" in listed.stderr
    for path in (database, Path(f"{database}-wal"), files):
        assert f"{path};" in listed.stderr
    assert readable_by_others(tmp_path) == []
    assert ludus("account", "list", "--database", str(database)).stderr == ""


def test_a_backup_is_not_written_through_a_link_that_someone_left(tmp_path: Path) -> None:
    """In a folder that others can write to, the name beside the backup is known before it is written."""
    precious = tmp_path / "precious"
    precious.write_text("mine")
    (tmp_path / "backup.zip.making").symlink_to(precious)
    data = ["--database", str(tmp_path / "arena.db")]
    assert ludus("account", "list", *data).returncode == 0
    assert ludus("backup", str(tmp_path / "backup.zip"), *data).returncode == 0
    assert precious.read_text() == "mine"
