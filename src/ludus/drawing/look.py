"""How a game looks: its board as rows of marks, and the ground beneath its pieces. Knows no rules."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

if TYPE_CHECKING:
    from ludus.drawing.canvas import Canvas
    from ludus.drawing.text_board import TextBoard
    from ludus.messages import Message


class HasText(Protocol):
    """What a board can be drawn from: a state, or a step of a move."""

    @property
    def text(self) -> str:
        """Return a text that begins with the board field."""


class Look(NamedTuple):
    """How a game looks."""

    board: Callable[[HasText], TextBoard] | None = None
    """Return a state, or a step of a move, as rows of marks; without it a game has only the text that it draws."""
    palette: Callable[[Any], tuple[str, ...]] = lambda _game: ()
    """Return what a cell of a game's board may hold, as texts: nothing first. For people who set up a board by hand."""
    ground: Callable[[Canvas, TextBoard], None] | None = None
    """Draw what is beneath the pieces in a PDF or a picture; a square for each cell unless given."""
    colours: Mapping[str, tuple[str, str]] = {}
    """The colours that `ground` uses beside the usual ones: on light, on dark."""


class DrawableGame(Protocol):
    """What a drawing needs of a game."""

    look: Look

    @property
    def name(self) -> str:
        """Return the name of the game."""

    @property
    def title(self) -> Message:
        """Return its name for people."""

    def draw(self, state: Any) -> str:
        """Draw the board in plain text."""
