"""Uploads: the limits that the server tells and keeps, and how many come in at a time."""

from __future__ import annotations

import asyncio
import base64

import pytest
from test_web_bots import cache, person
from web import Served

from ludus.store.accounts import Accounts
from ludus.web.uploads import AT_ONCE, AT_ONCE_OF_ONE, UNPACKED_AT_ONCE, UploadLimits, Uploads
from ludus.web.workers import Busy

__all__ = ["cache"]  # a fixture


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
        assert large.status_code == 413 and large.json()["detail"] == "a request may have 12288 kB at most"


def test_uploads_under_way_have_a_limit_and_few_are_unpacked_at_a_time() -> None:
    async def many() -> None:
        uploads = Uploads()
        stay, inside, most = asyncio.Event(), 0, 0

        async def one(account: int) -> None:
            nonlocal inside, most
            async with uploads.one(account):
                await stay.wait()
                async with uploads._unpacking:
                    inside += 1
                    most = max(most, inside)
                    await asyncio.sleep(0)
                    inside -= 1

        async with asyncio.TaskGroup() as group:
            for number in range(AT_ONCE):
                group.create_task(one(number // AT_ONCE_OF_ONE))
            await asyncio.sleep(0)
            for account in (0, 1000):
                with pytest.raises(Busy, match="too many uploads are under way"):
                    await one(account)
            stay.set()
        assert most == UNPACKED_AT_ONCE
        await one(0)

    asyncio.run(many())
