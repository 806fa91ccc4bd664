"""Control groups of an ordinary user: those that root has made for that user, and those that systemd gives."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
from ordinary import USER, as_ordinary_user, environment, home, interpreter
from patience import until

from ludus.sandbox import cgroup


def mounts() -> tuple[Path | None, dict[str, Path]]:
    """Return where control groups of version 2 are, and of each controller of version 1."""
    unified: Path | None = None
    controllers: dict[str, Path] = {}
    for line in Path("/proc/self/mountinfo").read_text().splitlines():
        before, _, after = line.partition(" - ")
        kind, _, options = after.split(" ", 2)
        place = Path(before.split()[4])
        if kind == "cgroup2":
            unified = place
        elif kind == "cgroup":
            controllers |= dict.fromkeys(options.split(","), place)
    return unified, controllers


def give(group: Path) -> None:
    """Make a group that belongs to the ordinary user."""
    group.mkdir()
    for path in (group, group / "cgroup.procs", group / "cgroup.subtree_control"):
        if path.exists():
            os.chown(path, USER, USER)


def remove(group: Path) -> None:
    """Remove a group with those below it, once all processes are gone."""
    for below in (one for one in group.iterdir() if one.is_dir()):
        remove(below)
    until(lambda: not (group / "cgroup.procs").read_text())
    group.rmdir()


@pytest.fixture
def version_1() -> Iterator[list[Path]]:
    """Give the ordinary user a group of each controller of version 1."""
    _, controllers = mounts()
    places = {
        controllers[name] / f"ludus_{USER}" for name in ("memory", "pids", "cpu", "cpuacct") if name in controllers
    }
    if os.geteuid() != 0 or "memory" not in controllers:
        pytest.skip("only root can give groups of version 1, and only where there are some")
    for group in places:
        give(group)
    yield sorted(places)
    for group in places:
        remove(group)


HUNGRY = """
import os, time
for _ in range(8):
    if os.fork() == 0:
        hog = bytearray(100 << 20)
        for place in range(0, len(hog), 4096): hog[place] = 1
        time.sleep(60)
os.wait()
"""


def test_groups_that_root_made_for_a_user_limit_its_bots(version_1: list[Path]) -> None:
    script = f"""
import json
from ludus import sandbox
from ludus.errors import Fault
from ludus.sandbox import cgroup
found = cgroup.hierarchy()
with sandbox.start(("python3", "-c", {HUNGRY!r}), view=sandbox.python(), limits=sandbox.ResourceLimits(256)) as program:
    inside = [path.name for path in found.folders["memory"].iterdir() if path.is_dir()]
    program.start_clock()
    try:
        program.line(60)
    except Fault as fault:
        print(json.dumps([fault.kind, found.version, sorted(map(str, {{*found.folders.values()}})), inside]))
"""
    done = as_ordinary_user("-c", script)
    assert done.returncode == 0, done.stderr
    kind, version, folders, inside = json.loads(done.stdout)
    assert (kind, version, folders) == ("memory", 1, list(map(str, version_1)))
    assert len(inside) == 1
    assert not [path for group in version_1 for path in group.iterdir() if path.is_dir()], "nothing is left"


LOOK = """
import json, sys
from ludus.sandbox import cgroup
cgroup.CONTROLLERS = (sys.argv[1],)
found = cgroup.hierarchy()
own = [line for line in open("/proc/self/cgroup") if line.startswith("0::")][0].strip()
print(json.dumps([found and found.version, found and str(found.folders[sys.argv[1]]), own]))
"""


@pytest.fixture
def version_2() -> Iterator[tuple[Path, str]]:
    """Give the ordinary user a group of version 2, with any controller that this machine has in it."""
    unified, _ = mounts()
    offered = (unified / "cgroup.controllers").read_text().split() if unified else []
    if os.geteuid() != 0 or unified is None or not offered:
        pytest.skip("only root can give groups of version 2, and only where there are some")
    controller = "memory" if "memory" in offered else offered[0]
    before = (unified / "cgroup.subtree_control").read_text().split()
    with contextlib.suppress(OSError):
        (unified / "cgroup.subtree_control").write_text(f"+{controller}")
    group = unified / f"ludustest{uuid.uuid4().hex}"
    give(group)
    if controller not in (group / "cgroup.controllers").read_text().split():
        group.rmdir()
        pytest.skip("this machine's group of version 2 hands nothing on")
    yield group, controller
    remove(group)
    if controller not in before:
        with contextlib.suppress(OSError):
            (unified / "cgroup.subtree_control").write_text(f"-{controller}")


def test_a_referee_in_a_group_of_its_own_makes_room_in_it(version_2: tuple[Path, str]) -> None:
    group, controller = version_2
    starter = f"""
import os, sys
with open({str(group / "cgroup.procs")!r}, "w") as file:
    file.write(str(os.getpid()))
os.execvp("setpriv", ["setpriv", "--reuid={USER}", "--regid={USER}", "--clear-groups", "--", *sys.argv[1:]])
"""
    done = started_by_root(starter, LOOK, controller)
    assert done == [2, str(group), f"0::/{group.name}/{cgroup.ROOM}"]


def started_by_root(starter: str, script: str, *words: str) -> list[object]:
    """Run a script as the ordinary user from a program that root runs first."""
    with home() as folder:
        command = [sys.executable, "-c", starter, interpreter(), "-c", script, *words]
        done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=folder, env=environment(folder))
    assert done.returncode == 0, done.stderr
    answer: list[object] = json.loads(done.stdout)
    return answer


def test_systemd_is_asked_for_a_group_and_the_referee_moves_into_it(version_2: tuple[Path, str]) -> None:
    """A stand-in for busctl passes the request on; the test does what systemd does: a group, and the process in it."""
    group, controller = version_2
    with home() as folder:
        busctl = folder / "bin" / "busctl"
        busctl.parent.mkdir()
        busctl.write_text(
            f'#!/bin/sh\nprintf "%s\\n" "$@" >{folder}/asked.new && mv {folder}/asked.new {folder}/asked\n'
        )
        busctl.chmod(0o755)
        (folder / "bus").touch()
        asked = folder / "asked"

        def systemd() -> None:
            until(asked.exists, "the request")
            words = asked.read_text().split()
            time.sleep(0.05)  # it has answered by now
            give(group / words[words.index("fail") - 1])
            process = words[words.index("au") + 2]
            (group / words[words.index("fail") - 1] / "cgroup.procs").write_text(process)

        (group / "cgroup.subtree_control").write_text(f"+{controller}")
        doing = threading.Thread(target=systemd)
        doing.start()
        done = as_ordinary_user(
            "-c", LOOK, controller, folder=folder, PATH=f"{busctl.parent}:/usr/bin:/bin", XDG_RUNTIME_DIR=str(folder)
        )
        doing.join()
        assert done.returncode == 0, done.stderr
        words = asked.read_text().split()
        version, place, own = json.loads(done.stdout)
    unit = words[words.index("fail") - 1]
    assert words[:3] == ["--user", "call", "org.freedesktop.systemd1"]
    assert words[words.index("Delegate") + 1 :] == ["b", "true", "0"]
    assert (version, place, own) == (2, str(group / unit), f"0::/{group.name}/{unit}/{cgroup.ROOM}")
