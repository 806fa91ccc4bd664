"""What the terminal shows about a game in words: names, moves, points, clocks. Prints nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.style import Style
from rich.text import Text

from ludus.drawing.palette import ACCENTS
from ludus.play.narration import effects

if TYPE_CHECKING:
    from ludus.game import Game, State
    from ludus.play.match import Match


def title(game: Game) -> str:
    """Return a game's name and its options."""
    return f"{game.title} ({', '.join(f'{key}={value}' for key, value in game.options.items())})"


def side_names(game: Game) -> tuple[str, str]:
    """Return the names of the two sides."""
    first, second = game.sides
    return str(first), str(second)


def side_name(game: Game, side: int) -> Text:
    """Return the name of a side in its colour."""
    return Text.assemble((side_names(game)[side], Style(color=ACCENTS[side], bold=True)))


def count(number: int, thing: str) -> str:
    """Return `1 move`, `2 moves`."""
    return f"{number:,} {thing}" if number == 1 else f"{number:,} {thing}s"


def story(number: int, state: State, move: str, seconds: float | None = None) -> Text:
    """Return a move in words: `12. Red B3: 4 explosions in 2 waves (0.3 s)`."""
    happened = effects(state.game, state.steps(move))
    text = Text(f"{number}. ") + side_name(state.game, state.side) + Text(f" {move}")
    if happened:
        text.append(f": {', '.join(map(str, happened))}")
    if seconds is not None and seconds >= 0.05:
        text.append(f" ({seconds:.1f} s)", "bright_black")
    return text


def standing(state: State) -> Text:
    """Return the points of both sides; empty in a game without points."""
    if state.scores is None:
        return Text()
    first, second = (side_name(state.game, side) + Text(f" {state.scores[side]}") for side in (0, 1))
    return first + Text(" : ") + second


def minutes(seconds: float) -> str:
    """Return a time as a clock shows it."""
    if seconds < 10:
        return f"{seconds:.1f} s"
    return f"{int(seconds) // 60}:{int(seconds) % 60:02}"


def clocks(match: Match) -> Text:
    """Return the time left of both sides if they have a bank, otherwise the time used."""
    banked = match.clock.bank is not None
    times = [match.time_left(side).seconds if banked else match.seconds_used(side) for side in (0, 1)]
    if not banked and max(times) < 0.05:
        return Text()
    first, second = (minutes(max(0.0, seconds)) for seconds in times)
    each = f", {match.clock.per_move:g} s per move" if match.clock.per_move is not None else ""
    return Text(f"{'time left' if banked else 'time used'} {first} : {second}{each}", "bright_black")


def status(match: Match) -> Text:
    """Return the side to move, the points and the clocks, on one line."""
    turn = side_name(match.state.game, match.state.side) + Text(" to move") if match.outcome is None else Text()
    return Text("   ").join(part for part in (turn, standing(match.state), clocks(match)) if part)
