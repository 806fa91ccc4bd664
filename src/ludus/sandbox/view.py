"""What a sandboxed program can see of the machine: the system's programs and libraries, an interpreter, its own files.

Nothing else is visible: no home folder, of /etc only what programs need to start, no other bot.
"""

from __future__ import annotations

import functools
import os
import sys
from pathlib import Path
from typing import NamedTuple

BOT = "/bot"
"""Where a program finds its own files, read-only."""
PLAY = "/play"
"""The folder in which it runs, with links to its files."""
SYSTEM = ("/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
SETTINGS = ("ld.so.cache", "ld.so.conf", "ld.so.conf.d", "alternatives")
PATH = "/usr/local/bin:/usr/bin:/bin"


class VisibleFiles(NamedTuple):
    """Folders and files of the machine that are visible, read-only, and where programs are found."""

    shown: tuple[str, ...] = ()
    path: tuple[str, ...] = ()

    def __add__(self, other: object) -> VisibleFiles:
        assert isinstance(other, VisibleFiles)
        return VisibleFiles((*self.shown, *other.shown), (*self.path, *other.path))


def _outside_system(folder: Path) -> bool:
    return not folder.is_relative_to("/usr")


@functools.cache
def python() -> VisibleFiles:
    """Return the files of the interpreter that runs Ludus, without its environment."""
    base = Path(sys.base_prefix).resolve()
    return (
        VisibleFiles((str(base),), (str(base / "bin"),))
        if _outside_system(base)
        else VisibleFiles(path=(str(base / "bin"),))
    )


@functools.cache
def ludus() -> VisibleFiles:
    """Return the environment in which Ludus runs, and Ludus itself: for bots that use its states."""
    import ludus as package  # noqa: PLC0415 - the package itself
    from ludus import _native  # noqa: PLC0415

    wanted = {Path(sys.prefix), Path(package.__file__).parent, Path(_native.__file__).parent}
    shown = sorted(str(folder) for folder in wanted if _outside_system(folder))
    return python() + VisibleFiles(tuple(shown))


def parents(shown: str) -> list[str]:
    """Return the folders above a path that must be created first, the topmost first."""
    return [str(folder) for folder in reversed(Path(shown).parents) if str(folder) != "/"]


@functools.cache
def system_arguments() -> tuple[str, ...]:
    """Return bubblewrap's arguments for the system's own folders."""
    given = ["--ro-bind", "/usr", "/usr"]
    for folder in SYSTEM:
        if os.path.islink(folder):  # noqa: PTH114
            given += ["--symlink", os.readlink(folder), folder]  # noqa: PTH115
        elif os.path.isdir(folder):  # noqa: PTH112
            given += ["--ro-bind", folder, folder]
    given += ["--perms", "0755", "--dir", "/etc"]
    settings = [Path("/etc", name) for name in SETTINGS] + sorted(Path("/etc").glob("java-*"))
    for setting in settings:
        if setting.exists():
            given += ["--ro-bind", str(setting), str(setting)]
    return tuple(given)
