"""What there is to learn from a player's games: every move judged, first losing moves, openings that went badly, and
positions drawn as boards.

Takes games as a ledger keeps them, and lets the engine judge them with a fixed number of nodes, so that the same games
teach the same everywhere.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ludus.drawing.boards import draw_board
from ludus.play.record import Record
from ludus.reports import judged as judging
from ludus.reports.judged import percent
from ludus.said import Said

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from pathlib import Path

    from ludus.game import Game
    from ludus.reports import Picture, Say
    from ludus.reports.judged import JudgedGame, Looked

    Row = Mapping[str, Any]

POSITIONS = 3
OPENINGS = 3
LOST_SHOWN = 10


def lessons(
    rows: Sequence[Row],
    made: Game,
    name: str,
    nodes: int,
    pictures: dict[str, Picture],
    say: Say = lambda *_: None,
    memory: Path | None = None,
) -> dict[str, Any]:
    """Let the engine judge a player's games, and find what its author can learn from them."""
    if not made.compiled:
        return {"review": None, "lost": [], "openings": [], "positions": []}
    games: list[tuple[JudgedGame, int]] = []
    for index, row in enumerate(rows, 1):
        games.append((judging.judge(Record.parse(row["record"]), nodes, row, memory), int(row["second"] == name)))
        say("games-judged", index, len(rows))
    every = [one for played, side in games for one in played.own(side)]
    lost = [(played, side) for played, side in games if played.row["winner"] == 1 - side]
    firsts = [_first_losing(played, side) for played, side in lost]
    origin = {id(one): (played, side) for played, side in games for one in played.own(side)}
    positions = []
    for index, one in enumerate(judging.dearest(every, POSITIONS), 1):
        played, side = origin[id(one)]
        pictures[f"position-{index}"] = draw_board(
            one.state.game, one.state, judging.marks_of(one.state, one.judged.move, one.judged.best)
        )
        positions.append({**judging.described(one), **_met(played, side), "picture": f"position-{index}"})
    return {
        "review": {
            "nodes": nodes,
            "games": len(games),
            "scored": every[0].judged.points is not None if every else False,
            "grades": judging.grades(every),
            "phases": judging.phases(games),
            "total": judging.losses(every),
        },
        "lost": firsts[:LOST_SHOWN],
        "lost_games": len(lost),
        "lost_by_failure": sum(played.row["reason"] not in ("rules", "adjudicated") for played, _ in lost),
        "openings": _openings(games, pictures),
        "positions": positions,
    }


def _met(played: JudgedGame, side: int) -> dict[str, Any]:
    """Say against whom, on which board and in which seat a game was played."""
    names = [str(name) for name in played.record.game.sides]
    return {"opponent": played.row[("second", "first")[side]], "board": played.row["board"] + 1, "seat": names[side]}


def _first_losing(played: JudgedGame, side: int) -> dict[str, Any]:
    found = judging.first_losing(played.own(side))
    reason = played.row["reason"]
    failure = Said("" if reason in ("rules", "adjudicated") else reason)
    told = judging.described(found) if found is not None else None
    return {**_met(played, side), "failure": failure, "moves": len(played.looked), "first": told}


def _openings(games: Sequence[tuple[JudgedGame, int]], pictures: dict[str, Picture]) -> list[dict[str, Any]]:
    """Find the starts that the bot did worst from: by points, then by what its first moves lost."""
    boards: dict[int, list[tuple[JudgedGame, int]]] = {}
    for played, side in games:
        boards.setdefault(played.row["board"], []).append((played, side))
    found = []
    for board, those in boards.items():
        points = [0.5 if p.row["winner"] is None else float(p.row["winner"] == side) for p, side in those]
        early = [one for p, side in those for one in p.own(side)[: judging.OPENING_MOVES]]
        found.append((sum(points) / len(points), -judging.mean_loss(early), board, points, early))
    shown = []
    for share, loss, board, points, early in sorted(found, key=lambda one: one[:3])[:OPENINGS]:
        if share == 1 and loss == 0:
            continue
        start = boards[board][0][0].record.start
        pictures[f"opening-{board + 1}"] = draw_board(start.game, start)
        shown.append({"board": board + 1, "points": f"{sum(points):g}", "games": len(points), "loss": percent(-loss, 1),
                      "worst": _worst(early), "picture": f"opening-{board + 1}"})  # fmt: skip
    return shown


def _worst(early: Sequence[Looked]) -> dict[str, Any] | None:
    found = judging.dearest(early, 1)
    return judging.described(found[0]) if found else None
