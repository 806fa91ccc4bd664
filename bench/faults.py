"""Kills, full disks and lost connections at random moments: nothing may be lost, doubled or left over.

bench/faults.py                          every kind of fault in turn, for SECONDS seconds (120 unless set)
bench/faults.py --kills 1000             until that many were done, however long it takes
bench/faults.py --only dask disk         only these kinds of trials: local, postgresql, dask, disk

Each trial plays a tournament by the command `ludus tournament --resume` again and again until it is finished, while
something is killed: the referee, a worker, a bot, the database, its connections, a Dask worker, the scheduler. Then its
games must be those of a tournament that nobody disturbed. It ends with status 1 if one is not, or if anything is left.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import secrets
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, ClassVar

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "support"))

import psycopg
from bots import cave_bot
from postgres import PostgresServer
from small_disk import SmallDisk

from ludus.game_task import MOST_REPLAYS
from ludus.sandbox.cgroup import PREFIX, hierarchy
from ludus.store import Ledger
from ludus.tournament import Plan, Progress, run
from ludus.tournament.files import read_plan
from ludus.tournament.pools import ThisProcess

PATIENCE = 300.0
"""Seconds for one run of the command, or more where the machine takes long to start one: see STARTS."""
STARTS = 60
"""How many times as long as its start a run may take."""
GONE_SECONDS = 20.0
"""How long what was killed may take to go away."""
TOURNAMENT = """
game = "magnetic-cave"
pairs = {pairs}
seed = {seed}
[entries]
bot = "{bot}"
greedy = "greedy"
one = "random:seed=1"
two = "random:seed=2"
"""
SCHEDULER = "from distributed.cli.dask_scheduler import main; main()"
WORKER = "from distributed.cli.dask_worker import main; main()"
BOT = 9
"""What is killed in a cluster beside its scheduler (0) and its workers."""
Essence = dict[Any, Any]


class Tally:
    """What was done, and what went wrong."""

    def __init__(self) -> None:
        self.kills: Counter[str] = Counter()
        self.counts: Counter[str] = Counter()
        self.wrong: list[str] = []

    @property
    def faults(self) -> int:
        """How many there were so far."""
        return sum(self.kills.values())

    def complain(self, what: str) -> None:
        """Write down something that must not be."""
        self.wrong.append(what)
        print(f"WRONG: {what}", flush=True)

    def show(self, seconds: float) -> None:
        """Print the figures."""
        print(f"{self.faults} faults in {seconds:.0f} s:")
        for kind, count in sorted(self.kills.items()):
            print(f"  {kind:<28}{count:>7}")
        print(f"{self.counts['trials']} tournaments, {self.counts['games']} games, {self.counts['runs']} runs:")
        for what in ("lost", "doubled", "different", "not one sentence"):
            print(f"  {what:<28}{self.counts[what]:>7}")
        for what in ("processes", "files", "mounts", "groups"):
            print(f"  left over: {what:<17}{self.counts[f'left {what}']:>7}")
        print(f"  given up after three kills of a bot, played again {self.counts['given up']:>3}", flush=True)


class Trial:
    """A tournament that is disturbed until it is finished."""

    patience = 1 / 200
    """The pause between two faults, as a part of what a run takes to start: most of them hit bots."""
    starts: ClassVar[dict[type[Trial], float]] = {}
    """Seconds that a run of each kind takes to start on this machine."""

    def __init__(self, folder: Path, chooser: random.Random, tally: Tally, pairs: int) -> None:
        self.folder, self.chooser, self.tally = folder, chooser, tally
        self.mark = f"fault{secrets.token_hex(6)}"
        """In the command line or the environment of every process that belongs to it."""
        self.temporary, self.cache, self.out = folder / "tmp", folder / "cache", folder / "out"
        self.temporary.mkdir()
        bot = cave_bot(folder, "time.sleep(0.002)", f"{self.mark}.py")
        self.file = folder / "t.toml"
        self.file.write_text(TOURNAMENT.format(pairs=pairs, seed=chooser.randrange(1000), bot=Path(bot).name))
        self.plan, self.ledger = read_plan(self.file)
        self.owners: set[int] = set()
        """Every process that was seen: its control groups have its number."""
        self.pause = 0.03
        """Seconds between two faults, on average: in proportion to what a run takes to start on this machine."""
        self.longest = PATIENCE

    @property
    def environment(self) -> dict[str, str]:
        """Where a run stores what it stores."""
        own = {"LUDUS_CACHE": str(self.cache), "TMPDIR": str(self.temporary), "LUDUS_FAULTS": self.mark}
        return {**os.environ, **own}

    def command(self) -> list[str]:
        """Return the command that plays what is left."""
        words = ["tournament", self.file, "--resume", "--yes", "--out", self.out, "--ledger", self.ledger]
        return [sys.executable, "-m", "ludus", *map(str, words), *self.pool(), "--json"]

    def pool(self) -> list[str]:
        """Return where games are played."""
        return ["--jobs", "2", "--force"]

    def around(self, command: list[str]) -> list[str]:
        """Return the command as it is started."""
        return command

    def measure(self) -> None:
        """Find out how long a run takes to start, once for each kind: one killed before that never gets anywhere."""
        if type(self) not in self.starts:
            began = time.monotonic()
            words = ["match", "magnetic-cave", "greedy", "random:seed=1", "--games", "2", *self.pool()]
            command = [sys.executable, "-m", "ludus", *words]
            subprocess.run(command, env=self.environment, stdout=subprocess.DEVNULL, check=True)
            self.starts[type(self)] = time.monotonic() - began
        took = self.starts[type(self)]
        self.pause = max(self.pause, self.patience * took)
        self.longest = max(self.longest, STARTS * took)

    def disturb(self, runner: subprocess.Popen[str]) -> None:
        """Do one thing to a run that goes on."""
        below = descendants(runner.pid)
        self.owners |= {runner.pid, *below}
        kind, victims = self.chooser.choice(self.victims(runner.pid, below))
        if victims:
            self.kill(kind, self.chooser.choice(victims))

    def victims(self, runner: int, below: dict[int, str]) -> list[tuple[str, list[int]]]:
        """Return what can be killed, by kind, each as often as it is chosen: a referee takes long to start again."""
        workers = [pid for pid, command in below.items() if "spawn_main" in command]
        bots = [pid for pid, command in below.items() if self.mark in command and "spawn_main" not in command]
        return [("referee", [runner]), *[("worker", workers)] * 6, *[("bot", bots)] * 320]

    def kill(self, kind: str, pid: int) -> None:
        """Kill a process at once."""
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
            self.tally.kills[kind] += 1

    def go(self, until: Callable[[], bool]) -> None:
        """Run the command until all games are played, and disturb it meanwhile, as long as there is time."""
        while True:
            status, said = self.run_once(disturbed=not until())
            self.tally.counts["runs"] += 1
            if status == 0 and not self.given_up():
                return
            if status == 2 and not self.one_sentence(said):
                self.tally.counts["not one sentence"] += 1
                self.tally.complain(f"{type(self).__name__}: {said}")
            if status not in (0, 1, 2, -signal.SIGKILL, 128 + signal.SIGKILL):
                self.tally.complain(f"{type(self).__name__}: status {status}: {said}")
                return
            if status == 2:
                self.put_right()

    def run_once(self, *, disturbed: bool) -> tuple[int, str]:
        """Run the command once; return its status and what it wrote on standard error."""
        with (self.folder / "errors").open("w+") as errors:
            runner = subprocess.Popen(
                self.around(self.command()), stdout=subprocess.DEVNULL, stderr=errors, text=True, env=self.environment
            )
            ends = time.monotonic() + self.longest
            while runner.poll() is None:
                with contextlib.suppress(subprocess.TimeoutExpired):
                    runner.wait(self.chooser.expovariate(1 / self.pause) if disturbed else 0.2)
                if runner.poll() is None and disturbed:
                    self.disturb(runner)
                self.owners |= {runner.pid, *descendants(runner.pid)}
                if time.monotonic() > ends:
                    runner.kill()
                    self.tally.complain(f"{type(self).__name__}: it hangs")
            errors.seek(0)
            return runner.returncode, errors.read()

    def one_sentence(self, said: str) -> bool:
        """Return whether a run that gave up has said so in one line."""
        lines = [line for line in said.splitlines() if line.startswith("ludus: ")]
        return len(lines) == 1 and "Traceback" not in said

    def put_right(self) -> None:
        """Do what the sentence asks for."""

    def given_up(self) -> bool:
        """Take back games that a bot has lost because it, or its build, was killed too often: it might do so itself."""
        with contextlib.closing(self.open_ledger()) as ledger:
            progress = Progress(self.plan, ledger)
            lost = [game for game in progress.played if game.reason in ("crash", "build-failed")]
            killed = [game.id for game in lost if game.id is not None]
            self.tally.counts["given up"] += len(killed)
            for game in lost:
                if game.replays < MOST_REPLAYS:
                    self.tally.complain(f"lost by {game.reason} after {game.replays} replays: {game.fault}")
            return bool(killed) and ledger.undo(progress.number, killed, "killed too often by this program") > 0

    def open_ledger(self) -> Ledger:
        """Return the ledger."""
        return Ledger(self.ledger)

    def check(self) -> None:
        """Compare the games with those of a tournament that nobody disturbed, and look for what is left over."""
        with contextlib.closing(self.open_ledger()) as ledger:
            progress = Progress(self.plan, ledger)
            rows = ledger.games(progress.number)
        found, wanted = essence(progress), expected(self.plan)
        self.tally.counts["trials"] += 1
        self.tally.counts["games"] += len(rows)
        for what, count in (
            ("lost", len(wanted.keys() - found.keys())),
            ("doubled", len(rows) - len(found)),
            ("different", sum(found[key] != wanted[key] for key in found.keys() & wanted.keys())),
        ):
            self.tally.counts[what] += count
            if count:
                self.tally.complain(f"{type(self).__name__}: {count} games {what}")
        for key in found.keys() & wanted.keys():
            if found[key] != wanted[key]:
                print(f"  {key}: {found[key]} instead of {wanted[key]}", flush=True)
        for what, left in self.left_over().items():
            self.tally.counts[f"left {what}"] += len(left)
            if left:
                self.tally.complain(f"{type(self).__name__}: left over: {what}: {left}")

    def left_over(self) -> dict[str, list[str]]:
        """Return what should be gone, once it had the time to go."""
        ends = time.monotonic() + GONE_SECONDS
        while True:
            left = {
                "processes": [f"{pid} {command}" for pid, command in processes(self.mark)],
                "files": list(self.files_left()),
                "mounts": [line for line in Path("/proc/self/mountinfo").read_text().splitlines() if self.mark in line],
                "groups": [str(group) for group in groups() if owner_of(group) in self.owners],
            }
            if not any(left.values()) or time.monotonic() > ends:
                return left
            time.sleep(0.1)

    def files_left(self) -> Iterator[str]:
        """Yield what runs have left where they store nothing for good, or half done where they do."""
        yield from map(str, self.temporary.rglob("*"))
        for folder in (self.cache, self.out):
            hidden = (path for path in folder.rglob("*") if path.name.startswith((".", "making-", "removing-")))
            yield from map(str, hidden)
        if self.out.exists():
            records = len(list((self.out / "records").iterdir()))
            if records != len(expected(self.plan)):
                yield f"{records} records"

    def halt(self) -> None:
        """End what must not be there when one looks for what is left over."""

    def close(self) -> None:
        """End what belongs to it."""


class Local(Trial):
    """The referee, its workers, the bots: on this machine, with SQLite."""


class Postgresql(Trial):
    """The database too: its connections are cut, a process of it is killed, all of it is stopped for a while."""

    patience = 1 / 60

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.server = PostgresServer()
        self.server.start()
        self.ledger = f"{self.server.address}/postgres"

    def disturb(self, runner: subprocess.Popen[str]) -> None:
        """Do one thing, often to the database."""
        what = self.chooser.choice(("else", "else", "else", "connection", "connection", "database", "restart"))
        if what == "else":
            super().disturb(runner)
        elif what == "restart":
            self.server.stop()
            time.sleep(self.chooser.uniform(0.0, 2.0))
            self.server.start()
            self.tally.kills["database restarted"] += 1
        else:
            self.cut(killed=what == "database")

    def cut(self, *, killed: bool) -> None:
        """End the connections of a run, or kill the process behind one, which makes the server start again."""
        others = "from pg_stat_activity where pid <> pg_backend_pid() and backend_type = 'client backend'"
        with contextlib.suppress(psycopg.Error), psycopg.connect(self.ledger) as connection:
            if killed:
                pids = [pid for (pid,) in connection.execute(f"select pid {others}").fetchall()]
                if pids:
                    self.kill("database process", self.chooser.choice(pids))
            else:
                row = connection.execute(f"select count(pg_terminate_backend(pid)) {others}").fetchone()
                self.tally.kills["connection cut"] += bool(row and row[0])

    def open_ledger(self) -> Ledger:
        """Return the ledger, when the server is back."""
        ends = time.monotonic() + PATIENCE
        while True:
            try:
                return super().open_ledger()
            except ValueError:
                if time.monotonic() > ends:
                    raise
                time.sleep(0.1)

    def close(self) -> None:
        """Stop the server."""
        self.server.stop()
        self.server.close()


class Dask(Trial):
    """A scheduler and two workers; each of them is killed, and started again."""

    patience = 1 / 20
    """Most faults hit bots here too; after some the whole cluster has to start again."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.processes: list[subprocess.Popen[bytes]] = []
        self.address = self.folder / "scheduler.json"
        self.start()

    def start(self) -> None:
        """Start the scheduler and its workers."""
        self.stop()
        self.address.unlink(missing_ok=True)
        place = ["--host", "127.0.0.1", "--no-dashboard", "--scheduler-file", str(self.address), "--port", "0"]
        self.processes = [self.spawn(SCHEDULER, *place)]
        while not (self.address.exists() and self.address.read_text().endswith("}")):  # it is not written in one step
            time.sleep(0.05)
        self.processes += [self.worker(), self.worker()]

    def spawn(self, program: str, *words: str) -> subprocess.Popen[bytes]:
        """Start a program of Dask."""
        quiet = subprocess.DEVNULL
        command = [sys.executable, "-c", program, *words]
        return subprocess.Popen(command, stdout=quiet, stderr=quiet, cwd=self.temporary, env=self.environment)

    def worker(self) -> subprocess.Popen[bytes]:
        """Start a worker."""
        place = ["--scheduler-file", str(self.address), "--nthreads", "1", "--no-nanny", "--no-dashboard"]
        return self.spawn(WORKER, *place)

    def pool(self) -> list[str]:
        """Return where games are played."""
        return ["--cluster", json.loads(self.address.read_text())["address"]]

    def disturb(self, runner: subprocess.Popen[str]) -> None:
        """Do one thing: to a bot that a worker runs, or to the cluster."""
        number = self.chooser.choice((-1, 0, *(1, 2) * 4, *(BOT,) * 20))
        below = {pid: command for process in self.processes for pid, command in descendants(process.pid).items()}
        self.owners |= {*below, *(process.pid for process in self.processes)}
        if number == BOT:
            if bots := [pid for pid, command in below.items() if self.mark in command]:
                self.kill("bot of a Dask worker", self.chooser.choice(bots))
            return
        if number < 0:
            self.kill("referee", runner.pid)
            return
        self.kill("Dask worker" if number else "Dask scheduler", self.processes[number].pid)
        self.processes[number].wait()
        if number:
            self.processes[number] = self.worker()
        else:
            with contextlib.suppress(subprocess.TimeoutExpired):
                runner.wait(60.0)
            self.start()

    def put_right(self) -> None:
        """Start what is missing."""
        if any(process.poll() is not None for process in self.processes):
            self.start()

    def stop(self) -> None:
        """End the cluster."""
        for process in self.processes:
            process.kill()
            process.wait()

    def close(self) -> None:
        """End the cluster."""
        self.stop()

    def halt(self) -> None:
        """End the cluster, and forget the files that Dask itself leaves when it is killed."""
        self.stop()
        for path in sorted(self.temporary.rglob("*"), reverse=True):
            if "dask" in str(path.relative_to(self.temporary)).partition("/")[0]:
                path.rmdir() if path.is_dir() else path.unlink()


class Disk(Trial):
    """A disk that is full after a random number of writes; then there is a little more room."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.disk = SmallDisk(self.folder / self.mark, 64 * 1024)
        self.roomy = False
        self.ledger = f"{self.disk.place}/t.db"
        self.out, self.cache, self.temporary = (self.disk.place / name for name in ("out", "cache", "tmp"))
        (self.disk.seen / "tmp").mkdir()

    def around(self, command: list[str]) -> list[str]:
        """Run it where it sees the disk, which is almost full."""
        if self.roomy:
            self.disk.resize(1 << 20)
        else:
            self.disk.fill(left=int(self.chooser.expovariate(1 / 400)))
        return self.disk.command(*command)

    def disturb(self, runner: subprocess.Popen[str]) -> None:
        """Take away what was free, or give some back."""
        if self.chooser.random() < 0.3:
            self.disk.fill(left=self.chooser.choice((0, 4, 40, 400)))
        super().disturb(runner)

    def put_right(self) -> None:
        """Make room."""
        self.tally.kills["disk full"] += 1

    def run_once(self, *, disturbed: bool) -> tuple[int, str]:
        """Run the command once; in the end with room for everything."""
        self.roomy = not disturbed
        return super().run_once(disturbed=disturbed)

    def open_ledger(self) -> Ledger:
        """Return a copy of the ledger: SQLite does not find its way to the disk from here."""
        for path in self.disk.seen.glob("t.db*"):
            (self.folder / path.name).write_bytes(path.read_bytes())
        return Ledger(self.folder / "t.db")

    def victims(self, runner: int, below: dict[int, str]) -> list[tuple[str, list[int]]]:
        """Return what can be killed, without bots: a game given up for that cannot be taken back in a copy."""
        return [(kind, [] if kind == "bot" else pids) for kind, pids in super().victims(runner, below)]

    def given_up(self) -> bool:
        """Say no: no bot is killed here."""
        return False

    def files_left(self) -> Iterator[str]:
        """Yield what is left on the disk."""
        self.out, self.cache, self.temporary = (self.disk.seen / name for name in ("out", "cache", "tmp"))
        yield from super().files_left()

    def close(self) -> None:
        """Let go of the disk."""
        self.disk.close()


KINDS: dict[str, type[Trial]] = {"local": Local, "postgresql": Postgresql, "dask": Dask, "disk": Disk}


def essence(progress: Progress) -> Essence:
    """Return what must be the same however the games were played."""
    return {
        key: (*row.entries, row.winner, row.reason, row.margin, row.moves, row.versions, row.seed)
        for key, row in progress.results.items()
    }


def expected(plan: Plan, known: dict[str, Essence] | None = None) -> Essence:
    """Return the same of a tournament that nobody disturbs; each is played once."""
    known = KNOWN if known is None else known
    key = json.dumps(plan.config, sort_keys=True)
    if key not in known:
        progress = Progress(plan, Ledger("sqlite://"))
        run(progress, ThisProcess())
        known[key] = essence(progress)
    return known[key]


KNOWN: dict[str, Essence] = {}


def descendants(root: int) -> dict[int, str]:
    """Return the processes below one, and their command lines."""
    parents: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal():
            with contextlib.suppress(OSError):
                parents[int(entry.name)] = int((entry / "stat").read_text().rpartition(")")[2].split()[1])
    found, more = {root}, {root}
    while more:
        more = {pid for pid, parent in parents.items() if parent in more} - found
        found |= more
    return {pid: command_of(pid) for pid in found - {root}}


def command_of(pid: int) -> str:
    """Return the command line of a process."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes().replace(b"\0", b" ").decode(errors="replace")
    except OSError:
        return ""


def processes(mark: str) -> Iterator[tuple[int, str]]:
    """Yield the processes that have a mark in their environment or command line."""
    for entry in Path("/proc").iterdir():
        if entry.name.isdecimal() and int(entry.name) != os.getpid():
            with contextlib.suppress(OSError):
                alive = (entry / "stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
                if alive and mark.encode() in (entry / "environ").read_bytes() + (entry / "cmdline").read_bytes():
                    yield int(entry.name), command_of(int(entry.name))


def groups() -> Iterator[Path]:
    """Yield the control groups of sandboxes."""
    found = hierarchy()
    for folder in {*found.folders.values()} if found else ():
        yield from folder.glob(f"{PREFIX}*")


def owner_of(group: Path) -> int:
    """Return the process that made a group."""
    return int(group.name.removeprefix(PREFIX).partition("-")[0])


def main() -> int:
    """Do what was asked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--kills", type=int, help="stop after this number of faults, instead of after SECONDS")
    parser.add_argument("--seconds", type=float, default=float(os.environ.get("SECONDS") or 120))
    parser.add_argument("--pairs", type=int, default=4, help="boards per pairing")
    parser.add_argument("--each", type=int, default=50, help="faults in each tournament, at most")
    parser.add_argument("--seed", type=int, default=int(time.time()))
    parser.add_argument("--only", nargs="+", choices=KINDS, default=list(KINDS))
    given = parser.parse_args()
    tally, chooser, began = Tally(), random.Random(given.seed), time.monotonic()

    def done() -> bool:
        if given.kills is not None:
            return tally.faults >= int(given.kills)
        return time.monotonic() - began >= float(given.seconds)

    print(f"seed {given.seed}", flush=True)
    turn = 0
    while turn < len(given.only) or not done():
        kind = given.only[turn % len(given.only)]
        turn += 1
        with (
            tempfile.TemporaryDirectory(prefix="faults-") as folder,
            contextlib.closing(KINDS[kind](Path(folder), chooser, tally, given.pairs)) as trial,
        ):
            trial.measure()
            enough = tally.faults + given.each
            trial.go(lambda enough=enough: done() or tally.faults >= enough)  # type: ignore[misc]
            trial.halt()
            trial.check()
        tally.show(time.monotonic() - began)  # after each trial, so that a run that is ended says what it did
    return 1 if tally.wrong else 0


if __name__ == "__main__":
    sys.exit(main())
