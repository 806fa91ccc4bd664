"""Drawings as SVG text: lines, shapes and words, in colours for white paper and for dark screens.

Knows how wide words are, roughly, and which characters a drawing may hold: whatever a name consists of, the drawing is
well-formed and the name is only text. Knows nothing of what is drawn.

Colours are plain rules, with those for dark screens in a media query: programs that make paper know no custom
properties and skip the query, so what they see is the light drawing.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping
from html import escape

from ludus.display import visible
from ludus.drawing.palette import ACCENTS, DARK, LIGHT

SIZE = 13
"""Of words, in pixels."""
FONTS = "system-ui, 'Noto Sans', 'Noto Sans CJK SC', 'Liberation Sans', sans-serif"


def safe(text: str) -> str:
    """Return a text escaped for a drawing, a page, or the value of an attribute."""
    return escape(visible(text))


def _rules(colours: Mapping[str, str]) -> str:
    fills = "".join(f".ludus .{name}{{fill:{colour}}}" for name, colour in colours.items())
    return fills + "".join(f".ludus .{name}-line{{stroke:{colour}}}" for name, colour in colours.items())


STYLE = (
    f".ludus text{{font-family:{FONTS};font-size:{SIZE}px;font-variant-numeric:tabular-nums}}"
    ".ludus text.small{font-size:11px}.ludus text.large{font-size:16px;font-weight:600}"
    ".ludus text.tiny{font-size:9.5px}.ludus text.strong{font-weight:600}"
    ".ludus .dashed{stroke-dasharray:5 4}.ludus .thick{stroke-width:2}.ludus .none{fill:none}"
    f"{_rules({'first': ACCENTS[0], 'second': ACCENTS[1], 'on': LIGHT['ink']})}{_rules(LIGHT)}"
    f"@media (prefers-color-scheme:dark){{{_rules(DARK)}}}"
)


def width_of(text: str, size: float = SIZE) -> float:
    """Return the approximate width of a text in pixels, rather too large than too small."""
    return size * sum(_em(char) for char in text)


def _em(char: str) -> float:
    if unicodedata.combining(char):
        return 0.0
    if unicodedata.east_asian_width(char) in "WF":
        return 1.0
    return 0.34 if char in "iljtf.,:;'|!()[] " else 0.9 if char in "mwMW@%—" else 0.68 if char.isupper() else 0.57


def shortened(text: str, room: float, size: float = SIZE) -> str:
    """Cut a text that is too wide for its place, and put an ellipsis where something is missing."""
    text = " ".join(text.split())
    if width_of(text, size) <= room:
        return text
    room -= size
    for length, char in enumerate(text):
        room -= size * _em(char)
        if room < 0:
            return text[:length].rstrip() + "…"
    return text


def number(value: float) -> str:
    """Write a coordinate: short, and never in exponents."""
    return f"{value:.2f}".rstrip("0").rstrip(".")


class Drawing:
    """An SVG picture under construction. `kind` is one or more classes of STYLE: `ink`, `grid-line`, `first`…"""

    def __init__(self, width: float, height: float, title: str, description: str = "") -> None:
        self.width, self.height = width, height
        self._head = f"<title>{safe(title)}</title>" + (f"<desc>{safe(description)}</desc>" if description else "")
        self._parts: list[str] = []

    def _add(self, tag: str, kind: str, shape: str, title: str = "", opacity: float = 1.0) -> None:
        faint = "" if opacity == 1.0 else f' fill-opacity="{number(opacity)}"'
        inside = f"><title>{safe(title)}</title></{tag}>" if title else "/>"
        self._parts.append(f'<{tag} class="{kind}" {shape}{faint}{inside}')

    def line(self, x1: float, y1: float, x2: float, y2: float, kind: str = "axis-line", title: str = "") -> None:
        """Draw a straight line."""
        places = zip(("x1", "y1", "x2", "y2"), (x1, y1, x2, y2), strict=True)
        self._add("line", kind, " ".join(f'{name}="{number(value)}"' for name, value in places), title)

    def rect(
        self, x: float, y: float, wide: float, high: float, kind: str, *,
        radius: float = 0, title: str = "", opacity: float = 1.0,
    ) -> None:  # fmt: skip
        """Draw a rectangle."""
        shape = f'x="{number(x)}" y="{number(y)}" width="{number(wide)}" height="{number(high)}"'
        self._add("rect", kind, shape + (f' rx="{number(radius)}"' if radius else ""), title, opacity)

    def circle(self, x: float, y: float, radius: float, kind: str, title: str = "", opacity: float = 1.0) -> None:
        """Draw a circle."""
        self._add("circle", kind, f'cx="{number(x)}" cy="{number(y)}" r="{number(radius)}"', title, opacity)

    def path(self, steps: str, kind: str, title: str = "", more: str = "") -> None:
        """Draw a path; `steps` must not contain text from users."""
        self._add("path", kind, f'd="{steps}"{more}', title)

    def text(
        self, x: float, y: float, words: str, kind: str = "ink", anchor: str = "start",
        room: float | None = None,
    ) -> None:  # fmt: skip
        """Write text, shortened to the room that it has; then the title has all of it."""
        size = 11 if "small" in kind.split() else SIZE
        shown = words if room is None else shortened(words, room, size)
        title = f"<title>{safe(words)}</title>" if shown != " ".join(words.split()) else ""
        end = "" if anchor == "start" else f' text-anchor="{anchor}"'
        self._parts.append(f'<text class="{kind}" x="{number(x)}" y="{number(y)}"{end}>{safe(shown)}{title}</text>')

    @property
    def svg(self) -> str:
        """The picture as a file holds it, and as a page can hold it as well."""
        size = f'width="{number(self.width)}" height="{number(self.height)}"'
        box = f'viewBox="0 0 {number(self.width)} {number(self.height)}"'
        parts = "\n".join(self._parts)
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" class="ludus" role="img" {size} {box}>{self._head}'
            f'<style>{STYLE}</style>\n<rect class="paper" {size}/>\n{parts}\n</svg>\n'
        )
