"""What the tests of the web arena share: a server in a process of its own, and a real browser."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from patience import PATIENCE, PATIENCE_MS
from playwright.sync_api import Browser, BrowserContext, Page, expect, sync_playwright

from ludus.store.accounts import Accounts

PASSWORD = "correct horse"  # noqa: S105
CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
AXE = Path(__file__).parents[2] / ".venv" / "node" / "node_modules" / "axe-core" / "axe.min.js"


expect.set_options(timeout=PATIENCE_MS)


@contextlib.contextmanager
def chromium() -> Iterator[Browser]:
    """Run a browser until left."""
    with sync_playwright() as playwright:
        arguments = ["--no-sandbox", "--disable-dev-shm-usage"]
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=arguments, timeout=PATIENCE_MS)
        yield browser
        browser.close()


def new_context(browser: Browser, server: Served, **settings: Any) -> BrowserContext:
    """Return a visitor's browser of its own, in English unless told otherwise."""
    context = browser.new_context(base_url=server.address, **{"locale": "en-GB", **settings})
    context.set_default_timeout(PATIENCE_MS)
    return context


class Served:
    """A server that runs, and how to speak to it."""

    def __init__(self, process: subprocess.Popen[str], address: str, log: Path) -> None:
        self.process = process
        self.address = address
        self.log = log

    def client(self) -> httpx.Client:
        """Return a visitor with cookies of its own."""
        return httpx.Client(base_url=self.address, timeout=PATIENCE)


@contextlib.contextmanager
def serving(database: Path | str, files: Path | None = None) -> Iterator[Served]:
    """Run a server on a free port until left; it must stop by itself when asked to."""
    files = files or Path(database).with_suffix(".files")
    log = files.with_suffix(".log")
    command = [sys.executable, "-m", "ludus", "serve", "--port", "0", "--workers", "2"]
    command += ["--database", str(database), "--files", str(files)]
    with log.open("a") as errors:
        process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=errors, text=True, env={**os.environ})
    assert process.stdout is not None
    try:
        told = re.search(r"http://\S+", process.stdout.readline())
        assert told is not None, log.read_text()
        address = told[0].rstrip("/")
        with httpx.Client(transport=httpx.HTTPTransport(retries=20)) as client:
            assert client.get(f"{address}/healthz", timeout=PATIENCE).text == "ok\n"
        yield Served(process, address, log)
    finally:
        process.send_signal(signal.SIGINT)
        try:
            process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        process.stdout.close()


def begin(client: httpx.Client, game: str, *seats: str, **more: Any) -> dict[str, Any]:
    """Begin a match."""
    answer = client.post("/api/matches", json={"game": game, "seats": seats, **more})
    assert answer.status_code == 201, answer.text
    match: dict[str, Any] = answer.json()
    return match


def signed_in(server: Served, database: Path | str, name: str, role: str = "student") -> httpx.Client:
    """Return a client with a token of its own; the account is made where there is none."""
    with contextlib.closing(Accounts(database)) as accounts:
        account = accounts.find(name) or accounts.add(name, PASSWORD, role)
        secret = accounts.add_token(account, "test")[1]
    client = server.client()
    client.headers["Authorization"] = f"Bearer {secret}"
    return client


def follow(client: httpx.Client, path: str, until: Callable[[dict[str, Any]], bool]) -> list[dict[str, Any]]:
    """Follow a stream until something holds; give everything that was shown."""
    shown = []
    with client.stream("GET", path) as stream:
        for line in stream.iter_lines():
            if line.startswith("data: "):
                shown.append(json.loads(line[6:]))
                if until(shown[-1]):
                    return shown
    raise AssertionError(f"the stream ended: {shown[-1:]}")


SETTLED = """async () => {
  const moving = () => document.getAnimations().some(one =>
    one.playState === "running" && one.effect?.getComputedTiming().endTime !== Infinity);
  const began = performance.now();
  let changed = began;
  const watching = new MutationObserver(() => { changed = performance.now(); });
  watching.observe(document, { subtree: true, childList: true, attributes: true, characterData: true });
  while ((performance.now() - changed < 400 || moving()) && performance.now() - began < 5000) {
    await new Promise(done => setTimeout(done, 50));
  }
  watching.disconnect();
}"""
"""Waits until a page has come to rest; a page with a board that plays on and on is looked at after a while."""


def settled(page: Page) -> None:
    """Wait until a page has come to rest."""
    page.evaluate(SETTLED)


def serious_faults(page: Page) -> dict[str, list[str]]:
    """Return the serious faults that axe finds on a page, and where; the page's context must bypass its policy."""
    if not AXE.exists():
        pytest.skip("axe-core is not installed; make test installs it")
    settled(page)
    page.add_script_tag(path=AXE)
    found = page.evaluate("axe.run().then(found => found.violations)")
    return {
        fault["id"]: [node["html"] for node in fault["nodes"]]
        for fault in found
        if fault["impact"] in ("serious", "critical")
    }
