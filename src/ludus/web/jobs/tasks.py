"""What workers do: choose moves, think about positions, work out tables. Runs in processes of its own.

Each task is a function of plain values that tells what it finds, plain values too, once or as it goes on. Positions
travel as texts, so that a worker depends on nothing but its task.
"""

from __future__ import annotations

import functools
import json
import math
import time
from typing import TYPE_CHECKING, Any

from ludus.errors import message_of
from ludus.game import game
from ludus.play.match import answer_of
from ludus.players import player
from ludus.search.analysis import Engine, SearchLimits, analyse
from ludus.search.teaching import look_ahead
from ludus.search.textbook import METHODS
from ludus.search.trace import TRACED, trace

if TYPE_CHECKING:
    from collections.abc import Callable

    from ludus.game import State
    from ludus.play.player import Player, Situation
    from ludus.search.result import Analysis
    from ludus.search.trace import Tree
    from ludus.store import Ledger

    Tell = Callable[[Any], None]

MEGABYTES = 32
MOST_NODES = 50_000
"""Of a search that is shown."""
MOST_DEPTH = 6
"""Of a search that is shown."""
MOST_COUNTED = 100_000_000
"""Lines of play are counted up to about so many: for a second."""

SECONDS_BETWEEN_NEWS = 0.1

Options = tuple[tuple[str, int | str], ...]


@functools.lru_cache(maxsize=8)
def _player(text: str, name: str, options: Options) -> Player:
    """Keep the last players: the engine's table takes longer to make than a weak level's move."""
    if text.startswith("engine:"):
        text += f",megabytes={MEGABYTES}"
    return player(text, game(name, **dict(options)))


def choose(tell: Tell, text: str, situation: Situation) -> None:
    """Let a player choose, and tell its Answer."""
    played = situation.state.game
    chooser = _player(text, played.name, tuple(played.options.items()))
    answer = answer_of(chooser, situation)
    tell(answer._replace(value=None if chooser.last is None else chooser.last.value))


@functools.lru_cache(maxsize=2)
def _engine(name: str, options: Options) -> Engine:
    """Keep the last engines: their tables take longer to make than a short look."""
    return Engine(game(name, **dict(options)), MEGABYTES)


def look(tell: Tell, name: str, options: Options, position: str, seconds: float, lines: int) -> None:
    """Think about a position, and tell what is found, ever deeper."""
    engine = _engine(name, options)
    engine.clear()  # what it knew would cut the lines short that it tells
    told = 0.0

    def progress(analysis: Analysis) -> None:
        nonlocal told
        if time.monotonic() - told > SECONDS_BETWEEN_NEWS:
            told = time.monotonic()
            tell(analysis_json(analysis, done=False))

    limits = SearchLimits(seconds=seconds, lines=lines)
    tell(analysis_json(engine.think(engine.game.parse(position), limits, progress), done=True))


def consider(tell: Tell, name: str, options: Options, position: str, nodes: int) -> None:
    """Tell what a position is worth, always the same: an Analysis."""
    tell(analyse(game(name, **dict(options)).parse(position), nodes=nodes, megabytes=MEGABYTES))


def search(tell: Tell, name: str, options: Options, position: str, method: str, depth: int) -> None:
    """Tell the tree of a search of the textbook and what the others count, as JSON text; or a refusal's sentence."""
    state = game(name, **dict(options)).parse(position)
    try:
        tree = trace(state, method, depth, MOST_NODES)
    except ValueError as error:
        tell({"refused": message_of(error).json})
        return
    counts = {
        METHODS[0]: _lines(state, depth),
        **{other: look_ahead(state, other, depth).nodes for other in METHODS[1:]},
    }
    tell({"text": json.dumps({**tree_json(tree), "counts": counts}, separators=(",", ":"))})


def depths(tell: Tell, name: str, options: Options, position: str) -> None:
    """Tell how deep each search of the textbook can go in a position and still be shown; 0 where the game is over."""
    state = game(name, **dict(options)).parse(position)
    tell({method: _deepest(state, method) for method in TRACED})


def _deepest(state: State, method: str) -> int:
    """Return the greatest depth at which a search looks at MOST_NODES at most; the compiled search counts the same."""
    if state.outcome is not None:
        return 0
    for depth in range(1, MOST_DEPTH + 1):
        # The best order of moves still leaves about so many; beyond twice the limit nobody needs to count.
        least = len(state.legal_moves) ** math.ceil(depth / 2)
        if least > 2 * MOST_NODES or _count(state, method, depth) > MOST_NODES:
            return depth - 1
    return MOST_DEPTH


def _count(state: State, method: str, depth: int) -> float:
    """Return how many positions a search looks at, or infinity where that would take long to find out."""
    if method != METHODS[0]:
        return look_ahead(state, method, depth).nodes
    lines = _lines(state, depth)
    return math.inf if lines is None else lines


def _lines(state: State, depth: int) -> int | None:
    """Count what minimax looks at, which is every line, without looking; None where that would take too long."""
    if not state.game.compiled or len(state.legal_moves) ** depth > MOST_COUNTED:
        return None
    return sum(state.game.perft(state, ply) for ply in range(1, depth + 1))


def tree_json(tree: Tree) -> dict[str, Any]:
    """Return a tree as JSON: a list for each thing that is known of its nodes, a number without end as null."""

    def finite(value: float) -> float | None:
        return None if math.isinf(value) else value

    visits = tree.visits
    return {
        "method": tree.method,
        "depth": tree.depth,
        "nodes": tree.nodes,
        "move": tree.move,
        "parents": [visit.parent for visit in visits],
        "moves": [visit.move for visit in visits],
        "sides": [visit.side for visit in visits],
        "values": [visit.value for visit in visits],
        "alphas": [finite(visit.alpha) for visit in visits],
        "betas": [finite(visit.beta) for visit in visits],
        "alpha_by": [visit.alpha_by for visit in visits],
        "beta_by": [visit.beta_by for visit in visits],
        "best": [visit.best for visit in visits],
        "kinds": [visit.kind for visit in visits],
        "skipped": {str(index): visit.skipped for index, visit in enumerate(visits) if visit.skipped},
    }


def analysis_json(analysis: Analysis, *, done: bool) -> dict[str, Any]:
    """Return an analysis as JSON."""
    return {
        "depth": analysis.depth,
        "nodes": analysis.nodes,
        "seconds": round(analysis.seconds, 3),
        "done": done,
        "lines": [
            {
                "moves": list(line.moves[:12]),
                "value": line.value,
                "exact": line.exact,
                "win_chance": line.win_chance,
                "plies_to_end": line.plies_to_end,
            }
            for line in analysis.lines
            if line.moves
        ],
    }


@functools.lru_cache(maxsize=1)
def _ledger(database: str) -> Ledger:
    from ludus.store import Ledger  # noqa: PLC0415 - only where it is asked for

    return Ledger(database)


def derive(tell: Tell, database: str, name: str) -> None:
    """Derive what a page shows of a tournament from the games that its ledger holds; tell it, and what that took."""
    from ludus.tournament import Plan, Progress  # noqa: PLC0415
    from ludus.tournament.view import tournament_view  # noqa: PLC0415

    ledger = _ledger(database)
    began = time.monotonic()
    found = ledger.find(name)
    assert found is not None
    view = tournament_view(Progress(Plan.from_config(name, found.config), ledger))
    document = view.model_dump(mode="json", exclude={"pairings"})  # the longest part, and no page shows it
    document["changes"] = len(ledger.log(found.id))  # a game that is played again may be the same, but has another name
    tell((document, time.monotonic() - began))


TASKS: dict[str, Callable[..., None]] = {
    "choose": choose,
    "look": look,
    "consider": consider,
    "search": search,
    "depths": depths,
    "derive": derive,
}
