"""A foreign program while it runs: lines in, lines out, under a clock, with limits on everything it writes.

The clock is real time, from the start of the question until the end of the line has been received. One thing is
subtracted: the delay of a wait that ended too late, as far as the program used no CPU time in it (see `_excuse`). A
program that exceeds its time is killed at once. Between its answers it is paused, unless it may ponder; what it uses
before the pause holds is charged to its next answer. Knows no moves: the caller decides what a line means.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import select
import signal
import subprocess
import sys
import termios
import time

from ludus.errors import Fault
from ludus.messages import Message
from ludus.sandbox.cage import GO
from ludus.sandbox.cgroup import Group
from ludus.sandbox.cpu import CpuMeter, CpuReading
from ludus.sandbox.keeper import Keeper
from ludus.sandbox.log import KEPT, Log
from ludus.sandbox.pause import SignalPause
from ludus.sandbox.proc import TICK, ProcessState, children, family, of_user

SLICE = 0.01
"""The longest single wait, in seconds; also how often CPU time is checked."""
LATE = 0.0005
"""A wait that ends later than asked by less than this is charged as it is."""
CHUNK = 1 << 16
LONGEST_LINE = 1 << 16
MOST_OUTPUT = 1 << 20
"""Bytes that a program may write between two answers."""
MOST_LINES = 10_000
"""Lines that it may write between two answers."""
MOST_STDERR = 1 << 20
"""Bytes of standard error that are read at once between two answers; the rest is read one chunk per slice."""
EXIT_SECONDS = 3.0
"""How long a program that closed its output may take to end, so that its exit status is known."""
EXPLAINED = {
    signal.SIGSEGV: "faults.by_memory",
    signal.SIGBUS: "faults.by_memory",
    signal.SIGABRT: "faults.by_abort",
    signal.SIGFPE: "faults.by_division",
    signal.SIGILL: "faults.by_nonsense",
    signal.SIGTRAP: "faults.by_nonsense",
}
"""What a program did, in words, by the signal that it was killed by."""
IDLE_CHECKS = 10
"""How many times in a row it must be found idle before it counts as still running."""
WALL_BEYOND_CPU = 10.0
"""Seconds of real time that a program has beyond its limit of CPU time; then it is killed, as the course did."""
STOP_TRIES, STOP_SECONDS = 20, 0.0005
"""How often all processes of a user are checked until they have stopped, and the pause between two checks."""
ENDED: dict[int, str] = {signal.SIGSTOP: "TZX", signal.SIGCONT: "RSDZX", signal.SIGKILL: "ZX"}
"""The states of processes that need a signal no more."""
OUT_OF_MEMORY = re.compile(
    rb"MemoryError|bad_alloc|OutOfMemoryError(?!: unable to create)|heap out of memory|Cannot allocate memory"
)
OUT_OF_THREADS = re.compile(
    rb"can't start new thread|unable to create (?:new )?native thread"
    rb"|(?:fork|thread|system_error)[\s\S]{0,200}?Resource temporarily unavailable"
)
"""What programs write that may start no further thread or process."""


class Process:
    """A running program. `start` creates one."""

    def __init__(
        self,
        child: subprocess.Popen[bytes],
        group: Group | None,
        keeper: Keeper | None,
        held: contextlib.ExitStack,
        *,
        user: int | None = None,
        threads: int | None = None,
        pondering: bool = False,
    ) -> None:
        """Take a child that was started; without a sandbox around it, by its process group or as a user of its own.

        `threads` is the most threads and processes that it may have at a time.
        """
        self._threads = threads
        self._child = child
        self._group = group
        self._keeper = keeper
        """The first process of the sandbox; None for a program that is trusted, or that is a user of its own."""
        self._user = user
        self._held = held
        self._pondering = pondering
        self._cpu = CpuMeter(group, self._processes)
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
        self._written = self._lines = self._stderr_bytes = 0
        self._log_mark = 0
        self._throttled = False
        self._paused = False
        self._pause_by_signal: SignalPause | None = None
        self._cpu_at_start: float | None = None
        self._cpu_at_answer: float | None = None
        self._cpu_at_line = CpuReading(0.0, 0)
        """When the last piece of output with the end of a line was received."""
        self._stolen = 0.0
        """Seconds that the next answer is charged for before it begins."""
        self._began = self._received = time.monotonic()
        self._excused = 0.0
        self._mark: tuple[float, CpuReading] | None = None
        self.log = Log()
        self.stalled = 0.0
        """Total seconds for which this process was delayed while it waited and the program did not use that time."""

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
        """What the last answer took in real time: from the start of the clock to the last output received."""
        return max(0.0, self._received - self._began - self._excused)

    @property
    def status(self) -> int | None:
        """Its exit status; None while it runs, and below 0 or above 127 where a signal ended it."""
        return self._child.poll()

    @property
    def refused(self) -> tuple[str, ...]:
        """The names of the system calls that the sandbox refused it."""
        return () if self._keeper is None else self._keeper.refused

    def await_ready(self, word: str, seconds: float) -> None:
        """Wait for the sandbox to say that it is ready, and let the program begin.

        It does not begin if bubblewrap was killed too early to end what it had started.
        """
        self.start_clock()
        if self.line(seconds) != word:
            raise self._stop("crash", Message("sandbox.not_started_properly"))
        if self._keeper is not None:
            self._keeper.find(self.pid)
        if not self.alive:
            raise self._ending()
        self.send(GO)

    def send(self, text: str | bytes) -> None:
        """Send text; what does not fit into the pipe is sent while waiting for the answer."""
        self._unsent += text.encode() if isinstance(text, str) else text
        self._push()

    def unread(self) -> int:
        """Return how many bytes it was sent but has not read yet."""
        count = fcntl.ioctl(self._stdin, termios.FIONREAD, bytes(4))
        return len(self._unsent) + int.from_bytes(count, sys.byteorder)

    def early(self) -> list[str]:
        """Remove and return the lines that it wrote without being asked."""
        for _ in range(MOST_OUTPUT // CHUNK + 1):  # what the largest pipe holds: one that writes on cannot hold us up
            if not self._receive(0):
                break
            self._check_output()
        *lines, rest = bytes(self._buffer).split(b"\n")
        self._buffer, self._searched = bytearray(rest), 0
        self._lines += len(lines)
        self._check_output()
        return [line.decode(errors="replace") for line in lines]

    def line(self, seconds: float) -> str:
        """Wait for a line until the clock, which runs since `start_clock`, shows this number of seconds."""
        is_late = False
        while (end := self._buffer.find(b"\n", self._searched)) < 0:
            self._searched = len(self._buffer)
            if self._ended:
                raise self._ending()
            if self._keeper is not None and not self.alive and not self._receive(0):  # its child keeps the pipe open
                raise self._ending()
            self._check_line_length(len(self._buffer))
            self._check_output()
            left = seconds - self.spent()
            wall = left if self._cpu_at_start is None else seconds + WALL_BEYOND_CPU - self.seconds
            if min(left, wall) <= 0 and (is_late or not self._receive(0)):
                code = "faults.no_answer_cpu" if wall > left else "faults.no_answer"
                raise self._stop("timeout", self.with_thread_limit(Message(code, seconds=f"{seconds:.3g}")))
            is_late = min(left, wall) <= 0  # it may have answered in time, but more than one look nobody gets
            # Half of what is left: if the last wait is delayed, little of the requested time is charged.
            self._receive(max(0.0, min(SLICE, left / 2, wall / 2)))
        self._check_line_length(end)
        line = self._buffer[:end].decode(errors="replace").removesuffix("\r")
        del self._buffer[: end + 1]
        self._searched = 0
        self._lines += 1
        self._check_output()
        return line

    def _check_line_length(self, length: int) -> None:
        if length > LONGEST_LINE:
            raise self._stop("too-much-output", Message("faults.endless_line", bytes=length))

    def _check_output(self) -> None:
        if self._written > MOST_OUTPUT:
            raise self._stop("too-much-output", Message("faults.too_many_bytes", bytes=self._written))
        if self._lines > MOST_LINES:
            raise self._stop("too-much-output", Message("faults.too_many_lines", lines=self._lines))

    def start_clock(self, *, cpu: bool = False) -> None:
        """Begin to measure an answer in real time or CPU time, and resume the program."""
        stolen, self._stolen = self._stolen + self._used_in_pause(), 0.0
        before = self._cpu.read()
        self._cpu_at_start = (self._cpu_at_answer or before.seconds) if cpu else None
        self._mark = None
        woken = time.monotonic()
        self._resume()
        self._excused = -(stolen + self._used_in(time.monotonic() - woken, before))
        self._began = self._received = time.monotonic()

    def answered(self) -> None:
        """End its turn: pause it until it is asked again, or reduce its share of the CPU if it may ponder.

        A clock of CPU time counts meanwhile too.
        """
        self._cpu_at_answer = None if self._cpu_at_start is None else self.cpu_seconds()
        self._written = self._lines = self._stderr_bytes = 0
        self._log_mark = self.log.total
        self._mark = None
        if self._throttled:
            self._throttled = False
            self._poll.register(self._stderr, select.POLLIN)
        if not self._pondering:
            self._pause()
            self._stolen = self._used_in(time.monotonic() - self._received, self._cpu_at_line)
        elif self._group is not None:
            self._group.stand_back(back=True)

    def _used_in(self, took: float, before: CpuReading) -> float:
        """Return the seconds in which it could think while its clock stood: what it used, if that took long.

        Its own threads may delay the referee then, and lines that it wrote before an answer take time to read.
        """
        return min(took, self._cpu.used_since(before, took)) if took >= LATE else 0.0

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
            except OSError:  # it does not read any more; its output shows how it ended
                self._unsent.clear()
        with contextlib.suppress(KeyError):
            self._poll.unregister(self._stdin)

    def _receive(self, seconds: float) -> bool:
        """Wait at most this long for output and read it; return whether there was any on standard output."""
        wait = max(1, int(1000 * seconds)) if seconds > 0 else 0  # poll counts in milliseconds
        began, before = self._mark or (time.monotonic(), self._cpu.recent())
        ready = self._poll.poll(wait)
        self._excuse(time.monotonic() - began, wait / 1000, before)
        some = False
        for descriptor, _ in ready:
            if descriptor == self._stdin:
                self._push()
            elif descriptor == self._stderr:
                self._take_stderr()
            else:
                data = self._take(descriptor)
                if b"\n" in data:
                    self._cpu_at_line = self._cpu.read()
                self._buffer += data
                self._written += len(data)
                some = True
                if not data:
                    self._ended = True
                    self._poll.unregister(descriptor)
        if self._throttled and wait:
            self._take_stderr()
        self._received = time.monotonic()
        # Reading its output is charged to it. If there was none, the time between two waits is ours.
        self._mark = None if ready else (self._received, self._cpu.recent())
        return some

    def _excuse(self, took: float, asked: float, before: CpuReading) -> None:
        """Subtract from the clock what the program could not use of a wait that ended too late.

        Such a wait counts for as long as was requested, or for the CPU time that the program used in it if that is
        more: time in which it could think is never free, even if its own threads caused the delay.
        """
        if took - asked < LATE:
            return
        used = self._cpu.used_since(before, took) + (TICK if self._group is None else 0.0)
        free = took - max(asked, min(took, used))
        self._excused += free
        self.stalled += free

    def _take_stderr(self) -> None:
        """Read a piece of standard error; a program that floods it waits for us, and we do not wait for it."""
        data = self._take(self._stderr)
        self.log.add(data)
        self._stderr_bytes += len(data)
        if not self._throttled and (not data or self._stderr_bytes > MOST_STDERR):
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
        return self._cpu.seconds()

    def _processes(self) -> dict[int, ProcessState]:
        """Return the processes that are there, those of the sandbox too."""
        return of_user(self._user) if self._user is not None else family(self.pid)

    def _pause(self) -> None:
        """Stop the program and all its processes until it is asked again."""
        self._paused = True
        if self._group is not None and self._group.freeze(frozen=True):
            return
        if self._keeper is not None:
            self._keeper.stop()
        else:
            self._signal_group(signal.SIGSTOP)
        if self._keeper is not None or self._user is not None:
            self._pause_by_signal = SignalPause.of(self._inside, self.cpu_seconds)

    def _inside(self) -> dict[int, ProcessState]:
        """Return the program and what it has started, without the sandbox's own two processes."""
        if self._user is not None:
            return of_user(self._user)
        first = children(self.pid)[:1]
        return {pid: one for pid, one in family(self.pid).items() if pid != self.pid and pid not in first}

    def _used_in_pause(self) -> float:
        """Return the seconds in which it ran in spite of the pause."""
        pause, self._pause_by_signal = self._pause_by_signal, None
        return pause.used(self.cpu_seconds()) if pause is not None else 0.0

    def _resume(self) -> None:
        """Let it run again with its full share of the CPU."""
        if self._group is not None:
            self._group.stand_back(back=False)
        if not self._paused:
            return
        self._paused = False
        if self._group is not None and self._group.freeze(frozen=False):
            return
        if self._keeper is not None:
            self._keeper.resume()
        else:
            self._signal_group(signal.SIGCONT)

    def _signal_group(self, number: int) -> None:
        """Send a signal to everything that it has started: its process group, or all processes of its user."""
        if self._user is not None:
            for _ in range(STOP_TRIES):  # until no process is left that could start another
                left = [pid for pid, one in of_user(self._user).items() if one.state not in ENDED[number]]
                for pid in left:
                    with contextlib.suppress(ProcessLookupError):
                        os.kill(pid, number)
                if not left:
                    break
                time.sleep(STOP_SECONDS)
        with contextlib.suppress(ProcessLookupError):
            os.killpg(self._child.pid, number)

    def _exit_status(self) -> int | None:
        """Wait for the end of a program that has closed its output, and return its status; None if it still runs.

        Many close their output just before they end. One that only sleeps is not about to end.
        """
        until, used, idle = time.monotonic() + EXIT_SECONDS, -1.0, 0
        while self._child.poll() is None and idle < IDLE_CHECKS and time.monotonic() < until:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._child.wait(SLICE)
            processes, before, used = family(self.pid), used, self.cpu_seconds()
            idle = idle + 1 if used == before and all(one.state == "S" for one in processes.values()) else 0
        return self._child.poll()

    def _ending(self) -> Fault:
        """Return how it ended, after it has closed its output."""
        status = self._exit_status()
        if status is None:
            return self._stop("no-answer", Message("faults.closed_output"))
        if self.out_of_memory():
            return Fault("memory")
        self.kill()
        if status == 0:
            return Fault("no-answer", self._explained(Message("faults.ended")))
        by = _signal(status)
        if by is not None:
            killed = Message("faults.killed", signal=by.name)
            if by in EXPLAINED:
                killed = Message("faults.killed_why", signal=by.name, why=Message(EXPLAINED[by]))
            return Fault("crash", self._explained(killed), signal=by)
        return Fault("crash", self._explained(Message("faults.exit_status", status=status)))

    def _explained(self, problem: Message) -> Message:
        """Return how it ended, and too many threads or refused system calls before, where these may be why."""
        self._drain_stderr()
        problem, calls = self.with_thread_limit(problem), self.refused
        return Message("faults.after_refused_calls", problem=problem, calls=calls) if calls else problem

    def with_thread_limit(self, problem: Message) -> Message:
        """Add to a problem that it had too many threads, where it wrote so since its last answer.

        Only what was read of its standard error counts: one that still writes is read no further for this.
        """
        if self._threads is None or OUT_OF_THREADS.search(self.log.since(self._log_mark)[-KEPT:]) is None:
            return problem
        return Message("faults.too_many_threads", problem=problem, most=self._threads)

    def _drain_stderr(self) -> None:
        """Read what is in the pipe of standard error, and no more than a pipe can hold."""
        for _ in range(MOST_STDERR // CHUNK + 1):
            data = self._take(self._stderr)
            if not data:
                return
            self.log.add(data)

    def out_of_memory(self) -> bool:
        """Return whether it ran out of memory, by the kernel's count or by what it wrote since its last answer."""
        self._drain_stderr()
        return self._killed_for_memory() or OUT_OF_MEMORY.search(self.log.since(self._log_mark)[-KEPT:]) is not None

    def _killed_for_memory(self) -> bool:
        by_kernel = self._group is not None and self._group.out_of_memory()
        return by_kernel or (self._keeper is not None and self._keeper.out_of_memory)

    def _stop(self, kind: str, message: Message) -> Fault:
        """Kill it and return the fault; running out of memory takes precedence."""
        memory = self._killed_for_memory()
        self.kill()
        return Fault("memory") if memory else Fault(kind, message)

    def kill(self) -> None:
        """Kill it and all its processes, paused ones too."""
        if self._keeper is not None:
            self._keeper.kill()
            with contextlib.suppress(ProcessLookupError):
                self._child.kill()
        else:
            self._signal_group(signal.SIGKILL)
        self._child.wait()

    def rest(self, seconds: float, most: int) -> bytes:
        """Return all that it writes until it ends with status 0; any other end raises a Fault."""
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
        """Kill it and remove its files and groups."""
        self.kill()
        self._drain_stderr()
        for stream in (self._child.stdin, self._child.stdout, self._child.stderr):
            assert stream is not None
            with contextlib.suppress(OSError):
                stream.close()
        if self._keeper is not None:
            self._keeper.close()
        self._held.close()

    def __enter__(self) -> Process:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _signal(status: int) -> signal.Signals | None:
    """Return the signal that a status stands for."""
    number = -status if status < 0 else status - 128
    return signal.Signals(number) if number in set(signal.Signals) else None
