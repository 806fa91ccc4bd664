"""A foreign program while it runs: lines in, lines out, under a clock, with everything it writes capped.

Time is charged only while this process really waits for the program: a wait that ends later than it was asked to is
a pause of ours, is not charged, and is counted in `stalled`. An overrun is noticed while it happens, and the program
is killed at once. Knows no moves: what a line means is for the caller to say.
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
from typing import TYPE_CHECKING

from ludus.errors import Fault
from ludus.sandbox import cage, cgroup
from ludus.sandbox.cage import GO, READY, Limits, SandboxError
from ludus.sandbox.view import BOT, View

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

SLICE = 0.01
"""The longest single wait, in seconds; also how often CPU time is looked at."""
LONGEST_LINE = 1 << 16
MOST_OUTPUT = 1 << 20
"""Bytes that a program may write before it has answered."""
KEPT = 1 << 15
"""Bytes of standard error that are kept from its beginning, and as many from its end."""
START_SECONDS = 10.0
EXIT_SECONDS = 3.0
"""How long a program that closed its output may take to go away, so that its status can be told."""
WALL_BEYOND_CPU = 10.0
"""Seconds on the wall that a program has beyond its CPU time: the course killed it then."""
OUT_OF_MEMORY = re.compile(rb"MemoryError|bad_alloc|OutOfMemoryError|heap out of memory|Cannot allocate memory")


class Log:
    """The first and the last of what a program wrote on standard error."""

    def __init__(self) -> None:
        self._head = b""
        self._tail = b""
        self._dropped = 0

    def add(self, data: bytes) -> None:
        """Keep some more of it."""
        room = KEPT - len(self._head)
        self._head += data[:room]
        self._tail += data[room:]
        self._dropped += max(0, len(self._tail) - KEPT)
        self._tail = self._tail[-KEPT:]

    @property
    def bytes(self) -> bytes:
        """What is kept, with a word about what is not."""
        gap = f"\n... {self._dropped} bytes are left out here ...\n".encode() if self._dropped else b""
        return self._head + gap + self._tail

    @property
    def text(self) -> str:
        """The same as text."""
        return self.bytes.decode(errors="replace")


class Process:
    """A program that runs. `start` makes one."""

    def __init__(self, child: subprocess.Popen[bytes], group: cgroup.Group | None, scratch: Path | None) -> None:
        self._child = child
        self._group = group
        self._scratch = scratch
        self._caged = scratch is None
        assert child.stdin is not None
        assert child.stdout is not None
        assert child.stderr is not None
        self._stdin, self._stdout, self._stderr = child.stdin.fileno(), child.stdout.fileno(), child.stderr.fileno()
        for descriptor in (self._stdin, self._stdout, self._stderr):
            os.set_blocking(descriptor, False)
        self._poll = select.poll()
        self._poll.register(self._stdout, select.POLLIN)
        self._poll.register(self._stderr, select.POLLIN)
        self._buffer = b""
        self._unsent = memoryview(b"")
        self._ended = False
        self._written = 0
        self._cpu_at_start: float | None = None
        self._cpu_at_answer: float | None = None
        self.log = Log()
        self.seconds = 0.0
        """What the last answer took."""
        self.stalled = 0.0
        """For how long this process itself was held up while it waited, in all."""

    @property
    def pid(self) -> int:
        """The process that was started: the sandbox's, or the program's own when it is trusted."""
        return self._child.pid

    @property
    def alive(self) -> bool:
        """Whether it still runs."""
        return self._child.poll() is None

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
        more = text.encode() if isinstance(text, str) else text
        self._unsent = memoryview(bytes(self._unsent) + more if self._unsent else more)
        self._written = 0
        self._push()

    def unread(self) -> int:
        """Give how many bytes of what it was sent it has not read yet."""
        count = fcntl.ioctl(self._stdin, termios.FIONREAD, bytes(4))
        return len(self._unsent) + int.from_bytes(count, sys.byteorder)

    def early(self) -> list[str]:
        """Give the lines that it wrote without being asked, and forget them."""
        self._receive(0)
        *lines, self._buffer = self._buffer.split(b"\n")
        return [line.decode(errors="replace") for line in lines]

    def line(self, seconds: float) -> str:
        """Wait for a line, until the clock that runs since `start_clock` has come to so many seconds."""
        while b"\n" not in self._buffer:
            if self._ended:
                raise self._ending()
            if self._caged and not self.alive and not self._receive(0):  # what it left behind keeps the pipe open
                raise self._ending()
            if len(self._buffer) > LONGEST_LINE:
                raise self._stop("too-much-output", f"it wrote {len(self._buffer)} bytes without the end of a line")
            if self._written > MOST_OUTPUT:
                raise self._stop("too-much-output", f"it wrote {self._written} bytes and no answer")
            left = seconds - self.spent()
            wall = left if self._cpu_at_start is None else seconds + WALL_BEYOND_CPU - self.seconds
            if min(left, wall) <= 0 and not self._receive(0):
                said = f"it did not answer within {seconds:.3g} {'CPU seconds' if wall > left else 'seconds'}"
                raise self._stop("timeout", said)
            self._receive(max(0.0, min(SLICE, left, wall)))
        line, _, self._buffer = self._buffer.partition(b"\n")
        return line.decode(errors="replace").removesuffix("\r")

    def start_clock(self, *, cpu: bool = False) -> None:
        """Begin to measure an answer, on the wall or in CPU time."""
        self.seconds = 0.0
        self._cpu_at_start = (self._cpu_at_answer or self.cpu_seconds()) if cpu else None
        if self._group is not None:
            self._group.stand_back(back=False)

    def answered(self) -> None:
        """Its turn is over: until it is asked again it stands back; a clock of CPU time counts all the same."""
        self._cpu_at_answer = None if self._cpu_at_start is None else self.cpu_seconds()
        if self._group is not None:
            self._group.stand_back(back=True)

    def spent(self) -> float:
        """Give what the answer took so far."""
        return self.seconds if self._cpu_at_start is None else self.cpu_seconds() - self._cpu_at_start

    def _push(self) -> None:
        while self._unsent:
            try:
                self._unsent = self._unsent[os.write(self._stdin, self._unsent) :]
            except BlockingIOError:
                return
            except OSError:  # it does not listen any more; its output will tell how it ended
                self._unsent = memoryview(b"")

    def _receive(self, seconds: float) -> bool:
        """Wait for output, at most so long, and take it; tell whether standard output had any."""
        began = time.monotonic()
        ready = self._poll.poll(seconds * 1000)
        took = time.monotonic() - began
        self.seconds += min(took, seconds)
        self.stalled += max(0.0, took - seconds)
        self._push()
        some = False
        for descriptor, _ in ready:
            data = self._take(descriptor)
            if descriptor == self._stderr:
                self.log.add(data)
            else:
                self._buffer += data
                self._written += len(data)
                some = True
                self._ended = not data
            if not data:
                self._poll.unregister(descriptor)
        return some

    @staticmethod
    def _take(descriptor: int) -> bytes:
        try:
            return os.read(descriptor, 1 << 16)
        except OSError:
            return b""

    def cpu_seconds(self) -> float:
        """Give the CPU time of the program and all its children so far."""
        counted = self._group.cpu_seconds() if self._group is not None else None
        return tree_cpu_seconds(self.pid) if counted is None else counted

    def _ending(self) -> Fault:
        """Say how it ended, once it has closed its output."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._child.wait(EXIT_SECONDS)
        while self._poll_stderr():
            pass
        status = self._child.poll()
        if status is not None and self.out_of_memory():
            return Fault("memory")
        self.kill()
        if status is None:
            return Fault("no-answer", "it closed its output without an answer")
        if status == 0:
            return Fault("no-answer", "it ended without an answer")
        name = _signal_name(status)
        if name:
            return Fault("crash", f"it was killed by {name} before it answered")
        return Fault("crash", f"it ended with exit status {status} before it answered")

    def _poll_stderr(self) -> bool:
        before = len(self.log.bytes)
        with contextlib.suppress(OSError):
            self.log.add(os.read(self._stderr, 1 << 16))
        return len(self.log.bytes) > before

    def out_of_memory(self) -> bool:
        """Tell whether it ended for want of memory: by the kernel's word, or by its own last words."""
        killed = self._group is not None and self._group.out_of_memory()
        return killed or OUT_OF_MEMORY.search(self.log.bytes[-KEPT:]) is not None

    def _stop(self, kind: str, sentence: str) -> Fault:
        """Kill it, and give the fault; what it did to its memory comes first."""
        memory = self._group is not None and self._group.out_of_memory()
        self.kill()
        return Fault("memory") if memory else Fault(kind, sentence)

    def kill(self) -> None:
        """Kill it and all that it started."""
        with contextlib.suppress(ProcessLookupError):
            if self._caged:
                self._child.kill()  # the kernel takes its whole pid namespace along
            else:
                os.killpg(self._child.pid, signal.SIGKILL)
        self._child.wait()

    def rest(self, seconds: float, most: int) -> bytes:
        """Give all that it writes until it ends by itself, with status 0; it is a Fault when it does otherwise."""
        self.start_clock()
        began, stalled, gathered = time.monotonic(), self.stalled, bytearray()
        while not self._ended:
            if time.monotonic() - began - (self.stalled - stalled) > seconds:
                raise self._stop("timeout", f"it did not end within {seconds:.3g} seconds")
            self._receive(SLICE)
            gathered += self._buffer  # grows in place, where bytes would be copied each time
            self._buffer = b""
            if len(gathered) > most:
                raise self._stop("too-much-output", f"it wrote more than {most >> 20} MB")
        ending = self._ending()
        if self._child.returncode != 0:
            raise ending
        return bytes(gathered)

    def close(self) -> None:
        """End it, and remove every trace of it."""
        self.kill()
        while self._poll_stderr():
            pass
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


def _signal_name(status: int) -> str | None:
    """Give the name of the signal that a status stands for."""
    number = -status if status < 0 else status - 128
    return signal.Signals(number).name if number in set(signal.Signals) else None


def start(
    command: Sequence[str],
    *,
    folder: Path | None = None,
    view: View | None = None,
    limits: Limits | None = None,
    environment: Mapping[str, str] | None = None,
    trusted: bool = False,
) -> Process:
    """Start a program whose files are in a folder; inside the sandbox unless it is trusted."""
    limits, environment, view = limits or Limits(), environment or {}, view or View()
    if trusted:
        return _start_trusted(command, folder, view, environment)
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
    process = Process(child, group, None)
    try:
        process.start_clock()
        if process.line(START_SECONDS).encode() + b"\n" != READY:
            raise SandboxError("the sandbox did not start as it should")
        process.release()
    except Fault as fault:
        said = process.log.text.strip()
        process.close()
        if "SIGKILL" in fault.sentence:
            raise  # killed from outside: nothing is wrong with the sandbox
        raise SandboxError(f"the sandbox did not start: {said or 'it said nothing'}") from None
    return process


def _start_trusted(command: Sequence[str], folder: Path | None, view: View, environment: Mapping[str, str]) -> Process:
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
        raise Fault("crash", f"its command {words[0]!r} could not be started: {error.strerror}") from None
    return Process(child, None, scratch)


def _spawn(command: Sequence[str], **settings: object) -> subprocess.Popen[bytes]:
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=pipe, bufsize=0, **settings)  # type: ignore[call-overload,no-any-return]  # noqa: S603


def _memory_file(data: bytes) -> int:
    descriptor = os.memfd_create("ludus")
    os.write(descriptor, data)
    os.lseek(descriptor, 0, os.SEEK_SET)
    return descriptor


def tree_cpu_seconds(root: int) -> float:
    """Give the CPU time of a process and all below it, as /proc tells it."""
    ticks, parents = {}, {}
    for entry in os.scandir("/proc"):
        if entry.name.isdecimal():
            with contextlib.suppress(OSError):
                fields = Path(entry.path, "stat").read_text().rpartition(")")[2].split()
                parents[int(entry.name)] = int(fields[1])
                ticks[int(entry.name)] = sum(map(int, fields[11:15]))
    family, more = {root}, True
    while more:
        below = {pid for pid, parent in parents.items() if parent in family} - family
        family |= below
        more = bool(below)
    return sum(ticks.get(pid, 0) for pid in family) / os.sysconf("SC_CLK_TCK")
