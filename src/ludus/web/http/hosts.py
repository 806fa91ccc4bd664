"""Which host names requests may be sent to: those of this server, and no others. Knows no route.

A stranger's page can let its own name point to this machine once the browser has opened it (DNS rebinding). To the
browser, this server is then part of that site. Its requests still carry the stranger's name: they are refused.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Iterable, Sequence

from fastapi import HTTPException

from ludus.errors import UserError
from ludus.messages import Message

HOST = re.compile(r"(\[[0-9a-f:.]+\]|[a-z0-9._-]{1,253})(?::\d{1,5})?", re.IGNORECASE | re.ASCII)
"""A `Host` header: a name or an address, and perhaps a port."""
LABEL = re.compile(r"[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?", re.ASCII)
LOOPBACK_NAME = "localhost"


def read_host_name(text: str) -> str:
    """Return a host name or an address as it is compared; raise UserError for anything else, such as a URL."""
    try:
        return str(_unmapped(ipaddress.ip_address(text.strip().strip("[]"))))
    except ValueError:
        pass
    try:
        name = text.strip().encode("idna").decode().lower().removesuffix(".")
    except UnicodeError:
        name = ""
    if not name or not all(map(LABEL.fullmatch, name.split("."))):
        raise UserError("web.bad_host_name", name=repr(text))
    return name


def _unmapped(address: ipaddress.IPv4Address | ipaddress.IPv6Address) -> ipaddress.IPv4Address | ipaddress.IPv6Address:
    """Return an IPv4 address that is written as an IPv6 address in its own form."""
    return getattr(address, "ipv4_mapped", None) or address


class Hosts:
    """The host names of a server."""

    def __init__(self, names: Iterable[str] = ()) -> None:
        self._names = {LOOPBACK_NAME, *map(read_host_name, names)}

    def check(self, headers: Sequence[tuple[bytes, bytes]], server: str | None) -> None:
        """Raise HTTPException unless a request is for this server; `server` is the address that it arrived at."""
        given = [value.decode("latin-1") for name, value in headers if name == b"host"]
        found = HOST.fullmatch(given[0]) if len(given) == 1 else None
        if found is None:
            raise HTTPException(400, Message("web.no_host"))
        name = found[1].strip("[]").lower().removesuffix(".")
        if name not in self._names and not _is_own_address(name, server):
            raise HTTPException(421, Message("web.other_host", host=name))


def _is_own_address(name: str, server: str | None) -> bool:
    """Return whether a host is the address that a request arrived at, or one that never leaves this machine."""
    try:
        address = _unmapped(ipaddress.ip_address(name))
        return address.is_loopback or (server is not None and address == _unmapped(ipaddress.ip_address(server)))
    except ValueError:
        return False
