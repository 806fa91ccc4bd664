"""The first process of a sandbox: it ends everything, pauses everything, and no program inside can take its place or
that of a shim; each sandbox has a user of its own.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import uuid
from pathlib import Path

import pyseccomp as seccomp
import pytest
from bots import processes_with
from ordinary import as_ordinary_user
from patience import PATIENCE, until

import ludus
from ludus import sandbox
from ludus.errors import UserError
from ludus.play.clock import Clock
from ludus.players import player
from ludus.sandbox import cage, cgroup, users, view
from ludus.sandbox.proc import children

USERS = ["root", "ordinary user"]


def refereed(user: str, script: str, text: str = "") -> subprocess.CompletedProcess[str]:
    """Run a referee as that user."""
    if user == "root":
        return subprocess.run([sys.executable, "-c", script], input=text, capture_output=True, text=True, check=False)
    return as_ordinary_user("-c", script, text=text)


def test_a_program_ends_even_where_nobody_ends_bubblewrap(monkeypatch: pytest.MonkeyPatch) -> None:
    mark = uuid.uuid4().hex
    monkeypatch.setattr(subprocess.Popen, "kill", lambda _: None)
    with sandbox.start(("sh", "-c", "sleep 600 & exec sleep 600", mark)) as program:
        assert processes_with(mark)
        program.kill()
        assert not program.alive
    assert not processes_with(mark)


@pytest.mark.parametrize("user", USERS)
def test_a_program_ends_with_its_referee(user: str) -> None:
    mark = uuid.uuid4().hex
    done = refereed(
        user,
        f"""
import os, signal
from ludus import sandbox
program = sandbox.start(("sh", "-c", "trap '' TERM INT HUP; echo here; while :; do sleep 1; done", "{mark}"))
program.start_clock()
print(program.line(60), flush=True)
os.kill(os.getpid(), signal.SIGKILL)
""",
    )
    assert (done.stdout, done.returncode) == ("here\n", -9), done.stderr
    until(lambda: not processes_with(mark))


AWAKE = """
import ctypes, signal, struct
libc = ctypes.CDLL(None)
while True:
    input()
    for number in range(1, 100):  # each fires once: SIGSTOP drops a SIGCONT that waits, and its timer with it
        timer = ctypes.c_void_p()
        libc.timer_create(1, struct.pack("qii48x", 0, signal.SIGCONT, 0), ctypes.byref(timer))
        libc.timer_settime(timer, 0, struct.pack("qqqq", 0, 0, *divmod(number * 100_000_000, 10**9)), None)
    print(1, flush=True)
    while True:
        pass
"""


def test_who_thinks_on_in_spite_of_a_pause_pays_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """A timer wakes what was stopped by a signal; where control groups freeze, it wakes nothing."""
    monkeypatch.setattr(cgroup, "hierarchy", lambda: None)
    with sandbox.start(("python3", "-c", AWAKE), view=sandbox.python()) as program:
        program.start_clock()
        program.send("go\n")
        program.line(PATIENCE)
        program.answered()
        before = program.cpu_seconds()
        until(lambda: program.cpu_seconds() > before + 0.3, "the timer")
        program.start_clock()
        assert program.spent() > 0.2


THINKS_ON = """
while True:
    input()
    print("x\\n" * 2000 + "answer", flush=True)
    while {thinks}:
        pass
"""


@pytest.mark.parametrize("grouped", [True, False])
@pytest.mark.parametrize("thinks", [True, False])
def test_what_is_used_before_a_pause_holds_is_paid_for(
    monkeypatch: pytest.MonkeyPatch, *, grouped: bool, thinks: bool
) -> None:
    """Lines before an answer hold up the referee, and so do threads on a busy machine; it is held up by hand here."""
    if not grouped:
        monkeypatch.setattr(cgroup, "hierarchy", lambda: None)
    with sandbox.start(("python3", "-c", THINKS_ON.format(thinks=thinks)), view=sandbox.python()) as program:
        program.start_clock()
        program.send("go\n")
        while program.line(PATIENCE) != "answer":
            pass
        held, before = time.monotonic(), program.cpu_seconds()
        until(lambda: time.monotonic() > held + 0.5 and (not thinks or program.cpu_seconds() > before + 0.3))
        program.answered()
        program.start_clock()
        assert (program.spent() > 0.2) is thinks


FORGOTTEN = """
import ctypes, os, signal, struct, sys, time
libc = ctypes.CDLL(None)
signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the kernel forgets children, and the CPU time that they used
results, result = os.pipe()
while True:
    input()
    if os.fork() == 0:
        os.close(1)
        for number in range(1, 100):  # each fires once: SIGSTOP drops a SIGCONT that waits, and its timer with it
            timer = ctypes.c_void_p()
            libc.timer_create(1, struct.pack("qii48x", 0, signal.SIGCONT, 0), ctypes.byref(timer))
            libc.timer_settime(timer, 0, struct.pack("qqqq", 0, 0, *divmod(number * 100_000_000, 10**9)), None)
        os.write(result, b"x")
        while time.process_time() < 0.3:
            pass
        os._exit(0)
    os.read(results, 1)
    print(1, flush=True)
"""


def test_a_child_that_thinks_in_a_pause_and_is_forgotten_is_paid_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where nothing counts the CPU time of processes that have ended."""
    monkeypatch.setattr(cgroup, "hierarchy", lambda: None)
    with sandbox.start(("python3", "-c", FORGOTTEN), view=sandbox.python()) as program:
        children_seen = False
        while not children_seen:  # on a busy machine it may have ended before the pause
            program.start_clock()
            program.send("go\n")
            program.line(PATIENCE)
            program.answered()
            children_seen = bool(grandchildren(program.pid))
        until(lambda: not grandchildren(program.pid), "the end of the child")
        program.start_clock()
        assert program.spent() > 0.05


WITHOUT_FIRST_THREAD = """
import ctypes, os, signal, struct, threading, time
libc = ctypes.CDLL(None)
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
results, result = os.pipe()
def think():
    time.sleep(0.2)  # by then /proc calls the process a zombie
    os.write(result, b"x")
    while True:
        time.sleep(0.1)
        if os.fork() == 0:
            while time.process_time() < 0.05:
                pass
            os._exit(0)
        try:
            os.wait()  # until it has ended; its CPU time is forgotten all the same
        except ChildProcessError:
            pass
def lose_first_thread():
    for number in range(1, 100):
        timer = ctypes.c_void_p()
        libc.timer_create(1, struct.pack("qii48x", 0, signal.SIGCONT, 0), ctypes.byref(timer))
        libc.timer_settime(timer, 0, struct.pack("qqqq", 0, 0, *divmod(number * 500_000_000, 10**9)), None)
    threading.Thread(target=think).start()
    libc.syscall({EXIT}, 0)
input()
if os.fork() == 0:
    os.close(1)
    lose_first_thread()
os.read(results, 1)
print(1, flush=True)
input()
"""


def test_a_process_that_looks_dead_and_thinks_in_a_pause_pays_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its first thread has ended, and another one starts a child that the kernel forgets."""
    monkeypatch.setattr(cgroup, "hierarchy", lambda: None)
    text = WITHOUT_FIRST_THREAD.replace("{EXIT}", str(seccomp.resolve_syscall(seccomp.Arch.NATIVE, "exit")))
    with sandbox.start(("python3", "-c", text), view=sandbox.python()) as program:
        program.start_clock()
        program.send("go\n")
        program.line(PATIENCE)
        program.answered()
        paused = time.monotonic()
        until(lambda: time.monotonic() - paused > 1.0)
        until(lambda: any(children(one) for one in grandchildren(program.pid)), "its child")
        until(lambda: not any(children(one) for one in grandchildren(program.pid)), "the end of its child")
        program.start_clock()
        assert program.spent() > 0.9


def grandchildren(pid: int) -> list[int]:
    """Return what a program has started: bubblewrap's process is `pid`, below it is the first one, then the program."""
    return [one for first in children(pid) for bot in children(first) for one in children(bot)]


def test_a_pause_that_holds_costs_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cgroup, "hierarchy", lambda: None)
    with sandbox.start(("sh", "-c", "while read line; do echo $line; done")) as program:
        charged = 0.0
        for number in range(20):
            program.start_clock()
            charged += program.spent()  # on a busy machine, the shell's own work between its answer and the pause
            program.send(f"{number}\n")
            assert program.line(PATIENCE) == str(number)
            program.answered()
            time.sleep(0.05)
        assert charged < 0.25  # of the second that it was paused


BUSY_THREADS = """
import threading
def work():
    while True:
        sum(range(1000))
for _ in range(3):
    threading.Thread(target=work, daemon=True).start()
while True:
    print(input(), flush=True)
"""


def test_a_pause_of_busy_threads_that_holds_costs_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each thread stops when it gets a core: the last of them long after the first, whose state is the process's."""
    monkeypatch.setattr(cgroup, "hierarchy", lambda: None)
    with sandbox.start(("python3", "-c", BUSY_THREADS), view=sandbox.python()) as program:
        charged = 0.0
        for number in range(8):
            program.start_clock()
            charged += program.spent()
            program.send(f"{number}\n")
            assert program.line(PATIENCE) == str(number)
            program.answered()
            time.sleep(0.1)
        assert charged < 0.4  # of the 0.8 seconds that it was paused


# A user for each sandbox.


def own_user() -> str:
    return "import os; print(os.getuid(), flush=True); input()"


def test_no_two_sandboxes_have_the_same_user() -> None:
    if not cage.is_root():
        pytest.skip("only root can give a sandbox a user of its own")
    programs = [sandbox.start(("python3", "-c", own_user()), view=sandbox.python()) for _ in range(3)]
    found = []
    for program in programs:
        program.start_clock()
        found.append(int(program.line(PATIENCE)))
    assert len({*found}) == 3
    assert all(users.FIRST <= one < users.FIRST + users.COUNT for one in found)
    for program in programs:
        program.close()


def test_a_user_is_taken_until_the_last_process_of_its_sandbox_has_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    if not cage.is_root():
        pytest.skip("only root can give a sandbox a user of its own")
    monkeypatch.setattr(users, "FIRST", users.FIRST - 100)
    monkeypatch.setattr(users, "COUNT", 2)
    held = [users.hold_user() for _ in range(2)]
    assert held[0].number != held[1].number
    with pytest.raises(UserError, match="run fewer games"):
        users.hold_user()
    os.close(held[0].lock)
    with sandbox.start(("cat",)) as program:
        listed = Path(f"/proc/{program.pid}/task/{program.pid}/children").read_text().split()
        links = [os.path.realpath(one) for one in Path(f"/proc/{listed[0]}/fd").iterdir()]
        assert any(link.endswith(f"/{held[0].number}") for link in links), "the first process holds it, too"
        with pytest.raises(UserError, match="run fewer games"):
            users.hold_user()
    again = users.hold_user()
    assert again.number == held[0].number
    for lock in (held[1].lock, again.lock):
        os.close(lock)


def test_locks_of_a_program_are_not_seen_by_its_neighbours() -> None:
    """Neither of the whole file nor of a part of it, which a neighbour could ask about without a right to write."""
    lock = """
import fcntl, struct
file = open("/usr/bin/env")
fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
asked = struct.pack("hhqqi4x", fcntl.F_WRLCK, 0, 7, 1, 0)
for ask in (fcntl.F_GETLK, 36):  # of a process, of an open file
    assert struct.unpack("hhqqi4x", fcntl.fcntl(file, ask, asked))[0] == fcntl.F_UNLCK
fcntl.lockf(file, fcntl.LOCK_SH | fcntl.LOCK_NB, 1, 7)
fcntl.fcntl(file, 37, struct.pack("hhqqi4x", fcntl.F_RDLCK, 0, 7, 1, 0))
print(1, flush=True)
input()
"""
    with (
        sandbox.start(("python3", "-c", lock), view=sandbox.python()) as one,
        sandbox.start(("python3", "-c", lock), view=sandbox.python()) as other,
    ):
        for program in (one, other):
            program.start_clock()
            assert program.line(PATIENCE) == "1"


# Shims.

SHIMS = """
import json, sys, tempfile
from pathlib import Path
from ludus import sandbox
from ludus.protocols import protocol
given = json.load(sys.stdin)
made = tempfile.TemporaryDirectory()
folder = Path(made.name)
folder.chmod(0o755)
for name, text in {**protocol(given["protocol"]).files(), "bot.py": given["bot"]}.items():
    (folder / name).write_text(text)
command = protocol(given["protocol"]).command(("python3", "bot.py"), 0)
with sandbox.start(command, folder=folder, view=sandbox.python(), terminal=given["protocol"] == "console") as shim:
    shim.start_clock()
    for request in given["requests"]:
        shim.send(request)
        while not (answer := shim.line(60)).startswith(("ready", "answer", '{"ended"')):
            pass
print(json.dumps([answer, shim.log.text]))
"""
TAKE_OVER = """
import os, sys
shim = os.getppid()
for name in ("mem", "fd/1", "fd/0", "environ", "maps"):
    try:
        with open(f"/proc/{shim}/{name}", "r+b" if name in ("mem", "fd/1") else "rb", buffering=0) as file:
            done = "opened"
    except OSError as error:
        done = error.strerror
    print("tried", name, done, file=sys.stderr, flush=True)
open("output.txt", "w").write("A1")
"""


@pytest.mark.parametrize("user", USERS)
@pytest.mark.parametrize("protocol", ["files", "console"])
def test_no_shim_can_be_taken_over_by_what_it_starts(user: str, protocol: str) -> None:
    requests = ["ready\n", "aGVsbG8K\n" if protocol == "files" else '{"start": {}}\n']
    done = refereed(user, SHIMS, json.dumps({"protocol": protocol, "bot": TAKE_OVER, "requests": requests}))
    assert done.returncode == 0, done.stderr
    answer, log = json.loads(done.stdout)
    if protocol == "files":
        assert answer == "answer 0 QTE="
    tries = [line for line in log.splitlines() if line.startswith("tried")]
    assert len(tries) == 5, log
    assert all(line.endswith("Permission denied") for line in tries), tries


# What of Ludus a bot gets.

ENGINE_WANTED = """
import ctypes, glob, importlib, os, sys
import ludus
from ludus import _native
state = ludus.game("magnetic-cave").initial()
def tried(what, attempt):
    try:
        attempt()
    except Exception as error:
        print("refused", what, type(error).__name__, error, file=sys.stderr)
    else:
        print("DONE", what, file=sys.stderr)
tried("analyse", lambda: ludus.analyse)
tried("play_match", lambda: ludus.play_match)
for name in ("search.analysis", "search.textbook", "players", "players.engine", "bots", "sandbox", "protocols", "cli",
             "web", "games.chain_reaction.players"):
    tried(name, lambda: importlib.import_module("ludus." + name))
tried("engine", lambda: state.game.make_engine(1 << 20))
tried("look_ahead", lambda: state.game.look_ahead(state, "alphabeta", 4, "plain"))
tried("play_out", lambda: state.game.play_out(state, 100, 1))
tried("evaluation", lambda: state.evaluation)
for name in ("Engine", "SearchInfo", "Variation", "look_ahead", "play_out"):
    tried(name, lambda: getattr(_native, name))
for path in {_native.__file__, *glob.glob(os.path.dirname(ludus.__file__) + "/*.so")}:
    library = ctypes.CDLL(path)
    code = open(path, "rb").read()
    for word in (b"AlphaBeta", b"TreeSearch", b"Textbook", b"make_variation"):
        tried(f"{word} in {path}", lambda: code.index(word))
places = {sys.prefix, sys.base_prefix, *(path for path in sys.path if os.path.isdir(path))}
for place in places:
    for folder, folders, names in os.walk(place):
        if os.path.basename(folder) == "ludus" and "game.py" in names:
            tried("another copy", lambda: [].index(folder) if not os.path.exists(folder + "/search") else None)
def choose(state, clock):
    return state.legal_moves[0]
"""


def test_a_python_bot_has_rules_and_states_and_nothing_that_searches(tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text(ENGINE_WANTED)
    cave = ludus.game("magnetic-cave")
    with player(str(tmp_path / "bot.py"), cave) as bot:
        assert bot.choose(cave.initial(), Clock().start()) == cave.initial().legal_moves[0]
    tries = [line for line in bot.log.splitlines() if line.startswith(("refused", "DONE"))]
    assert len(tries) >= 25, bot.log
    assert [line for line in tries if line.startswith("DONE")] == []
    assert "a bot has rules and states only" in bot.log


EVERY_RULE = """
import sys
import ludus
for name in ludus.games():
    game = ludus.game(name)
    state = game.initial(3)
    while state.outcome is None and len(state.text) < 5000:
        assert game.parse(state.text) == state and str(state) and state.steps(state.legal_moves[-1])
        state = state.play(state.legal_moves[-1])
    try:
        game.initial().play("Z99")
    except ludus.IllegalMove as error:
        assert "." in str(error) or " " in str(error), error
    print(name, state.text, game.perft(game.initial(1), 2), game.title, file=sys.stderr)
def choose(state, clock):
    return state.legal_moves[0]
"""


def test_the_rules_that_a_bot_has_are_ours(tmp_path: Path) -> None:
    (tmp_path / "bot.py").write_text(EVERY_RULE)
    cave = ludus.game("magnetic-cave")
    with player(str(tmp_path / "bot.py"), cave) as bot:
        bot.choose(cave.initial(), Clock().start())
    expected = []
    for name in ludus.games():
        game = ludus.game(name)
        state = game.initial(3)
        while state.outcome is None:
            state = state.play(state.legal_moves[-1])
        expected.append(f"{name} {state.text} {game.perft(game.initial(1), 2)} {game.title}")
    assert bot.log.splitlines() == expected


def test_ludus_is_hidden_from_bots_where_it_is_installed_for_everybody(monkeypatch: pytest.MonkeyPatch) -> None:
    """All bots see /usr, so that a folder there has to stand for the package."""
    installed = next(path for path in sorted(Path("/usr/lib").iterdir()) if path.is_dir() and any(path.iterdir()))
    look = ("sh", "-c", 'ls -A "$1" | wc -l; echo x >"$1/x" || echo refused', "sh", str(installed))
    monkeypatch.setattr(view, "package_folders", lambda: [installed])
    with sandbox.start(look, view=sandbox.python()) as program:
        program.start_clock()
        assert [program.line(PATIENCE).strip() for _ in range(2)] == ["0", "refused"]
