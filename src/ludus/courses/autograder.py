"""The zip that Gradescope runs for each submission: two scripts, the course, and the archive that installs Ludus.

    setup.sh        once, when the zip is uploaded: installs what the sandbox needs, and Ludus
    run_autograder  for each submission: tries it as `ludus course try` does, and writes results/results.json
    course.toml, and roster.csv and extensions.csv where they are beside it; ludus-VERSION.tar.gz or a wheel

Both scripts work below AUTOGRADER_ROOT, which is /autograder unless it is set. Knows no points.
"""

from __future__ import annotations

import io
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

import ludus
from ludus.courses import PRESETS
from ludus.errors import UserError
from ludus.files import ScratchFolder, read_text, write_whole

if TYPE_CHECKING:
    from ludus.courses import Course

ENDINGS = (".whl", ".tar.gz", ".zip")
TABLES = ("roster", "extensions")
"""Who someone is, and until when there is time: what a single submission needs."""
DATE = (2026, 1, 1, 0, 0, 0)
"""Of all files in the zip, so that the same course makes the same zip."""
SETUP = """\
#!/usr/bin/env bash
# Installs Ludus and what its sandbox needs. Gradescope runs this once, as root, when the autograder is uploaded.
set -euo pipefail
root=${AUTOGRADER_ROOT:-/autograder}
packages() {
  [ "$(id -u)" -ne 0 ] || [ -n "${AUTOGRADER_NO_PACKAGES:-}" ] ||
    DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@"
}
# Prints the first Python that is new enough.
python() {
  for one in ${PYTHON:-} python3 python3.13 python3.12 python3.11; do
    if "$one" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null; then
      echo "$one"
      return
    fi
  done
  return 1
}
[ "$(id -u)" -ne 0 ] || [ -n "${AUTOGRADER_NO_PACKAGES:-}" ] || apt-get update -qq
packages python3 python3-venv python3-dev g++ default-jdk-headless nodejs \
  bubblewrap libseccomp2 libarchive-tools tzdata util-linux
python >/dev/null || packages python3.11 python3.11-venv python3.11-dev # Ubuntu 22.04 has an older one by default
if ! g++ -dumpversion | grep -q '^1[2-9]' && packages g++-12; then
  export CC=gcc-12 CXX=g++-12
fi
"$(python)" -m venv "$root/ludus"
"$root/ludus/bin/python" -m pip install --quiet --disable-pip-version-check "$root"/source/ludus-*
"""
RUN = """\
#!/usr/bin/env bash
# Tries one submission as the course does, and writes what Gradescope shows.
set -uo pipefail
root=${AUTOGRADER_ROOT:-/autograder}
ludus=${LUDUS:-$root/ludus/bin/ludus}
export LUDUS_CACHE=${LUDUS_CACHE:-$root/cache}
# The container forbids the namespaces of the sandbox, and is thrown away afterwards; docs/courses.md says more.
export LUDUS_CONTAINER=1
results=$root/results/results.json
mkdir -p "$root/results"
rm -f "$results"
# What a submission is run as is another user, who sees nothing of these.
chmod -R go-rwx "$root/source" "$root/results" "$root/submission" "$root/submission_metadata.json" 2>/dev/null
given=()
[ -f "$root/submission_metadata.json" ] && given=(--metadata "$root/submission_metadata.json")
"$ludus" course try "$root/source/course.toml" "$root/submission" --results "$results" "${given[@]}"
status=$?
# 0 and 1 are grades: nothing, or something, is to be fixed. All else is no fault of the submission.
if [ "$status" -gt 1 ] || [ ! -f "$results" ]; then
  printf '{"score": 0, "output": "%s", "output_format": "text", "stdout_visibility": "hidden"}\\n' \\
    "The autograder could not grade this. Your instructor sees why; please tell them." > "$results"
  exit 1
fi
"""


def write_autograder(course: Course, target: Path, source: Path | None = None) -> list[str]:
    """Write the zip of a course; `source` is a wheel or an sdist of Ludus, made from here where there is none.

    Return the names of the files in it.
    """
    if source is not None:
        is_archive = source.name.startswith("ludus-") and source.name.endswith(ENDINGS)
        if not source.is_file() or not is_archive:
            raise UserError("courses.no_archive", path=str(source))
    assert course.path is not None
    with ScratchFolder() as scratch:
        archive = source or make_sdist(scratch)
        files = {
            "setup.sh": (SETUP.encode(), 0o755),
            "run_autograder": (RUN.encode(), 0o755),
            "course.toml": (f'name = "{course.name}"\n{read_text(course.path)}'.encode(), 0o644),
            archive.name: (archive.read_bytes(), 0o644),
        }
        beside = [course.path.parent / f"{name}.csv" for name in TABLES if course.path.parent != PRESETS]
        files |= {path.name: (path.read_bytes(), 0o644) for path in beside if path.is_file()}
        packed = io.BytesIO()
        with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as made:
            for name, (data, mode) in files.items():
                info = zipfile.ZipInfo(name, DATE)
                info.external_attr = (0o100000 | mode) << 16
                info.compress_type = zipfile.ZIP_DEFLATED
                made.writestr(info, data)
        write_whole(target, packed.getvalue())
    return list(files)


def make_sdist(folder: Path) -> Path:
    """Return an sdist of this Ludus, made from the checkout that it runs from."""
    root = Path(ludus.__file__).parents[2]
    make = "import sys; from scikit_build_core.build import build_sdist; build_sdist(sys.argv[1])"
    if (root / "pyproject.toml").is_file():
        done = subprocess.run(  # noqa: S603 - our own interpreter
            [sys.executable, "-c", make, str(folder)], cwd=root, capture_output=True, check=False
        )
        if done.returncode == 0 and (found := list(folder.glob("ludus-*.tar.gz"))):
            return found[0]
    raise UserError("courses.no_sdist")
