"""Requests of one address take turns: what others ask for does not wait behind hundreds of them."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator
from types import SimpleNamespace

import httpx
import pytest
from fastapi import FastAPI
from patience import PATIENCE

from ludus.web.http.connections import ConnectionLimits
from ludus.web.http.guard import Guard
from ludus.web.http.hosts import Hosts
from ludus.web.http.rate_limit import Turns
from ludus.web.http.routing import Router
from ludus.web.services import IN_LOOP, IN_THREADS

FLOOD = 80
"""More than there are threads."""

pytestmark = pytest.mark.anyio


def application() -> FastAPI:
    app = FastAPI()
    turns = {"turns_in_threads": Turns(IN_THREADS), "turns_in_loop": Turns(IN_LOOP)}
    app.state.services = SimpleNamespace(stopping=False, **turns)
    return app


def visitor(app: FastAPI, address: str) -> httpx.AsyncClient:
    return httpx.AsyncClient(transport=httpx.ASGITransport(app, client=(address, 1)), base_url="http://arena")


@pytest.mark.parametrize("method", ["GET", "POST"])
async def test_a_flood_from_one_address_leaves_threads_for_others(method: str) -> None:
    app, router, free = application(), Router(), threading.Event()
    busy = most = 0

    @router.api_route("/slow", methods=["GET", "POST"])
    def slow() -> bool:
        nonlocal busy, most
        busy += 1
        most = max(most, busy)
        assert free.wait(PATIENCE)
        busy -= 1
        return True

    @router.get("/quick")
    def quick() -> bool:
        return True

    app.include_router(router)
    async with visitor(app, "198.51.100.7") as attacker, visitor(app, "203.0.113.9") as other:
        flood = [asyncio.ensure_future(attacker.request(method, "/api/slow")) for _ in range(FLOOD)]
        while busy < IN_THREADS:
            await asyncio.sleep(0.01)
        try:
            async with asyncio.timeout(PATIENCE / 2):
                assert (await other.get("/api/quick")).json() is True
        finally:
            free.set()
        assert {(await one).status_code for one in flood} == {200}, "they are not refused, they wait"
    assert most == IN_THREADS


@pytest.mark.parametrize("path", ["/api/view", "/page"])
async def test_a_flood_from_one_address_leaves_the_event_loop_to_others(path: str) -> None:
    app, router, done = application(), Router(), list[str]()
    app.add_middleware(Guard, limits=ConnectionLimits(), hosts=Hosts(("arena",)))

    @router.get("/view")
    @app.get("/page")
    async def view(who: str) -> bool:
        await asyncio.sleep(0)
        done.append(who)
        return True

    app.include_router(router)
    async with visitor(app, "198.51.100.7") as attacker, visitor(app, "203.0.113.9") as other:
        flood = [asyncio.ensure_future(attacker.get(f"{path}?who=attacker")) for _ in range(10 * IN_LOOP)]
        await asyncio.sleep(0)
        await other.get(f"{path}?who=other")
        await asyncio.gather(*flood)
    assert done.index("other") <= 3 * IN_LOOP


async def test_who_sends_a_body_slowly_holds_up_nobody_at_the_same_address() -> None:
    app, router = application(), Router()

    @router.post("/change")
    def change(body: dict[str, int]) -> int:
        return len(body)

    app.include_router(router)
    arrives = asyncio.Event()

    async def slowly() -> AsyncIterator[bytes]:
        yield b'{"a":'
        await arrives.wait()
        yield b" 1}"

    async with visitor(app, "198.51.100.7") as one:
        kind = {"content-type": "application/json"}
        slow = [
            asyncio.ensure_future(one.post("/api/change", content=slowly(), headers=kind))
            for _ in range(2 * IN_THREADS)
        ]
        await asyncio.sleep(0.01)
        async with asyncio.timeout(PATIENCE / 2):
            assert (await one.post("/api/change", json={"a": 1})).json() == 1
        arrives.set()
        assert {(await answer).json() for answer in slow} == {1}
