"""Which addresses lead to a page: what may follow the name of a page, and whether what it names exists.

The patterns are in static/pages/addresses.json, which every page contains, so that both agree on wrong addresses.
Knows what the server stores (matches, bots, courses); knows no HTTP.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

from starlette.concurrency import run_in_threadpool

from ludus.web.views import drawable_games

if TYPE_CHECKING:
    from ludus.web.services import Services

STATIC = Path(__file__).parents[1] / "static"
PATTERNS: dict[str, str] = json.loads((STATIC / "pages" / "addresses.json").read_text())
"""For each page what may follow its name, as in `/match/ID`."""


def _is_public(services: Services, name: str) -> bool:
    """Return whether there is a person with a public profile."""
    account = services.accounts.find(name)
    return account is not None and services.profiles.of(account.id).public


async def is_known(services: Services, page: str, rest: str) -> bool:
    """Return whether an address leads to something; `rest` is what follows the name of the page."""
    rest = rest.strip("/")
    if re.fullmatch(PATTERNS[page], rest, re.ASCII) is None:
        return False
    if not rest:
        return True
    match page:
        case "match" | "analysis":
            return await services.arena.find(rest) is not None
        case "ladder":
            return rest in drawable_games()
        case "bots":
            bot = await run_in_threadpool(services.bots.store.find, int(rest.partition("/")[0]))
            return bot is not None and bot.name is not None
        case "challenge":
            return await run_in_threadpool(services.bots.challenges.find, rest) is not None
        case "person":
            return await run_in_threadpool(_is_public, services, rest)
        case "study":
            study = await run_in_threadpool(services.studies.find, rest)
            return study is not None
        case "tournaments" | "courses" if rest == "new":
            return True
        case "tournaments":
            return await services.tournaments.find(int(rest)) is not None
        case "courses":
            return await run_in_threadpool(services.courses.find, int(rest)) is not None
    return True
