"""Drawings as pictures made of pixels: PNG, GIF that moves, and the card that a link shows where it is shared.

What is drawn is SVG of our own making. A picture has a bounded size whatever the board is. Knows nothing of games.
"""

from __future__ import annotations

import io
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING

from ludus.drawing.palette import ACCENTS, LIGHT
from ludus.drawing.svg import FONTS, number, safe, shortened

if TYPE_CHECKING:
    from PIL.Image import Image

WIDE, HIGH = 720, 720
"""The room that a PNG of a board fills, in pixels."""
FRAME_WIDE, FRAME_HIGH = 360, 420
"""The same for a GIF."""
CARD_WIDE, CARD_HIGH = 1200, 630
"""The size of a card that the services agree on which show links."""
FRAME_MS, LAST_MS = 700, 2500
COLOURS = 128
"""Colours of a GIF."""
SIZE = re.compile(r'<svg [^>]*?width="([\d.]+)" height="([\d.]+)"')


def png(svg: str, wide: int = WIDE, high: int = HIGH) -> bytes:
    """Return a drawing as a PNG that fits into a room, on white."""
    import resvg_py  # noqa: PLC0415 - slow to import

    across, down = _size(svg)
    scale = min(wide / across, high / down)
    width = max(1, round(across * scale))
    return bytes(resvg_py.svg_to_bytes(svg_string=svg, background=LIGHT["paper"], width=width))


def gif(svgs: Sequence[str]) -> bytes:
    """Return drawings as a GIF that shows one after the other, and goes on for ever."""
    first, *others = [_image(png(svg, FRAME_WIDE, FRAME_HIGH)) for svg in svgs]
    durations = [FRAME_MS] * len(others) + [LAST_MS]
    file = io.BytesIO()
    first.save(file, "GIF", save_all=True, append_images=others, duration=durations, loop=0, optimize=False)
    return file.getvalue()


def card(svg: str, title: str, lines: Sequence[str]) -> bytes:
    """Return a drawing beside a title and some lines, as the PNG that a link shows where it is shared."""
    across, down = _size(svg)
    edge, column = 40.0, 560.0
    scale = min((CARD_HIGH - 2 * edge) / down, (CARD_WIDE - column - 2 * edge) / across)
    x, y = CARD_WIDE - edge - across * scale, (CARD_HIGH - down * scale) / 2
    words = [(title, 62, "700", LIGHT["ink"]), *((line, 34, "400", LIGHT["soft"]) for line in lines)]
    parts, base = list[str](), CARD_HIGH / 2 - 25 * len(lines)
    for text, size, weight, colour in words:
        shown = safe(shortened(text, column - edge, size))
        parts.append(
            f'<text x="70" y="{base:g}" font-size="{size}" font-weight="{weight}" fill="{colour}">{shown}</text>'
        )
        base += 58
    logo = (
        f'<circle cx="88" cy="80" r="18" fill="{ACCENTS[0]}"/>'
        f'<circle cx="112" cy="92" r="14" fill="none" stroke="{ACCENTS[1]}" stroke-width="10"/>'
        f'<text x="146" y="98" font-size="38" font-weight="700" fill="{LIGHT["ink"]}">Ludus</text>'
    )
    place = f"translate({number(x)} {number(y)}) scale({number(scale)})"
    whole = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{CARD_WIDE}" height="{CARD_HIGH}" font-family="{FONTS}">'
        f'{logo}{"".join(parts)}<g transform="{place}">{svg}</g></svg>'
    )
    return png(whole, CARD_WIDE, CARD_HIGH)


def icon(svg: str, size: int, background: str | None = None) -> bytes:
    """Return a square drawing as a PNG; on a background it has the room around it that a mask may cut away."""
    import resvg_py  # noqa: PLC0415

    if background is None:
        return bytes(resvg_py.svg_to_bytes(svg_string=svg, width=size))
    place = f'x="{size * 0.15:g}" y="{size * 0.15:g}" width="{size * 0.7:g}" height="{size * 0.7:g}"'
    inner = svg.replace("<svg ", f"<svg {place} ", 1)
    whole = f'<svg xmlns="http://www.w3.org/2000/svg" width="{size}" height="{size}">{inner}</svg>'
    return bytes(resvg_py.svg_to_bytes(svg_string=whole, background=background, width=size))


def _size(svg: str) -> tuple[float, float]:
    """Return how wide and high a drawing is by its own account."""
    found = SIZE.search(svg)
    assert found is not None
    return float(found[1]), float(found[2])


def _image(data: bytes) -> Image:
    """Return a PNG as an image with few colours."""
    from PIL import Image  # noqa: PLC0415 - slow to import

    return Image.open(io.BytesIO(data)).convert("RGB").quantize(COLOURS, dither=Image.Dither.NONE)
