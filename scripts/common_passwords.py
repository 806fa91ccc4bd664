#!/usr/bin/env python3
"""Write src/ludus/store/common_passwords.bin: the commonest passwords of other people, as short hashes.

    scripts/common_passwords.py django-5.2.19-py3-none-any.whl zxcvbn-4.5.0-py2.py3-none-any.whl

The lists are those of Django (BSD licence; 20,000 passwords, collected by Royce Williams) and of zxcvbn (MIT licence;
30,000), read from their wheels as `pip download --no-deps django zxcvbn` fetches them. Nothing of the wheels is run.
Passwords that the rule about length refuses anyway are left out.
"""

from __future__ import annotations

import ast
import gzip
import re
import sys
import zipfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "src"))

from ludus.store.passwords import COMMON, SHORTEST_PASSWORD, fingerprint


def passwords(wheel: zipfile.ZipFile) -> list[str]:
    """Return the list of passwords in a wheel."""
    names = wheel.namelist()
    if "django/contrib/auth/common-passwords.txt.gz" in names:
        return gzip.decompress(wheel.read("django/contrib/auth/common-passwords.txt.gz")).decode().split("\n")
    source = wheel.read("zxcvbn/frequency_lists.py").decode()
    found = re.search(r"""["']passwords["']\s*:\s*(\[[^\]]*\]|"[^"]*"|'[^']*')""", source)
    if found is None:
        sys.exit("zxcvbn/frequency_lists.py is not written as expected")
    listed = ast.literal_eval(found[1])
    return listed if isinstance(listed, list) else listed.split(",")


def main() -> None:
    """Write the file."""
    found = {word for path in sys.argv[1:] for word in passwords(zipfile.ZipFile(path))}
    kept = {fingerprint(word) for word in found if len(word) >= SHORTEST_PASSWORD}
    COMMON.write_bytes(b"".join(sorted(kept)))
    print(f"{len(found):,} passwords, {len(kept):,} of them long enough: {COMMON.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
