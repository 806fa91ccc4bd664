"""What a sandboxed program can see of the machine: the system's programs and libraries, an interpreter, its own files.

Nothing else is visible: no home folder, of /etc only what programs need to start, no other bot, and nothing of Ludus
that searches or plays.
"""

from __future__ import annotations

import functools
import importlib.util
import os
import sys
from pathlib import Path
from typing import NamedTuple

from ludus.sandbox.rules import beside_core, package_folders, rules_folder

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
    modules: tuple[str, ...] = ()
    """Folders in which Python looks for modules after the program's own."""
    rules: str | None = None
    """The folder that stands in the place of Ludus itself, which is hidden unless it is among `shown`."""

    def __add__(self, other: object) -> VisibleFiles:
        assert isinstance(other, VisibleFiles)
        shown, path, modules = ((*one, *two) for one, two in zip(self[:3], other[:3], strict=True))
        return VisibleFiles(shown, path, modules, self.rules or other.rules)

    def arguments(self) -> list[str]:
        """Return bubblewrap's arguments for them."""
        ours = [str(folder) for folder in package_folders() if str(folder) not in self.shown]
        placed = {shown: shown for shown in self.shown} | (dict.fromkeys(ours, self.rules) if self.rules else {})
        above = dict.fromkeys(parent for place in placed for parent in parents(place))
        given = [word for parent in above for word in ("--perms", "0755", "--dir", parent)]
        given += [word for place, source in placed.items() for word in ("--ro-bind", source, place)]
        hidden = [] if self.rules else [place for place in ours if self._shows(place)]
        return given + [word for place in hidden for word in ("--tmpfs", place, "--remount-ro", place)]

    def _shows(self, place: str) -> bool:
        return any(Path(place).is_relative_to(shown) for shown in ("/usr", *self.shown))


def _outside_system(folder: Path) -> bool:
    return not folder.is_relative_to("/usr")


@functools.cache
def python() -> VisibleFiles:
    """Return the files of the interpreter that runs Ludus, and of its environment numpy only."""
    base = Path(sys.base_prefix).resolve()
    own = (
        VisibleFiles((str(base),), (str(base / "bin"),))
        if _outside_system(base)
        else VisibleFiles(path=(str(base / "bin"),))
    )
    return own + numpy()


@functools.cache
def numpy() -> VisibleFiles:
    """Return the files of numpy, which courses hand out programs with, and nothing else of the folder that it is in."""
    found = importlib.util.find_spec("numpy")
    if found is None or found.origin is None:
        return VisibleFiles()
    folder = Path(found.origin).resolve().parent
    both = [part for part in (folder, folder.with_name("numpy.libs")) if part.is_dir()]
    shown = tuple(str(part) for part in both if _outside_system(part))
    return VisibleFiles(shown, modules=(str(folder.parent),))


@functools.cache
def ludus() -> VisibleFiles:
    """Return the environment in which Ludus runs, and the whole of Ludus: for our own engine, never for a bot."""
    return rules()._replace(rules=None) + VisibleFiles(tuple(map(str, package_folders())))


@functools.cache
def rules() -> VisibleFiles:
    """Return the environment in which Ludus runs, and its rules in the place of Ludus: for bots that use its states."""
    prefix = Path(sys.prefix)
    shown = (str(prefix),) if _outside_system(prefix) else ()
    return python() + VisibleFiles(shown, rules=str(rules_folder()))


@functools.cache
def init_program() -> Path:
    """Return the program that is the first process of every sandbox; it is installed beside the compiled module."""
    return beside_core(["ludus-init"])


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
    settings = [Path("/etc", name) for name in SETTINGS] + [*sorted(Path("/etc").glob("java-*")), Path("/etc/mono")]
    for setting in settings:
        if setting.exists():
            given += ["--ro-bind", str(setting), str(setting)]
    return tuple(given)
