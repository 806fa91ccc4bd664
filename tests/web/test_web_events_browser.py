"""Tournaments and courses in a real browser: an instructor, a student, both languages, a phone, and what axe finds."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from patience import until
from playwright.sync_api import Page, expect
from test_web_courses import CODE, COURSE, FIRST, LAST, enrol, settings, worked
from web import PHONE, Served, Visitors, fits, follow, serious_faults, signed_in

from ludus.messages.names import player_name


@pytest.fixture(scope="module")
def teacher(served: Served, database: Path) -> Iterator[httpx.Client]:
    with signed_in(served, database, "teacher", "instructor") as client:
        yield client


def tournament(teacher: httpx.Client, name: str, players: int, **more: Any) -> int:
    """Hold a tournament."""
    entries = [{"name": f"Player number {one} 選手", "player": f"random:seed={one}"} for one in range(players)]
    wanted = {"name": name, "game": "cantris", "options": {"rows": 4, "cols": 3}, "entries": entries, **more}
    number: int = teacher.post("/api/tournaments", json=wanted).json()["id"]
    follow(teacher, f"/api/tournaments/{number}/events", lambda view: view["state"] == "finished")
    return number


def test_a_tournament_in_chinese_has_no_english_stage_and_no_raw_player(visit: Visitors, teacher: httpx.Client) -> None:
    """How far each came, the stages of the bracket, and what players without names of their own are called."""
    texts = ["random:seed=1", "greedy", "minimax:depth=1", "mcts:playouts=20", "alphabeta:depth=2"]
    number = tournament(
        teacher, "雙敗", 0, entries=[{"name": text, "player": text} for text in texts], format="double-elimination"
    )
    page = visit(f"/tournaments/{number}", locale="zh-TW")
    expect(page.locator(".standings tbody tr")).to_have_count(len(texts))
    reached = page.locator("td.own").all_inner_texts()
    assert reached[0] == "冠軍"
    assert all(re.fullmatch("冠軍|決賽|敗部第 \\d+ 輪", one) for one in reached)
    expect(page.locator(".stage h3").first).to_contain_text("勝部")
    expect(page.locator("details.pairing").first).to_be_attached()
    everything = page.locator("main").evaluate(
        "main => main.textContent + [...main.querySelectorAll('[title], [aria-label]')]"
        ".map(one => `${one.title} ${one.getAttribute('aria-label')}`).join(' ')"
    )
    assert not [text for text in texts if text in everything]
    assert "MCTS，20 次模擬" in everything
    assert not re.search("round|final|winner|loser|behind|leads", everything)


@pytest.mark.parametrize("locale", ["en-GB", "zh-TW"])
def test_pages_and_papers_call_players_the_same(visit: Visitors, locale: str) -> None:
    texts = [
        *("random", "greedy", "engine", "engine:level=7", "engine:level=10,threads=2", "engine:seconds=0.1"),
        *("engine:nodes=50000,threads=2", "mcts:playouts=2000", "mcts:playouts=1", "mcts:seconds=0.5,threads=1"),
        *("alphabeta:depth=4", "minimax:depth=2,evaluator=plain", "minimax:depth=1234567", "rlawrenc", "106062130"),
        *(
            "lines:./my bot",
            "human",
            "open",
            "?",
            "you",
            "bot:12",
            "bot:12@3",
            "bots/deep/",
            "~/deep",
            "/home/ada/deep",
        ),
        *("A/B test", "Team: Alpha, Beta", "unknown:option=x"),
    ]
    page = visit("/", locale=locale)
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    shown = page.evaluate("texts => import('/static/page.js').then(({ playerName }) => texts.map(playerName))", texts)
    assert shown == [player_name(text, "zh" if locale == "zh-TW" else "en") for text in texts]


@pytest.mark.usefixtures("teacher")
def test_an_instructor_makes_a_tournament_and_anyone_follows_it(visit: Visitors) -> None:
    page = visit("/tournaments", "teacher")
    page.get_by_role("link", name="New tournament").click()
    page.get_by_role("textbox", name="Name", exact=True).fill("Evening cup <b>")
    page.get_by_label("Game").select_option("cantris")
    page.get_by_text("Board and rules").click()
    page.get_by_label("Rows").fill("4")
    page.get_by_label("Columns").fill("3")
    while page.locator(".tick input:checked").count():
        page.locator(".tick input:checked").first.uncheck()
    page.get_by_label("greedy").check()
    page.get_by_text("More players").click()
    page.get_by_label("One per line").fill("A = random:seed=1\nlines:id")
    page.get_by_role("button", name="Start tournament").click()
    expect(page.locator(".fault")).to_contain_text("no player 'lines:id'")
    page.get_by_label("One per line").fill("A = random:seed=1\nB = random:seed=2")
    page.get_by_role("button", name="Start tournament").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Evening cup <b>")
    watcher = visit(page.url)
    expect(watcher.locator(".title .pill")).to_have_text("Finished")
    expect(watcher.locator(".standings tbody tr")).to_have_count(3)
    expect(watcher.locator(".cross tbody tr")).to_have_count(3)
    expect(watcher.get_by_role("button", name="Undo result")).to_have_count(0)
    expect(page.locator(".pairing")).to_have_count(3)
    page.locator(".pairing summary").first.click()
    page.locator(".pairing li button").first.click()
    page.get_by_role("button", name="Undo result", exact=True).last.click()
    expect(page.get_by_role("dialog")).to_be_visible()  # a reason is required
    page.get_by_role("textbox", name="Reason").fill("a power cut")
    page.get_by_role("dialog").get_by_role("button", name="Undo result").click()
    expect(page.locator("main")).to_contain_text("a power cut")
    expect(page.locator(".title .pill")).to_have_text("Finished")
    expect(watcher.locator("main")).not_to_contain_text("a power cut")
    with page.expect_download() as download:
        page.get_by_role("link", name="Standings (CSV)").click()
    assert "greedy" in Path(download.value.path()).read_text(encoding="utf-8-sig")
    watcher.locator(".pairing summary").first.click()
    watcher.locator(".pairing li a").first.click()
    expect(watcher.locator(".moves button")).not_to_have_count(0)


def watched(page: Page, number: int) -> int:
    """Watch a game of a tournament from the first page to its end, and give the moves that there were at first.

    0 where no game was under way at that moment, or the one that was had ended before its page was there.
    """
    page.goto("/")
    page.locator(f".now a[href='/tournaments/{number}']").wait_for()
    games = page.locator(".now a[href^='/match/']").filter(has_text="Ann")
    if not games.count():
        return 0
    games.first.click()
    moves = page.locator(".moves button")
    expect(moves).not_to_have_count(0)
    before = moves.count()
    if page.locator(".status.over").is_visible():
        return 0
    expect(page.locator(".status.over")).to_be_visible()
    assert moves.count() > before, "moves came while it was watched"
    return before


def test_a_game_under_way_is_watched_to_its_end(visit: Visitors, teacher: httpx.Client) -> None:
    """A game takes ten seconds however slow the machine is, so there are many: one is met in time."""
    entries = [{"name": name, "player": "engine:seconds=0.2"} for name in ("Ann", "Bob")]
    wanted = {"name": "Slow", "game": "chain-reaction", "entries": entries, "pairs": 100}
    number = teacher.post("/api/tournaments", json=wanted).json()["id"]
    page = visit(f"/tournaments/{number}")
    expect(page.get_by_role("link", name=re.compile("Watch (Ann – Bob|Bob – Ann)")).first).to_be_visible()
    before = until(lambda: watched(page, number), "a game that is watched")
    moves = page.locator(".moves button")
    page.reload()
    expect(page.locator(".status.over")).to_be_visible()
    assert moves.count() > before
    teacher.post(f"/api/tournaments/{number}/stop", json={})


def test_a_large_cross_table_and_a_bracket_on_a_phone(visit: Visitors, teacher: httpx.Client) -> None:
    table = tournament(teacher, "Twelve", 12)
    page = visit(f"/tournaments/{table}", **PHONE)
    expect(page.locator(".cross tbody tr")).to_have_count(12)
    assert fits(page)
    region = page.get_by_role("region", name="Cross table")
    name = region.locator("tbody th").first
    before = name.bounding_box()
    region.evaluate("one => { one.scrollLeft = 200; }")
    assert before == name.bounding_box(), "the names stay where they are"
    elimination = tournament(teacher, "Eight", 8, format="double-elimination")
    page.goto(f"/tournaments/{elimination}")
    expect(page.locator(".contest").first).to_be_visible()
    assert page.locator(".slot.won").count() >= 14
    assert fits(page)


def test_a_student_joins_hands_in_tries_and_sees_the_own_grade(
    visit: Visitors, served: Served, database: Path, teacher: httpx.Client
) -> None:
    made = teacher.post("/api/courses", json={"preset": "nycu-cantris", "title": "Course 課程", "code": CODE})
    path = f"/api/courses/{made.json()['id']}"
    teacher.post(f"{path}/settings", json=settings(title="Course 課程", code=CODE))
    with signed_in(served, database, "other") as other:
        enrol(other, path, "other", "last.py", LAST)
    signed_in(served, database, "amy").close()
    student = visit(path.removeprefix("/api"), "amy", locale="zh-TW", **PHONE)
    student.get_by_label("學號").fill("B0001")
    student.get_by_label("加入代碼").fill(CODE)
    student.get_by_role("button", name="加入").click()
    chosen = {"name": "first.py", "mimeType": "text/x-python", "buffer": FIRST.encode()}
    student.locator("input[type=file]").set_input_files(chosen)  # type: ignore[arg-type]
    student.get_by_role("button", name="繳交").click()
    student.get_by_role("button", name="試跑").click()
    expect(student.locator(".result .total")).to_contain_text("30")
    expect(student.locator(".result .rules")).to_contain_text("編譯成功，2 局中有 2 局依規則結束；須有 1 局")
    expect(student.locator("main")).not_to_contain_text("你的成績")
    assert fits(student)
    page = visit(path.removeprefix("/api"), "teacher")
    expect(page.locator(".students")).to_contain_text("claimed by amy, whose submissions do not count yet")
    page.get_by_role("button", name="Confirm account: amy is B0001").click()
    page.get_by_role("dialog").get_by_role("button", name="Confirm account").click()
    expect(page.locator(".students")).to_contain_text("first.py")
    page.get_by_role("button", name="Grade", exact=True).click()
    expect(page.locator(".students tbody tr b").first).to_be_visible()
    page.get_by_role("button", name="Why B0001 has these points").click()
    expect(page.locator(".shown")).to_contain_text("it builds")
    page.get_by_role("button", name="Set points of B0001: report").click()
    page.get_by_role("spinbutton", name="Points").fill("9")
    page.get_by_role("textbox", name="Reason").fill("well written")
    with page.expect_response(re.compile("/override$")):  # from then on it is the new grading that is waited for
        page.get_by_role("dialog").get_by_role("button", name="Set points").click()
    worked(teacher, path, "grading")
    page.get_by_role("button", name="Release grades").click()
    page.get_by_role("dialog").get_by_role("button", name="Release grades").click()
    expect(page.locator(".title .pill")).to_have_text("Grades released")
    student.reload()
    expect(student.locator(".grade")).to_contain_text("人工改為 9 分：well written（原給 0 分：教師尚未登錄分數）")
    expect(student.locator(".grade .total")).to_contain_text(re.compile(r"\d+ / \d+"))
    expect(student.locator("main")).not_to_contain_text("last.py")
    assert fits(student)
    student.locator(".grade summary").first.click()
    student.locator(".grade .games a").first.click()
    expect(student.locator(".moves button")).not_to_have_count(0)


def test_axe_finds_no_serious_fault(visit: Visitors, teacher: httpx.Client) -> None:
    number = tournament(teacher, "For axe", 4, format="knockout")
    course = teacher.post("/api/courses", json={"preset": "nycu-cantris", "title": "Seen by axe"}).json()["id"]
    teacher.post(f"/api/courses/{course}/settings", json=settings(toml=COURSE))
    places = ["/tournaments", f"/tournaments/{number}", "/tournaments/new", "/courses", f"/courses/{course}"]
    page = visit("/tournaments", "teacher", bypass_csp=True)
    for place in [*places, "/courses/new"]:
        page.goto(place)
        page.locator("h1").wait_for()
        page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")
        assert not serious_faults(page), place
