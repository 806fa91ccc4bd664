"""What matches and tournaments cost: games a second, the referee's share of a move, pools side by side, large fields.

bench/tournament.py speed                 games/s in one process and with sandboxed bots; the referee's cost a move
bench/tournament.py pools --games 1000    the same short games with the local pool and with Dask
bench/tournament.py field --players 200   a round robin of instant players: time, memory, cost of a standings update
"""

from __future__ import annotations

import argparse
import resource
import statistics
import tempfile
from pathlib import Path
from time import perf_counter
from typing import Any

import ludus
from ludus.play.clock import Clock, TimeLeft
from ludus.play.match import Match
from ludus.play.player import Player
from ludus.players import player
from ludus.store import Ledger
from ludus.tournament import Plan, Progress, run
from ludus.tournament.pools import Pool, ThisProcess, open_pool

GAME = "magnetic-cave"
BOT = """
#include <stdio.h>
#include <string.h>
char board[8][9], line[128];
int main(int argc, char **argv) {
    int wait = argc > 1 && strcmp(argv[1], "second") == 0;
    if (scanf("%100s %*s", line) != 1) return 2;
    for (int r = 0; r < 8; r++) memcpy(board[r], line + 9 * r, 8);
    for (;; wait = 1) {
        char cell[8];
        if (wait && scanf("%7s", cell) != 1) return 0;
        if (wait) board['8' - cell[1]][cell[0] - 'A'] = 'o';
        for (int i = 0; i < 64; i++) {
            int r = i / 8, c = i % 8;
            if (board[r][c] == '.' && (c == 0 || c == 7 || board[r][c - 1] != '.' || board[r][c + 1] != '.')) {
                board[r][c] = 'x';
                printf("%c%d\\n", 'A' + c, 8 - r);
                fflush(stdout);
                break;
            }
        }
    }
}
"""


class Timed(Player):
    """A player whose thinking is measured apart from everything else."""

    def __init__(self, inner: Player) -> None:
        self.inner = inner
        self.seconds = 0.0

    def choose(self, state: ludus.State, time: TimeLeft) -> str:
        """Choose, and count how long that took."""
        began = perf_counter()
        move = self.inner.choose(state, time)
        self.seconds += perf_counter() - began
        return move


def speed(given: argparse.Namespace) -> None:
    """Measure one process."""
    game = ludus.game(GAME)
    began, moves, thinking = perf_counter(), 0, 0.0
    for number in range(given.games):
        seats = [Timed(player(f"random:seed={number + side}")) for side in (0, 1)]
        match = Match(game.initial(), ("a", "b"), Clock())
        match.run(seats)
        moves += len(match.record.moves)
        thinking += sum(seat.seconds for seat in seats)
    total = perf_counter() - began
    print(f"random against random, one process: {given.games / total:.0f} games/s, {moves / total:.0f} moves/s")
    print(f"referee's own cost a move, in process: {1e6 * (total - thinking) / moves:.1f} µs (the rules' included)")
    with tempfile.TemporaryDirectory() as folder:
        source = Path(folder, "bot.c")
        source.write_text(BOT)
        costs, games, began = [], max(1, given.games // 20), perf_counter()
        for _ in range(games):
            bot: Any = player(str(source), game)
            match = Match(game.initial(), ("bot", "greedy"), Clock())
            outside: list[Any] = [bot, player("random:seed=1")]
            while match.outcome is None:
                side, at = match.state.side, perf_counter()
                match.ask(outside[side])
                if side == 0 and len(match.record.moves) > 2:
                    costs.append(perf_counter() - at - bot.spent)
            bot.close()
        total = perf_counter() - began
    print(f"a sandboxed bot against random: {games / total:.1f} games/s, the sandbox's start included")
    print(f"referee's own cost a move, external: {1e6 * statistics.median(costs):.1f} µs beyond the pipe (median)")


def play(plan: Plan, pool: Pool, where: str = "sqlite://") -> tuple[Progress, float]:
    """Play a plan to its end, and give the seconds that it took without the pool's start."""
    warm = Progress(
        Plan(name="warm", game=GAME, entries={"a": "random", "b": "random"}, pairs=pool.size), Ledger("sqlite://")
    )
    run(warm, pool)
    progress = Progress(plan, Ledger(where))
    began = perf_counter()
    run(progress, pool)
    return progress, perf_counter() - began


def pools(given: argparse.Namespace) -> None:
    """Play the same games in two ways, one after the other."""
    plan = Plan(name="pools", game=GAME, entries={"a": "random:seed=1", "b": "random:seed=2"}, pairs=given.games // 2)
    times = {}
    for name, cluster in (("local pool", None), ("Dask", "local:2")):
        pool = open_pool(cluster, 2)
        progress, times[name] = play(plan, pool)
        pool.close()
        print(f"{name}: {len(progress.results)} games in {times[name]:.2f} s", flush=True)
    print(f"Dask takes {times['Dask'] / times['local pool']:.2f} times as long as the local pool")


def field(given: argparse.Namespace) -> None:
    """Play a large round robin of instant players."""
    entries = {f"p{number}": f"random:seed={number}" for number in range(given.players)}
    plan = Plan(name="field", game=GAME, entries=entries, options={"rows": 5, "cols": 5, "line": 3})
    pool = open_pool(None) if given.jobs != 1 else ThisProcess()
    with tempfile.TemporaryDirectory() as folder:
        progress, seconds = play(plan, pool, f"{folder}/field.db")
        pool.close()
        size = sum(path.stat().st_size for path in Path(folder).iterdir())
        began = perf_counter()
        progress.schedule.standings()
        table = perf_counter() - began
        began = perf_counter()
        again = Progress(plan, progress.ledger)
        resume = perf_counter() - began
        assert again.done
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    count = len(progress.results)
    print(f"{given.players} players, {count} games: {seconds:.0f} s, {count / seconds:.0f} games/s")
    print(f"runner's memory {peak:.0f} MB, ledger {size / 1e6:.0f} MB; beginning again from the ledger {resume:.1f} s")
    print(f"the table takes {1000 * table:.1f} ms, from sums that each result brings up to date")


def main() -> None:
    """Do what was asked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("speed", "pools", "field"))
    parser.add_argument("--games", type=int, default=1000)
    parser.add_argument("--players", type=int, default=200)
    parser.add_argument("--jobs", type=int, default=2)
    given = parser.parse_args()
    {"speed": speed, "pools": pools, "field": field}[given.what](given)


if __name__ == "__main__":
    main()
