"""Uploads: the limits that the server tells and keeps, and how many come in at a time."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import random
from pathlib import Path

import jobs_for_tests
import pytest
from test_web_bots import person
from web import Served

from ludus.bots.source import File
from ludus.store import bots
from ludus.store.accounts import Accounts
from ludus.store.jobs import JobStore
from ludus.web.http.uploads import AT_ONCE, AT_ONCE_OF_ONE, UploadLimits, Uploads
from ludus.web.jobs import service as jobs
from ludus.web.jobs.workers import Busy


def test_the_server_takes_what_it_says(served: Served, accounts: Accounts) -> None:
    with person(served, accounts, "Exact") as client:
        told = client.get("/api/limits").json()
        assert told == UploadLimits().model_dump()
        files = [
            {"name": f"{number}.bin", "data": base64.b64encode(bytes(told["bot"] // 1000)).decode()}
            for number in range(1000)
        ]
        files[0] |= {"name": "bot.py", "data": base64.b64encode(b"input()").decode()}
        whole = client.post("/api/bots", json={"name": "Full", "game": "cantris", "files": files})
        assert whole.status_code == 201, whole.text
        large = client.post("/api/bots", content=b"x" * (told["submission"] + 1))
        assert large.status_code == 413 and large.json()["detail"] == "a request can have at most 12288 kB"


@pytest.mark.anyio
async def test_uploads_under_way_have_a_limit() -> None:
    uploads, stay = Uploads(), asyncio.Event()

    async def one(account: int) -> None:
        async with uploads.one(account):
            await stay.wait()

    async with asyncio.TaskGroup() as group:
        for number in range(AT_ONCE):
            group.create_task(one(number // AT_ONCE_OF_ONE))
        await asyncio.sleep(0)
        for account in (0, 1000):
            with pytest.raises(Busy, match="too many uploads are in progress"):
                await one(account)
        stay.set()
    await one(0)


def test_what_one_person_keeps_has_a_limit(any_database: Path | str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bots, "MOST_OWNED", 25_000)
    with contextlib.closing(Accounts(any_database)) as people, contextlib.closing(bots.BotStore(any_database)) as store:
        ada, bob = people.add("ada", "correct horse"), people.add("bob", "correct horse")
        kept = [store.add(ada.id, "cantris", "One"), store.add(ada.id, "cantris", "Two")]

        def hand_in(bot: int, seed: int) -> None:
            files = {"main.py": File(random.Random(seed).randbytes(10_000))}
            store.add_version(bot, files, "lines", "python")

        for number, one in enumerate(kept):
            hand_in(one.id, number)
        with pytest.raises(ValueError, match="have 0 MB, which is the limit; remove one"):
            hand_in(kept[0].id, 3)
        hand_in(store.add(bob.id, "cantris", "Three").id, 4)
        store.remove(kept[1].id)
        hand_in(kept[0].id, 5)


def test_jobs_that_wait_have_a_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "MOST_WAITING", 2)

    async def ask() -> None:
        database = tmp_path / "a.db"
        made = jobs.Jobs(JobStore(database), str(database), tmp_path, jobs_for_tests.__name__)
        for number in range(2):
            await made.add("sleep", {"marks": "begun"}, f"account:{number}")
        with pytest.raises(Busy, match="too many jobs are waiting"):
            await made.add("sleep", {"marks": "begun"}, "account:9")
        await made.close()

    asyncio.run(ask())
