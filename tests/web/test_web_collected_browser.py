"""The whole path of an instructor in a real browser: roster, a class in one zip, settings, grades, release; and axe."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest
from playwright.sync_api import FilePayload, Page, expect
from test_web_collected import archive
from test_web_courses import CODE, FIRST, LAST, settings, worked
from web import PASSWORD, PHONE, Served, Visitors, fits, serious_faults, signed_in

ROSTER = "學號,姓名\n101,王小明\n102,Bob Baker\n103,Cy Chan\n"


@pytest.fixture(scope="module")
def teacher(served: Served, database: Path) -> Iterator[httpx.Client]:
    with signed_in(served, database, "teaches-all", "instructor") as client:
        yield client


def opened(page: Page, summary: str) -> None:
    """Open a part of the page."""
    page.locator("summary").filter(has_text=re.compile(f"^{summary}")).click()


def upload_tables(page: Page) -> None:
    """Upload a roster and points, each wrong at first."""
    opened(page, "Tables")
    roster: FilePayload = {"name": "roster.csv", "mimeType": "text/csv", "buffer": b"id,name\n101,A\n101,B\n"}
    page.get_by_label("Roster", exact=True).set_input_files(roster)
    expect(page.locator(".tables .fault").first).to_contain_text("csv, line 3")
    page.get_by_label("Roster", exact=True).set_input_files({**roster, "buffer": ROSTER.encode("big5")})
    expect(page.locator(".tables li").first).to_contain_text("3 lines")
    page.get_by_role("button", name="Edit: Points entered by hand").click()
    page.get_by_role("dialog").get_by_role("textbox").fill("id,rule,points\n101,report,99\n")
    page.get_by_role("dialog").get_by_role("button", name="Save").click()
    expect(page.get_by_role("dialog").locator(".fault")).to_contain_text("csv, line 2")
    page.get_by_role("dialog").get_by_role("textbox").fill("id,rule,points\n101,report,9\n")
    page.get_by_role("dialog").get_by_role("button", name="Save").click()
    expect(page.get_by_role("dialog")).to_have_count(0)


def upload_base(page: Page) -> None:
    """Upload what the course gave out, wrongly at first, and remove it."""
    base: FilePayload = {"name": "framework.zip", "mimeType": "application/zip", "buffer": b"PK\x03\x04"}
    line = page.locator(".tables li").last
    expect(page.locator(".tables")).to_contain_text("1 line")  # the table before is stored, and the list drawn again
    page.get_by_label("Code given out", exact=True).set_input_files(base)
    expect(line.locator(".fault")).to_contain_text("framework.zip")
    page.get_by_label("Code given out", exact=True).set_input_files({**base, "buffer": archive({"x.py": FIRST})})
    expect(line).to_contain_text("framework.zip")
    line.get_by_role("button", name="Remove").click()
    expect(line).to_contain_text("none")


def upload_class(page: Page) -> None:
    """Upload the submissions of a class; see who is who; store them."""
    opened(page, "Upload submissions")
    both = archive({"one.py": FIRST, "two.py": LAST})
    class_ = archive({"101.py": FIRST, "102.zip": both, "1O3.py": LAST, "empty.py": ""})
    zipped: FilePayload = {"name": "class.zip", "mimeType": "application/zip", "buffer": class_}
    page.locator('input[name="class"]').set_input_files(zipped)
    expect(page.locator(".collect .picker")).to_have_text("Choose a fileclass.zip")
    page.get_by_role("button", name="Show the students").click()
    expect(page.locator("table.class tbody tr, .class tbody tr")).to_have_count(4)
    expect(page.locator(".collect")).to_contain_text("not on the roster")
    assert not serious_faults(page)
    page.get_by_role("button", name="Whose is it? 1O3.py").click()
    page.get_by_role("dialog").get_by_label("Student").fill("103")
    assert page.locator("#class-students option").count() == 3, "those on the roster are proposed"
    assert not serious_faults(page)
    page.get_by_role("dialog").get_by_role("button", name="Use this student").click()
    expect(page.locator(".class tbody tr").nth(2)).to_contain_text("103")
    expect(page.locator(".class tbody tr").nth(2)).to_contain_text("new")
    page.get_by_role("button", name="Whose is it? empty.py").click()
    page.get_by_role("dialog").get_by_label("Leave it out").check()
    page.get_by_role("dialog").get_by_role("button", name="Use this student").click()
    expect(page.locator(".class tbody tr").nth(3)).to_contain_text("left out")
    expect(page.locator(".class")).not_to_contain_text("not on the roster")
    page.get_by_role("button", name="Store these submissions").click()
    expect(page.locator(".students")).to_contain_text("102.zip")


def change_settings(page: Page) -> None:
    """Change settings, wrongly at first."""
    opened(page, "Settings")
    page.locator("input[name=clock]").fill("never mind")
    save = page.locator("details.settings:not(.file)").get_by_role("button", name="Save")
    save.click()
    expect(page.locator("details.settings:not(.file) .fault")).to_contain_text("Clock: ")
    page.locator("input[name=clock]").fill("4/move")
    page.get_by_label("Show students the standings").check()
    page.set_viewport_size({"width": 720, "height": 900})  # a date with a time needs more room than other fields
    edges = "all => all.map(one => [one, one.parentElement].map(two => two.getBoundingClientRect().right))"
    for field, room in page.locator("details.settings .fields :is(input, select)").evaluate_all(edges):
        assert field <= room + 1
    page.set_viewport_size({"width": 1440, "height": 900})
    assert not serious_faults(page)
    save.click()
    expect(page.locator(".head")).to_contain_text("4 s")


def grade(page: Page, teacher: httpx.Client, path: str) -> None:
    """Grade twice: the program of one student has to be chosen in between."""
    page.get_by_role("button", name="Grade", exact=True).click()
    choose = page.locator(".students").get_by_role("button", name="Choose the program")
    expect(choose).to_have_count(1)
    choose.click()
    page.get_by_role("dialog").get_by_label("File").select_option("two.py")
    page.get_by_role("dialog").get_by_role("button", name="Use this file").click()
    expect(page.locator(".students")).to_contain_text("Program: two.py")
    worked(teacher, path, "grading")
    page.get_by_role("button", name="Grade again").click()
    worked(teacher, path, "grading")
    expect(choose).to_have_count(0)


def release(page: Page) -> None:
    """Release the grades, but not at the first question."""
    page.get_by_role("button", name="Release grades").click()
    expect(page.get_by_role("dialog")).to_contain_text("1 student will see their own grade")
    expect(page.get_by_role("dialog")).to_contain_text("have no account here")
    assert not serious_faults(page)
    page.get_by_role("dialog").get_by_role("button", name="Cancel").click()
    expect(page.locator(".title .pill")).not_to_have_text("Grades released")
    page.get_by_role("button", name="Release grades").click()
    page.get_by_role("dialog").get_by_role("button", name="Release grades").click()
    expect(page.locator(".title .pill")).to_have_text("Grades released")


def claim_by_code(page: Page, visit: Visitors) -> None:
    """Give a student a code; who opens its link without an account makes one, and has the id."""
    page.get_by_role("button", name="Code for 102").click()
    page.get_by_role("dialog").get_by_role("button", name="Create codes").click()
    dialog = page.get_by_role("dialog")
    with page.expect_download() as download:
        dialog.get_by_role("link", name="Save as CSV").click()
    saved = Path(download.value.path()).read_text("utf-8-sig")
    code = dialog.locator("code").inner_text()
    assert f'"102","Bob Baker","{code}","http://' in saved
    assert not serious_faults(page)
    dialog.get_by_role("button", name="Close").click()
    link = saved.strip().rpartition(',"')[2].strip('"')
    student = visit(link[link.index("/courses/") :])
    student.locator("main").get_by_role("link", name="Sign in").click()
    student.get_by_role("button", name="Create an account").click()
    expect(student.get_by_label("Invitation code")).to_have_value(code)
    student.locator('input[name="name"]').fill("bob of 102")
    student.locator('input[name="password"]').fill(PASSWORD)
    student.get_by_role("button", name="Create account").click()
    expect(student.locator(".head")).to_contain_text("You joined as 102.")
    expect(student.locator(".grade .total")).to_be_visible()


def test_an_instructor_collects_a_class_and_releases_its_grades(
    visit: Visitors, served: Served, database: Path, teacher: httpx.Client
) -> None:
    made = teacher.post("/api/courses", json={"preset": "nycu-cantris", "title": "Whole path", "code": CODE})
    path = f"/api/courses/{made.json()['id']}"
    teacher.post(f"{path}/settings", json=settings(title="Whole path", code=CODE))
    page = visit(path.removeprefix("/api"), "teaches-all", bypass_csp=True, viewport={"width": 1440, "height": 900})
    upload_tables(page)
    upload_base(page)
    upload_class(page)
    change_settings(page)
    grade(page, teacher, path)
    signed_in(served, database, "wang").close()
    student = visit(path.removeprefix("/api"), "wang", locale="zh-TW", color_scheme="dark", **PHONE)
    student.get_by_label("學號").fill("101")
    student.get_by_label("加入代碼").fill(CODE)
    student.get_by_role("button", name="加入").click()
    expect(student.locator(".note")).to_contain_text("需要確認")
    page.reload()
    confirm = page.get_by_role("button", name="Confirm account: wang is 101")
    expect(confirm).to_have_text("Confirm account")  # what is read aloud has the words that are seen
    confirm.click()
    page.get_by_role("dialog").get_by_role("button", name="Confirm account").click()
    expect(confirm).to_have_count(0)
    release(page)
    claim_by_code(page, visit)
    student.reload()
    expect(student.locator(".grade .total")).to_be_visible()
    expect(student.locator(".standings tbody tr").filter(has_text="你")).to_have_count(1)
    expect(student.locator("main")).not_to_contain_text("Bob")
    assert fits(student)
    phone = visit(path.removeprefix("/api"), "teaches-all", color_scheme="dark", bypass_csp=True, **PHONE)
    phone.locator("h1").wait_for()
    phone.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true; })")
    assert fits(phone)
    assert phone.locator(".scroll:has(> .students)").evaluate("one => one.scrollWidth <= one.clientWidth")
    assert not serious_faults(phone)
