"""Tournaments and courses in a real browser: an instructor, a student, both languages, a phone, and what axe finds."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from patience import until
from playwright.sync_api import Browser, Page, expect
from test_web_courses import CODE, COURSE, FIRST, LAST, enrol, settings, worked
from web import CHROMIUM, PASSWORD, Served, chromium, follow, new_context, serious_faults, serving, signed_in

from ludus.messages.names import player_name

pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="chromium is not installed; make test installs it")
PHONE: dict[str, Any] = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}


class House:
    """A server with an instructor, and people who come in by a browser."""

    def __init__(self, server: Served, database: Path, browser: Browser, teacher: httpx.Client) -> None:
        self.server, self.database, self.browser, self.teacher = server, database, browser, teacher
        self.faults: list[str] = []

    def visit(self, path: str, name: str | None = None, **settings: Any) -> Page:
        """Open a page as someone; a fault of the page's own code is remembered."""
        context = new_context(self.browser, self.server, **settings)
        page = context.new_page()
        page.on("pageerror", lambda error: self.faults.append(str(error)))
        page.on("console", lambda said: self.faults.append(said.text) if said.type == "error" else None)
        if name is not None:
            page.goto("/account")
            page.locator("form").first.wait_for()
            page.evaluate(
                "body => fetch('/api/account/sign-in', {method: 'POST', body: JSON.stringify(body),"
                " headers: {'Content-Type': 'application/json', 'X-Ludus': '1'}})",
                {"name": name, "password": PASSWORD},
            )
        page.goto(path)
        return page

    def tournament(self, name: str, players: int, **more: Any) -> int:
        """Hold a tournament."""
        entries = [{"name": f"Player number {one} 選手", "player": f"random:seed={one}"} for one in range(players)]
        wanted = {"name": name, "game": "cantris", "options": {"rows": 4, "cols": 3}, "entries": entries, **more}
        number: int = self.teacher.post("/api/tournaments", json=wanted).json()["id"]
        follow(self.teacher, f"/api/tournaments/{number}/events", lambda view: view["state"] == "finished")
        return number


@pytest.fixture(scope="module")
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    database = tmp_path_factory.mktemp("events") / "arena.db"
    with (
        serving(database) as server,
        signed_in(server, database, "teacher", "instructor") as teacher,
        chromium() as browser,
    ):
        made = House(server, database, browser, teacher)
        yield made
    assert not [fault for fault in made.faults if "status of 4" not in fault]


def fits(page: Page) -> bool:
    """Tell whether nothing makes a phone's page wider than the phone."""
    return bool(page.evaluate("document.documentElement.scrollWidth <= 390 && innerWidth <= 390"))


def test_a_tournament_in_chinese_has_no_english_stage_and_no_raw_player(house: House) -> None:
    """How far each came, the stages of the bracket, and what players without names of their own are called."""
    texts = ["random:seed=1", "greedy", "minimax:depth=1", "mcts:playouts=20", "alphabeta:depth=2"]
    number = house.tournament(
        "雙敗", 0, entries=[{"name": text, "player": text} for text in texts], format="double-elimination"
    )
    page = house.visit(f"/tournaments/{number}", locale="zh-TW")
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
def test_pages_and_papers_call_players_the_same(house: House, locale: str) -> None:
    texts = [
        *("random", "greedy", "engine", "engine:level=7", "engine:level=10,threads=2", "mcts:playouts=2000"),
        *("mcts:playouts=1", "mcts:seconds=0.5,threads=1", "alphabeta:depth=4", "rlawrenc", "lines:./my bot"),
        *(
            "human",
            "open",
            "?",
            "bot:12",
            "bot:12@3",
            "bots/deep/",
            "~/deep",
            "A/B test",
            "Team: Alpha, Beta",
            "unknown:option=x",
            "minimax:depth=1234567",
        ),
    ]
    page = house.visit("/", locale=locale)
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    shown = page.evaluate(
        "texts => import('/static/players.js').then(({ playerName }) => texts.map(playerName))", texts
    )
    assert shown == [player_name(text, "zh" if locale == "zh-TW" else "en") for text in texts]


def test_an_instructor_makes_a_tournament_and_anyone_follows_it(house: House) -> None:
    page = house.visit("/tournaments", "teacher")
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
    watcher = house.visit(page.url)
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


def test_a_game_under_way_is_watched_to_its_end(house: House) -> None:
    """A game takes ten seconds however slow the machine is, so there are many: one is met in time."""
    entries = [{"name": name, "player": "engine:seconds=0.2"} for name in ("Ann", "Bob")]
    wanted = {"name": "Slow", "game": "chain-reaction", "entries": entries, "pairs": 100}
    number = house.teacher.post("/api/tournaments", json=wanted).json()["id"]
    page = house.visit(f"/tournaments/{number}")
    expect(page.get_by_role("link", name=re.compile("Watch (Ann – Bob|Bob – Ann)")).first).to_be_visible()
    before = until(lambda: watched(page, number), "a game that is watched")
    moves = page.locator(".moves button")
    page.reload()
    expect(page.locator(".status.over")).to_be_visible()
    assert moves.count() > before
    house.teacher.post(f"/api/tournaments/{number}/stop", json={})


def test_a_large_cross_table_and_a_bracket_on_a_phone(house: House) -> None:
    table = house.tournament("Twelve", 12)
    page = house.visit(f"/tournaments/{table}", **PHONE)
    expect(page.locator(".cross tbody tr")).to_have_count(12)
    assert fits(page)
    region = page.get_by_role("region", name="Cross table")
    name = region.locator("tbody th").first
    before = name.bounding_box()
    region.evaluate("one => { one.scrollLeft = 200; }")
    assert before == name.bounding_box(), "the names stay where they are"
    elimination = house.tournament("Eight", 8, format="double-elimination")
    page.goto(f"/tournaments/{elimination}")
    expect(page.locator(".contest").first).to_be_visible()
    assert page.locator(".slot.won").count() >= 14
    assert fits(page)


def test_a_student_joins_hands_in_tries_and_sees_the_own_grade(house: House) -> None:
    made = house.teacher.post("/api/courses", json={"preset": "nycu-cantris", "title": "Course 課程", "code": CODE})
    path = f"/api/courses/{made.json()['id']}"
    house.teacher.post(f"{path}/settings", json=settings(title="Course 課程", code=CODE))
    with signed_in(house.server, house.database, "other") as other:
        enrol(other, path, "other", "last.py", LAST)
    signed_in(house.server, house.database, "amy").close()
    student = house.visit(path.removeprefix("/api"), "amy", locale="zh-TW", **PHONE)
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
    teacher = house.visit(path.removeprefix("/api"), "teacher")
    teacher.get_by_role("button", name="Grade", exact=True).click()
    expect(teacher.locator(".students tbody tr b").first).to_be_visible()
    teacher.get_by_role("button", name="Why B0001 has these points").click()
    expect(teacher.locator(".shown")).to_contain_text("it builds")
    teacher.get_by_role("button", name="Set points of B0001: report").click()
    teacher.get_by_role("spinbutton", name="Points").fill("9")
    teacher.get_by_role("textbox", name="Reason").fill("well written")
    with teacher.expect_response(re.compile("/override$")):  # from then on it is the new grading that is waited for
        teacher.get_by_role("dialog").get_by_role("button", name="Set points").click()
    worked(house.teacher, path, "grading")
    teacher.get_by_role("button", name="Release grades").click()
    expect(teacher.locator(".title .pill")).to_have_text("Grades released")
    student.reload()
    expect(student.locator(".grade")).to_contain_text("人工改為 9 分：well written（原給 0 分：教師尚未登錄）")
    expect(student.locator(".grade .total")).to_contain_text(re.compile(r"\d+ / \d+"))
    expect(student.locator("main")).not_to_contain_text("last.py")
    assert fits(student)
    student.locator(".grade summary").first.click()
    student.locator(".grade .games a").first.click()
    expect(student.locator(".moves button")).not_to_have_count(0)


def test_axe_finds_no_serious_fault(house: House) -> None:
    number = house.tournament("For axe", 4, format="knockout")
    course = house.teacher.post("/api/courses", json={"preset": "nycu-cantris", "title": "Seen by axe"}).json()["id"]
    house.teacher.post(f"/api/courses/{course}/settings", json=settings(toml=COURSE))
    places = ["/tournaments", f"/tournaments/{number}", "/tournaments/new", "/courses", f"/courses/{course}"]
    for scheme in ("light", "dark"):
        page = house.visit("/tournaments", "teacher", bypass_csp=True, color_scheme=scheme)
        for place in [*places, "/courses/new"]:
            page.goto(place)
            page.locator("h1").wait_for()
            page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")
            assert not serious_faults(page), (place, scheme)
        page.context.close()
