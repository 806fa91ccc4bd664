"""What the terminal shows about a game in words: names, moves, points, clocks. Prints nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.style import Style
from rich.text import Text

from ludus.cli.output import rendered
from ludus.drawing.palette import ACCENTS
from ludus.messages import Message
from ludus.play.narration import effects

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ludus.game import Game, State
    from ludus.play.match import Match


def title(game: Game) -> str:
    """Return a game's name and its options."""
    return f"{rendered(game.title)} ({', '.join(f'{key}={value}' for key, value in game.options.items())})"


def coloured(game: Game, message: Message | str) -> Text:
    """Return a message in words, with the names of the sides in their colours."""
    text = Text(rendered(message))
    for name, accent in zip(game.sides, ACCENTS, strict=True):
        text.highlight_words([rendered(name)], Style(color=accent, bold=True))
    return text


def against(game: Game, players: Sequence[str]) -> Text:
    """Return who plays against whom."""
    first, second = (f"{rendered(side)} {player}" for side, player in zip(game.sides, players, strict=True))
    return coloured(game, Message("formats.against", first=first, second=second))


def story(number: int, state: State, move: str, seconds: float | None = None) -> Text:
    """Return a move in words: `12. Red B3: 4 explosions in 2 waves (0.3 s)`."""
    what = {"number": number, "side": state.game.sides[state.side], "move": move}
    happened = effects(state.game, state.steps(move))
    text = coloured(
        state.game, Message("cli.story_with", effects=happened, **what) if happened else Message("cli.story", **what)
    )
    if seconds is not None and seconds >= 0.05:
        text.append(rendered(Message("cli.took", seconds=f"{seconds:.1f}")), "bright_black")
    return text


def standing(state: State) -> Text:
    """Return the points of both sides; empty in a game without points."""
    if state.scores is None:
        return Text()
    points = [f"{rendered(side)} {score}" for side, score in zip(state.game.sides, state.scores, strict=True)]
    return coloured(state.game, " : ".join(points))


def minutes(seconds: float) -> Message | str:
    """Return a time as a clock shows it."""
    if seconds < 10:
        return Message("span.seconds", n=f"{max(0.0, seconds):.1f}")
    return f"{int(seconds) // 60}:{int(seconds) % 60:02}"


def clocks(match: Match) -> Text:
    """Return the time left of both sides if they have a bank, otherwise the time used."""
    banked, each = match.clock.bank is not None, match.clock.per_move
    times = [match.time_left(side).seconds if banked else match.seconds_used(side) for side in (0, 1)]
    if not banked and max(times) < 0.05:
        return Text()
    first, second = map(minutes, times)
    limit = "" if each is None else Message("cli.clock_each", seconds=each)
    code = "cli.clock_left" if banked else "cli.clock_used"
    return Text(rendered(Message(code, first=first, second=second, limit=limit)), "bright_black")


def status(match: Match) -> Text:
    """Return the side to move, the points and the clocks, on one line."""
    game = match.state.game
    turn = Text() if match.outcome else coloured(game, Message("match.turn", side=game.sides[match.state.side]))
    return Text("   ").join(part for part in (turn, standing(match.state), clocks(match)) if part)
