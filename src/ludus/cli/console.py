"""Rich's console as the command line uses it: words of strangers are shown, and never obeyed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from rich.console import Console

from ludus.display import visible

if TYPE_CHECKING:
    from collections.abc import Iterable

    from rich.console import ConsoleOptions, RenderableType
    from rich.segment import Segment


class SafeConsole(Console):
    """A console that shows words as they are: no markup, no control characters; a closed pipe is its caller's."""

    def __init__(self, **settings: Any) -> None:
        super().__init__(markup=False, emoji=False, highlight=False, **settings)

    def render(self, renderable: RenderableType, options: ConsoleOptions | None = None) -> Iterable[Segment]:
        """Clean all words; control sequences of rich itself are marked as such."""
        for segment in super().render(renderable, options):
            yield segment if segment.control else segment._replace(text=visible(segment.text))

    def on_broken_pipe(self) -> None:
        """Go on raising."""
        raise  # noqa: PLE0704 - rich calls this while it handles the BrokenPipeError
