"""Which addresses lead to a page: what may follow a page's name, and whether what it names is here.

The patterns are in static/pages/addresses.json: the page reads the same file, so that a wrong address is one for both.
Knows what the server keeps (matches, bots, courses); knows no HTTP.
"""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ludus.web.views import drawable_games

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

STATIC = Path(__file__).parents[1] / "static"
PATTERNS: dict[str, str] = json.loads((STATIC / "pages" / "addresses.json").read_text())
"""For each page what may follow its name, as in `/match/ID`."""


async def _match(state: Any, name: str) -> bool:
    return await state.arena.find(name) is not None


async def _ladder(_state: Any, game: str) -> bool:
    return game in drawable_games()


async def _bot(state: Any, number: str) -> bool:
    found = await asyncio.to_thread(state.bots.store.find, int(number.partition("/")[0]))
    return found is not None and found.name is not None


async def _challenge(state: Any, name: str) -> bool:
    return await asyncio.to_thread(state.bots.challenges.find, name) is not None


async def _tournament(state: Any, number: str) -> bool:
    return number == "new" or await state.tournaments.find(int(number)) is not None


async def _course(state: Any, number: str) -> bool:
    return number == "new" or await asyncio.to_thread(state.courses.find, int(number)) is not None


FINDERS: dict[str, Callable[[Any, str], Awaitable[bool]]] = {
    "match": _match,
    "analysis": _match,
    "ladder": _ladder,
    "bots": _bot,
    "challenge": _challenge,
    "tournaments": _tournament,
    "courses": _course,
}


async def is_known(state: Any, page: str, rest: str) -> bool:
    """Return whether there is something to show; `rest` is what follows the page's name in the address."""
    rest = rest.strip("/")
    if re.fullmatch(PATTERNS[page], rest, re.ASCII) is None:
        return False
    return not rest or page not in FINDERS or await FINDERS[page](state, rest)
