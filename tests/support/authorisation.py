"""Who may use which route, as data: the least role that is let in. A route that is missing here fails the tests.

Bodies are such that they are read, and then come to nothing for another reason than who asks: each role tries each
route, and must still be there for the next.
"""

from __future__ import annotations

import re
from typing import Any

import httpx

NOBODY = "aaaaaaaaaaaa"
"""The name of a match that does not exist."""

ROUTES: dict[tuple[str, str], str] = {
    ("GET", "/healthz"): "guest",
    ("GET", "/static/games/looks.js"): "guest",
    ("GET", "/static/messages/{language}/{name}.json"): "guest",
    ("GET", "/favicon.ico"): "guest",
    # playing and looking
    ("GET", "/api/games"): "guest",
    ("GET", "/api/limits"): "guest",
    ("GET", "/api/showcase"): "guest",
    ("GET", "/api/lessons/{name}"): "guest",
    ("GET", "/api/matches"): "guest",
    ("POST", "/api/matches"): "guest",
    ("POST", "/api/records"): "guest",
    ("GET", "/api/matches/{name}"): "guest",
    ("GET", "/api/matches/{name}/record"): "guest",
    ("GET", "/api/matches/{name}/events"): "guest",
    ("POST", "/api/matches/{name}/moves"): "guest",
    ("POST", "/api/matches/{name}/undo"): "guest",
    ("POST", "/api/matches/{name}/resign"): "guest",
    ("POST", "/api/matches/{name}/seat"): "guest",
    ("POST", "/api/matches/{name}/rematch"): "guest",
    ("POST", "/api/matches/{name}/hint"): "guest",
    ("POST", "/api/matches/{name}/offer"): "guest",
    ("POST", "/api/matches/{name}/offer/answer"): "guest",
    ("POST", "/api/matches/{name}/offer/withdraw"): "guest",
    # the lobby
    ("GET", "/api/lobby"): "guest",
    ("POST", "/api/lobby"): "guest",
    ("GET", "/api/lobby/events"): "guest",
    ("POST", "/api/lobby/pair"): "guest",
    ("POST", "/api/lobby/{name}/withdraw"): "guest",
    # people
    ("GET", "/api/my/games"): "guest",
    ("GET", "/api/people/{person}"): "guest",
    ("GET", "/api/people/{person}/games"): "guest",
    ("GET", "/api/profile"): "student",
    ("POST", "/api/profile"): "student",
    # analysing
    ("GET", "/api/positions"): "guest",
    ("POST", "/api/positions"): "guest",
    ("GET", "/api/positions/files/{kind}"): "guest",
    ("GET", "/api/positions/events"): "guest",
    ("POST", "/api/imports"): "guest",
    ("GET", "/api/matches/{name}/positions"): "guest",
    ("GET", "/api/matches/{name}/review/events"): "guest",
    ("POST", "/api/matches/{name}/review/{number}"): "guest",
    ("GET", "/api/searches"): "guest",
    ("GET", "/api/searches/depths"): "guest",
    # studies
    ("GET", "/api/studies"): "guest",
    ("POST", "/api/studies"): "student",
    ("GET", "/api/studies/{study}"): "guest",
    ("POST", "/api/studies/{study}"): "student",
    ("POST", "/api/studies/{study}/copy"): "student",
    ("POST", "/api/studies/{study}/remove"): "student",
    ("GET", "/api/studies/{study}/record"): "guest",
    ("GET", "/api/studies/{study}/picture.png"): "guest",
    ("GET", "/api/studies/{study}/card.png"): "guest",
    ("GET", "/api/studies/{study}/animation.gif"): "guest",
    # pictures, boards for other sites, the installed page
    ("GET", "/api/positions/picture.png"): "guest",
    ("GET", "/api/positions/card.png"): "guest",
    ("GET", "/api/positions/animation.gif"): "guest",
    ("GET", "/api/matches/{name}/picture.png"): "guest",
    ("GET", "/api/matches/{name}/card.png"): "guest",
    ("GET", "/api/matches/{name}/animation.gif"): "guest",
    ("GET", "/embed/{what}"): "guest",
    ("GET", "/embed/{what}/{identity}"): "guest",
    ("GET", "/manifest.webmanifest"): "guest",
    ("GET", "/icons/{icon}.png"): "guest",
    ("GET", "/service-worker.js"): "guest",
    # accounts
    ("GET", "/api/account"): "guest",
    ("POST", "/api/account/sign-up"): "guest",
    ("POST", "/api/account/sign-in"): "guest",
    ("POST", "/api/account/sign-out"): "guest",
    ("POST", "/api/account/password"): "student",
    ("POST", "/api/account/language"): "student",
    ("GET", "/api/account/tokens"): "student",
    ("POST", "/api/account/tokens"): "student",
    ("POST", "/api/account/tokens/{token}/revoke"): "student",
    ("GET", "/api/account/data"): "student",
    ("POST", "/api/account/delete"): "student",
    # who may sign up
    ("GET", "/api/sign-up"): "guest",
    ("POST", "/api/sign-up"): "admin",
    ("GET", "/api/invitations"): "instructor",
    ("POST", "/api/invitations"): "instructor",
    ("POST", "/api/invitations/{number}/revoke"): "instructor",
    # tournaments
    ("GET", "/api/now"): "guest",
    ("GET", "/api/formats"): "guest",
    ("GET", "/api/tournaments"): "guest",
    ("POST", "/api/tournaments"): "instructor",
    ("GET", "/api/tournaments/{number}"): "guest",
    ("GET", "/api/tournaments/{number}/events"): "guest",
    ("GET", "/api/tournaments/{number}/games"): "guest",
    ("GET", "/api/tournaments/{number}/files/{name}"): "guest",
    ("GET", "/api/tournaments/{number}/log"): "instructor",
    ("POST", "/api/tournaments/{number}/stop"): "instructor",
    ("POST", "/api/tournaments/{number}/resume"): "instructor",
    ("POST", "/api/tournaments/{number}/withdraw"): "instructor",
    ("POST", "/api/tournaments/{number}/take-back"): "instructor",
    # courses
    ("GET", "/api/presets"): "guest",
    ("GET", "/api/courses"): "guest",
    ("POST", "/api/courses"): "instructor",
    ("GET", "/api/courses/{course}"): "guest",
    ("POST", "/api/courses/{course}/settings"): "instructor",
    ("POST", "/api/courses/{course}/join"): "student",
    ("POST", "/api/courses/{course}/submissions"): "student",
    ("GET", "/api/courses/{course}/submissions/{number}"): "student",
    ("POST", "/api/courses/{course}/submissions/{number}/try"): "student",
    ("GET", "/api/courses/{course}/submissions/{number}/files"): "student",
    ("POST", "/api/courses/{course}/submissions/{number}/program"): "student",
    ("POST", "/api/courses/{course}/collected"): "instructor",
    ("POST", "/api/courses/{course}/tables/{table}"): "instructor",
    ("POST", "/api/courses/{course}/base"): "instructor",
    ("POST", "/api/courses/{course}/confirm"): "instructor",
    ("POST", "/api/courses/{course}/codes"): "instructor",
    ("GET", "/api/courses/{course}/paper"): "student",
    ("POST", "/api/courses/{course}/grade"): "instructor",
    ("POST", "/api/courses/{course}/override"): "instructor",
    ("POST", "/api/courses/{course}/override/withdraw"): "instructor",
    ("POST", "/api/courses/{course}/stop"): "instructor",
    ("POST", "/api/courses/{course}/release"): "instructor",
    ("GET", "/api/courses/{course}/grades"): "instructor",
    ("GET", "/api/courses/{course}/grades/{student}"): "student",
    ("GET", "/api/courses/{course}/files/{name}"): "instructor",
    ("GET", "/api/courses/{course}/similar/{name}"): "instructor",
    ("GET", "/api/courses/{course}/standings"): "student",
    ("POST", "/api/courses/{course}/basics"): "instructor",
    ("GET", "/api/courses/{course}/events"): "student",
    # for admins
    ("GET", "/api/accounts"): "admin",
    ("POST", "/api/accounts/{number}/role"): "admin",
    ("GET", "/api/audit"): "admin",
    # bots and ladders
    ("GET", "/api/starters"): "guest",
    ("GET", "/api/starters/{game}/{language}"): "guest",
    ("GET", "/api/opponents/{game}"): "guest",
    ("GET", "/api/bots"): "student",
    ("GET", "/api/bots/all"): "instructor",
    ("POST", "/api/bots"): "student",
    ("GET", "/api/bots/{bot}"): "guest",
    ("POST", "/api/bots/{bot}/versions"): "student",
    ("GET", "/api/bots/{bot}/versions/{number}"): "student",
    ("GET", "/api/bots/{bot}/versions/{number}/events"): "student",
    ("GET", "/api/bots/{bot}/versions/{number}/log"): "student",
    ("GET", "/api/bots/{bot}/versions/{number}/files"): "student",
    ("POST", "/api/bots/{bot}/report/{number}"): "student",
    ("GET", "/api/bots/{bot}/report/{number}"): "student",
    ("GET", "/api/bots/{bot}/report/{number}/events"): "student",
    ("POST", "/api/bots/{bot}/public"): "student",
    ("POST", "/api/bots/{bot}/enter"): "student",
    ("POST", "/api/bots/{bot}/remove"): "student",
    ("POST", "/api/bots/{bot}/challenges"): "student",
    ("GET", "/api/ladders"): "guest",
    ("GET", "/api/ladders/{game}"): "guest",
    ("GET", "/api/challenges/{name}"): "guest",
    ("GET", "/api/challenges/{name}/events"): "guest",
    ("GET", "/api/challenges/{name}/games/{board}/{seats}/{role}.log"): "student",
}

BODIES: dict[tuple[str, str], Any] = {
    ("POST", "/api/matches"): {"game": "cantris", "seats": ["human", "human"]},
    ("POST", "/api/records"): {"text": "nothing"},
    ("POST", "/api/matches/{name}/moves"): {"move": "A1", "ply": 0},
    ("POST", "/api/matches/{name}/offer"): {"what": "draw"},
    ("POST", "/api/matches/{name}/offer/answer"): {"accept": False},
    ("POST", "/api/lobby"): {"game": "?"},
    ("POST", "/api/lobby/pair"): {"game": "?"},
    ("POST", "/api/profile"): {"public": True, "shows": ["games", "ratings", "bots"]},
    ("POST", "/api/positions"): {"game": "cantris", "rows": []},
    ("POST", "/api/imports"): {"game": "cantris", "text": ""},
    ("POST", "/api/studies"): {"title": "?", "game": "?", "chapters": [{"title": "?", "start": "?"}]},
    ("POST", "/api/studies/{study}"): {"sent": {}, "version": 1},
    ("POST", "/api/matches/{name}/review/{number}"): {"move": "A1"},
    ("POST", "/api/account/sign-up"): {"name": "?", "password": "?"},
    ("POST", "/api/account/sign-in"): {"name": "nobody", "password": "wrong password"},
    ("POST", "/api/account/password"): {"old": "wrong password", "new": "another password"},
    ("POST", "/api/account/language"): {"language": "en"},
    ("POST", "/api/account/tokens"): {"name": "laptop"},
    ("POST", "/api/account/delete"): {"password": "wrong password"},
    ("POST", "/api/sign-up"): {"mode": "open"},
    ("POST", "/api/accounts/{number}/role"): {"role": "student"},
    ("POST", "/api/tournaments"): {"name": "?", "game": "?", "entries": []},
    ("POST", "/api/tournaments/{number}/withdraw"): {"entry": "?", "reason": "?"},
    ("POST", "/api/tournaments/{number}/take-back"): {"what": "?", "reason": "?"},
    ("POST", "/api/courses"): {"preset": "?", "title": "?"},
    ("POST", "/api/courses/{course}/settings"): {"title": "?", "toml": "?"},
    ("POST", "/api/courses/{course}/join"): {"student": "one"},
    ("POST", "/api/courses/{course}/submissions/{number}/program"): {"file": ""},
    ("POST", "/api/courses/{course}/confirm"): {"student": "one"},
    ("POST", "/api/courses/{course}/basics"): {"title": "?", "clock": "5/move"},
    ("POST", "/api/courses/{course}/override"): {"student": "one", "rule": "?", "points": 0, "reason": "?"},
    ("POST", "/api/courses/{course}/override/withdraw"): {"student": "one", "rule": "?", "reason": "?"},
    ("POST", "/api/courses/{course}/release"): {"released": False},
    ("POST", "/api/bots"): {"files": []},
    ("POST", "/api/bots/{bot}/public"): {"public": True},
    ("POST", "/api/bots/{bot}/challenges"): {"defender": "greedy"},
}
"""What is sent; {} where nothing is said."""

QUERIES: dict[tuple[str, str], str] = {
    ("GET", "/api/positions"): "game=cantris",
    ("GET", "/api/positions/files/{kind}"): "game=cantris",
    ("GET", "/api/positions/events"): "game=cantris",
    ("GET", "/api/positions/picture.png"): "game=cantris",
    ("GET", "/api/positions/card.png"): "game=cantris",
    ("GET", "/api/positions/animation.gif"): "game=cantris",
    ("GET", "/api/searches"): "game=cantris&method=minimax&depth=1",
    ("GET", "/api/searches/depths"): "game=cantris",
}
"""What is asked for behind the address."""

PLACES = {
    "file": "board.js",
    "kind": "text",
    "name": NOBODY,
    "study": NOBODY,
    "identity": NOBODY,
    "what": "match",
    "icon": "192",
    "course": "999999",
    "student": "one",
    "person": "nobody at all",
    "table": "roster",
    "token": "999999",
    "number": "99999",
    "bot": "999999",
    "game": "cantris",
    "language": "python",
    "board": "0",
    "seats": "0",
    "role": "challenger",
}
"""What stands in an address for its variable parts."""


def tried(client: httpx.Client, method: str, path: str) -> int:
    """Send a request to a route, and return the status of its answer; a stream is not read."""
    address = re.sub(r"\{(\w+)(:\w+)?\}", lambda part: PLACES[part[1]], path)
    address += f"?{QUERIES[method, path]}" if (method, path) in QUERIES else ""
    with client.stream(method, address, json=None if method == "GET" else BODIES.get((method, path), {})) as answer:
        return answer.status_code


SCOPES = {
    ("/api/matches", "/api/lobby", "/api/records", "/api/positions", "/api/imports", "/api/studies"): {"play"},
    ("/api/bots",): {"submit"},
    ("/api/courses",): {"submit", "teach"},
    ("/api/tournaments",): {"teach"},
}
"""The scopes with which a token may change something, by how addresses begin; elsewhere no token may."""


def scopes_for(path: str) -> set[str]:
    """Return the scopes with which a token may change something at an address."""
    return next((scopes for beginnings, scopes in SCOPES.items() if path.startswith(beginnings)), set())
