"""How a server of the web arena is run, as its operator decides. Knows no command line and no request."""

from __future__ import annotations

from typing import NamedTuple

from ludus.store.invitations import SignUp
from ludus.web.http.connections import ConnectionLimits


class ServerSettings(NamedTuple):
    """The settings of a server."""

    limits: ConnectionLimits = ConnectionLimits()
    host_names: tuple[str, ...] = ()
    """The names and addresses under which people open it, besides those that it knows by itself."""
    sign_up: SignUp | None = None
    """Who may sign up; None where admins decide."""
