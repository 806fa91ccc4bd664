"""The referee's clock and pauses: nothing that a program writes, burns or leaves running gives it time for free.

Programs measure what they took themselves, on the clock that the whole machine shares: a test compares that with what
was charged, so that it holds on a busy machine too.
"""

from __future__ import annotations

import math
import os
import select
import subprocess
import sys
import time
import uuid
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from bots import cave_bot, cave_task, processes_with
from patience import until

import ludus
from ludus import sandbox
from ludus.errors import Fault
from ludus.play.result import GameResult
from ludus.sandbox import ResourceLimits, cgroup, process
from ludus.sandbox.cpu import CpuMeter
from ludus.sandbox.log import KEPT, Log
from ludus.sandbox.proc import family
from ludus.sandbox.process import Process

CAVE = ludus.game("magnetic-cave")
THINKING = """
import os, sys, threading, time
print("ready", flush=True)
os.read(0, 3)
began = time.monotonic()
{meanwhile}
time.sleep(0.5)
os.write(1, b"answer %r\\n" % (time.monotonic() - began))
time.sleep(60)
"""


def started(text: str, **settings: Any) -> Process:
    return sandbox.start(("python3", "-c", text), view=sandbox.python(), **settings)


def ask(program: Process) -> str:
    """Ask it, and return the line that it answers."""
    program.start_clock()
    program.send("go\n")
    return program.line(60)


def charged_and_taken(meanwhile: str, asked: str = "go\n") -> tuple[float, float]:
    """Let a program do something while it thinks; return what it was charged and what it says that it took.

    It sleeps instead of thinking, so on a busy machine waits may be excused: they are added, and only they.
    """
    with started(THINKING.format(meanwhile=meanwhile).replace("%r", "%a")) as program:
        program.start_clock()
        program.line(60)
        program.start_clock()
        excused = program.stalled
        program.send(asked)
        while not (line := program.line(60)).startswith("answer "):
            pass
        return program.spent() + program.stalled - excused, float(line.split()[1])


FLOODS = {
    "lines on standard output": "os.write(1, b'let me think about it ...\\n' * 9000)",
    "lines all the while": """
def flood():
    for _ in range(90):
        os.write(1, b'thinking ...\\n' * 100)
        time.sleep(0.005)
threading.Thread(target=flood, daemon=True).start()""",
    "pieces of a line": """
def flood():
    for _ in range(30000): os.write(1, b'.')
    os.write(1, b'\\n')
flood()""",
    "standard error": """
def flood():
    while True: os.write(2, b'x' * 65536)
threading.Thread(target=flood, daemon=True).start()""",
    "small pieces of standard error": """
def flood():
    while True: os.write(2, b'x' * 100)
threading.Thread(target=flood, daemon=True).start()""",
}


@pytest.mark.parametrize("flood", FLOODS)
def test_what_a_program_writes_gives_it_no_time(flood: str) -> None:
    charged, taken = charged_and_taken(FLOODS[flood])
    assert charged >= taken


def test_a_program_that_does_not_read_what_it_is_sent_gains_no_time() -> None:
    """The pipe is full, and the last byte is sent only when it deigns to read."""
    meanwhile = "time.sleep(0.5); rest = os.read(0, 1 << 20)"
    charged, taken = charged_and_taken(meanwhile, "go\n" + "x" * (1 << 20))
    assert charged >= taken


def test_a_flood_of_lines_wins_nothing(tmp_path: Path) -> None:
    """In a pipe that takes them all at once, so that it can think while they are read."""
    flood = "import fcntl; fcntl.fcntl(1, 1031, 1 << 20); os.write(1, b'.\\n' * 500000); time.sleep(2)"
    bot = cave_bot(tmp_path, f"if turn == 2: {flood}")
    record = ludus.play_match(CAVE, (bot, "random:seed=1"), "1/move")
    assert record.outcome == ludus.Outcome(1, "too-much-output")


def test_lines_before_an_answer_are_limited(tmp_path: Path) -> None:
    """Without a clock too: each line costs the referee some work."""
    bot = cave_bot(tmp_path, f"for _ in range({process.MOST_LINES}): print('...')")
    record = ludus.play_match(CAVE, (bot, "random:seed=1"), "none")
    assert record.outcome == ludus.Outcome(1, "too-much-output")
    assert "lines without an answer" in record.headers["Fault"]


@pytest.mark.parametrize("line", ["...", ""])
def test_lines_in_the_opponents_turn_are_limited(line: str) -> None:
    """In a pipe that the program has made as large as it can."""
    text = f"""
import fcntl, os, sys
fcntl.fcntl(1, 1031, 1 << 20)
for _ in range(2):
    sys.stdin.readline()
    os.write(1, b"1\\n")
    os.write(1, b"{line}\\n" * 100000)
"""
    with started(text, pondering=True) as program:
        ask(program)
        program.answered()
        with pytest.raises(Fault) as caught:
            until(lambda: program.early() and False, "the fault")
        assert caught.value.kind == "too-much-output"
        assert not program.alive


def test_what_came_before_the_question_is_read_in_the_program_s_own_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One that may ponder thinks on while its lines are read, and can make that take long."""
    early = Process.early

    def read_slowly(program: Process) -> list[str]:
        time.sleep(0.3)
        return early(program)

    monkeypatch.setattr(Process, "early", read_slowly)
    record = ludus.play_match(CAVE, (cave_bot(tmp_path), "random:seed=1"), "60/move", pondering=True)
    assert all((played.seconds or 0.0) >= 0.3 for played in record.moves[::2])


@pytest.mark.parametrize(("piece", "late"), [(4096, False), (1, True)])
def test_who_writes_all_the_time_is_not_read_all_the_time(
    monkeypatch: pytest.MonkeyPatch, piece: int, *, late: bool
) -> None:
    """Neither before a question, where up to a megabyte would be read byte by byte, nor after the last moment."""
    read = os.read
    with sandbox.start(("sleep", "60"), trusted=True) as program:
        end = os.open(f"/proc/{program.pid}/fd/1", os.O_WRONLY)

        def read_while_it_writes(descriptor: int, most: int) -> bytes:
            data = read(descriptor, most)
            if data and not data.strip(b"."):
                os.write(end, b"." * piece)
            return data

        monkeypatch.setattr(os, "read", read_while_it_writes)
        os.write(end, b".")
        if late:
            program.start_clock()
            with pytest.raises(Fault) as caught:
                program.line(0.05)
            assert caught.value.kind == "timeout"
        else:
            assert program.early() == []
        os.close(end)


def test_standard_error_is_kept_in_bounded_memory_and_work() -> None:
    log, twin = Log(), b""
    for number in range(3000):
        piece = (b"%d " % number) * 20
        log.add(piece)
        twin += piece
    assert log.total == len(twin)
    assert len(log.since(0)) == 2 * KEPT
    assert log.bytes.startswith(twin[:KEPT])
    assert log.bytes.endswith(twin[-KEPT:])
    assert b"bytes are left out here" in log.bytes
    assert log.since(len(twin) - 5) == twin[-5:]
    assert log.since(len(twin)) == b""


def test_a_flood_of_standard_error_is_read_a_piece_at_a_time() -> None:
    """Beyond its share the program waits for us: the referee does not read all day."""
    with started("import os, sys\nsys.stdin.readline()\nwhile True: os.write(2, b'x' * 65536)") as program:
        program.start_clock()
        program.send("go\n")
        with pytest.raises(Fault) as caught:
            program.line(1.0)
        assert caught.value.kind == "timeout"
        assert len(program.log.bytes) <= 2 * KEPT + 100
        # 1 MB in pieces of at most 64 kB, which may be as small as a pipe gives them, and then one a slice; the last
        # two slices are halved down to a millisecond.
        slices = 1.0 / process.SLICE + 2 * math.ceil(math.log2(1000 * process.SLICE))
        assert program.log.total <= process.MOST_STDERR + process.CHUNK * (2 + slices)


class LatePoll:
    """A poll that ends later than it was asked to, as on a machine that is held up."""

    late = 0.02

    def __init__(self) -> None:
        self._poll = select.poll()
        self.register, self.unregister = self._poll.register, self._poll.unregister

    def poll(self, milliseconds: float) -> list[tuple[int, int]]:
        if milliseconds:
            time.sleep(milliseconds / 1000 + self.late)
        return self._poll.poll(0)


class Late:
    """The module `select` with such a poll."""

    POLLIN, POLLOUT, poll = select.POLLIN, select.POLLOUT, LatePoll


@pytest.fixture(params=["with a control group", "without one"])
def late(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Hold up every wait of the referee."""
    if request.param == "without one":
        monkeypatch.setattr(cgroup, "hierarchy", lambda: None)
    monkeypatch.setattr(process, "select", Late)


@pytest.mark.usefixtures("late")
def test_time_in_which_it_thought_is_charged_though_the_referee_was_held_up() -> None:
    text = """
import sys, time
for line in sys.stdin:
    began, used = time.monotonic(), time.process_time()
    while time.process_time() < used + 0.3: pass
    print(time.monotonic() - began, flush=True)
"""
    with started(text) as program:
        taken = float(ask(program))
        assert program.spent() >= 0.3 - 0.02  # what it used; a tick of the kernel's count may be missing
        assert program.spent() + program.stalled >= taken


@pytest.mark.usefixtures("late")
def test_children_that_the_kernel_forgets_do_not_think_for_free_while_the_referee_is_held_up(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(LatePoll, "late", 0.1)
    text = """
import os, signal, sys, time
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
for line in sys.stdin:
    used = 0
    while used < 0.3:
        used += 0.004
        if os.fork() == 0:
            while time.process_time() < 0.004: pass  # too short to be seen in the ticks of the kernel's count
            os._exit(0)
        try:
            os.wait()
        except ChildProcessError:
            pass
    print(used, flush=True)
"""
    with started(text) as program:
        used = float(ask(program))
        assert program.spent() > 0.8 * used
        assert cgroup.hierarchy() is not None or program.spent() > program.stalled


@pytest.mark.usefixtures("late")
def test_a_referee_that_was_held_up_does_not_charge_who_had_answered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(LatePoll, "late", 0.5)
    with started("import sys\nfor line in sys.stdin: print(line, flush=True)") as program:
        ask(program)
        assert program.spent() < program.stalled
        assert program.stalled > 0.4


# What becomes of a game that was lost while the referee was held up.


def lost_game(tmp_path: Path, trouble: str, clock: str = "0.3/move") -> GameResult:
    from ludus.game_task import perform  # noqa: PLC0415

    return perform(cave_task(cave_bot(tmp_path, trouble), clock))


def held_up(monkeypatch: pytest.MonkeyPatch, cpu: Callable[[CpuMeter], float]) -> None:
    """Hold up every wait, and say what the program uses meanwhile."""
    monkeypatch.setattr(process, "select", Late)
    monkeypatch.setattr(CpuMeter, "seconds", cpu)


def test_a_stall_of_its_own_making_buys_no_second_game(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    held_up(monkeypatch, lambda _: 2 * time.monotonic())  # two threads of it run all the while
    row = lost_game(tmp_path, "if turn == 2: time.sleep(5)")
    assert (row.reason, row.winner, row.replays) == ("timeout", 1, 0)


def test_a_stall_of_the_machine_buys_one_with_the_same_moves(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    held_up(monkeypatch, lambda _: 0.0)
    row = lost_game(tmp_path, "if turn == 2: time.sleep(5)")
    assert (row.reason, row.winner, row.replays) == ("timeout", 1, 2)


GAMBLER = """
import random
if turn == 5: time.sleep(5)
move = random.choice(list(legal()))
print(move, file=sys.stderr, flush=True)
answer(move)
continue
"""


def test_after_other_moves_the_first_game_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    held_up(monkeypatch, lambda _: 0.0)
    row = lost_game(tmp_path, GAMBLER, "1/move")  # four turns in time on a busy machine too
    assert (row.reason, row.winner, row.moves, row.replays) == ("timeout", 1, 8, 1)
    assert row.fault.endswith("when the game was played again, other moves were made")
    assert row.logs[0].split() == [played.move for played in ludus.Record.parse(row.record).moves[::2]]


def test_only_a_stall_in_the_lost_move_is_a_reason(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from ludus.play.match import Match  # noqa: PLC0415

    ask = Match.ask

    def stalled_before(self: Match, seat: Any) -> None:
        ask(self, seat)
        if len(self.record.moves) == 1:
            self.stalled += 1.0
            self.last_stall = 1.0

    monkeypatch.setattr(Match, "ask", stalled_before)
    monkeypatch.setattr(CpuMeter, "seconds", lambda _: 2 * time.monotonic())  # a busy machine excuses nothing
    row = lost_game(tmp_path, "if turn == 3: time.sleep(9)", "4/move")
    assert (row.reason, row.replays) == ("timeout", 0)
    assert row.stalled >= 1.0


def test_nothing_is_decided_by_reading_a_sentence() -> None:
    from ludus.game_task import doubtful  # noqa: PLC0415
    from ludus.play.match import Match  # noqa: PLC0415

    for fault, expected in (
        (Fault("crash", "it says SIGKILL"), False),
        (Fault("crash", "it was killed", signal=9), True),
        (Fault("crash", "it was killed", signal=11), False),
    ):
        match = Match(CAVE.initial())
        match.fail(0, fault)
        assert doubtful(match) is expected


def test_a_program_that_says_timeout_has_not_run_out_of_time(tmp_path: Path) -> None:
    from ludus.courses import find_course  # noqa: PLC0415
    from ludus.courses.exam import hold_exam  # noqa: PLC0415

    course = find_course("concordia-magnetic-cave")
    exam = hold_exam(course, cave_bot(tmp_path, "print('timeout')"), tmp_path / "exams")
    assert any("timeout" in finding.text for finding in exam.findings)
    assert exam.timeouts == 0


# Pauses.

HEARTBEAT = """
import os, sys, time
for line in sys.stdin:
    print(1, flush=True)
    FORKS
    while True: pass
"""


def burnt_beside(program: Process, seconds: float) -> float:
    """Use that much CPU time ourselves, and return what the program uses meanwhile: a busy machine is fair to both."""
    before, ends = program.cpu_seconds(), time.thread_time() + seconds
    while time.thread_time() < ends:
        pass
    return program.cpu_seconds() - before


@pytest.mark.parametrize("kind", ["group", "signals", "trusted"])
def test_in_the_opponents_turn_a_program_is_paused(monkeypatch: pytest.MonkeyPatch, kind: str) -> None:
    if kind != "group":
        monkeypatch.setattr(cgroup, "hierarchy", lambda: None)
    elif cgroup.hierarchy() is None:
        pytest.skip("this machine has no control groups to use")
    text = HEARTBEAT.replace("FORKS", "for _ in range(2): os.fork()")
    with started(text, trusted=kind == "trusted") as program:
        ask(program)
        program.answered()
        # A process that waits for a core is stopped when it gets one.
        until(lambda: all(one.state != "R" for one in family(program.pid).values()), "the pause")
        assert burnt_beside(program, 0.2) < 0.2 / 4
        program.start_clock()  # it goes on
        now = program.cpu_seconds()
        until(lambda: program.cpu_seconds() > now + 0.1)
        program.answered()
    assert not program.alive


def test_a_program_that_may_ponder_is_not_paused() -> None:
    with started(HEARTBEAT.replace("FORKS", "pass"), pondering=True) as program:
        ask(program)
        program.answered()
        before = program.cpu_seconds()
        until(lambda: program.cpu_seconds() > before + 0.1)


def test_a_paused_program_answers_again_and_again() -> None:
    with started("import sys\nfor line in sys.stdin: print(line, end='', flush=True)") as program:
        for number in range(500):
            program.start_clock()
            program.send(f"{number}\n")
            assert program.line(60) == str(number)
            program.answered()


@pytest.mark.parametrize("grouped", [True, False])
def test_a_paused_program_dies_with_the_referee(*, grouped: bool) -> None:
    mark = f"mark_{uuid.uuid4().hex}"
    script = f"""
import time
from ludus import sandbox
from ludus.sandbox import cgroup
if not {grouped}:
    cgroup.hierarchy = lambda: None
program = sandbox.start(("python3", "-c", "input(); print(1); input() # {mark}"), view=sandbox.python())
program.start_clock()
program.send("go\\n")
program.line(60)
program.answered()
print("paused", flush=True)
time.sleep(600)
"""
    with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE) as referee:
        assert referee.stdout is not None
        assert referee.stdout.readline() == b"paused\n"
        assert processes_with(mark)
        referee.kill()
    until(lambda: not processes_with(mark))


# Ends.


@pytest.mark.parametrize("trusted", [False, True])
def test_a_program_that_closes_its_output_has_given_no_answer(*, trusted: bool) -> None:
    text = "import os, time\ninput()\nos.close(1)\ntime.sleep(600)"
    with started(text, trusted=trusted) as program, pytest.raises(Fault) as caught:
        ask(program)
    assert (caught.value.kind, caught.value.sentence) == ("no-answer", "it closed its output without an answer")


@pytest.mark.parametrize(("dies", "kind"), [("os._exit(0)", "no-answer"), ("os._exit(3)", "crash")])
def test_how_a_program_ended_is_told_though_it_left_others_running(dies: str, kind: str) -> None:
    text = f"""
import os, time
input()
if os.fork() == 0:
    for descriptor in range(3): os.close(descriptor)
    time.sleep(600)
{dies}
"""
    with started(text) as program, pytest.raises(Fault) as caught:
        ask(program)
    assert caught.value.kind == kind


def test_an_end_by_a_signal_is_known_by_its_number() -> None:
    for number in (9, 11):
        text = f"import os\ninput()\nos.kill(os.getpid(), {number})"
        with started(text) as program, pytest.raises(Fault) as caught:
            ask(program)
        assert (caught.value.kind, caught.value.signal) == ("crash", number)


def test_old_words_about_memory_do_not_count() -> None:
    text = """
import sys
input()
print("MemoryError: but I live", file=sys.stderr, flush=True)
print(1, flush=True)
input()
sys.exit(3)
"""
    with started(text, limits=ResourceLimits(memory_mb=512)) as program:
        kinds = []
        for _ in range(2):
            try:
                ask(program)
                program.answered()
            except Fault as fault:
                kinds.append(fault.kind)
    assert kinds == ["crash"]


# Whether a program may ponder is said in one place, and reaches it.


def pondering_of(monkeypatch: pytest.MonkeyPatch, play: Callable[[], object]) -> set[bool]:
    """Return what the programs of a game were started with."""
    seen: set[bool] = set()
    start = sandbox.start

    def watched(*given: Any, **settings: Any) -> Process:
        seen.update([settings["pondering"]] if "pondering" in settings else [])  # a build says nothing
        return start(*given, **settings)

    monkeypatch.setattr(sandbox, "start", watched)
    play()
    return seen


@pytest.mark.parametrize("pondering", [True, False])
def test_a_match_says_whether_its_bots_may_ponder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, *, pondering: bool
) -> None:
    from ludus.formats import Pairing  # noqa: PLC0415
    from ludus.game_task import perform  # noqa: PLC0415
    from ludus.tournament.files import read_plan  # noqa: PLC0415

    bot = cave_bot(tmp_path, "sys.exit(0)")
    one = pondering_of(monkeypatch, lambda: ludus.play_match(CAVE, (bot, "random"), "60/move", pondering=pondering))
    assert one == {pondering}
    said = f"pondering = {str(pondering).lower()}\n" if pondering else ""
    (tmp_path / "t.toml").write_text(f'{said}game = "magnetic-cave"\n[entries]\na = "bot.py"\nb = "random"\n')
    plan, _ = read_plan(tmp_path / "t.toml")
    task = next(plan.tasks(Pairing("a-b", "a", "b")))
    assert pondering_of(monkeypatch, lambda: perform(task)) == {pondering}
    assert ("pondering" in plan.config) is pondering


def test_the_commands_say_whether_bots_may_ponder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from ludus.cli import main  # noqa: PLC0415

    bot = cave_bot(tmp_path, "sys.exit(0)")
    play = ["play", "magnetic-cave", "--first", bot, "--second", "random", "--no-animation"]
    assert pondering_of(monkeypatch, lambda: main([*play, "--pondering"])) == {True}
    assert pondering_of(monkeypatch, lambda: main(play)) == {False}


def test_a_course_says_whether_programs_may_ponder() -> None:
    from ludus.courses import find_course  # noqa: PLC0415
    from ludus.courses.matches import plan_terms  # noqa: PLC0415

    course = find_course("concordia-magnetic-cave")
    assert plan_terms(course, "x", [], 2)["pondering"] is False
    assert plan_terms(course.model_copy(update={"pondering": True}), "x", [], 2)["pondering"] is True
