"""A bot's report, in the outline that courses ask for: what it is, how it was made, how it does, and where it loses.

Plays it against named opponents and against its own earlier versions, takes in what it has played elsewhere, and lets
the engine judge every move of its own games. What only the author can say is left open.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ludus.bots import read_bot
from ludus.bots.build import store
from ludus.bots.languages import language_of
from ludus.game import game
from ludus.players import find_bot
from ludus.rating.bradley_terry import rate
from ludus.reports import Report
from ludus.reports.history import History
from ludus.reports.judged import percent
from ludus.reports.lessons import lessons
from ludus.reports.played import against, time_plot, times
from ludus.reports.tournament import Played, cross_table, elo_text, option_words, standing_rows
from ludus.store import Ledger
from ludus.tournament import Plan, Progress, run
from ludus.tournament.changes import take_back_unplayed
from ludus.tournament.output import document, failures
from ludus.tournament.pools import local

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator, Mapping

    from ludus.bots import Bot
    from ludus.rating.bradley_terry import Rating
    from ludus.reports import Picture, Say
    from ludus.reports.history import Commit

OPPONENTS = ("random", "greedy", "alphabeta:depth=2", "engine:level=3")
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
class Wish:
    """What a bot's report is about, and how much is done for it."""

    player: str
    """A bot's folder or file, or any other player; where `bot` is given, what stands for it."""
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
    bot: Bot | None = None
    """One that no path leads to; whoever gives it has seen that it plays."""
    elsewhere: tuple[Mapping[str, Any], ...] = ()
    """Games that it has played before, as a ledger keeps them, under the same clock and on boards numbered after these:
    they count for no rank, and all else is said of them too."""

    @property
    def against(self) -> tuple[str, ...]:
        """The opponents."""
        return self.opponents or game(self.game).course.opponents

    @property
    def settled_clock(self) -> str:
        """The clock of its games."""
        return self.clock or game(self.game).course.clock


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
        kind = Played if wish.bot is not None else Plan
        plan = kind(
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
        if take_back_unplayed(progress):
            progress = Progress(plan, self.ledger)
        pool = local(wish.jobs, bots={wish.player: wish.bot} if wish.bot is not None else None)

        def seen(now: Progress) -> None:
            self._say("games-played", len(now.rows), len(now.rows) + now.left)

        try:
            run(progress, pool, seen)
        finally:
            pool.close()
        return progress


def bot_report(wish: Wish, say: Say = lambda *_: None) -> Report:
    """Play, judge and gather."""
    made = game(wish.game, **wish.options)
    bot = wish.bot or find_bot(wish.player)
    name = bot.name if bot is not None else wish.player
    name = f"{name} (bot)" if name in wish.against else name
    version = bot.content if bot is not None else wish.player
    playing = _Field(wish, say)
    progress = playing.play(name, wish.player, version, "round-robin")
    said = document(progress)
    here = [row for row in progress.rows.values() if name in (row["first"], row["second"])]
    rows = [*here, *wish.elsewhere]
    opponents = [other for other in progress.plan.entries if other != name]
    met = list(dict.fromkeys(row["second" if row["first"] == name else "first"] for row in wish.elsewhere))
    everybody = dict.fromkeys([*opponents, *met])
    pictures: dict[str, Picture] = {"times": time_plot(rows, name, wish.settled_clock, everybody)}
    own = next(line for line in said["standings"] if line["entry"] == name)
    data: dict[str, Any] = {
        "bot": name,
        "game": said["game_title"],
        "options": option_words(said["options"]),
        "clock": wish.settled_clock,
        "version": version[:12] if bot is not None else "",
        "protocol": bot.protocol if bot is not None else "",
        "own": {**own, "elo": elo_text(own["rating"]), "of": len(said["standings"]), "share": percent(own["score"], 1)},
        "opponents": [against(here, name, other) for other in opponents],
        "elsewhere": [against(wish.elsewhere, name, other) for other in met],
        "standings": standing_rows(said, name),
        "cross": cross_table(said),
        "times": times(rows, name, wish.settled_clock),
        "failures": [line for line in failures(rows) if line["entry"] == name],
        "traced": wish.bot is None,
        "description": _description(bot),
        "code": _code(bot),
    }
    with contextlib.closing(History(wish.player)) as history:
        data["commits"] = [_commit(commit) for commit in history.commits[:COMMITS_SHOWN]]
        data["more_commits"] = max(0, len(history.commits) - COMMITS_SHOWN)
        data["versions"] = _versions(playing, progress, history, name, version)
    data |= lessons(rows, made, name, wish.nodes, pictures, say)
    return Report("bot", data, pictures)


def _commit(commit: Commit) -> dict[str, str]:
    return {**commit._asdict(), "hash": commit.hash[:8]}


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
