"""Accounts in a real browser: coming in and going out, tokens, leaving, admins, both languages, a phone, and axe."""

from __future__ import annotations

import json
from pathlib import Path
from urllib.parse import quote

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
    expect(page.locator(".player.side0 strong")).to_have_text("You")  # back in the game, which is still theirs
    assert page.url == address
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
    expect(page.get_by_role("checkbox", name="Read")).to_be_disabled()
    expect(page.get_by_role("checkbox", name="Teach")).to_have_count(0)
    page.get_by_role("checkbox", name="Play").check()
    page.get_by_role("checkbox", name="Submit").uncheck()
    page.get_by_role("combobox", name="Valid for").select_option("7")
    page.get_by_role("button", name="Create token").click()
    secret = page.get_by_label("New token").input_value()
    with served.client() as program:
        program.headers["Authorization"] = f"Bearer {secret}"
        assert program.get("/api/account").json()["name"] == "Leaver"
        page.reload()
        expect(page.get_by_label("New token")).to_have_count(0)
        expect(page.locator(".tokens li")).to_contain_text("last used")
        expect(page.locator(".tokens li")).to_contain_text("Read, Play · until ")
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
    expect(page.locator("main")).to_contain_text("This needs the role admin, but your role is student")


def test_sign_up_by_invitation(visit: Visitors, accounts: Accounts) -> None:
    accounts.add("Gatekeeper", PASSWORD, "admin")
    accounts.add("Inviting", PASSWORD, "instructor")
    page = visit("/admin", "Gatekeeper")
    page.get_by_role("radio", name="By invitation").check(force=True)
    expect(page.locator("#toast")).to_have_text("Only people with a code can create an account.")
    teacher = visit("/account", "Inviting")
    teacher.get_by_label("For whom?").fill("lab A")
    teacher.get_by_label("Accounts").fill("2")
    teacher.get_by_role("button", name="Create invitation").click()
    link = teacher.get_by_label("Link with the invitation code").input_value()
    expect(teacher.locator(".tokens li")).to_contain_text("2 accounts left")
    stranger = visit("/account")
    stranger.get_by_role("button", name="Create an account").click()
    stranger.get_by_label("Invitation code").fill("made up")
    enter(stranger, "Stranger")
    expect(stranger.get_by_role("alert").filter(has_text="wrong")).to_contain_text("This invitation code is wrong")
    invited = visit(link.partition("/account")[1] + link.partition("/account")[2])
    enter(invited, "Invited")
    expect(invited.get_by_role("link", name="Account of Invited")).to_be_visible()
    teacher.reload()
    expect(teacher.locator(".tokens li")).to_contain_text("1 account left")
    page.get_by_role("radio", name="Nobody").check(force=True)
    expect(page.locator("#toast")).to_contain_text("Only admins create accounts")
    stranger.goto("/account?new")
    expect(stranger.get_by_role("heading", level=1)).to_have_text("Sign in")
    expect(stranger.get_by_text("New accounts are created by an admin here.")).to_be_visible()
    page.get_by_role("radio", name="Anyone").check(force=True)
    expect(page.locator("#toast")).to_have_text("Anyone can create an account.")


@pytest.mark.parametrize(
    "address",
    [
        "//attacker.example/",
        "/\\attacker.example",
        "https://attacker.example",
        "/\t/x.example",
        "/.//x.example",
        "http://[",
    ],
)
def test_after_signing_in_one_stays_on_this_site(
    visit: Visitors, served: Served, accounts: Accounts, address: str
) -> None:
    if accounts.find("Stays here") is None:
        accounts.add("Stays here", PASSWORD)
    page = visit(f"/account?next={quote(address, safe='')}")
    enter(page, "Stays here")
    expect(page.get_by_role("link", name="Account of Stays here")).to_be_visible()
    assert page.url.startswith(f"{served.address}/")


def test_axe_finds_no_serious_fault(visit: Visitors, accounts: Accounts) -> None:
    accounts.add("Axe", PASSWORD, "admin")
    page = visit(bypass_csp=True)
    found = {}
    for path in ("/account?new", "/account", "/admin"):
        page.goto(path)
        page.locator("h1").wait_for()
        if path == "/account":
            enter(page, "Axe")
            page.get_by_role("link", name="Account of Axe").click()
            page.get_by_label("Which computer is it for?").fill("laptop")
            page.get_by_role("button", name="Create token").click()
            page.get_by_label("New token").wait_for()
            page.get_by_text("Delete my account").click()
        if faults := serious_faults(page):
            found[path] = faults
    assert not found
