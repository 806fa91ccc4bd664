"""A foreign program while it runs: lines in, lines out, under a clock, with everything it writes capped.

The clock is real time, from when we begin to ask until the end of the line has been received. Only one thing is taken
off: a wait that ended later than it was asked to, as far as the program used no CPU time in it (see `_excuse`). An
overrun is noticed while it happens, and the program is killed at once. Between its answers it is paused, unless it
may ponder. Knows no moves: what a line means is for the caller to say.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import select
import shutil
import signal
import subprocess
import sys
import tempfile
import termios
import time
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from ludus.display import visible
from ludus.errors import Fault
from ludus.messages import Message
from ludus.sandbox import cage, cgroup
from ludus.sandbox.cage import GO, READY, ResourceLimits, SandboxError
from ludus.sandbox.view import BOT, VisibleFiles

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

SLICE = 0.01
"""The longest single wait, in seconds; also how often CPU time is looked at."""
LATE = 0.0005
"""A wait that ends later than asked by less than this is charged as it is."""
CHUNK = 1 << 16
LONGEST_LINE = 1 << 16
MOST_OUTPUT = 1 << 20
"""Bytes that a program may write between two answers."""
MOST_LINES = 10_000
"""Lines that it may write between two answers."""
MOST_COMPLAINT = 1 << 20
"""Bytes of standard error that are read at once between two answers; what is more is read a chunk a slice."""
KEPT = 1 << 15
"""Bytes of standard error that are kept from its beginning, and as many from its end."""
START_SECONDS = 10.0
EXIT_SECONDS = 3.0
"""How long a program that closed its output may take to go away, so that its status can be told."""
IDLE_LOOKS = 10
"""How often in a row it must be seen to do nothing until it is known to live on."""
WALL_BEYOND_CPU = 10.0
"""Seconds on the wall that a program has beyond its CPU time: the course killed it then."""
TICK = 1 / os.sysconf("SC_CLK_TCK")
"""How exact /proc is about CPU time, in seconds."""
SEEN_SECONDS = 0.1
"""How often CPU time is looked at before a wait where no control group counts it: looking costs more there."""
STOP_TRIES, STOP_SECONDS = 20, 0.0005
"""How often a program that may start others is looked at until all of it has stopped, and the pause between."""
OUT_OF_MEMORY = re.compile(rb"MemoryError|bad_alloc|OutOfMemoryError|heap out of memory|Cannot allocate memory")


class Log:
    """The first and the last of what a program wrote on standard error."""

    def __init__(self) -> None:
        self._head = bytearray()
        self._tail = bytearray()
        self.total = 0
        """Bytes that it wrote, kept or not."""

    def add(self, data: bytes) -> None:
        """Keep some more of it, at a cost that depends on this piece alone."""
        self.total += len(data)
        room = KEPT - len(self._head)
        self._head += data[:room]
        self._tail += data[room:][-KEPT:]
        del self._tail[:-KEPT]

    def since(self, mark: int) -> bytes:
        """Return what is kept of all that came after the first `mark` bytes."""
        new = self.total - mark
        return bytes(self._head + self._tail)[-new:] if new else b""

    @property
    def bytes(self) -> bytes:
        """What is kept, with a word about what is not."""
        dropped = self.total - len(self._head) - len(self._tail)
        gap = f"\n... {dropped} bytes are left out here ...\n".encode() if dropped else b""
        return bytes(self._head) + gap + bytes(self._tail)

    @property
    def text(self) -> str:
        """The same as text, fit to be shown."""
        return visible(self.bytes.decode(errors="replace"))


class Process:
    """A program that runs. `start` makes one."""

    def __init__(
        self,
        child: subprocess.Popen[bytes],
        group: cgroup.Group | None,
        scratch: Path | None,
        *,
        pondering: bool = False,
    ) -> None:
        self._child = child
        self._group = group
        self._scratch = scratch
        self._caged = scratch is None
        self._pondering = pondering
        assert child.stdin is not None
        assert child.stdout is not None
        assert child.stderr is not None
        self._stdin, self._stdout, self._stderr = child.stdin.fileno(), child.stdout.fileno(), child.stderr.fileno()
        for descriptor in (self._stdin, self._stdout, self._stderr):
            os.set_blocking(descriptor, False)
        self._poll = select.poll()
        self._poll.register(self._stdout, select.POLLIN)
        self._poll.register(self._stderr, select.POLLIN)
        self._buffer = bytearray()
        self._searched = 0
        self._unsent = bytearray()
        self._ended = False
        self._written = self._lines = self._complained = 0
        self._log_mark = 0
        self._throttled = False
        self._paused = False
        self._stopped: list[int] = []
        self._cpu_at_start: float | None = None
        self._cpu_at_answer: float | None = None
        self._began = self._received = time.monotonic()
        self._excused = 0.0
        self._mark: tuple[float, float] | None = None
        self._cpu_seen = (0.0, 0.0)
        self.log = Log()
        self.stalled = 0.0
        """How long this process itself was held up while it waited, without the program using that time, in all."""

    @property
    def pid(self) -> int:
        """The process that was started: the sandbox's, or the program's own when it is trusted."""
        return self._child.pid

    @property
    def alive(self) -> bool:
        """Whether it still runs."""
        return self._child.poll() is None

    @property
    def seconds(self) -> float:
        """What the last answer took, on the wall: from the start of the clock to the last output that came in."""
        return max(0.0, self._received - self._began - self._excused)

    @property
    def status(self) -> int | None:
        """Its exit status; None while it runs, and below 0 or above 127 where a signal ended it."""
        return self._child.poll()

    def release(self) -> None:
        """Let the program begin; not where bubblewrap was killed too early to take what it had started along."""
        if not self.alive:
            raise self._ending()
        self.send(GO)

    def send(self, text: str | bytes) -> None:
        """Send it something; what a full pipe does not take is sent while waiting for the answer."""
        self._unsent += text.encode() if isinstance(text, str) else text
        self._push()

    def unread(self) -> int:
        """Return how many bytes of what it was sent it has not read yet."""
        count = fcntl.ioctl(self._stdin, termios.FIONREAD, bytes(4))
        return len(self._unsent) + int.from_bytes(count, sys.byteorder)

    def early(self) -> list[str]:
        """Return the lines that it wrote without being asked, and forget them."""
        while self._receive(0):
            self._see_that_it_is_not_too_much()
        *lines, rest = bytes(self._buffer).split(b"\n")
        self._buffer, self._searched = bytearray(rest), 0
        self._lines += len(lines)
        self._see_that_it_is_not_too_much()
        return [line.decode(errors="replace") for line in lines]

    def line(self, seconds: float) -> str:
        """Wait for a line, until the clock that runs since `start_clock` has come to so many seconds."""
        while (end := self._buffer.find(b"\n", self._searched)) < 0:
            self._searched = len(self._buffer)
            if self._ended:
                raise self._ending()
            if self._caged and not self.alive and not self._receive(0):  # what it left behind keeps the pipe open
                raise self._ending()
            self._see_that_a_line_is_not_too_long(len(self._buffer))
            self._see_that_it_is_not_too_much()
            left = seconds - self.spent()
            wall = left if self._cpu_at_start is None else seconds + WALL_BEYOND_CPU - self.seconds
            if min(left, wall) <= 0 and not self._receive(0):
                code = "faults.no_answer_cpu" if wall > left else "faults.no_answer"
                raise self._stop("timeout", Message(code, seconds=f"{seconds:.3g}"))
            # Half of what is left: where we are held up in the last wait, little of what it was asked for is charged.
            self._receive(max(0.0, min(SLICE, left / 2, wall / 2)))
        self._see_that_a_line_is_not_too_long(end)
        line = self._buffer[:end].decode(errors="replace").removesuffix("\r")
        del self._buffer[: end + 1]
        self._searched = 0
        self._lines += 1
        self._see_that_it_is_not_too_much()
        return line

    def _see_that_a_line_is_not_too_long(self, length: int) -> None:
        if length > LONGEST_LINE:
            raise self._stop("too-much-output", Message("faults.endless_line", bytes=length))

    def _see_that_it_is_not_too_much(self) -> None:
        if self._written > MOST_OUTPUT:
            raise self._stop("too-much-output", Message("faults.too_many_bytes", bytes=self._written))
        if self._lines > MOST_LINES:
            raise self._stop("too-much-output", Message("faults.too_many_lines", lines=self._lines))

    def start_clock(self, *, cpu: bool = False) -> None:
        """Begin to measure an answer, on the wall or in CPU time; what was paused runs again."""
        self._resume()
        self._cpu_at_start = (self._cpu_at_answer or self.cpu_seconds()) if cpu else None
        self._mark = None
        self._excused = 0.0
        self._began = self._received = time.monotonic()

    def answered(self) -> None:
        """Its turn is over: until it is asked again it is paused, or stands back where it may ponder.

        A clock of CPU time counts all the same.
        """
        self._cpu_at_answer = None if self._cpu_at_start is None else self.cpu_seconds()
        self._written = self._lines = self._complained = 0
        self._log_mark = self.log.total
        self._mark = None
        if self._throttled:
            self._throttled = False
            self._poll.register(self._stderr, select.POLLIN)
        if not self._pondering:
            self._pause()
        elif self._group is not None:
            self._group.stand_back(back=True)

    def spent(self) -> float:
        """Return what the answer took so far."""
        return self.seconds if self._cpu_at_start is None else self.cpu_seconds() - self._cpu_at_start

    def _push(self) -> None:
        while self._unsent:
            try:
                del self._unsent[: os.write(self._stdin, self._unsent)]
            except BlockingIOError:
                self._poll.register(self._stdin, select.POLLOUT)
                return
            except OSError:  # it does not listen any more; its output will tell how it ended
                self._unsent.clear()
        with contextlib.suppress(KeyError):
            self._poll.unregister(self._stdin)

    def _receive(self, seconds: float) -> bool:
        """Wait for output, at most so long, and take it; tell whether standard output had any."""
        wait = max(1, int(1000 * seconds)) if seconds > 0 else 0  # poll counts in milliseconds
        began, cpu = self._mark or (time.monotonic(), self._cpu_before())
        ready = self._poll.poll(wait)
        self._excuse(time.monotonic() - began, wait / 1000, cpu)
        some = False
        for descriptor, _ in ready:
            if descriptor == self._stdin:
                self._push()
            elif descriptor == self._stderr:
                self._take_complaint()
            else:
                data = self._take(descriptor)
                self._buffer += data
                self._written += len(data)
                some = True
                if not data:
                    self._ended = True
                    self._poll.unregister(descriptor)
        if self._throttled and wait:
            self._take_complaint()
        self._received = time.monotonic()
        # Reading what it wrote is charged to it. Where there was nothing to read, what lies between two waits is ours.
        self._mark = None if ready else (self._received, self._cpu_before())
        return some

    def _excuse(self, took: float, asked: float, cpu: float) -> None:
        """Take off the clock what the program could not use of a wait that ended later than it was asked to.

        Such a wait counts for as long as it was asked to take, or for the CPU time that the program used in it where
        that is more: time in which it could have thought is never free, even if it held us up by its own threads.
        """
        if took - asked < LATE:
            return
        used = self.cpu_seconds() - cpu + (TICK if self._group is None else 0.0)
        free = took - max(asked, min(took, used))
        self._excused += free
        self.stalled += free

    def _take_complaint(self) -> None:
        """Read a piece of standard error; whoever floods it waits for us, and we do not wait for it."""
        data = self._take(self._stderr)
        self.log.add(data)
        self._complained += len(data)
        if not self._throttled and (not data or self._complained > MOST_COMPLAINT):
            self._poll.unregister(self._stderr)
            self._throttled = bool(data)

    @staticmethod
    def _take(descriptor: int) -> bytes:
        try:
            return os.read(descriptor, CHUNK)
        except OSError:
            return b""

    def cpu_seconds(self) -> float:
        """Return the CPU time of the program and all its children so far."""
        counted = self._group.cpu_seconds() if self._group is not None else None
        return tree_cpu_seconds(self.pid) if counted is None else counted

    def _cpu_before(self) -> float:
        """Return the CPU time at the beginning of a wait; without a control group it may be an older, lower figure."""
        now = time.monotonic()
        if self._group is not None or now - self._cpu_seen[0] > SEEN_SECONDS:
            self._cpu_seen = (now, self.cpu_seconds())
        return self._cpu_seen[1]

    def _pause(self) -> None:
        """Stop the program and all that it started, until it is asked again."""
        self._paused = True
        if self._group is not None and self._group.freeze(frozen=True):
            return
        if not self._caged:
            self._signal_group(signal.SIGSTOP)
            return
        for _ in range(STOP_TRIES):  # until nothing is left that could start another process
            inside = self._inside()
            self._stopped = list(inside)
            running = [pid for pid, one in inside.items() if one.state in "RSD"]
            for pid in running:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGSTOP)
            if not running:
                return
            time.sleep(STOP_SECONDS)

    def _resume(self) -> None:
        """Let it run again, with its full share of the CPU."""
        if self._group is not None:
            self._group.stand_back(back=False)
        if not self._paused:
            return
        self._paused = False
        if self._group is not None and self._group.freeze(frozen=False):
            return
        if not self._caged:
            self._signal_group(signal.SIGCONT)
            return
        for pid in self._stopped:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)

    def _inside(self) -> dict[int, ProcessState]:
        """Return the processes of the sandbox, without the two of bubblewrap that keep it."""
        return {pid: one for child in children(self.pid) for pid, one in family(child).items() if pid != child}

    def _signal_group(self, number: int) -> None:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._child.pid, number)

    def _exit_status(self) -> int | None:
        """Wait for the end of a program that has closed its output; None for one that lives on.

        Many close it a moment before they end. One that does nothing any more, but wait, is not about to end.
        """
        until, used, idle = time.monotonic() + EXIT_SECONDS, -1.0, 0
        while self._child.poll() is None and idle < IDLE_LOOKS and time.monotonic() < until:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._child.wait(SLICE)
            processes, before, used = family(self.pid), used, self.cpu_seconds()
            idle = idle + 1 if used == before and all(one.state == "S" for one in processes.values()) else 0
        return self._child.poll()

    def _ending(self) -> Fault:
        """Say how it ended, once it has closed its output."""
        status = self._exit_status()
        if status is None:
            self.kill()
            return Fault("no-answer", Message("faults.closed_output"))
        if self.out_of_memory():
            return Fault("memory")
        self.kill()
        if status == 0:
            return Fault("no-answer", Message("faults.ended"))
        by = _signal(status)
        if by is not None:
            return Fault("crash", Message("faults.killed", signal=by.name), signal=by)
        return Fault("crash", Message("faults.exit_status", status=status))

    def _drain_complaint(self) -> None:
        """Read what is in the pipe of standard error; not more than a pipe can hold, so that it ends."""
        for _ in range(MOST_COMPLAINT // CHUNK + 1):
            data = self._take(self._stderr)
            if not data:
                return
            self.log.add(data)

    def out_of_memory(self) -> bool:
        """Tell whether it ended for want of memory: by the kernel's word, or by its own words since its last answer."""
        self._drain_complaint()
        killed = self._group is not None and self._group.out_of_memory()
        return killed or OUT_OF_MEMORY.search(self.log.since(self._log_mark)[-KEPT:]) is not None

    def _stop(self, kind: str, message: Message) -> Fault:
        """Kill it, and return the fault; what it did to its memory comes first."""
        memory = self._group is not None and self._group.out_of_memory()
        self.kill()
        return Fault("memory") if memory else Fault(kind, message)

    def kill(self) -> None:
        """Kill it and all that it started; paused programs die as well."""
        if self._caged:
            with contextlib.suppress(ProcessLookupError):
                self._child.kill()  # the kernel takes its whole pid namespace along
        else:
            self._signal_group(signal.SIGKILL)
        self._child.wait()

    def rest(self, seconds: float, most: int) -> bytes:
        """Return all that it writes until it ends by itself, with status 0; it is a Fault when it does otherwise."""
        self.start_clock()
        while not self._ended:
            if self.seconds > seconds:
                raise self._stop("timeout", Message("faults.did_not_end", seconds=f"{seconds:.3g}"))
            if len(self._buffer) > most:
                raise self._stop("too-much-output", Message("faults.too_many_megabytes", megabytes=most >> 20))
            self._receive(SLICE)
        ending = self._ending()
        if self._child.returncode != 0:
            raise ending
        return bytes(self._buffer)

    def close(self) -> None:
        """End it, and remove every trace of it."""
        self.kill()
        self._drain_complaint()
        for stream in (self._child.stdin, self._child.stdout, self._child.stderr):
            assert stream is not None
            with contextlib.suppress(OSError):
                stream.close()
        if self._group is not None:
            self._group.close()
        if self._scratch is not None:
            shutil.rmtree(self._scratch, ignore_errors=True)

    def __enter__(self) -> Process:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _signal(status: int) -> signal.Signals | None:
    """Return the signal that a status stands for."""
    number = -status if status < 0 else status - 128
    return signal.Signals(number) if number in set(signal.Signals) else None


def start(
    command: Sequence[str],
    *,
    folder: Path | None = None,
    view: VisibleFiles | None = None,
    limits: ResourceLimits | None = None,
    environment: Mapping[str, str] | None = None,
    trusted: bool = False,
    pondering: bool = False,
) -> Process:
    """Start a program whose files are in a folder; inside the sandbox unless it is trusted.

    Between its answers it is paused, unless it may ponder.
    """
    limits, environment, view = limits or ResourceLimits(), environment or {}, view or VisibleFiles()
    if trusted:
        return _start_trusted(command, folder, view, environment, pondering=pondering)
    program = cage.bubblewrap()
    group = cgroup.make(limits.memory_mb * cage.MEGABYTE, limits.processes + 4)
    given = cage.arguments(view, folder, limits, environment, hard_memory=group is not None, root=cage.is_root())
    inside = given.index("--")
    options, rules = _memory_file("\0".join(given[:inside]).encode()), _memory_file(cage.filter_or_error())
    try:
        child = _spawn(
            [
                *cage.enter(group.folders if group else ()),
                *(program, "--args", str(options), "--seccomp", str(rules), *given[inside:], *command),
            ],
            env={},
            pass_fds=(options, rules),
        )
    except BaseException:
        if group is not None:
            group.close()
        raise
    finally:
        os.close(options)
        os.close(rules)
    process = Process(child, group, None, pondering=pondering)
    try:
        process.start_clock()
        if process.line(START_SECONDS).encode() + b"\n" != READY:
            raise SandboxError("sandbox.not_started_properly")
        process.release()
    except Fault as fault:
        output = process.log.text.strip()
        process.close()
        if fault.signal == signal.SIGKILL:
            raise  # killed from outside: nothing is wrong with the sandbox
        if not output:
            raise SandboxError("sandbox.not_started_silently") from None
        raise SandboxError("sandbox.not_started", output=output) from None
    return process


def _start_trusted(
    command: Sequence[str], folder: Path | None, view: VisibleFiles, environment: Mapping[str, str], *, pondering: bool
) -> Process:
    """Start one's own program without a sandbox, in a scratch folder with links to its files."""
    scratch = Path(tempfile.mkdtemp(prefix="ludus-"))
    if folder is not None:
        for item in folder.iterdir():
            (scratch / item.name).symlink_to(item)
    own = {**os.environ, "PYTHONUNBUFFERED": "1", **environment}
    own.pop("LUDUS_SANDBOX", None)  # what believes itself alone may kill everything in reach
    own["PATH"] = ":".join((*view.path, own.get("PATH", "")))
    words = [word.replace(BOT, str(folder)) if word.startswith(f"{BOT}/") else word for word in command]
    try:
        child = _spawn(words, env=own, cwd=scratch, start_new_session=True)
    except OSError as error:
        shutil.rmtree(scratch, ignore_errors=True)
        raise Fault(
            "crash", Message("faults.command_not_started", command=repr(words[0]), problem=error.strerror)
        ) from None
    return Process(child, None, scratch, pondering=pondering)


def _spawn(command: Sequence[str], **settings: object) -> subprocess.Popen[bytes]:
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, bufsize=0, **settings)  # type: ignore[call-overload,no-any-return]  # noqa: S603


def _memory_file(data: bytes) -> int:
    """Return the descriptor of a file in memory, above those that the sandbox's shell arranges for itself."""
    made = os.memfd_create("ludus")
    try:
        os.write(made, data)
        os.lseek(made, 0, os.SEEK_SET)
        return fcntl.fcntl(made, fcntl.F_DUPFD_CLOEXEC, 10)
    finally:
        os.close(made)


class ProcessState(NamedTuple):
    """What /proc tells about a process."""

    state: str
    """`R` for one that runs, `S` or `D` for one that sleeps, `T` for one that was stopped."""
    cpu_seconds: float


def process_state(pid: int) -> ProcessState | None:
    """Look at a process; None where it is gone."""
    try:
        fields = Path("/proc", str(pid), "stat").read_text().rpartition(")")[2].split()
    except OSError:
        return None
    return ProcessState(fields[0], sum(map(int, fields[11:15])) * TICK)


def children(pid: int) -> list[int]:
    """Return the processes that a process has started, or was given when their parent ended."""
    found: list[int] = []
    with contextlib.suppress(OSError):
        for thread in os.listdir(f"/proc/{pid}/task"):  # noqa: PTH208 - many times a second
            with contextlib.suppress(OSError):
                found += map(int, Path(f"/proc/{pid}/task/{thread}/children").read_text().split())
    return found


def family(root: int) -> dict[int, ProcessState]:
    """Return a process and all below it."""
    found: dict[int, ProcessState] = {}
    waiting = [root]
    while waiting:
        pid = waiting.pop()
        if pid not in found and (one := process_state(pid)) is not None:
            found[pid] = one
            waiting += children(pid)
    return found


def tree_cpu_seconds(root: int) -> float:
    """Return the CPU time of a process and all below it, as /proc tells it."""
    return sum(one.cpu_seconds for one in family(root).values())
