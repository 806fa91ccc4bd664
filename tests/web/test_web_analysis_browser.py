"""Analysis and the search explorer in a real browser: main paths, lessons, editor, imports, keys, languages, axe."""

from __future__ import annotations

import contextlib
import random
import re
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote, urlencode

import httpx
import pytest
from playwright.sync_api import Page, expect
from web import PHONE, Served, Visitors, cell, fits, follow, legal, page_until, serious_faults, shown

import ludus
from ludus.game import read_options
from ludus.play.record import Record
from ludus.search.teaching import look_ahead
from ludus.store.accounts import Accounts
from ludus.store.bots import BotStore
from ludus.store.matches import Matches, StoredMatch

BLUNDER = '[Game "magnetic-cave"]\n1. A1 H1 2. A2 H2 3. A3 H3 4. A4 B1 5. A5'
"""Second does not see the line; at move 8 only A5 holds."""


def imported(client: httpx.Client, text: str) -> str:
    match: str = client.post("/api/imports", json={"game": "cantris", "text": text}).json()["match"]
    return match


@pytest.fixture(scope="module")
def lost_game(served: Served) -> str:
    with served.client() as client:
        return imported(client, BLUNDER)


def ready(page: Page) -> None:
    expect(page.locator(".lines li.best")).to_be_visible()


def test_a_position_its_lines_and_moves_that_are_tried(visit: Visitors) -> None:
    page = visit("/analysis?game=magnetic-cave")
    ready(page)
    expect(page.locator(".idea")).to_have_count(3)
    expect(page.locator(".evaluation")).to_have_attribute("aria-valuenow", re.compile(r"^\d+$"))
    start = shown(page)
    moves = page.locator(".lines li").first.locator(".sequence button")
    moves.nth(1).hover()
    page_until(page, lambda: shown_pieces(page) == 2)
    page.mouse.move(5, 5)
    page_until(page, lambda: shown_pieces(page) == 0)
    moves.nth(1).click()
    expect(page.locator(".tried .moves button")).to_have_count(2)
    page_until(page, lambda: shown_pieces(page) == 2)
    assert "position=" in page.url
    page.mouse.move(5, 5)
    page.evaluate("document.activeElement.blur()")
    page.keyboard.press("Home")
    page_until(page, lambda: shown(page) == start)
    page.keyboard.press("End")
    ready(page)
    page.keyboard.press(" ")
    expect(page.locator(".tried .moves button")).to_have_count(3)
    text = page.url
    page.goto(text)
    page_until(page, lambda: shown_pieces(page) == 3)
    page.keyboard.press("f")
    expect(page.locator(".evaluation.flipped")).to_have_count(1)


UNSTEADY = "....r1./....../.....b1/r1...../...... 2 3"
"""Chain Reaction: at depths 8 and 9 the second or third line turns out better than the first."""
HEARD = """
window.heard = [];
const Stream = EventSource;
window.EventSource = class extends Stream {
    set onmessage(take) { super.onmessage = (event) => { take(event); window.heard.push(JSON.parse(event.data)); }; }
};
"""


def test_lines_come_best_first_while_it_thinks_and_when_it_is_done(visit: Visitors) -> None:
    page = visit("/")
    page.add_init_script(HEARD)
    page.goto(f"/analysis?game=chain-reaction&position={quote(UNSTEADY)}")
    page_until(page, lambda: page.evaluate("window.heard.some(({ done }) => done)"))
    heard = page.evaluate("window.heard")
    assert max(thought["depth"] for thought in heard) >= 8, "it did not come to where the order changes"
    for thought in heard:
        values = [line["value"] for line in thought["lines"]]
        assert values == sorted(values, reverse=True), thought
    best = heard[-1]["lines"][0]["moves"][0]
    expect(page.locator(".lines li.best .sequence button").first).to_have_text(best)
    expect(page.locator(".lines li.best")).to_have_count(1)
    assert page.locator(".lines li .sequence button:first-child").all_inner_texts() == [
        line["moves"][0] for line in heard[-1]["lines"]
    ]
    thick = page.locator(".idea", has=page.locator('> rect[stroke-width="8"]'))
    expect(thick).to_have_count(1)
    row, col = int(best[1:]) - 1, ord(best[0]) - ord("A")
    expect(thick).to_have_attribute("transform", f"translate({col * 100 + 50} {row * 100 + 50})")


def test_lines_that_were_looked_at_while_others_came_are_renewed(visit: Visitors) -> None:
    page = visit("/")
    page.add_init_script(HEARD)
    page.goto(f"/analysis?game=chain-reaction&position={quote(UNSTEADY)}")
    ready(page)
    page.locator(".lines li .sequence button").first.hover()
    page_until(page, lambda: page.evaluate("window.heard.some(({ done }) => done)"))
    page.mouse.move(5, 5)
    expected = [" ".join(line["moves"][:8]) for line in page.evaluate("window.heard.at(-1).lines")]
    page_until(
        page,
        lambda: (
            page.locator(".lines .sequence").evaluate_all(
                "all => all.map(one => one.innerText.split(/\\s+/).join(' '))"
            )
            == expected
        ),
    )


def shown_pieces(page: Page) -> int:
    return page.locator(".boarded .piece").count()


def test_from_a_finished_match_to_its_review(visit: Visitors, lost_game: str) -> None:
    page = visit(f"/match/{lost_game}")
    page.get_by_role("link", name="Review").click()
    expect(page.locator(".headline")).to_contain_text("■ Solid wins")
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
    expect(page.locator(".tried")).to_be_hidden()
    expect(page.locator(".review .moves .current")).to_contain_text("A4")
    page.locator(".graph").click(position={"x": 2, "y": 40})
    page_until(page, lambda: shown_pieces(page) == 0)


def test_players_of_a_game_under_review_have_their_names(visit: Visitors, database: Path, accounts: Accounts) -> None:
    ada = accounts.add("Ada", "correct horse")
    with contextlib.closing(BotStore(database)) as bots, contextlib.closing(Matches(database)) as matches:
        deep = bots.add(ada.id, "magnetic-cave", "Deep Cave")
        gone = bots.add(ada.id, "magnetic-cave", "Gone")
        bots.remove(gone.id)
        game = Record.parse(BLUNDER)
        seats: dict[str, tuple[list[str], list[str | None], list[str]]] = {
            "named-person": (["human", deep.text], [f"account:{ada.id}", None], ["Ada", "Deep Cave"]),
            "guest-person": ([gone.text, "human"], [None, "0" * 32], ["removed bot", "Guest"]),
            "engine-level": (
                ["engine:level=3", "mcts:playouts=2000"],
                [None] * 2,
                ["Engine, level 3", "MCTS, 2,000 playouts"],
            ),
            "nobody-knows": (["?", "?"], [None, None], ["■ Solid", "□ Hollow"]),
        }
        for name, (players, owners, called) in seats.items():
            game.players = (players[0], players[1])
            matches.save(StoredMatch(name, "magnetic-cave", game.text, owners, 1, None, True))
            page = visit(f"/analysis/{name}")
            for side in (0, 1):
                expect(page.locator(f".player.side{side} strong")).to_have_text(called[side])


def test_learn_from_your_mistakes(visit: Visitors, lost_game: str) -> None:
    page = visit(f"/analysis/{lost_game}")
    page.get_by_role("button", name="Learn as □ Hollow").click()
    lesson = page.locator(".mistakes")
    while "Move 8:" not in (task := lesson.inner_text()):
        lesson.get_by_role("button", name="Skip").click()
        expect(lesson).not_to_have_text(task, use_inner_text=True)
    page_until(page, lambda: shown_pieces(page) == 7)
    expect(page.locator(".lines")).to_be_hidden()
    cell(page, 7, 1).click()
    expect(lesson.locator(".verdict")).to_contain_text("B1 is the move that was played")
    page_until(page, lambda: shown_pieces(page) == 7)
    lesson.get_by_role("button", name="Hint").click()
    expect(page.locator(".idea")).to_have_count(3)
    cell(page, 3, 0).click()
    expect(lesson.locator(".verdict")).to_have_text("A5 is the best move!")
    lesson.get_by_role("button", name="Start again").click()
    lesson.get_by_role("button", name="Show solution").click()
    expect(lesson.locator(".verdict")).to_contain_text("The best move was A5")
    lesson.get_by_role("button", name="Back to analysis").click()
    expect(page.locator(".review")).to_be_visible()


BOARDS = [
    ("chain-reaction", {"rows": 4, "cols": 4}),
    ("magnetic-cave", {}),
    ("fruit-rage", {"size": 5}),
    ("cantris", {}),
    ("cantris", {"rows": 10, "cols": 5}),
]
DRAWN = """async ([game, options, position]) => {
    const asked = new URLSearchParams({ game, options, position });
    const study = await (await fetch(`/api/positions?${asked}`)).json();
    const [{ Board }, { loadLook }] = await Promise.all([import("/static/board.js"), import("/static/look.js")]);
    const fresh = new Board(study.frame, await loadLook(game));
    fresh.set(study.position.board);
    const pieces = (layer) => [...layer.children]
        .map((piece) => (piece.getAttribute("transform") + piece.innerHTML).replace(/\\bb\\d+\\b/g, ""))
        .sort().join("|");
    const layer = document.querySelector(".boarded .board .pieces");
    return layer !== null && pieces(layer) === pieces(fresh.layer);
}"""


class Careless(NamedTuple):
    """The first moves of a game that nobody thinks about, and their match on the server."""

    record: Record
    states: list[Any]
    match: str


@pytest.fixture(scope="module", params=BOARDS, ids=lambda board: f"{board[0]} {board[1]}")
def careless(request: pytest.FixtureRequest, served: Served) -> Careless:
    name, options = request.param
    chosen = random.Random(5)
    record = Record(ludus.game(name, **options).initial(seed=5))
    while len(record.moves) < 12 and record.outcome is None:
        record.play(chosen.choice(record.final.legal_moves))
    with served.client() as client:
        return Careless(record, list(record.states()), imported(client, record.text))


def board_is(page: Page, state: Any) -> None:
    """Wait until the pieces on the board are those of a state."""
    words = " ".join(f"{name}={value}" for name, value in state.game.options.items())
    page_until(page, lambda: page.evaluate(DRAWN, [state.game.name, words, state.text]))


def test_a_lesson_shows_the_position_that_it_speaks_of(visit: Visitors, served: Served, careless: Careless) -> None:
    record, states, match = careless
    with served.client() as client:
        told = follow(client, f"/api/matches/{match}/review/events", lambda news: news.get("done", False))
    best = {entry["number"]: entry["line"] for news in told for entry in news.get("moves", [])}
    page = visit(f"/analysis/{match}")
    page.get_by_role("button", name="Learn as").first.click()
    lesson = page.locator(".mistakes")
    verdict = lesson.locator(".verdict")

    def press(words: str) -> None:
        lesson.get_by_role("button", name=words).click()

    def task(other_than: int = 0) -> int:
        expect(lesson).to_contain_text(re.compile(rf"Move (?!{other_than}:)\d+:"))
        found = re.search(r"Move (\d+):", lesson.inner_text())
        assert found is not None
        return int(found[1])

    def play(state: Any, move: str) -> None:
        cells = state.steps(move)[0].cells
        cell(page, *cells[0]).click()

    first = task()
    before = states[first - 1]
    board_is(page, before)
    play(before, record.moves[first - 1].move)
    expect(verdict).to_contain_text("is the move that was played")
    board_is(page, before)
    press("Hint")
    expect(page.locator(".idea")).not_to_have_count(0)
    widths = page.locator(".idea > rect:first-child").evaluate_all(
        "all => all.map(one => one.getAttribute('stroke-width'))"
    )
    row, col = before.steps(best[first][0])[0].cells[0]
    assert widths == ["8", *["4"] * (len(widths) - 1)]
    stressed = page.locator(".idea").first
    expect(stressed).to_have_attribute("transform", f"translate({col * 100 + 50} {row * 100 + 50})")
    play(before, best[first][0])
    expect(verdict).to_contain_text("is the best move")
    board_is(page, before.play(best[first][0]))
    press("Start again")
    board_is(page, before)
    press("Show solution")
    end = before
    for move in best[first][:5]:
        end = end.play(move)
    board_is(page, end)
    seen = [first]
    while lesson.get_by_role("button", name="Next").count() and len(seen) < 4:
        press("Next")
        seen.append(task(seen[-1]))
        board_is(page, states[seen[-1] - 1])
        press("Show solution")  # and the next one is asked for while its moves are shown
    assert len(seen) > 1, "a lesson with one task does not show that the next one is right"
    press("Back to analysis")
    board_is(page, states[seen[-1] - 1])


def test_from_a_side_line_every_move_of_the_game_is_a_click_away(visit: Visitors, careless: Careless) -> None:
    record, states, match = careless
    page = visit(f"/analysis/{match}?ply=2", reduced_motion="reduce")
    board_is(page, states[2])
    taken = set(states[2].steps(record.moves[2].move)[0].cells)
    other = next(move for move in states[2].legal_moves if not taken & set(states[2].steps(move)[0].cells))
    cell(page, *states[2].steps(other)[0].cells[0]).click()
    expect(page.locator(".tried")).to_be_visible()
    board_is(page, states[2].play(other))
    for ply in (7, 3, 1):
        page.locator(".review .moves button").nth(ply - 1).click()
        board_is(page, states[ply])
        expect(page.locator(".tried")).to_be_hidden()
        expect(page.locator(".review .moves .current")).to_contain_text(record.moves[ply - 1].move)


def test_a_board_is_edited_and_an_impossible_one_refused(visit: Visitors) -> None:
    page = visit("/analysis?game=magnetic-cave")
    ready(page)
    page.get_by_role("button", name="Edit board").click()
    editor = page.locator(".editor")
    expect(editor).to_be_visible()
    cell(page, 7, 3).click()
    expect(editor.locator(".verdict")).to_have_text("the brick on D1 floats: no bricks of its row connect it to a wall")
    expect(editor.get_by_role("button", name="Analyse")).to_be_disabled()
    cell(page, 7, 3).click()
    editor.get_by_role("radio", name="hollow brick").check(force=True)
    cell(page, 7, 0).click()
    editor.get_by_role("radio", name="□ Hollow").check(force=True)
    expect(editor.locator(".verdict")).to_have_text("This position can be played.")
    editor.get_by_role("button", name="Analyse").click()
    ready(page)
    assert "o......." in page.url
    expect(page.locator(".player.side1.turn")).to_be_visible()


def test_what_is_wrong_with_a_board_is_said_in_chinese(visit: Visitors) -> None:
    page = visit("/analysis?game=magnetic-cave", locale="zh-TW")
    ready(page)
    page.get_by_role("button", name="編輯盤面").click()
    cell(page, 7, 3).click()
    expect(page.locator(".editor .verdict")).to_have_text("D1 的磚塊懸空：同一列沒有磚塊把它連到牆邊")


def test_what_is_pasted_is_opened(visit: Visitors) -> None:
    page = visit("/analysis?game=chain-reaction")
    ready(page)
    page.get_by_role("button", name="Import").click()
    box = page.get_by_role("dialog")
    expect(box).to_contain_text("If there are only moves, they start from the standard position.")
    box.get_by_role("textbox").fill("garbage here")
    box.get_by_role("button", name="Open").click()
    expect(box.get_by_role("alert")).to_have_text(
        "this is not a game record, a position or a list of moves; a position of Chain Reaction starts like "
        "....../....../, and moves are written 1. A1 F5"
    )
    box.locator("input[type=file]").set_input_files(
        {"name": "input.txt", "mimeType": "text/plain", "buffer": b"2\n3\n9.5\n01\n21"}
    )
    box.get_by_role("button", name="Open").click()
    expect(page.locator(".board.game-fruit-rage")).to_be_visible()
    page.get_by_role("button", name="Share").click()
    with page.expect_download() as download:
        page.get_by_role("dialog").get_by_role("link", name="Board file for the course").click()
    assert download.value.suggested_filename == "input.txt"
    page.keyboard.press("Escape")
    page.get_by_role("button", name="Import").click()
    page.get_by_role("dialog").get_by_role("textbox").fill(BLUNDER)
    page.get_by_role("dialog").get_by_role("button", name="Open").click()
    expect(page.locator(".review .moves button")).to_have_count(9)


def test_moves_alone_are_opened_as_a_game(visit: Visitors) -> None:
    page = visit("/analysis?game=chain-reaction")
    ready(page)
    page.get_by_role("button", name="Import").click()
    page.get_by_role("dialog").get_by_role("textbox").fill("1. A1 F5")
    page.get_by_role("dialog").get_by_role("button", name="Open").click()
    expect(page.locator(".review .moves button")).to_have_count(2)
    page_until(page, lambda: shown_pieces(page) == 2)
    page = visit("/analysis?game=cantris&seed=41", locale="zh-TW")
    ready(page)
    start = ludus.game("cantris").initial(41)
    first = start.legal_moves[0]
    page.get_by_role("button", name="匯入").click()
    box = page.get_by_role("dialog")
    expect(box).to_contain_text("從這個盤面的開局開始下")
    box.get_by_role("textbox").fill("A1 F5")
    box.get_by_role("button", name="開啟").click()
    expect(box.get_by_role("alert")).to_contain_text(
        "這看起來是 糖果方塊 的著手列表，但第 1 行第 1 欄：第 1 步（先手）不合規則："
    )
    box.get_by_role("textbox").fill(first)
    box.get_by_role("button", name="開啟").click()
    expect(page.locator(".review .moves button")).to_have_count(1)
    board_is(page, start.play(first))


def test_the_explorer_shows_a_search_step_by_step(visit: Visitors) -> None:
    page = visit("/explorer?game=magnetic-cave&depth=2")
    state: Any = ludus.game("magnetic-cave").initial()
    counts = {method: look_ahead(state, method, 2).nodes for method in ("minimax", "alphabeta")}
    said = page.locator(".counts .saying")
    expect(said).to_contain_text(f"Minimax searches {counts['minimax']} positions, Alpha-beta {counts['alphabeta']}")
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
    expect(page.locator(".cutting")).to_contain_text("not searched")
    expect(page.locator(".cutting")).to_contain_text("(value ≤ α)")
    before = page.locator(".number-of").inner_text()
    page.get_by_role("button", name="Previous step").click()
    expect(page.locator(".cutting")).to_have_count(0)
    page.get_by_role("button", name="Next step").click()
    expect(page.locator(".number-of")).to_have_text(before)
    expect(tree.locator(".future")).not_to_have_count(0)
    page.get_by_role("button", name="Play", exact=True).click()
    page_until(page, lambda: page.locator(".number-of").inner_text() != before)
    page.get_by_role("button", name="Pause").click()
    page.get_by_role("radio", name="Minimax").check(force=True)
    expect(said).to_have_text(f"Minimax searched {counts['minimax']} positions.")
    expect(page.locator(".outline .cut")).to_have_count(0)
    page.get_by_role("radio", name="1", exact=True).check(force=True)
    expect(said).to_have_text("Minimax searched 16 positions.")


@pytest.mark.parametrize(
    ("name", "options"),
    [("chain-reaction", ""), ("magnetic-cave", ""), ("fruit-rage", "size=10 types=5"), ("cantris", "")],
)
def test_the_explorer_offers_the_depths_that_work(visit: Visitors, served: Served, name: str, options: str) -> None:
    page = visit(f"/explorer?{urlencode({'game': name, 'options': options, 'depth': 6})}")
    with served.client() as client:
        asked = {
            "game": name,
            "options": options,
            "position": ludus.game(name, **read_options(options.split())).initial(0).text,
        }

        def refused(method: str, depth: int) -> bool:
            return client.get("/api/searches", params={**asked, "method": method, "depth": depth}).status_code != 200

        for method in ("alphabeta", "minimax", "ordering"):
            page.locator(f'input[value="{method}"]').check(force=True)
            deepest = next((depth - 1 for depth in range(1, 7) if refused(method, depth)), 6)
            expect(page.locator('input[name="depth"]')).to_have_count(deepest)
            page.locator('input[name="depth"]').last.check(force=True)
            expect(page.locator(".counts .used .tally")).to_be_visible()
            assert f"method={method}&depth={deepest}" in page.url
        expect(page.locator(".refused")).to_have_count(0)


def test_keys_alone_lead_through_the_page(visit: Visitors, lost_game: str) -> None:
    page = visit(f"/analysis/{lost_game}?ply=7", reduced_motion="reduce")
    expect(page.locator(".summary table")).to_be_visible()
    ready(page)

    def focused(selector: str) -> None:
        expect(page.locator(f"{selector}:focus")).to_have_count(1)

    page.locator(".grid button").first.focus()
    cell(page, 3, 0).press("Enter")
    expect(page.locator(".tried .moves button")).to_have_count(1)
    page_until(page, lambda: shown_pieces(page) == 8)
    legal(page).first.focus()
    page.keyboard.press("Enter")
    expect(page.locator(".tried .moves button")).to_have_count(2)
    page.locator(".tried .moves button").first.press("Enter")
    page_until(page, lambda: shown_pieces(page) == 8)
    focused(".tried .moves button.current")
    page.get_by_role("button", name="Back to the game").press("Enter")
    focused(".steps button")
    page.get_by_role("button", name="Edit board").press("Enter")
    focused(".editor input")
    page.get_by_role("button", name="Cancel").press("Enter")
    ready(page)
    focused(".tools button")
    page.locator(".learn").first.press("Enter")
    focused(".mistakes button")
    page.get_by_role("button", name="Skip").press("Enter")
    focused(".mistakes button")
    page.get_by_role("button", name="Back to analysis").press("Enter")
    focused(".learn")


def test_long_lines_stay_within_the_panel_on_a_phone(visit: Visitors) -> None:
    page = visit("/analysis?game=fruit-rage", **PHONE)
    expect(page.locator(".lines .best .sequence button").nth(6)).to_be_attached()
    assert page.locator(".panel").evaluate("one => one.scrollWidth <= one.clientWidth")


def test_both_pages_in_chinese_on_a_phone(visit: Visitors, lost_game: str) -> None:
    for path in ("/analysis?game=cantris", f"/analysis/{lost_game}?ply=7", "/explorer?game=fruit-rage&depth=2"):
        page = visit(path, **PHONE, locale="zh-TW")
        expect(page.locator("h1")).to_have_text(re.compile("分析|搜尋探索"))
        expect(page.locator(".lines li.best, .outline .row").first).to_be_visible()
        assert fits(page), path
        if page.locator(".panel").count():
            for name in ("匯入", "分享"):
                page.get_by_role("button", name=name).click()
                assert page.locator("dialog").evaluate("box => box.scrollWidth <= box.clientWidth"), name
                page.keyboard.press("Escape")
        assert not re.search(
            r"\b(analysis|worth|lines|review|explorer|why|counts|steps)\.\w+", page.locator("main").inner_text()
        )


@pytest.mark.parametrize("path", ["/analysis?game=cantris", "game", "edit", "/explorer?game=cantris&depth=2"])
def test_axe_finds_no_serious_fault(visit: Visitors, lost_game: str, path: str) -> None:
    place = {"game": f"/analysis/{lost_game}?ply=8", "edit": "/analysis?game=chain-reaction"}.get(path, path)
    page = visit(place, bypass_csp=True)
    expect(page.locator(".lines li.best, .outline .row").first).to_be_visible()
    if path == "game":
        expect(page.locator(".summary table")).to_be_visible()
    if path == "edit":
        page.get_by_role("button", name="Edit board").click()
    assert not serious_faults(page)
