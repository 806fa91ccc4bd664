"""What this version is worth against an earlier one: Elo by game, in short games and in long ones.

python bench/progress.py
python bench/progress.py HEAD~20 --games magnetic-cave --short 0.05/move --long 1/move --sprt 0,10 --most 400
python bench/progress.py ../ludus-0.1.0

The earlier version is a commit, which is built in a folder of its own for the time of the matches (with `ccache` if it
is there); a checkout that is built (`make setup` in it); or the folder of an environment that has it. Unless one is
named, it is the last release: the last tag. Both versions play as programs that speak the Universal Game Interface, in
the product's own match: pairs of games from openings or boards that are far from those that anything was tuned on
(`--seed`), sides swapped. A match ends when the sequential test decides between the two differences, or after `--most`
games; its Elo has a 95% interval.
"""

from __future__ import annotations

import argparse
import json
import os
import shlex
import shutil
import subprocess
import sys
import tempfile
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import ludus

if TYPE_CHECKING:
    from collections.abc import Iterator

SEED = 9_000_000
HERE = Path(__file__).resolve().parents[1]


def git(*words: str) -> str | None:
    """Return what git says, or None where it refuses."""
    done = subprocess.run(["git", "-C", str(HERE), *words], capture_output=True, text=True, check=False)
    return done.stdout.strip() if done.returncode == 0 else None


@contextmanager
def built(version: str | None) -> Iterator[Path]:
    """Yield the folder of an earlier version: the one that is named, or one where that commit is built."""
    if version is not None and Path(version).is_dir():
        yield Path(version)
        return
    name = version or git("describe", "--tags", "--abbrev=0")
    if name is None:
        sys.exit("there is no release yet, no tag: name a commit or a folder")
    commit = git("rev-parse", "--verify", "--quiet", "--end-of-options", f"{name}^{{commit}}")
    if commit is None:
        sys.exit(f"{name} is neither a folder nor a commit of {HERE}")
    with tempfile.TemporaryDirectory(prefix="ludus-") as temporary:
        folder = Path(temporary, commit[:12])
        if git("worktree", "add", "--detach", str(folder), commit) is None:
            sys.exit(f"git makes no worktree of {name} in {temporary}")
        try:
            compiler = {"CMAKE_CXX_COMPILER_LAUNCHER": "ccache"} if shutil.which("ccache") else {}
            shared = {"CCACHE_BASEDIR": temporary, "CCACHE_NOHASHDIR": "1"} if compiler else {}
            setup = ["scripts/setup", "--run"]
            if subprocess.run(setup, cwd=folder, env=compiler | shared | os.environ, check=False).returncode != 0:
                sys.exit(f"{name} cannot be built: see above")
            yield folder
        finally:
            git("worktree", "remove", "--force", str(folder))


def program(where: Path, name: str) -> str:
    """Return the player that is a version's engine."""
    for command in (where / ".venv/bin/ludus", where / "bin/ludus"):
        if command.exists():
            return f"ugi:{shlex.join([str(command.resolve().parent / 'ludus'), 'engine', name])}"
    sys.exit(f"{where} has no .venv/bin/ludus and no bin/ludus: run `make setup` there")


def elo(value: float | None) -> str:
    """Show a difference; None is one without end."""
    return "    -" if value is None else f"{value:+5.0f}"


def main() -> None:
    """Build what is not there, and play a match for each game and clock."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "before", nargs="?", help="the earlier version: a commit or a folder; unless given, the last tag"
    )
    parser.add_argument("--now", default=str(HERE), help="the later one, likewise; unless given, this folder as it is")
    parser.add_argument("--games", nargs="+", choices=ludus.games(), default=ludus.games())
    parser.add_argument("--option", action="append", default=[], help="an option of the game, as NAME=VALUE")
    parser.add_argument("--short", default="0.1/move", help="the clock of short games")
    parser.add_argument("--long", default="1/move", help="the clock of long games; `none` leaves them out")
    parser.add_argument("--sprt", default="-5,15", help="the two differences that the test tells apart, in Elo")
    parser.add_argument("--most", type=int, default=200, help="games of a match at most")
    parser.add_argument("--seed", type=int, default=SEED, help="the number of the first opening or board")
    parser.add_argument("--jobs", type=int, default=1, help="games at the same time")
    asked = parser.parse_args()
    with built(asked.before) as before, built(asked.now) as now:
        play(asked, now, before)


def play(asked: argparse.Namespace, now: Path, before: Path) -> None:
    """Play a match for each game and clock, and print a line for each."""
    print(f"{'game':<16}{'clock':<12}{'won':>5}{'drawn':>7}{'lost':>6}   Elo with its interval  test of {asked.sprt}")
    for name in asked.games:
        players = [program(where, name) for where in (now, before)]
        for clock in (asked.short, asked.long):
            if clock == "none":
                continue
            options = [word for option in asked.option for word in ("--option", option)]
            command = [sys.executable, "-m", "ludus", "match", name, *players, *options, "--clock", clock]
            command += [f"--sprt={asked.sprt}", "--games", str(asked.most), "--seed", str(asked.seed)]
            command += ["--jobs", str(asked.jobs), "--trust", "--adjudicate", "--json"]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode != 0:
                sys.exit(f"{shlex.join(command)}\n{done.stderr}")
            found: dict[str, Any] = json.loads(done.stdout)
            print(line(found, name, clock), flush=True)


def line(found: dict[str, Any], name: str, clock: str) -> str:
    """Return what one match found."""
    test = found["sprt"]["decision"] or f"open, {found['sprt']['llr']:+.2f}"
    counts = f"{found['wins']:>5}{found['draws']:>7}{found['losses']:>6}"
    interval = f"{elo(found['elo'])} ({elo(found['elo_low'])} to {elo(found['elo_high'])})"
    forfeits = f"; forfeits {found['forfeits']}" if found["forfeits"] else ""
    return f"{name:<16}{clock:<12}{counts}   {interval}  {test}{forfeits}"


if __name__ == "__main__":
    main()
