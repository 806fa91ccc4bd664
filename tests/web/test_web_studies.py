"""Studies by their routes: who sees and changes them, what is refused, what is taken away, and what deletion leaves."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from sqlalchemy import event
from web import PASSWORD, Served, in_person

import ludus
from ludus.moments import steady
from ludus.store.accounts import Accounts
from ludus.store.studies import MOST_STUDIES, Studies, StudyContent, StudyRow

START = ludus.game("magnetic-cave").initial().text
NODES = [
    {"comment": "The start", "shapes": [{"cells": [[0, 0]], "colour": "red"}]},
    {"parent": 0, "move": "A8", "shapes": [{"cells": [[0, 0], [3, 3]]}]},
    {"parent": 1, "move": "H8"},
    {"parent": 1, "move": "H7", "comment": "Lower"},
]
CHAPTER = {"title": "First", "start": START, "nodes": NODES}


def study(**changes: Any) -> dict[str, Any]:
    return {"title": "Openings", "game": "magnetic-cave", "chapters": [CHAPTER], **changes}


@pytest.fixture(scope="module")
def ada(served: Served, accounts: Accounts) -> Iterator[httpx.Client]:
    with in_person(served, accounts, "Ada") as client:
        yield client


@pytest.fixture(scope="module")
def bob(served: Served, accounts: Accounts) -> Iterator[httpx.Client]:
    with in_person(served, accounts, "Bob") as client:
        yield client


def created(client: httpx.Client, **changes: Any) -> dict[str, Any]:
    answer = client.post("/api/studies", json=study(**changes))
    assert answer.status_code == 201, answer.text
    found: dict[str, Any] = answer.json()
    return found


def test_a_study_is_private_by_link_or_public(served: Served, ada: httpx.Client, bob: httpx.Client) -> None:
    found = created(ada)
    path, version = f"/api/studies/{found['id']}", 1
    assert (found["mine"], found["owner"], found.get("visibility")) == (True, "Ada", "private")
    with served.client() as guest:
        for visibility, status, listed in (("private", 404, False), ("link", 200, False), ("public", 200, True)):
            version = ada.post(path, json={"sent": study(visibility=visibility), "version": version}).json()
            assert guest.get(path).status_code == status
            assert guest.get(f"{path}/record").status_code == status
            assert guest.get(f"{path}/picture.png").status_code == status
            assert bob.get(path).status_code == status
            others = [one["id"] for one in bob.get("/api/studies").json().get("public", [])]
            assert (found["id"] in others) == listed
        assert guest.get(f"/study/{found['id']}").status_code == 200
        assert guest.get("/study/aaaaaaaaaaaa").status_code == 404
    assert found["id"] in [one["id"] for one in ada.get("/api/studies").json()["mine"]]
    nodes = bob.get(path).json()["chapters"][0]["nodes"]
    assert nodes[2]["text"] == ludus.game("magnetic-cave").parse(START).play("A8").play("H8").text
    assert [node["side"] for node in nodes] == [0, 1, 0, 0]


def test_others_copy_and_only_the_owner_changes(ada: httpx.Client, bob: httpx.Client) -> None:
    found = created(ada, visibility="link")
    path = f"/api/studies/{found['id']}"
    assert bob.post(path, json={"sent": study(), "version": 1}).status_code == 403
    assert bob.post(f"{path}/remove").status_code == 403
    copy = bob.post(f"{path}/copy").json()
    assert (copy["mine"], copy["owner"], copy["visibility"]) == (True, "Bob", "private")
    assert copy["chapters"] == found["chapters"]
    assert ada.get(f"/api/studies/{copy['id']}").status_code == 404
    assert ada.post(f"{path}/remove").json() is True
    assert ada.get(path).status_code == 404


def test_two_windows_do_not_overwrite_each_other(ada: httpx.Client) -> None:
    path = f"/api/studies/{created(ada)['id']}"
    assert ada.post(path, json={"sent": study(title="One"), "version": 1}).json() == 2
    late = ada.post(path, json={"sent": study(title="Two"), "version": 1})
    assert late.status_code == 409
    assert late.json()["detail"].startswith("this study was changed in another window")
    assert ada.get(path).json()["title"] == "One"


def test_an_admin_removes_what_others_can_see_and_it_is_noted(
    served: Served, accounts: Accounts, ada: httpx.Client
) -> None:
    private, public = created(ada), created(ada, visibility="public")
    with in_person(served, accounts, "Root", "admin") as admin:
        assert admin.post(f"/api/studies/{private['id']}/remove").status_code == 404
        assert admin.post(f"/api/studies/{public['id']}/remove").json() is True
        assert admin.get("/api/audit").json()[0]["kind"] == "study.remove"


@pytest.mark.parametrize(
    ("changes", "status", "problem"),
    [
        ({"title": " \u202e "}, 201, None),
        ({"title": "  "}, 400, "need a title of 1 to 80 characters"),
        ({"title": "x" * 81}, 422, "title"),
        ({"game": "chess"}, 400, "there is no game 'chess'"),
        ({"visibility": "secret"}, 422, "visibility"),
        ({"chapters": []}, 422, "chapters"),
        ({"chapters": [CHAPTER] * 33}, 422, "chapters"),
        ({"chapters": [{**CHAPTER, "start": "x" * 2001}]}, 422, "start"),
        ({"chapters": [{**CHAPTER, "start": "nonsense"}]}, 400, "chapter 1: the position cannot be read"),
        ({"chapters": [{**CHAPTER, "options": "rows=99"}]}, 400, "rows"),
        ({"chapters": [{**CHAPTER, "nodes": [{}, {"parent": 0, "move": "D4"}]}]}, 400, "chapter 1, node 1: "),
        ({"chapters": [{**CHAPTER, "nodes": [{"comment": "x" * 2001}]}]}, 422, "comment"),
        ({"chapters": [{**CHAPTER, "nodes": [{"shapes": [{"cells": [[0, 63]]}]}]}]}, 400, "node 0: a drawing"),
        ({"chapters": [{**CHAPTER, "nodes": [{"shapes": [{"cells": []}]}]}]}, 422, "cells"),
        ({"chapters": [{**CHAPTER, "nodes": [{"script": "alert(1)"}]}]}, 422, "script"),
        ({"chapters": [{**CHAPTER, "nodes": [{}] * 2001}]}, 422, "nodes"),
    ],
)
def test_hostile_input_is_refused_in_one_sentence(
    ada: httpx.Client, changes: dict[str, Any], status: int, problem: str | None
) -> None:
    answer = ada.post("/api/studies", json=study(**changes))
    assert answer.status_code == status, answer.text
    if problem is not None:
        assert problem in answer.json()["detail"]
        assert "\n" not in answer.json()["detail"]


def test_an_account_keeps_a_bounded_number_of_studies(served: Served, accounts: Accounts, database: Path) -> None:
    with in_person(served, accounts, "Collector") as client, contextlib.closing(Studies(database)) as studies:
        account = accounts.find("Collector")
        assert account is not None
        with studies.session.begin() as session:
            more = {"account_id": account.id, "title": "?", "game": "cantris", "visibility": "link", "chapters": []}
            rows = [StudyRow(id=f"{n:012}", version=1, touched=steady(), **more) for n in range(MOST_STUDIES)]
            session.add_all(rows)
        refused = client.post("/api/studies", json=study())
    assert refused.status_code == 400
    assert "at most 200 studies" in refused.json()["detail"]


def test_a_list_of_studies_reads_no_chapters(accounts: Accounts) -> None:
    account = accounts.add("Long Writer", PASSWORD)
    content = StudyContent("Long", "cantris", "public", [{"title": "x", "start": "x"}] * 3)
    with contextlib.closing(Studies(str(accounts.engine.url))) as studies:
        studies.add(account.id, content)
        read: list[str] = []
        event.listen(studies.engine, "before_cursor_execute", lambda *given: read.append(given[2]))
        for found in (studies.of(account.id), studies.public()):
            assert [one.chapters for one in found if one.account_id == account.id] == [3]
    assert read and all("study.chapters" not in text.replace("json_array_length(study.chapters)", "") for text in read)


def test_a_chapter_is_taken_away_as_a_record_and_as_pictures(ada: httpx.Client) -> None:
    path = f"/api/studies/{created(ada)['id']}"
    text = ada.get(f"{path}/record").text
    assert "1. A8 H8 ( 1... H7 {Lower} )" in text
    assert [played.move for played in ludus.Record.parse(text).moves] == ["A8", "H8"]
    drawn, plain = (ada.get(f"{path}/picture.png?node={node}") for node in (1, 2))
    assert drawn.content[:4] == plain.content[:4] == b"\x89PNG"
    assert drawn.headers["cache-control"] == "no-store"
    assert (
        drawn.content != ada.get("/api/positions/picture.png", params={"game": "magnetic-cave", "moves": "A8"}).content
    )
    assert ada.get(f"{path}/animation.gif").content[:4] == b"GIF8"
    for missing in ("picture.png?node=99", "picture.png?chapter=7", "record?chapter=7", "animation.gif?node=1999"):
        assert ada.get(f"{path}/{missing}").status_code == 404


def test_studies_are_exported_and_deleted_with_the_account(served: Served, accounts: Accounts) -> None:
    with in_person(served, accounts, "Leaver") as client:
        found = created(client, visibility="public")
        exported = client.get("/api/account/data").json()["studies"]
        assert [(one["id"], one["title"], one["chapters"][0]["nodes"][3]["comment"]) for one in exported] == [
            (found["id"], "Openings", "Lower")
        ]
        assert client.post("/api/account/delete", json={"password": PASSWORD}).status_code == 200
    with served.client() as guest:
        assert guest.get(f"/api/studies/{found['id']}").status_code == 404
