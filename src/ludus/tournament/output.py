"""The files of a tournament: tables as CSV, the whole view as JSON, records, plots, and a page.

    DIR/index.html  standings.csv  games.csv  results.json  plots/NAME.svg  records/PAIRING-BOARD-SEATS.txt

Each file is written whole or not at all, the page last, so that what it links to is there. Names and the sentences of
bots are foreign text: none of them becomes a formula, a tag or a path. Derives nothing: `view` does.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from ludus.display import csv_cell, visible
from ludus.drawing import plots
from ludus.files import write_whole
from ludus.messages import Message
from ludus.messages.names import entry_names
from ludus.play.clock import Clock
from ludus.play.record import Record
from ludus.play.result import GameKey, GameResult
from ludus.tournament import Progress
from ludus.tournament.bracket import bracket
from ludus.tournament.page import page
from ludus.tournament.view import StandingView, TournamentView, tournament_view

Cell = str | int | float | None

BOM = "\ufeff"
"""Opens CSV files: without it Excel reads UTF-8 as the code page of the machine, and names become nonsense."""
GAME_COLUMNS = (
    *("pairing", "board", "seats", "first", "second", "winner", "reason", "fault", "margin", "moves"),
    *("used_first", "used_second", "left_first", "left_second", "version_first", "version_second"),
    *("stalled", "replays", "host", "seed", "record_file"),
)
STANDING_COLUMNS = (
    *("rank", "entry", "player", "points", "score", "games", "wins", "draws", "losses", "margin", "failures"),
    *("rating", "rating_low", "rating_high", "decided_by", "explanation", "withdrawn"),
)
OUR_RECORDS = re.compile(r".+-\d+-[01]\.txt")
OUR_PLOTS = re.compile(r"(ratings|matrix|lengths|times|bracket)\.svg")
OUR_FILES = re.compile(r"(standings|games)\.csv|results\.json|index\.html")
MOST_TIMED = 1000
"""Games whose moves are read for the plot of times; of more, an even sample."""


def write_all(progress: Progress, out: Path | str, language: str = "en") -> None:
    """Write everything that is known about a tournament into a folder, over what an earlier run has left there.

    Page and plots are in the language given, data in English.
    """
    folder = Path(out)
    for part in (folder, folder / "records", folder / "plots"):
        part.mkdir(parents=True, exist_ok=True)
    keys = sorted(progress.results, key=natural_order)
    games = [replace(progress.results[key], record_file=record_name(*key)) for key in keys]
    view = tournament_view(progress)
    drawn = draw_plots(progress, view, language)
    results = json.dumps(view.model_dump(mode="json"), ensure_ascii=False, indent=1, allow_nan=False)
    _write(folder / "records", OUR_RECORDS, {game.record_file: game.record for game in games})
    _write(folder / "plots", OUR_PLOTS, {f"{name}.svg": svg for name, svg in drawn.items()})
    files = {
        "standings.csv": table(STANDING_COLUMNS, map(_standing_cells, view.standings)),
        "games.csv": table(GAME_COLUMNS, map(_game_cells, games)),
        "results.json": visible(results) + "\n",
        "index.html": page(view, games, drawn, language),
    }
    _write(folder, OUR_FILES, files)


def _write(folder: Path, ours: re.Pattern[str], files: Mapping[str, str]) -> None:
    """Write files into a folder, and remove those of an earlier run; what has not changed is left alone.

    It does not wait for the disk: everything is in the ledger, and can be written again after a power cut.
    """
    there = {path.name for path in folder.iterdir()}
    for name in sorted(there - set(files)):
        if ours.fullmatch(name):
            (folder / name).unlink()
    for name, text in files.items():
        if name not in there or (folder / name).read_bytes() != text.encode("utf-8", "replace"):
            write_whole(folder / name, _writable(text), synced=False)


def _writable(text: str) -> str:
    """Return a text that UTF-8 can encode."""
    return text.encode("utf-8", "replace").decode("utf-8")


def natural_order(key: GameKey) -> tuple[list[tuple[str, int, str]], int, int]:
    """Order keys as people count: R2 before R10. A number is ordered by its length first, since it may be very long."""
    pairing, board, seats = key
    parts = [(words, digits.lstrip("0")) for words, digits in re.findall(r"(\D*)([0-9]*)", pairing)]
    return [(words, len(digits), digits) for words, digits in parts], board, seats


def record_name(pairing: str, board: int, seats: int) -> str:
    """Return the file name of a record: the key of the pairing, made harmless and still unique."""
    plain = re.sub(r"[^A-Za-z0-9.+-]", "_", pairing)[:80].lstrip(".-") or "_"
    if plain != pairing:
        plain += "_" + hashlib.sha256(pairing.encode("utf-8", "replace")).hexdigest()[:8]
    return f"{plain}-{board}-{seats}.txt"


def table(columns: Sequence[str], rows: Iterable[Sequence[Cell]]) -> str:
    """Return rows as CSV that a spreadsheet shows as it is."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([_cell(value) for value in row] for row in rows)
    return BOM + _writable(stream.getvalue())


def _cell(value: Cell) -> Cell:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.6g}"
    return csv_cell(value) if isinstance(value, str) else value


def _standing_cells(line: StandingView) -> Sequence[Cell]:
    """Return a line of the standings in the order of STANDING_COLUMNS."""
    rating = (line.rating.elo, line.rating.low, line.rating.high) if line.rating else (None, None, None)
    sums = (line.points, line.score, line.games, line.wins, line.draws, line.losses, line.margin, line.failures)
    return (line.rank, line.entry, line.player, *sums, *rating, line.decided_by, line.explanation, line.withdrawn)


def _game_cells(game: GameResult) -> Sequence[Cell]:
    """Return a game in the order of GAME_COLUMNS."""
    place = (game.pairing, game.board, game.seats, *game.entries)
    outcome = (game.winner, game.reason, game.fault, game.margin, game.moves)
    rest = (game.stalled, game.replays, game.host, game.seed, game.record_file)
    return (*place, *outcome, *game.used, *game.left, *game.versions, *rest)


def draw_plots(progress: Progress, view: TournamentView, language: str = "en") -> dict[str, str]:
    """Return every plot that has something to show, as SVG, by name."""
    called = entry_names(progress.plan.entries, language)
    names = {line.entry: called[line.entry] for line in view.standings}
    rated = [
        (called[line.entry], line.rating.elo, line.rating.low, line.rating.high)
        for line in view.standings
        if line.rating
    ]
    drawn: dict[str, str] = {}
    if rated:
        drawn["ratings"] = plots.ratings(rated, language=language)
        shares = [[cell and cell.points / cell.games for cell in row] for row in view.cross]
        drawn["matrix"] = plots.matrix(list(names.values()), shares, language=language)
        lengths = [result.moves for result in progress.results.values()]
        drawn["lengths"] = plots.histogram(lengths, Message("plots.lengths"), Message("plots.moves"), language=language)
        drawn["times"] = _times(progress, names, language)
    if view.bracket:
        drawn["bracket"] = bracket(progress.schedule.bracket(), called, language=language)
    return drawn


def _times(progress: Progress, called: Mapping[str, str], language: str) -> str:
    """Draw the time that was used, against what was allowed: by move or by game, as the clock counts."""
    clock = Clock.parse(progress.plan.clock)
    results = list(progress.results.values())
    taken: dict[str, list[float]] = {name: [] for name in called.values()}
    if clock.per_move is None:
        for result in results:
            for entry, seconds in zip(result.entries, result.used, strict=True):
                taken[called[entry]].append(seconds)
        limit = clock.bank if not clock.increment else None
        return plots.times(taken, Message("plots.seconds_per_game"), limit=limit, language=language)
    every = math.ceil(len(results) / MOST_TIMED)
    for result in results[::every]:
        record = Record.parse(result.record)
        for state, move in zip(record.states(), record.moves, strict=False):  # one state more than moves
            if move.seconds is not None:
                taken[called[result.entries[state.side]]].append(move.seconds)
    unit = Message("plots.seconds_per_move")
    return plots.times(taken, unit, limit=clock.per_move, every=every, language=language)
