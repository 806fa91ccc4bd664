"""Accounts in a real browser: coming in and going out, tokens, leaving, admins, both languages, a phone, and axe."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect
from web import PASSWORD, PHONE, Served, Visitors, fits, legal, serious_faults

from ludus.store.accounts import Accounts


def enter(page: Page, name: str, password: str = PASSWORD) -> None:
    page.locator('input[name="name"]').fill(name)
    page.locator('input[name="password"]').fill(password)
    page.keyboard.press("Enter")


def test_sign_up_play_sign_out_and_in_again(visit: Visitors) -> None:
    page = visit("/play?game=magnetic-cave&opponent=link")
    page.get_by_role("button", name="Start").click()
    expect(page.locator(".status")).to_have_text("Waiting for your opponent")
    address = page.url
    page.get_by_role("link", name="Sign in").click()
    page.get_by_role("button", name="Create an account").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Create an account")
    enter(page, "Ada")
    expect(page.get_by_role("link", name="Account of Ada")).to_have_text("Ada")
    expect(page.get_by_role("heading", level=1)).to_have_text("Pick a game. Play in one click.")
    page.goto(address)
    expect(page.locator(".player.side0 strong")).to_have_text("You")
    other = visit(address)
    expect(other.locator(".player.side0 strong")).to_have_text("Ada")
    other.get_by_role("button", name="Join game").click()
    expect(page.locator(".status")).to_have_text("Your move")
    legal(page).first.click()
    expect(other.locator(".status")).to_have_text("Your move")
    page.get_by_role("link", name="Account of Ada").click()
    page.get_by_role("button", name="Sign out", exact=True).click()
    expect(page.get_by_role("link", name="Sign in")).to_be_visible()
    page.goto(address)
    expect(page.locator(".player.side0 strong")).to_have_text("Ada")
    page.goto("/account")
    enter(page, "ada", "not the password")
    expect(page.get_by_role("alert").filter(has_text="Wrong")).to_have_text("Wrong name or password.")
    enter(page, "ada")
    expect(page.get_by_role("link", name="Account of Ada")).to_be_visible()
    page.goto(address)
    expect(page.locator(".player.side0 strong")).to_have_text("You")


def test_the_account_speaks_its_language_on_a_phone(visit: Visitors) -> None:
    page = visit("/account?new", locale="zh-TW", **PHONE)
    enter(page, "林小明")
    expect(page.get_by_role("heading", level=1)).to_have_text("選個遊戲，一鍵開局。")
    elsewhere = visit("/account", locale="en-GB", **PHONE)
    enter(elsewhere, "林小明", "wrong password")
    expect(elsewhere.get_by_text("Wrong name or password.")).to_be_visible()
    enter(elsewhere, "林小明")
    expect(elsewhere.get_by_role("heading", level=1)).to_have_text("選個遊戲，一鍵開局。")
    elsewhere.get_by_role("link", name="林小明的帳號").tap()
    expect(elsewhere.get_by_role("heading", level=1)).to_have_text("林小明")
    assert fits(elsewhere)
    elsewhere.get_by_role("radio", name="English").tap()
    expect(elsewhere.get_by_role("button", name="Sign out", exact=True)).to_be_visible()
    page.goto("/account")
    expect(page.get_by_role("radio", name="English")).to_be_checked()


def test_tokens_my_data_and_leaving(visit: Visitors, served: Served) -> None:
    page = visit("/account?new&next=/account")
    enter(page, "Leaver")
    page.get_by_label("Which computer is it for?").fill("my laptop")
    page.get_by_role("button", name="Create token").click()
    secret = page.get_by_label("New token").input_value()
    with served.client() as program:
        program.headers["Authorization"] = f"Bearer {secret}"
        assert program.get("/api/account").json()["name"] == "Leaver"
        page.reload()
        expect(page.get_by_label("New token")).to_have_count(0)
        expect(page.locator(".tokens li")).to_contain_text("last used")
        page.get_by_role("button", name="Revoke the token my laptop").click()
        expect(page.locator(".tokens li")).to_have_count(0)
        assert program.get("/api/account").status_code == 401
    with page.expect_download() as download:
        page.get_by_role("link", name="Download").click()
    assert json.loads(Path(download.value.path()).read_text())["account"]["name"] == "Leaver"
    page.get_by_text("Delete my account").click()
    leave = page.locator(".leave")
    leave.get_by_label("Password").fill("not the password")
    leave.get_by_role("button", name="Delete everything").click()
    expect(leave.get_by_role("alert")).to_have_text("Wrong password.")
    leave.get_by_label("Password").fill(PASSWORD)
    leave.get_by_role("button", name="Delete everything").click()
    expect(page.get_by_role("link", name="Sign in")).to_be_visible()
    page.goto("/account")
    enter(page, "Leaver")
    expect(page.get_by_text("Wrong name or password.")).to_be_visible()


def test_an_admin_gives_roles_and_others_are_not_let_in(visit: Visitors, accounts: Accounts) -> None:
    accounts.add("Root", PASSWORD, "admin")
    them = accounts.add("Bold", PASSWORD)
    page = visit("/admin")
    expect(page.get_by_role("heading", level=1)).to_have_text("Sign in to see this page")
    page.locator("main").get_by_role("link", name="Sign in").click()
    enter(page, "Root")
    expect(page.get_by_label("Role of Root")).to_be_disabled()
    page.get_by_label("Search by name").fill("old")
    expect(page.locator("tbody tr:visible")).to_have_count(1)
    page.get_by_label("Role of Bold").select_option("instructor")
    expect(page.locator("#toast")).to_have_text("Bold: Instructor")
    page.reload()
    expect(page.locator(".log li").first).to_contain_text("Root changed the role of Bold: Student → Instructor")
    found = accounts.account(them.id)
    assert found is not None
    assert found.role == "instructor"
    accounts.set_role(accounts.find("Root") or them, "student", None)
    page.reload()
    expect(page.locator("main")).to_contain_text("This needs the role admin, and yours is student")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_no_serious_fault(visit: Visitors, accounts: Accounts, scheme: str) -> None:
    accounts.add(f"Axe {scheme}", PASSWORD, "admin")
    page = visit(bypass_csp=True, color_scheme=scheme)
    found = {}
    for path in ("/account?new", "/account", "/admin"):
        page.goto(path)
        page.locator("h1").wait_for()
        if path == "/account":
            enter(page, f"Axe {scheme}")
            page.get_by_role("link", name=f"Account of Axe {scheme}").click()
            page.get_by_label("Which computer is it for?").fill("laptop")
            page.get_by_role("button", name="Create token").click()
            page.get_by_label("New token").wait_for()
            page.get_by_text("Delete my account").click()
        if faults := serious_faults(page):
            found[path] = faults
    assert not found
