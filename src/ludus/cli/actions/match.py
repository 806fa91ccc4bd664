"""`ludus match`, run: find out which of two players is stronger, and how certain that is."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ludus.cli.actions.games import finish, headed_table, kinds_of_failure, play_games
from ludus.cli.arguments import make_game
from ludus.cli.output import echo, echo_json, rendered
from ludus.errors import UserError
from ludus.messages import Message
from ludus.play.openings import read_openings
from ludus.players import only_seat
from ludus.rating.statistics import Sprt, count_games
from ludus.store import IN_MEMORY, Ledger
from ludus.tournament import Plan, Progress

if TYPE_CHECKING:
    from rich.table import Table

    from ludus.play.clock import Clock
    from ludus.play.result import GameResult
    from ludus.rating.statistics import Score, SprtResult

MOST_SPRT_GAMES = 20_000
PAIR_POINTS = ("0", "½", "1", "1½", "2")
COLUMNS = tuple(Message(f"reports.{name}") for name in ("games", "won", "drawn", "lost", "score", "elo", "stronger"))


def read_sprt(text: str) -> Sprt:
    """Read LOW,HIGH."""
    low, _, high = text.partition(",")
    try:
        sprt = Sprt(float(low), float(high))
        sprt.test((0, 0, 0, 0, 0))
    except ValueError:
        raise UserError("tournament.sprt", text=repr(text)) from None
    return sprt


def match(
    *,
    game: str,
    options: tuple[str, ...],
    a: str,
    b: str,
    games: int | None,
    clock: Clock,
    sprt: str | None,
    seed: int,
    openings: str | None,
    jobs: int | None,
    force: bool,
    adjudicate: bool,
    ledger: str | None,
    out: str | None,
    cluster: str | None,
    pondering: bool,
    trust: bool,
    as_json: bool,
) -> int:
    """Play A against B, and print the result."""
    test = read_sprt(sprt) if sprt else None
    made = make_game(game, options)
    wanted = games or (MOST_SPRT_GAMES if test else 100)
    found = {text: only_seat(text, made, trusted=trust) for text in (a, b)}
    only = {text: seat for text, seat in found.items() if seat is not None}
    for text, seat in only.items():
        code = "tournament.moves_second_only" if seat else "tournament.moves_first_only"
        echo(Message(code, player=text), err=True)
    names = (a, b) if a != b else (f"{a} (A)", f"{b} (B)")
    plan = Plan(
        name=f"match {names[0]} {names[1]}",
        game=game,
        entries=dict(zip(names, (a, b), strict=True)),
        format_options={"order": "given"},
        options=made.given,
        clock=clock.text,
        pairs=(wanted + 1) // 2,
        seed=seed,
        openings=read_openings(openings, made) if openings else (),
        adjudicate=adjudicate,
        trusted=trust,
        pondering=pondering,
        only_seats=only,
    )
    plan.check()
    played = play_games(
        Progress(plan, Ledger(ledger or IN_MEMORY)),
        lambda now, pace: summary_table(summarize(now, names, test), pace),
        lambda now, pace: status_line(summarize(now, names, test), pace),
        cluster=cluster,
        jobs=jobs,
        force=force,
        out=out,
        until=lambda now: test is not None and test.test(estimate(now, names).pairs).decision is not None,
    )
    summary = summarize(played.progress, names, test)
    show(summary, plan, as_json=as_json, finished=played.finished)
    if not ledger:
        return finish(played, "tournament.unplayed", ("tournament.match_stopped", "tournament.no_space_lost"))
    codes = ("tournament.match_stopped_stored", "tournament.no_space_again")
    return finish(played, "tournament.unplayed", codes, ledger=ledger)


@dataclass(frozen=True)
class MatchSummary:
    """A match as A sees it."""

    game: str
    players: tuple[str, str]
    points: tuple[float, ...]
    """A's, game by game."""
    estimate: Score
    failures: dict[str, dict[str, int]]
    """Games that A or B lost by a failure, by kind."""
    replayed: int
    margin: float | None
    """Points per game by which A was ahead, in games with points."""
    has_margin: bool
    sprt: Sprt | None

    @property
    def verdict(self) -> SprtResult | None:
        """What the sequential test says, where there is one."""
        return None if self.sprt is None else self.sprt.test(self.estimate.pairs)

    @property
    def games(self) -> int:
        """The games that were played."""
        return len(self.points)

    @property
    def counts(self) -> tuple[int, int, int]:
        """The games that A won, drew and lost."""
        return self.points.count(1.0), self.points.count(0.5), self.points.count(0.0)

    @property
    def score(self) -> float | None:
        """The part of the points that A won."""
        return sum(self.points) / self.games if self.games else None

    def json(self) -> dict[str, object]:
        """Return it as JSON."""
        elo, pairs = self.estimate.elo, self.estimate.pairs
        document: dict[str, object] = {"game": self.game, "players": list(self.players), "games": self.games}
        document |= zip(("wins", "draws", "losses"), self.counts, strict=True)
        document |= {"score": self.score, "elo": _finite(elo.value)}
        document |= {"elo_low": _finite(elo.low), "elo_high": _finite(elo.high)}
        document |= {"superiority": self.estimate.superiority, "pentanomial": list(pairs)}
        document |= {"forfeits": self.failures, "replayed": self.replayed}
        if self.has_margin:
            document |= {"margin": self.margin, "pairs": {"won": pairs[4], "drawn": pairs[2], "lost": pairs[0]}}
        if (verdict := self.verdict) is not None:
            document["sprt"] = verdict._asdict()
        return document


def summarize(progress: Progress, names: tuple[str, str], sprt: Sprt | None) -> MatchSummary:
    """Return the match as A sees it."""
    results = progress.played
    failures: dict[str, dict[str, int]] = {}
    for result in results:
        if result.failed is not None:
            kinds = failures.setdefault("A" if result.failed == names[0] else "B", {})
            kinds[result.reason] = kinds.get(result.reason, 0) + 1
    margins = [result.margin_of(names[0]) for result in results]
    return MatchSummary(
        game=progress.plan.game,
        players=names,
        points=tuple(result.points(names[0]) for result in results),
        estimate=estimate(progress, names),
        failures=failures,
        replayed=progress.replays,
        margin=sum(margins) / len(margins) if margins else None,
        has_margin=_has_points(progress),
        sprt=sprt,
    )


def _has_points(progress: Progress) -> bool:
    return progress.plan.make_game().initial(0).scores is not None


def _finite(number: float) -> float | None:
    return number if math.isfinite(number) else None


def estimate(progress: Progress, names: tuple[str, str]) -> Score:
    """Count A's games; in a game with points a pair counts by its summed margin, since the seat decides most games."""
    boards: dict[int, list[GameResult]] = {}
    for result in progress.played:
        boards.setdefault(result.board, []).append(result)
    pairs = [boards[board] for board in sorted(boards)]
    if not _has_points(progress) or progress.plan.only_seats:
        return count_games([result.points(names[0]) for result in pair] for pair in pairs)
    verdicts = [_pair_points(pair, names[0]) for pair in pairs if len(pair) == 2]
    return count_games([verdict] * 2 for verdict in verdicts)


def _pair_points(pair: list[GameResult], name: str) -> float:
    """Return the points of a pair of games by its summed margin; a failure counts before that."""
    forfeits = sum(0 if not result.forfeited else -1 if result.failed == name else 1 for result in pair)
    lead = forfeits or sum(result.margin_of(name) for result in pair)
    return 0.5 + 0.5 * math.copysign(1, lead) if lead else 0.5


def status_line(summary: MatchSummary, pace: Message) -> Message:
    """Return the state of a match in one line."""
    points = Message("count.points", n=sum(summary.points))
    return Message("cli.match.status", n=summary.games, points=points, name=summary.players[0], pace=pace)


def summary_table(summary: MatchSummary, pace: Message) -> Table:
    """Return the table that is shown while games are played."""
    first, second = summary.players
    table = headed_table(rendered(Message("formats.against", first=first, second=second)), 0, *COLUMNS)
    score = "" if summary.score is None else f"{summary.score:.1%}"
    figures = (score, elo_text(summary), f"{summary.estimate.superiority:.1%}")
    table.add_row(str(summary.games), *map(str, summary.counts), *figures)
    verdict = summary.verdict
    table.caption = rendered(Message("cli.match.llr", pace=pace, **_llr(verdict)) if verdict else pace)
    return table


def elo_text(summary: MatchSummary) -> str:
    """Write an Elo difference with its interval."""

    def text(number: float, sign: str) -> str:
        return f"{number:+.0f}" if math.isfinite(number) else f"{sign}∞"

    elo = summary.estimate.elo
    sign = "+" if (summary.score or 0) > 0.5 else "-"
    return f"{text(elo.value, sign)} [{text(elo.low, '-')}, {text(elo.high, '+')}]"


def show(summary: MatchSummary, plan: Plan, *, as_json: bool, finished: bool) -> None:
    """Print the result."""
    if as_json:
        echo_json(summary.json() | {"finished": finished})
        return
    if summary.score is None:
        return
    (first, second), (wins, draws, losses), pairs = summary.players, summary.counts, summary.estimate.pairs
    echo(Message("cli.match.head", first=first, second=second, game=summary.game, clock=plan.clock))
    counts = {"wins": wins, "draws": draws, "losses": losses}
    echo(Message("cli.match.score", n=summary.games, score=f"{summary.score:.1%}", **counts))
    if summary.has_margin:
        counts = {"wins": pairs[4], "draws": pairs[2], "losses": pairs[0]}
        echo(Message("cli.match.margin", margin=f"{summary.margin:+.1f}", **counts))
    echo(Message("cli.match.elo", elo=elo_text(summary), share=f"{summary.estimate.superiority:.1%}"))
    counted = [f"{points}: {count}" for points, count in zip(PAIR_POINTS, pairs, strict=True)]
    echo(Message("cli.match.pairs", counts=counted))
    for who, kinds in summary.failures.items():
        echo(Message("cli.match.failures", name=summary.players["AB".index(who)], kinds=kinds_of_failure(kinds)))
    if summary.replayed:
        echo(Message("reports.replayed", n=summary.replayed))
    if summary.sprt is not None and (verdict := summary.verdict) is not None:
        echo(Message("cli.match.sprt", decision=_decision(summary.sprt, verdict), **_llr(verdict)))


def _llr(verdict: SprtResult) -> dict[str, str]:
    return {"llr": f"{verdict.llr:+.2f}", "lower": f"{verdict.lower:+.2f}", "upper": f"{verdict.upper:+.2f}"}


def _decision(sprt: Sprt, verdict: SprtResult) -> Message:
    if verdict.decision is None:
        return Message("cli.match.open")
    likely, other = (sprt.high, sprt.low) if verdict.decision == "accept H1" else (sprt.low, sprt.high)
    return Message("cli.match.decided", likely=likely, other=other)
