"""A bot's report, in the outline that courses ask for: what it is, how it was made, how it does, and where it loses.

Plays it against named opponents and against its own earlier versions, adds what it has played elsewhere, and lets the
engine review every move of its games. What only the author can say is left open.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ludus.bots import Bot, read_bot
from ludus.bots.build import store
from ludus.bots.languages import language_of
from ludus.game import game
from ludus.players import find_bot
from ludus.protocols import sides_note
from ludus.rating.bradley_terry import Rating, rate
from ludus.reports import Report
from ludus.reports.history import Commit, History
from ludus.reports.lessons import lessons
from ludus.reports.review import percent
from ludus.reports.scores import opponents_of, score_against, time_plot, time_use
from ludus.reports.tournament import cross_table, failure_rows, standing_rows
from ludus.store import Ledger
from ludus.tournament import Plan, Progress, run
from ludus.tournament.changes import take_back_unplayed
from ludus.tournament.pools import local
from ludus.tournament.view import clock_words, failures, interval_text, tournament_view

if TYPE_CHECKING:
    from ludus.play.result import GameResult
    from ludus.reports import Picture, ProgressCallback

CODE_LINES = 44
"""Of the source, that fit a page beside the rest."""
HEART = re.compile(
    r"\bmakeMove\s*\(|^def choose\b|\bbest_?move\b|\bdef (?:main|move|play)\b|\bint main\s*\(", re.MULTILINE
)
HEADERS = {".h": "cpp", ".hpp": "cpp"}
COMMITS_SHOWN = 12
README = re.compile(r"(?:readme|report|description)(?:\.md|\.txt)?", re.IGNORECASE)
LONGEST_README = 6000


@dataclass(frozen=True)
class BotReportOptions:
    """What a bot's report is about, and how much is done for it."""

    player: str
    """A bot's folder or file, or any other player; where `bot` is given, the text that stands for it."""
    game: str
    options: Mapping[str, int | str] = field(default_factory=dict)
    opponents: tuple[str, ...] = ()
    """Those of the game's course unless given."""
    games: int = 10
    """Against each opponent, in pairs."""
    clock: str | None = None
    """The course's unless given."""
    nodes: int = 20_000
    """Per position of a review."""
    versions: int = 3
    """How many earlier versions, from its git history, are measured as well."""
    ledger: str = "sqlite://"
    """Where games are kept, so that nothing is played twice."""
    seed: int = 1
    trusted: bool = False
    jobs: int | None = None
    bot: Bot | None = None
    """A bot that no path leads to; the caller has checked that it plays."""
    elsewhere: tuple[GameResult, ...] = ()
    """Games that it has played before, under the same clock and on boards numbered after these: they count for no
    rank, but are part of everything else."""

    @property
    def against(self) -> tuple[str, ...]:
        """The opponents."""
        return self.opponents or game(self.game).course.opponents

    @property
    def used_clock(self) -> str:
        """The clock of its games."""
        return self.clock or game(self.game).course.clock


class _Games:
    """Plays the games that a report needs, and keeps them in a ledger."""

    def __init__(self, options: BotReportOptions, progress: ProgressCallback) -> None:
        self.options = options
        self.ledger = Ledger(options.ledger)
        self._progress = progress

    def play(self, name: str, text: str, version: str, form: str) -> Progress:
        """Play a player against the opponents, or all against all; games in the ledger are not played again."""
        options = self.options
        entries = {name: text, **{other: other for other in options.against if other != name}}
        terms: list[object] = [version, text, form, options.game, dict(options.options), list(entries)]
        terms += [options.used_clock, options.games, options.seed]
        digest = hashlib.sha256(json.dumps(terms, default=str).encode()).hexdigest()[:12]
        plan = Plan(
            name=f"report {name} {digest}",
            game=options.game,
            entries=entries,
            format=form,
            format_options={"order": "given"},
            options=options.options,
            clock=options.used_clock,
            pairs=(options.games + 1) // 2,
            seed=options.seed,
            trusted=options.trusted,
        )
        if options.bot is None:
            plan.check()
        progress = Progress(plan, self.ledger)
        if take_back_unplayed(progress):
            progress = Progress(plan, self.ledger)
        pool = local(options.jobs, bots={options.player: options.bot} if options.bot is not None else None)

        def playing(now: Progress) -> None:
            self._progress("games-played", len(now.results), len(now.results) + now.left)

        try:
            run(progress, pool, playing)
        finally:
            pool.close()
        return progress


def bot_report(options: BotReportOptions, progress: ProgressCallback = lambda *_: None) -> Report:
    """Play and review a bot's games, and return its report."""
    board = game(options.game, **options.options)
    bot = options.bot or find_bot(options.player)
    name = bot.name if bot is not None else options.player
    name = f"{name} (bot)" if name in options.against else name
    version = bot.content if bot is not None else options.player
    games = _Games(options, progress)
    tournament = games.play(name, options.player, version, "round-robin")
    view = tournament_view(tournament)
    here = [result for result in tournament.results.values() if name in result.entries]
    results = [*here, *options.elsewhere]
    opponents = [other for other in tournament.plan.entries if other != name]
    met = opponents_of(options.elsewhere, name)
    everybody = dict.fromkeys([*opponents, *met])
    pictures: dict[str, Picture] = {"times": time_plot(results, name, options.used_clock, everybody)}
    own = next(line for line in view.standings if line.entry == name)
    shown = {"elo": own.rating.text if own.rating else "", "of": len(view.standings), "share": percent(own.score, 1)}
    data: dict[str, Any] = {
        "bot": name,
        "game": view.game_title_message,
        "clock": clock_words(options.used_clock),
        "version": version[:12] if bot is not None else "",
        "sides": sides_note(board, bot.protocol) if bot is not None else None,
        "own": {**own.model_dump(), **shown},
        "opponents": [score_against(here, name, other) for other in opponents],
        "elsewhere": [score_against(options.elsewhere, name, other) for other in met],
        "standings": standing_rows(view, name),
        "cross": cross_table(view),
        "times": time_use(results, name, options.used_clock),
        "failures": failure_rows([line for line in failures(results) if line.entry == name], {}),
        "traced": options.bot is None,
        "description": readme_blocks(bot),
        "code": _code(bot),
    }
    with contextlib.closing(History(options.player)) as history:
        data["commits"] = [_commit(commit) for commit in history.commits[:COMMITS_SHOWN]]
        data["more_commits"] = max(0, len(history.commits) - COMMITS_SHOWN)
        data["versions"] = _versions(games, tournament, history, name, version)
    data |= lessons(results, board, name, options.nodes, pictures, progress, speaks=bot.protocol if bot else "")
    return Report("bot", data, pictures)


def _commit(commit: Commit) -> dict[str, str]:
    return {**commit._asdict(), "hash": commit.hash[:8]}


def readme_blocks(bot: Bot | None) -> list[dict[str, str]]:
    """Return what the author has written beside the program, in blocks: headings, items, code and paragraphs."""
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
            blocks += [readme_block(words) for words in re.split(r"\n\s*\n|\n(?=[-*] |#)", part) if words.strip()]
    return blocks


def readme_block(words: str) -> dict[str, str]:
    """Return a heading, an item or a paragraph."""
    matched = re.match(r"(#+|[-*])\s+", words.strip())
    kind = "text" if matched is None else "heading" if matched[1][0] == "#" else "item"
    return {"kind": kind, "text": " ".join(words.strip()[matched.end() if matched else 0 :].split())}


def _code(bot: Bot | None) -> dict[str, Any] | None:
    """Return the part of the source in which the move is probably chosen."""
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
    """Yield earlier versions that differ, the newest first: commit, archive and content.

    Archives are beside the builds, at the same place each time: a ledger knows players by their texts.
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


def _versions(games: _Games, progress: Progress, history: History, name: str, version: str) -> list[dict[str, Any]]:
    """Measure earlier versions against the same opponents on the same boards; return the oldest first, today's last."""
    counts = dict(progress.counts)
    commits: dict[str, Commit | None] = {name: None}
    for commit, packed, content in _earlier(history, version, games.options.versions):
        entry = f"{name} {commit.hash[:8]}"
        counts |= games.play(entry, str(packed), content, "gauntlet").counts
        commits[entry] = commit
    if len(commits) == 1:
        return []
    ratings = rate(counts)
    opponents = set(progress.plan.entries) - {name}
    return [_version(commits[entry], _sums(counts, entry, opponents), ratings[entry]) for entry in reversed(commits)]


def _version(commit: Commit | None, games: tuple[int, int, int], rating: Rating) -> dict[str, Any]:
    wins, draws, _ = games
    return {
        "version": commit.hash[:8] if commit else "",
        "date": commit.date if commit else "",
        "subject": commit.subject if commit else "",
        "score": percent((wins + draws / 2) / (sum(games) or 1), 1),
        "elo": interval_text(rating.elo, rating.low, rating.high),
        "rating": rating._asdict(),
    }


def _sums(
    counts: Mapping[tuple[str, str], tuple[int, int, int]], entry: str, opponents: Collection[str]
) -> tuple[int, int, int]:
    """Return an entry's wins, draws and losses against the opponents."""
    wins = draws = losses = 0
    for (first, second), (won, drawn, lost) in counts.items():
        if entry == first and second in opponents:
            wins, draws, losses = wins + won, draws + drawn, losses + lost
        elif entry == second and first in opponents:
            wins, draws, losses = wins + lost, draws + drawn, losses + won
    return wins, draws, losses
