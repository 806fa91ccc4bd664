"""Stands between the referee and a bot that is started once a move.

Reads each input.txt as a line of base64, runs the bot in this folder, and answers with its exit status and its
output.txt: `answer 0 QjEK`, or `answer 1 -` without one. In a sandbox nothing that the bot starts outlives its move,
and none of it can read or change this program. Needs nothing but Python; the bot's own files are not imported.
"""

import base64
import contextlib
import os
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
    status = run(command)
    if SANDBOXED:  # what the bot left running would think on in the opponent's time
        with contextlib.suppress(ProcessLookupError):
            os.kill(-1, signal.SIGKILL)
    output = "-"
    left = next((file for file in (OUTPUT, *(folder / OUTPUT for folder in folders)) if file.is_file()), None)
    if fresh and left is not None:
        data = b""
        with contextlib.suppress(OSError), left.open("rb") as file:
            data = file.read(LONGEST)
        output = base64.b64encode(data or b"\n").decode()  # an empty file is a file
    return f"answer {status} {output}"


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


def run(command: list[str]) -> int:
    """Run the bot and return its status as a shell does: 128 and more for a signal."""
    for words in (command, ["/bin/sh", *command]):  # a script that does not name its interpreter is the shell's
        try:
            status = subprocess.call(words, stdin=subprocess.DEVNULL, stdout=2)  # noqa: S603 - the bot, in its sandbox
        except FileNotFoundError:
            say(2, f"{command[0]}: not found")
            return NOT_FOUND
        except PermissionError:
            break
        except OSError:
            continue
        return status if status >= 0 else 128 - status
    say(2, f"{command[0]}: not executable")
    return NOT_EXECUTABLE


if __name__ == "__main__":
    main(sys.argv[1:])
