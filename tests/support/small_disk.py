"""A disk of a few kB that really fills up: a file system in memory, in a mount namespace of its own.

It needs no rights but those that the sandbox needs too, and is gone when its holder is, however a test ends.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from patience import PATIENCE

HOLD = 'mount -t tmpfs -o size="$1" small "$2" && echo ready && exec cat'
INSIDE = 'cd "$1" && shift && exec "$@"'


class SmallDisk:
    """A disk, and a way to run programs that see it."""

    def __init__(self, place: Path, kilobytes: int) -> None:
        place.mkdir()
        self.place = place
        """Where programs that run on it see it."""
        user = [] if os.geteuid() == 0 else ["--user", "--map-current-user", "--keep-caps"]
        command = ["unshare", *user, "--mount", "--propagation", "private", "sh", "-c", HOLD, "sh"]
        self._holder = subprocess.Popen(
            [*command, f"{kilobytes}k", str(place)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
        )
        assert self._holder.stdout is not None
        assert self._holder.stdout.readline() == "ready\n", "no file system can be mounted here"
        self.seen = Path(f"/proc/{self._holder.pid}/root{place}")
        """Where this process sees it."""

    def command(self, *words: str | Path) -> list[str]:
        """Return the command that runs a program there."""
        user = [] if os.geteuid() == 0 else ["--user", "--preserve-credentials"]
        enter = ["nsenter", "--target", str(self._holder.pid), *user, "--mount", "sh", "-c", INSIDE, "sh"]
        return [*enter, str(self.place), *map(str, words)]

    def run(self, *words: str | Path, **environment: str) -> subprocess.CompletedProcess[str]:
        """Run the command `ludus` there."""
        return subprocess.run(
            self.command(sys.executable, "-m", "ludus", *words),
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=PATIENCE,
            check=False,
            env={**os.environ, **environment},
        )

    def resize(self, kilobytes: int) -> None:
        """Make it larger or smaller, though never smaller than what is on it."""
        command = self.command("mount", "-o", f"remount,size={kilobytes}k", self.place)
        subprocess.run(command, check=True, stderr=subprocess.DEVNULL)

    def fill(self, left: int = 0) -> None:
        """Take all space but a few kB, until `resize` gives more."""
        while True:
            found = os.statvfs(self.seen)
            used = (found.f_blocks - found.f_bfree) * found.f_frsize
            try:
                self.resize(max(4, used // 1024 + left))
            except subprocess.CalledProcessError:  # someone has just written more
                continue
            return

    def close(self) -> None:
        """Let go of it."""
        self._holder.communicate()

    def __enter__(self) -> SmallDisk:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def says_full(done: subprocess.CompletedProcess[str]) -> str:
    """Return the one sentence of a command that has met a full disk, on standard error."""
    assert done.returncode == 2, done
    lines = [line for line in done.stderr.splitlines() if line]
    assert len(lines) == 1, done.stderr
    assert "no space is left" in lines[0]
    return lines[0]
