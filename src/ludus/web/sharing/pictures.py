"""Pictures of positions and games, made in processes apart with a limit of time and memory; the latest are kept.

Anybody may ask for a picture of any position, so the number of new ones for each address is limited; a GIF counts for
several, by its frames. Knows no route.
"""

from __future__ import annotations

import hashlib
import pickle
from collections import OrderedDict
from collections.abc import Callable
from typing import Any

from starlette.responses import Response

from ludus.play.pictures import frames, game_gif
from ludus.web.http.rate_limit import Allowance
from ludus.web.http.reading import in_worker, readers
from ludus.web.jobs.workers import Busy

AT_ONCE, PER_SECOND = 120.0, 1.0
"""New pictures for one address, at once and in the long run: a whole class may share an address."""
FRAMES_OF_A_PICTURE = 12
"""Frames of a GIF that take as long as a picture does; a long game takes more than ten pictures."""
MOST_KEPT = 48 * 1024 * 1024
"""Bytes of pictures that are kept."""
MEDIA = {b"\x89PNG": "image/png", b"GIF8": "image/gif"}


class Pictures:
    """The processes that make pictures, and the latest of them."""

    def __init__(self) -> None:
        self._painters = readers()
        self._allowance = Allowance(AT_ONCE, PER_SECOND)
        self._kept: OrderedDict[bytes, bytes] = OrderedDict()
        self._size = 0

    async def make(self, asker: str, function: Callable[..., bytes], *arguments: Any) -> bytes:
        """Return the picture that a function of `ludus.play.pictures` makes."""
        key = hashlib.sha256(pickle.dumps((function.__qualname__, arguments))).digest()
        if key in self._kept:
            self._kept.move_to_end(key)
            return self._kept[key]
        many = len(frames(arguments[0])) // FRAMES_OF_A_PICTURE if function is game_gif else 1
        if not self._allowance.take(asker, max(1, many)):
            raise Busy("web.too_many_pictures")
        data: bytes = await in_worker(self._painters, asker, function, *arguments)
        self._size += len(data) - len(self._kept.get(key, b""))
        self._kept[key] = data
        while self._size > MOST_KEPT:
            self._size -= len(self._kept.popitem(last=False)[1])
        return data

    async def response(
        self, asker: str, name: str, seconds: int | None, function: Callable[..., bytes], *arguments: Any
    ) -> Response:
        """Return a picture for other sites to show and browsers to keep for some seconds; None for a private one."""
        data = await self.make(asker, function, *arguments)
        media = MEDIA[data[:4]]
        headers = {"Content-Disposition": f'inline; filename="{name}.{media.rpartition("/")[2]}"'}
        if seconds is not None:
            headers |= {"Cache-Control": f"public, max-age={seconds}", "Cross-Origin-Resource-Policy": "cross-origin"}
        return Response(data, media_type=media, headers=headers)

    def close(self) -> None:
        """End the processes."""
        self._painters.close()
