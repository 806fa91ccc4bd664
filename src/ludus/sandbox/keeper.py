"""The referee's side of `ludus-init`, the first process of a sandbox: it pauses and ends everything inside, and knows
which system calls were refused. Knows no bots and no clock.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
from typing import TYPE_CHECKING

from ludus.sandbox.filter import call_name
from ludus.sandbox.proc import children

if TYPE_CHECKING:
    import socket
    from collections.abc import Sequence

ANSWER_SECONDS = 2.0
"""How long the first process may take to stop all others, on a machine with much to do."""
END_SECONDS = 2.0
"""How long the kernel may take to end the last process of a sandbox."""


class Keeper:
    """The first process of a sandbox."""

    def __init__(self, line: socket.socket, usual_calls: Sequence[str] = ()) -> None:
        self._line = line
        self._usual_calls = usual_calls
        line.setblocking(False)
        self._heard = bytearray()
        self._stops = 0
        self._pidfd: int | None = None
        self._memory = False
        self._refused: list[str] = []

    def find(self, outside: int) -> None:
        """Find the process among the children of bubblewrap's process outside, to end it without it."""
        for pid in children(outside)[:1]:
            with contextlib.suppress(OSError, AttributeError):  # too old a kernel, or it has ended
                self._pidfd = os.pidfd_open(pid)

    @property
    def refused(self) -> tuple[str, ...]:
        """The names of the system calls that were refused so far, in the order in which they were first made."""
        self._hear()
        return tuple(self._refused)

    @property
    def out_of_memory(self) -> bool:
        """Whether it ended everything because too much memory was used."""
        self._hear()
        return self._memory

    def stop(self) -> None:
        """Stop every process inside; returns when that is done."""
        stops = self._stops
        self._send(b"s")
        while stops == self._stops and _readable(self._line.fileno(), ANSWER_SECONDS) and self._hear():
            pass

    def resume(self) -> None:
        """Let every process inside go on."""
        self._send(b"c")

    def kill(self) -> None:
        """End everything inside: the kernel ends a pid namespace with its first process."""
        if self._pidfd is not None:
            with contextlib.suppress(OSError):
                signal.pidfd_send_signal(self._pidfd, signal.SIGKILL)

    def close(self) -> None:
        """Wait for the end of everything inside, and forget it."""
        self._hear()
        self._line.close()
        if self._pidfd is not None:
            _readable(self._pidfd, END_SECONDS)
            os.close(self._pidfd)
            self._pidfd = None

    def _send(self, letter: bytes) -> None:
        with contextlib.suppress(OSError):
            self._line.send(letter)

    def _hear(self) -> bool:
        """Read what it has said; return whether it can say more."""
        while True:
            try:
                data = self._line.recv(4096)
            except BlockingIOError:
                return True
            except OSError:
                return False
            if not data:
                return False
            *lines, rest = (bytes(self._heard) + data).split(b"\n")
            self._heard = bytearray(rest)
            for line in lines:
                self._take(line)

    def _take(self, line: bytes) -> None:
        match line.split():
            case [b"refused", number]:
                name = call_name(int(number))
                self._refused += [name] if name not in self._usual_calls else []
            case [b"memory"]:
                self._memory = True
            case [b"stopped"]:
                self._stops += 1


def _readable(descriptor: int, seconds: float) -> bool:
    """Wait until there is something to read, or a process has ended; return whether that came about in time."""
    waiting = select.poll()  # takes descriptors of any number
    waiting.register(descriptor, select.POLLIN)
    return bool(waiting.poll(1000 * seconds))
