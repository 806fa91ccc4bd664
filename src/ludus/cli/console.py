"""Rich's console for the command line: text from outside is shown, and never interpreted."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.console import Console

from ludus.display import visible

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.console import ConsoleOptions, RenderableType
    from rich.segment import Segment


class SafeConsole(Console):
    """A console that prints text as it is: no markup, no control characters; the caller handles a closed pipe."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(markup=False, emoji=False, highlight=False, **settings)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Render with control characters removed from all text, except from rich's own control sequences."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else segment._replace(text=visible(segment.text))

    def on_broken_pipe(self) -> None:
        """Raise the error again."""
        raise  # noqa: PLE0704 - rich calls this while it handles the BrokenPipeError
