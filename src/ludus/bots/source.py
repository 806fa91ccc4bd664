"""What people hand in, as a mapping from names to files: a folder, a zip or tar archive, or a single file.

Nothing is unpacked to disk and nothing is run. What could reach outside (links, absolute names, `..`) is refused.
"""

from __future__ import annotations

import hashlib
import io
import os
import stat
import tarfile
import zipfile
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

MOST_FILES = 2000
MOST_ITEMS = 5 * MOST_FILES
"""What an archive may list, folders and what is passed over included: a list alone can be endless."""
MOST_BYTES = 64 << 20
LONGEST_NAME = 500
PASSED_OVER = {".git", "__pycache__", ".venv", "node_modules", "__MACOSX", ".DS_Store", ".idea", ".vscode"}
"""What comes along by accident, and is no part of a bot."""


class File(NamedTuple):
    """A file's content, and whether it is a program."""

    data: bytes
    executable: bool = False


def read_source(path: Path) -> dict[str, File]:
    """Read what somebody handed in; ValueError says what is wrong with it."""
    if not os.path.exists(path):  # noqa: PTH110 - a path is not there, too, when no path can be so long
        raise ValueError(f"{path}: there is no such file or folder")
    if path.is_dir():
        return gather(_in_folder(path), str(path))
    file = File(_read_capped(path), bool(path.stat().st_mode & 0o111))
    return read_file(path.name, file, str(path))


def read_file(name: str, file: File, source: str) -> dict[str, File]:
    """Give the files of an archive, or a file that is none as it is."""
    lower = name.lower()
    if lower.endswith(".zip") or (file.data[:4] == b"PK\x03\x04" and not lower.endswith(".jar")):
        return gather(_in_zip(file.data, source), source)
    if lower.endswith((".tar", ".tar.gz", ".tgz", ".tar.xz", ".tar.bz2")):
        return gather(_in_tar(file.data, source), source)
    return {name: file}


def gather(files: Iterable[tuple[str, File]], source: str) -> dict[str, File]:
    """Collect files, within the limits; a single folder around them all is taken off."""
    found: dict[str, File] = {}
    size = 0
    for name, file in files:
        parts = PurePosixPath(name).parts
        if name.startswith("/") or ".." in parts or "\0" in name or (parts and parts[0][1:2] == ":"):
            raise ValueError(f"{source}: the name {name!r} reaches outside the submission; pack plain files only")
        if not parts or PASSED_OVER & set(parts):
            continue
        found[str(PurePosixPath(*parts))] = file
        size += len(file.data)
        if len(found) > MOST_FILES:
            raise ValueError(f"{source}: more than {MOST_FILES} files; hand in the sources only")
        if size > MOST_BYTES:
            raise ValueError(f"{source}: more than {MOST_BYTES >> 20} MB; hand in the sources only")
    if not found:
        raise ValueError(f"{source}: there is no file in it")
    tops = {PurePosixPath(name).parts[0] for name in found}
    if len(tops) == 1 and all("/" in name for name in found):
        return {name.partition("/")[2]: file for name, file in sorted(found.items())}
    return dict(sorted(found.items()))


def _read_capped(path: Path) -> bytes:
    if not stat.S_ISREG(path.stat().st_mode):
        raise ValueError(f"{path}: this is no regular file")
    if path.stat().st_size > MOST_BYTES:
        raise ValueError(f"{path}: more than {MOST_BYTES >> 20} MB; hand in the sources only")
    return path.read_bytes()


def _in_folder(folder: Path) -> Iterator[tuple[str, File]]:
    for where, folders, names in os.walk(folder):
        folders[:] = sorted(set(folders) - PASSED_OVER)
        for name in (*folders, *names):
            if Path(where, name).is_symlink():
                raise ValueError(f"{Path(where, name)}: a bot may not hold links; put the file itself there")
        for name in sorted(names):
            path = Path(where, name)
            yield path.relative_to(folder).as_posix(), File(_read_capped(path), bool(path.stat().st_mode & 0o111))


def _in_zip(data: bytes, source: str) -> Iterator[tuple[str, File]]:
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            _check_items(len(archive.infolist()), source)
            _check_size((item.file_size for item in archive.infolist()), source)
            for item in archive.infolist():
                mode = item.external_attr >> 16
                name = _zip_name(item)
                if stat.S_ISLNK(mode):
                    raise ValueError(f"{source}: {name} is a link; pack the file itself")
                if not item.is_dir():
                    yield name, File(archive.read(item), bool(mode & 0o111))
    except (zipfile.BadZipFile, RuntimeError, NotImplementedError, EOFError, OSError) as error:
        raise ValueError(f"{source}: this zip archive cannot be read: {error}") from None


def _zip_name(item: zipfile.ZipInfo) -> str:
    """Give an item's name; archives from Windows may hold names in an encoding of their own, and backslashes."""
    name = item.filename
    if not item.flag_bits & 0x800:
        raw = name.encode("cp437", errors="replace")
        for encoding in ("utf-8", "big5", "gbk"):
            try:
                name = raw.decode(encoding)
                break
            except UnicodeDecodeError:
                continue
    return name.replace("\\", "/")


def _in_tar(data: bytes, source: str) -> Iterator[tuple[str, File]]:
    try:
        with tarfile.open(fileobj=io.BytesIO(data)) as archive:
            size = 0
            for number, item in enumerate(archive, 1):
                size += item.size
                _check_items(number, source)
                _check_size((size,), source)
                if item.issym() or item.islnk():
                    raise ValueError(f"{source}: {item.name} is a link; pack the file itself")
                if item.isfile():
                    stream = archive.extractfile(item)
                    assert stream is not None
                    yield item.name.removeprefix("./"), File(stream.read(), bool(item.mode & 0o111))
    except (tarfile.TarError, EOFError, OSError) as error:
        raise ValueError(f"{source}: this tar archive cannot be read: {error}") from None


def _check_size(sizes: Iterable[int], source: str) -> None:
    if sum(sizes) > MOST_BYTES:
        raise ValueError(f"{source}: more than {MOST_BYTES >> 20} MB unpacked; hand in the sources only")


def _check_items(number: int, source: str) -> None:
    if number > MOST_ITEMS:
        raise ValueError(f"{source}: more than {MOST_FILES} files; hand in the sources only")


def content(files: Mapping[str, File], *more: str) -> str:
    """Give the name that a set of files has by its content."""
    digest = hashlib.sha256()
    for name, file in sorted(files.items()):
        head = f"{len(name.encode())} {len(file.data)} {int(file.executable)} {name}\n"
        digest.update(head.encode() + file.data)
    for word in more:
        digest.update(f"{len(word.encode())} {word}\n".encode())
    return digest.hexdigest()


def packed(files: Mapping[str, File]) -> bytes:
    """Pack files as a tar archive, the same bytes for the same files."""
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w", format=tarfile.GNU_FORMAT) as archive:
        for name, file in sorted(files.items()):
            item = tarfile.TarInfo(name)
            item.size = len(file.data)
            item.mode = 0o755 if file.executable else 0o644
            archive.addfile(item, io.BytesIO(file.data))
    return made.getvalue()


def unpacked(data: bytes) -> dict[str, File]:
    """Read what a build made: its regular files, whatever else it may have put there; ValueError for rubbish."""
    found: dict[str, File] = {}
    try:
        with tarfile.open(fileobj=io.BytesIO(data), mode="r:") as archive:
            for item in archive:
                name = item.name.removeprefix("./")
                parts = PurePosixPath(name).parts
                if not item.isfile() or name.startswith("/") or ".." in parts or len(name.encode()) > LONGEST_NAME:
                    continue
                stream = archive.extractfile(item)
                assert stream is not None
                found[name] = File(stream.read(), bool(item.mode & 0o111))
                if len(found) > MOST_FILES:
                    raise ValueError(f"it left more than {MOST_FILES} files")
    except (tarfile.TarError, EOFError, OSError, UnicodeError) as error:
        raise ValueError(f"what it left cannot be read: {error}") from None
    folders = {str(parent) for name in found for parent in PurePosixPath(name).parents}
    if clash := folders & found.keys():
        raise ValueError(f"it left {min(clash)} as a file and as a folder")
    return found
