"""Ports of this machine for the servers of others, which do not choose one themselves."""

from __future__ import annotations

import secrets
import socket


def free_port() -> int:
    """Return a port that nothing listens on, and that the kernel gives to nobody who asks for any port."""
    while True:
        port = 10_000 + secrets.randbelow(20_000)  # below the range of net.ipv4.ip_local_port_range
        try:
            socket.create_server(("127.0.0.1", port)).close()
        except OSError:
            continue
        return port
