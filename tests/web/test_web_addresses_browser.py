"""Wrong addresses and a server that is away, in a real browser: each shows a page that says so, and a way on."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from playwright.sync_api import Browser, Page, expect
from web import Served, Visitors, begin, new_context, serious_faults

import ludus
from ludus.web.http.addresses import PATTERNS, STATIC

NOWHERE = "There is no page at this address. Check the address for typos."
NO_PAGES = (
    *("/foo", "/foo/bar", "/match", "/match/short", "/match/%E0%A4%A", "/analysis/xyz", "/explorer/xyz", "/play/xyz"),
    *("/tournament/xyz", "/tournaments/xyz", "/bot/xyz", "/bots/xyz", "/course/xyz", "/courses/xyz", "/ladder/xyz"),
    *("/static/nope.js", "/api/nope", "/api/matches/aaaaaaaaaaaa"),
)
WRONG = dict.fromkeys(NO_PAGES, NOWHERE) | {
    "/match/aaaaaaaaaaaa": "There is no such game.",
    "/analysis/aaaaaaaaaaaa": "There is no such game.",
    "/challenge/aaaaaaaaaaaa": "There is no such challenge.",
    "/tournaments/99": "There is no such tournament.",
    "/bots/99": "There is no such bot.",
    "/courses/99": "There is no such course.",
}


def says(page: Page, title: str, sentence: str) -> None:
    expect(page.locator("main h1")).to_have_text(title)
    expect(page.locator("main .empty p").first).to_have_text(sentence)
    expect(page).to_have_title(f"{title} · Ludus")


def test_every_page_has_its_addresses() -> None:
    assert set(PATTERNS) == {file.stem for file in (STATIC / "pages").glob("*.js")}


@pytest.fixture(scope="module")
def wanderer(browser: Browser, served: Served) -> Iterator[Page]:
    """Return the page of somebody who goes from one wrong address to the next."""
    visitors = Visitors(browser, served)
    yield visitors()
    visitors.leave()


@pytest.mark.parametrize("path", WRONG)
def test_a_wrong_address_is_told_so(wanderer: Page, path: str) -> None:
    answer = wanderer.goto(path)
    assert answer is not None
    assert answer.status == 404
    says(wanderer, "Page not found", WRONG[path])


def test_a_wrong_address_leads_to_the_first_page(visit: Visitors) -> None:
    page = visit("/foo")
    page.get_by_role("link", name="Back to home").click()
    expect(page.locator(".cards .card").first).to_be_visible()
    expect(page).to_have_title("Ludus")


def test_a_wrong_link_within_the_page_is_told_so(visit: Visitors) -> None:
    page = visit("/analysis?game=cantris")
    expect(page.locator(".board")).to_be_visible()
    for path in ("/foo", "/match/short", "/ladder/xyz"):
        page.evaluate("path => { history.pushState(null, '', path); dispatchEvent(new Event('go')); }", path)
        says(page, "Page not found", NOWHERE)
        assert page.locator("main").get_attribute("class") == ""
        page.go_back()
        expect(page.locator(".board")).to_be_visible()


def test_right_addresses_are_found(served: Served) -> None:
    with served.client() as client:
        match = begin(client, "cantris", "human", "human")["id"]
        rights = ["/", "/play", "/play/", f"/match/{match}", f"/analysis/{match}", "/analysis?game=cantris"]
        rights += [
            "/explorer",
            "/ladder",
            "/ladder/cantris",
            "/bots",
            "/tournaments",
            "/tournaments/new",
            "/courses",
            "/account",
        ]
        for path in rights:
            answer = client.get(path, headers={"Accept": "text/html"})
            assert (answer.status_code, "<!doctype html>" in answer.text) == (200, True), path


def test_programs_that_ask_are_answered_in_json(served: Served) -> None:
    with served.client() as client:
        for path in ("/foo", "/api/nope", "/api/matches/short", "/api/matches/aaaaaaaaaaaa"):
            answer = client.get(path, headers={"Accept": "*/*"})
            assert answer.status_code in (404, 422)
            assert json.loads(answer.text)["detail"]


def test_what_an_address_asks_wrongly_is_said(visit: Visitors) -> None:
    page = visit("/analysis?game=nope")
    games = ", ".join(ludus.games())
    says(page, "This page cannot be shown", f"There is no game 'nope'; the games are {games}.")
    page = visit("/api/accounts")
    expect(page.locator("main h1")).to_have_text("Sign in to see this page")


def test_in_chinese(visit: Visitors) -> None:
    page = visit("/match/short", locale="zh-TW")
    says(page, "找不到頁面", "這個網址沒有頁面，請檢查是否打錯。")
    page = visit("/match/aaaaaaaaaaaa", locale="zh-TW")
    says(page, "找不到頁面", "沒有這局棋。")


def test_a_server_that_is_away_is_told_and_tried_again(served: Served, browser: Browser) -> None:
    context = new_context(browser, served)
    page = context.new_page()
    page.goto("/play")
    expect(page.locator("h1")).to_have_text("New game")
    context.route("**/*", lambda route: route.abort())  # the browser is online, the server is not
    page.get_by_role("link", name="Analysis").click()
    how = "Check your connection. If the server is restarting, it will be back in a moment."
    says(page, "Cannot reach the server", how)
    page.get_by_role("button", name="Try again").click()
    expect(page.locator("#toast.shown")).to_have_text("Cannot reach the server; try again in a moment")
    page.get_by_role("button", name="繁體中文").click()
    expect(page.locator("html")).to_have_attribute("lang", "en")
    context.unroute("**/*")
    page.get_by_role("button", name="Try again").click()
    expect(page.locator(".tiles a").first).to_be_visible()
    assert page.url.startswith(f"{served.address}/analysis")
    context.close()


def test_axe_finds_no_serious_fault(visit: Visitors) -> None:
    page = visit("/foo", bypass_csp=True)
    expect(page.locator("main h1")).to_have_text("Page not found")
    assert not serious_faults(page)
