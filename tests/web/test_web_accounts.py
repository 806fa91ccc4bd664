"""Accounts of the web arena without a browser: rules, sessions, tokens, roles on every route, and leaving."""

from __future__ import annotations

import contextlib
import io
import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from argon2 import PasswordHasher
from authorisation import ROUTES, tried
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy.orm import Session
from web import PASSWORD, Served, begin, in_person, serving

from ludus.cli import main
from ludus.store import accounts as accounts_module
from ludus.store import open_database
from ludus.store.accounts import ROLES, Account, AccountRow, Accounts, read_name
from ludus.store.matches import Matches, StoredMatch
from ludus.store.passwords import name_key
from ludus.web.app import api_routes, create_app
from ludus.web.http.addresses import PATTERNS

PROOF = {"X-Ludus": "1"}


@pytest.fixture(scope="module")
def store(shared_database: Path | str) -> Iterator[Accounts]:
    with contextlib.closing(Accounts(shared_database)) as found:
        yield found


def sign_up(client: httpx.Client, name: str, password: str = PASSWORD, **more: Any) -> dict[str, Any]:
    answer = client.post("/api/account/sign-up", json={"name": name, "password": password, **more}, headers=PROOF)
    assert answer.status_code == 201, answer.text
    told: dict[str, Any] = answer.json()
    return told


def refused(answer: httpx.Response, status: int) -> str:
    assert answer.status_code == status, answer.text
    detail: str = answer.json()["detail"]
    return detail


def role_of(client: httpx.Client) -> str:
    role: str = client.get("/api/account").json()["role"]
    return role


# What the store keeps


@pytest.mark.parametrize("name", ["Ada", "林小明", "Ana-María", "a.b_c d", "ＡＤＡ２", "नीला", "x2"])
def test_names_of_any_script_are_names(name: str) -> None:
    assert read_name(f" {name} ") == read_name(read_name(name))


@pytest.mark.parametrize("name", ["", "a", "a" * 33, "a  b", "-ab", "ab.", "<b>x</b>", "a\x00b", "a\u202eb", "a\nb"])
def test_other_texts_are_not(name: str) -> None:
    with pytest.raises(ValueError, match="a name must have 2 to 32 letters"):
        read_name(name)


@given(st.text(min_size=2, max_size=40))
def test_a_name_is_compared_the_same_however_it_is_typed(text: str) -> None:
    try:
        name = read_name(text)
    except ValueError:
        return
    assert name_key(name) == name_key(text.strip()) == name_key(name_key(name))


def test_accounts_are_kept(store: Accounts) -> None:
    made = store.add("Ada Lovelace", PASSWORD, "instructor", "zh-Hant")
    assert made == Account(made.id, "Ada Lovelace", "instructor", "zh-Hant")
    assert store.find("ａｄａ LOVELACE") == store.account(made.id) == made
    for same in ("ada lovelace", "ADA LOVELACE", "Ａda Lovelace"):
        with pytest.raises(ValueError, match="is taken; choose another"):
            store.add(same, PASSWORD)
    assert store.check("ADA lovelace", PASSWORD) == made
    assert store.check("Ada Lovelace", PASSWORD + "!") is None
    assert store.check("nobody at all", PASSWORD) is None
    store.set_role(made, "admin", None)
    store.set_language(made, "en")
    assert store.all() == [Account(made.id, "Ada Lovelace", "admin", "en")]
    assert store.names([None, "x" * 32, f"account:{made.id}", "account:99"]) == {f"account:{made.id}": "Ada Lovelace"}
    assert [entry.kind for entry in store.audit()] == ["account.role", "account.add"]
    store.remove(made, made.id)
    assert store.find("Ada Lovelace") is None
    assert store.audit()[0].name is None
    again = store.add("Ada Lovelace", PASSWORD)
    assert again.id > made.id, "a number is never given twice"


@pytest.mark.parametrize("strange", ["", "\x00", "\ud800", "é" * 300, "'; --", "%"])
def test_strange_names_and_passwords_are_only_wrong(store: Accounts, strange: str) -> None:
    assert store.find(strange) is None
    assert store.check(strange, strange) is None
    if store.find("Plain") is None:
        store.add("Plain", PASSWORD)
    assert store.check("Plain", strange) is None


def test_a_session_ends_and_an_old_hash_is_replaced(
    store: Accounts, shared_database: Path | str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(accounts_module, "hasher", lambda: PasswordHasher(1, 8 * 1024, 1))
    made = store.add("Old timer", PASSWORD)
    monkeypatch.setattr(accounts_module, "SESSION_DAYS", 0)
    assert store.of_session(store.sign_in(made)) is None
    monkeypatch.undo()
    assert store.check("Old timer", PASSWORD) == made
    engine = open_database(shared_database)
    with Session(engine) as session:
        assert "m=19456,t=2,p=1" in session.get_one(AccountRow, made.id).password
    engine.dispose()
    assert store.check("Old timer", PASSWORD) == made


@pytest.mark.parametrize("old_hash", [False, True])
def test_a_new_password_ends_the_session_that_the_old_one_is_about_to_begin(
    store: Accounts, monkeypatch: pytest.MonkeyPatch, old_hash: bool
) -> None:
    """And an old kind of hash is not renewed over it."""
    if old_hash:
        monkeypatch.setattr(accounts_module, "hasher", lambda: PasswordHasher(1, 8 * 1024, 1))
    made = store.add(f"Robbed {old_hash}", PASSWORD)
    monkeypatch.undo()
    hasher = accounts_module.hasher()

    class Slow(PasswordHasher):
        """Meanwhile the owner is faster."""

        def verify(self, *given: Any) -> Any:
            monkeypatch.undo()
            found = hasher.verify(*given)
            store.set_password(made, "another password", made.id)
            return found

    monkeypatch.setattr(accounts_module, "hasher", Slow)
    assert store.enter(made.name, PASSWORD) is None
    assert store.check(made.name, PASSWORD) is None
    found = store.enter(made.name, "another password")
    assert found is not None
    assert store.of_session(found[1]) == made


def test_sessions_and_tokens_are_kept_as_hashes(store: Accounts) -> None:
    made = store.add("Grace", PASSWORD)
    here, there = store.sign_in(made), store.sign_in(made)
    assert here != there
    assert store.of_session(here) == store.of_session(there) == made
    store.sign_out(here)
    assert store.of_session(here) is None
    assert store.of_session(there) == made
    store.set_password(made, "another password", made.id, keep=there)
    assert store.of_session(there) == made
    store.sign_out_everywhere(made)
    assert store.of_session(there) is None
    token, secret = store.add_token(made, "laptop", ["submit"], 30)
    assert [one.id for one in store.tokens(made)] == [token.id]
    found = store.of_token(secret)
    assert found is not None and found[0] == made
    assert store.tokens(made)[0].used is not None
    other = store.add("Barbara", PASSWORD)
    assert not store.revoke(other, token.id), "only one's own"
    assert store.revoke(made, token.id)
    assert store.of_token(secret) is None
    kept = str(store.export(made))
    assert not any(word in kept for word in (here, there, secret, PASSWORD, "argon2"))


# Signing in


@pytest.mark.parametrize(
    ("name", "password", "words"),
    [
        ("x", PASSWORD, "a name must have 2 to 32 letters"),
        ("shorty", "1234567", "a password must have at least 8 characters"),
        ("same name", "Same Name", "the password must differ from the name"),
        ("long one", "x" * 201, "a password can have at most 200 characters"),
    ],
)
def test_what_a_new_account_needs(served: Served, name: str, password: str, words: str) -> None:
    with served.client() as client:
        answer = client.post("/api/account/sign-up", json={"name": name, "password": password})
        assert words in refused(answer, 400)
        assert role_of(client) == "guest"


def test_up_out_and_in_again(served: Served) -> None:
    with served.client() as client:
        told = sign_up(client, "小明", language="zh-Hant")
        assert told == {"name": "小明", "role": "student", "language": "zh-Hant", "course": None}
        assert client.get("/api/account").json()["name"] == "小明"
        assert client.post("/api/account/sign-out", json={}, headers=PROOF).json()["role"] == "guest"
        assert role_of(client) == "guest"
        assert client.post("/api/account/sign-in", json={"name": "小明", "password": PASSWORD}).status_code == 200
        assert role_of(client) == "student"


def test_cookies_are_hidden_strict_and_new_each_time(served: Served) -> None:
    with served.client() as client:
        client.cookies.set("ludus_session", "planted-by-someone-else")
        answer = client.post("/api/account/sign-up", json={"name": "Fixated", "password": PASSWORD})
        cookies = dict(cookie.split("=", 1) for cookie in answer.headers.get_list("set-cookie"))
        assert re.search(r"HttpOnly.*SameSite=strict", cookies["ludus_session"])
        assert "HttpOnly" not in cookies["ludus_name"], "the page shows it"
        assert "Secure" not in cookies["ludus_session"], "it came by plain http"
        first = client.cookies["ludus_session"] if len(client.cookies.jar) < 3 else answer.cookies["ludus_session"]
        assert first != "planted-by-someone-else"
    login = {"name": "Fixated", "password": PASSWORD}
    with served.client() as client:
        client.cookies.set("ludus_session", first)
        again = client.post("/api/account/sign-in", json=login)
        assert again.cookies["ludus_session"] != first
    with served.client() as thief:
        thief.cookies.set("ludus_session", first)
        assert role_of(thief) == "guest", "the session before has ended"


def test_over_https_no_other_host_can_plant_a_session(served: Served, accounts: Accounts) -> None:
    """A sibling of our host, or plain http, can set cookies for us, but none whose name begins with __Host-."""
    planted = accounts.sign_in(accounts.add("Attacker", PASSWORD))
    encrypted = {"X-Forwarded-Proto": "https", **PROOF}
    with served.client() as victim:
        victim.headers.update(encrypted)
        assert victim.get("/api/account", headers={"Cookie": f"ludus_session={planted}"}).json()["role"] == "guest"
        answer = victim.post("/api/account/sign-up", json={"name": "Encrypted", "password": PASSWORD})
        cookies = dict(cookie.split("=", 1) for cookie in answer.headers.get_list("set-cookie"))
        for name in ("__Host-ludus_session", "__Host-ludus_browser", "ludus_name"):
            assert "Path=/; SameSite=strict; Secure" in cookies[name]
            assert "Domain" not in cookies[name]
        mine = f"__Host-ludus_session={cookies['__Host-ludus_session'].partition(';')[0]}"
        assert victim.get("/api/account", headers={"Cookie": mine}).json()["name"] == "Encrypted"
        assert victim.get("/api/account", headers={"Cookie": f"ludus_session={planted}; {mine}"}).json()["name"]
        gone = victim.post("/api/account/sign-out", json={}, headers={"Cookie": mine})
        ended = next(one for one in gone.headers.get_list("set-cookie") if one.startswith("__Host-ludus_session="))
        assert "Max-Age=0" in ended and "Secure" in ended, "or the browser would keep it"
        plain = {"Origin": served.address, "Cookie": mine}
        refusal = victim.post("/api/account/sign-out", json={}, headers=plain)
        assert refused(refusal, 403).startswith("this request came from another site"), "plain http is another site"


def test_an_unknown_name_and_a_wrong_password_look_alike(served: Served) -> None:
    with served.client() as client:
        sign_up(client, "Known")
    with served.client() as client:
        answers = [
            client.post("/api/account/sign-in", json={"name": name, "password": "wrong password"})
            for name in ("Known", "Unknown")
        ]
        assert [refused(answer, 400) for answer in answers] == ["wrong name or password"] * 2
        assert not any(answer.headers.get("set-cookie") for answer in answers)


def test_one_can_sign_out_everywhere_and_a_new_password_does_so_too(served: Served) -> None:
    login = {"name": "Everywhere", "password": PASSWORD}
    with served.client() as one, served.client() as two:
        sign_up(one, "Everywhere")
        two.post("/api/account/sign-in", json=login)
        wrong = one.post("/api/account/password", json={"old": "nonsense", "new": "new password"}, headers=PROOF)
        assert refused(wrong, 400) == "wrong password"
        answer = one.post("/api/account/password", json={"old": PASSWORD, "new": "new password"}, headers=PROOF)
        assert answer.status_code == 200, answer.text
        assert (role_of(one), role_of(two)) == ("student", "guest")
        two.post("/api/account/sign-in", json={**login, "password": "new password"})
        one.post("/api/account/sign-out", json={"everywhere": True}, headers=PROOF)
        assert (role_of(one), role_of(two)) == ("guest", "guest")
        assert not {"ludus_session", "ludus_name"} & set(two.cookies), "the browser is told that it is over"


def test_changes_by_a_session_come_from_our_own_page_only(served: Served) -> None:
    with served.client() as client:
        sign_up(client, "Careful")
        path, body = "/api/account/tokens", {"name": "laptop"}
        assert "x-ludus" in refused(client.post(path, json=body), 403)
        for foreign in ({"Origin": "http://elsewhere.example"}, {"Origin": "null"}, {"Sec-Fetch-Site": "cross-site"}):
            answer = client.post(path, json=body, headers={**PROOF, **foreign})
            assert refused(answer, 403) == "this request came from another site and was refused"
        assert client.get(path).json() == []
        ours = {**PROOF, "Origin": served.address, "Sec-Fetch-Site": "same-origin"}
        assert client.post(path, json=body, headers=ours).status_code == 201
        form = client.post("/api/account/sign-in", content=b'{"name": "a", "password": "b"}')
        assert form.status_code == 422, "a form of another site cannot sign anyone in"


def test_a_name_that_nobody_has_is_checked_like_any_other(store: Accounts, monkeypatch: pytest.MonkeyPatch) -> None:
    store.add("Timed", PASSWORD)
    real, checked = accounts_module.hasher(), list[str]()

    class Counting:
        def verify(self, hashed: str, password: str) -> bool:
            checked.append(hashed.rsplit("$", 2)[0])
            return real.verify(hashed, password)

    monkeypatch.setattr(accounts_module, "hasher", Counting)
    assert store.check("Timed", "wrong password") is None
    assert store.check("Nobody", "wrong password") is None
    assert len(checked) == 2
    assert checked[0] == checked[1], "with the same cost"


# Who may do what


def all_routes(tmp_path: Path) -> list[tuple[str, str]]:
    everything = api_routes(create_app(tmp_path / "arena.db", tmp_path))
    pages = {"/"} | {f"/{page}{rest}" for page in PATTERNS for rest in ("", "/{rest:path}")}
    found = [(method, route.path) for route in everything for method in route.methods or ()]
    assert all(method == "GET" for method, path in found if path in pages)
    return [(method, path) for method, path in found if path not in pages]


def test_each_role_on_every_route(served: Served, accounts: Accounts, tmp_path: Path) -> None:
    routes = all_routes(tmp_path)
    assert set(routes) == set(ROUTES), (
        "each route is in tests/support/authorisation.py with the least role that may use it"
    )
    for role in ROLES:
        for method, path in routes:
            signed_in = role != "guest"
            with in_person(served, accounts, f"one {role}", role) if signed_in else served.client() as client:
                status = tried(client, method, path)
            what = f"{role}: {method} {path} gave {status}"
            if ROLES.index(role) >= ROLES.index(ROUTES[method, path]):
                assert status not in (401, 403, 422), what
                assert status < 500, what
            else:
                assert status == (401 if role == "guest" else 403), what


# Games, and leaving


def test_the_games_of_a_guest_become_the_account_s(served: Served) -> None:
    with served.client() as client, served.client() as other:
        match = begin(client, "magnetic-cave", "human", "open")
        path = f"/api/matches/{match['id']}"
        other.post(f"{path}/seat", json={})
        guest = dict(client.cookies)
        sign_up(client, "Adopter")
        shown = client.get(path).json()
        assert shown["seats"][0] == {"player": "human", "name": "Adopter", "you": True}
        assert client.post(f"{path}/moves", json={"move": "A1", "ply": 0}, headers=PROOF).status_code == 200
        seats = other.get(path).json()["seats"]
        assert seats == [{"player": "human", "name": "Adopter", "away": False}, {"player": "human", "you": True}]
        client.post("/api/account/sign-out", json={}, headers=PROOF)
        assert "may" not in client.get(path).json(), "they went along with the account"
    with served.client() as before:
        before.cookies.update(guest)
        assert before.post(f"{path}/resign", json={}).json()["detail"] == "you are only watching this game"


def test_a_game_of_an_account_outlives_the_server_with_its_name(tmp_path: Path) -> None:
    with serving(tmp_path / "arena.db") as server, server.client() as client:
        over = begin(client, "cantris", "human", "human")
        sign_up(client, "Stayer")
        client.post(f"/api/matches/{over['id']}/resign", json={}, headers=PROOF)
        client.headers.update(PROOF)
        going_on = begin(client, "cantris", "human", "human")
        cookies = client.cookies
    with serving(tmp_path / "arena.db") as server, server.client() as client:
        for match in (over, going_on):
            seats = client.get(f"/api/matches/{match['id']}").json()["seats"]
            assert [seat.get("name") for seat in seats] == ["Stayer", "Stayer"]
        client.cookies.update(cookies)
        assert "move" in client.get(f"/api/matches/{going_on['id']}").json()["may"]


def test_leaving_takes_everything_along(served: Served, accounts: Accounts) -> None:
    with served.client() as client, served.client() as other:
        sign_up(client, "Leaver")
        client.headers.update(PROOF)
        ended = begin(client, "cantris", "human", "human")
        client.post(f"/api/matches/{ended['id']}/resign", json={})
        match = begin(client, "cantris", "human", "open")
        path = f"/api/matches/{match['id']}"
        other.post(f"{path}/seat", json={})
        waiting = begin(client, "cantris", "human", "open")
        secret = client.post("/api/account/tokens", json={"name": "laptop"}).json()["secret"]
        told = client.get("/api/account/data")
        assert "attachment" in told.headers["content-disposition"]
        kept = told.json()
        assert kept["account"]["name"] == "Leaver"
        assert {one["id"] for one in kept["matches"]} == {ended["id"], match["id"], waiting["id"]}
        assert [one["name"] for one in kept["tokens"]] == ["laptop"]
        assert len(kept["sessions"]) == 1
        refusal = client.post("/api/account/delete", json={"password": "not this one"})
        assert refused(refusal, 400) == "wrong password"
        session = client.cookies["ludus_session"]
        assert client.post("/api/account/delete", json={"password": PASSWORD}).json()["role"] == "guest"
        assert accounts.find("Leaver") is None
        shown = other.get(path).json()
        assert shown["position"]["outcome"]["reason"] == "resigned", "the player who is left has won"
        assert shown["seats"] == [{"player": "human"}, {"player": "human", "you": True}]
        assert "name" not in other.get(f"/api/matches/{ended['id']}").json()["seats"][0]
        assert "may" not in other.get(f"/api/matches/{waiting['id']}").json(), "nobody sits down to wait for nobody"
        client.cookies.clear()
        client.cookies.set("ludus_session", session)
        assert role_of(client) == "guest"
        client.headers["Authorization"] = f"Bearer {secret}"
        assert client.get("/api/account").status_code == 401


def test_matches_change_hands_in_either_database(any_database: Path | str) -> None:
    with contextlib.closing(Matches(any_database)) as matches, contextlib.closing(Accounts(any_database)) as accounts:
        made = accounts.add("Owner", PASSWORD)
        mine, guest = f"account:{made.id}", "0" * 32
        matches.save(StoredMatch("one", "cantris", "text", [guest, None], 1, None, False))
        matches.save(StoredMatch("two", "cantris", "text", ["f" * 32, guest], 1, None, True))
        matches.adopt(guest, mine)
        owners = [found.owners for name in ("one", "two") if (found := matches.load(name))]
        assert owners == [[mine, None], ["f" * 32, mine]]
        assert {one["id"] for one in accounts.export(made)["matches"]} == {"one", "two"}
        accounts.remove(made, None)
        owners = [found.owners for name in ("one", "two") if (found := matches.load(name))]
        assert owners == [[None, None], ["f" * 32, None]]


def test_an_admin_changes_roles_and_reads_what_was_done(served: Served, accounts: Accounts) -> None:
    with in_person(served, accounts, "one admin", "admin") as client:
        them = accounts.add("Promoted", PASSWORD)
        answer = client.post(f"/api/accounts/{them.id}/role", json={"role": "instructor"})
        assert answer.json() == {"id": them.id, "name": "Promoted", "role": "instructor", "language": "en"}
        entry = client.get("/api/audit").json()[0]
        assert (entry["name"], entry["kind"]) == ("one admin", "account.role")
        assert entry["detail"] == {"account": them.id, "from": "student", "to": "instructor"}
        older = client.get("/api/audit", params={"before": entry["id"]}).json()
        assert older[0]["id"] < entry["id"]
        me = next(one for one in client.get("/api/accounts").json() if one["name"] == "one admin")
        assert "ask another admin" in refused(
            client.post(f"/api/accounts/{me['id']}/role", json={"role": "student"}), 400
        )
        assert client.post(f"/api/accounts/{them.id}/role", json={"role": "king"}).status_code == 422


# The command line


@pytest.fixture
def ludus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Any:
    """Return the command, on a database of its own."""

    def run(*words: str, typed: str = "") -> tuple[int, str]:
        monkeypatch.setattr(sys, "stdin", io.StringIO(typed))
        status = main(["account", *words, "--database", str(tmp_path / "arena.db")])
        said = capsys.readouterr()
        return status, said.out + said.err

    return run


def test_the_first_admin_comes_from_the_command_line(ludus: Any, tmp_path: Path) -> None:
    assert "no accounts yet" in ludus("list")[1]
    assert ludus("add", "小美", "--role", "admin", typed=f"{PASSWORD}\n") == (0, "Created the account 小美 (admin).\n")
    assert ludus("add", "Bob", typed="short\n")[0] == 2
    assert ludus("add", "小美", typed=f"{PASSWORD}\n")[1] == "ludus: the name 小美 is taken; choose another\n"
    assert ludus("add", "Bob", "--role", "king")[1].startswith("ludus: there is no role 'king'")
    assert ludus("role", "Bob", "admin")[1].startswith("ludus: there is no account 'Bob';")
    assert ludus("role", "小美", "instructor")[0] == 0
    assert ludus("password", "小美", typed="another one\n")[0] == 0
    listed = json.loads(ludus("list", "--json")[1])
    assert [(one["name"], one["role"]) for one in listed] == [("小美", "instructor")]
    accounts = Accounts(tmp_path / "arena.db")
    assert accounts.check("小美", PASSWORD) is None
    assert accounts.check("小美", "another one") is not None
    accounts.close()
    assert ludus("remove", "小美", "--yes") == (0, "Deleted the account 小美.\n")
    assert json.loads(ludus("list", "--json")[1]) == []
