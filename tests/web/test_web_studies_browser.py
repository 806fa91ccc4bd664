"""Studies, sharing, boards for other sites and the page without a connection, in a real browser."""

from __future__ import annotations

import http.server
import re
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, Request, expect
from web import PHONE, Served, Visitors, begin, cell, confirm, fits, in_person, page_until, serious_faults

import ludus
from ludus.store.accounts import Accounts

GAME = ludus.game("magnetic-cave")
NODES: list[dict[str, Any]] = [
    {"comment": "The start"},
    {"parent": 0, "move": "A8"},
    {"parent": 1, "move": "H8", "comment": "Opposite", "shapes": [{"cells": [[0, 7], [4, 7]], "colour": "red"}]},
    {"parent": 1, "move": "H7"},
]


@pytest.fixture
def study(served: Served, accounts: Accounts) -> str:
    """Return a study of Ada that anybody with the link sees."""
    chapters = [
        {"title": "First", "start": GAME.initial().text, "nodes": NODES},
        {"title": "Second", "start": GAME.initial().play("A8").text},
    ]
    content = {"title": "Openings", "game": GAME.name, "visibility": "link", "chapters": chapters}
    with in_person(served, accounts, "Ada") as client:
        return str(client.post("/api/studies", json=content).json()["id"])


def drag(page: Page, start: tuple[int, int], end: tuple[int, int], button: Any = "right") -> None:
    boxes = [cell(page, *place).bounding_box() for place in (start, end)]
    (x1, y1), (x2, y2) = [(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2) for box in boxes if box]
    page.mouse.move(x1, y1)
    page.mouse.down(button=button)
    page.mouse.move(x2, y2)
    page.mouse.up(button=button)


def test_an_analysis_is_saved_as_a_study_and_grows(visit: Visitors, served: Served, accounts: Accounts) -> None:
    accounts.add("Grace", "correct horse")
    page = visit(f"/analysis?game={GAME.name}", "Grace")
    cell(page, 0, 0).click()
    expect(page.locator(".tried .moves button")).to_have_count(1)
    page.get_by_role("button", name="Save as study").click()
    expect(page.locator(".tree button")).to_have_text(["1A8"])
    page.get_by_role("button", name="Next move").click()
    expect(page.locator(".tree .current")).to_have_text("1A8")
    for row in (0, 3):  # the second reply is a variation
        cell(page, row, 7).click()
        expect(page.locator(".tree .current")).to_contain_text("H")
        page.locator(".tree button").first.click()
    expect(page.locator(".tree .set-in button")).to_have_text(["2H5"])
    page.get_by_label("Comment on this position").fill("The corner <b>first</b>")
    expect(page.locator(".tree .said")).to_have_text("The corner <b>first</b>")
    drag(page, (0, 0), (3, 3))
    expect(page.locator(".shape.green.arrow")).to_have_count(1)
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Draw").click()
    page.get_by_label("Red cross").check()
    cell(page, 4, 4).click()
    expect(page.locator(".board .shape.red")).to_have_count(1)
    page.get_by_label("Blue square").check()
    cell(page, 6, 2).focus()
    for key in ("Enter", "ArrowRight", "Enter"):
        page.keyboard.press(key)
    expect(page.locator(".board .shape.blue.arrow")).to_have_count(1)
    expect(page.locator(".saved")).to_have_text("Saved")
    page.get_by_text("Edit title").click()
    page.get_by_label("Title").first.fill("Corners")
    page.keyboard.press("Enter")
    expect(page.locator(".study-head strong")).to_have_text("Corners")
    page.get_by_label("Who can see it").select_option("public")
    expect(page.locator(".saved")).to_have_text("Saved")
    page.reload()
    page.locator(".tree button").first.click()
    expect(page.locator(".board .shape")).to_have_count(3)
    expect(page.get_by_label("Comment on this position")).to_have_value("The corner <b>first</b>")
    with in_person(served, accounts, "Grace") as client:
        (kept,) = client.get("/api/studies").json()["mine"]
        assert (kept["title"], kept["visibility"]) == ("Corners", "public")
        nodes = client.get(f"/api/studies/{kept['id']}").json()["chapters"][0]["nodes"]
    assert [node.get("move", "") for node in nodes] == ["", "A8", "H8", "H5"]
    assert [len(shape["cells"]) for shape in nodes[1]["shapes"]] == [2, 1, 2]


def test_moves_are_promoted_and_deleted_and_chapters_added(visit: Visitors, study: str) -> None:
    page = visit(f"/study/{study}", "Ada")
    page.locator(".set-in button").click()
    page.get_by_role("button", name="Make main line").click()
    expect(page.locator(".tree > button")).to_have_text(["1A8", "2H7"])
    page.locator(".set-in button").click()
    page.get_by_role("button", name="Delete from here").click()
    expect(page.locator(".tree button")).to_have_text(["1A8", "2H7"])
    page.get_by_text("Edit title").click()
    page.get_by_role("button", name="New chapter from here").click()
    expect(page.get_by_role("link", name="Chapter 3")).to_have_attribute("aria-current", "page")
    expect(page.locator(".tree")).to_be_hidden()
    page.get_by_role("link", name="First").click()
    expect(page.locator(".tree button")).to_have_text(["1A8", "2H7"])
    page.get_by_text("Edit title").click()
    confirm(page, "Delete study")
    expect(page.get_by_role("heading", name="Your studies")).to_be_visible()


def test_others_read_try_moves_and_copy(visit: Visitors, study: str, accounts: Accounts) -> None:
    if accounts.find("Bob") is None:
        accounts.add("Bob", "correct horse")
    page = visit(f"/study/{study}", "Bob")
    expect(page.get_by_text("You can try moves here; they are not saved.")).to_be_visible()
    assert page.get_by_label("Comment on this position").count() == 0
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    expect(page.locator(".said.whole")).to_have_text("Opposite")
    expect(page.locator(".board .shape.red.arrow")).to_have_count(1)
    cell(page, 1, 0).click()
    expect(page.locator(".tree button")).to_have_count(4)
    page.get_by_role("button", name="Make a copy").click()
    expect(page.get_by_text("Edit title")).to_be_visible()
    expect(page.locator(".study-head strong")).to_have_text("Openings")
    expect(page.locator(".tree button")).to_have_count(3)
    page.goto(f"/study/{study}")
    expect(page.locator(".tree button")).to_have_count(3)


def test_a_private_study_is_closed_to_strangers(visit: Visitors, served: Served, accounts: Accounts) -> None:
    content = {"title": "Mine", "game": GAME.name, "chapters": [{"title": "First", "start": GAME.initial().text}]}
    with in_person(served, accounts, "Ada") as client:
        private = client.post("/api/studies", json=content).json()["id"]
    page = visit(f"/study/{private}")
    expect(page.locator("main")).to_contain_text("There is no such study, or it is private.")


def test_a_phone_draws_by_touch(visit: Visitors, study: str) -> None:
    page = visit(f"/study/{study}", "Ada", **PHONE)
    page.get_by_role("button", name="Draw").tap()
    cell(page, 2, 2).tap()
    expect(page.locator(".board .shape.green")).to_have_count(1)
    cell(page, 2, 2).tap()
    expect(page.locator(".board .shape")).to_have_count(0)
    expect(page.locator(".tree button")).to_have_count(3)
    assert fits(page)


@pytest.mark.parametrize("place", ["match", "analysis", "study"])
def test_share_offers_link_files_pictures_and_a_board(visit: Visitors, served: Served, study: str, place: str) -> None:
    with served.client() as client:
        match = begin(client, GAME.name, "human", "human")["id"]
        client.post(f"/api/matches/{match}/moves", json={"move": "A8", "ply": 0})
    path = {"match": f"/match/{match}", "analysis": f"/analysis?game={GAME.name}", "study": f"/study/{study}"}[place]
    page = visit(path)
    page.locator(".grid").wait_for()
    page.get_by_role("button", name="Share").click()
    dialog = page.get_by_role("dialog")
    expect(dialog.get_by_label("Link", exact=True)).to_have_value(re.compile(f"^{re.escape(served.address + path)}"))
    code = dialog.get_by_label("Board for your own page (HTML)", exact=True).input_value()
    assert code.startswith("<iframe src=")
    assert f"{served.address}/embed/{place}" in code
    starts = {"Picture (PNG)": b"\x89PNG", "Game record": b"[Game", "Animation (GIF)": b"GIF8"}
    for name, start in list(starts.items())[: 2 if place == "analysis" else 3]:  # no move was made there
        with page.expect_download() as download:
            dialog.get_by_role("link", name=name).click()
        assert Path(download.value.path()).read_bytes().startswith(start)
    expect(dialog.locator(".preview")).to_have_js_property("complete", value=True)
    preview = page.locator('meta[property="og:image"]').get_attribute("content")  # what a link to this page shows
    assert (preview or "").startswith(served.address)
    assert page.request.get(preview or "").body().startswith(b"\x89PNG")


class OtherSite(http.server.BaseHTTPRequestHandler):
    """A page of another site, with whatever frame is asked for."""

    frame = ""

    def do_GET(self) -> None:
        body = f'<!doctype html><title>Course</title><iframe src="{self.frame}" width=480 height=600></iframe>'.encode()
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Say nothing."""


@pytest.fixture
def other_site() -> Iterator[str]:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), OtherSite)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://localhost:{server.server_port}"
    server.shutdown()
    server.server_close()


def test_another_site_shows_a_board_without_cookies_and_no_other_page(
    visit: Visitors, served: Served, study: str, other_site: str
) -> None:
    page = visit(f"/study/{study}", "Ada")
    asked: list[Request] = []
    page.on("request", lambda request: asked.append(request))  # noqa: PLW0108 - a method of a list is no listener
    page.locator(".tree").wait_for()
    OtherSite.frame = f"{served.address}/embed/study/{study}"
    page.goto(other_site)
    frame = page.frame_locator("iframe")
    expect(frame.get_by_role("heading", name="Openings")).to_be_visible()
    expect(frame.locator(".said")).to_have_text("The start")
    frame.get_by_role("button", name="Next move").click()
    frame.get_by_role("button", name="Go to end").click()
    expect(frame.locator(".said")).to_have_text("Opposite")
    expect(frame.locator(".shape.red.arrow")).to_have_count(1)
    assert frame.get_by_role("link", name="Open in Ludus").get_attribute("href") == f"/study/{study}"
    framed = [request for request in asked if "/api/" in request.url and request.frame.parent_frame is not None]
    assert framed
    assert not any("cookie" in request.all_headers() for request in framed)
    OtherSite.frame = f"{served.address}/study/{study}"
    page.goto(other_site)
    page_until(page, lambda: len(page.frames) == 2)
    assert page.frames[1].locator("#main").count() == 0
    visit.faults[:] = [fault for fault in visit.faults if "frame-ancestors 'none'" not in fault]


@pytest.mark.parametrize("path", ["study", "share", "studies", "embed"])
def test_axe_finds_no_serious_fault(visit: Visitors, study: str, path: str) -> None:
    paths = {
        "study": f"/study/{study}",
        "share": f"/study/{study}",
        "studies": "/studies",
        "embed": f"/embed/study/{study}",
    }
    page = visit(paths[path], "Ada", bypass_csp=True)
    page.locator("h1").wait_for(state="attached")
    if path == "share":
        page.get_by_role("button", name="Share").click()
        page.locator(".sharing").wait_for()
    assert not serious_faults(page)


def test_without_a_connection_the_shell_says_so_and_nothing_private_was_kept(visit: Visitors, study: str) -> None:
    page = visit(f"/study/{study}", "Ada", service_workers="allow")
    page.locator(".tree").wait_for()
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    page_until(page, lambda: bool(page.evaluate("navigator.serviceWorker.controller !== null")))
    kept = page.evaluate(
        "caches.keys().then(names => Promise.all(names.map(name => caches.open(name).then(cache => cache.keys())))"
        ".then(all => all.flat().map(one => new URL(one.url).pathname)))"
    )
    assert kept
    browser = page.context.new_cdp_session(page)
    assert browser.send("Page.getInstallabilityErrors")["installabilityErrors"] == []
    browser.detach()  # it would answer for the connection that is cut below
    assert not [one for one in kept if one != "/" and not one.startswith("/static/")]
    page.context.set_offline(True)
    page.goto("/lobby")
    expect(page.get_by_role("heading", name="You are offline")).to_be_visible()
    visit.faults[:] = [fault for fault in visit.faults if "ERR_INTERNET_DISCONNECTED" not in fault]
    page.context.set_offline(False)
    page.get_by_role("button", name="Try again").click()
    expect(page.get_by_role("heading", name="You are offline")).to_have_count(0)
