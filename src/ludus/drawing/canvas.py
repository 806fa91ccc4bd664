"""What boards are drawn on: shapes, symbols and words as SVG, placed cell by cell. Knows no game and no colours."""

from __future__ import annotations

from ludus.drawing.svg import number, safe

CELL = 48.0
"""The side of a cell, in the drawing's own units."""


class Canvas:
    """A drawing under construction. Places are relative to the cell or ground that is being drawn."""

    def __init__(self) -> None:
        self.parts: list[str] = []
        self._x = self._y = 0.0

    def move_to(self, x: float, y: float) -> None:
        """Set the place that all following ones are relative to."""
        self._x, self._y = x, y

    def rect(self, x: float, y: float, wide: float, high: float, kind: str, radius: float = 0, more: str = "") -> None:
        """Draw a rectangle; `kind` is one or more classes, `more` further attributes."""
        place = f'x="{number(self._x + x)}" y="{number(self._y + y)}" width="{number(wide)}" height="{number(high)}"'
        self.parts.append(f'<rect class="{kind}" {place} rx="{number(radius)}" {more}/>')

    def circle(self, x: float, y: float, radius: float, kind: str, more: str = "") -> None:
        """Draw a circle."""
        place = f'cx="{number(self._x + x)}" cy="{number(self._y + y)}" r="{number(radius)}"'
        self.parts.append(f'<circle class="{kind}" {place} {more}/>')

    def path(self, steps: str, kind: str, more: str = "") -> None:
        """Draw a path; its steps are relative to the place as well."""
        place = f'transform="translate({number(self._x)} {number(self._y)})"'
        self.parts.append(f'<path class="{kind}" d="{steps}" {place} {more}/>')

    def use(self, symbol: str) -> None:
        """Draw a symbol over the whole cell."""
        place = f'x="{number(self._x)}" y="{number(self._y)}" width="{number(CELL)}" height="{number(CELL)}"'
        self.parts.append(f'<use href="#{symbol}" {place}/>')

    def text(self, x: float, y: float, words: str, kind: str = "ink", size: float = 14, anchor: str = "middle") -> None:
        """Write text, escaped."""
        place = f'x="{number(self._x + x)}" y="{number(self._y + y)}" font-size="{number(size)}"'
        self.parts.append(f'<text class="{kind}" {place} text-anchor="{anchor}">{safe(words)}</text>')
