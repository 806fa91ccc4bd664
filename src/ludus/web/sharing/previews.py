"""The page that a browser gets, with what other programs read in it: previews for sites and chats that show links, and
the modules that the page will need.

A preview says of a thing only what anybody with its address sees; of what is private it says nothing. Knows what the
server stores; what is shown in the page itself is the page's own.
"""

from __future__ import annotations

import functools
import json
import posixpath
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import quote, urlencode

from starlette.concurrency import run_in_threadpool

from ludus.drawing.svg import safe
from ludus.messages import Message, render
from ludus.messages.names import player_name
from ludus.play.narration import ending
from ludus.web.analysis.positions import game_with_options
from ludus.web.http.addresses import PATTERNS, STATIC
from ludus.web.views import drawable_games

if TYPE_CHECKING:
    from ludus.game import State
    from ludus.web.matches.live import LiveMatch
    from ludus.web.services import Services

IMPORT = re.compile(r'^(?:import|export)\s[^;]*?from\s+"(\.{1,2}/[^"]+\.js)"', re.MULTILINE)
HEAD = "<!-- head -->"


class Preview(NamedTuple):
    """What a link shows where it is shared."""

    title: str
    description: str
    picture: str = "/icons/512.png"
    """The path of a picture."""
    is_card: bool = False
    """Whether the picture is a wide card rather than an icon."""
    is_listed: bool = True
    """Whether search engines may list the address."""


async def preview_of(services: Services, page: str, rest: str, query: Mapping[str, str], language: str) -> Preview:
    """Return the preview of an address; a plain one for what has no picture, or is private."""
    found = None
    if page in ("match", "analysis") and rest:
        live = await services.arena.find(rest)
        if live is not None and (page == "match" or live.over):
            found = _of_match(live, query, language)
    elif page == "analysis" and query.get("game") in drawable_games():
        found = _of_position(query, language)
    elif page == "study":
        found = await run_in_threadpool(_of_study, services, rest, language)
    return found or Preview("Ludus", render(Message("web.preview_ludus"), language))


def _of_match(live: LiveMatch, query: Mapping[str, str], language: str) -> Preview:
    record = live.match.record
    first, second = (live.name_of(side) or player_name(text, language) for side, text in enumerate(record.players))
    title = f"{render(record.game.title, language)}: {first} – {second}"
    if live.match.outcome is not None:
        words = ending(live.match.state, live.match.outcome, len(record.moves))
    elif live.ready:
        words = Message("web.preview_match", n=len(record.moves))
    else:
        words = Message("web.preview_open")
    ply = query.get("ply", "")
    at = f"?ply={int(ply)}" if re.fullmatch("[0-9]{1,5}", ply) and int(ply) <= len(record.moves) else ""
    return Preview(title, render(words, language), f"/api/matches/{live.name}/card.png{at}", is_card=True)


def _of_position(query: Mapping[str, str], language: str) -> Preview | None:
    asked = {key: query[key] for key in ("game", "options", "position", "seed") if query.get(key)}
    if any(len(text) > 2000 for text in asked.values()):
        return None
    try:
        game = game_with_options(asked["game"], asked.get("options", ""))
        seed = int(asked.get("seed", "0")) % 2**63
        state: State = game.parse(asked["position"]) if "position" in asked else game.initial(seed)
    except ValueError:
        return None
    side = Message("web.preview_over") if state.outcome else Message("web.preview_to_move", side=game.sides[state.side])
    title = render(Message("web.preview_position", game=game.title), language)
    return Preview(title, render(side, language), f"/api/positions/card.png?{urlencode(asked)}", is_card=True)


def _of_study(services: Services, rest: str, language: str) -> Preview | None:
    study = services.studies.find(rest)
    if study is None or study.visibility == "private" or study.game not in drawable_games():
        return None
    game = game_with_options(study.game, "").title
    words = Message("web.preview_study", game=game, n=len(study.chapters))
    picture = f"/api/studies/{study.id}/card.png"
    return Preview(study.title, render(words, language), picture, is_card=True, is_listed=study.visibility == "public")


def page_html(preview: Preview, page: str, address: str, origin: str) -> str:
    """Return the page, with a preview and the modules of a page in its head."""
    picture = origin + preview.picture
    properties = {
        "og:site_name": "Ludus",
        "og:type": "website",
        "og:title": preview.title,
        "og:description": preview.description,
        "og:url": origin + quote(address, safe="/?&=%:+,.~-_"),
        "og:image": picture,
    }
    if preview.is_card:
        properties |= {"og:image:width": "1200", "og:image:height": "630", "og:image:alt": preview.title}
    names = {
        "twitter:card": "summary_large_image" if preview.is_card else "summary",
        "twitter:title": preview.title,
        "twitter:description": preview.description,
        "twitter:image": picture,
    }
    lines = [f'<meta property="{name}" content="{safe(value)}">' for name, value in properties.items()]
    lines += [f'<meta name="{name}" content="{safe(value)}">' for name, value in names.items()]
    if not preview.is_listed:
        lines.append('<meta name="robots" content="noindex">')
    modules = modules_of(page)
    looks = ("games/looks.js",) if "look.js" in modules else ()
    lines += [f'<link rel="modulepreload" href="/static/{module}">' for module in (*modules, *looks)]
    lines.append(f'<script type="application/json" id="addresses">{json.dumps(PATTERNS)}</script>')
    return template("index.html").replace(HEAD, "\n".join(lines))


@functools.cache
def template(name: str) -> str:
    """Return a page as its file has it."""
    return (STATIC / name).read_text(encoding="utf-8")


@functools.cache
def modules_of(page: str) -> tuple[str, ...]:
    """Return the modules that a page imports, directly or not, so that a browser loads them all at once."""
    first = [f"pages/{page}.js"] if page in PATTERNS else []
    found, left = list[str](), ["main.js", *first]
    while left:
        module = left.pop(0)
        if module in found:
            continue
        found.append(module)
        names = IMPORT.findall((STATIC / module).read_text(encoding="utf-8"))
        left += [posixpath.normpath(posixpath.join(posixpath.dirname(module), name)) for name in names]
    return tuple(found[1:])  # the page has a script element for main.js itself
