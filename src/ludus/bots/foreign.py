"""Archives that Python does not read, such as rar and 7z: bsdtar makes a tar archive of one, inside the sandbox.

Trusts neither the bytes nor bsdtar: what comes out is read and checked like any tar archive that was handed in.
"""

from __future__ import annotations

import re
import shutil

from ludus import sandbox
from ludus.errors import Fault, UserError
from ludus.sandbox import ResourceLimits

MARKS = {b"Rar!\x1a\x07": "rar", b"7z\xbc\xaf\x27\x1c": "7z", b"\x28\xb5\x2f\xfd": "zst"}
"""How each kind begins."""
ENDINGS = (".rar", ".7z", ".tar.zst")
PROGRAM, PACKAGE = "bsdtar", "libarchive-tools"
SECONDS = 10.0
HEADERS = 16 << 20
"""What the headers and the padding of a tar archive may take beside the files."""
COMMAND = (
    f'head -c "$1" >/tmp/archive && {{ {PROGRAM} -cf - --format=gnutar @/tmp/archive'
    f" || {{ {PROGRAM} -xOf /tmp/archive >/dev/null; exit 1; }}; }}"
)
"""The second call says why the first one failed."""


def foreign_kind(name: str, data: bytes) -> str | None:
    """Return the kind of an archive that is foreign by its content, or at least by its name."""
    by_content = next((kind for mark, kind in MARKS.items() if data.startswith(mark)), None)
    by_name = next((ending.rpartition(".")[2] for ending in ENDINGS if name.lower().endswith(ending)), None)
    return by_content or by_name


def as_tar(data: bytes, kind: str, source: str, most: int) -> bytes:
    """Return a tar archive with the files of a foreign archive; `most` bounds the bytes of the files."""
    unreadable = UserError("bots.foreign_unreadable", source=source, kind=kind)
    if not data.startswith(tuple(MARKS)):  # a name alone: bsdtar would try formats that nobody asked for
        raise unreadable
    if shutil.which(PROGRAM) is None:
        raise UserError("bots.no_unpacker", source=source, kind=kind, program=PROGRAM, package=PACKAGE)
    limits = ResourceLimits(memory_mb=1024, processes=8, disk_mb=max(1, len(data) >> 20) + 1)
    with sandbox.start(("/bin/sh", "-c", COMMAND, "sh", str(len(data))), limits=limits) as process:
        process.send(data)
        try:
            return process.rest(SECONDS, most + HEADERS)
        except Fault as fault:
            if fault.kind == "too-much-output":
                raise UserError("bots.too_large_unpacked", source=source, megabytes=most >> 20) from None
            locked = re.search("crypt", process.log.text, re.IGNORECASE)
            raise (UserError("bots.foreign_encrypted", source=source, kind=kind) if locked else unreadable) from None
