"""Backups: everything comes back, while the arena runs, into another kind of database, or not at all."""

from __future__ import annotations

import contextlib
import json
import random
import zipfile
from pathlib import Path
from typing import Any

import httpx
import postgres
import pytest
from commands import one_sentence
from commands import run as ludus
from patience import until
from sqlalchemy import Engine, event
from web import begin, serving

from ludus.bots.source import File
from ludus.store import Ledger
from ludus.store import backup as backup_module
from ludus.store.accounts import Accounts
from ludus.store.backup import back_up, content, restore
from ludus.store.bots import BotStore
from ludus.store.jobs import Job, JobStore
from ludus.store.matches import Matches, StoredMatch

MATCH = StoredMatch("aaaaaaaaaaaa", "cantris", "紀錄", ["someone", None], 3, None, True)


def filled(database: Path | str, files: Path) -> None:
    """Keep something of every kind."""
    for store, kept in ((Matches(database), MATCH), (JobStore(database), Job("b", "check", {"a": [1, None]}, None))):
        store.save(kept)  # type: ignore[arg-type]
        store.close()
    ledger = Ledger(database)
    number = ledger.tournament("cup", {"seed": 1})
    ledger.note(number, "withdraw", "illness", entry="A", round=2)
    ledger.close()
    (files / "courses").mkdir(parents=True)
    (files / "courses" / "成績.csv").write_text("名,分\n")


def held(database: Path | str) -> dict[str, Any]:
    """Return what is kept, as the stores see it."""
    matches, jobs, ledger = Matches(database), JobStore(database), Ledger(database)
    found = ledger.find("cup")
    assert found is not None
    notes = [(note.kind, note.reason, note.detail) for note in ledger.log(found.id)]
    kept = {"match": matches.load(MATCH.id), "job": jobs.load("b"), "cup": found.config, "notes": notes}
    for store in (matches, jobs, ledger):
        store.close()
    return kept


def test_everything_comes_back_in_any_kind_of_database(tmp_path: Path) -> None:
    filled(tmp_path / "one.db", tmp_path / "one.files")
    kept = held(tmp_path / "one.db")
    counts = back_up(tmp_path / "one.db", tmp_path / "one.files", tmp_path / "one.zip")
    assert counts["match"] == counts["job"] == counts["tournament"] == counts["files"] == 1
    url = postgres.new_database()
    restore(tmp_path / "one.zip", url, tmp_path / "two.files")
    assert held(url) == kept
    assert (tmp_path / "two.files" / "courses" / "成績.csv").read_text() == "名,分\n"
    ledger = Ledger(url)
    assert ledger.tournament("league", {}) == 2, "numbers go on where they ended"
    ledger.close()
    back_up(url, tmp_path / "two.files", tmp_path / "two.zip")
    filled(tmp_path / "three.db", tmp_path / "three.files")
    (tmp_path / "three.files" / "later.txt").touch()
    restore(tmp_path / "two.zip", tmp_path / "three.db", tmp_path / "three.files")
    assert held(tmp_path / "three.db") == kept
    assert content(tmp_path / "three.db")["tournament"] == 2
    assert not (tmp_path / "three.files" / "later.txt").exists()


def broken(path: Path, how: str) -> None:
    """Make a backup that is not sound."""
    if how == "no zip":
        path.write_bytes(b"PK, but no zip")
        return
    with zipfile.ZipFile(path) as sound:
        parts = {name: sound.read(name) for name in sound.namelist()}
    if how == "no manifest":
        del parts["manifest.json"]
    elif how == "another version":
        parts["manifest.json"] = json.dumps({"ludus": "9999", "rows": {}}).encode()
    elif how == "a table short":
        del parts["tables/match.jsonl"]
    elif how == "an endless row":
        parts["tables/match.jsonl"] = b'["' + bytes(65 << 20)
    else:
        parts["tables/match.jsonl"] = parts["tables/match.jsonl"][:-5]
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as written:
        for name, data in parts.items():
            written.writestr(name, data)


@pytest.mark.parametrize(
    "how", ["no zip", "no manifest", "another version", "a table short", "half a row", "an endless row"]
)
def test_a_backup_that_is_not_sound_changes_nothing(tmp_path: Path, how: str) -> None:
    database, files = tmp_path / "arena.db", tmp_path / "arena.files"
    filled(database, files)
    backup = tmp_path / "backup.zip"
    back_up(database, files, backup)
    broken(backup, how)
    kept = held(database)
    with pytest.raises(ValueError, match="not a complete backup") as refused:
        restore(backup, database, files)
    assert (how == "an endless row") == ("a row is larger than 64 MB" in str(refused.value))
    assert held(database) == kept
    assert (files / "courses" / "成績.csv").exists()
    assert not [path for path in tmp_path.iterdir() if path.name.startswith(".restoring")]


def test_a_backup_of_large_uploads_is_read_and_written_a_few_at_a_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A course has hundreds of submissions of some megabytes: they are never all in memory."""
    database, files, most = tmp_path / "arena.db", tmp_path / "arena.files", 10_000
    files.mkdir()
    with contextlib.closing(BotStore(database)) as bots, contextlib.closing(Accounts(database)) as accounts:
        bot = bots.add(accounts.add("ada", "correct horse").id, "cantris", "Big")
        for number in range(12):
            data = random.Random(number).randbytes(most // 2)
            bots.add_version(bot.id, {"main.py": File(data)}, "lines", "python")
    monkeypatch.setattr(backup_module, "BYTES_AT_ONCE", most)
    written: list[int] = []

    def before(_connection: Any, _cursor: Any, statement: str, values: Any, *_: Any) -> None:
        if statement.startswith("INSERT INTO bot_version"):
            rows = values if isinstance(values, list) else [values]
            written.append(sum(len(value) for row in rows for value in row if isinstance(value, bytes)))

    event.listen(Engine, "before_cursor_execute", before)
    try:
        back_up(database, files, tmp_path / "backup.zip")
        restore(tmp_path / "backup.zip", database, files)
    finally:
        event.remove(Engine, "before_cursor_execute", before)
    assert len(written) >= 8 and max(written) < 2 * most


def test_the_command_asks_before_it_replaces(tmp_path: Path) -> None:
    filled(tmp_path / "arena.db", tmp_path / "arena.files")
    done = ludus("backup", "out.zip", "--database", "arena.db", where=tmp_path)
    assert done.returncode == 0
    assert "files: 1." in done.stdout
    refused = one_sentence(ludus("restore", "out.zip", "--database", "arena.db", where=tmp_path))
    assert "--replace" in refused
    assert "match: 1" in refused
    assert ludus("restore", "out.zip", "--database", "arena.db", "--replace", where=tmp_path).returncode == 0
    assert "no such file" in one_sentence(ludus("restore", "none.zip", "--database", "new.db", where=tmp_path))
    assert "cannot be written" in one_sentence(ludus("backup", "no/out.zip", "--database", "arena.db", where=tmp_path))


def test_an_arena_goes_on_with_what_was_brought_back(tmp_path: Path) -> None:
    database = tmp_path / "arena.db"
    files = database.with_suffix(".files")
    with serving(database) as server, server.client() as client:
        kept = begin(client, "cantris", "human", "human", seed=1)
        back_up(database, files, tmp_path / "backup.zip")
        move = kept["position"]["legal"][0]["move"]
        client.post(f"/api/matches/{kept['id']}/moves", json={"move": move, "ply": 0})
        later = begin(client, "cantris", "human", "human", seed=2)
        restore(tmp_path / "backup.zip", database, files)

        def is_back() -> bool:
            shown = client.get(f"/api/matches/{kept['id']}")
            assert client.get("/healthz").text == "ok\n"
            return shown.status_code == httpx.codes.OK and "plies" not in shown.json()

        until(is_back)
        assert client.get(f"/api/matches/{later['id']}").status_code == httpx.codes.NOT_FOUND
        played = client.post(f"/api/matches/{kept['id']}/moves", json={"move": move, "ply": 0})
        assert played.status_code == httpx.codes.OK


def test_tables_of_an_older_version_come_back_in_the_newest_form(tmp_path: Path) -> None:
    database, files, backup = tmp_path / "arena.db", tmp_path / "arena.files", tmp_path / "backup.zip"
    filled(database, files)
    back_up(database, files, backup)
    with zipfile.ZipFile(backup) as sound:
        parts = {name: sound.read(name) for name in sound.namelist()}
    manifest = json.loads(parts["manifest.json"])
    older = {"match": 8, "tournament": 4, "game": 30, "log": 6}  # and their columns
    with zipfile.ZipFile(backup, "w") as written:
        written.writestr("manifest.json", json.dumps({**manifest, "ludus": "0002"}))
        for name, columns in older.items():
            lines = [json.loads(line)[:columns] for line in parts[f"tables/{name}.jsonl"].splitlines()]
            written.writestr(f"tables/{name}.jsonl", "".join(f"{json.dumps(line)}\n" for line in lines))
    restore(backup, database, files)
    assert set(content(database)) == {"match", "played", "tournament", "log"}, "who played is read off the matches"
