"""The zip for Gradescope: unpacked into a folder that is like /autograder, its scripts install and grade."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from pathlib import Path

import pytest
from bots import cave_bot, processes_with

from ludus.cli import main

COURSE = """
game = "cantris"
clock = "none"
[options]
rows = 4
cols = 3
[submission]
protocols = ["python"]
[deadline]
at = "2026-06-10 23:59"
[tournaments.all]
[rubric.runs]
kind = "builds-and-finishes"
points = 30
opponent = "random:seed=1"
games = 1
[rubric.bonus]
kind = "win-rate"
points = 10
tournament = "all"
[rubric.late]
kind = "late"
a_day = 5
"""
WORKS = "def choose(state, clock):\n    return state.legal_moves[0]\n"
METADATA = {
    "id": 1,
    "created_at": "2026-06-11T14:22:32.365935-07:00",
    "users": [{"email": "ann@x.tw", "id": 1, "name": "Ann"}, {"email": "bob@x.tw", "id": 2, "name": "Bob"}],
}


def wheel(folder: Path) -> Path:
    """Make the smallest wheel of that name."""
    path = folder / "ludus-0.0-py3-none-any.whl"
    info = "ludus-0.0.dist-info"
    with zipfile.ZipFile(path, "w") as made:
        made.writestr("ludus_stub.py", "")
        made.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: ludus\nVersion: 0.0\n")
        made.writestr(
            f"{info}/WHEEL", "Wheel-Version: 1.0\nGenerator: test\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
        )
        made.writestr(f"{info}/RECORD", "")
    return path


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """Unpack an autograder as Gradescope does, with a submission."""
    (tmp_path / "course.toml").write_text(COURSE)
    target, root = tmp_path / "autograder.zip", tmp_path / "autograder"
    command = ["course", "autograder", str(tmp_path / "course.toml"), str(target)]
    assert main([*command, "--source", str(wheel(tmp_path))]) == 0
    with zipfile.ZipFile(target) as made:
        assert set(made.namelist()) == {"setup.sh", "run_autograder", "course.toml", "ludus-0.0-py3-none-any.whl"}
        modes = {info.filename: info.external_attr >> 16 & 0o777 for info in made.infolist()}
        assert modes["setup.sh"] == modes["run_autograder"] == 0o755
        made.extractall(root / "source")
    (root / "submission").mkdir()
    (root / "submission" / "bot.py").write_text(WORKS)
    return root


def run(script: Path, root: Path, **more: str) -> int:
    environment = {**os.environ, "AUTOGRADER_ROOT": str(root), **more}
    return subprocess.run(["bash", str(script)], env=environment, cwd=root, check=False).returncode


def test_a_submission_is_graded(root: Path) -> None:
    (root / "submission_metadata.json").write_text(json.dumps(METADATA))
    ludus = str(Path(sys.executable).with_name("ludus"))
    assert run(root / "source" / "run_autograder", root, LUDUS=ludus) == 0
    said = json.loads((root / "results" / "results.json").read_text())
    tests = {test["name"]: test for test in said["tests"]}
    assert (said["score"], tests["runs"]["score"], tests["runs"]["status"]) == (25, 30, "passed")
    assert tests["late"]["score"] == -5
    assert "status" not in tests["bonus"] and tests["bonus"]["tags"] == ["open"]
    assert (said["extra_data"]["student"], said["extra_data"]["team"]) == ("ann", "ann_bob")


CAVE_COURSE = """
game = "magnetic-cave"
clock = "20/move"
[submission]
protocols = ["lines"]
[rubric.runs]
kind = "builds-and-finishes"
points = 30
opponent = "random:seed=1"
games = 1
"""
NOSY = """
    import socket, subprocess
    for path in ("{root}/results", "{root}/source", "{root}/submission", "/root"):
        try:
            os.listdir(path)
            sys.exit("it reads " + path)
        except PermissionError:
            pass
    try:
        socket.socket()
        sys.exit("it has a network")
    except OSError:
        pass
    if turn == 1:
        subprocess.Popen(["sleep", "{mark}"], start_new_session=True, stdout=2)
"""
WITHOUT_NAMESPACES = ("setpriv", "--inh-caps=-all", "--bounding-set=-sys_admin", "--")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can be deprived of its capabilities")
@pytest.mark.parametrize("allowed", [True, False])
def test_a_container_without_namespaces(root: Path, allowed: bool) -> None:
    """Gradescope's own container: no namespace can be made, and a program is kept in as a user of its own."""
    place = Path(tempfile.mkdtemp(prefix="autograder-"))  # the program has to find its own files below it
    place.chmod(0o755)
    try:
        shutil.copytree(root, place, dirs_exist_ok=True)
        (place / "source" / "course.toml").write_text(CAVE_COURSE)
        (place / "submission" / "bot.py").unlink()
        mark = f"{os.getpid()}.5"
        cave_bot(place / "submission", NOSY.format(root=place, mark=mark))
        script = place / "source" / "run_autograder"
        if not allowed:
            script.write_text(script.read_text().replace("LUDUS_CONTAINER=1", "LUDUS_CONTAINER=0"))
        ludus = str(Path(sys.executable).with_name("ludus"))
        environment = {**os.environ, "AUTOGRADER_ROOT": str(place), "LUDUS": ludus, "LUDUS_CACHE": str(place / "cache")}
        command = [*WITHOUT_NAMESPACES, "bash", str(script)]
        status = subprocess.run(command, env=environment, cwd=place, check=False).returncode
        said = json.loads((place / "results" / "results.json").read_text())
        assert (status, said["score"]) == ((0, 30) if allowed else (1, 0)), said
        assert processes_with(mark) == [], "what it left running is gone"
    finally:
        shutil.rmtree(place)


def test_what_is_no_fault_of_the_submission_is_told(root: Path) -> None:
    assert run(root / "source" / "run_autograder", root, LUDUS="/bin/false") == 1
    said = json.loads((root / "results" / "results.json").read_text())
    assert said["score"] == 0 and "could not grade" in said["output"]


@pytest.mark.parametrize(
    ("default", "packages", "used"),
    [("3.12", "python3", "python3"), ("3.10", "python3.11", "python3.11")],
    ids=["new", "Ubuntu 22.04"],
)
def test_the_setup_finds_a_python_that_is_new_enough(root: Path, default: str, packages: str, used: str) -> None:
    tools, log = root / "tools", root / "log"
    tools.mkdir()
    old = "exit 1" if default == "3.10" else "exit 0"
    scripts = {
        "apt-get": f'echo "$@" >>{log}; case "$*" in *python3.11*) cp {tools}/new {tools}/python3.11 ;; esac',
        "new": f'[ "$1" = -c ] || {{ echo "venv $0" >>{log}; mkdir -p "$3/bin"; cp {tools}/pip "$3/bin/python"; }}',
        "pip": "exit 0",
        "python3": f'case "$1" in -c) {old} ;; *) exec {tools}/new "$@" ;; esac',
        "g++": "echo 13",
        "id": "echo 0",
    }
    for name, text in scripts.items():
        (tools / name).write_text(f"#!/bin/sh\n{text}\n")
        (tools / name).chmod(0o755)
    for name in ("bash", "cp", "grep", "mkdir"):
        (tools / name).symlink_to(shutil.which(name) or "")
    assert run(root / "source" / "setup.sh", root, PATH=str(tools), PYTHON="") == 0
    told = log.read_text()
    assert packages in told and f"venv {tools}/{'new' if used == 'python3' else used}" in told


def test_the_setup_installs_what_is_beside_it(root: Path) -> None:
    given = {"AUTOGRADER_NO_PACKAGES": "1", "PYTHON": sys.executable, "PIP_NO_INDEX": "1"}
    assert run(root / "source" / "setup.sh", root, **given) == 0
    command = [str(root / "ludus" / "bin" / "python"), "-c", "import ludus_stub"]
    assert subprocess.run(command, check=False, cwd=root).returncode == 0


def test_a_wrong_source_is_one_sentence(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["course", "autograder", "nycu-cantris", str(tmp_path / "x.zip"), "--source"]
    (tmp_path / "other.whl").write_bytes(b"")
    for wrong in (tmp_path / "other.whl", tmp_path / "ludus-1.tar.gz", tmp_path):
        assert main([*command, str(wrong)]) == 2
        said = capsys.readouterr().err
        assert "this is not a package of Ludus" in said and said.count("\n") == 1
    assert not (tmp_path / "x.zip").exists()
