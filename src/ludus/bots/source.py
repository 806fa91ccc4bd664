"""What people hand in, as a mapping from names to files: a folder, an archive, or a single file.

What an archive is, its content says: many have the ending of another kind. Nothing is unpacked to disk and nothing is
run. What could reach outside (links, absolute names, `..`) is refused. Headers are not trusted: limits count the bytes
that are really unpacked.
"""

from __future__ import annotations

import bz2
import contextlib
import gzip
import hashlib
import io
import lzma
import os
import re
import stat
import struct
import tarfile
import zipfile
import zlib
from datetime import datetime
from itertools import pairwise
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, NamedTuple

from ludus.bots.foreign import ENDINGS, HEADERS, as_tar, foreign_kind
from ludus.bots.languages import language_of
from ludus.bots.tape import TarEntry, entries
from ludus.errors import UserError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping

MOST_FILES = 2000
ITEMS_PER_FILE = 5
MOST_ITEMS = ITEMS_PER_FILE * MOST_FILES
"""Entries that an archive may list, including folders and ignored ones."""
MOST_BYTES = 64 << 20
"""What all files may have together, unpacked. One file may have as much."""
MOST_TAR_BYTES = MOST_BYTES + HEADERS
"""What a tar archive may have once decompressed: the files, and the headers and padding around them."""
LONGEST_NAME = 500
"""Bytes of a file's name with its folders, in UTF-8."""
LONGEST_PART = 255
"""Bytes of one part of a name: what Linux file systems take."""
DEEPEST = 32
"""Folders inside each other."""
ZIP_ENTRY = b"PK\x01\x02"
"""What every entry of a zip archive's table of contents begins with."""
ZIP_HEADER = struct.Struct("<4s22xHH")
"""The header of each file of a zip archive: its mark, and the lengths of the name and the extra field."""
LONGEST_EXTRA = 4096
"""Bytes that an entry may have beside its name and its content: they are read in quadratic time, by Python as well."""
UNICODE_NAME = struct.Struct("<HHBL")
"""The head of an extra field with a name in Unicode: kind, length, version, the sum of the other name."""
CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
PASSED_OVER = {
    *(
        ".git",
        ".svn",
        "__pycache__",
        ".venv",
        "node_modules",
        "__MACOSX",
        ".idea",
        ".vscode",
        ".vs",
        ".settings",
        ".gradle",
    ),
    *(".DS_Store", "Thumbs.db", "desktop.ini"),
}
"""Folders and files that are ignored."""
PACKED = (".gz", ".bz2", ".xz")
"""A tar archive or a single file, packed."""
ARCHIVES = (".zip", ".tar", *(f".tar{ending}" for ending in PACKED), ".tgz", ".tbz2", ".txz", *ENDINGS)
PACKED_MARKS = (b"\x1f\x8b", b"BZh", b"\xfd7zXZ\0")
MOST_NESTED, DEEPEST_NESTED = 8, 3
"""Archives in an archive that are opened, all together, and how far inside each other."""


class ArchiveLimits(NamedTuple):
    """How many files an archive may have, and how many bytes all of them, unpacked."""

    files: int = MOST_FILES
    size: int = MOST_BYTES


ONE = ArchiveLimits()
"""The limits of one submission."""


class File(NamedTuple):
    """A file's content, and whether it is a program."""

    data: bytes
    executable: bool = False


def read_source(path: Path) -> dict[str, File]:
    """Read uploaded files; raise UserError if something is wrong with them."""
    if not os.path.exists(path):  # noqa: PTH110 - a path is not there, too, when no path can be so long
        raise UserError("bots.no_such_path", path=path)
    if path.is_dir():
        return _opened(gather(_in_folder(path), str(path)), str(path), 0, iter(range(MOST_NESTED)))
    file = File(_read_capped(path), bool(path.stat().st_mode & 0o111))
    return read_file(path.name, file, str(path))


def read_file(name: str, file: File, source: str) -> dict[str, File]:
    """Return the files of an archive, or a file that is none as it is."""
    return _read_inside(name, file, source, 0, iter(range(MOST_NESTED)))


def _read_inside(name: str, file: File, source: str, depth: int, more: Iterator[int]) -> dict[str, File]:
    """Return the files of an archive; `more` ends when no further archive inside of the outermost one may be opened."""
    if kind := _kind_of(name, file.data):
        return _opened(gather(kind(name, file.data, source), source), source, depth, more)
    return {name: file}


def _kind_of(name: str, data: bytes) -> Callable[[str, bytes, str], Iterator[tuple[str, File]]] | None:
    """Return what reads an archive, by its content, or else by its name; None for what nobody means as one."""
    lower = name.lower()
    if data[:4] == b"PK\x03\x04":
        return None if lower.endswith(NO_ARCHIVES) else _in_zip
    if data.startswith(PACKED_MARKS):
        return _in_tar if lower.endswith((*ARCHIVES, *PACKED)) else None
    if foreign_kind(name, data):
        return _in_foreign
    return _in_zip if lower.endswith(".zip") else _in_tar if lower.endswith(ARCHIVES) else None


NO_ARCHIVES = (".jar", ".docx", ".pptx", ".xlsx", ".odt", ".pages")
"""Files that are zip archives, but that nobody means as one."""


def _opened(files: dict[str, File], source: str, depth: int, more: Iterator[int]) -> dict[str, File]:
    """Open the archives among files where no source is outside of them."""
    inside = [name for name, file in files.items() if _is_archive(name, file.data)]
    if not inside or depth == DEEPEST_NESTED or any(language_of(name) for name in files):
        return files

    def all_files() -> Iterator[tuple[str, File]]:
        yield from ((name, file) for name, file in files.items() if name not in inside)
        for name in inside:
            if next(more, None) is None:
                raise UserError("bots.too_many_archives", source=source.partition(": ")[0], most=MOST_NESTED)
            folder = re.sub(r"(?i)(\.tar)?\.\w+$", "", name)
            for inner, file in _read_inside(name, files[name], f"{source}: {name}", depth + 1, more).items():
                yield f"{folder}/{inner}", file

    return gather(all_files(), source)


def _is_archive(name: str, data: bytes) -> bool:
    """Return whether a file among others is an archive of a program: of packed files that stand alone, only sources."""
    lower = name.lower()
    named = lower.endswith(ARCHIVES) or (lower.endswith(PACKED) and language_of(PurePosixPath(name).stem) is not None)
    return named or foreign_kind(name, data) is not None


def read_zip(data: bytes, source: str, limits: ArchiveLimits) -> tuple[dict[str, File], dict[str, datetime]]:
    """Return the files of a zip archive as it is, and the time of each, which knows no zone.

    Archives in it are not opened, and a folder around all files is kept.
    """
    files = _gathered(_in_zip("", data, source, limits), source, limits)
    times = {}
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        for item in archive.infolist():
            with contextlib.suppress(ValueError):  # a day such as February 30
                times["/".join(PurePosixPath(_zip_name(item)).parts)] = datetime(*item.date_time)
    return files, times


def gather(files: Iterable[tuple[str, File]], source: str) -> dict[str, File]:
    """Collect files, within the limits; a single folder around them all is taken off."""
    found = _gathered(files, source, ONE)
    tops = {name.partition("/")[0] for name in found}
    if len(tops) == 1 and all("/" in name for name in found):
        return {name.partition("/")[2]: file for name, file in found.items()}
    return found


def _gathered(files: Iterable[tuple[str, File]], source: str, limits: ArchiveLimits) -> dict[str, File]:
    """Collect files, within the limits, in the order of their names."""
    found: dict[str, File] = {}
    size = 0
    for given, file in files:
        name = _checked_name(given, source)
        if not name or PASSED_OVER & set(name.split("/")) or name.rpartition("/")[2].startswith("._"):
            continue
        if found.get(name, file) != file:
            raise UserError("bots.two_files_of_one_name", source=source, name=name)
        found[name] = file
        size += len(file.data)
        if len(found) > limits.files:
            raise UserError("bots.too_many_files", source=source, most=limits.files)
        if size > limits.size:
            raise UserError("bots.too_large", source=source, megabytes=limits.size >> 20)
    if not found:
        raise UserError("bots.no_files", source=source)
    if clash := _folders_of(found) & found.keys():
        raise UserError("bots.file_and_folder", source=source, name=min(clash))
    return dict(sorted(found.items()))


def _checked_name(name: str, source: str) -> str:
    """Return a name without parts such as `.`; raise UserError for one that no file may have."""
    shown = _shown(name)
    parts = PurePosixPath(name).parts
    if name.startswith("/") or ".." in parts or "\0" in name or (parts and parts[0][1:2] == ":"):
        raise UserError("bots.name_outside", source=source, name=shown)
    if CONTROL.search(name):
        raise UserError("bots.name_control_character", source=source, name=shown)
    try:
        sizes = [len(part.encode()) for part in parts]
    except UnicodeEncodeError:
        raise UserError("bots.name_not_text", source=source, name=shown) from None
    if max(sizes, default=0) > LONGEST_PART or sum(sizes) + len(sizes) > LONGEST_NAME:
        raise UserError("bots.name_too_long", source=source, name=shown)
    if len(parts) > DEEPEST:
        raise UserError("bots.name_too_deep", source=source, name=shown, most=DEEPEST)
    return "/".join(parts)


def _may_be_named(name: str) -> bool:
    try:
        return bool(_checked_name(name, ""))
    except ValueError:
        return False


def _shown(name: str) -> str:
    """Return a name as an error shows it: short, and without control characters."""
    return repr(name if len(name) <= 60 else f"{name[:40]}...{name[-15:]}")


def _folders_of(names: Iterable[str]) -> set[str]:
    return {str(parent) for name in names for parent in PurePosixPath(name).parents}


def _read_capped(path: Path) -> bytes:
    if not stat.S_ISREG(path.stat().st_mode):
        raise UserError("bots.not_regular_file", path=path)
    with path.open("rb") as file:
        data = file.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise UserError("bots.too_large", source=path, megabytes=MOST_BYTES >> 20)
    return data


def _in_folder(folder: Path) -> Iterator[tuple[str, File]]:
    seen = 0
    for where, folders, names in os.walk(folder):
        folders[:] = sorted(set(folders) - PASSED_OVER)
        seen += len(folders) + len(names)
        _check_items(seen, str(folder))
        for name in (*folders, *names):
            if Path(where, name).is_symlink():
                raise UserError("bots.holds_link", path=Path(where, name))
        for name in sorted(names):
            path = Path(where, name)
            yield path.relative_to(folder).as_posix(), File(_read_capped(path), bool(path.stat().st_mode & 0o111))


def _in_zip(_name: str, data: bytes, source: str, limits: ArchiveLimits = ONE) -> Iterator[tuple[str, File]]:
    _check_items(data.count(ZIP_ENTRY), source, limits)  # before the table of contents takes memory
    left = limits.size
    try:
        if any(_extra(data, found.start()) > LONGEST_EXTRA for found in re.finditer(ZIP_ENTRY, data)):
            raise zipfile.BadZipFile
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            for item in _apart(archive.infolist(), source):
                mode, name = item.external_attr >> 16, _zip_name(item)
                if stat.S_IFMT(mode) not in (0, stat.S_IFREG, stat.S_IFDIR):
                    raise _no_file(name, source, link=stat.S_ISLNK(mode))
                if not name.endswith("/"):
                    content = _inflated(data, item, left, source, limits)
                    left -= len(content)
                    yield name, File(content, bool(mode & 0o111))
    except ZIP_ERRORS:
        raise UserError("bots.zip_unreadable", source=source) from None


def _extra(data: bytes, at: int) -> int:
    """Return how many bytes an entry of a table of contents has beside its name."""
    return int.from_bytes(data[at + 30 : at + 32], "little")


ZIP_ERRORS = (zipfile.BadZipFile, zlib.error, struct.error, NotImplementedError, UnicodeError, EOFError, OSError)
"""What reading a damaged archive may raise."""


def _apart(items: list[zipfile.ZipInfo], source: str) -> list[zipfile.ZipInfo]:
    """Return the entries; raise UserError if two of them share bytes, as in malicious archives."""
    ordered = sorted(items, key=lambda item: item.header_offset)
    for item, following in pairwise(ordered):
        if item.header_offset + ZIP_HEADER.size + item.compress_size > following.header_offset:
            raise UserError("bots.zip_overlap", source=source)
    return items


def _inflated(data: bytes, item: zipfile.ZipInfo, left: int, source: str, limits: ArchiveLimits) -> bytes:
    """Return a file of a zip archive, counting the unpacked bytes; its headers must agree with them."""
    name = _shown(_zip_name(item))
    if item.flag_bits & 1:
        raise UserError("bots.zip_encrypted", source=source, name=name)
    if item.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        raise UserError("bots.zip_compression", source=source, name=name)
    mark, *lengths = ZIP_HEADER.unpack_from(data, item.header_offset)
    if mark != b"PK\x03\x04":
        raise zipfile.BadZipFile
    start = item.header_offset + ZIP_HEADER.size + sum(lengths)
    raw = memoryview(data)[start : start + item.compress_size]
    if item.compress_type == zipfile.ZIP_DEFLATED:
        stream = zlib.decompressobj(-zlib.MAX_WBITS)
        made = stream.decompress(raw, left + 1)  # bounds the memory as well
        whole = stream.eof
    else:
        made, whole = bytes(raw[: left + 1]), True
    if len(made) > left:
        raise UserError("bots.too_large_unpacked", source=source.partition(": ")[0], megabytes=limits.size >> 20)
    if len(raw) != item.compress_size or not whole or len(made) != item.file_size or zlib.crc32(made) != item.CRC:
        raise UserError("bots.zip_damaged", source=source, name=name)
    return made


def _zip_name(item: zipfile.ZipInfo) -> str:
    """Return an item's name; archives from Windows may hold names in an encoding of their own, and backslashes."""
    name = item.orig_filename
    if not item.flag_bits & 0x800:
        raw = name.encode("cp437", errors="replace")
        name = _unicode_name(item.extra, raw) or _decoded(raw, name)
    return name.replace("\\", "/")


def _unicode_name(extra: bytes, raw: bytes) -> str:
    """Return the name that an archive has once more in UTF-8, beside the one in the encoding of its machine."""
    while len(extra) >= UNICODE_NAME.size:
        kind, size, _, crc = UNICODE_NAME.unpack_from(extra)
        if kind == 0x7075 and crc == zlib.crc32(raw):
            return extra[UNICODE_NAME.size : 4 + size].decode("utf-8", errors="replace")
        extra = extra[4 + size :]
    return ""


def _decoded(raw: bytes, otherwise: str) -> str:
    """Return a name that was written in one of the encodings that our students' machines use.

    Most bytes of a Chinese name can be read as Big5 and as GB 2312; in the right one most characters are frequent ones.
    """
    with contextlib.suppress(UnicodeDecodeError):
        return raw.decode("utf-8")
    read: dict[str, int] = {}
    for encoding, first, last in (("big5", 0xA4, 0xC6), ("gb2312", 0xB0, 0xD7)):
        with contextlib.suppress(UnicodeDecodeError):
            name = raw.decode(encoding)
            read.setdefault(name, sum(first <= one.encode(encoding)[0] <= last for one in name))
    return max(read, key=read.__getitem__, default=otherwise)


def _no_file(name: str, source: str, *, link: bool) -> ValueError:
    if link:
        return UserError("bots.archive_link", source=source, name=_shown(name))
    return UserError("bots.archive_device", source=source, name=_shown(name))


def _in_foreign(name: str, data: bytes, source: str) -> Iterator[tuple[str, File]]:
    kind = foreign_kind(name, data)
    assert kind is not None
    yield from _in_tar("", as_tar(data, kind, source, MOST_BYTES), source)


def _in_tar(given: str, data: bytes, source: str) -> Iterator[tuple[str, File]]:
    """Yield the files of a tar archive, packed or not, or the one file that is packed alone."""
    size = 0
    try:
        plain = _decompressed(data, source)
        if given.lower().endswith(PACKED) and not given.lower().endswith(ARCHIVES) and not _is_tar(plain):
            yield PurePosixPath(given).stem, File(plain)
            return
        for number, (item, name) in enumerate(_tar_items(plain), 1):
            _check_items(number, source)
            if item.kind == "sparse":
                raise UserError("bots.archive_sparse", source=source, name=_shown(name))
            if item.kind not in ("file", "folder"):
                raise _no_file(name, source, link=item.kind == "link")
            if item.content is not None:
                size += len(item.content)
                _check_size(size, source)
                yield name, File(item.content, item.executable)
    except TAR_ERRORS:
        raise UserError("bots.tar_unreadable", source=source) from None


TAR_ERRORS = (tarfile.TarError, EOFError, OSError, UnicodeError, zlib.error, lzma.LZMAError, MemoryError, OverflowError)
"""What reading a damaged archive may raise; MemoryError where it asks for a huge dictionary."""


def _decompressed(data: bytes, source: str) -> bytes:
    """Return the tar archive inside gzip, bzip2 or xz, or the archive itself: all of it in memory, and capped.

    So a header that claims gigabytes gets only the bytes that exist.
    """
    opened: io.BufferedIOBase
    if data[:2] == b"\x1f\x8b":
        opened = gzip.GzipFile(fileobj=io.BytesIO(data))
    elif data[:3] == b"BZh":
        opened = bz2.BZ2File(io.BytesIO(data))
    elif data[:6] == b"\xfd7zXZ\0":
        opened = lzma.LZMAFile(io.BytesIO(data))  # noqa: SIM115 - closed below
    else:
        return data
    with opened:
        made = opened.read(MOST_TAR_BYTES + 1)
    _check_size(max(0, len(made) - MOST_TAR_BYTES + MOST_BYTES), source)
    return made


def _is_tar(data: bytes) -> bool:
    return data[257:262] == b"ustar"


def _tar_items(data: bytes) -> Iterator[tuple[TarEntry, str]]:
    """Return each entry of a tar archive with its name."""
    for item in entries(data):
        yield item, _decoded(item.name, item.name.decode("utf-8", "surrogateescape")).removeprefix("./")


def _check_size(size: int, source: str) -> None:
    if size > MOST_BYTES:
        raise UserError("bots.too_large_unpacked", source=source, megabytes=MOST_BYTES >> 20)


def _check_items(number: int, source: str, limits: ArchiveLimits = ONE) -> None:
    if number > limits.files * ITEMS_PER_FILE:
        raise UserError("bots.too_many_files", source=source, most=limits.files)


def content(files: Mapping[str, File], *more: str) -> str:
    """Return the hash of a set of files."""
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
    """Return the regular files that a build produced; raise UserError if they cannot be read."""
    found: dict[str, File] = {}
    try:
        for number, (item, name) in enumerate(_tar_items(data), 1):
            if number > MOST_ITEMS:
                raise UserError("bots.left_too_many_items", most=MOST_ITEMS)
            if item.kind == "sparse":
                raise UserError("bots.left_sparse", name=_shown(name))
            if item.content is not None and _may_be_named(name):
                found[str(PurePosixPath(name))] = File(item.content, item.executable)
            if len(found) > MOST_FILES:
                raise UserError("bots.left_too_many_files", most=MOST_FILES)
    except TAR_ERRORS:
        raise UserError("bots.left_unreadable") from None
    if clash := _folders_of(found) & found.keys():
        raise UserError("bots.left_file_and_folder", name=min(clash))
    return found
