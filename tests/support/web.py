"""What the tests of the web arena share: a server in a process of its own, and a real browser."""

from __future__ import annotations

import contextlib
import json
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
from forked import ForkedPython
from patience import PATIENCE, PATIENCE_MS, until
from playwright.sync_api import Browser, BrowserContext, Locator, Page, expect, sync_playwright

from ludus.store.accounts import ROLES, SCOPES, Account, Accounts

PASSWORD = "correct horse"  # noqa: S105
CHROMIUM = next(filter(None, map(shutil.which, ("chromium-headless-shell", "chromium", "chromium-browser"))), None)
"""The shell first: without the windows of a desktop a new context takes a third of the CPU time."""
AXE = Path(__file__).parents[2] / ".venv" / "node" / "node_modules" / "axe-core" / "axe.min.js"

expect.set_options(timeout=PATIENCE_MS)


@contextlib.contextmanager
def chromium() -> Iterator[Browser]:
    """Run a browser until left."""
    if CHROMIUM is None:
        pytest.skip("chromium is not installed; make test installs it")
    with sync_playwright() as playwright:
        arguments = ["--no-sandbox", "--disable-dev-shm-usage"]
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=arguments, timeout=PATIENCE_MS)
        yield browser
        browser.close()


def new_context(browser: Browser, server: Served, **settings: Any) -> BrowserContext:
    """Return a visitor's browser of its own, in English unless told otherwise."""
    usual = {"locale": "en-GB", "service_workers": "block"}
    context = browser.new_context(base_url=server.address, **{**usual, **settings})
    context.set_default_timeout(PATIENCE_MS)
    return context


class Visitors:
    """People who open pages of a server, each in a browser of their own; faults of the pages' own code are kept."""

    def __init__(self, browser: Browser, server: Served) -> None:
        self.browser, self.server = browser, server
        self.faults: list[str] = []
        self.contexts: list[BrowserContext] = []

    def __call__(self, path: str = "/", name: str | None = None, **settings: Any) -> Page:
        """Open a page as someone who has an account, or as a guest."""
        context = new_context(self.browser, self.server, **settings)
        self.contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: self.faults.append(str(error)))
        page.on("console", lambda said: self.faults.append(said.text) if said.type == "error" else None)
        if name is not None:
            sign_in = {"name": name, "password": PASSWORD}
            assert context.request.post("/api/account/sign-in", data=sign_in, headers={"X-Ludus": "1"}).ok
        page.goto(path)
        return page

    def leave(self) -> None:
        """Close every page; a fault of one fails the test."""
        for context in self.contexts:
            context.close()
        assert [fault for fault in self.faults if "status of 4" not in fault] == []


PHONE: Any = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
"""The settings of a visitor's browser on a phone."""


def fits(page: Page) -> bool:
    """Return whether nothing makes a page wider than its screen."""
    return bool(page.evaluate("document.documentElement.scrollWidth <= innerWidth && innerWidth <= screen.width"))


def legal(page: Page) -> Locator:
    """Return the cells of the board that can be played."""
    return page.locator('.grid button[aria-disabled="false"]')


def cell(page: Page, row: int, col: int) -> Locator:
    """Return a cell of the board."""
    return page.locator(f'[data-cell="{row},{col}"]')


def confirm(page: Page, name: str) -> None:
    """Press a button that asks before it works, and say yes."""
    page.get_by_role("button", name=name).click()
    page.locator(".confirm.open").get_by_role("button", name=name).click()


def shown(page: Page) -> str:
    """Return what the board says of its cells."""
    labels = page.locator(".grid button").evaluate_all("all => all.map(one => one.getAttribute('aria-label'))")
    return "|".join(re.sub(", can be played$", "", label) for label in labels)


def page_until(page: Page, holds: Callable[[], bool]) -> None:
    """Wait until something holds; motion takes its time."""
    until(holds, pause=lambda seconds: page.wait_for_timeout(1000 * seconds))


class Served:
    """A server that runs, and how to speak to it."""

    def __init__(self, process: ForkedPython | subprocess.Popen[str], address: str, log: Path) -> None:
        self.process = process
        self.address = address
        self.log = log

    def client(self) -> httpx.Client:
        """Return a visitor with cookies of its own."""
        return httpx.Client(base_url=self.address, timeout=PATIENCE, verify=False)  # noqa: S501 - no TLS: spares certificates


def serving(
    database: Path | str, *options: str, files: Path | None = None
) -> contextlib.AbstractContextManager[Served]:
    """Run the command `ludus serve` on a free port until left; a test may say from which address a request comes."""
    files = files or Path(database).with_suffix(".files")
    command = ["-m", "ludus", "serve", "--port", "0", "--workers", "2", "--proxy", "127.0.0.1", *options]
    return running_server([*command, "--database", str(database), "--files", str(files)], files.with_suffix(".log"))


@contextlib.contextmanager
def running_server(command: list[str], log: Path, around: Callable[..., list[str]] | None = None) -> Iterator[Served]:
    """Run a server as a Python program until left; it must stop by itself when asked to.

    What is `around` may make another command of it.
    """
    process: ForkedPython | subprocess.Popen[str]
    if around is None:
        process = ForkedPython(command, log)
    else:
        with log.open("a") as errors:
            program = around(sys.executable, *command)
            process = subprocess.Popen(program, stdout=subprocess.PIPE, stderr=errors, text=True)
    assert process.stdout is not None
    try:
        told = re.search(r"http://\S+", process.stdout.readline())
        assert told is not None, log.read_text()
        address = told[0].rstrip("/")
        with httpx.Client(transport=httpx.HTTPTransport(verify=False, retries=20)) as client:
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
        secret = new_token(accounts, account)
    client = server.client()
    client.headers["Authorization"] = f"Bearer {secret}"
    return client


def new_token(accounts: Accounts, account: Account) -> str:
    """Return the secret of a token with all scopes that an account can give it."""
    return accounts.add_token(account, "test", SCOPES[: 2 + ROLES.index(account.role)], 1)[1]


def in_person(server: Served, accounts: Accounts, name: str, role: str = "student") -> httpx.Client:
    """Return a client with a session, as a browser has one; the account is made where there is none."""
    client = server.client()
    client.cookies.set("ludus_session", accounts.sign_in(accounts.find(name) or accounts.add(name, PASSWORD, role)))
    client.headers["X-Ludus"] = "1"
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


def serious_faults(page: Page) -> list[str]:
    """Return the serious faults that axe finds on a page, light and dark; the page's context must bypass its policy."""
    if not AXE.exists():
        pytest.skip("axe-core is not installed; make test installs it")
    page.add_script_tag(path=AXE)
    page.emulate_media(color_scheme="light")
    light = axe_finds(page)
    page.emulate_media(color_scheme="dark")
    return light + axe_finds(page, "color-contrast", "link-in-text-block")  # no other rule looks at colours


def axe_finds(page: Page, *rules: str) -> list[str]:
    """Return what breaks these rules of axe, or any, once the page has come to rest."""
    settled(page)
    found = page.evaluate("runOnly => axe.run(runOnly.length ? { runOnly } : {})", rules)
    serious = [fault for fault in found["violations"] if fault["impact"] in ("serious", "critical")]
    return [f"{fault['id']}: {node['html']}" for fault in serious for node in fault["nodes"]]
