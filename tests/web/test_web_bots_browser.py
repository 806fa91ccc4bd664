"""Bots and ladders in a real browser: from an upload to the game of a challenge, on a phone, in both languages; axe."""

from __future__ import annotations

import contextlib
import json
import re
from pathlib import Path
from typing import Any

import pytest
from bots import CAVE, LOOP
from patience import PATIENCE_MS
from playwright.sync_api import Page, expect
from test_web_bots import GAME, cave, challenge, checked, hand_in, person
from web import PHONE, Served, Visitors, confirm, legal, serious_faults, settled

from ludus.store.accounts import Accounts
from ludus.store.challenges import Challenges

LONG = PATIENCE_MS
"""Milliseconds for what builds and plays in the sandbox."""


@pytest.fixture(scope="module")
def played(served: Served, accounts: Accounts) -> dict[str, Any]:
    """Grace's bot on the ladder, one that failed, and a challenge that is over."""
    with person(served, accounts, "Grace") as grace:
        bot = hand_in(grace, "Rival", cave())
        assert checked(grace, bot)["state"] == "passed"
        grace.post(f"/api/bots/{bot['id']}/enter")
        failed = hand_in(grace, "Broken", cave('print("Z99")'))
        checked(grace, failed)
        return {"bot": bot["id"], "failed": failed["id"], "challenge": challenge(grace, bot["id"], "random")["id"]}


def sign_in(page: Page, accounts: Accounts, served: Served, name: str) -> None:
    """Let the browser be someone's."""
    account = accounts.find(name) or accounts.add(name, "correct horse")
    page.context.add_cookies(
        [
            {"name": "ludus_session", "value": accounts.sign_in(account), "url": served.address},
            {"name": "ludus_name", "value": name, "url": served.address},
        ]
    )


def reported(page: Page, version: int) -> bytes:
    """Have the report of a version made on a bot's page, and download it."""
    expect(page.locator(".paper h2")).to_have_text(f"Report on version {version}")
    page.get_by_role("button", name="Create report").click()
    expect(page.locator(".paper")).to_contain_text("games played", timeout=LONG)
    expect(page.get_by_role("link", name="Report (PDF)")).to_be_visible(timeout=LONG)
    with page.expect_download() as download:
        page.get_by_role("link", name="Report (PDF)").click()
    return download.value.path().read_bytes()


def choose_while_it_is_rejected(page: Page, better: Path) -> None:
    """Choose the next version while the check goes on; what was chosen is still there when it ends."""
    expect(page.locator(".check .going")).to_be_visible()
    page.locator('input[name="files"]').set_input_files(str(better))
    page.get_by_text("Or paste code").click()
    page.get_by_label("Code", exact=True).fill("kept")
    expect(page.locator(".verdict")).to_contain_text("to fix.", timeout=LONG)
    expect(page.locator(".chosen")).to_have_text(better.name)
    expect(page.get_by_label("Code", exact=True)).to_have_value("kept")
    positions = page.locator(".findings .reject a.position")
    expect(positions).to_have_count(3)
    for more in page.get_by_text(re.compile("^The same in . more game")).all():
        more.click()
    for position in positions.all():  # a board is drawn when it comes into view
        position.scroll_into_view_if_needed()
        expect(position.locator(".board")).to_be_visible()
    lines = positions.first.locator("code").evaluate("one => one.getClientRects().length")
    assert lines == 1, "a position is on one line"
    assert "position=" in (page.locator(".findings a.position").first.get_attribute("href") or "")


def passed(page: Page) -> None:
    """Wait until the check has passed; it tells of the game and the clock in words, and in sentences."""
    expect(page.locator(".verdict")).to_have_text("Ready to play.", timeout=LONG)
    expect(page.locator(".times li")).to_have_count(7)
    expect(page.locator(".times figcaption")).to_have_text("Time per move (clock: 3 s per move)")
    expect(page.locator(".findings .ok").first).to_contain_text("bot for Magnetic Cave")
    expect(page.locator(".findings .ok").last).to_contain_text("of the limit of 3 s.")


def answered(page: Page) -> None:
    """Begin a game against a bot, move, and wait for its move."""
    page.get_by_role("button", name="Start").click()
    legal(page).first.click()
    expect(page.locator(".moves button")).to_have_count(2, timeout=LONG)
    expect(page.locator(".status")).to_have_text("Your move")


def test_upload_check_challenge_watch_and_play(
    visit: Visitors, served: Served, accounts: Accounts, tmp_path: Path
) -> None:
    """The way of a student: a file with a fault, its mended version, the ladder, a challenge, its games, its report."""
    wrong, right = tmp_path / "bot.py", tmp_path / "better.py"
    wrong.write_text(CAVE + LOOP.replace("TROUBLE", 'print("Z99")'))
    right.write_text(CAVE + LOOP.replace("TROUBLE", "time.sleep(0.15)"))
    page = visit("/bots")
    expect(page.get_by_role("heading", name="Let your own program play")).to_be_visible()
    sign_in(page, accounts, served, "Ada")
    page.goto("/bots")
    expect(page.locator(".lead")).to_contain_text("You have no bots yet")
    page.locator('input[name="files"]').set_input_files(str(wrong))
    expect(page.locator(".chosen")).to_have_text("bot.py")
    page.get_by_label("Name").fill("<b>Deep</b> Cave")
    page.get_by_label("Game").select_option(GAME)
    page.get_by_role("button", name="Upload and check").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("<b>Deep</b> Cave")
    choose_while_it_is_rejected(page, right)
    expect(page.locator(".findings .reject").first).to_contain_text("illegal move")
    expect(page.locator(".findings .reject code").last).to_contain_text("ludus play magnetic-cave")
    expect(page.locator(".findings .reject code").last).to_contain_text("./bot.py")
    page.get_by_role("button", name="Upload and check").click()
    expect(page.locator(".chosen")).to_be_empty()
    passed(page)
    page.get_by_role("button", name="Join the ladder").click()
    page.get_by_role("link", name="Rank").click()
    expect(page.locator("tr.mine")).to_contain_text("<b>Deep</b> Cave")
    page.get_by_role("button", name="Challenge random, rated").click()
    expect(page.locator(".versus")).to_contain_text("<b>Deep</b> Cave")
    page.locator(".watch").click(timeout=LONG)
    expect(page.locator(".player").first).to_be_visible()
    expect(page.locator(".moves button").nth(2)).to_be_visible(timeout=LONG)
    page.go_back()
    page.locator(".watch").evaluate("link => link.dataset.kept = ''", timeout=LONG)
    expect(page.locator(".verdict")).to_contain_text("wins the challenge", timeout=LONG)
    expect(page.locator("a[data-kept]")).to_have_text(
        re.compile("won|lost|drawn")
    )  # the same link: no click on it is lost
    expect(page.locator(".changes")).to_contain_text("moves from rank")
    expect(page.locator("tbody tr")).to_have_count(6)
    with page.expect_download() as download:
        page.get_by_role("link", name="Log of game 1").click()
    assert download.value.suggested_filename == "challenger-1-1.txt"
    page.locator("tbody a").first.click()
    expect(page.locator(".status")).to_contain_text("wins")
    expect(page.locator(".player strong", has_text="<b>Deep</b> Cave")).to_be_visible()
    page.go_back()
    page.get_by_role("link", name="Report on <b>Deep</b> Cave").click()
    assert reported(page, version=2).startswith(b"%PDF")
    page.get_by_role("link", name="Play against it").click()
    answered(page)
    page.goto("/")
    expect(page.locator(".tops a")).to_contain_text("Magnetic Cave", timeout=LONG)


def test_pasted_code_and_the_remove_button(visit: Visitors, served: Served, accounts: Accounts) -> None:
    page = visit("/")
    sign_in(page, accounts, served, "Paster")
    page.goto("/ladder/fruit-rage")  # a game that was looked at is no game that was chosen
    expect(page.get_by_role("heading", level=1)).to_contain_text("The Fruit Rage")
    page.goto("/bots")
    expect(page.get_by_label("Game")).to_have_value("")
    page.get_by_text("Or paste code").click()
    page.get_by_role("textbox", name="Code").fill("class {")
    page.get_by_label("Language").select_option("java")
    page.get_by_label("Name").fill("Pasted")
    page.get_by_role("button", name="Upload and check").click()
    expect(page.locator(".fault")).to_contain_text("Choose the game")
    expect(page.get_by_label("Game")).to_be_focused()
    expect(page.get_by_label("Game")).to_have_attribute("aria-invalid", "true")
    page.get_by_label("Game").select_option("cantris")
    expect(page.get_by_label("Game")).not_to_have_attribute("aria-invalid", "true")
    page.get_by_label("Name").fill("")
    page.get_by_role("button", name="Upload and check").click()
    expect(page.locator(".fault")).to_have_text("Give the bot a name.")
    expect(page.get_by_label("Name")).to_be_focused()
    page.get_by_label("Name").fill("Pasted")
    page.get_by_role("button", name="Upload and check").click()
    expect(page.locator(".findings .reject")).to_contain_text("Compile error: ", timeout=LONG)
    expect(page.locator(".times")).to_have_count(0)  # no move was timed
    page.get_by_role("button", name="繁體中文").click()
    expect(page.locator(".findings .reject")).to_contain_text("編譯失敗：")
    expect(page.locator(".findings .ok").first).to_contain_text("的程式")
    page.get_by_role("button", name="English").click()
    page.get_by_text("Build log").click()
    expect(page.locator(".log pre")).to_contain_text("error")
    confirm(page, "Remove")
    expect(page.locator(".lead")).to_be_visible()


def test_a_rating_stays_while_others_play(visit: Visitors, database: Path, played: dict[str, Any]) -> None:
    """What the ladder and a bot's page show of it changes with its own challenges only, and the page says so."""
    bot = f"bot:{played['bot']}"
    page = visit(f"/ladder/{GAME}")
    shown = page.locator("tr", has=page.get_by_role("link", name="Rival")).locator(".worth")
    before = shown.inner_text()
    with contextlib.closing(Challenges(database)) as challenges:
        other = challenges.add(GAME, (played["failed"], 1), ("greedy", None), rated=True, pairs=1, clock="3/move")
        challenges.finish(other.id, {"ratings": {f"{bot}@1": [9000, 8900, 9100, 6]}, "ranks": {}})
    page.reload()
    expect(shown).to_have_text(before)
    expect(page.locator(".rules")).to_contain_text("changes only when its bot plays a rated challenge")
    page.goto(f"/bots/{played['bot']}")
    expect(page.locator(".elo strong")).to_have_text(before.split(" ")[0])
    page.goto("/person/Grace")
    expect(page.get_by_role("link", name="Rival")).to_have_attribute("href", f"/bots/{played['bot']}")


def test_a_ladder_on_a_phone_in_chinese(visit: Visitors, played: dict[str, Any]) -> None:
    page = visit(f"/ladder/{GAME}", locale="zh-TW", **PHONE)
    expect(page.get_by_role("heading", level=1)).to_have_text("磁力洞窟天梯")
    expect(page.locator("tbody tr", has_text="電腦第 9 級")).to_have_count(1)
    rated = page.locator("tr", has=page.get_by_role("link", name="Rival")).locator(".rating")
    expect(rated.locator(".worth small")).to_be_visible()  # no rating without its interval
    expect(rated).to_contain_text("暫定")
    for path in (f"/ladder/{GAME}", f"/challenge/{played['challenge']}", f"/bots/{played['bot']}", "/bots"):
        page.goto(path)
        expect(page.locator("h1")).to_be_attached()
        settled(page)
        assert "。 " not in page.locator("main").inner_text()
        wide = page.evaluate("document.documentElement.scrollWidth")
        assert wide <= PHONE["viewport"]["width"], f"{path} is {wide} wide"


def test_axe_finds_nothing_serious(visit: Visitors, served: Served, accounts: Accounts, played: dict[str, Any]) -> None:
    page = visit(bypass_csp=True)
    sign_in(page, accounts, served, "Grace")
    found: dict[str, list[str]] = {}
    bots = [f"/bots/{played[name]}" for name in ("bot", "failed")]
    for path in ("/bots", *bots, f"/ladder/{GAME}", f"/challenge/{played['challenge']}"):
        page.goto(path)
        page.locator("h1").wait_for(state="attached")
        if faults := serious_faults(page):
            found[path] = faults
    assert not found, json.dumps(found, indent=1)
