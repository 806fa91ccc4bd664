"""`ludus match`: which of two players is stronger, and how sure that is."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

import click

from ludus.cli.arguments import check_clock, check_player, game_argument, json_option, make_game
from ludus.cli.output import echo
from ludus.cli.verbs import Verb

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.table import Table

    from ludus.play.clock import Clock
    from ludus.rating.statistics import Score, Sprt
    from ludus.tournament import Progress

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
        raise ValueError(f"--sprt is LOW,HIGH, two Elo differences as in 0,10, not {text!r}") from None
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
    from ludus.tournament import Plan, Progress, run, start_options  # noqa: PLC0415
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
        options=start_options(made),
        clock=clock.text,
        pairs=(wanted + 1) // 2,
        seed=seed,
        openings=read_openings(openings, made) if openings else (),
        adjudicate=adjudicate,
        trusted=trust,
        pondering=pondering,
    )
    kept = Ledger(ledger or "sqlite://")
    progress = Progress(plan, kept)
    if take_back_unplayed(progress):
        progress = Progress(plan, kept)
    before = len(progress.rows)
    pool = open_pool(cluster, jobs, force=force)
    interrupted = False
    with Watch() as watch:

        def seen(now: Progress, *, last: bool = False) -> None:
            pace = watch.pace(len(now.rows) - before, 2 * plan.pairs - len(now.rows))
            watch.show(lambda: table(now, names, sprt, pace), lambda: line(now, names, pace), last=last)

        def decided(now: Progress) -> bool:
            return sprt is not None and sprt.test(score(now, names).pairs).decision is not None

        try:
            run(progress, pool, seen, decided)
        except KeyboardInterrupt:
            interrupted = True
        finally:
            pool.close()
        seen(progress, last=True)
    if out is not None and progress.rows:
        from ludus.tournament.output import write_all  # noqa: PLC0415

        write_all(progress, out)
    show(progress, names, sprt, as_json=as_json, interrupted=interrupted)
    if interrupted:
        again = (
            f"the same command goes on from {ledger}" if ledger else "--ledger FILE keeps the games for another time"
        )
        echo(f"Stopped after {len(progress.rows)} games; {again}.", err=True)
        raise KeyboardInterrupt
    if unplayed := progress.unplayed:
        echo(f"{len(unplayed)} games could not be played, and do not count: {unplayed[0]['fault']}", err=True)
    return 1 if unplayed else 0


def counted_rows(progress: Progress) -> list[Mapping[str, Any]]:
    """Give the games that were played."""
    from ludus.tournament.task import UNPLAYED  # noqa: PLC0415

    return [row for row in progress.rows.values() if row["reason"] != UNPLAYED]


def pairs(progress: Progress, names: tuple[str, str]) -> list[list[Mapping[str, Any]]]:
    """Give the games board by board."""
    boards: dict[int, list[Mapping[str, Any]]] = {}
    for row in counted_rows(progress):
        boards.setdefault(row["board"], []).append(row)
    return [boards[board] for board in sorted(boards) if names]


def points(row: Mapping[str, Any], name: str) -> float:
    """Give what a game brought to one of its players."""
    if row["winner"] is None:
        return 0.5
    return float((row["first"], row["second"])[row["winner"]] == name)


def margin(row: Mapping[str, Any], name: str) -> int:
    """Give the points on the board that one of the players was ahead by."""
    own: int = row["margin"] if row["first"] == name else -row["margin"]
    return own


def score(progress: Progress, names: tuple[str, str]) -> Score:
    """Count A's games; in a game with points a pair counts by its summed margin, since the seat decides most games."""
    from ludus.rating.statistics import count_games  # noqa: PLC0415

    found = pairs(progress, names)
    if progress.plan.made.initial(0).scores is None:
        return count_games([points(row, names[0]) for row in pair] for pair in found)
    whole = [pair for pair in found if len(pair) == 2]
    sums = [sum(margin(row, names[0]) for row in pair) for pair in whole]
    failed = [sum(forfeit(row, names[0]) for row in pair) for pair in whole]
    verdicts = [
        0.5 + 0.5 * math.copysign(1, lead) if (lead := f or s) else 0.5 for f, s in zip(failed, sums, strict=True)
    ]
    return count_games([verdict] * 2 for verdict in verdicts)


def forfeit(row: Mapping[str, Any], name: str) -> int:
    """Give +1 for a game that the opponent lost by a failure, -1 for an own one: the board says nothing then."""
    if row["reason"] in ("rules", "adjudicated"):
        return 0
    return 1 if points(row, name) == 1.0 else -1


def document(progress: Progress, names: tuple[str, str], sprt: Sprt | None) -> dict[str, Any]:
    """Give the result as JSON, from A's side."""
    rows = counted_rows(progress)
    counted = [points(row, names[0]) for row in rows]
    estimate = score(progress, names)
    lost: dict[str, dict[str, int]] = {}
    for row in rows:
        if row["reason"] not in ("rules", "adjudicated"):
            loser = (row["first"], row["second"])[1 - row["winner"]]
            kinds = lost.setdefault("A" if loser == names[0] else "B", {})
            kinds[row["reason"]] = kinds.get(row["reason"], 0) + 1
    low, value, high = estimate.elo.low, estimate.elo.value, estimate.elo.high
    said = {
        "game": progress.plan.game,
        "players": list(names),
        "games": len(rows),
        "wins": counted.count(1.0),
        "draws": counted.count(0.5),
        "losses": counted.count(0.0),
        "score": sum(counted) / len(rows) if rows else None,
        "elo": _finite(value),
        "elo_low": _finite(low),
        "elo_high": _finite(high),
        "superiority": estimate.superiority,
        "pentanomial": list(estimate.pairs),
        "forfeits": lost,
        "replayed": progress.replays,
    }
    if progress.plan.made.initial(0).scores is not None:
        said["margin"] = sum(margin(row, names[0]) for row in rows) / len(rows) if rows else None
        said["pairs"] = {"won": estimate.pairs[4], "drawn": estimate.pairs[2], "lost": estimate.pairs[0]}
    if sprt is not None:
        said["sprt"] = sprt.test(estimate.pairs)._asdict()
    return said


def _finite(number: float) -> float | None:
    return number if math.isfinite(number) else None


def line(progress: Progress, names: tuple[str, str], pace: str) -> str:
    """Give the state of things on one line."""
    counted = [points(row, names[0]) for row in counted_rows(progress)]
    return f"{len(counted)} games: {sum(counted):g} points for {names[0]}; {pace}"


def table(progress: Progress, names: tuple[str, str], sprt: Sprt | None, pace: str) -> Table:
    """Give the table that is shown while it goes on."""
    from rich.table import Table  # noqa: PLC0415

    made = Table(title=f"{names[0]} against {names[1]}", caption=pace, title_justify="left")
    for heading in ("games", "won", "drawn", "lost", "score", "Elo", "superior"):
        made.add_column(heading, justify="right")
    said = document(progress, names, sprt)
    made.add_row(*(str(said[key]) for key in ("games", "wins", "draws", "losses")), *_figures(said))
    if sprt is not None:
        verdict = sprt.test(said["pentanomial"])
        made.caption = f"{pace}\nLLR {verdict.llr:+.2f} of {verdict.lower:+.2f} to {verdict.upper:+.2f}"
    return made


def _figures(said: Mapping[str, Any]) -> tuple[str, str, str]:
    share = "" if said["score"] is None else f"{said['score']:.1%}"
    return share, elo_text(said), f"{said['superiority']:.1%}"


def elo_text(said: Mapping[str, Any]) -> str:
    """Write an Elo difference with its interval."""

    def one(number: float | None, sign: str) -> str:
        return f"{sign}∞" if number is None else f"{number:+.0f}"

    value = said["elo"]
    certain = "+" if (said["score"] or 0) > 0.5 else "-"
    return f"{one(value, certain)} [{one(said['elo_low'], '-')}, {one(said['elo_high'], '+')}]"


def show(progress: Progress, names: tuple[str, str], sprt: Sprt | None, *, as_json: bool, interrupted: bool) -> None:
    """Print the result."""
    said = document(progress, names, sprt)
    if as_json:
        echo(json.dumps(said | {"finished": not interrupted}))
        return
    if not said["games"]:
        return
    echo(f"{names[0]} against {names[1]}, {progress.plan.game}, clock {progress.plan.clock}")
    echo(
        f"{said['games']} games: {said['wins']} won, {said['draws']} drawn, {said['losses']} lost: "
        f"{said['score']:.1%} of the points"
    )
    if "pairs" in said:
        won = said["pairs"]
        echo(f"pairs by summed margin: {won['won']} won, {won['drawn']} drawn, {won['lost']} lost; "
                   f"margin {said['margin']:+.1f} a game")  # fmt: skip
    echo(f"Elo {elo_text(said)} (95%), superior with {said['superiority']:.1%}")
    shown = ", ".join(f"{p}: {count}" for p, count in zip(PAIR_POINTS, said["pentanomial"], strict=True))
    echo(f"pairs by points: {shown}")
    for who, kinds in said["forfeits"].items():
        name = names["AB".index(who)]
        echo(f"{name} lost by failure: " + ", ".join(f"{kind} {count}" for kind, count in sorted(kinds.items())))
    if said["replayed"]:
        echo(f"{said['replayed']} games were played again: a time loss fell together with a stall of the referee")
    if sprt is not None:
        verdict = sprt.test(said["pentanomial"])
        decision = {"accept H1": f"the difference is {sprt.high:g} rather than {sprt.low:g} Elo",
                    "accept H0": f"the difference is {sprt.low:g} rather than {sprt.high:g} Elo",
                    None: "not decided"}[verdict.decision]  # fmt: skip
        echo(f"SPRT: {decision} (LLR {verdict.llr:+.2f}, bounds {verdict.lower:+.2f} and {verdict.upper:+.2f})")


COMMAND = match
