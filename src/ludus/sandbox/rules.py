"""What of Ludus a bot can import: rules, states and clocks, without anything that searches or plays. Knows files only.

The sandbox shows a copy of these modules in the place of the package, with the compiled rules (`_rules`) under the name
of the compiled core. The copy is made once and named by its content.
"""

from __future__ import annotations

import compileall
import contextlib
import functools
import hashlib
import os
import py_compile
import sys
import tempfile
import time
from collections.abc import Iterable
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

from ludus.errors import UserError
from ludus.files import cache_folder, remove_folder

MODULES = (
    *("__init__.py", "display.py", "encoding.py", "errors.py", "game.py", "py.typed"),
    *("play/__init__.py", "play/clock.py"),
    *("messages/*.py", "messages/*/*.json", "drawing/*.py", "games/*.py", "games/*/*.py", "games/*/messages/*.json"),
)
OLD_SECONDS = 30 * 24 * 3600.0
WITHOUT = ("players.py", "reference.py")
"""Of a game's modules: its opponents, and what checks its rules."""


def package_folders() -> list[Path]:
    """Return the folders that Ludus is in: of its sources, and of what is compiled."""
    import ludus  # noqa: PLC0415 - the package itself
    from ludus import _native  # noqa: PLC0415

    found = [Path(ludus.__file__).parent, Path(_native.__file__).parent]
    return list(dict.fromkeys([*found, *(folder.resolve() for folder in found)]))


def _contents() -> dict[str, Path]:
    """Return the files of the copy, by their place in it."""
    sources, compiled = package_folders()[0], beside_core(f"_rules{ending}" for ending in EXTENSION_SUFFIXES)
    found = {str(path.relative_to(sources)): path for pattern in MODULES for path in sorted(sources.glob(pattern))}
    kept = {name: path for name, path in found.items() if path.name not in WITHOUT}
    return {**kept, f"_native{EXTENSION_SUFFIXES[0]}": compiled}


def beside_core(names: Iterable[str]) -> Path:
    """Return what was compiled with the core, by the names that it may have."""
    places = [folder / name for name in names for folder in package_folders()]
    place = next((place for place in places if place.exists()), None)
    if place is None:
        raise UserError("sandbox.not_built", path=places[0])
    return place


@functools.cache
def rules_folder() -> Path:
    """Return the folder of the copy; it is made if it is not there yet."""
    files = {name: path.read_bytes() for name, path in _contents().items()}
    digest = hashlib.sha256(sys.version.encode())
    for name, data in sorted(files.items()):
        digest.update(f"\0{name}\0{len(data)}\0".encode() + data)
    place = cache_folder() / "rules" / digest.hexdigest()[:32]
    if not place.exists():
        _make(files, place)
        _remove_old(place)
    return place


def _remove_old(place: Path) -> None:
    """Remove the copies of earlier versions, except young ones, which an earlier version may be using."""
    for other in place.parent.iterdir():
        with contextlib.suppress(OSError):
            if other != place and other.stat().st_mtime < time.time() - OLD_SECONDS:
                remove_folder(other)


def _make(files: dict[str, bytes], place: Path) -> None:
    """Write the copy beside its place, and put it there in one step."""
    place.parent.mkdir(parents=True, exist_ok=True)
    beside = Path(tempfile.mkdtemp(prefix="making-", dir=place.parent))
    try:
        for name, data in files.items():
            path = beside / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        compileall.compile_dir(beside, quiet=2, invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH)
        for where, _, names in os.walk(beside, topdown=False):
            for name in names:
                Path(where, name).chmod(0o444)
            Path(where).chmod(0o555)
        try:
            beside.rename(place)
        except OSError:
            if not place.exists():  # unless another process was faster
                raise
    finally:
        remove_folder(beside)
