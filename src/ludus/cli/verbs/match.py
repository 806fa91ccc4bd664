"""`ludus match`: which of two players is stronger, and how sure that is."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from ludus.cli.arguments import check_clock, check_player, game_argument, json_option, make_game
from ludus.cli.output import echo
from ludus.cli.verbs import Verb
from ludus.errors import UserError
from ludus.messages import Message

if TYPE_CHECKING:
    from rich.table import Table

    from ludus.play.clock import Clock
    from ludus.play.result import GameResult
    from ludus.rating.statistics import Score, Sprt, SprtResult
    from ludus.tournament import Plan, Progress

MOST_SPRT_GAMES = 20_000
PAIR_POINTS = ("0", "½", "1", "1½", "2")

SECTION = "Compete"
SUMMARY = "play paired games of two players, with statistics"
EXAMPLES = """
ludus match chain-reaction engine:level=5 heithoff --games 20
ludus match magnetic-cave ./mybot ./mybot-old --clock 0.1/move --sprt 0,10
ludus match cantris ./mybot greedy --games 40 --clock 30/move --out results
ludus match magnetic-cave a/ b/ --games 1000 --ledger match.db      goes on where it stopped
"""


def check_sprt(_ctx: click.Context, _param: click.Parameter, text: str | None) -> Sprt | None:
    """Read LOW,HIGH."""
    from ludus.rating.statistics import Sprt  # noqa: PLC0415 - the help page does without

    if text is None:
        return None
    low, _, high = text.partition(",")
    try:
        sprt = Sprt(float(low), float(high))
        sprt.test((0, 0, 0, 0, 0))
    except ValueError:
        raise UserError("tournament.sprt", text=repr(text)) from None
    return sprt


@click.command(cls=Verb, examples=EXAMPLES)
@game_argument
@click.argument("a", metavar="A", callback=check_player)
@click.argument("b", metavar="B", callback=check_player)
@click.option("--games", type=click.IntRange(2), help="Games to play, in pairs; 100 unless given.")
@click.option(
    "--clock", callback=check_clock, default="none", show_default=True, help="3/move, 300, 60+1, cpu:300 or none."
)
@click.option(
    "--sprt", metavar="LOW,HIGH", callback=check_sprt, help="Stop when it is clear which of two Elo differences holds."
)
@click.option("--seed", type=int, default=0, show_default=True, help="The first of the openings or boards.")
@click.option("--openings", metavar="FILE", help="Start from these positions, one a line, not from random ones.")
@click.option("--jobs", type=click.IntRange(1), help="Games at a time; one a core unless given.")
@click.option("--force", is_flag=True, help="Allow more games at a time than cores.")
@click.option("--adjudicate", is_flag=True, help="End a game when both players have proven the same outcome.")
@click.option("--ledger", metavar="FILE|URL", help="Keep the games there, and go on from them.")
@click.option(
    "--out", metavar="DIR", type=click.Path(file_okay=False), help="Write tables, records, plots and a page there."
)
@click.option("--cluster", metavar="ADDRESS", help="Play on a Dask cluster: tcp://HOST:PORT, or local:N.")
@click.option("--pondering", is_flag=True, help="Let bots think in the opponent's turn; they are paused otherwise.")
@click.option("--trust", is_flag=True, help="Run bots without the sandbox: for your own only.")
@json_option
def match(
    *,
    game: str,
    options: tuple[str, ...],
    a: str,
    b: str,
    games: int | None,
    clock: Clock,
    sprt: Sprt | None,
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
    """Play A against B in pairs: the same opening or board twice, with the seats swapped.

    The result is A's score with its Elo difference and a 95% interval. Ctrl-C ends it and shows what there is.
    """
    from ludus.cli.live import Watch  # noqa: PLC0415 - the help page does without
    from ludus.play.openings import read_openings  # noqa: PLC0415
    from ludus.store import Ledger  # noqa: PLC0415
    from ludus.tournament import Plan, Progress, run  # noqa: PLC0415
    from ludus.tournament.changes import take_back_unplayed  # noqa: PLC0415
    from ludus.tournament.pools import open_pool  # noqa: PLC0415

    made = make_game(game, options)
    wanted = games or (MOST_SPRT_GAMES if sprt else 100)
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
    )
    plan.check()
    stored = Ledger(ledger or "sqlite://")
    progress = Progress(plan, stored)
    if take_back_unplayed(progress):
        progress = Progress(plan, stored)
    before = len(progress.results)
    pool = open_pool(cluster, jobs, force=force)
    interrupted = False
    with Watch() as watch:

        def show_progress(now: Progress, *, last: bool = False) -> None:
            pace = watch.pace(len(now.results) - before, 2 * plan.pairs - len(now.results))
            watch.show(
                lambda: summary_table(summarize(now, names, sprt), pace),
                lambda: status_line(summarize(now, names, sprt), pace),
                last=last,
            )

        def decided(now: Progress) -> bool:
            return sprt is not None and sprt.test(estimate(now, names).pairs).decision is not None

        try:
            run(progress, pool, show_progress, decided)
        except KeyboardInterrupt:
            interrupted = True
        finally:
            pool.close()
        show_progress(progress, last=True)
    if out is not None and progress.results:
        from ludus.tournament.output import write_all  # noqa: PLC0415

        write_all(progress, out)
    show(summarize(progress, names, sprt), progress.plan, as_json=as_json, interrupted=interrupted)
    if interrupted:
        stopped = Message("tournament.match_stopped", games=len(progress.results))
        if ledger:
            stopped = Message("tournament.match_stopped_stored", games=len(progress.results), ledger=ledger)
        echo(stopped, err=True)
        raise KeyboardInterrupt
    if unplayed := progress.unplayed:
        problem = unplayed[0].fault_message or unplayed[0].fault
        echo(Message("tournament.unplayed", games=len(unplayed), problem=problem), err=True)
    return 1 if unplayed else 0


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
        wins, draws, losses = self.counts
        elo, pairs = self.estimate.elo, self.estimate.pairs
        document: dict[str, object] = {
            "game": self.game,
            "players": list(self.players),
            "games": self.games,
            "wins": wins,
            "draws": draws,
            "losses": losses,
            "score": self.score,
            "elo": _finite(elo.value),
            "elo_low": _finite(elo.low),
            "elo_high": _finite(elo.high),
            "superiority": self.estimate.superiority,
            "pentanomial": list(pairs),
            "forfeits": self.failures,
            "replayed": self.replayed,
        }
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
    from ludus.rating.statistics import count_games  # noqa: PLC0415

    boards: dict[int, list[GameResult]] = {}
    for result in progress.played:
        boards.setdefault(result.board, []).append(result)
    pairs = [boards[board] for board in sorted(boards)]
    if not _has_points(progress):
        return count_games([result.points(names[0]) for result in pair] for pair in pairs)
    verdicts = [_pair_points(pair, names[0]) for pair in pairs if len(pair) == 2]
    return count_games([verdict] * 2 for verdict in verdicts)


def _pair_points(pair: list[GameResult], name: str) -> float:
    """Return the points of a pair of games by its summed margin; a failure counts before that."""
    forfeits = sum(0 if not result.forfeited else -1 if result.failed == name else 1 for result in pair)
    lead = forfeits or sum(result.margin_of(name) for result in pair)
    return 0.5 + 0.5 * math.copysign(1, lead) if lead else 0.5


def status_line(summary: MatchSummary, pace: str) -> str:
    """Return the state of a match in one line."""
    return f"{summary.games} games: {sum(summary.points):g} points for {summary.players[0]}; {pace}"


def summary_table(summary: MatchSummary, pace: str) -> Table:
    """Return the table that is shown while games are played."""
    from rich.table import Table  # noqa: PLC0415

    table = Table(title=f"{summary.players[0]} against {summary.players[1]}", caption=pace, title_justify="left")
    for heading in ("games", "won", "drawn", "lost", "score", "Elo", "superior"):
        table.add_column(heading, justify="right")
    score = "" if summary.score is None else f"{summary.score:.1%}"
    figures = (score, elo_text(summary), f"{summary.estimate.superiority:.1%}")
    table.add_row(str(summary.games), *map(str, summary.counts), *figures)
    if (verdict := summary.verdict) is not None:
        table.caption = f"{pace}\nLLR {verdict.llr:+.2f} of {verdict.lower:+.2f} to {verdict.upper:+.2f}"
    return table


def elo_text(summary: MatchSummary) -> str:
    """Write an Elo difference with its interval."""

    def text(number: float, sign: str) -> str:
        return f"{number:+.0f}" if math.isfinite(number) else f"{sign}∞"

    elo = summary.estimate.elo
    sign = "+" if (summary.score or 0) > 0.5 else "-"
    return f"{text(elo.value, sign)} [{text(elo.low, '-')}, {text(elo.high, '+')}]"


def show(summary: MatchSummary, plan: Plan, *, as_json: bool, interrupted: bool) -> None:
    """Print the result."""
    if as_json:
        echo(json.dumps(summary.json() | {"finished": not interrupted}))
        return
    if summary.score is None:
        return
    names, (wins, draws, losses), pairs = summary.players, summary.counts, summary.estimate.pairs
    echo(f"{names[0]} against {names[1]}, {summary.game}, clock {plan.clock}")
    echo(f"{summary.games} games: {wins} won, {draws} drawn, {losses} lost: {summary.score:.1%} of the points")
    if summary.has_margin:
        by_margin = f"pairs by summed margin: {pairs[4]} won, {pairs[2]} drawn, {pairs[0]} lost"
        echo(f"{by_margin}; margin {summary.margin:+.1f} a game")
    echo(f"Elo {elo_text(summary)} (95%), superior with {summary.estimate.superiority:.1%}")
    counted = ", ".join(f"{points}: {count}" for points, count in zip(PAIR_POINTS, pairs, strict=True))
    echo(f"pairs by points: {counted}")
    for who, kinds in summary.failures.items():
        name = names["AB".index(who)]
        echo(f"{name} lost by failure: " + ", ".join(f"{kind} {count}" for kind, count in sorted(kinds.items())))
    if summary.replayed:
        echo(f"{summary.replayed} games were played again: a time loss fell together with a stall of the referee")
    if summary.sprt is not None and (verdict := summary.verdict) is not None:
        decision = _decision(summary.sprt, verdict)
        echo(f"SPRT: {decision} (LLR {verdict.llr:+.2f}, bounds {verdict.lower:+.2f} and {verdict.upper:+.2f})")


def _decision(sprt: Sprt, verdict: SprtResult) -> str:
    if verdict.decision is None:
        return "not decided"
    likely, other = (sprt.high, sprt.low) if verdict.decision == "accept H1" else (sprt.low, sprt.high)
    return f"the difference is {likely:g} rather than {other:g} Elo"


COMMAND = match
