"""A bot's report, in the outline that courses ask for: what it is, how it was made, how it does, and where it loses.

Plays it against named opponents and against its own earlier versions, and lets the engine judge every move of its own
games. What only the author can say is left open.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import re
import statistics
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ludus import plots
from ludus.bots import read_bot
from ludus.bots.build import store
from ludus.bots.languages import language_of
from ludus.clock import Clock
from ludus.drawings import draw_board
from ludus.game import GameFamily, NativeGame, family, game
from ludus.players import player
from ludus.rating import rate
from ludus.record import Record
from ludus.reports import Report
from ludus.reports import judged as judging
from ludus.reports.history import History
from ludus.reports.judged import percent
from ludus.reports.tournament import cross_table, elo_text, option_words, standing_rows
from ludus.statistics import count_games
from ludus.store import Ledger
from ludus.tournament import Plan, Progress, run
from ludus.tournament.output import document
from ludus.tournament.pools import local

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping, Sequence

    from ludus.bots import Bot
    from ludus.game import Game
    from ludus.rating import Rating
    from ludus.reports import Say
    from ludus.reports.history import Commit
    from ludus.reports.judged import JudgedGame, Looked

OPPONENTS = ("random", "greedy", "alphabeta:depth=2", "engine:level=3")
CODE_LINES = 44
"""Of the source, that fit a page beside the rest."""
HEART = re.compile(
    r"\bmakeMove\s*\(|^def choose\b|\bbest_?move\b|\bdef (?:main|move|play)\b|\bint main\s*\(", re.MULTILINE
)
HEADERS = {".h": "cpp", ".hpp": "cpp"}
COMMITS_SHOWN = 12
POSITIONS = 3
OPENINGS = 3
LOST_SHOWN = 10
README = re.compile(r"(?:readme|report|description)(?:\.md|\.txt)?", re.IGNORECASE)
LONGEST_README = 6000


@dataclass(frozen=True)
class Wish:
    """What a bot's report is about, and how much is done for it."""

    player: str
    """A bot's folder or file, or any other player."""
    game: str
    options: Mapping[str, int | str] = field(default_factory=dict)
    opponents: tuple[str, ...] = ()
    """Those of the game's course unless given."""
    games: int = 10
    """Against each opponent, in pairs."""
    clock: str | None = None
    """The course's unless given."""
    nodes: int = 20_000
    """That each position of a review is worth."""
    versions: int = 3
    """Earlier versions, from its git history, that are measured as well."""
    ledger: str = "sqlite://"
    """Where games are kept, so that nothing is played twice."""
    seed: int = 1
    trusted: bool = False
    jobs: int | None = None

    @property
    def against(self) -> tuple[str, ...]:
        """The opponents."""
        known = family(self.game)
        usual = known.course_opponents if isinstance(known, GameFamily) else OPPONENTS
        return self.opponents or usual

    @property
    def settled_clock(self) -> str:
        """The clock of its games."""
        known = family(self.game)
        return self.clock or (known.course_clock if isinstance(known, GameFamily) else "10/move")


class _Field:
    """Plays what a report needs, and keeps it."""

    def __init__(self, wish: Wish, say: Say) -> None:
        self.wish = wish
        self.ledger = Ledger(wish.ledger)
        self._say = say

    def play(self, name: str, text: str, version: str, form: str) -> Progress:
        """Let a player meet the opponents, or all meet all; games that were played before are not played again."""
        wish = self.wish
        entries = {name: text, **{other: other for other in wish.against if other != name}}
        settled = [
            version,
            text,
            form,
            wish.game,
            dict(wish.options),
            list(entries),
            wish.settled_clock,
            wish.games,
            wish.seed,
        ]
        digest = hashlib.sha256(json.dumps(settled, default=str).encode()).hexdigest()[:12]
        plan = Plan(
            name=f"report {name} {digest}",
            game=wish.game,
            entries=entries,
            format=form,
            format_options={"order": "given"},
            options=wish.options,
            clock=wish.settled_clock,
            pairs=(wish.games + 1) // 2,
            seed=wish.seed,
            trusted=wish.trusted,
        )
        progress = Progress(plan, self.ledger)
        pool = local(wish.jobs)

        def seen(now: Progress) -> None:
            self._say(f"{name}: {len(now.rows)} games played, {now.left} to come")

        try:
            run(progress, pool, seen)
        finally:
            pool.close()
        return progress


def bot_report(wish: Wish, say: Say = lambda _: None) -> Report:
    """Play, judge and gather."""
    made = game(wish.game, **wish.options)
    seat = player(wish.player, made, trusted=wish.trusted)
    bot: Bot | None = getattr(seat, "bot", None)
    name = bot.name if bot is not None else wish.player
    name = f"{name} (bot)" if name in wish.against else name
    version = bot.content if bot is not None else wish.player
    playing = _Field(wish, say)
    progress = playing.play(name, wish.player, version, "round-robin")
    said = document(progress)
    pictures = {"times": _time_plot(progress, name)}
    own = next(line for line in said["standings"] if line["entry"] == name)
    data: dict[str, Any] = {
        "bot": name,
        "game": said["game_title"],
        "options": option_words(said["options"]),
        "clock": wish.settled_clock,
        "version": version[:12] if bot is not None else "",
        "protocol": bot.protocol if bot is not None else "",
        "own": {**own, "elo": elo_text(own["rating"]), "of": len(said["standings"]), "share": percent(own["score"], 1)},
        "opponents": [_against(progress, name, other) for other in progress.plan.entries if other != name],
        "standings": standing_rows(said, name),
        "cross": cross_table(said),
        "times": _times(progress, name),
        "failures": [line for line in said["failures"] if line["entry"] == name],
        "description": _description(bot),
        "code": _code(bot),
    }
    with contextlib.closing(History(wish.player)) as history:
        data["commits"] = [_commit(commit) for commit in history.commits[:COMMITS_SHOWN]]
        data["more_commits"] = max(0, len(history.commits) - COMMITS_SHOWN)
        data["versions"] = _versions(playing, progress, history, name, version)
    data |= _lessons(progress, made, name, wish.nodes, pictures, say)
    return Report("bot", data, pictures)


def _commit(commit: Commit) -> dict[str, str]:
    return {**commit._asdict(), "hash": commit.hash[:8]}


def _against(progress: Progress, name: str, other: str) -> dict[str, Any]:
    """Give the games against one opponent, pair by pair, as the bot sees them."""
    boards: dict[int, list[float]] = {}
    failed = 0
    for row in progress.rows.values():
        if {row["first"], row["second"]} == {name, other}:
            points = _points(row, name)
            boards.setdefault(row["board"], []).append(points)
            failed += points == 0 and row["reason"] not in ("rules", "adjudicated")
    score = count_games(boards.values())
    return {
        "name": other,
        "games": score.games,
        "wins": score.wins,
        "draws": score.draws,
        "losses": score.losses,
        "score": percent(score.score, 1),
        "low": percent(score.interval.low),
        "high": percent(score.interval.high),
        "passed": score.score > judging.EVEN,
        "sure": percent(score.superiority),
        "failures": failed,
    }


def _points(row: Mapping[str, Any], name: str) -> float:
    if row["winner"] is None:
        return 0.5
    return float((row["first"], row["second"])[row["winner"]] == name)


def _own_seconds(progress: Progress, name: str) -> Iterator[tuple[str, list[float]]]:
    """Give the opponent, and what each of the bot's moves took, of each of its games."""
    for row in progress.rows.values():
        if name in (row["first"], row["second"]):
            side = int(row["second"] == name)
            record = Record.parse(row["record"])
            moves = zip(record.states(), record.moves, strict=False)  # one state more than moves
            taken = [move.seconds for state, move in moves if state.side == side and move.seconds is not None]
            yield row[("second", "first")[side]], taken


def _limit(progress: Progress) -> tuple[float | None, bool]:
    """Give what the clock allows in seconds, and whether that is for a move rather than for a game."""
    clock = Clock.parse(progress.plan.clock)
    return (clock.per_move, True) if clock.bank is None else (clock.bank, False)


def _times(progress: Progress, name: str) -> dict[str, Any]:
    """Sum up the time that the bot used."""
    limit, a_move = _limit(progress)
    games = [taken for _, taken in _own_seconds(progress, name)]
    moves = [seconds for taken in games for seconds in taken] or [0.0]
    slowest = max(moves) if a_move else max((sum(taken) for taken in games), default=0.0)
    return {
        "moves": len(moves),
        "median": _shown(statistics.median(moves)),
        "slowest": _shown(slowest),
        "limit": None if limit is None else plots.seconds(limit),
        "share": None if limit is None else percent(slowest / limit, 1),
        "a_move": a_move,
        "timeouts": sum(
            row["reason"] == "timeout" and _points(row, name) == 0
            for row in progress.rows.values()
            if name in (row["first"], row["second"])
        ),
    }


def _shown(seconds: float) -> str:
    """Write a time; records keep milliseconds."""
    return plots.seconds(seconds) if seconds >= 0.001 else "< 1 ms"


def _time_plot(progress: Progress, name: str) -> str:
    limit, a_move = _limit(progress)
    taken: dict[str, list[float]] = {other: [] for other in progress.plan.entries if other != name}
    for other, seconds in _own_seconds(progress, name):
        taken[other] += seconds if a_move else [sum(seconds)]
    return plots.times(taken, "Time use", "seconds a move" if a_move else "seconds a game", limit=limit)


def _description(bot: Bot | None) -> list[dict[str, str]]:
    """Give what the author has written beside the program, in blocks: headings, items, code and paragraphs."""
    files = bot.files if bot is not None else {}
    name = next((name for name in sorted(files) if README.fullmatch(name)), None)
    if name is None:
        return []
    text = files[name].data.decode("utf-8-sig", "replace")[:LONGEST_README]
    blocks: list[dict[str, str]] = []
    for index, part in enumerate(re.split(r"^```.*\n?", text, flags=re.MULTILINE)):
        if index % 2:
            blocks.append({"kind": "code", "text": part.rstrip("\n")})
        else:
            blocks += [_block(words) for words in re.split(r"\n\s*\n|\n(?=[-*] |#)", part) if words.strip()]
    return blocks


def _block(words: str) -> dict[str, str]:
    matched = re.match(r"(#+|[-*])\s+", words.strip())
    kind = "text" if matched is None else "heading" if matched[1][0] == "#" else "item"
    return {"kind": kind, "text": " ".join(words.strip()[matched.end() if matched else 0 :].split())}


def _code(bot: Bot | None) -> dict[str, Any] | None:
    """Give the part of the source in which the move is chosen, as well as that can be told."""
    if bot is None:
        return None
    sources = {
        name: file.data.decode("utf-8-sig", "replace").expandtabs(4)
        for name, file in bot.files.items()
        if language_of(name) is not None and not name.startswith("ludus_")
    }
    if not sources:
        return None
    name, text = max(sources.items(), key=lambda source: (HEART.search(source[1]) is not None, len(source[1])))
    found = HEART.search(text)
    first = text.count("\n", 0, found.start()) if found is not None else 0
    lines = text.split("\n")[first : first + CODE_LINES]
    return {"name": name, "first": first + 1, "last": first + len(lines), "text": "\n".join(lines).rstrip(),
            "language": HEADERS.get(Path(name).suffix, Path(name).suffix.removeprefix("."))}  # fmt: skip


def _earlier(history: History, version: str, most: int) -> Iterator[tuple[Commit, Path, str]]:
    """Give earlier versions that differ, the newest first: commit, archive and content.

    Archives lie beside the builds, at the same place each time: a ledger knows players by their texts.
    """
    seen = {version}
    folder = store().parent / "versions"
    folder.mkdir(parents=True, exist_ok=True)
    for commit in history.commits:
        if len(seen) > most:
            return
        packed = folder / f"{commit.hash}.tar"
        if not history.pack(commit, packed):
            continue
        try:
            content = read_bot(packed).content
        except ValueError:  # it was no bot yet
            continue
        if content not in seen:
            seen.add(content)
            yield commit, packed, content


def _versions(playing: _Field, progress: Progress, history: History, name: str, version: str) -> list[dict[str, Any]]:
    """Measure earlier versions against the same opponents on the same boards; the oldest first, today's last."""
    counts = dict(progress.counts)
    told: dict[str, Commit | None] = {name: None}
    for commit, packed, content in _earlier(history, version, playing.wish.versions):
        entry = f"{name} {commit.hash[:8]}"
        counts |= playing.play(entry, str(packed), content, "gauntlet").counts
        told[entry] = commit
    if len(told) == 1:
        return []
    ratings = rate(counts)
    opponents = set(progress.plan.entries) - {name}
    return [_version(told[entry], _sums(counts, entry, opponents), ratings[entry]) for entry in reversed(told)]


def _version(commit: Commit | None, games: tuple[int, int, int], rating: Rating) -> dict[str, Any]:
    wins, draws, _ = games
    return {
        "version": commit.hash[:8] if commit else "",
        "date": commit.date if commit else "",
        "subject": commit.subject if commit else "",
        "score": percent((wins + draws / 2) / (sum(games) or 1), 1),
        "elo": elo_text(rating._asdict()),
        "rating": rating._asdict(),
    }


def _sums(
    counts: Mapping[tuple[str, str], tuple[int, int, int]], entry: str, opponents: Collection[str]
) -> tuple[int, int, int]:
    """Add up an entry's games against the opponents, as it sees them."""
    wins = draws = losses = 0
    for (first, second), (won, drawn, lost) in counts.items():
        if entry == first and second in opponents:
            wins, draws, losses = wins + won, draws + drawn, losses + lost
        elif entry == second and first in opponents:
            wins, draws, losses = wins + lost, draws + drawn, losses + won
    return wins, draws, losses


def _lessons(
    progress: Progress, made: Game, name: str, nodes: int, pictures: dict[str, str], say: Say
) -> dict[str, Any]:
    """Let the engine judge the bot's games, and find what its author can learn from them."""
    if not isinstance(made, NativeGame):
        return {"review": None, "lost": [], "openings": [], "positions": []}
    rows = [row for row in progress.rows.values() if name in (row["first"], row["second"])]
    games: list[tuple[JudgedGame, int]] = []
    for index, row in enumerate(rows, 1):
        games.append((judging.judge(Record.parse(row["record"]), nodes, row), int(row["second"] == name)))
        say(f"{index} of {len(rows)} games judged")
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
    family = getattr(played.record.game, "family", None)
    names = family.sides if isinstance(family, GameFamily) else ("First", "Second")
    return {"opponent": played.row[("second", "first")[side]], "board": played.row["board"] + 1, "seat": names[side]}


def _first_losing(played: JudgedGame, side: int) -> dict[str, Any]:
    found = judging.first_losing(played.own(side))
    reason = played.row["reason"]
    failure = "" if reason in ("rules", "adjudicated") else reason
    told = judging.described(found) if found is not None else None
    return {**_met(played, side), "failure": failure, "moves": len(played.looked), "first": told}


def _openings(games: Sequence[tuple[JudgedGame, int]], pictures: dict[str, str]) -> list[dict[str, Any]]:
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
