"""Tokens: what each scope lets a program do on every route, their end, and that none makes another."""

from __future__ import annotations

import contextlib
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
from authorisation import ROUTES, scopes_for, tried
from sqlalchemy import create_engine, text
from web import PASSWORD, Served, in_person

from ludus.store import accounts as accounts_module
from ludus.store import upgrade
from ludus.store.accounts import SCOPES, Accounts
from ludus.store.codes import secret_hash

PUBLIC = {("POST", "/api/account/sign-up"), ("POST", "/api/account/sign-in"), ("POST", "/api/positions")}
"""Routes that ask nobody who they are; the last one changes nothing."""


def program(served: Served, secret: str) -> httpx.Client:
    """Return a client that sends a token."""
    client = served.client()
    client.headers["Authorization"] = f"Bearer {secret}"
    return client


def made(client: httpx.Client, **wanted: Any) -> dict[str, Any]:
    answer = client.post("/api/account/tokens", json={"name": "laptop", **wanted})
    assert answer.status_code == 201, answer.text
    token: dict[str, Any] = answer.json()
    return token


def test_a_token_acts_for_its_account_until_it_is_revoked(served: Served, accounts: Accounts) -> None:
    with in_person(served, accounts, "Maker") as client:
        token = made(client, name="  my   laptop ", scopes=["play", "read"], days=30)
        assert token["name"] == "my laptop"
        assert token["scopes"] == ["read", "play"]
        ends = datetime.fromisoformat(token["expires"]) - datetime.now(UTC)
        assert timedelta(days=29) < ends <= timedelta(days=30)
        with program(served, token["secret"]) as other:
            assert other.get("/api/account").json()["name"] == "Maker"
            listed = client.get("/api/account/tokens").json()
            assert listed[0]["used"] is not None
            assert "secret" not in listed[0]
            assert client.post(f"/api/account/tokens/{token['id']}/revoke", json={}).json() == []
            refused = other.get("/api/account")
            assert refused.status_code == 401
            assert "not valid, or has ended" in refused.json()["detail"]
        assert "the name of a token" in client.post("/api/account/tokens", json={"name": " "}).json()["detail"]
        mistakes: list[dict[str, Any]] = [
            {"days": 0},
            {"days": 400},
            {"scopes": []},
            {"scopes": ["all"]},
            {"scopes": "play"},
        ]
        for wrong in mistakes:
            assert client.post("/api/account/tokens", json={"name": "x", **wrong}).status_code == 422


def test_a_token_changes_only_what_its_scope_names(served: Served, accounts: Accounts) -> None:
    """With the account of an admin, so that nothing but the scope stands in the way."""
    someone = accounts.add("Scoped", PASSWORD, "admin")
    for scope in SCOPES:
        with program(served, accounts.add_token(someone, scope, [scope], 1)[1]) as client:
            for (method, path), role in ROUTES.items():
                if (method, path) in PUBLIC:
                    continue
                client.cookies.clear()
                status = tried(client, method, path)
                may_change = method == "GET" or scope in scopes_for(path)
                may_use_role = {"instructor": scope in ("teach", "admin"), "admin": scope == "admin"}.get(role, True)
                refused = status in (401, 403)
                assert refused == (not (may_change and may_use_role)), f"{scope}: {method} {path} gave {status}"


def test_no_token_makes_a_token_or_changes_an_account(served: Served, accounts: Accounts) -> None:
    someone = accounts.add("Leaky", PASSWORD, "admin")
    other = accounts.add("Accomplice", PASSWORD)
    with program(served, accounts.add_token(someone, "leaked", SCOPES, 1)[1]) as client:
        for path, body in (
            ("/api/account/tokens", {"name": "another"}),
            ("/api/account/password", {"old": PASSWORD, "new": "another password"}),
            ("/api/account/delete", {"password": PASSWORD}),
            ("/api/account/sign-out", {"everywhere": True}),
            (f"/api/accounts/{other.id}/role", {"role": "admin"}),
        ):
            answer = client.post(path, json=body)
            assert answer.status_code == 403, path
            assert answer.json()["detail"] == "a token cannot do this; sign in with your password"
    assert [token.name for token in accounts.tokens(someone)] == ["leaked"]
    assert accounts.find("Accomplice") == other


def test_a_token_of_an_instructor_for_submitting_sees_what_a_student_sees(served: Served, accounts: Accounts) -> None:
    someone = accounts.add("Lecturer", PASSWORD, "instructor")
    with program(served, accounts.add_token(someone, "at home", ["submit"], 1)[1]) as client:
        assert client.get("/api/account").json()["role"] == "student"
        assert client.get("/api/bots/all").status_code == 403
    with in_person(served, accounts, "Pupil") as client:
        refused = client.post("/api/account/tokens", json={"name": "x", "scopes": ["teach"]})
        assert "cannot have the scope teach, since your role is student" in refused.json()["detail"]


def test_a_token_ends(any_database: Path | str, monkeypatch: pytest.MonkeyPatch) -> None:
    with contextlib.closing(Accounts(any_database)) as store:
        someone = store.add("Short lived", PASSWORD)
        monkeypatch.setattr(accounts_module, "MOST_TOKENS", 1)
        secret = store.add_token(someone, "old", ["read"], -1)[1]
        assert store.of_token(secret) is None
        assert store.tokens(someone)[0].ended
        secret = store.add_token(someone, "new", ["read"], 1)[1]
        assert store.of_token(secret) is not None, "what has ended takes no place"
        with pytest.raises(ValueError, match="an account can have 1 tokens"):
            store.add_token(someone, "more", ["read"], 1)
        store.add_token(store.add("Other", PASSWORD), "x", ["read"], -1000)
        store.revoke(someone, store.tokens(someone)[0].id)
        monkeypatch.setattr(accounts_module, "ENDED_DAYS", 0)
        store.add_token(someone, "newest", ["read"], 1)
        assert [token.name for token in store.tokens(someone)] == ["newest"], "and is forgotten after a while"
        assert store.export(someone)["tokens"][0]["scopes"] == ["read"]


def test_tokens_from_before_there_were_scopes_keep_working(tmp_path: Path) -> None:
    place = tmp_path / "arena.db"
    engine = create_engine(f"sqlite:///{place}")
    upgrade(engine, "0012")
    secret, now = "ludus_made_long_ago", datetime.now(UTC)
    with engine.begin() as connection:
        row = {"name": "Old", "key": "old", "password": "-", "role": "instructor", "language": "en", "at": now}
        columns = "name, key, password, role, language, created"
        connection.execute(
            text(f"INSERT INTO account ({columns}) VALUES (:name, :key, :password, :role, :language, :at)"),  # noqa: S608
            row,
        )
        hashed = secret_hash(secret)
        connection.execute(
            text("INSERT INTO token (account_id, name, hash, created) VALUES (1, 'laptop', :hash, :at)"),
            {"hash": hashed, "at": now},
        )
    engine.dispose()
    with contextlib.closing(Accounts(place)) as store:
        found = store.of_token(secret)
        assert found is not None
        account, token = found
        assert (account.name, token.scopes, token.expires) == ("Old", ["all"], None)
