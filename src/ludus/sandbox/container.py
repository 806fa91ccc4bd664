"""How a foreign program is kept in where no namespaces can be made: in a container that is thrown away afterwards.

Gradescope runs autograders in such containers. The program is a user of its own, without rights, with the limits and
the filter of system calls of the sandbox, in a folder of its own. It sees the files of the container that everyone may
read, and the names of its processes. So this is used only where LUDUS_CONTAINER says that it is nobody else's.
"""

from __future__ import annotations

import functools
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from ludus.files import ScratchFolder
from ludus.sandbox import cage, load_filter
from ludus.sandbox.view import BOT, VisibleFiles

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from ludus.sandbox.cage import ResourceLimits

VARIABLE = "LUDUS_CONTAINER"
START = f'echo ready >&{cage.OUTPUT}; read -r go && exec "$@" >&{cage.OUTPUT} {cage.OUTPUT}>&-'
"""Says READY, waits for GO, and becomes the program, with its output in place."""


def allowed() -> bool:
    """Return whether the machine is a container that is thrown away; only root can give a program another user."""
    return os.environ.get(VARIABLE) == "1" and cage.is_root()


@functools.cache
def has_namespaces() -> bool:
    """Return whether bubblewrap is there and can make the namespaces of a sandbox."""
    try:
        program = cage.bubblewrap()
    except cage.SandboxError:
        return False
    tried = [program, "--unshare-pid", "--unshare-net", "--dev-bind", "/", "/", "true"]
    return subprocess.run(tried, capture_output=True, check=False).returncode == 0  # noqa: S603


def make_folder(folder: Path | None, user: int) -> ScratchFolder:
    """Make the folder in which a program runs, with links to its files."""
    scratch = ScratchFolder(Path(tempfile.gettempdir()), "ludus-run-")
    for item in folder.iterdir() if folder is not None else ():
        (scratch.path / item.name).symlink_to(item)
    shutil.chown(scratch.path, user, user)
    return scratch


def command(
    program: Sequence[str], folder: Path | None, limits: ResourceLimits, rules: Sequence[int], user: int
) -> list[str]:
    """Return what starts a program; `rules` are the descriptors of the filters. Each word becomes the next one."""
    words = [word.replace(BOT, str(folder)) if word.startswith(f"{BOT}/") else word for word in program]
    last_first = ",".join(map(str, reversed(rules)))  # after the one that refuses filters, none could be loaded
    loader = [sys.executable, "-I", "-S", load_filter.__file__, last_first]
    drop = ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups", "--inh-caps=-all", "--"]
    bounds = [f"--nproc={limits.processes}", f"--nofile={limits.files}", f"--fsize={limits.disk_mb * cage.MEGABYTE}"]
    bounds += ["--core=0", "--memlock=65536", "--msgqueue=65536", "--sigpending=256", "--rtprio=0", "--nice=0"]
    bounds += [f"--data={limits.memory_mb * cage.MEGABYTE}"]
    if limits.cpu_seconds is not None:
        bounds.append(f"--cpu={limits.cpu_seconds}")
    return [*cage.enter(()), *loader, *drop, "prlimit", *bounds, "--", "/bin/sh", "-c", START, "sh", *words]


def environment(view: VisibleFiles, scratch: Path, given: Mapping[str, str]) -> dict[str, str]:
    """Return the environment of a program: nothing of ours."""
    return {**cage.standard_environment(view, str(scratch)), "TMPDIR": str(scratch), **given}
