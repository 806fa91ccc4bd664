"""What a tournament leaves in a folder: tables as CSV, everything derived as JSON, records, plots, and a page.

    DIR/index.html  standings.csv  games.csv  results.json  plots/NAME.svg  records/PAIRING-BOARD-SEATS.txt

Each file is written whole or not at all, the page last, so that what it links to is there. Names and the sentences of
bots are anybody's: none of them becomes a formula, a tag or a path. Computes nothing that formats and ratings know.
"""

from __future__ import annotations

import csv
import hashlib
import io
import json
import math
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ludus.display import csv_cell, visible
from ludus.drawing import plots
from ludus.errors import FAULTS
from ludus.files import write_whole
from ludus.play.clock import Clock
from ludus.play.record import Record
from ludus.rating.bradley_terry import rate
from ludus.said import Said, entry_names
from ludus.tournament.bracket import bracket
from ludus.tournament.page import page

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from ludus.formats import Slot, Standings
    from ludus.rating.bradley_terry import Ratings
    from ludus.tournament import Progress

BOM = "\ufeff"
"""Opens CSV files: without it Excel reads UTF-8 as the code page of the machine, and names become nonsense."""
GAME_COLUMNS = (
    *("pairing", "board", "seats", "first", "second", "winner", "reason", "fault", "margin", "moves"),
    *("used_first", "used_second", "left_first", "left_second", "version_first", "version_second"),
    *("stalled", "replays", "host", "seed"),
)
STANDING_COLUMNS = (
    *("rank", "entry", "player", "points", "score", "games", "wins", "draws", "losses", "margin", "failures"),
    *("rating", "rating_low", "rating_high", "decided_by", "explanation", "withdrawn"),
)
OUR_RECORDS = re.compile(r".+-\d+-[01]\.txt")
OUR_PLOTS = re.compile(r"(ratings|matrix|lengths|times|bracket)\.svg")
OUR_FILES = re.compile(r"(standings|games)\.csv|results\.json|index\.html")
MOST_TIMED = 1000
"""Games whose moves are looked at for the plot of times; of more, an even sample."""
SENTENCES_SHOWN = 3


def write_all(progress: Progress, out: Path | str) -> None:
    """Write everything that is known about a tournament into a folder, over what an earlier time has left there."""
    folder = Path(out)
    for part in (folder, folder / "records", folder / "plots"):
        part.mkdir(parents=True, exist_ok=True)
    rows = [progress.rows[key] | {"record_file": record_name(*key)} for key in sorted(progress.rows, key=_natural)]
    said = document(progress)
    drawn = draw(progress, said)
    _replace(folder / "records", OUR_RECORDS, {row["record_file"]: row["record"] for row in rows})
    _replace(folder / "plots", OUR_PLOTS, {f"{name}.svg": svg for name, svg in drawn.items()})
    files = {
        "standings.csv": table(STANDING_COLUMNS, map(_flat, said["standings"])),
        "games.csv": table((*GAME_COLUMNS, "record_file"), rows),
        "results.json": visible(json.dumps(said, ensure_ascii=False, indent=1, allow_nan=False)) + "\n",
        "index.html": page(said, rows, drawn),
    }
    _replace(folder, OUR_FILES, files)


def _replace(folder: Path, ours: re.Pattern[str], files: Mapping[str, str]) -> None:
    """Write files into a folder, and take away those of an earlier time; what has not changed is left alone.

    It does not wait for the disk: the ledger has everything, and can give it again after a power cut.
    """
    there = {path.name for path in folder.iterdir()}
    for name in sorted(there - set(files)):
        if ours.fullmatch(name):
            (folder / name).unlink()
    for name, text in files.items():
        if name not in there or (folder / name).read_bytes() != text.encode("utf-8", "replace"):
            write_whole(folder / name, _writable(text), synced=False)


def _writable(text: str) -> str:
    """Give a text that UTF-8 has bytes for."""
    return text.encode("utf-8", "replace").decode("utf-8")


def _natural(key: tuple[str, int, int]) -> tuple[list[tuple[str, int, str]], int, int]:
    """Order keys as people count: R2 before R10. A number is ordered by its length first: it may be of any length."""
    pairing, board, seats = key
    parts = [(words, digits.lstrip("0")) for words, digits in re.findall(r"(\D*)([0-9]*)", pairing)]
    return [(words, len(digits), digits) for words, digits in parts], board, seats


def record_name(pairing: str, board: int, seats: int) -> str:
    """Give the file name of a record: the pairing's key, made harmless, and still one of its own."""
    plain = re.sub(r"[^A-Za-z0-9.+-]", "_", pairing)[:80].lstrip(".-") or "_"
    if plain != pairing:
        plain += "_" + hashlib.sha256(pairing.encode("utf-8", "replace")).hexdigest()[:8]
    return f"{plain}-{board}-{seats}.txt"


def table(columns: Sequence[str], rows: Iterable[Mapping[str, Any]]) -> str:
    """Write rows as CSV that a spreadsheet opens as what it is."""
    stream = io.StringIO()
    writer = csv.writer(stream, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([_cell(row[column]) for column in columns] for row in rows)
    return BOM + _writable(stream.getvalue())


def _cell(value: object) -> object:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.6g}"
    return csv_cell(value) if isinstance(value, str) else value


def _flat(standing: Mapping[str, Any]) -> dict[str, Any]:
    rating = standing["rating"] or {"elo": None, "low": None, "high": None}
    return {**standing, "rating": rating["elo"], "rating_low": rating["low"], "rating_high": rating["high"]}


def document(progress: Progress) -> dict[str, Any]:
    """Give everything that is derived from the games, as plain data: what results.json holds, and the page shows."""
    plan, schedule = progress.plan, progress.schedule
    ratings = rate(progress.counts) if progress.counts else None
    standings = schedule.standings()
    made = plan.made
    return {
        "name": plan.name,
        "game": plan.game,
        "game_title": str(made.title),
        "options": dict(made.options),
        "format": plan.format,
        "format_options": dict(schedule.settings),
        "clock": plan.clock,
        "pairs": plan.pairs,
        "seed": plan.seed,
        "finished": progress.done,
        "games": len(progress.rows),
        "draws": sum(row["winner"] is None for row in progress.rows.values()),
        "moves": sum(row["moves"] for row in progress.rows.values()),
        "replayed": progress.replays,
        "criteria": [{"name": criterion.name, "help": criterion.help} for criterion in standings.criteria],
        "standings": _standings(progress, standings, ratings),
        "rating": None if ratings is None else _rating_notes(ratings),
        "met": _met(progress.counts),
        "pairings": [
            {**result.pairing._asdict(), "wins": result.wins, "draws": result.draws, "losses": result.losses,
             "margin": result.margin, "walkover": result.walkover}
            for result in schedule.results.values()
        ],
        "open_pairings": [pairing._asdict() for pairing in schedule.playable.values()],
        "bracket": [
            {"stage": one.stage, "round": one.round,
             "contests": [{**c._asdict(), "slots": [_slot(slot) for slot in c.slots]} for c in one.contests]}
            for one in schedule.bracket()
        ],
        "failures": failures(progress.rows.values()),
    }  # fmt: skip


def _slot(slot: Slot) -> dict[str, Any]:
    """Give one side of a contest; where its entry comes from, in words and as data."""
    return {**slot._asdict(), "source": str(slot.source), "origin": slot.source._asdict()}


def _standings(progress: Progress, standings: Standings, ratings: Ratings | None) -> list[dict[str, Any]]:
    """Give the lines of the table; before the first whole pairing, by rating, and saying so."""
    rows = list(standings.rows)
    begun = bool(progress.schedule.results)
    if not begun and ratings is not None:
        rows.sort(key=lambda row: -ratings[row.entry].elo if row.entry in ratings else math.inf)
    words = {criterion.name: criterion.words for criterion in standings.criteria}
    coded = {criterion.name: criterion.coded for criterion in standings.criteria if criterion.coded is not None}
    sums = _sums(progress.rows.values(), progress.plan.entries)
    lines: list[dict[str, Any]] = []
    for place, row in enumerate(rows, 1):
        rating = ratings.get(row.entry) if ratings else None
        below = rows[place].entry if place < len(rows) else None
        lines.append(
            {
                "rank": row.rank if begun else place,
                "entry": row.entry,
                "player": progress.plan.entries[row.entry],
                "points": row.tally.points,
                **sums[row.entry],
                "byes": row.tally.byes,
                "rating": None if rating is None else rating._asdict(),
                "stronger_than_next": _stronger(ratings, row.entry, below),
                "criteria": {name: words[name](value) for name, value in row.values.items()},
                "codes": {
                    name: {"code": code(row.values[name]).code, "number": code(row.values[name]).number}
                    for name, code in coded.items()
                    if name in row.values
                },
                "decided_by": row.decided_by if begun else "rating" if place > 1 else "",
                "explanation": standings.explain(row.entry) if begun else "no pairing is complete; ordered by rating",
                "withdrawn": row.withdrawn,
            }
        )
    return lines


def _stronger(ratings: Ratings | None, one: str, other: str | None) -> float | None:
    """Give the chance that one is stronger than another, where games connect the two."""
    if ratings is None or other is None:
        return None
    together = any(one in group and other in group for group in ratings.groups)
    return ratings.superiority(one, other) if together else None


def _sums(rows: Iterable[Mapping[str, Any]], entries: Iterable[str]) -> dict[str, dict[str, Any]]:
    """Add up each entry's games, those of pairings that are still going on as well."""
    zero = {"games": 0, "wins": 0, "draws": 0, "losses": 0, "margin": 0, "failures": 0, "seconds": 0.0}
    sums: dict[str, dict[str, Any]] = {entry: dict(zero) for entry in entries}
    for row in rows:
        for side, (name, used) in enumerate((("first", "used_first"), ("second", "used_second"))):
            own = sums[row[name]]
            own["games"] += 1
            own["wins" if row["winner"] == side else "draws" if row["winner"] is None else "losses"] += 1
            own["margin"] += -row["margin"] if side else row["margin"]
            own["failures"] += loser(row) == row[name]
            own["seconds"] += row[used]
    for own in sums.values():
        own["score"] = (own["wins"] + own["draws"] / 2) / own["games"] if own["games"] else None
    return sums


def loser(row: Mapping[str, Any]) -> str | None:
    """Give the entry that lost a game by a failure of its own; None for a game that ended on the board."""
    if row["reason"] in ("rules", "adjudicated") or row["winner"] is None:
        return None
    return str(row["second"] if row["winner"] == 0 else row["first"])


def _rating_notes(ratings: Ratings) -> dict[str, Any]:
    return {"seat": ratings.seat._asdict(), "draw_rate": ratings.draw_rate, "note": ratings.note}


def _met(counts: Mapping[tuple[str, str], tuple[int, int, int]]) -> list[dict[str, Any]]:
    """Give the games of each two who have met, whoever sat first."""
    met: dict[tuple[str, str], list[int]] = {}
    for (first, second), (wins, draws, losses) in counts.items():
        one, other = sorted((first, second))
        own = met.setdefault((one, other), [0, 0, 0])
        for index, number in enumerate((wins, draws, losses) if one == first else (losses, draws, wins)):
            own[index] += number
    return [
        {"first": first, "second": second, "wins": wins, "draws": draws, "losses": losses}
        for (first, second), (wins, draws, losses) in met.items()
    ]


def failures(rows: Iterable[Mapping[str, Any]]) -> list[dict[str, Any]]:
    """Count failures by entry and kind, the most first, with what was said about them."""
    found: dict[tuple[str, str], dict[str, Any]] = {}
    for row in rows:
        entry = loser(row)
        if entry is None:
            continue
        kind = Said(row["reason"])
        line = found.setdefault((entry, kind), {"entry": entry, "kind": kind, "games": 0, "sentences": []})
        line["games"] += 1
        sentence = Said(row["fault"] or FAULTS.get(kind, kind))
        if sentence not in line["sentences"] and len(line["sentences"]) < SENTENCES_SHOWN:
            line["sentences"].append(sentence)
    return sorted(found.values(), key=lambda line: (-line["games"], line["entry"], line["kind"]))


def draw(progress: Progress, said: Mapping[str, Any], language: str = "en") -> dict[str, str]:
    """Draw every plot that there is something to show in, by name."""
    lines = said["standings"]
    order = [line["entry"] for line in lines]
    called = entry_names(progress.plan.entries, language)
    rated = [
        (called[line["entry"]], *(line["rating"][key] for key in ("elo", "low", "high")))
        for line in lines
        if line["rating"]
    ]
    drawn: dict[str, str] = {}
    if rated:
        drawn["ratings"] = plots.ratings(rated, language=language)
        drawn["matrix"] = plots.matrix(
            [called[entry] for entry in order], shares(order, said["met"]), language=language
        )
        lengths = [row["moves"] for row in progress.rows.values()]
        drawn["lengths"] = plots.histogram(lengths, "Game lengths", "moves", language=language)
        drawn["times"] = _times(progress, {entry: called[entry] for entry in order}, language)
    if said["bracket"]:
        drawn["bracket"] = bracket(progress.schedule.bracket(), called, language=language)
    return drawn


def shares(order: Sequence[str], met: Iterable[Mapping[str, Any]]) -> list[list[float | None]]:
    """Give the part of the game points that each entry won against each other; None where two have not met."""
    place = {entry: index for index, entry in enumerate(order)}
    cells: list[list[float | None]] = [[None] * len(order) for _ in order]
    for pair in met:
        one, other = place[pair["first"]], place[pair["second"]]
        share = (pair["wins"] + pair["draws"] / 2) / (pair["wins"] + pair["draws"] + pair["losses"])
        cells[one][other], cells[other][one] = share, 1 - share
    return cells


def _times(progress: Progress, called: Mapping[str, str], language: str) -> str:
    """Draw the time that was used, against what was allowed: by move or by game, as the clock counts."""
    clock = Clock.parse(progress.plan.clock)
    rows = list(progress.rows.values())
    taken: dict[str, list[float]] = {name: [] for name in called.values()}
    if clock.per_move is None:
        for row in rows:
            taken[called[row["first"]]].append(row["used_first"])
            taken[called[row["second"]]].append(row["used_second"])
        limit = clock.bank if not clock.increment else None
        return plots.times(taken, "Time use", "seconds a game", limit=limit, language=language)
    every = math.ceil(len(rows) / MOST_TIMED)
    for row in rows[::every]:
        record = Record.parse(row["record"])
        for state, move in zip(record.states(), record.moves, strict=False):  # one state more than moves
            if move.seconds is not None:
                taken[called[row[("first", "second")[state.side]]]].append(move.seconds)
    note = plots.said(language, "; one game in {}", every) if every > 1 else ""
    return plots.times(taken, "Time use", "seconds a move", limit=clock.per_move, note=note, language=language)
