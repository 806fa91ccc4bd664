"""Analysis and the search explorer in a real browser: main paths, lessons, editor, imports, keys, languages, axe."""

from __future__ import annotations

import re
from typing import Any

import httpx
import pytest
from playwright.sync_api import Browser, Page, expect
from test_web_browser import PHONE, browser, cell, legal, pytestmark, shown, until, visit  # noqa: F401
from web import Served, new_context, serious_faults

import ludus
from ludus.players.search import look_ahead

BLUNDER = '[Game "magnetic-cave"]\n1. A1 H1 2. A2 H2 3. A3 H3 4. A4 B1 5. A5'
"""Second does not see the line; at move 8 only A5 holds."""


@pytest.fixture(scope="module")
def lost_game(served: Served) -> str:
    with httpx.Client(base_url=served.address) as client:
        match: str = client.post("/api/imports", json={"game": "cantris", "text": BLUNDER}).json()["match"]
    return match


def ready(page: Page) -> None:
    expect(page.locator(".lines li.best")).to_be_visible()


def test_a_position_its_lines_and_moves_that_are_tried(visit: Any) -> None:  # noqa: F811
    page = visit("/analysis?game=magnetic-cave")
    ready(page)
    expect(page.locator(".idea")).to_have_count(3)
    expect(page.locator(".evaluation")).to_have_attribute("aria-valuenow", re.compile(r"^\d+$"))
    start = shown(page)
    moves = page.locator(".lines li").first.locator(".sequence button")
    moves.nth(1).hover()
    until(page, lambda: shown_pieces(page) == 2)
    page.mouse.move(5, 5)
    until(page, lambda: shown_pieces(page) == 0)
    moves.nth(1).click()
    expect(page.locator(".tried .moves button")).to_have_count(2)
    until(page, lambda: shown_pieces(page) == 2)
    assert "position=" in page.url
    page.mouse.move(5, 5)
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("Home")
    until(page, lambda: shown(page) == start)
    page.keyboard.press("End")
    ready(page)
    page.keyboard.press(" ")
    expect(page.locator(".tried .moves button")).to_have_count(3)
    text = page.url
    page.goto(text)
    until(page, lambda: shown_pieces(page) == 3)
    page.keyboard.press("f")
    expect(page.locator(".evaluation.flipped")).to_have_count(1)


def shown_pieces(page: Page) -> int:
    return page.locator(".boarded .piece").count()


def test_from_a_finished_match_to_its_review(visit: Any, lost_game: str) -> None:  # noqa: F811
    page = visit(f"/match/{lost_game}")
    page.get_by_role("link", name="Analyse").click()
    expect(page.locator(".headline")).to_contain_text("■ Full wins")
    expect(page.locator(".summary table")).to_be_visible()
    expect(page.locator(".review .moves .sign.blunder, .review .moves .sign.mistake")).not_to_have_count(0)
    page.locator(".review .moves button").nth(7).click()
    expect(page.locator(".comment")).to_contain_text("B1 is a")
    expect(page.locator(".comment")).to_contain_text("B1 allows A5")
    assert page.url.endswith("?ply=8")
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("ArrowLeft")
    ready(page)
    cell(page, 3, 0).click()  # A5 instead
    expect(page.locator(".tried")).to_contain_text("What if")
    page.get_by_role("button", name="Back to the game").click()
    expect(page.locator(".tried")).to_have_count(0)
    expect(page.locator(".review .moves .current")).to_contain_text("A4")
    page.locator(".graph").click(position={"x": 2, "y": 40})
    until(page, lambda: shown_pieces(page) == 0)


def test_learn_from_your_mistakes(visit: Any, lost_game: str) -> None:  # noqa: F811
    page = visit(f"/analysis/{lost_game}")
    page.get_by_role("button", name="Learn as □ Hollow").click()
    lesson = page.locator(".lesson")
    while "Move 8:" not in lesson.inner_text():
        lesson.get_by_role("button", name="Skip").click()
        page.wait_for_timeout(100)
    until(page, lambda: shown_pieces(page) == 7)
    expect(page.locator(".lines")).to_be_hidden()
    cell(page, 7, 1).click()
    expect(lesson.locator(".verdict")).to_contain_text("B1 is what was played")
    until(page, lambda: shown_pieces(page) == 7)
    lesson.get_by_role("button", name="Hint").click()
    expect(page.locator(".idea")).to_have_count(3)
    cell(page, 3, 0).click()
    expect(lesson.locator(".verdict")).to_have_text("A5 is the best move!")
    lesson.get_by_role("button", name="Once more").click()
    lesson.get_by_role("button", name="Show solution").click()
    expect(lesson.locator(".verdict")).to_contain_text("Best was A5")
    lesson.get_by_role("button", name="Back to the analysis").click()
    expect(page.locator(".review")).to_be_visible()


def test_a_board_is_edited_and_an_impossible_one_refused(visit: Any) -> None:  # noqa: F811
    page = visit("/analysis?game=magnetic-cave")
    ready(page)
    page.get_by_role("button", name="Edit board").click()
    editor = page.locator(".editor")
    expect(editor).to_be_visible()
    cell(page, 7, 3).click()
    expect(editor.locator(".verdict")).to_have_text("the brick on D1 floats: no bricks of its row join it to a wall")
    expect(editor.get_by_role("button", name="Analyse it")).to_be_disabled()
    cell(page, 7, 3).click()
    editor.get_by_role("radio", name="hollow brick").check(force=True)
    cell(page, 7, 0).click()
    editor.get_by_role("radio", name="□ Hollow").check(force=True)
    expect(editor.locator(".verdict")).to_have_text("A position that can be played.")
    editor.get_by_role("button", name="Analyse it").click()
    ready(page)
    assert "o......." in page.url
    expect(page.locator(".player.side1.turn")).to_be_visible()


def test_what_is_pasted_is_opened(visit: Any) -> None:  # noqa: F811
    page = visit("/analysis")
    ready(page)
    page.get_by_role("button", name="Import").click()
    box = page.get_by_role("dialog")
    box.get_by_role("textbox").fill("nonsense")
    box.get_by_role("button", name="Open").click()
    expect(box.get_by_role("alert")).to_contain_text("the text, line 1, column 1")
    box.locator("input[type=file]").set_input_files(
        {"name": "input.txt", "mimeType": "text/plain", "buffer": b"2\n3\n9.5\n01\n21"}
    )
    box.get_by_role("button", name="Open").click()
    expect(page.locator(".board.game-fruit-rage")).to_be_visible()
    page.get_by_role("button", name="Share").click()
    with page.expect_download() as download:
        page.get_by_role("dialog").get_by_role("link", name="Course's board file").click()
    assert download.value.suggested_filename == "input.txt"
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Import").click()
    page.get_by_role("dialog").get_by_role("textbox").fill(BLUNDER)
    page.get_by_role("dialog").get_by_role("button", name="Open").click()
    expect(page.locator(".review .moves button")).to_have_count(9)


def test_the_explorer_shows_a_search_step_by_step(visit: Any) -> None:  # noqa: F811
    page = visit("/explorer?game=magnetic-cave&depth=2")
    state: Any = ludus.game("magnetic-cave").initial()
    counts = {method: look_ahead(state, method, 2).nodes for method in ("minimax", "alphabeta")}
    said = page.locator(".counts .saying")
    expect(said).to_contain_text(f"Minimax looks at {counts['minimax']} positions, Alpha-beta at {counts['alphabeta']}")
    tree = page.get_by_role("tree")
    expect(tree.get_by_role("treeitem")).to_have_count(1 + len(state.legal_moves))
    tree.locator('[data-node="0"]').focus()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowRight")
    expect(tree.locator('[data-node="1"]')).to_have_attribute("aria-expanded", "true")
    page.keyboard.press("ArrowRight")
    expect(page.locator(".trail .way[aria-current]")).to_have_text(state.play(state.legal_moves[0]).legal_moves[0])
    expect(page.locator(".focus .piece")).to_have_count(2)
    page.get_by_role("button", name="Next cut").click()
    expect(page.locator(".cutting")).to_contain_text("not looked at")
    expect(page.locator(".cutting")).to_contain_text("(value ≤ α)")
    before = page.locator(".number-of").inner_text()
    page.get_by_role("button", name="Previous step").click()
    expect(page.locator(".cutting")).to_have_count(0)
    page.get_by_role("button", name="Next step").click()
    expect(page.locator(".number-of")).to_have_text(before)
    expect(tree.locator(".future")).not_to_have_count(0)
    page.get_by_role("button", name="Play", exact=True).click()
    until(page, lambda: page.locator(".number-of").inner_text() != before)
    page.get_by_role("button", name="Pause").click()
    page.get_by_role("radio", name="Minimax").check(force=True)
    expect(said).to_have_text(f"Minimax looked at {counts['minimax']} positions.")
    expect(page.locator(".outline .cut")).to_have_count(0)
    page.get_by_role("radio", name="6", exact=True).check(force=True)
    expect(page.locator(".refused")).to_contain_text("this search looks at more than 50,000 positions")
    page.get_by_role("radio", name="1", exact=True).check(force=True)
    expect(said).to_have_text("Minimax looked at 16 positions.")


def test_both_pages_in_chinese_on_a_phone(visit: Any, lost_game: str) -> None:  # noqa: F811
    for path in ("/analysis?game=cantris", f"/analysis/{lost_game}?ply=7", "/explorer?game=fruit-rage&depth=2"):
        page = visit(path, viewport=PHONE, has_touch=True, is_mobile=True, locale="zh-TW")
        expect(page.locator("h1")).to_have_text(re.compile("分析|搜尋探索"))
        expect(page.locator(".lines li.best, .outline .row").first).to_be_visible()
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), path
        assert not re.search(
            r"\b(analysis|worth|lines|review|explorer|why|counts|steps)\.\w+", page.locator("main").inner_text()
        )


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("path", ["/analysis?game=cantris", "game", "edit", "/explorer?game=cantris&depth=2"])
def test_axe_finds_no_serious_fault(served: Served, browser: Browser, lost_game: str, path: str, scheme: Any) -> None:  # noqa: F811
    page = new_context(browser, served, bypass_csp=True, color_scheme=scheme).new_page()
    page.goto({"game": f"/analysis/{lost_game}?ply=8", "edit": "/analysis"}.get(path, path))
    expect(page.locator(".lines li.best, .outline .row").first).to_be_visible()
    if path == "game":
        expect(page.locator(".summary table")).to_be_visible()
    if path == "edit":
        page.get_by_role("button", name="Edit board").click()
    assert not serious_faults(page)
    page.context.close()
