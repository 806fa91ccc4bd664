"""Pictures, link previews, boards for other sites and the installed page, by their routes."""

from __future__ import annotations

import contextlib
import io
import re
import shutil
from collections.abc import Iterator
from html import unescape
from pathlib import Path

import httpx
import pytest
from PIL import Image
from web import Served, begin, in_person

import ludus
from ludus.play.pictures import game_gif, position_png
from ludus.store.accounts import Accounts
from ludus.web.http.addresses import STATIC
from ludus.web.jobs.workers import Busy
from ludus.web.sharing import page_routes, pictures, previews

MOVES = ("A8", "H8", "A7")


@pytest.fixture(scope="module")
def guest(served: Served) -> Iterator[httpx.Client]:
    with served.client() as client:
        yield client


@pytest.fixture(scope="module")
def match(guest: httpx.Client) -> str:
    """Return a finished match."""
    name = str(begin(guest, "magnetic-cave", "human", "human")["id"])
    for ply, move in enumerate(MOVES):
        assert guest.post(f"/api/matches/{name}/moves", json={"move": move, "ply": ply}).is_success
    assert guest.post(f"/api/matches/{name}/resign").is_success
    return name


def tags(client: httpx.Client, path: str) -> dict[str, str]:
    """Return what the head of a page says to those who show links."""
    text = client.get(path, headers={"Accept": "text/html"}).text
    found = re.findall(r'<meta (?:property|name)="((?:og|twitter):[\w:]+)" content="([^"]*)">', text)
    return {name: unescape(value) for name, value in found}


def image(client: httpx.Client, path: str) -> Image.Image:
    answer = client.get(path)
    assert answer.is_success, answer.text
    return Image.open(io.BytesIO(answer.content))


def test_a_match_as_png_and_gif(guest: httpx.Client, match: str) -> None:
    first, last = (image(guest, f"/api/matches/{match}/picture.png{at}") for at in ("?ply=0", ""))
    assert first.format == "PNG"
    assert max(first.size) == 720
    assert first.tobytes() != last.tobytes()
    moving = image(guest, f"/api/matches/{match}/animation.gif")
    assert (moving.format, moving.n_frames) == ("GIF", 1 + len(MOVES))  # type: ignore[attr-defined]
    assert image(guest, f"/api/matches/{match}/card.png").size == (1200, 630)
    refused = guest.get(f"/api/matches/{match}/picture.png?ply=9")
    assert refused.json()["detail"] == "ply 9: the game has only 3 moves"


@pytest.mark.parametrize("name", ludus.games())
def test_every_game_has_pictures_of_bounded_size(guest: httpx.Client, name: str) -> None:
    found = image(guest, f"/api/positions/picture.png?game={name}")
    assert max(found.size) == 720
    assert len(found.convert("RGB").getcolors(1 << 20) or []) > 5


def test_pictures_can_be_shown_by_other_sites_and_are_kept(guest: httpx.Client) -> None:
    answer = guest.get("/api/positions/picture.png?game=cantris")
    assert answer.headers["cache-control"] == "public, max-age=86400"
    assert answer.headers["cross-origin-resource-policy"] == "cross-origin"
    assert answer.headers["content-type"] == "image/png"


def test_positions_and_moves_that_cannot_be_are_refused(guest: httpx.Client) -> None:
    assert guest.get("/api/positions/picture.png?game=chess").status_code == 400
    assert guest.get("/api/positions/animation.gif?game=cantris&moves=9,9").status_code == 400


@pytest.mark.anyio
async def test_new_pictures_are_limited_for_each_address_and_kept_ones_are_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pictures, "AT_ONCE", 2.0)
    monkeypatch.setattr(pictures, "PER_SECOND", 1e-9)
    boards = [ludus.game("connect-four").initial()]
    boards += [boards[0].play(move) for move in boards[0].legal_moves[:2]]
    with contextlib.closing(pictures.Pictures()) as painter:
        made = [await painter.make("one", position_png, (board, ())) for board in boards[:2]]
        assert made[0] != made[1]
        assert await painter.make("one", position_png, (boards[0], ())) == made[0]
        with pytest.raises(Busy, match="too many pictures"):
            await painter.make("one", position_png, (boards[2], ()))
        assert await painter.make("other", position_png, (boards[2], ()))


@pytest.mark.anyio
async def test_a_long_gif_counts_for_several_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    async def made(*_: object) -> bytes:
        return b"GIF8"

    monkeypatch.setattr(pictures, "in_worker", made)
    monkeypatch.setattr(pictures, "AT_ONCE", 3.0)
    monkeypatch.setattr(pictures, "PER_SECOND", 1e-9)
    state = start = ludus.game("fruit-rage").initial(1)
    moves: list[str] = []
    while len(moves) < 2 * pictures.FRAMES_OF_A_PICTURE:
        moves.append(state.legal_moves[0])
        state = state.play(moves[-1])
    line = (start, tuple(moves))
    with contextlib.closing(pictures.Pictures()) as painter:
        assert await painter.make("one", game_gif, line)
        assert await painter.make("one", position_png, (start, ()))
        with pytest.raises(Busy, match="too many pictures"):
            await painter.make("one", position_png, line)


def test_a_link_to_a_match_shows_its_board(served: Served, guest: httpx.Client, match: str) -> None:
    found = tags(guest, f"/match/{match}")
    assert found["og:title"] == "Magnetic Cave: Guest – Guest"
    assert "wins" in found["og:description"]
    assert found["og:url"] == f"{served.address}/match/{match}"
    assert found["og:image"] == found["twitter:image"] == f"{served.address}/api/matches/{match}/card.png"
    assert found["twitter:card"] == "summary_large_image"
    assert tags(guest, f"/analysis/{match}?ply=2")["og:image"].endswith(f"/api/matches/{match}/card.png?ply=2")
    running = begin(guest, "magnetic-cave", "human", "engine:level=1")["id"]
    assert "Live game" in tags(guest, f"/match/{running}")["og:description"]
    assert tags(guest, f"/analysis/{running}")["og:title"] == "Ludus"


def test_a_link_to_a_position_shows_its_board_and_an_impossible_one_shows_nothing(guest: httpx.Client) -> None:
    state = ludus.game("cantris").initial(3)
    query = str(httpx.QueryParams({"game": "cantris", "position": state.text}))
    found = tags(guest, f"/analysis?{query}")
    assert found["og:title"] == "Cantris: analysis"
    assert image(guest, found["og:image"]).size == (1200, 630)
    hostile = {"game": "cantris", "position": '"><script>alert(1)</script>'}
    assert tags(guest, f"/analysis?{httpx.QueryParams(hostile)}")["og:title"] == "Ludus"
    assert "<script>alert" not in guest.get(f"/analysis?{httpx.QueryParams(hostile)}").text


def test_a_private_study_shows_nothing_of_itself(served: Served, accounts: Accounts, guest: httpx.Client) -> None:
    chapter = {"title": "First", "start": ludus.game("cantris").initial(1).text}
    content = {"title": 'A "secret" <b>plan', "game": "cantris", "chapters": [chapter]}
    with in_person(served, accounts, "Ada") as ada:
        found = ada.post("/api/studies", json=content).json()["id"]
        assert tags(guest, f"/study/{found}")["og:title"] == "Ludus"
        assert "secret" not in guest.get(f"/study/{found}").text
        assert ada.post(
            f"/api/studies/{found}", json={"sent": {**content, "visibility": "link"}, "version": 1}
        ).is_success
    seen = tags(guest, f"/study/{found}")
    assert seen["og:title"] == 'A "secret" <b>plan'
    assert image(guest, seen["og:image"]).size == (1200, 630)
    assert 'content="noindex"' in guest.get(f"/study/{found}").text


def test_previews_speak_the_language_that_is_asked_for(served: Served, match: str) -> None:
    with served.client() as client:
        client.headers["Accept-Language"] = "zh-TW,zh;q=0.9"
        assert tags(client, "/")["og:description"] == "下棋、觀戰，並看懂棋局。"
        assert tags(client, f"/match/{match}")["og:title"].startswith("磁")


def test_only_boards_for_other_sites_may_be_framed(guest: httpx.Client, match: str) -> None:
    board = guest.get(f"/embed/match/{match}")
    assert "frame-ancestors *" in board.headers["content-security-policy"]
    assert "script-src 'self'" in board.headers["content-security-policy"]
    with httpx.Client(base_url=guest.base_url) as stranger:
        assert "set-cookie" not in stranger.get(f"/embed/match/{match}").headers
    for path in (
        "/",
        f"/match/{match}",
        f"/api/matches/{match}",
        "/embed/nothing/x",
        "/embed/match",
        "/static/embed.html",
    ):
        assert "frame-ancestors 'none'" in guest.get(path).headers["content-security-policy"]


def test_the_page_can_be_installed(guest: httpx.Client) -> None:
    answer = guest.get("/manifest.webmanifest")
    assert answer.headers["content-type"] == "application/manifest+json"
    assert "manifest-src 'self'" in answer.headers["content-security-policy"]
    for icon in answer.json()["icons"][:3]:
        assert image(guest, icon["src"]).size == (int(icon["sizes"].split("x")[0]),) * 2
    assert guest.get("/icons/7.png").status_code == 404
    head = guest.get("/").text
    assert '<link rel="manifest" href="/manifest.webmanifest">' in head
    assert '<link rel="apple-touch-icon" href="/icons/180.png">' in head


def test_the_service_worker_names_the_shell_and_nothing_of_a_person(guest: httpx.Client) -> None:
    program = guest.get("/service-worker.js").text
    files = re.findall(r'"(/[^"]*)"', program.partition("\n")[0])
    assert {"/", "/static/main.js", "/static/page.js", "/static/messages/en/common.json"} <= {*files}
    for file in files:
        assert file == "/" or file.startswith("/static/")
        assert guest.get(file).status_code == 200


def test_a_page_says_which_modules_it_will_need(guest: httpx.Client, match: str) -> None:
    text = guest.get(f"/match/{match}").text
    modules = re.findall(r'<link rel="modulepreload" href="([^"]+)">', text)
    assert {"/static/page.js", "/static/pages/match.js", "/static/board.js", "/static/grid.js"} <= {*modules}
    assert len(modules) == len({*modules})
    for module in modules:
        assert guest.get(module).status_code == 200
    assert "/static/pages/match.js" not in guest.get("/").text


def test_a_changed_shell_is_a_new_version_of_the_service_worker(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def version() -> str:
        for made in (page_routes.worker_program, previews.template, previews.modules_of):
            made.cache_clear()
        return page_routes.worker_program().partition("\n")[0]

    before = version()
    assert version() == before
    changed = shutil.copytree(STATIC, tmp_path / "static")
    (changed / "style.css").write_text("body { color: red }")
    for module in (page_routes, previews):
        monkeypatch.setattr(module, "STATIC", changed)
    after = version()
    monkeypatch.undo()
    assert version() == before != after
