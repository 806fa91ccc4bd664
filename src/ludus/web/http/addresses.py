"""Which addresses lead to a page: what may follow the name of a page, and whether what it names exists.

The patterns are in static/pages/addresses.json, which the page reads too, so that both agree on wrong addresses.
Knows what the server stores (matches, bots, courses); knows no HTTP.
"""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

from ludus.web.views import drawable_games

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from ludus.web.services import Services

STATIC = Path(__file__).parents[1] / "static"
PATTERNS: dict[str, str] = json.loads((STATIC / "pages" / "addresses.json").read_text())
"""For each page what may follow its name, as in `/match/ID`."""


async def _match(services: Services, name: str) -> bool:
    return await services.arena.find(name) is not None


async def _ladder(_services: Services, game: str) -> bool:
    return game in drawable_games()


async def _bot(services: Services, number: str) -> bool:
    found = await asyncio.to_thread(services.bots.store.find, int(number.partition("/")[0]))
    return found is not None and found.name is not None


async def _challenge(services: Services, name: str) -> bool:
    return await asyncio.to_thread(services.bots.challenges.find, name) is not None


async def _tournament(services: Services, number: str) -> bool:
    return number == "new" or await services.tournaments.find(int(number)) is not None


async def _course(services: Services, number: str) -> bool:
    return number == "new" or await asyncio.to_thread(services.courses.find, int(number)) is not None


FINDERS: dict[str, Callable[[Services, str], Awaitable[bool]]] = {
    "match": _match,
    "analysis": _match,
    "ladder": _ladder,
    "bots": _bot,
    "challenge": _challenge,
    "tournaments": _tournament,
    "courses": _course,
}


async def is_known(services: Services, page: str, rest: str) -> bool:
    """Return whether an address leads to something; `rest` is what follows the name of the page."""
    rest = rest.strip("/")
    if re.fullmatch(PATTERNS[page], rest, re.ASCII) is None:
        return False
    return not rest or page not in FINDERS or await FINDERS[page](services, rest)
