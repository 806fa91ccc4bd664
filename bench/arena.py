"""What the web arena bears: spectators of one live game and people who play level 1, all at once, on this machine.

bench/arena.py [--spectators 300] [--games 50] [--minutes 1] [--pause 2.5]

Prints how long a move takes to reach each spectator, how long a move takes to be accepted and to be answered, errors,
messages missed or doubled, and the memory of the server with its workers at each tenth of the time: a soak is the same
with --minutes 60. Client and server share the machine, so every figure includes the client's own delay.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import json
import random
import re
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import httpx

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

GAME = "magnetic-cave"
SEATS = ["human", "engine:level=1"]
SHOWN_PAUSE = 1.0
"""Seconds between two moves in the game that is watched."""


class Tally:
    """What was measured."""

    def __init__(self) -> None:
        self.seconds: dict[str, list[float]] = {}
        self.errors: list[str] = []
        self.memory: list[float] = []

    def add(self, what: str, seconds: float) -> None:
        """Note a delay."""
        self.seconds.setdefault(what, []).append(seconds)

    def show(self) -> None:
        """Print everything."""
        for what, delays in self.seconds.items():
            cuts = statistics.quantiles(delays, n=100)
            p50, p95, most = 1000 * cuts[49], 1000 * cuts[94], 1000 * max(delays)
            print(f"{what}: p50 {p50:.0f} ms, p95 {p95:.0f} ms, most {most:.0f} ms, {len(delays):,} times")
        print(f"errors: {len(self.errors)}", *sorted(set(self.errors))[:5])
        print("memory (MB):", ", ".join(f"{megabytes:.0f}" for megabytes in self.memory))


class Stage:
    """The game that somebody plays: its name, and when each ply was asked for."""

    def __init__(self) -> None:
        self.name = ""
        self.sent: dict[int, float] = {}
        self._news = asyncio.Event()

    def show(self, name: str) -> None:
        """Begin another game."""
        self.name, self.sent = name, {}
        news, self._news = self._news, asyncio.Event()
        news.set()

    async def other(self, name: str) -> str:
        """Wait until another game is played than the one named, and give its name."""
        while self.name == name:
            await self._news.wait()
        return self.name


class Visitor:
    """Someone with a browser of their own."""

    def __init__(self, address: str, tally: Tally) -> None:
        limits = httpx.Limits(max_connections=None)
        self.client = httpx.AsyncClient(base_url=address, limits=limits, timeout=60, headers={"X-Ludus": "1"})
        self.tally = tally

    async def views(self, name: str) -> AsyncGenerator[dict[str, Any]]:
        """Follow a match."""
        async with self.client.stream("GET", f"/api/matches/{name}/events") as stream:
            async for line in stream.aiter_lines():
                if line.startswith("data: "):
                    yield json.loads(line[6:])

    async def play(self, pause: float, until: float, stage: Stage) -> None:
        """Play games until the time is up."""
        while time.monotonic() < until:
            match = (await self.client.post("/api/matches", json={"game": GAME, "seats": SEATS})).json()
            stage.show(match["id"])
            async with asyncio.timeout(until - time.monotonic() + 10):
                async with contextlib.aclosing(self.views(match["id"])) as views:
                    await self._play_one(views, pause, until, stage)

    async def _play_one(self, views: AsyncGenerator[dict[str, Any]], pause: float, until: float, stage: Stage) -> None:
        asked = 0.0
        async for view in views:
            if asked and view["position"]["side"] == 0:
                self.tally.add("a move answered by level 1", time.monotonic() - asked)
            if "outcome" in view["position"] or time.monotonic() > until:
                return
            if view["position"]["side"] == 0:
                await asyncio.sleep(pause * random.uniform(0.5, 1.5))
                ply = view["since"] + len(view.get("plies", []))
                asked = stage.sent[ply + 1] = time.monotonic()
                body = {"move": random.choice(view["position"]["legal"])["move"], "ply": ply}
                answer = await self.client.post(f"/api/matches/{stage.name}/moves", json=body)
                self.tally.add("a move accepted", time.monotonic() - asked)
                if answer.status_code != httpx.codes.OK:
                    self.tally.errors.append(answer.text)
                    return

    async def watch(self, stage: Stage) -> None:
        """Watch one game after the other; every ply must come once, and in its order."""
        name = ""
        while True:
            name = await stage.other(name)
            plies = version = 0
            async with contextlib.aclosing(self.views(name)) as views:
                async for view in views:
                    now = time.monotonic()
                    if view["since"] != plies or view["version"] <= version:
                        self.tally.errors.append("a gap or a double")
                    plies, version = view["since"] + len(view.get("plies", [])), view["version"]
                    if stage.name == name and plies in stage.sent:
                        self.tally.add("a move seen by a spectator", now - stage.sent[plies])
                    if "outcome" in view["position"]:
                        break


def family(process: int) -> list[int]:
    """Return a process and all that it started."""
    children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    return [process, *(one for child in children for one in family(int(child)))]


def megabytes(process: int) -> float:
    """Return the memory that a server and its workers have to themselves, shared pages divided among them."""
    total = 0
    for one in family(process):
        told = re.search(r"^Pss:\s+(\d+)", Path(f"/proc/{one}/smaps_rollup").read_text(), re.MULTILINE)
        total += int(told[1]) if told else 0
    return total / 1024


async def remember(process: int, seconds: float, tally: Tally) -> None:
    """Note the memory at the beginning and after each tenth of the time."""
    tally.memory.append(megabytes(process))
    for _ in range(10):
        await asyncio.sleep(seconds / 10)
        tally.memory.append(megabytes(process))
        print(f"{tally.memory[-1]:.0f} MB, {len(tally.errors)} errors", flush=True)


async def measure(given: argparse.Namespace, address: str, process: int) -> Tally:
    """Let everyone come at once."""
    tally, until = Tally(), time.monotonic() + 60 * given.minutes
    loop = asyncio.get_running_loop()
    noted = loop.create_task(remember(process, 60 * given.minutes, tally))
    stage = Stage()
    players = [Visitor(address, tally) for _ in range(given.games)]
    playing = [loop.create_task(players[0].play(SHOWN_PAUSE, until, stage))]
    playing += [loop.create_task(one.play(given.pause, until, Stage())) for one in players[1:]]
    crowd = Visitor(address, tally)
    watching = [loop.create_task(crowd.watch(stage)) for _ in range(given.spectators)]
    ends = await asyncio.gather(*playing, return_exceptions=True)
    for task in watching:
        task.cancel()
    ends += await asyncio.gather(*watching, return_exceptions=True)
    tally.errors += [repr(end) for end in ends if isinstance(end, Exception)]
    for one in (crowd, *players):
        await one.client.aclose()
    await noted
    return tally


async def main() -> None:
    """Start a server, and measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--spectators", type=int, default=300)
    parser.add_argument("--games", type=int, default=50)
    parser.add_argument("--minutes", type=float, default=1.0)
    parser.add_argument("--pause", type=float, default=2.5, help="seconds between two moves of a person")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        command = ["-m", "ludus", "serve", "--weak-sandbox", "--port", "0", "--database", f"{folder}/arena.db"]
        command += ["--per-address", str(2 * (given.spectators + given.games) + 100)]  # all come from this machine
        with Path(folder, "log").open("w") as log:
            server = await asyncio.create_subprocess_exec(
                sys.executable, *command, stdout=asyncio.subprocess.PIPE, stderr=log
            )
        try:
            assert server.stdout is not None
            told = (await server.stdout.readline()).decode()
            tally = await measure(given, told.split()[-1], server.pid)
        finally:
            server.terminate()
            await server.wait()
    tally.show()


if __name__ == "__main__":
    asyncio.run(main())
