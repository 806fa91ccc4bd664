"""My games, profiles, the lobby and offers in a real browser: each path once, and what axe finds on the pages."""

from __future__ import annotations

import re

import pytest
from playwright.sync_api import Page, expect
from web import PHONE, Served, Visitors, begin, cell, confirm, fits, in_person, serious_faults

from ludus.store.accounts import Accounts

GAME = "magnetic-cave"


def begun(one: Page, two: Page, name: str) -> tuple[Page, Page]:
    """Let one wait in the lobby and the other join, or ask for the same; return them in the order of their moves."""
    one.get_by_role("button", name="Find an opponent").click()
    expect(one.locator(".status")).to_have_text("Waiting for your opponent")
    two.get_by_role("button", name=name).click()
    expect(two.locator(".status")).not_to_be_empty()
    expect(one.get_by_role("button", name="Withdraw seat")).to_have_count(0)
    first, second = (one, two) if "Your move" in one.locator(".status").inner_text() else (two, one)
    cell(first, 0, 0).click()
    expect(second.locator(".status")).to_have_text("Your move")
    cell(second, 0, 7).click()
    return first, second


def test_two_people_meet_in_the_lobby_take_a_move_back_and_agree_to_a_draw(visit: Visitors) -> None:
    one = visit("/lobby")
    one.get_by_label("Game").first.select_option(GAME)
    one.get_by_label("Clock").first.select_option("none")
    first, second = begun(one, visit("/lobby"), "Join Guest: Magnetic Cave")
    second.get_by_role("button", name="Ask for a takeback").click()
    expect(second.locator(".offer")).to_contain_text("You asked to take your last move back")
    first.get_by_role("button", name="Accept").click()
    expect(second.locator(".status")).to_have_text("Your move")
    cell(second, 1, 0).click()
    expect(first.locator(".status")).to_have_text("Your move")
    first.get_by_role("button", name="Offer a draw").click()
    expect(first.locator(".offer")).to_contain_text("You offered a draw")
    second.get_by_role("button", name="Accept").click()
    expect(first.locator(".status")).to_contain_text("Draw. Both players agreed to a draw.")
    first.goto("/games")
    expect(first.locator(".played .result")).to_have_text(["Draw"])


def test_a_seat_is_withdrawn_from_the_lobby(visit: Visitors) -> None:
    page = visit("/lobby")
    page.locator("select[name=game]").last.select_option(GAME)
    page.locator("select[name=clock]").last.select_option("none")
    page.locator("input[name=side][value=second]").check()
    page.get_by_role("button", name="Offer this seat").click()
    expect(page.locator(".status")).to_have_text("Waiting for your opponent")
    expect(page.locator(".player.side1 strong")).to_have_text("You")
    page.goto("/lobby")
    seat = page.get_by_role("button", name="Withdraw seat: Magnetic Cave")
    seat.click()
    expect(seat).to_have_count(0)


def test_two_accounts_play_a_rated_game_which_their_profile_shows(
    visit: Visitors, served: Served, accounts: Accounts
) -> None:
    pages = []
    for name in ("Rated Ann", "Rated Ben"):
        with in_person(served, accounts, name) as client:
            match = begin(client, "cantris", "human", "engine:level=7")
            client.post(f"/api/matches/{match['id']}/resign", json={})
        pages.append(visit("/lobby", name))
        pages[-1].get_by_label("Game").first.select_option(GAME)
        pages[-1].get_by_role("checkbox", name="Rated").first.check()
    one, two = pages
    first, second = begun(one, two, "Find an opponent")
    expect(first.locator(".status")).to_have_text("Your move")
    expect(first.get_by_role("button", name="Ask for a takeback")).to_have_count(0)
    expect(first.locator(".player a")).to_have_attribute("href", re.compile("^/person/Rated%20(Ann|Ben)$"))
    confirm(first, "Resign")
    expect(second.locator(".status")).to_contain_text("won")
    expect(second.locator(".player.won .elo")).to_have_text(re.compile(r"^ 1\d+ \+\d+$"))
    expect(first.locator(".player:not(.won) .elo")).to_have_text(re.compile(r"^ 1\d+ −\d+$"))
    second.goto("/games")
    expect(second.locator(".played .result")).to_have_text(["Won", "Lost"])
    second.locator("summary").click()
    for searched, results in {"7": ["Lost"], "rated": ["Won"]}.items():
        second.get_by_role("searchbox").fill(searched)
        expect(second.locator(".played .result")).to_have_text(results)
    review = second.get_by_role("link", name=re.compile("^Review ?: Magnetic Cave"))
    expect(review).to_have_attribute("href", re.compile("^/analysis/"))
    winner = "Rated Ann" if second is one else "Rated Ben"
    second.goto(f"/person/{winner}")
    expect(second.get_by_role("img", name="Rating in Magnetic Cave")).to_have_attribute(
        "aria-label", re.compile("Rated games: 1")
    )
    expect(second.locator(".levels tbody tr")).to_have_text(re.compile(r"^Cantris(–){6}0%1 .*(–){3}$"))
    expect(second.locator(".played .result")).to_have_text(["Won"])  # one that anybody could find
    expect(second.locator("main")).to_contain_text("Only people with the link can see your other games.")
    first.goto(f"/person/{winner}")
    expect(first.locator(".played .result")).to_have_text(["Won"])
    expect(first.locator("main")).not_to_contain_text("your")


def test_a_guest_continues_a_game_from_the_list(visit: Visitors) -> None:
    page = visit("/play?game=cantris&opponent=here", **PHONE)
    page.get_by_role("button", name="Start").click()
    expect(page.locator(".status")).to_contain_text("to move")
    page.goto("/games")
    assert fits(page)
    page.locator("summary").click()
    page.get_by_label("Opponent").select_option("bot")
    expect(page.locator(".people .empty")).to_contain_text("No game matches")
    page.get_by_label("Opponent").select_option("self")
    page.get_by_role("link", name="Continue").click()
    expect(page.locator(".status")).to_contain_text("to move")


@pytest.mark.parametrize("path", ["/games", "/lobby", "/person/Shown Person"])
def test_axe_finds_no_serious_fault(visit: Visitors, served: Served, accounts: Accounts, path: str) -> None:
    with in_person(served, accounts, "Shown Person") as client:
        match = begin(client, GAME, "human", "engine:level=1")
        client.post(f"/api/matches/{match['id']}/resign", json={})
        client.post("/api/lobby", json={"game": GAME, "clock": "none"})
        client.post("/api/profile", json={"public": True, "shows": ["games", "ratings", "bots", "levels"]})
    page = visit(path, "Shown Person", bypass_csp=True)
    page.locator("h1").wait_for()
    assert not serious_faults(page)
