"""A client of the web arena: requests with a token, event streams, and games played from anywhere. Knows no verb.

    arena = ludus.client.ArenaClient("https://arena.example", token)
    match = arena.begin("cantris", "engine:level=3")
    for state, seconds in match.turns():
        match.play(state.legal_moves[0])
    print(match.outcome)

The address and the token come from the caller, the environment, or the user's configuration file; never from the folder
of a bot, which somebody else may have written.
"""

from __future__ import annotations

import contextlib
import functools
import http.client
import json
import os
import time
import urllib.error
import urllib.request
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import urlsplit

from ludus.errors import UserError
from ludus.files import read_toml
from ludus.game import Outcome, State, game
from ludus.messages import Message, catalogue, verbatim

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

DEFAULT_ADDRESS = "http://127.0.0.1:8000"
TIMEOUT_SECONDS = 60.0
PATIENCE_SECONDS = 120.0
"""How long a lost connection is tried again; a server needs less to start again."""
PAUSE_SECONDS = 1.0
NOT_NOW = (502, 503, 504)
"""What an arena that is being restarted answers, or the proxy in front of it."""
T = TypeVar("T")


def config_file() -> Path:
    """Return the configuration file, which may hold the address and the token."""
    return Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config", "ludus", "submit.toml")


def _config() -> dict[str, Any]:
    file = config_file()
    if not file.exists():
        return {}
    return read_toml(file.read_bytes(), str(file))


class UnreachableError(UserError):
    """The arena does not answer, or only says that it cannot now: the same may work a moment later."""


class NoRedirection(urllib.request.HTTPRedirectHandler):
    """Follows no redirection: the token would go to wherever it leads, and what is posted would be lost."""

    def redirect_request(self, *_: object) -> None:
        """Return no request, so that the answer is an error."""


OPENER = urllib.request.build_opener(NoRedirection)


class ArenaClient:
    """An arena at an address, used with a token.

    Args:
        address: Where it is; else `LUDUS_ARENA`, the configuration file, or `http://127.0.0.1:8000`.
        token: Made on the account page; else `LUDUS_TOKEN` or the configuration file.

    Raises:
        ValueError: There is no token, or the address is none.

    Example:
        >>> arena = ludus.client.ArenaClient("https://arena.example", "a token")
        >>> arena.address
        'https://arena.example'
    """

    def __init__(self, address: str | None = None, token: str | None = None) -> None:
        config = _config()
        self.address = str(address or os.environ.get("LUDUS_ARENA") or config.get("to") or DEFAULT_ADDRESS).rstrip("/")
        self._token = str(token or os.environ.get("LUDUS_TOKEN") or config.get("token") or "")
        if urlsplit(self.address).scheme not in ("http", "https"):
            raise UserError("cli.no_address", address=self.address, example=DEFAULT_ADDRESS)
        if not self._token:
            raise UserError("cli.no_token", address=self.address, file=str(config_file()))

    def ask(self, path: str, body: Any = None) -> Any:
        """Send a GET request, or a POST request with a body; raise a UserError with the arena's message on refusal."""
        with self._reaching(), self._open(path, body) as answer:
            return json.loads(answer.read())

    def events(self, path: str) -> Iterator[Any]:
        """Yield the events of a stream for as long as the caller wants more.

        The arena ends a stream after an hour, and a connection may be lost: then it goes on after the last event seen.
        """
        seen = ""
        while True:
            after = {"Last-Event-ID": seen} if seen else {}
            lines = self.until_it_answers(functools.partial(self._open, path, None, after))
            with contextlib.suppress(OSError, http.client.HTTPException), lines:
                for line in lines:
                    if line.startswith(b"id: "):
                        seen = line[4:].strip().decode()
                    elif line.startswith(b"data: "):
                        yield json.loads(line[6:])
            time.sleep(PAUSE_SECONDS)

    @staticmethod
    def until_it_answers(request: Callable[[], T]) -> T:
        """Make a request, again and again for two minutes while the arena does not answer."""
        lost = time.monotonic()
        while True:
            try:
                return request()
            except UnreachableError:
                if time.monotonic() - lost > PATIENCE_SECONDS:
                    raise
                time.sleep(PAUSE_SECONDS)

    def begin(
        self, name: str, opponent: str = "engine:level=3", side: int = 0, clock: str = "none", **options: int | str
    ) -> OnlineMatch:
        """Start a game against a player of the arena, or a bot that is on it.

        Args:
            name: The game.
            opponent: The text of a player.
            side: Ours: 0 moves first, 1 second.
            clock: The time control, as `3/move` or `none`.
            options: The options of the game.
        """
        seats = ("human", opponent) if side == 0 else (opponent, "human")
        return OnlineMatch(
            self, self.ask("/api/matches", {"game": name, "seats": seats, "clock": clock, "options": options})
        )

    def pair(self, name: str, clock: str = "600+5", *, rated: bool = False) -> OnlineMatch:
        """Take a seat in the lobby that suits, or offer one and wait there: `turns` begins when somebody takes it.

        Args:
            name: The game.
            clock: The time control, as `600+5`.
            rated: Whether the game counts for the ratings.
        """
        found = self.ask("/api/lobby/pair", {"game": name, "clock": clock, "rated": rated})
        return self.match(found["id"])

    def join(self, match_id: str) -> OnlineMatch:
        """Take the open seat of a match, as a link or the lobby offers it."""
        return OnlineMatch(self, self.ask(f"/api/matches/{match_id}/seat", {}))

    def match(self, match_id: str) -> OnlineMatch:
        """Return a match, to go on with it or to watch it."""
        return OnlineMatch(self, self.ask(f"/api/matches/{match_id}"))

    def _open(self, path: str, body: Any, more: dict[str, str] | None = None) -> Any:
        headers = {"Authorization": f"Bearer {self._token}", "Content-Type": "application/json", **(more or {})}
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(f"{self.address}{path}", data, headers)  # noqa: S310 - http or https, as checked
        with self._reaching():
            return OPENER.open(request, timeout=TIMEOUT_SECONDS)

    @contextlib.contextmanager
    def _reaching(self) -> Iterator[None]:
        """Raise what goes wrong with a request as one sentence."""
        try:
            yield
        except urllib.error.HTTPError as refusal:
            if place := refusal.headers.get("Location"):
                raise UserError("cli.arena_moved", address=self.address, place=place) from None
            kind = UnreachableError if refusal.code in NOT_NOW else UserError
            raise kind(_reason(refusal)) from None
        except (OSError, http.client.HTTPException) as error:
            why = str(getattr(error, "reason", error)) or type(error).__name__
            raise UnreachableError("cli.no_arena", address=self.address, why=why) from None


class OnlineMatch:
    """A game on an arena, followed as it goes on; `ArenaClient` makes it.

    Args:
        arena: The arena.
        view: What the arena said of the game.
    """

    def __init__(self, arena: ArenaClient, view: dict[str, Any]) -> None:
        self._arena = arena
        self.id: str = view["id"]
        self._moves = list[str]()
        self._take(view)

    @property
    def address(self) -> str:
        """Where people watch it."""
        return f"{self._arena.address}/match/{self.id}"

    @property
    def side(self) -> int | None:
        """The side that is ours, the one to move where both are; None for a game that we only watch."""
        ours = [side for side, seat in enumerate(self._view["seats"]) if seat.get("you")]
        return self.state.side if len(ours) == 2 else ours[0] if ours else None

    @property
    def outcome(self) -> Outcome | None:
        """How it ended; None while it goes on."""
        found = self._view["position"].get("outcome")
        return None if found is None else Outcome(found.get("winner"), found["reason"])

    @property
    def moves(self) -> tuple[str, ...]:
        """All moves so far."""
        return tuple(self._moves)

    def states(self) -> Iterator[State]:
        """Yield the state now and after every change, until the game is over."""
        for view in self._arena.events(f"/api/matches/{self.id}/events"):
            self._take(view)
            yield self.state
            if self.outcome is not None:
                return

    def turns(self) -> Iterator[tuple[State, float | None]]:
        """Yield each state in which we are to move, with the seconds that this move may take; play before the next."""
        asked = None
        for state in self.states():
            if self.outcome is None and "move" in self._view.get("may", ()) and (len(self._moves), state) != asked:
                asked = (len(self._moves), state)
                yield state, self._view["left"][state.side]

    def play(self, move: str) -> None:
        """Make a move; raise a UserError where it is refused. If the connection is lost, it is made when it is back."""
        path, ply, asked = f"/api/matches/{self.id}", len(self._moves), False

        def send() -> None:
            nonlocal asked
            if asked:  # perhaps the arena had heard it
                self._take(self._arena.ask(path))
            if not asked or (len(self._moves) == ply and self.outcome is None):
                asked = True
                self._take(self._arena.ask(f"{path}/moves", {"move": move, "ply": ply}))

        self._arena.until_it_answers(send)

    def resign(self) -> None:
        """Give the game up."""
        self._take(self._arena.ask(f"/api/matches/{self.id}/resign", {}))

    def _take(self, view: dict[str, Any]) -> None:
        """Learn what a view tells: the plies since those that are unchanged."""
        if view["since"] > len(self._moves):  # an answer that came before what is older
            view = self._arena.until_it_answers(lambda: self._arena.ask(f"/api/matches/{self.id}"))
        self._moves[view["since"] :] = [ply["move"] for ply in view.get("plies", ())]
        self._view = view
        frame = view["frame"]
        self.state = game(frame["game"], **frame["options"]).parse(view["position"]["text"])


def arena_message(document: dict[str, Any], text: str) -> Message:
    """Return a message of the arena; where this version has no words for it, the English text beside it."""
    data = document.get("message")
    return Message.from_json(data) if data and data["code"] in catalogue("en") else verbatim(str(document[text]))


def _reason(refusal: urllib.error.HTTPError) -> Message:
    """Return why the arena refused a request."""
    try:
        return arena_message(json.loads(refusal.read()), "detail")
    except (ValueError, KeyError, TypeError):
        return Message("cli.arena_refuses", status=refusal.code)
