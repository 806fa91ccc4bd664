"""Uploads that are too large: refused by the page before anything is sent, by one limit that the server tells."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import Page, expect
from test_web_bots import person
from test_web_bots_browser import sign_in
from test_web_courses import CODE
from web import Served, Visitors

from ludus.store.accounts import Accounts
from ludus.web.http.uploads import UploadLimits


def of_size(folder: Path, name: str, size: int) -> str:
    """Write a file that has so many bytes and hardly any on disk."""
    with (folder / name).open("wb") as file:
        file.truncate(size)
    return str(folder / name)


def sent(page: Page) -> list[str]:
    """Return the list that every change which the page sends goes into."""
    found: list[str] = []
    page.on("request", lambda request: found.append(request.url) if request.method != "GET" else None)
    return found


def test_a_bot_that_is_too_large_is_not_sent(
    visit: Visitors, served: Served, accounts: Accounts, tmp_path: Path
) -> None:
    most = UploadLimits().bot
    page = visit("/")
    sign_in(page, accounts, served, "Uploads")
    asked = sent(page)
    page.goto("/bots")
    page.locator('input[name="files"]').set_input_files(of_size(tmp_path, "big.py", most + 1))
    expect(page.locator(".upload .fault")).to_have_text("That is more than 8 MB. Upload only the source files.")
    page.get_by_role("button", name="Upload and check").click()
    expect(page.locator(".upload .fault")).to_have_text("That is more than 8 MB. Upload only the source files.")
    expect(page.get_by_role("button", name="Upload and check")).to_be_enabled()
    assert asked == []
    page.locator('input[name="files"]').set_input_files(of_size(tmp_path, "small.py", 100))
    expect(page.locator(".upload .fault")).to_have_text("")


def test_a_submission_that_is_too_large_is_not_sent(
    visit: Visitors, served: Served, accounts: Accounts, tmp_path: Path
) -> None:
    with person(served, accounts, "Teaches", "instructor") as teacher, person(served, accounts, "Learns") as student:
        made = teacher.post("/api/courses", json={"preset": "nycu-cantris", "title": "Large", "code": CODE}).json()[
            "id"
        ]
        joined = student.post(f"/api/courses/{made}/join", json={"student": "0816001", "code": CODE})
        assert joined.status_code < 300, joined.text
    page = visit("/")
    sign_in(page, accounts, served, "Learns")
    asked = sent(page)
    page.goto(f"/courses/{made}")
    expect(page.locator("label.drop")).to_contain_text("12 MB at most.")
    page.locator('input[name="file"]').set_input_files(of_size(tmp_path, "big.zip", UploadLimits().submission + 1))
    page.get_by_role("button", name="Submit").first.click()
    expect(page.get_by_text("That is more than 12 MB. Submit only the source files.").first).to_be_visible()
    assert asked == []


def test_a_file_that_is_no_game_is_not_even_read(visit: Visitors, tmp_path: Path) -> None:
    page = visit("/analysis?game=cantris")
    page.get_by_role("button", name="Import").first.click()
    page.get_by_label("Load a file").set_input_files(of_size(tmp_path, "huge.txt", 5_000_000))
    expect(page.locator("dialog .wrong")).to_contain_text("The limit is 200000 characters")
    expect(page.locator("dialog textarea")).to_have_value("")
