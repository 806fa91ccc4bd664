"""The tasks of worker processes: choose moves, analyse positions, derive tables.

Each task is a function whose first argument sends an answer, once or several times. Arguments and answers are pickled.
"""

from __future__ import annotations

import functools
import json
import math
import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from ludus.errors import message_of
from ludus.game import State, game
from ludus.play.match import answer_of
from ludus.players import player
from ludus.search.analysis import Engine, SearchLimits, analyse
from ludus.search.explain import explain
from ludus.search.teaching import look_ahead
from ludus.search.textbook import METHODS
from ludus.search.trace import TRACED, SearchTree, trace

if TYPE_CHECKING:
    from ludus.play.player import Player, Situation
    from ludus.search.result import Analysis
    from ludus.store import Ledger

    Send = Callable[[Any], None]

MEGABYTES = 32
MOST_NODES = 50_000
"""Nodes of a search tree that is shown."""
MOST_DEPTH = 6
"""Depth of a search tree that is shown."""
MOST_COUNTED = 100_000_000
"""Lines of play that are counted at most, which takes about a second."""

LINE_MOVES = 12
"""Moves of a line that are shown."""
SECONDS_BETWEEN_NEWS = 0.1

Options = tuple[tuple[str, int | str], ...]


@functools.lru_cache(maxsize=8)
def _player(text: str, name: str, options: Options) -> Player:
    """Return a player; the last ones are kept, since an engine takes longer to create than a weak move."""
    if text.startswith("engine:"):
        text += f",megabytes={MEGABYTES}"
    return player(text, game(name, **dict(options)))


def choose(send: Send, text: str, situation: Situation) -> None:
    """Let a player choose a move, and send its answer."""
    played = situation.state.game
    chooser = _player(text, played.name, tuple(played.options.items()))
    answer = answer_of(chooser, situation)
    send(answer._replace(value=None if chooser.last is None else chooser.last.value))


@functools.lru_cache(maxsize=2)
def _engine(name: str, options: Options) -> Engine:
    """Return an engine; the last ones are kept, since they take longer to create than a short search."""
    return Engine(game(name, **dict(options)), MEGABYTES)


def look(send: Send, state: State, seconds: float, lines: int) -> None:
    """Analyse a position, and send what is found at each depth, as JSON."""
    engine = _engine(state.game.name, tuple(state.game.options.items()))
    engine.clear()  # values in its table would cut lines short
    sent = 0.0

    def progress(analysis: Analysis) -> None:
        nonlocal sent
        if time.monotonic() - sent > SECONDS_BETWEEN_NEWS:
            sent = time.monotonic()
            send(analysis_json(analysis, done=False))

    found = engine.think(state, SearchLimits(seconds=seconds, lines=lines), progress)
    send(analysis_json(found, done=True) | {"why": [reason.json for reason in explain(state, found)]})


def consider(send: Send, state: State, nodes: int) -> None:
    """Analyse a position up to a number of nodes, which is repeatable, and send the Analysis."""
    send(analyse(state, nodes=nodes, megabytes=MEGABYTES))


def search(send: Send, state: State, method: str, depth: int) -> None:
    """Send the tree of a textbook search and the node counts of the others, as JSON text; or why that is refused."""
    try:
        tree = trace(state, method, depth, MOST_NODES)
    except ValueError as error:
        send({"refused": message_of(error).json})
        return
    counts = {
        METHODS[0]: _lines(state, depth),
        **{other: look_ahead(state, other, depth).nodes for other in METHODS[1:]},
    }
    send({"text": json.dumps({**tree_json(tree), "counts": counts}, separators=(",", ":"))})


def depths(send: Send, state: State) -> None:
    """Send how deep the tree of each textbook search can be shown for a position; 0 where the game is over."""
    send({method: _deepest(state, method) for method in TRACED})


def _deepest(state: State, method: str) -> int:
    """Return the greatest depth at which a search visits at most MOST_NODES."""
    if state.outcome is not None:
        return 0
    for depth in range(1, MOST_DEPTH + 1):
        # Even the best move order visits about this many nodes; beyond twice the limit there is no need to count.
        least = len(state.legal_moves) ** math.ceil(depth / 2)
        if least > 2 * MOST_NODES or _count(state, method, depth) > MOST_NODES:
            return depth - 1
    return MOST_DEPTH


def _count(state: State, method: str, depth: int) -> float:
    """Return how many nodes a search visits, or infinity where counting would take too long."""
    if method != METHODS[0]:
        return look_ahead(state, method, depth).nodes
    lines = _lines(state, depth)
    return math.inf if lines is None else lines


def _lines(state: State, depth: int) -> int | None:
    """Return how many nodes minimax visits, by perft; None where counting would take too long."""
    if not state.game.compiled or len(state.legal_moves) ** depth > MOST_COUNTED:
        return None
    return sum(state.game.perft(state, ply) for ply in range(1, depth + 1))


def tree_json(tree: SearchTree) -> dict[str, Any]:
    """Return a tree as JSON: a list for each attribute of its nodes; an infinite number is null."""

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
        "lines": [line._asdict() | {"moves": line.moves[:LINE_MOVES]} for line in analysis.lines if line.moves],
    }


@functools.lru_cache(maxsize=1)
def _ledger(database: str) -> Ledger:
    from ludus.store import Ledger  # noqa: PLC0415 - most workers need none

    return Ledger(database)


def derive(send: Send, database: str, name: str) -> None:
    """Send what a page shows of a tournament, derived from its ledger, and how many seconds that took."""
    from ludus.tournament import Plan, Progress  # noqa: PLC0415
    from ludus.tournament.view import tournament_view  # noqa: PLC0415

    ledger = _ledger(database)
    began = time.monotonic()
    found = ledger.find(name)
    assert found is not None
    view = tournament_view(Progress(Plan.from_config(name, found.config), ledger))
    document = view.model_dump(mode="json", exclude={"pairings"})  # the longest part, which no page shows
    document["changes"] = len(ledger.log(found.id))  # a replayed game may be the same, but has another name
    send((document, time.monotonic() - began))


TASKS: dict[str, Callable[..., None]] = {
    "choose": choose,
    "look": look,
    "consider": consider,
    "search": search,
    "depths": depths,
    "derive": derive,
}
