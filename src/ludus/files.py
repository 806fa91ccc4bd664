"""Files: read as UTF-8 with a place for what is not, or as TOML; written whole or not at all; kept from other users;
scratch folders; the cache.

What a killed process leaves behind, half a file or a scratch folder, is used up or removed by the next one: a lock that
ends with its process says whose it is. Knows nothing of what is written.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import secrets
import shutil
import stat
import tempfile
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ludus.errors import ParseError, UserError
from ludus.messages import Message

LONGEST_TOML = 256 * 1024
MOST_DOTS = 100
"""In one line of TOML: the standard library's reader takes quadratic time for a name of many parts."""
SCRATCH = ".ludus-scratch-{user}"
"""The folder for scratch folders, in the folder for temporary files; nobody else can look into it."""


def read_text(path: Path | str) -> str:
    """Read a file as UTF-8; bytes that are none are a ParseError with their place."""
    data = Path(path).read_bytes()
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        before = data[: error.start]
        line, column = before.count(b"\n") + 1, error.start - before.rfind(b"\n")
        raise ParseError(Message("errors.not_utf8", byte=f"{data[error.start]:02x}"), line, column, str(path)) from None


def read_toml(text: str | bytes, source: str) -> dict[str, Any]:
    """Return what a TOML document holds, given as text or UTF-8; all that is wrong with it is a ValueError."""
    if len(text) > LONGEST_TOML:
        raise UserError("errors.toml_too_long", source=source, kilobytes=LONGEST_TOML // 1024)
    try:
        plain = text.decode("utf-8") if isinstance(text, bytes) else text
        for number, line in enumerate(plain.split("\n"), 1):
            if line.count(".") > MOST_DOTS:
                place = f"{source}, line {number}"
                raise UserError("errors.toml_too_many_dots", place=place, dots=MOST_DOTS)
        return tomllib.loads(plain.removeprefix("\ufeff"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise UserError("errors.not_toml", source=source, problem=error) from None
    except UserError:
        raise
    except ValueError:  # Python's own, of numbers that it does not read
        raise UserError("errors.toml_long_number", source=source) from None
    except RecursionError:
        raise UserError("errors.toml_too_deep", source=source) from None


def write_whole(path: Path | str, content: str | bytes, *, synced: bool = True) -> None:
    """Write a file whole or not at all: beside it first, then moved into its place.

    Without `synced` it does not wait for the disk, which takes thousands of small files too long: for what can be made
    again after a power cut.
    """
    target = Path(path)
    with naming(target):
        descriptor, beside = _open_beside(target)
        try:
            with os.fdopen(descriptor, "wb") as stream:
                stream.truncate()
                stream.write(content.encode("utf-8") if isinstance(content, str) else content)
                stream.flush()
                if synced:
                    os.fsync(stream.fileno())
                mode = target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~_umask()
                beside.chmod(mode)
                beside.replace(target)
        except BaseException:
            beside.unlink(missing_ok=True)
            raise


def _open_beside(target: Path) -> tuple[int, Path]:
    """Open the file in which the new content of another is prepared: its own, or one that a killed process has left.

    The name is always the same, so that nothing is left over for good; where another process uses it, a new one.
    """
    beside = target.with_name(f".{target.name}.part")
    try:
        descriptor = os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC | os.O_NONBLOCK, 0o600)
    except OSError as error:
        if error.errno not in (errno.ELOOP, errno.EACCES, errno.EISDIR, errno.ENXIO, errno.ENAMETOOLONG):
            error.filename = str(target)  # which is what people know
            raise
    else:
        if _is_ours(descriptor, beside):
            return descriptor, beside
        os.close(descriptor)
    descriptor, name = tempfile.mkstemp(prefix=".", suffix=".part", dir=target.parent)
    return descriptor, Path(name)


def _is_ours(descriptor: int, path: Path) -> bool:
    """Lock an open file; return whether nobody else uses it, and it is still what its path leads to."""
    found = os.fstat(descriptor)
    if not stat.S_ISREG(found.st_mode) or found.st_nlink != 1 or found.st_uid != os.geteuid():
        return False
    if not _lock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB):
        return False
    try:
        return path.lstat().st_ino == found.st_ino
    except FileNotFoundError:  # its user has just moved it into its place
        return False


@contextlib.contextmanager
def naming(path: Path | str) -> Iterator[None]:
    """Let an error of the operating system name a file or folder, where it does not say which it was."""
    try:
        yield
    except OSError as error:
        if error.filename is None:
            error.filename = str(path)
        raise


def create_once(path: Path, content: bytes) -> bytes:
    """Create a file that only its owner can read, complete before another process can read it; return its content.

    Where there is one already, or another process is faster, that one stays.
    """
    with contextlib.suppress(FileExistsError), ScratchFolder(path.parent, f".{path.name}-") as scratch:
        made = scratch / "new"
        made.touch(0o600)
        made.write_bytes(content)
        path.hardlink_to(made)
    return path.read_bytes()


class ScratchFolder:
    """A folder that is removed when it is closed; if its process is killed, by the next that makes one there."""

    def __init__(self, place: Path | None = None, prefix: str = "making-") -> None:
        """Make it in a place, or among temporary files, after removing what killed processes have left there."""
        self._home = place is None
        while True:
            parent = _scratch_home() if place is None else place
            try:
                self.path, self._lock = _make_scratch(parent, prefix)
            except FileNotFoundError:
                if place is not None:
                    raise
            else:
                return

    def close(self) -> None:
        """Remove it."""
        remove_folder(self.path)
        os.close(self._lock)
        if self._home:
            with contextlib.suppress(OSError):  # others may use it
                self.path.parent.rmdir()

    def __enter__(self) -> Path:
        return self.path

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, at: object) -> None:
        if isinstance(error, OSError) and error.filename is None:  # a failed write does not say where it was
            error.filename = str(self.path.parent)
        self.close()


def _make_scratch(parent: Path, prefix: str) -> tuple[Path, int]:
    """Make a scratch folder, and return it with its lock."""
    parents = os.open(parent, os.O_RDONLY | os.O_DIRECTORY)
    try:
        _remove_all_abandoned(parent, prefix, parents)
        _lock(parents, fcntl.LOCK_SH)  # until the new one has its own lock, nobody takes it for abandoned
        name = prefix + secrets.token_hex(8)
        os.mkdir(name, 0o700, dir_fd=parents)
        lock = os.open(name, os.O_RDONLY | os.O_DIRECTORY, dir_fd=parents)
        _lock(lock, fcntl.LOCK_EX)
        return parent / name, lock
    finally:
        os.close(parents)


def remove_abandoned(parent: Path, prefix: str) -> None:
    """Remove the scratch folders that killed processes have left in a place, if it is there."""
    try:
        parents = os.open(parent, os.O_RDONLY | os.O_DIRECTORY)
    except OSError:
        return
    try:
        _remove_all_abandoned(parent, prefix, parents)
    finally:
        os.close(parents)


def _remove_all_abandoned(parent: Path, prefix: str, descriptor: int) -> None:
    if _lock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB):  # unless another process makes one just now
        for name in os.listdir(descriptor):
            if name.startswith(prefix):
                _remove_abandoned(parent / name, descriptor)


def _remove_abandoned(folder: Path, parents: int) -> None:
    try:
        held = os.open(folder.name, os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW, dir_fd=parents)
    except OSError:
        return
    try:
        if _lock(held, fcntl.LOCK_EX | fcntl.LOCK_NB):
            remove_folder(folder)
    finally:
        os.close(held)


def _scratch_home() -> Path:
    """Return the folder for scratch folders among the temporary files; a new one each time where it is not safe."""
    home = Path(tempfile.gettempdir(), SCRATCH.format(user=os.geteuid()))
    while True:
        with contextlib.suppress(FileExistsError):
            home.mkdir(mode=0o700)
        with contextlib.suppress(FileNotFoundError):  # who used it last has just removed it
            found = home.lstat()
            break
    if stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid() and not found.st_mode & 0o077:
        return home
    return Path(tempfile.mkdtemp(prefix="ludus-"))


def _lock(descriptor: int, how: int) -> bool:
    """Lock an open file or folder; return whether that was possible. Where there are no locks, nothing is removed."""
    try:
        fcntl.flock(descriptor, how)
    except OSError:
        return False
    return True


def remove_folder(folder: Path) -> None:
    """Remove a folder with all that is in it, as far as possible: also what is read-only."""
    for where, _, _ in os.walk(folder):
        with contextlib.suppress(OSError):
            Path(where).chmod(0o755)
    shutil.rmtree(folder, ignore_errors=True)


def make_private(path: Path) -> bool:
    """Let nobody but the owner read or change a file or a folder; return whether others could. None is fine as well."""
    try:
        mode = path.stat().st_mode & 0o777
        if mode & 0o077:
            path.chmod(mode & 0o700)
    except FileNotFoundError:
        return False
    return bool(mode & 0o077)


def create_private(path: Path) -> int:
    """Create an empty file that only its owner can read, and return its descriptor; FileExistsError if it is there."""
    return os.open(path, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC, 0o600)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def cache_folder() -> Path:
    """Return the folder for what can be made again."""
    cache = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(os.environ.get("LUDUS_CACHE") or Path(cache) / "ludus")
