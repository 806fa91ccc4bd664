"""Stands between the referee and a bot that is started once a move.

Reads each input.txt as a line of base64, runs the bot in this folder, and answers with its exit status and its
output.txt: `answer 0 QjEK`, or `answer 1 -` without one; `answer 0 QjEK asleep` where the bot had to be ended. In a
sandbox nothing that the bot starts outlives its move, and none of it can read or change this program. Needs nothing
but Python; the bot's own files are not imported.
"""

import base64
import contextlib
import os
import select
import shutil
import signal
import subprocess
import sys
from pathlib import Path

INPUT, OUTPUT = Path("input.txt"), Path("output.txt")
LONGEST = (1 << 15) + 1
"""Bytes of output.txt that are sent: one more than allowed, so that it shows."""
LARGEST_COPY = 1 << 23
"""Bytes of a folder that is copied for a program or its files in it."""
MOST_FOLDERS, DEEPEST = 16, 3
"""Folders in which the files may be, and how deep."""
SCRIPTS = (".py", ".pyw", ".js", ".mjs", ".cjs")
NOT_EXECUTABLE, NOT_FOUND = 126, 127
LOOK_MILLISECONDS, QUIET_LOOKS = 500, 2
"""How often a bot that runs is looked at, and how often nothing must have happened before it is ended."""
ASLEEP = "SI"
"""States of threads that do nothing."""
SANDBOXED = os.environ.get("LUDUS_SANDBOX") == "1"


def main(command: list[str]) -> None:
    """Answer until the referee closes the line."""
    if SANDBOXED:
        hide_from_program()
    beside = [folder for word in command if (folder := own_copy(Path(word)))]
    beside += [folder for folder in folders_with_files() if folder not in beside]
    for line in sys.stdin.buffer:
        say(1, "ready" if line == b"ready\n" else move(command, base64.b64decode(line), beside))


def say(stream: int, line: str) -> None:
    """Write a line to the referee (1), or to the bot's log (2)."""
    data = f"{line}\n".encode()
    while data:
        data = data[os.write(stream, data) :]


def hide_from_program() -> None:
    """Make this process one that others of the same user cannot trace, read or write to."""
    import ctypes  # noqa: PLC0415 - the standard library has no other way

    not_dumpable = 4
    if ctypes.CDLL(None).prctl(not_dumpable, 0, 0, 0, 0) != 0:
        sys.exit("this process cannot be protected from the bot")


def own_copy(word: Path) -> Path | None:
    """Put a script in the place of the link to it, since some look beside themselves; return a folder that it is in."""
    linked = Path(word.parts[0]) if word.parts else word
    if word.suffix not in SCRIPTS or word.is_absolute() or not word.is_file() or not linked.is_symlink():
        return None
    with contextlib.suppress(OSError):
        if linked == word:
            real = linked.resolve()
            linked.unlink()
            shutil.copy(real, linked)
        elif copied(linked):
            return word.parent
    return None


def copied(linked: Path) -> bool:
    """Put a folder that may be changed in the place of the link to it; return whether it is small enough."""
    real = linked.resolve()
    if sum(file.stat().st_size for file in real.rglob("*")) > LARGEST_COPY:
        return False
    linked.unlink()
    shutil.copytree(real, linked, copy_function=shutil.copy)
    for where, _, _ in os.walk(linked):
        Path(where).chmod(0o755)
    return True


def folders_with_files() -> list[Path]:
    """Return the folders in which files of these names were handed in: a program may look for them there."""
    found = []
    for top in sorted(Path().iterdir()):
        with contextlib.suppress(OSError):
            inside = [top, *(path for path in sorted(top.rglob("*")) if path.is_dir())] if top.is_dir() else []
            near = [folder for folder in inside if len(folder.parts) <= DEEPEST]
            held = [folder for folder in near if (folder / INPUT).is_file() or (folder / OUTPUT).is_file()]
            if held and top.is_symlink() and copied(top):
                found += held
    return found[:MOST_FOLDERS]


def move(command: list[str], given: bytes, beside: list[Path]) -> str:
    """Run the bot once, and return the answer."""
    fresh = removed(INPUT) & removed(OUTPUT)  # what lies here from before is no answer to this move
    folders = [folder for folder in beside if removed(folder / OUTPUT) and removed(folder / INPUT)]
    with contextlib.suppress(OSError):
        INPUT.write_bytes(given)
        for folder in folders:
            (folder / INPUT).write_bytes(given)
    files = [OUTPUT, *(folder / OUTPUT for folder in folders)]
    status, asleep = run(command, files if fresh else [])
    if SANDBOXED:  # what the bot left running would think on in the opponent's time
        with contextlib.suppress(ProcessLookupError):
            os.kill(-1, signal.SIGKILL)
    output = "-"
    left = next((file for file in files if file.is_file()), None)
    if fresh and left is not None:
        data = b""
        with contextlib.suppress(OSError), left.open("rb") as file:
            data = file.read(LONGEST)
        output = base64.b64encode(data or b"\n").decode()  # an empty file is a file
    return f"answer {status} {output}{' asleep' if asleep else ''}"


def removed(path: Path) -> bool:
    """Remove a file, a link or a folder; return whether nothing is left of it."""
    with contextlib.suppress(OSError):
        remove(path)
    if os.path.lexists(path):
        with contextlib.suppress(OSError):
            for where, _, _ in os.walk("."):
                Path(where).chmod(0o755)
            remove(path)
    return not os.path.lexists(path)


def remove(path: Path) -> None:
    """Remove a file, a link or a folder."""
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def run(command: list[str], outputs: list[Path]) -> tuple[int, bool]:
    """Run the bot; return its status as a shell does, 128 and more for a signal, and whether it had to be ended."""
    for words in (command, ["/bin/sh", *command]):  # a script that does not name its interpreter is the shell's
        try:
            bot = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=2)  # noqa: S603 - the bot, in its sandbox
        except FileNotFoundError:
            say(2, f"{command[0]}: not found")
            return NOT_FOUND, False
        except PermissionError:
            break
        except OSError:
            continue
        if not ends(bot.pid, outputs):
            for pid in processes_of(bot.pid):
                with contextlib.suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
            bot.wait()
            return 0, True
        status = bot.wait()
        return (status if status >= 0 else 128 - status), False
    say(2, f"{command[0]}: not executable")
    return NOT_EXECUTABLE, False


def ends(pid: int, outputs: list[Path]) -> bool:
    """Wait until the bot ends; return False where it has its file written and only sleeps, as with a timer."""
    try:
        handle = os.pidfd_open(pid)
    except (AttributeError, OSError):  # an old kernel
        return True
    poller = select.poll()
    poller.register(handle, select.POLLIN)
    quiet, before = 0, None
    try:
        while not poller.poll(LOOK_MILLISECONDS):
            now = rest(pid, outputs)
            quiet = quiet + 1 if now is not None and now == before else 0
            before = now
            if quiet == QUIET_LOOKS:
                return False
    finally:
        os.close(handle)
    return True


def rest(pid: int, outputs: list[Path]) -> tuple[object, ...] | None:
    """Return what changes when the bot does anything; None where it has no output yet, or a thread of it runs."""
    written = next((file for file in outputs if file.is_file() and file.stat().st_size), None)
    if written is None:
        return None
    try:
        processes = processes_of(pid)
        threads = [thread for one in processes for thread in Path(f"/proc/{one}/task").iterdir()]
        if any(fields(thread)[0] not in ASLEEP for thread in threads):
            return None
        return written.stat().st_mtime_ns, tuple((one, *fields(Path(f"/proc/{one}"))[11:13]) for one in processes)
    except (OSError, IndexError):  # one of them has just ended
        return None


def fields(folder: Path) -> list[str]:
    """Return what the kernel says of a process or a thread, from its state on."""
    return (folder / "stat").read_text(errors="replace").rpartition(")")[2].split()


def processes_of(pid: int) -> list[int]:
    """Return a process and all that it has started."""
    children: dict[int, list[int]] = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            with contextlib.suppress(OSError, IndexError):
                children.setdefault(int(fields(folder)[1]), []).append(int(folder.name))
    found = [pid]
    for one in found:
        found += children.get(one, [])
    return found


if __name__ == "__main__":
    main(sys.argv[1:])
