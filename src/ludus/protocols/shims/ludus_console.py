"""Stands between the referee and a program that was written for a person at a terminal.

Runs the program on a pseudo-terminal, so that every language shows its prompts as it does for a person, and tells the
referee in lines of JSON what appears there, when the program waits for input, and how it ended. It decides nothing:
the referee sends back what is to be typed. What appears and what is typed also goes to standard error, which is kept
as the program's log. Needs nothing but Python; the bot's own files are not imported (`python3 -I`).

The referee sends `{"start": {NAME: TEXT}}`, files to write before the program starts; `{"type": TEXT}`; `{"go": 1}`.
Each asks for a report: `{"out": BASE64}` any number of times, then `{"waits": 1, "raw": false}` (raw: the program shows
by itself what is typed), or `{"ended": STATUS}`.
"""

import base64
import contextlib
import fcntl
import json
import os
import re
import select
import subprocess
import sys
import termios
import time
from pathlib import Path

CHUNK = 1 << 14
SHORTEST, LONGEST = 0.001, 0.02
"""Seconds between two looks at the program while it is quiet."""
SETTLING_LOOKS = 30
QUIET_LOOKS = 3
"""How often in a row it must be found reading, with nothing on its screen meanwhile."""
SILENCE = 0.15
"""Seconds without output and without CPU time after which it waits, where the kernel does not say in what it waits."""
READS, POLLS, SELECTS = {"x86_64": (0, (232, 281), (23, 270)), "aarch64": (63, (22,), (72,))}.get(
    os.uname().machine, (-1, (), ())
)
"""The numbers of the system call `read`, and of those that wait for one of several files, perhaps for a time only."""
ENDLESS = 0xFFFFFFFF
"""The time that a wait without a limit is given."""
FORWARDED, KEPT, FLOOD = 1 << 18, 1 << 16, 1 << 21
"""Bytes of an answer that are told as they come; of those after them only the last are told, unless it is a flood."""
CODES = re.compile(rb"\x1b\[[0-9;?]{0,32}[@-~]|\r")
"""What colours the screen, moves the cursor or ends a line of Windows: of no use in a log."""


class Terminal:
    """The program and the terminal that it runs on."""

    def __init__(self, command: list[str]) -> None:
        self.screen, self.keyboard = os.openpty()
        settings = termios.tcgetattr(self.keyboard)
        settings[3] &= ~(termios.ECHO | termios.ECHONL)
        settings[1] &= ~termios.ONLCR
        termios.tcsetattr(self.keyboard, termios.TCSANOW, settings)
        fcntl.ioctl(self.keyboard, termios.TIOCSWINSZ, (50).to_bytes(2, sys.byteorder) + b"\xc8\0" + bytes(4))
        self.name = os.ttyname(self.keyboard)
        self.child = subprocess.Popen(  # noqa: S603 - the bot, in its sandbox
            command,
            stdin=self.keyboard,
            stdout=self.keyboard,
            stderr=self.keyboard,
            env={**os.environ, "TERM": "xterm"},
            start_new_session=True,
            preexec_fn=self.take_terminal,  # noqa: PLW1509 - this program has one thread
        )
        self.switches: dict[tuple[int, int], str] = {}
        self.written, self.last = 0, bytearray()

    @staticmethod
    def take_terminal() -> None:
        """Make the terminal the one that /dev/tty names."""
        with contextlib.suppress(OSError):
            fcntl.ioctl(0, termios.TIOCSCTTY, 0)

    def type(self, text: str) -> None:
        """Type some text; note who was reading, since one that has not woken up yet must not count as waiting again."""
        self.switches = self.settled_readers()
        self.written = 0
        data = text.encode()
        while data:
            data = data[os.write(self.screen, data[:1024]) :]

    def settled_readers(self) -> dict[tuple[int, int], str]:
        """Return the readers once they have come to rest: after a pause each of them begins to wait again."""
        found = self.readers()
        for _ in range(SETTLING_LOOKS):
            time.sleep(SHORTEST)
            before, found = found, self.readers()
            if found and found == before:
                break
        return found

    def readers(self) -> dict[tuple[int, int], str]:
        """Return the threads that wait for the keyboard, with how often each has gone to sleep."""
        found = {}
        for pid in family(self.child.pid):
            for tid in listed(f"/proc/{pid}/task"):
                call = read(f"/proc/{pid}/task/{tid}/syscall").split()
                if len(call) > 4 and self.waits_in(pid, [int(word, 0) for word in call[:5]]):
                    found[pid, int(tid)] = field(read(f"/proc/{pid}/task/{tid}/status"), "voluntary_ctxt_switches:")
        return found

    def waits_in(self, pid: int, call: list[int]) -> bool:
        """Return whether a system call waits for the keyboard, and for nothing but files: with no time set.

        With a time, a program waits if standard input is all that it waits for, and if nothing of it works meanwhile.
        """
        number, descriptor, _, _, timeout = call
        if number == READS:
            return self.is_keyboard(pid, descriptor)
        if number in SELECTS:
            return descriptor == 1 and self.is_keyboard(pid, 0) and self.used()[1]
        if number not in POLLS or timeout & ENDLESS != ENDLESS:
            return False
        watched = re.findall(r"^tfd:\s+(\d+)", read(f"/proc/{pid}/fdinfo/{descriptor}"), re.MULTILINE)
        return any(self.is_keyboard(pid, int(one)) for one in watched)

    def is_keyboard(self, pid: int, descriptor: int) -> bool:
        """Return whether a descriptor of a process is the terminal."""
        try:
            return os.readlink(f"/proc/{pid}/fd/{descriptor}") in (self.name, "/dev/tty")  # noqa: PTH115
        except OSError:
            return False

    def reading(self) -> bool:
        """Return whether the program waits for more than what was typed."""
        if any(fcntl.ioctl(self.keyboard, termios.FIONREAD, bytes(4))):
            return False
        return any(self.switches.get(who) != count for who, count in self.readers().items())

    def is_raw(self) -> bool:
        """Return whether the program handles each key itself: then it shows what is typed, as a terminal would."""
        return not termios.tcgetattr(self.keyboard)[3] & termios.ICANON

    def used(self) -> tuple[float, bool]:
        """Return the CPU time of all processes, and whether all of them sleep."""
        total, asleep = 0, True
        for pid in family(self.child.pid):
            words = read(f"/proc/{pid}/stat").rpartition(")")[2].split()
            if words:
                total += sum(map(int, words[11:15]))
                asleep = asleep and words[0] in "SZ"
        return total, asleep


def read(path: str) -> str:
    """Return a file of /proc, or nothing."""
    try:
        return Path(path).read_text(encoding="ascii", errors="replace")
    except OSError:
        return ""


def listed(path: str) -> list[str]:
    """Return the names in a folder of /proc, or none."""
    try:
        return os.listdir(path)  # noqa: PTH208 - many times a second
    except OSError:
        return []


def field(text: str, name: str) -> str:
    """Return the value of a line of a status file."""
    return next((line[len(name) :].strip() for line in text.splitlines() if line.startswith(name)), "")


def family(root: int) -> list[int]:
    """Return a process and all below it."""
    found = [root]
    for pid in found:
        for tid in listed(f"/proc/{pid}/task"):
            found += map(int, read(f"/proc/{pid}/task/{tid}/children").split())
    return found


def tell(**report: object) -> None:
    """Send a line to the referee."""
    data = json.dumps(report).encode() + b"\n"
    while data:
        data = data[os.write(1, data) :]


def log(data: bytes) -> None:
    """Write to the log; one that is full is not worth waiting for."""
    with contextlib.suppress(OSError):
        os.write(2, CODES.sub(b"", data))


def shown(terminal: Terminal) -> bool:
    """Report what has appeared on the screen; return whether something has."""
    if not select.select([terminal.screen], [], [], 0)[0]:
        return False
    try:
        data = os.read(terminal.screen, CHUNK)
    except OSError:
        return False
    terminal.written += len(data)
    if FORWARDED < terminal.written < FLOOD:  # what a search prints of itself: only the end is of use
        terminal.last += data
        del terminal.last[:-KEPT]
    else:
        tell(out=base64.b64encode(data).decode())
        log(data)
    return bool(data)


def tell_last(terminal: Terminal) -> None:
    """Report the end of a long answer."""
    if terminal.last:
        data = bytes(terminal.last)
        terminal.last.clear()
        for start in range(0, len(data), CHUNK):
            tell(out=base64.b64encode(data[start : start + CHUNK]).decode())
        log(data)


def report(terminal: Terminal) -> None:
    """Report what appears until the program waits for input, or has ended."""
    began = quiet_since = time.monotonic()
    looks, cpu = 0, None
    while True:
        now = time.monotonic()
        wait = min(LONGEST, max(SHORTEST, (now - began) / 50))
        if looks or select.select([terminal.screen], [], [], wait)[0]:
            time.sleep(SHORTEST if looks else 0)
            if shown(terminal):
                quiet_since, looks, cpu = time.monotonic(), 0, None
                continue
        status = terminal.child.poll()
        if status is not None:
            while shown(terminal):
                pass
            tell_last(terminal)
            tell(ended=status)
            return
        looks = looks + 1 if terminal.reading() else 0
        if looks >= QUIET_LOOKS:
            tell_last(terminal)
            tell(waits=1, raw=terminal.is_raw())
            return
        if not looks and now - quiet_since > SILENCE:
            before, cpu = cpu, terminal.used()
            if before == cpu and cpu[1] and not read(f"/proc/{terminal.child.pid}/syscall"):
                tell_last(terminal)
                tell(waits=1, raw=terminal.is_raw())
                return
            quiet_since = now


def hide_from_program() -> None:
    """Make this process one that others of the same user cannot trace, read or write to."""
    import ctypes  # noqa: PLC0415 - the standard library has no other way

    not_dumpable = 4
    if ctypes.CDLL(None).prctl(not_dumpable, 0, 0, 0, 0) != 0:
        sys.exit("this process cannot be protected from the bot")


def main() -> None:
    """Do what the referee says until it closes the line."""
    if os.environ.get("LUDUS_SANDBOX") == "1":
        hide_from_program()
    terminal = None
    for line in os.fdopen(os.dup(0), encoding="utf-8"):
        if line.strip() == "ready":
            os.write(1, b"ready\n")
            continue
        request = json.loads(line)
        if terminal is None:
            for name, text in request.get("start", {}).items():
                with contextlib.suppress(OSError):  # a name that cannot be written is none that the program reads
                    Path(name).unlink(missing_ok=True)
                    Path(name).write_text(text, encoding="utf-8")
            terminal = Terminal(sys.argv[1:])
        elif "type" in request and terminal.child.poll() is None:
            log(f"«{request['type'].rstrip()}»\n".encode())
            terminal.type(request["type"])
        report(terminal)


if __name__ == "__main__":
    main()
