"""The web arena in a real browser: the main path of each page, people, keys, languages, screens, and what axe finds."""

from __future__ import annotations

import base64
import itertools
import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, expect
from web import PHONE, Served, Visitors, begin, cell, fits, legal, new_context, page_until, serious_faults, shown

import ludus


@pytest.mark.parametrize("name", ludus.games())
def test_one_click_from_the_first_page_to_a_game(visit: Visitors, name: str) -> None:
    page = visit()
    page.locator(f".card-{name} .button").click()
    expect(page.locator(".status")).to_have_text("Your move")
    legal(page).first.click()
    expect(page.locator(".moves button")).to_have_count(2)
    expect(page.locator(".status")).to_have_text("Your move")
    places = ludus.game(name).initial(1).scores is None  # a claimed fruit and a removed tile leave nothing to outline
    expect(page.locator(".cell.last")).to_have_count(int(places))


def test_two_browsers_play_each_other_and_a_third_watches(visit: Visitors) -> None:
    first = visit("/play?game=magnetic-cave&opponent=link")
    first.get_by_role("button", name="Start").click()
    expect(first.locator(".status")).to_have_text("Waiting for your opponent")
    link = first.locator(".share input").input_value()
    first.locator(".share").get_by_role("button", name="Copy").click()
    expect(first.locator("#toast")).to_have_text(re.compile(f"Link copied|{re.escape(link)}"))
    second, third = visit(link), visit(link)
    second.get_by_role("button", name="Join game").click()
    expect(first.locator(".status")).to_have_text("Your move")
    for row in range(4):
        cell(first, row, 0).click()
        expect(second.locator(".status")).to_have_text("Your move")
        cell(second, row, 7).click()
        expect(first.locator(".status")).to_have_text("Your move")
    cell(first, 4, 0).click()
    expect(first.locator(".status")).to_contain_text("You won! ■ has 5 in a row.")
    expect(second.locator(".status")).to_contain_text("You lost. ■ has 5 in a row.")
    expect(third.locator(".moves button")).to_have_count(9)
    page_until(third, lambda: shown(first) == shown(second) == shown(third))
    third.reload()
    expect(third.locator(".status")).to_contain_text("■ has 5 in a row. 9 moves.")
    second.get_by_role("button", name="Rematch").click()
    expect(second.locator(".status")).to_have_text("Your move")
    first.get_by_role("link", name="Join the rematch").click()
    expect(first.locator(".status")).to_contain_text("to move")


def test_a_chain_reaction_is_shown_step_by_step_and_ends_right(visit: Visitors) -> None:
    page = visit()
    start = "b1.b1b2b2./b2b1b3b2.b1/b2b1b1.r2r2/r1b3r1r1.r2/r1r2b1.r2b1 1 38"
    identity = page.evaluate(
        "start => fetch('/api/matches', {method: 'POST', headers: {'Content-Type': 'application/json'},"
        " body: JSON.stringify({game: 'chain-reaction', seats: ['human', 'human'], start})})"
        ".then(a => a.json()).then(m => m.id)",
        start,
    )
    page.goto(f"/match/{identity}")
    expect(page.locator(".status")).to_have_text("Red to move")
    page.evaluate(
        "() => { window.waves = 0; new MutationObserver(all => all.forEach(one => one.addedNodes.forEach(node =>"
        " { if (node.classList?.contains('wave')) window.waves += 1; })))"
        ".observe(document.querySelector('.effects'), {childList: true}); }"
    )
    cell(page, 4, 1).click()
    expect(page.locator("#announcement")).to_contain_text("Red plays B5. 7 explosions in 6 waves")
    after = ludus.game("chain-reaction").parse(start).play("B5")
    orbs = re.findall(r"[rb]\d|\.", after.text.partition(" ")[0].replace("/", ""))
    words = {"r": "Red", "b": "Blue"}
    told = [f"{words[orb[0]]} {orb[1]}" if orb != "." else "empty" for orb in orbs]
    page_until(page, lambda: [label.split(", ")[1] for label in shown(page).split("|")] == told)
    assert page.evaluate("() => window.waves") == 7
    assert page.locator(".piece").count() == len(orbs) - orbs.count(".")


def test_a_whole_game_by_keys_alone(visit: Visitors) -> None:
    page = visit("/play?game=magnetic-cave&opponent=here")
    expect(page.get_by_role("button", name="Start")).to_be_visible()
    page.locator('input[name="game"]:checked').focus()
    page.keyboard.press("Enter")
    expect(page.locator(".status")).to_contain_text("to move")
    for _ in range(20):
        if page.evaluate("document.activeElement.getAttribute('role')") == "gridcell":
            break
        page.keyboard.press("Tab")
    page.keyboard.press("Home")
    for turn in range(4):
        page.keyboard.press("Home")
        page.keyboard.press("Enter")
        expect(page.locator(".moves button")).to_have_count(2 * turn + 1)
        page.keyboard.press("End")
        page.keyboard.press("Enter")
        expect(page.locator(".moves button")).to_have_count(2 * turn + 2)
        page.keyboard.press("ArrowDown")
    page.keyboard.press("Home")
    page.keyboard.press("Enter")
    expect(page.locator(".status")).to_contain_text("■ Solid wins. ■ has 5 in a row.")
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("Home")
    expect(page.locator(".moves .current")).to_have_count(0)
    assert "brick" not in shown(page)
    page.keyboard.press("ArrowRight")
    expect(page.locator(".moves .current")).to_have_text("1A8")
    page.keyboard.press("End")
    expect(page.locator(".moves .current")).to_have_text("9A4")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog")).to_contain_text("Keyboard shortcuts")
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)


def test_hint_undo_resign_and_replay(visit: Visitors) -> None:
    page = visit("/play?game=chain-reaction")
    page.get_by_role("button", name="Start").click()
    page.get_by_role("button", name="Hint").click()
    expect(page.locator(".idea")).to_have_count(1)
    expect(page.locator(".advice")).to_contain_text("The search expects ")
    before = shown(page)
    legal(page).first.click()
    expect(page.locator(".moves button")).to_have_count(2)
    expect(page.locator(".idea")).to_have_count(0)
    expect(page.locator(".advice")).to_be_hidden()
    page.get_by_role("button", name="Undo").click()
    expect(page.locator(".moves button")).to_have_count(0)
    page_until(page, lambda: shown(page) == before)
    resign, question = page.get_by_role("button", name="Resign"), page.get_by_role("group", name="Resign this game?")
    resign.press("Enter")
    expect(question.get_by_role("button", name="Cancel")).to_be_focused()
    page.keyboard.press("Escape")
    expect(question).to_have_count(0)
    expect(resign).to_be_focused()
    resign.click()
    page.locator(".status").click()  # elsewhere
    expect(question).to_have_count(0)
    resign.click()
    legal(page).first.press("Enter")  # a move leaves the question as it is, and the focus as well
    expect(page.locator(".moves button")).to_have_count(2)
    expect(question).to_be_visible()
    question.get_by_role("button", name="Resign").click()
    expect(page.locator(".status")).to_contain_text("You lost. Red resigned.")
    expect(page.locator("#announcement")).to_contain_text("You lost. Red resigned.")  # no last move says it
    expect(page.get_by_role("button", name="Notify me when it is my turn")).to_have_count(0)
    page.get_by_role("button", name="Share").click()
    with page.expect_download() as download:
        page.get_by_role("dialog").get_by_role("link", name="Game record").click()
    assert ludus.Record.parse(Path(download.value.path()).read_text()).outcome == (1, "resigned")


def test_both_languages_and_both_themes(visit: Visitors) -> None:
    page = visit(locale="zh-TW")
    expect(page.get_by_role("heading", level=1)).to_have_text("選個遊戲，一鍵開局。")
    expect(page.locator("html")).to_have_attribute("lang", "zh-Hant")
    page.get_by_role("button", name="English").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Pick a game. Play in one click.")
    page.get_by_role("button", name="Dark colours").click()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    page.reload()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")
    expect(page.get_by_role("heading", level=1)).to_have_text("Pick a game. Play in one click.")


ENDLESS = """document.getAnimations().filter(one => one.effect.target.closest('.pieces')
  && one.effect.getTiming().iterations === Infinity).length"""


@pytest.mark.parametrize("path", ["/", "/play", "match"])
def test_a_phone_shows_everything_without_scrolling_sideways(visit: Visitors, path: str) -> None:
    page = visit("/", **PHONE)
    if path == "match":
        page.locator(".card-fruit-rage .button").tap()
        expect(page.locator(".status")).to_have_text("Your move")
        legal(page).first.tap()  # shows the group
        legal(page).first.tap()
        expect(page.locator(".moves button")).to_have_count(2)
        expect(page.locator(".status + .dim")).to_have_text(re.compile(r"^Second plays [A-J]\d+ · .*\d"))
    else:
        page.goto(path)
        expect(page.locator("h1")).to_be_visible()
        expect(page.locator(".board .pieces use").first).to_be_attached()
        assert page.evaluate(ENDLESS) == 0, "motion without an end on many boards takes the time that taps need"
    assert fits(page)


EDGE = """async (png) => {
  const picture = new Image();
  picture.src = `data:image/png;base64,${png}`;
  await picture.decode();
  const canvas = new OffscreenCanvas(1, picture.height);
  const context = canvas.getContext("2d");
  context.drawImage(picture, 1, 0, 1, picture.height, 0, 0, 1, picture.height);
  return [...context.getImageData(0, 0, 1, picture.height).data];
}"""
"""The colours down the left edge of a picture, four numbers a pixel."""


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("size", [PHONE["viewport"], {"width": 1280, "height": 500}])
def test_the_background_reaches_the_end_of_a_long_page(
    visit: Visitors, browser: Browser, scheme: str, size: Any
) -> None:
    """Down the edge of the whole page the colour changes by shades, from the one at the top to that at the bottom."""
    page = visit("/play", viewport=size, color_scheme=scheme)
    expect(page.get_by_role("button", name="Start")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollHeight > innerHeight * 1.2")
    taken = base64.b64encode(page.screenshot(full_page=True)).decode()
    with browser.new_page() as blank:
        edge = blank.evaluate(EDGE, taken)
    rows = [edge[at : at + 3] for at in range(0, len(edge), 4)]
    steps = [max(abs(a - b) for a, b in zip(one, other, strict=True)) for one, other in itertools.pairwise(rows)]
    assert max(steps) <= 2
    assert rows[0] != rows[-1]


def test_the_look_of_a_page_does_not_depend_on_those_visited_before(visit: Visitors) -> None:
    page = visit("/bots")
    columns = page.locator(".bots .columns")
    width = "one => getComputedStyle(one).gridTemplateColumns"
    alone = columns.evaluate(width)
    for path, place in {"/explorer?game=cantris&depth=1": ".explorer .columns", "/bots": ".bots .columns"}.items():
        page.evaluate("path => import('/static/page.js').then(({ go }) => go(path))", path)
        page.locator(place).wait_for()
    assert columns.evaluate(width) == alone


def test_reduced_motion_shows_the_result_at_once(visit: Visitors) -> None:
    page = visit("/play?game=cantris&opponent=here", reduced_motion="reduce")
    page.get_by_role("button", name="Start").click()
    cell(page, 7, 0).click()
    expect(page.locator(".moves button")).to_have_count(1)
    assert page.evaluate("document.getAnimations().filter(one => !(one instanceof CSSTransition)).length") == 0


def test_an_empty_list_has_a_next_step(visit: Visitors) -> None:
    page = visit("/tournaments")
    page.get_by_role("link", name="See the ladders").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text("ladder")
    page.goto("/courses")
    page.get_by_role("link", name="Prepare a bot").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Bots")


def test_what_people_write_is_shown_as_text(visit: Visitors, served: Served) -> None:
    record = ludus.Record(ludus.game("cantris").initial(1), ("<img src=x onerror=alert(1)>", "<b>bold</b>"))
    with served.client() as client:
        match = client.post("/api/records", json={"text": record.text}).json()
    page = visit(f"/match/{match['id']}")
    expect(page.locator(".player.side0 strong")).to_have_text("<img src=x onerror=alert(1)>")
    assert page.locator("main img, .player b").count() == 0


@pytest.mark.parametrize("path", ["/", "/play", "match"])
def test_axe_finds_no_serious_fault(visit: Visitors, served: Served, path: str) -> None:
    if path == "match":
        with served.client() as client:
            match = begin(client, "chain-reaction", "human", "human")
            client.post(f"/api/matches/{match['id']}/moves", json={"move": "A1", "ply": 0})
        path = f"/match/{match['id']}"
    page = visit(path, bypass_csp=True)
    page.locator("h1").wait_for(state="attached")
    assert not serious_faults(page)


OLDER = """
delete window.IntersectionObserver; delete Element.prototype.animate; delete window.AudioContext;
delete HTMLDialogElement.prototype.showModal; delete Navigator.prototype.clipboard;
Object.defineProperty(window, "localStorage", { get() { throw new Error("not here"); } });
"""


def test_an_older_browser_lacks_only_the_extras(browser: Browser, served: Served) -> None:
    with new_context(browser, served) as context:
        context.add_init_script(OLDER)
        page = context.new_page()
        faults: list[str] = []
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.goto("/")
        page.get_by_role("button", name="Play Cantris").click()
        expect(page.locator(".grid")).to_be_visible()
        legal(page).first.click()
        expect(page.locator(".moves li")).to_have_count(2)
        page.get_by_role("button", name="Share").click()
        page.get_by_role("button", name="Copy: Link").click()
        page.get_by_role("button", name="Close").click()
        page.get_by_role("button", name="Keyboard shortcuts").click()
        expect(page.get_by_role("dialog")).to_be_visible()
        page.get_by_role("button", name="Close").click()
        page.get_by_role("button", name="Sounds").click()
        assert not faults
