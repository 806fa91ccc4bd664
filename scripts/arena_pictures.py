"""Takes the pictures of the arena in docs/pictures: each page in light and dark, with something on it.

.venv/bin/python scripts/arena_pictures.py [PAGE ...]      needs chromium, as the tests do
"""

from __future__ import annotations

import base64
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "tests" / "support"))

from playwright.sync_api import Page, sync_playwright  # noqa: E402
from web import CHROMIUM, begin, serving, signed_in  # noqa: E402

import ludus  # noqa: E402

if TYPE_CHECKING:
    import httpx

PICTURES = ROOT / "docs" / "pictures"
BOT = "def choose(state, clock):\n    return max(state.legal_moves, key=lambda move: (state.play(move).text, move))\n"
PAGES = ("home", "play", "match", "analysis", "explorer", "ladder", "bots", "tournament", "course", "account")
ENTRIES = ("random:seed=1", "greedy", "minimax:depth=2", "alphabeta:depth=3", "mcts:playouts=200", "engine:level=3")


def until(client: httpx.Client, address: str, holds: Any) -> Any:
    """Wait until something holds of an answer."""
    while not holds(told := client.get(address).json()):
        time.sleep(0.3)
    return told


def furnish(client: httpx.Client) -> dict[str, str]:
    """Put something on every page; return the address of each."""
    record = ludus.play_match(ludus.game("chain-reaction"), ("minimax:depth=2", "greedy"))
    reviewed = client.post("/api/records", json={"text": record.text}).json()["id"]
    match = begin(client, "fruit-rage", "human", "engine:level=5", seed=4)["id"]
    for ply in (0, 2, 4):
        view = until(client, f"/api/matches/{match}", lambda told: len(told.get("plies", [])) >= ply)  # noqa: B023
        move = max(view["position"]["legal"], key=lambda one: one.get("points", 0))["move"]
        client.post(f"/api/matches/{match}/moves", json={"move": move, "ply": ply})
    entries = [{"name": text.split(":")[0], "player": text} for text in ENTRIES]
    cup = {"name": "Spring cup", "game": "chain-reaction", "format": "round-robin", "pairs": 2, "entries": entries}
    number = client.post("/api/tournaments", json=cup).raise_for_status().json()["id"]
    file = {"name": "bot.py", "data": base64.b64encode(BOT.encode()).decode()}
    bot = {"name": "first steps", "game": "magnetic-cave", "protocol": "python", "files": [file]}
    handed = client.post("/api/bots", json=bot).raise_for_status().json()["id"]
    until(client, f"/api/bots/{handed}", lambda told: told["versions"][0]["state"] not in ("waiting", "checking"))
    course = {"preset": "nthu-chain-reaction", "title": "Data structures, autumn"}
    taught = client.post("/api/courses", json=course).raise_for_status().json()["id"]
    addresses = (
        "/",
        "/play",
        f"/match/{match}",
        f"/analysis/{reviewed}?ply=20",
        "/explorer?game=chain-reaction",
        "/ladder/chain-reaction",
        f"/bots/{handed}",
        f"/tournaments/{number}",
        f"/courses/{taught}",
        "/account",
    )
    return dict(zip(PAGES, addresses, strict=True))


REST_MS = {"analysis": 30_000}
"""How long a page takes to come to rest, where that is long: a whole game is reviewed there."""


def take(page: Page, name: str, address: str, picture: Path) -> None:
    """Take a picture of a page when everything on it has come to rest."""
    page.goto(address)
    page.wait_for_timeout(REST_MS.get(name, 6000))
    page.screenshot(path=picture)


def main() -> None:
    """Take all pictures, or those of the pages named."""
    if unknown := {*sys.argv[1:]} - {*PAGES}:
        raise SystemExit(f"no page {', '.join(sorted(unknown))}; the pages are {', '.join(PAGES)}")
    with tempfile.TemporaryDirectory() as folder, serving(Path(folder, "arena.db")) as server:
        client = signed_in(server, Path(folder, "arena.db"), "Rosa", "admin")
        client.post("/api/account/language", json={"language": "en"})
        addresses = furnish(client)
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
            for scheme in ("light", "dark"):
                context = browser.new_context(
                    base_url=server.address,
                    viewport={"width": 1180, "height": 800},
                    color_scheme=scheme,
                    extra_http_headers={"Authorization": client.headers["Authorization"]},
                )
                context.add_cookies([{"name": "ludus_name", "value": "Rosa", "url": server.address}])
                page = context.new_page()
                for name, address in addresses.items():
                    if name in (sys.argv[1:] or addresses):
                        take(page, name, address, PICTURES / f"web-{name}-{scheme}.png")
            browser.close()
        client.close()


if __name__ == "__main__":
    main()
