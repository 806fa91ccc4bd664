"""Strangers' programs: each thing that one could try against the machine, the opponent or the clock is contained,
named right, and leaves no process and no file.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
import threading
import time
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from bots import cave_bot, processes_with
from patience import PATIENCE, until

import ludus
from ludus import sandbox
from ludus.errors import Fault
from ludus.play.clock import Clock
from ludus.play.record import Record
from ludus.sandbox import ResourceLimits, SandboxError, cage, cgroup, launch
from ludus.sandbox.log import KEPT
from ludus.sandbox.process import Process

CAVE = ludus.game("magnetic-cave")


@pytest.fixture
def mark(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """A name for a bot that must not be found in any process afterwards; nor may any other trace of it."""
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    marked = f"bot_{uuid.uuid4().hex}.py"
    yield marked
    until(lambda: processes_with(marked) == [])
    assert list(temporary.iterdir()) == []
    found = cgroup.hierarchy()
    if found is not None:
        for folder in found.folders.values():
            assert list(folder.glob(f"{cgroup.PREFIX}{os.getpid()}-*")) == []


def run(text: str, seconds: float = PATIENCE, limits: ResourceLimits | None = None, lines: int = 1) -> list[str]:
    """Run a Python program in the sandbox and give the lines that it answers with."""
    with sandbox.start(("python3", "-c", text), view=sandbox.python(), limits=limits) as program:
        program.start_clock()
        program.send("go\n")
        return [program.line(seconds) for _ in range(lines)]


def against_random(bot: str, clock: str = "20/move") -> Record:
    return ludus.play_match(CAVE, (bot, "random:seed=1"), clock)


def outcome(record: Record) -> str:
    assert record.outcome is not None
    return record.outcome.reason


def test_a_bot_plays_a_whole_game(tmp_path: Path, mark: str) -> None:
    for players in ((cave_bot(tmp_path, name=mark), "random:seed=1"), ("random:seed=1", cave_bot(tmp_path, name=mark))):
        record = ludus.play_match(CAVE, players, "20/move")
        assert outcome(record) == "rules"


FAULTY: dict[str, tuple[str, str]] = {
    "illegal-move": ("print('A9')", "A9"),
    "timeout": ("time.sleep(60)", "did not answer within 2 s"),
    "crash": ("sys.exit(3)", "exit status 3"),
    "no-answer": ("sys.exit(0)", "ended without an answer"),
    "bad-output": ("print('hello')", "'hello'"),
    "memory": ("hog = bytearray(3 << 30)\n    for i in range(0, len(hog), 4096): hog[i] = 1", "memory"),
    "too-much-output": ("sys.stdout.write('x' * (4 << 20))", "without a line break"),
}


@pytest.mark.parametrize("kind", FAULTY)
def test_each_failure_has_its_name_and_its_sentence(tmp_path: Path, mark: str, kind: str) -> None:
    """In the middle of a game; those of the first move are in tests/play/test_faults.py, for every protocol."""
    trouble, says = FAULTY[kind]
    bot = cave_bot(tmp_path, f"if turn == 3:\n    {trouble}", mark)
    record = against_random(bot, "2/move" if kind == "timeout" else "20/move")
    assert record.outcome == ludus.Outcome(1, kind)
    assert says in record.headers["Fault"]
    assert len(record.moves) == 4
    assert Record.parse(record.text).outcome == record.outcome


THREADS = """\
import threading
for _ in range(40):
    threading.Thread(target=time.sleep, args=(9,), daemon=True).start()
"""


@pytest.mark.parametrize("says", ["pass", "sys.stderr.write('unable to create native thread'); time.sleep(9)"])
def test_too_many_threads_are_a_finding_with_the_limit_and_a_remedy(tmp_path: Path, mark: str, says: str) -> None:
    """Also where only one of its threads ended by that, and the others go on."""
    path = Path(cave_bot(tmp_path, f"if turn == 2:\n    {says}\n    exec({THREADS!r})", mark))
    (tmp_path / "bot.toml").write_text(f'game = "magnetic-cave"\nmain = "{path.name}"\nlimits.processes = 20\n')
    record = against_random(str(tmp_path), "2/move")
    assert outcome(record) == ("crash" if says == "pass" else "timeout")
    assert "; it had started more than the 20 threads and processes that it may have" in record.headers["Fault"]


def test_a_bot_that_cannot_be_built_loses(tmp_path: Path) -> None:
    (tmp_path / "broken.cpp").write_text("int main() { return nothing; }\n")
    record = against_random(str(tmp_path / "broken.cpp"))
    assert record.outcome == ludus.Outcome(1, "build-failed")
    assert "'nothing' was not declared" in record.headers["Fault"].replace("‘", "'").replace("’", "'")


def test_fork_bomb(tmp_path: Path, mark: str) -> None:
    trouble = """
        while True:
            try:
                os.fork()
            except OSError:
                pass
    """
    assert outcome(against_random(cave_bot(tmp_path, trouble, mark), "1/move")) == "timeout"


def test_the_number_of_processes_is_limited() -> None:
    text = """
import os, time
n = 0
try:
    while n < 1000:
        if os.fork() == 0:
            time.sleep(60)
        n += 1
except OSError:
    pass
print(n, flush=True)
"""
    assert int(run(text, PATIENCE, ResourceLimits(processes=32))[0]) <= 32


def test_memory_of_many_processes_is_one_limit(mark: str) -> None:
    if cgroup.hierarchy() is None:
        pytest.skip("this machine has no memory control group to use: the limit is per process")
    text = f"""
import os, time
for _ in range(8):
    if os.fork() == 0:
        hog = bytearray(100 << 20)
        for i in range(0, len(hog), 4096): hog[i] = 1
        time.sleep(60)
time.sleep(60)  # {mark}
"""
    with sandbox.start(("python3", "-c", text), view=sandbox.python(), limits=ResourceLimits(memory_mb=256)) as program:
        program.start_clock()
        with pytest.raises(Fault) as caught:
            program.line(15)
        assert caught.value.kind == "memory"


def test_without_a_control_group_memory_is_limited_by_rlimit(monkeypatch: pytest.MonkeyPatch, mark: str) -> None:
    monkeypatch.setattr(cgroup, "hierarchy", lambda: None)
    with pytest.raises(Fault) as caught:
        run(f"hog = bytearray(1 << 30)  # {mark}", limits=ResourceLimits(memory_mb=256))
    assert caught.value.kind == "memory"
    assert run("input(); print(len(bytearray(100 << 20)))", limits=ResourceLimits(memory_mb=256)) == [str(100 << 20)]


def test_disk_filler() -> None:
    text = """
import os
total = 0
for where in ("/tmp", "/play", "/dev/shm", "/bot", "/", "/dev", "/etc", "/usr", "/proc"):
    for n in range(20):
        try:
            with open(f"{where}/f{n}", "wb") as file:
                for _ in range(64):
                    total += file.write(bytes(1 << 20))
        except OSError:
            pass
print(total >> 20)
"""
    assert int(run(text, PATIENCE, ResourceLimits(disk_mb=16))[0]) <= 16 + 16 + 1


def test_endless_output_without_a_newline(tmp_path: Path, mark: str) -> None:
    bot = cave_bot(tmp_path, "while True: sys.stdout.write('x' * 4096)", mark)
    assert outcome(against_random(bot)) == "too-much-output"


def test_endless_talk(tmp_path: Path, mark: str) -> None:
    bot = cave_bot(tmp_path, "while True: print('let me think ...')", mark)
    assert outcome(against_random(bot, "60/move")) == "too-much-output"


def test_output_after_the_game_hurts_nobody(tmp_path: Path, mark: str) -> None:
    bot = cave_bot(tmp_path, "os.set_blocking(1, False)\nprint('and', 'then', 'some', file=sys.stderr)", mark)
    start = CAVE.parse("xxxx..../......../......../......../......../......../......../ooo..... x".replace(" x", " 1"))
    record = ludus.play_match(CAVE, (bot, "random:seed=1"), "3/move", start=start)
    assert outcome(record) == "rules"


def test_standard_error_is_kept_and_capped(tmp_path: Path, mark: str) -> None:
    from ludus.players import player  # noqa: PLC0415

    bot = cave_bot(
        tmp_path, "print('first words', turn, file=sys.stderr)\nsys.stderr.write('x' * (1 << 20) + 'end')", mark
    )
    with player(bot, CAVE) as seat:
        seat.choose(CAVE.initial(), Clock().start())
    log = seat.log
    assert log.startswith("first words 1")
    assert log.endswith("end")
    assert "bytes are left out here" in log
    assert len(log) < 2 * KEPT + 100


def test_nothing_outside_is_to_be_seen(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("secret")
    text = f"""
import os, glob
for path in ({str(secret)!r}, "/etc/passwd",
             "/etc/shadow", {str(Path.home() / ".profile")!r}, "/home", "/var", "/proc/1/environ", "/proc/kcore"):
    try:
        shown = os.listdir(path) if os.path.isdir(path) else open(path).read(100)
    except OSError:
        shown = None
    print(path, shown)
print(sorted(os.environ))
print(len([p for p in os.listdir("/proc") if p.isdecimal()]))
"""
    os.environ["LUDUS_TEST_SECRET"] = secret.name
    try:
        *looks, names, count = run(text, lines=10)
    finally:
        del os.environ["LUDUS_TEST_SECRET"]
    for look in looks:
        assert look.endswith((" None", " ", " []")), look
    assert "SECRET" not in names
    assert int(count) <= 3


REACH = """
import socket
try:
    with socket.create_connection(("127.0.0.1", PORT), 2) as there:
        there.sendall(b"hello")
    print("reached", flush=True)
except OSError as error:
    print("refused", flush=True)
"""


def test_no_network() -> None:
    """The same code does reach a loopback server when it is not in the sandbox."""
    with socket.create_server(("127.0.0.1", 0)) as server:
        text = REACH.replace("PORT", str(server.getsockname()[1]))
        outside = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=True)
        assert outside.stdout == "reached\n"
        assert run(text) == ["refused"]


def test_no_network_even_without_the_filter(monkeypatch: pytest.MonkeyPatch) -> None:
    """The net namespace alone keeps it in, should the filter ever let a socket through."""
    everything = b"\x06\x00\x00\x00\x00\x00\xff\x7f"
    monkeypatch.setattr(cage, "filters_or_error", lambda **_: (everything, everything))
    with socket.create_server(("127.0.0.1", 0)) as server:
        assert run(REACH.replace("PORT", str(server.getsockname()[1]))) == ["refused"]


def test_forbidden_calls_are_refused() -> None:
    text = """
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
for call in (lambda: libc.unshare(0x10000000), lambda: libc.ptrace(0, 0, 0, 0),
             lambda: libc.mount(b"x", b"/tmp", b"tmpfs", 0, None),
             lambda: libc.setns(0, 0), lambda: libc.setuid(0), lambda: libc.chroot(b"/tmp")):
    print(call(), flush=True)
"""
    assert run(text, lines=6) == ["-1"] * 6


def test_double_forked_sleeper(tmp_path: Path, mark: str) -> None:
    trouble = """
        if turn == 1 and os.fork() == 0:
            os.setsid()
            if os.fork() == 0:
                os.close(0); os.close(1); os.close(2)
                time.sleep(600)
            os._exit(0)
    """
    assert outcome(against_random(cave_bot(tmp_path, trouble, mark))) == "rules"


def test_signal_ignorer(tmp_path: Path, mark: str) -> None:
    trouble = """
        import signal
        for number in range(1, 64):
            try:
                signal.signal(number, signal.SIG_IGN)
            except (OSError, ValueError):
                pass
        while True:
            time.sleep(1)
    """
    assert outcome(against_random(cave_bot(tmp_path, trouble, mark), "0.5/move")) == "timeout"


def test_opponent_killer(tmp_path: Path, mark: str) -> None:
    killer = """
        import signal
        for number in (signal.SIGKILL, signal.SIGTERM):
            for pid in range(1, 70000):
                if pid != os.getpid():
                    try:
                        os.kill(pid, number)
                    except OSError:
                        pass
    """
    (tmp_path / "victim").mkdir()
    victim = cave_bot(tmp_path / "victim", name=mark)
    record = ludus.play_match(CAVE, (victim, cave_bot(tmp_path, killer, mark)), "20/move")
    assert record.outcome is not None
    assert record.outcome.reason == "rules" or record.outcome.winner == 0


def test_answering_before_being_asked(tmp_path: Path, mark: str) -> None:
    early = """
        for number in range(8, 0, -1):
            print(f"A{number}")
            print(f"H{number}")
        time.sleep(60)
    """
    record = against_random(cave_bot(tmp_path, early, mark))
    assert record.outcome == ludus.Outcome(1, "bad-output")
    assert "before it was asked" in record.headers["Fault"]


def test_a_cpu_clock_counts_the_whole_tree_and_not_the_waiting(tmp_path: Path, mark: str) -> None:
    assert outcome(against_random(cave_bot(tmp_path, "time.sleep(0.2)", mark), "cpu:1.5")) == "rules"
    burn = """
        if os.fork() == 0:
            while True: pass
        time.sleep(60)
    """
    record = against_random(cave_bot(tmp_path, burn, mark), "cpu:1")
    assert record.outcome == ludus.Outcome(1, "timeout")
    assert "s of CPU time" in record.headers["Fault"]


def test_a_cpu_clock_counts_what_is_thought_in_the_opponents_time() -> None:
    text = """
import select, sys
input()
print(1, flush=True)
while not select.select([sys.stdin], [], [], 0)[0]: pass
input()
print(2, flush=True)
"""
    with sandbox.start(("python3", "-c", text), view=sandbox.python(), pondering=True) as program:
        used = []
        for _ in range(2):
            program.start_clock(cpu=True)
            program.send("go\n")
            program.line(PATIENCE)
            used.append(program.spent())
            program.answered()
            enough = program.cpu_seconds() + 0.19 if len(used) == 1 else 0.0
            until(lambda: program.cpu_seconds() >= enough)  # noqa: B023
        assert used[1] > 0.15


@pytest.mark.parametrize("pondering", [True, False])
def test_whose_turn_it_is_not_cannot_slow_the_other_down(*, pondering: bool) -> None:
    found = cgroup.hierarchy()
    if found is None or "cpu" not in found.folders:
        pytest.skip("this machine has no control groups for shares of CPU time")
    burn = "import os\ninput()\nprint(1, flush=True)\nfor _ in range(3): os.fork()\nwhile True: pass"
    think = "import time\ninput()\nwhile time.process_time() < 0.5: pass\nprint(1, flush=True)"
    everywhere = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {min(everywhere)})  # both on one core
    try:
        with (
            sandbox.start(("python3", "-c", burn), view=sandbox.python(), pondering=pondering) as burner,
            sandbox.start(("python3", "-c", think), view=sandbox.python()) as thinker,
        ):
            for program in (burner, thinker):
                before = burner.cpu_seconds()
                program.start_clock()
                program.send("go\n")
                program.line(PATIENCE)
                program.answered()
            assert burner.cpu_seconds() - before < 0.25  # eight processes, and one that took 0.5 s
    finally:
        os.sched_setaffinity(0, everywhere)


def test_cpu_time_without_a_control_group(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cgroup, "hierarchy", lambda: None)
    text = "import time\nwhile time.process_time() < 0.5: pass\nprint(1, flush=True)\ntime.sleep(60)"
    with sandbox.start(("python3", "-c", text), view=sandbox.python()) as program:
        program.start_clock(cpu=True)
        program.line(PATIENCE)
        assert 0.4 <= program.spent() <= 1.5


def test_it_dies_with_the_referee(tmp_path: Path, mark: str) -> None:
    script = f"""
import ludus
ludus.play_match(ludus.game("magnetic-cave"), ({cave_bot(tmp_path, "time.sleep(600)", mark)!r}, "random"))
"""
    with subprocess.Popen([sys.executable, "-c", script]) as referee:
        until(lambda: bool(processes_with(f"python3 {mark}".replace(" ", "\0"))))
        referee.kill()
    until(lambda: not processes_with(mark))


def test_it_never_runs_on_without_the_bubblewrap_that_was_killed_while_it_started(
    monkeypatch: pytest.MonkeyPatch, mark: str
) -> None:
    spawn = launch.spawn
    for step in range(40):

        def spawn_and_kill(*given: Any, after: float = step / 2000, **more: Any) -> Any:
            child = spawn(*given, **more)
            time.sleep(after)
            child.kill()
            return child

        monkeypatch.setattr(launch, "spawn", spawn_and_kill)
        with pytest.raises(Fault, match="SIGKILL"), sandbox.start(("sh", "-c", "cat", mark)) as program:

            def answers(program: Process = program) -> None:
                program.start_clock()
                program.send("go\n")
                program.line(PATIENCE)

            until(answers, "the end")  # a kill takes a moment, in which it may answer


def test_one_bots_failure_does_not_hurt_the_others_clock(tmp_path: Path, mark: str) -> None:
    slow = cave_bot(tmp_path, "time.sleep(60)", mark)
    record = ludus.play_match(CAVE, ("random:seed=1", slow), "0.5/move")
    assert record.outcome == ludus.Outcome(0, "timeout")


def test_bots_of_two_threads_do_not_mix(tmp_path: Path, mark: str) -> None:
    bot, records = cave_bot(tmp_path, name=mark), []
    threads = [threading.Thread(target=lambda: records.append(against_random(bot))) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    first, second = ([played.move for played in record.moves] for record in records)
    assert first == second


def test_without_bubblewrap_nothing_is_run(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SandboxError, match="apt-get install bubblewrap"):
        sandbox.start(("true",))
