"""The names of players in words, from the texts that identify them (`mcts:playouts=2000`).

Knows how such a text is written, and nothing of the players; `web/static/page.js` has the same rules.
"""

from __future__ import annotations

import contextlib
import re
from typing import TYPE_CHECKING

from ludus.messages import Message, catalogue, known, render, verbatim

if TYPE_CHECKING:
    from collections.abc import Mapping

PROTOCOLS = ("lines", "ugi", "files", "class", "python", "algorithm", "console")
"""What the text of a player that is a program begins with; its command follows."""
SPECIAL = {"human": "player.human", "open": "player.open", "?": "player.unknown"}


def player_message(text: str) -> Message:
    """Return the name of a player as a message."""
    name, _, rest = text.partition(":")
    if re.fullmatch(r"bot:\d+(@\d+)?", text):
        return Message("player.removed")
    if name in PROTOCOLS and rest:
        return verbatim(rest)
    if re.search(r"^(\.{0,2}|~)/|/$", text):
        return verbatim(next((part for part in reversed(text.split("/")) if part), text))
    if text in SPECIAL:
        return Message(SPECIAL[text])
    options = rest.split(",") if rest else []
    if not all(re.fullmatch(r"\w+=[^=]+", option) for option in options):
        return verbatim(text)  # a name with a colon
    if name == "engine" and len(options) == 1 and rest.startswith("level="):
        return Message("player.level", n=rest.removeprefix("level="))
    called = known(f"player.name.{name}", name)
    return Message("player.described", name=called, options=list(map(_option, options))) if options else called


def player_name(text: str, language: str = "en") -> str:
    """Return the name of a player in a language."""
    return render(player_message(text), language)


def entry_message(entry: str, player: str) -> Message | str:
    """Return the name of a tournament's entry: its own, or that of its player, with its number among several alike."""
    another = re.fullmatch(r" \((\d+)\)", entry.removeprefix(player)) if entry.startswith(player) else None
    if another:
        return Message("player.another", name=player_message(player), number=another[1])
    return player_message(player) if entry == player else entry


def entry_names(players: Mapping[str, str], language: str = "en") -> dict[str, str]:
    """Return the names of a tournament's entries, from their players; an entry with a name of its own keeps it.

    Where two entries would have the same name, all keep their texts.
    """
    called = {entry: entry_message(entry, text) for entry, text in players.items()}
    found = {entry: render(name, language) for entry, name in called.items()}
    return found if len(set(found.values())) == len(found) else {entry: entry for entry in players}


def _option(option: str) -> Message:
    key, _, value = option.partition("=")
    number: int | str = value
    with contextlib.suppress(ValueError):
        number = 1 if float(value) == 1 else f"{float(value):,.3f}".rstrip("0").rstrip(".")
    if f"player.option.{key}" in catalogue("en"):
        return Message(f"player.option.{key}", n=number)
    return Message("player.option", name=key, value=number)
