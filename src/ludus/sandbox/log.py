"""What a program wrote on standard error, of which little is kept. Knows no process."""

from __future__ import annotations

from ludus.display import visible

KEPT = 1 << 15
"""Bytes that are kept from its beginning, and as many from its end."""


class Log:
    """The first and the last of what a program wrote on standard error."""

    def __init__(self) -> None:
        self._head = bytearray()
        self._tail = bytearray()
        self.total = 0
        """Bytes that it wrote, kept or not."""

    def add(self, data: bytes) -> None:
        """Add some output; the cost depends only on the length of this piece."""
        self.total += len(data)
        room = KEPT - len(self._head)
        self._head += data[:room]
        self._tail += data[room:][-KEPT:]
        del self._tail[:-KEPT]

    def since(self, mark: int) -> bytes:
        """Return what is kept of all that came after the first `mark` bytes."""
        new = self.total - mark
        return bytes(self._head + self._tail)[-new:] if new else b""

    @property
    def bytes(self) -> bytes:
        """What is kept, and a note about what is not."""
        dropped = self.total - len(self._head) - len(self._tail)
        gap = f"\n... {dropped} bytes are left out here ...\n".encode() if dropped else b""
        return bytes(self._head) + gap + bytes(self._tail)

    @property
    def text(self) -> str:
        """The same as text that is safe to show."""
        return visible(self.bytes.decode(errors="replace"))
