"""What a player meets in a real browser: how to play, a first game's guide, how it ended, the connection, a phone."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import quote

import pytest
from playwright.sync_api import Browser, Page, Request, Route, expect
from web import (
    PASSWORD,
    PHONE,
    Served,
    Visitors,
    cell,
    confirm,
    fits,
    legal,
    new_context,
    page_until,
    serious_faults,
    settled,
)

import ludus
from ludus.messages import render
from ludus.players.levels import levels
from ludus.store.accounts import Accounts
from ludus.web.views import position_view


def test_every_game_is_taught_in_three_steps_that_move(visit: Visitors) -> None:
    page = visit("/play")
    for name in ludus.games():
        page.locator(f'input[name="game"][value="{name}"]').check()
        lesson = ludus.game(name).lesson
        assert lesson is not None
        expect(page.locator(".lesson li p")).to_have_text([str(step.words) for step in lesson.steps])
        expect(page.locator(".how")).to_contain_text(str(lesson.goal))
        elo = levels(name)[0].elo
        expect(page.locator(".level small")).to_have_text(re.compile(f"^Elo {elo}: sees about \\d+% of its moves"))
        expect(page.locator(".lesson .effects > *, .lesson .cell.last").first).to_be_attached()
    page.get_by_role("button", name="繁體中文").click()
    first = ludus.game(ludus.games()[0]).lesson
    assert first is not None
    expect(page.locator(".how")).to_contain_text(render(first.goal, "zh-Hant"))
    page.route("**/api/lessons/*", lambda route: route.fulfill(json={}))
    page.reload()
    expect(page.locator('input[name="game"]').first).to_be_attached()
    expect(page.locator(".lesson")).to_have_count(0)


def test_a_first_game_is_guided_until_the_first_moves_are_made(visit: Visitors) -> None:
    page = visit("/play?game=magnetic-cave&opponent=here")
    page.get_by_role("button", name="Start").click()
    expect(page.locator(".guide")).to_contain_text("next to a wall, or beside a brick")
    expect(page.locator(".guided .cell.legal")).to_have_count(16)
    legal(page).first.click()
    expect(page.locator(".moves button")).to_have_count(1)
    expect(page.locator(".guide")).to_be_visible()
    legal(page).first.click()
    expect(page.locator(".moves button")).to_have_count(2)
    expect(page.locator(".guide")).to_be_hidden()
    expect(page.locator(".guided")).to_have_count(0)
    page.get_by_text("How to play").click()
    expect(page.locator(".panel .lesson li")).to_have_count(3)
    page.goto("/play?game=magnetic-cave&opponent=here")
    page.get_by_role("button", name="Start").click()
    expect(page.locator(".status")).to_contain_text("to move")
    expect(page.locator(".guide")).to_be_hidden()
    page.goto("/play?game=cantris&opponent=here")
    page.get_by_role("button", name="Start").click()
    page.get_by_role("button", name="Got it").click()
    expect(page.locator(".guide")).to_be_hidden()
    page.reload()
    expect(page.locator(".status")).to_contain_text("to move")
    expect(page.locator(".guide")).to_be_hidden()


BEGIN = (
    "body => fetch('/api/matches', {method: 'POST', headers: {'Content-Type': 'application/json'},"
    " body: JSON.stringify(body)}).then(answer => answer.json()).then(match => match.id)"
)


def begin(page: Page, game: str, start: str, *seats: str, **more: Any) -> str:
    """Begin a game from a position, and open it."""
    identity: str = page.evaluate(BEGIN, {"game": game, "seats": seats, "start": start, **more})
    page.goto(f"/match/{identity}")
    return identity


def test_the_end_of_a_game_says_why_and_is_there_to_review(visit: Visitors) -> None:
    page = visit(bypass_csp=True)
    begin(page, "cantris", "..3/133 1 118-329 0", "human", "engine:level=1")
    cell(page, 1, 0).click()
    why = "You lost 119 : 329. A column is empty, so the game is over. 1 move."
    expect(page.locator(".status")).to_have_text(why)
    expect(page.locator(".traces .winning")).to_have_count(1)
    page.reload()
    expect(page.locator(".status")).to_have_text(why)
    expect(page.locator(".traces .winning")).to_have_count(1)
    assert page.locator(".panel .actions > *").all_inner_texts()[:2] == ["Rematch", "Review"]
    page.get_by_role("button", name="繁體中文").click()
    expect(page.locator(".status")).to_have_text("你以 119 : 329 落敗。有一欄清空了，遊戲結束。共 1 手。")
    page.get_by_role("link", name="分析").click()
    expect(page.locator(".tiles a")).to_have_count(len(ludus.games()))
    assert fits(page)
    assert not serious_faults(page)
    page.locator(".finished a").click()
    expect(page.locator(".headline")).to_be_visible()


def test_after_a_game_against_a_level_the_next_one_suits(visit: Visitors) -> None:
    page = visit()
    begin(page, "cantris", "..3/133 1 329-118 0", "human", "engine:level=3")
    cell(page, 1, 0).click()
    expect(page.locator(".status")).to_contain_text("You won 330 : 118")
    lost = page.url
    page.get_by_role("button", name="Play level 4").click()
    expect(page.locator(".player.side1 strong")).to_have_text("Engine, level 4")
    expect(page.locator(".player.side0 strong")).to_have_text("You")
    begin(page, "cantris", "..3/133 1 118-329 0", "human", "engine:level=10")
    cell(page, 1, 0).click()
    expect(page.get_by_role("button", name="Play level 9")).to_be_visible()
    page.goto("/")  # goes on at the level that was played last
    page.get_by_role("button", name="Play Cantris").click()
    expect(page.locator(".player.side1 strong")).to_have_text("Engine, level 10")
    stranger = visit(lost)
    expect(stranger.get_by_role("link", name="Review")).to_be_visible()
    expect(stranger.get_by_role("button", name="Play level")).to_have_count(0)


def test_the_review_of_ones_own_game_speaks_to_the_player(visit: Visitors) -> None:
    page = visit()
    rows = ["........"] * 6 + ["oooo....", "xxxx...."]
    match = begin(page, "magnetic-cave", f"{'/'.join(rows)} 1", "human", "engine:level=10")
    cell(page, 0, 7).click()  # instead of E1, which wins
    expect(page.locator(".status")).to_contain_text("You lost")
    first = page.locator(".panel .actions > :nth-child(-n + 3)")
    expect(first).to_have_text(["Rematch", "Review", "Why did I lose?"])
    page.get_by_role("button", name="Why did I lose?").press("Enter")
    expect(page.locator(".decided")).to_be_focused()
    expect(page.locator(".decided p")).to_have_text(
        "Move 1 decided the game. H8 is a blunder. E1 wins in 1. H8 allows E2."
    )
    expect(page.locator(".moves .current")).to_have_text("1H8")
    expect(page.locator(".decided a").first).to_have_attribute("href", f"/analysis/{match}?ply=0")
    page.get_by_role("link", name="Review").click()
    expect(page.locator(".headed p")).to_have_text("You lost. □ has 5 in a row. 2 moves.")
    expect(page.locator(".player.side0 strong")).to_have_text("You")
    learn = page.get_by_role("button", name="Learn from your mistakes")
    expect(page.locator(".moves .sign")).to_have_text(["??", "★"])
    page.set_viewport_size({"width": 720, "height": 720})
    assert page.locator(".moves button").evaluate_all("all => all.every(one => one.scrollWidth <= one.clientWidth)")
    page.set_viewport_size({"width": 1280, "height": 720})
    expect(learn).to_be_in_viewport(ratio=1)
    learn.click()
    expect(page.locator(".mistakes")).to_contain_text("Find a better move")
    numbers = "all => all.map(one => getComputedStyle(one, '::before').content)"
    assert {*page.locator(".mistakes p").evaluate_all(numbers)} == {"none"}, "these are no steps of How to play"
    stranger = visit(f"/analysis/{match}")
    expect(stranger.locator(".player.side0 strong")).to_have_text("Guest")
    expect(stranger.get_by_role("button", name="Learn as ■ Solid")).to_be_visible()


def test_on_a_phone_the_end_of_a_game_and_what_follows_need_no_scrolling(visit: Visitors) -> None:
    page = visit(**PHONE)
    begin(page, "cantris", "..3/133 1 118-329 0", "human", "engine:level=3")
    cell(page, 1, 0).tap()
    for name in ("Rematch", "Play level 2"):
        expect(page.get_by_role("button", name=name)).to_be_in_viewport(ratio=1)
    expect(page.get_by_role("link", name="Review")).to_be_in_viewport(ratio=1)
    assert fits(page)


def test_a_lost_connection_is_said_until_it_is_back(browser: Browser, served: Served) -> None:
    with new_context(browser, served) as context:  # its console has errors
        page = context.new_page()
        page.goto("/lobby")
        expect(page.get_by_role("button", name="Find an opponent")).to_be_visible()
        expect(page.locator(".banner")).to_have_count(0)
        context.set_offline(offline=True)
        expect(page.locator(".banner")).to_have_text("Connection lost. Reconnecting…")
        context.set_offline(offline=False)
        expect(page.locator(".banner")).to_have_count(0)


NOTIFY = """
window.told = []; window.asked = 0;
window.Notification = class { constructor(title, { body }) { window.told.push(`${title}: ${body}`); } close() {}
  static permission = "default";
  static async requestPermission() { window.asked += 1; return (Notification.permission = "granted"); } };
Object.defineProperty(document, "hidden", { get: () => window.asked > 0 });
"""


def test_two_people_see_each_other_come_and_go_and_whose_turn_it_is(visit: Visitors) -> None:
    one, two = visit("/play?game=magnetic-cave&opponent=link"), visit()
    one.add_init_script(NOTIFY)
    one.reload()
    one.get_by_role("button", name="Start").click()
    two.goto(one.locator(".share input").input_value())
    two.get_by_role("button", name="Join game").click()
    expect(one.locator(".player.side1 small")).to_have_text("□ Hollow · online")
    expect(one).to_have_title("Your move · Magnetic Cave · Ludus")
    cell(one, 0, 0).click()
    expect(one).to_have_title("Magnetic Cave · Ludus")
    assert one.evaluate("window.asked") == 0
    one.get_by_role("button", name="Notify me when it is my turn").click()
    expect(one.get_by_role("button", name="Notify me when it is my turn")).to_have_attribute("aria-pressed", "true")
    cell(two, 0, 7).click()
    page_until(one, lambda: one.evaluate("window.told.length") > 0)
    assert one.evaluate("window.told") == ["Your move: Magnetic Cave"]
    two.close()
    expect(one.locator(".player.side1 small")).to_have_text("□ Hollow · away")


@pytest.mark.parametrize("name", ["fruit-rage", "cantris"])
def test_on_a_phone_a_tap_on_a_small_cell_previews_and_a_second_plays(visit: Visitors, name: str) -> None:
    page = visit(**PHONE)
    options: dict[str, Any] = {"size": 26, "types": 2} if name == "fruit-rage" else {"rows": 12, "cols": 8}
    start = ludus.game(name, **options).initial(1)
    begin(page, name, start.text, "human", "human", options=options)
    tapped = position_view(start).legal[-1]
    assert fits(page)
    cell(page, *tapped.cells[-1]).tap()
    expect(page.locator(".status")).to_have_text(re.compile(rf"^\+{tapped.points} points?\. Tap again to play$"))
    expect(page.locator(".cell.lit")).to_have_count(len(tapped.cells))
    expect(page.locator(".tip")).to_have_text(f"+{tapped.points}")
    assert page.locator(".tip").bounding_box()["height"] > 12  # type: ignore[index]  # as large as other words
    expect(page.locator(".moves button")).to_have_count(0)
    cell(page, *tapped.cells[-1]).tap()
    expect(page.locator(".moves button")).to_have_count(1)


def test_on_a_phone_the_menu_reaches_every_page(visit: Visitors) -> None:
    page = visit(**PHONE)
    links = page.get_by_role("navigation").get_by_role("link")
    expect(links).to_have_count(0)
    page.get_by_role("button", name="Menu").tap()
    expect(links).to_have_count(9)
    assert fits(page)
    page.keyboard.press("Escape")
    expect(links).to_have_count(0)
    page.get_by_role("button", name="Menu").tap()
    links.get_by_text("Courses").tap()
    expect(page.get_by_role("heading", level=1)).to_have_text("Courses")
    expect(links).to_have_count(0)


@pytest.mark.parametrize("width", [1240, 1440])
def test_no_link_of_the_header_is_cut_off(visit: Visitors, accounts: Accounts, width: int) -> None:
    name = "Maximiliane von Hohenstein"
    if accounts.find(name) is None:
        accounts.add(name, PASSWORD)
    page = visit("/lobby", name, viewport={"width": width, "height": 800})
    expect(page.get_by_role("navigation", name="Pages").get_by_role("link")).to_have_count(9)
    assert page.locator("#pages").evaluate("one => one.scrollWidth <= one.clientWidth")
    between = "one => one.getBoundingClientRect().left - document.querySelector('#pages').getBoundingClientRect().right"
    assert page.locator(".tools").evaluate(between) < 20, "the name takes the room that is left"


def test_the_first_load_is_small(browser: Browser, served: Served) -> None:
    """Fewer than 15 requests and 150 kB, with every board in motion and every list."""
    asked: list[Request] = []
    with new_context(browser, served) as context:
        page = context.new_page()
        page.on("requestfinished", lambda one: asked.append(one))  # noqa: PLW0108 - it must be a function of Python
        with page.expect_response("**/api/now"):
            page.goto("/", wait_until="networkidle")
        expect(page.locator(".card .board .pieces > *").first).to_be_attached()
        expect(page.locator(".card .board > svg")).to_have_count(len(ludus.games()))
        settled(page)
        sizes = {one.url: one.sizes() for one in asked}
        ahead = page.locator("link[rel=modulepreload]").evaluate_all("links => links.map(one => one.href)")
    assert "home.js" in " ".join(ahead)
    assert {*ahead} <= {*sizes}
    assert len(asked) == len(sizes), "nothing is asked for twice"
    total = sum(one["responseBodySize"] + one["responseHeadersSize"] for one in sizes.values())
    print(f"first load: {len(sizes)} requests, {total} bytes")  # noqa: T201
    assert len(sizes) < 15, sorted(sizes)
    assert total < 150_000


def test_the_home_page_leads_back_into_unfinished_games(visit: Visitors) -> None:
    page = visit()
    expect(page.locator(".card")).to_have_count(len(ludus.games()))
    expect(page.locator(".mine")).to_be_hidden()
    page.get_by_role("button", name="Play Cantris").click()
    expect(page.locator(".status")).to_have_text("Your move")
    at = page.url
    here = at.removeprefix(page.url.split("/match/")[0])
    expect(page.locator("#top .me")).to_have_attribute("href", f"/account?next={quote(here, safe='')}")
    page.goto(here.replace("match", "analysis"))  # not before it is over
    expect(page.locator(".status")).to_have_text("Your move")
    assert page.url == at
    page.goto("/")
    expect(page.locator(".mine a")).to_have_text(["Cantrisvs. Engine, level 10 movesContinue"])
    page.locator(".mine a").click()
    expect(page.locator(".status")).to_have_text("Your move")
    assert page.url == at
    confirm(page, "Resign")
    expect(page.get_by_role("button", name="Rematch")).to_be_visible()
    page.goto("/")
    expect(page.locator(".card .board > svg")).to_have_count(len(ludus.games()))
    expect(page.locator(".mine")).to_be_hidden()


@pytest.mark.parametrize("name", ["cantris", "chain-reaction", "fruit-rage"])
def test_seats_are_as_wide_as_the_board_and_a_phone_shows_whose_turn_it_is(visit: Visitors, name: str) -> None:
    page = visit(viewport={"width": 1440, "height": 900})
    start = ludus.game(name).initial(1).text
    match = begin(page, name, start, "human", "human")
    page.locator(".grid").wait_for()
    sides = "all => all.map(one => one.getBoundingClientRect()).map(({ left, right }) => [left, right].map(Math.round))"
    bed = page.locator(".ground").evaluate_all(sides)[0]
    seat = page.locator(".player").evaluate_all(sides)[0]
    if name != "cantris":  # its board is narrower than a name
        assert abs(bed[0] - seat[0]) <= 4
        assert abs(bed[1] - seat[1]) <= 4
    phone = visit(f"/match/{match}", **PHONE)
    status = phone.locator(".status")
    expect(status).not_to_be_empty()
    assert status.evaluate("one => one.getBoundingClientRect().bottom <= innerHeight")


@pytest.mark.parametrize("width", [720, 1440])
def test_every_row_of_cards_is_full(visit: Visitors, width: int) -> None:
    page = visit(viewport={"width": width, "height": 900})
    expect(page.locator(".card")).to_have_count(len(ludus.games()))
    edges = "cards => cards.map(one => one.getBoundingClientRect()).map(({ top, right }) => [top, Math.round(right)])"
    rows = dict(page.locator(".card").evaluate_all(edges))  # the right edge of the last card of each row
    assert len(set(rows.values())) == 1


@pytest.mark.parametrize(("path", "data", "place"), [("/lobby", "lobby", "main"), ("/", "showcase", ".cards")])
def test_a_page_whose_data_takes_long_shows_that_it_is_on_its_way(
    visit: Visitors, path: str, data: str, place: str
) -> None:
    page = visit("/account")
    held: list[Route] = []
    page.route(f"**/api/{data}", lambda one: held.append(one))  # noqa: PLW0108 - it must be a function of Python
    page.goto(path)
    page_until(page, lambda: bool(held))
    mark = f"getComputedStyle(document.querySelector('{place}'), '::before').animationName"
    page_until(page, lambda: page.evaluate(mark) == "wait")
    held[0].continue_()
    page_until(page, lambda: page.evaluate(mark) == "none")
