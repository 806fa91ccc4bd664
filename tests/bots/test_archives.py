"""Archives that students' machines make, and those that an attacker makes: read, or refused in one sentence, in bounded
memory. What is read here is never run.
"""

from __future__ import annotations

import base64
import bz2
import gzip
import io
import json
import lzma
import random
import shutil
import stat
import struct
import subprocess
import sys
import tarfile
import tempfile
import zipfile
import zlib
from collections.abc import Callable
from pathlib import Path

import pytest

from ludus.bots.source import MOST_BYTES, File, packed, read_file, unpacked
from ludus.courses import SubmissionSettings, find_course
from ludus.courses.submissions import find_submissions, read_submissions
from ludus.errors import UserError

MEGABYTE = 1 << 20
LOCKED_7Z = base64.b64decode(
    "N3q8ryccAARr/I7CoQAAAAAAAAAiAAAAAAAAAM/sMVjLBF9rSqV3y5qV3E5YJMTqAACBMweuD87ysgwHsMPa919FiphISvdxd1jb"
    "paSxvlCHm4P/5raPz7WncenklAM6yWi9IZB0isZpIyb8ucxIua91TKBdnJ6FWYrr9FwGa6j7ce/9HPWgcbyTqCKMCSfnoRWcG8BX"
    "3UgiZVKJ35BDOczcr7UVo5up/QHTN33BNf8MflHkzOHwqZDZWNM3Y/QAABcGEAEJgJEABwsBAAEjAwEBBV0AEAAADIDGCgGvSnte"
    "AAA="
)
"""A 7z archive with a password, as 7z writes it."""
LOCKED_RAR = b"Rar!\x1a\x07\x01\x00\x0f\x3b\x2c\x9e\x15\x04\x00\x00\x00\x0f" + bytes(80)
"""The beginning of a rar archive whose list of files is encrypted."""


def zipped(*files: tuple[str, bytes], how: int = zipfile.ZIP_DEFLATED) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", how) as archive:
        for name, data in files:
            archive.writestr(name, data)
    return made.getvalue()


def zipped_item(item: zipfile.ZipInfo, data: bytes = b"x") -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w") as archive:
        archive.writestr(item, data)
    return made.getvalue()


def entry(name: bytes, data: bytes, *, size: int, crc: int, flags: int = 0, method: int = 8, offset: int = 0) -> bytes:
    """Write an entry of a table of contents."""
    sizes = (crc, len(data), size, len(name))
    return struct.pack("<4s6H3L5H2L", b"PK\x01\x02", 20, 20, flags, method, 0, 0, *sizes, *[0] * 5, offset) + name


def forged(name: bytes, data: bytes, *, times: int = 1, again: bytes = b"", **said: int) -> bytes:
    """Write a zip whose headers say what they are told (see `entry`); `times` entries lead to the same bytes."""
    packing = (said.get("flags", 0), said.get("method", 8), 0, 0)
    local = struct.pack("<4s5H3L2H", b"PK\x03\x04", 20, *packing, said["crc"], len(data), said["size"], len(name), 0)
    body = local + name + data
    names = [name, *(again or name + str(number).encode() for number in range(1, times))]
    table = b"".join(entry(one, data, **said) for one in names)
    end = struct.pack("<4s4H2LH", b"PK\x05\x06", 0, 0, times & 0xFFFF, times & 0xFFFF, len(table), len(body), 0)
    return body + table + end


def deflated(data: bytes, times: int = 1) -> bytes:
    """Compress something that comes again and again: a block that ends in a full flush can be written many times."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    block = packer.compress(data) + packer.flush(zlib.Z_FULL_FLUSH)
    return block * times + packer.flush()


def tarred(*items: tuple[tarfile.TarInfo, bytes], form: int = tarfile.GNU_FORMAT) -> bytes:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w", format=form) as archive:
        for item, data in items:
            item.size = len(data)
            archive.addfile(item, io.BytesIO(data))
    return made.getvalue()


def special(name: str, kind: bytes, target: str = "") -> tarfile.TarInfo:
    item = tarfile.TarInfo(name)
    item.type, item.linkname = kind, target
    return item


def huge_header(kind: bytes) -> bytes:
    """Write a tar, packed by gzip, whose first header says that a name of 1 GB follows, which it does."""
    item = special("x", kind)
    item.size = 1 << 30
    return gzip.compress(item.tobuf(tarfile.USTAR_FORMAT)) + gzip.compress(bytes(64 * MEGABYTE)) * 16


def sparse(size: int) -> bytes:
    """Write a tar with a file that claims a size and brings no bytes."""
    item = tarfile.TarInfo("main.py")
    item.pax_headers = {
        "GNU.sparse.major": "1",
        "GNU.sparse.minor": "0",
        "GNU.sparse.name": "main.py",
        "GNU.sparse.realsize": str(size),
    }
    return tarred((item, b"0\n".ljust(512, b"\0")), form=tarfile.PAX_FORMAT)


def mapped() -> tarfile.TarInfo:
    item = tarfile.TarInfo("main.py")
    item.pax_headers = {"GNU.sparse.map": "1,"}
    return item


def rar(*files: tuple[str, bytes]) -> bytes:
    """Write a rar archive of version 4 with files that are not compressed, as nothing but WinRAR writes one."""

    def block(kind: int, flags: int, head: bytes, data: bytes = b"") -> bytes:
        head = struct.pack("<BHH", kind, flags, 7 + len(head)) + head
        return struct.pack("<H", zlib.crc32(head) & 0xFFFF) + head + data

    made = b"Rar!\x1a\x07\x00" + block(0x73, 0, bytes(6))
    for name, data in files:
        raw = name.encode()
        sizes = struct.pack("<LLBLLBBHL", len(data), len(data), 2, zlib.crc32(data), 0x21 << 16, 20, 0x30, len(raw), 32)
        made += block(0x74, 0x8000, sizes + raw, data)
    return made + block(0x7B, 0x4000, b"")


def by_bsdtar(ending: str, *files: tuple[str, bytes]) -> bytes:
    """Write an archive of the kind that its ending says."""
    with tempfile.TemporaryDirectory() as folder:
        for name, data in files:
            path = Path(folder, "in", name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(data)
        made = Path(folder, f"made{ending}")
        subprocess.run(["bsdtar", "-caf", made, "-C", Path(folder, "in"), "."], check=True)
        return made.read_bytes()


def large_table(size: int) -> bytes:
    """Write a zip whose table of contents says more of a file than its name: as many empty notes as that takes."""
    data = forged(b"a.py", b"x", size=1, crc=zlib.crc32(b"x"), method=0)
    head, mark, table = data.rpartition(b"PK\x01\x02")
    name, end = table[:46], table[46:]
    told = name[:26] + struct.pack("<H", size) + name[28:]
    return head + mark + told + bytes(size) + end[:12] + struct.pack("<L", len(mark + told) + size) + end[16:]


def negative(kind: bytes = b"0") -> bytes:
    """Write a tar that has come to its second entry when it has skipped it, again and again."""
    head = bytearray(special("b.py", kind).tobuf(tarfile.GNU_FORMAT))
    head[124:136] = (-512).to_bytes(12, "big", signed=True)
    head[148:156] = b"%06o\0 " % (sum(head[:148]) + sum(head[156:]) + 256)
    return tarred((tarfile.TarInfo("a.py"), b"x"))[:1024] + head + bytes(1024)


def encrypted() -> bytes:
    return forged(b"a.py", b"twelve bytes", size=1, crc=0, flags=1)


def device() -> bytes:
    item = zipfile.ZipInfo("null")
    item.external_attr = (stat.S_IFCHR | 0o666) << 16
    return zipped_item(item)


def link() -> bytes:
    item = zipfile.ZipInfo("link")
    item.external_attr = (stat.S_IFLNK | 0o777) << 16
    return zipped_item(item, b"/etc/passwd")


def bad_crc() -> bytes:
    return zipped(("a.py", b"print(1)"), how=zipfile.ZIP_STORED).replace(b"print(1)", b"print(2)")


def cut() -> bytes:
    return zipped(("a.py", random.Random(1).randbytes(5000)))[:3000]


def with_nul() -> bytes:
    return zipped(("safe.py_.zip", b"x")).replace(b"safe.py_", b"safe.py\0")


def lying(megabytes: int = 700) -> bytes:
    """Say 10 bytes, and bring some more; the sum is that of the first 10, so that a hasty reader is content."""
    return forged(b"a.py", deflated(bytes(MEGABYTE), megabytes), size=10, crc=zlib.crc32(bytes(10)))


def lying_a_little() -> bytes:
    return forged(b"a.py", deflated(b"0123456789 and more"), size=10, crc=zlib.crc32(b"0123456789"))


def lying_small() -> bytes:
    return forged(b"a.py", deflated(b"short"), size=1000, crc=zlib.crc32(b"short"))


def overlapping() -> bytes:
    return forged(b"a", deflated(bytes(MEGABYTE)), size=MEGABYTE, crc=zlib.crc32(bytes(MEGABYTE)), times=200)


def endless_table() -> bytes:
    return forged(b"d/", b"", size=0, crc=0, method=0, times=200_000, again=b"d/")


def folders(kind: str) -> bytes:
    if kind == "zip":
        return zipped(*((f"folder{number}/", b"") for number in range(12_000)))
    return lzma.compress(tarred(*((special(f"f{number}", tarfile.DIRTYPE), b"") for number in range(12_000))))


def nested(depth: int) -> str:
    return "/".join(["d"] * depth) + "/a.py"


UNPACKED = "more than 64 MB when unpacked; submit only the source files"
REFUSED: list[tuple[str, str, Callable[[], bytes], str]] = [
    ("a header that lies", "a.zip", lying, UNPACKED),
    ("a header that lies a little", "a.zip", lying_a_little, "'a.py' is damaged or cut short; create the zip again"),
    ("a header that promises more", "a.zip", lying_small, "'a.py' is damaged or cut short; create the zip again"),
    ("a bomb", "a.zip", lambda: zipped(("a", bytes(70 * MEGABYTE))), UNPACKED),
    ("a bomb of many", "a.zip", lambda: zipped(*((f"{n}", bytes(MEGABYTE)) for n in range(70))), UNPACKED),
    ("bzip2 in a zip", "a.zip", lambda: zipped(("a", bytes(9)), how=zipfile.ZIP_BZIP2), "create a normal zip"),
    ("lzma in a zip", "a.zip", lambda: zipped(("a", bytes(9)), how=zipfile.ZIP_LZMA), "create a normal zip"),
    ("overlapping entries", "a.zip", overlapping, "two of its files overlap; create the zip again"),
    ("an endless table", "a.zip", endless_table, "more than 2000 files"),
    ("folders in a zip", "a.zip", lambda: folders("zip"), "more than 2000 files"),
    ("folders in a tar", "a.tar.xz", lambda: folders("tar"), "more than 2000 files"),
    ("two of a name", "a.zip", lambda: zipped(("./a.py", b"1"), ("a.py", b"2")), "two different files named a.py"),
    ("a file that is a folder", "a.zip", lambda: zipped(("a", b""), ("a/b", b"")), "a is both a file and a folder"),
    ("an absolute name", "a.zip", lambda: zipped(("/etc/x", b"")), "points outside"),
    ("a name with ..", "a.tar", lambda: tarred((tarfile.TarInfo("a/../../b"), b"")), "points outside"),
    ("a name with .. and a backslash", "a.zip", lambda: zipped(("..\\b.py", b"")), "points outside"),
    ("a name with a drive", "a.zip", lambda: zipped(("C:\\x.py", b"")), "points outside"),
    ("a name with NUL", "a.zip", with_nul, "points outside"),
    ("a name with an escape", "a.zip", lambda: zipped(("a\x1b[2J", b"")), r"'a\x1b[2J' contains a control character"),
    ("a name of 300", "a.zip", lambda: zipped(("n" * 300 + ".py", b"")), "is too long; rename the file"),
    ("a name of 100 in Chinese", "a.zip", lambda: zipped(("棋" * 100 + ".py", b"")), "is too long"),
    ("a name of 60,000", "a.zip", lambda: zipped(("n" * 60_000, b"")), "is too long"),
    ("a long name in a tar", "a.tar", lambda: tarred((tarfile.TarInfo("n" * 300), b"")), "is too long"),
    ("a deep name", "a.zip", lambda: zipped((nested(40), b"")), "is inside more than 32 folders"),
    ("a link", "a.zip", link, "'link' is a link; include the file itself"),
    ("a link in a tar", "a.tar", lambda: tarred((special("l", tarfile.SYMTYPE, "/etc/passwd"), b"")), "'l' is a link"),
    ("a hard link", "a.tar", lambda: tarred((special("l", tarfile.LNKTYPE, "x"), b"")), "'l' is a link"),
    ("a device", "a.zip", device, "'null' is a device or a pipe"),
    ("a device in a tar", "a.tar", lambda: tarred((special("null", tarfile.CHRTYPE), b"")), "is a device or a pipe"),
    ("a password", "a.zip", encrypted, "'a.py' is encrypted; create the zip without a password"),
    ("a bad sum", "a.zip", bad_crc, "'a.py' is damaged or cut short; create the zip again"),
    ("rubbish", "a.zip", lambda: b"PK\x03\x04rubbish", "this zip archive cannot be read"),
    ("rubbish in a tar", "a.tar.gz", lambda: b"rubbish", "archive cannot be read"),
    ("half a zip", "a.zip", cut, "this zip archive cannot be read"),
    ("half a tar", "a.tar.gz", lambda: gzip.compress(tarred((tarfile.TarInfo("a"), b"x" * 9)))[:40], "cannot be read"),
    ("half a file in a tar", "a.tar", lambda: tarred((tarfile.TarInfo("a"), b"x" * 9000))[:2000], "cannot be read"),
    ("a bad name", "a.zip", lambda: forged(b"\xff\xfe", b"", size=0, crc=0, flags=0x800, method=0), "cannot be read"),
    ("a gzip bomb", "a.tar.gz", lambda: gzip.compress(bytes(90 * MEGABYTE)), UNPACKED),
    ("a bzip2 bomb", "a.tar.bz2", lambda: bz2.compress(bytes(10 * MEGABYTE)) * 30, UNPACKED),
    ("an xz bomb", "a.tar.xz", lambda: lzma.compress(bytes(10 * MEGABYTE), preset=0) * 30, UNPACKED),
    ("a header of a gigabyte", "a.tgz", lambda: huge_header(tarfile.GNUTYPE_LONGNAME), UNPACKED),
    ("a pax header of a gigabyte", "a.tgz", lambda: huge_header(tarfile.XHDTYPE), UNPACKED),
    ("a file without its bytes", "a.tar", lambda: sparse(40 << 30), "is a sparse file; include only normal files"),
    ("a cut rar", "a.rar", lambda: rar(("a.py", b"x" * 99))[:80], "this rar archive cannot be read"),
    ("a 7z with a password", "a.7z", lambda: LOCKED_7Z, "this 7z archive has a password; create it without one"),
    ("a rar with a password", "a.rar", lambda: LOCKED_RAR, "this rar archive has a password; create it without one"),
    ("no rar at all", "a.rar", lambda: b"#mtree\n./p type=file contents=/etc/passwd\n", "cannot be read"),
    ("a bomb in a 7z", "a.7z", lambda: by_bsdtar(".7z", ("a", bytes(90 * MEGABYTE))), UNPACKED),
    ("a name with .. in a rar", "a.rar", lambda: rar(("../a.py", b"x")), "points outside"),
    ("a file of less than nothing", "a.tar", negative, "this tar archive cannot be read"),
    ("a name of less than nothing", "a.tar", lambda: negative(b"L"), "this tar archive cannot be read"),
    ("a map of a sparse file", "a.tar", lambda: tarred((mapped(), b"x"), form=tarfile.PAX_FORMAT), "a sparse file"),
    ("a table of contents full of notes", "a.zip", lambda: large_table(60_000), "this zip archive cannot be read"),
    ("nothing", "a.zip", zipped, "it contains no files"),
]


@pytest.mark.parametrize(("name", "make", "says"), [case[1:] for case in REFUSED], ids=[case[0] for case in REFUSED])
def test_an_archive_that_is_no_submission_is_refused_in_one_sentence(
    name: str, make: Callable[[], bytes], says: str
) -> None:
    with pytest.raises(ValueError) as refused:
        read_file(name, File(make()), name)
    told = str(refused.value)
    assert type(refused.value) is UserError and told.startswith(f"{name}: ")
    assert "problem" not in refused.value.message.params, "what Python says of an archive is English only"
    assert says in told and "\n" not in told and "\x1b" not in told and len(told) < 250


READER = """
import json, re, sys
from pathlib import Path
from ludus.bots.source import File, read_file, unpacked

def peak():
    return int(re.search(r"VmHWM:\\s+(\\d+) kB", Path("/proc/self/status").read_text())[1]) // 1024

data = Path(sys.argv[1]).read_bytes()
before = peak()
try:
    unpacked(data) if sys.argv[2] == "build" else read_file(sys.argv[2], File(data), sys.argv[2])
    said = None
except ValueError as error:
    said = str(error)
print(json.dumps([peak() - before, said]))
"""


def growth(path: Path, name: str) -> tuple[int, str]:
    """Read an archive in a process of its own, and tell by how many megabytes that grew, and what it said."""
    done = subprocess.run([sys.executable, "-c", READER, path, name], capture_output=True, text=True, check=True)
    megabytes, said = json.loads(done.stdout)
    return megabytes, said


@pytest.mark.parametrize(
    ("name", "make", "most"),
    [
        ("a.zip", lying, 150),
        ("a.zip", overlapping, 20),
        ("a.zip", endless_table, 20),
        ("a.tar.bz2", lambda: bz2.compress(bytes(10 * MEGABYTE)) * 40, 250),
        ("a.tar.xz", lambda: lzma.compress(bytes(10 * MEGABYTE), preset=0) * 40, 250),
        ("a.tgz", lambda: huge_header(tarfile.XHDTYPE), 250),
        ("a.tar", lambda: sparse(4 << 30), 20),
        ("build", lambda: sparse(4 << 30), 20),
    ],
    ids=["lying", "overlapping", "table", "bzip2", "xz", "pax", "sparse", "sparse build"],
)
def test_no_archive_takes_much_more_memory_than_submissions_may(
    tmp_path: Path, name: str, make: Callable[[], bytes], most: int
) -> None:
    """64 MB are what a submission may have; growing buffers and a tar archive around them take as much again."""
    (tmp_path / "archive").write_bytes(make())
    megabytes, said = growth(tmp_path / "archive", name)
    assert said is not None and megabytes < most


@pytest.mark.parametrize(
    ("raw", "flags", "meant"),
    [
        ("棋.py".encode(), 0x800, "棋.py"),
        ("棋.py".encode(), 0, "棋.py"),
        ("棋功.py".encode("big5"), 0, "棋功.py"),  # its second byte is a backslash
        (b"sub\\main.py", 0, "sub/main.py"),
        (b"bot:1.py", 0, "bot:1.py"),
    ],
)
def test_names_in_the_encodings_of_students_are_read(raw: bytes, flags: int, meant: str) -> None:
    data = forged(raw, deflated(b"x"), size=1, crc=zlib.crc32(b"x"), flags=flags)
    files = read_file("a.zip", File(data), "a.zip")
    assert files in ({meant: File(b"x")}, {meant.partition("/")[2]: File(b"x")})


@pytest.mark.parametrize(
    ("name", "encoding"), [("連鎖反應.py", "big5"), ("连锁反应.py", "gbk"), ("Müller.py", "cp437")]
)
def test_the_encoding_of_a_name_is_the_one_in_which_its_characters_are_frequent(name: str, encoding: str) -> None:
    data = forged(name.encode(encoding), deflated(b"x"), size=1, crc=zlib.crc32(b"x"))
    assert list(read_file("a.zip", File(data), "a.zip")) == [name]


def test_a_name_that_is_there_in_unicode_too_is_that() -> None:
    item = zipfile.ZipInfo("a.py")
    text = "选手.py".encode()
    item.extra = struct.pack("<HHBL", 0x7075, 5 + len(text), 1, zlib.crc32(b"a.py")) + text
    assert list(read_file("a.zip", File(zipped_item(item)), "a.zip")) == ["选手.py"]


WANTED = (("src/main.py", b"print(1)"), ("棋.txt", b"x" * 1000))


@pytest.mark.parametrize("ending", [".7z", ".tar.zst", ".zip", ".tar.xz", ".tgz"])
@pytest.mark.parametrize("name", ["a{}", "a.zip", "a.rar"])
def test_an_archive_is_what_its_content_says(name: str, ending: str) -> None:
    data = by_bsdtar(ending, *WANTED)
    files = read_file(name.format(ending), File(data), "a")
    assert {name: file.data for name, file in files.items()} == dict(WANTED)


def test_rar_archives_are_read() -> None:
    wanted = {"src/main.py": File(b"print(1)"), "more.txt": File(b"x" * 1000)}
    data = rar(("src\\main.py", b"print(1)"), ("more.txt", b"x" * 1000))
    for name, outer in (("a.rar", data), ("a.zip", data), ("a.zip", zipped(("hw/a.rar", data)))):
        files = read_file(name, File(outer), name)
        assert {name.removeprefix("a/"): file.data for name, file in files.items()} == {
            name: file.data for name, file in wanted.items()
        }


def test_without_bsdtar_the_package_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "which", lambda _: None)
    with pytest.raises(UserError, match="apt-get install libarchive-tools, or hand in a zip"):
        read_file("a.rar", File(rar(("a.py", b"x"))), "a.rar")


def test_one_file_that_is_packed_alone_is_a_source_or_stays_as_it_is() -> None:
    assert read_file("bot.py.gz", File(gzip.compress(b"print(1)")), "a") == {"bot.py": File(b"print(1)")}
    both = zipped(("bot", b"\x7fELF"), ("book.gz", gzip.compress(b"moves")))
    assert set(read_file("a.zip", File(both), "a")) == {"bot", "book.gz"}


def test_a_tar_with_a_name_in_big5_is_read() -> None:
    made = io.BytesIO()
    with tarfile.open(fileobj=made, mode="w", format=tarfile.GNU_FORMAT, encoding="big5") as archive:
        archive.addfile(tarfile.TarInfo("棋.py"))
    assert list(read_file("a.tar", File(made.getvalue()), "a.tar")) == ["棋.py"]


def test_ordinary_archives_are_read() -> None:
    """Folders as Windows writes them, a file twice, zip64, data after sizes that are not known yet, every packing."""
    wanted = {"main.py": File(b"print(1)"), "sub/more.py": File(b"x" * 1000)}
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("sub\\", b"")
        archive.writestr("main.py", b"print(1)")
        archive.writestr("./main.py", b"print(1)")
        with archive.open("sub/more.py", "w", force_zip64=True) as stream:
            stream.write(b"x" * 1000)
    assert read_file("a.zip", File(made.getvalue()), "a.zip") == wanted
    assert read_file("a.zip", File(b"#!/bin/sh\n" + made.getvalue()), "a.zip") == wanted  # one that unpacks itself
    program = "import zipfile, sys; zipfile.ZipFile(sys.stdout.buffer, 'w', 8).writestr('a', 'b' * 99)"
    piped = subprocess.run([sys.executable, "-c", program], stdout=subprocess.PIPE, check=True)
    assert read_file("a.zip", File(piped.stdout), "a.zip") == {"a": File(b"b" * 99)}
    tar = packed(wanted)
    for name, data in (
        ("a.tar", tar),
        ("a.tgz", gzip.compress(tar)),
        ("a.tar.gz", gzip.compress(tar[:700]) + gzip.compress(tar[700:])),
        ("a.tar.bz2", bz2.compress(tar)),
        ("a.tar.xz", lzma.compress(tar)),
    ):
        assert read_file(name, File(data), name) == wanted


def test_headers_without_number_before_a_file_are_read() -> None:
    long = special("L", tarfile.GNUTYPE_LONGNAME).tobuf(tarfile.GNU_FORMAT)
    assert read_file("a.tar", File(3000 * long + tarred((tarfile.TarInfo("a"), b"x"))), "a.tar") == {"a": File(b"x")}


@pytest.mark.parametrize("form", [tarfile.USTAR_FORMAT, tarfile.GNU_FORMAT, tarfile.PAX_FORMAT])
def test_every_kind_of_tar_is_read(form: int) -> None:
    names = ["a.py", f"{'d' * 90}/{'n' * 60}.py", "選手/a.py"]
    names += [] if form == tarfile.USTAR_FORMAT else [f"{'n' * 240}.py"]
    items = [(tarfile.TarInfo(name), b"x" * 513 * number) for number, name in enumerate(names)]
    assert read_file("a.tar", File(tarred(*items, form=form)), "a.tar") == {
        name: File(b"x" * 513 * number) for number, name in sorted(enumerate(names), key=lambda one: one[1])
    }


def test_no_more_than_eight_archives_in_an_archive_are_opened() -> None:
    """Each of them may unpack as much as a whole submission, and what is ignored in it counts nowhere else."""
    inner = zipped(("__pycache__/a", bytes(9)), ("a.txt", b"x"))
    for _ in range(3):
        inner = zipped(*((f"{number}.zip", inner) for number in range(8)))
    with pytest.raises(UserError, match=r"^a\.zip: it holds more than 8 archives; submit the source files themselves$"):
        read_file("a.zip", File(inner), "a.zip")


def test_a_full_submission_is_read() -> None:
    big = random.Random(1).randbytes(MEGABYTE) * (MOST_BYTES // MEGABYTE)
    files = read_file("a.zip", File(zipped(("a", big), how=zipfile.ZIP_STORED)), "a.zip")
    assert len(files["a"].data) == MOST_BYTES
    assert len(read_file("a.tar", File(tarred((tarfile.TarInfo("a"), big))), "a.tar")["a"].data) == MOST_BYTES


def test_a_build_that_leaves_a_forged_archive_fails_in_a_sentence() -> None:
    both = packed({"main.py": File(b"x"), "main.py/x": File(b"y")})
    for data, says in (
        (b"x" * 4096, "the files of the build cannot be read"),
        (both[:700], "the files of the build cannot be read"),
        (both, "file and as a folder"),
        (sparse(40 << 30), "the build left .* as a sparse file; it must be a normal file"),
        (
            tarred(*((special(f"f{number}", tarfile.DIRTYPE), b"") for number in range(12_000))),
            "the build left more than 10000",
        ),
        (tarred((tarfile.TarInfo("a"), b"x" * 9000))[:2000], "the files of the build cannot be read"),
    ):
        with pytest.raises(ValueError, match=says):
            unpacked(data)
    assert unpacked(packed({"../../evil.py": File(b"x"), "/evil.py": File(b"x"), "n" * 600: File(b"x")})) == {}


def test_a_submission_that_cannot_be_unpacked_stops_nobody_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LUDUS_CACHE", str(tmp_path / "cache"))
    submissions = tmp_path / "submissions"
    submissions.mkdir()
    bot = b"def choose(state, clock):\n    return state.legal_moves[0]\n"
    for number, data in {
        "106000001": zipped(("main.py", bot), ("n" * 300 + ".py", b"")),
        "106000002": lying(100),
        "106000003": zipped(("main.py", bot)),
    }.items():
        (submissions / f"{number}.zip").write_bytes(data)
    course = find_course("nycu-cantris").model_copy(update={"submission": SubmissionSettings()})
    long, large, good = read_submissions(course, find_submissions(submissions), tmp_path / "bots")
    assert str(long.trouble).endswith("is too long; rename the file") and not long.doubt
    assert str(large.trouble) == "106000002.zip: more than 64 MB when unpacked; submit only the source files"
    assert good.plays and not good.trouble
