"""A bot's history in git: its commits, and its files as they were.

A submission may come from anybody, and so may the configuration of its repository, which can name programs for git to
run. So nothing of that configuration is used: after finding where the objects are, git looks at them from an empty
repository of our own.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from ludus.files import ScratchFolder

GIT_SECONDS = 20
FIELDS = "%H%x1f%ad%x1f%an%x1f%s%x1e"


class Commit(NamedTuple):
    """A commit that changed a bot."""

    hash: str
    date: str
    author: str
    subject: str


class History:
    """The commits of a folder, the newest first; none where there is no git, or no history."""

    def __init__(self, folder: Path | str, most: int = 200) -> None:
        self._home = ScratchFolder()
        self._prefix = ""
        self.commits: tuple[Commit, ...] = ()
        where = _where(Path(folder))
        if where is not None:
            objects, head, self._prefix = where
            self._open(objects)
            self.commits = tuple(self._log(head, most))

    def _open(self, objects: str) -> None:
        home = self._home.path
        for part in ("objects/info", "refs"):
            (home / part).mkdir(parents=True)
        (home / "HEAD").write_text("ref: refs/heads/none\n")
        (home / "objects/info/alternates").write_text(f"{objects}\n")

    def _git(self, *words: str) -> bytes:
        return _git(["--git-dir", str(self._home.path), *words], self._home.path) or b""

    def _log(self, head: str, most: int) -> Iterator[Commit]:
        path = [self._prefix] if self._prefix else []
        output = self._git("log", f"-{most}", f"--format={FIELDS}", "--date=short", head, "--", *path)
        for entry in output.decode("utf-8", "replace").split("\x1e"):
            fields = entry.strip("\n").split("\x1f")
            if len(fields) == len(Commit._fields):
                yield Commit(*fields)

    def pack(self, commit: Commit, target: Path) -> bool:
        """Write the bot as it was at a commit, as an archive; False where it was not there yet."""
        inside = f"{commit.hash}:{self._prefix}" if self._prefix else commit.hash
        data = self._git("archive", "--format=tar", inside)
        if data:
            target.write_bytes(data)
        return bool(data)

    def close(self) -> None:
        """Remove the temporary repository."""
        self._home.close()


def _where(folder: Path) -> tuple[str, str, str] | None:
    """Return a folder's objects, its last commit and its place in the repository; nothing of the repository is run."""
    if not folder.is_dir():
        return None
    asked = ["rev-parse", "--path-format=absolute", "--git-path", "objects", "HEAD", "--show-prefix"]
    output = _git(["-c", "core.fsmonitor=false", *asked], folder)
    lines = (output or b"").decode("utf-8", "replace").split("\n")
    if len(lines) < 3 or not Path(lines[0]).is_dir():
        return None
    return lines[0], lines[1], lines[2].rstrip("/")


def _git(words: list[str], folder: Path) -> bytes | None:
    try:
        done = subprocess.run(  # noqa: S603 - its words are ours, but for a folder and a hash
            ["git", *words],  # noqa: S607 - the machine's own
            cwd=folder,
            capture_output=True,
            timeout=GIT_SECONDS,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout if done.returncode == 0 else None
