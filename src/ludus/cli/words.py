"""What the terminal says about a game: who plays, what a move did, how it stands, who won and why. Prints nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.style import Style
from rich.text import Text

from ludus.drawing.palette import ACCENTS
from ludus.errors import FAULTS
from ludus.game import GameFamily

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ludus.game import Game, Outcome, State, Step
    from ludus.play.match import Match


def title(game: Game) -> str:
    """Give a game's name and its options."""
    family = getattr(game, "family", None)
    name = family.title if isinstance(family, GameFamily) else game.name
    return f"{name} ({', '.join(f'{key}={value}' for key, value in game.options.items())})"


def side_names(game: Game) -> tuple[str, str]:
    """Give what the players are called on the board."""
    family = getattr(game, "family", None)
    return family.sides if isinstance(family, GameFamily) else ("First", "Second")


def side_name(game: Game, side: int) -> Text:
    """Give a player's name in that player's colour."""
    return Text.assemble((side_names(game)[side], Style(color=ACCENTS[side], bold=True)))


def count(number: int, thing: str) -> str:
    """Give `1 move`, `2 moves`."""
    return f"{number:,} {thing}" if number == 1 else f"{number:,} {thing}s"


def steps_of(state: State, move: str) -> tuple[Step, ...]:
    """Give what a move does step by step; nothing for a game that does not tell."""
    steps = getattr(state, "steps", None)
    return tuple(steps(move)) if steps is not None else ()


def effects(steps: Sequence[Step]) -> str:
    """Say what a move did beyond its own cell."""
    cells: dict[str, int] = {}
    times: dict[str, int] = {}
    for step in steps:
        cells[step.kind] = cells.get(step.kind, 0) + len(step.cells)
        times[step.kind] = times.get(step.kind, 0) + 1
    told = []
    if "claim" in cells:
        told.append(f"takes a group of {cells['claim']}")
    if "explode" in cells:
        waves = f" in {times['explode']} waves" if times["explode"] > 1 else ""
        told.append(f"{count(cells['explode'], 'explosion')}{waves}")
    if "line" in cells:
        told.append(f"a line of {cells['line']}")
    if "run" in cells:
        told.append(f"{cells['run']} tiles go in runs")
    if "fall" in cells:
        told.append(f"{cells['fall']} fall")
    if points := sum(step.points for step in steps):
        told.append(f"+{count(points, 'point')}")
    return ", ".join(told)


def story(number: int, state: State, move: str, seconds: float | None = None) -> Text:
    """Tell a move: `12. Red B3: 4 explosions in 2 waves (0.3 s)`."""
    told = effects(steps_of(state, move))
    text = Text(f"{number}. ") + side_name(state.game, state.side) + Text(f" {move}")
    if told:
        text.append(f": {told}")
    if seconds is not None and seconds >= 0.05:
        text.append(f" ({seconds:.1f} s)", "bright_black")
    return text


def standing(state: State) -> Text:
    """Say the points, where there are some."""
    if state.scores is None:
        return Text()
    first, second = (side_name(state.game, side) + Text(f" {state.scores[side]}") for side in (0, 1))
    return first + Text(" : ") + second


def minutes(seconds: float) -> str:
    """Write a time as a clock shows it."""
    if seconds < 10:
        return f"{seconds:.1f} s"
    return f"{int(seconds) // 60}:{int(seconds) % 60:02}"


def clocks(match: Match) -> Text:
    """Say what both players have left on their clocks, or else what they used."""
    banked = match.clock.bank is not None
    times = [match.time_left(side).seconds if banked else match.seconds_used(side) for side in (0, 1)]
    if not banked and max(times) < 0.05:
        return Text()
    first, second = (minutes(max(0.0, seconds)) for seconds in times)
    each = f", {match.clock.per_move:g} s a move" if match.clock.per_move is not None else ""
    return Text(f"{'time left' if banked else 'time used'} {first} : {second}{each}", "bright_black")


def status(match: Match) -> Text:
    """Say whose turn it is, the points and the clocks, on one line."""
    turn = side_name(match.state.game, match.state.side) + Text(" to move") if match.outcome is None else Text()
    return Text("   ").join(part for part in (turn, standing(match.state), clocks(match)) if part)


def ending(state: State, outcome: Outcome, moves: int) -> str:
    """Say in one sentence who won, by how much and why."""
    names, points = side_names(state.game), state.scores
    after = f"after {count(moves, 'move')}"
    if outcome.winner is None:
        score = f" at {points[0]} to {points[1]}" if points else ""
        return f"A draw{score} {after}{because(state, outcome)}."
    winner = names[outcome.winner]
    if points is None or outcome.reason != "rules":
        return f"{winner} wins {after}{because(state, outcome)}."
    high, low = points[outcome.winner], points[1 - outcome.winner]
    return f"{winner} wins by {count(high - low, 'point')}, {high} to {low}, {after}{because(state, outcome)}."


def because(state: State, outcome: Outcome) -> str:
    """Say why the game is over, after a colon; nothing where the points say it all."""
    loser = side_names(state.game)[1 - outcome.winner] if outcome.winner is not None else ""
    if outcome.reason == "rules":
        family = getattr(state.game, "family", None)
        why = family.why(state) if isinstance(family, GameFamily) else ""
    else:
        short = {"timeout": "ran out of time", "illegal-move": "made an illegal move"}.get(outcome.reason, "failed")
        why = f"{loser} {short}" if outcome.reason in FAULTS else outcome.reason
    return f": {why}" if why else ""
