"""Every block of code on the pages is run by a test; this file knows by which, and runs the rest.

What would change the machine, or needs others, is a stand-in on the PATH that checks what it is told: sudo runs what an
ordinary person may, docker reads the files that it is given, ssh and sbatch run the command here.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path

import pytest
from foreign import compile_cpp
from foreign import place as write
from patience import PATIENCE, until
from ports import free_port

import ludus
from ludus.bots import read_bot
from ludus.bots.player import BotPlayer
from ludus.files import read_toml
from ludus.play.clock import Clock
from ludus.protocols import protocol
from ludus.protocols.console import ConsoleScript
from ludus.settings import read_settings

ROOT = Path(__file__).parents[2]
DEPLOY = ROOT / "deploy"
TESTS = ROOT / "tests"
BLOCK = re.compile(r"^```(\w*) ?([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
PAGES = [
    page.relative_to(ROOT).as_posix()
    for page in (
        ROOT / "README.md",
        ROOT / "CONTRIBUTING.md",
        *(page for folder in ("docs", "examples", "src/ludus/games") for page in sorted((ROOT / folder).rglob("*.md"))),
    )
]
TRIED = {
    ("README.md", "python"): "test_readme.py",
    ("README.md", "console"): "test_readme.py",
    ("README.md", "sh"): "test_readme.py",
    ("docs/analysis.md", "python"): "test_readme.py",
    ("docs/arena.md", "python"): "web/test_web_client.py",
    ("docs/arena.md", "sh"): "docs/test_blocks.py",
    ("docs/bots.md", "toml"): "docs/test_bots_page.py",
    ("docs/courses.md", "sh"): "docs/test_blocks.py",
    ("docs/courses.md", "toml"): "courses/test_course_files.py",
    ("docs/deploy.md", "sh"): "docs/test_blocks.py",
    ("docs/formats.md", "python"): "test_readme.py",
    ("docs/protocols.md", "console"): "docs/test_blocks.py",
    ("docs/protocols.md", "cpp"): "docs/test_blocks.py",
    ("docs/protocols.md", "exchange"): "protocols/test_protocols.py",
    ("docs/protocols.md", "python"): "docs/test_blocks.py",
    ("docs/protocols.md", "toml"): "docs/test_blocks.py",
    ("docs/python.md", "python"): "test_readme.py",
    ("docs/research.md", "console"): "test_readme.py",
    ("docs/research.md", "python"): "test_readme.py",
    ("docs/research.md", "sh"): "docs/test_blocks.py",
    ("docs/terminal.md", "console"): "test_readme.py",
    ("docs/tournaments.md", "python"): "docs/test_blocks.py",
    ("docs/tournaments.md", "sh"): "docs/test_blocks.py",
    ("examples/README.md", "console"): "docs/test_blocks.py",
    ("examples/learning/README.md", "sh"): "test_learning.py",
}
"""Which test runs the blocks of a page. Tutorials and the games' pages have tests that find them by themselves."""


FIRST_MOVE = "def choose(state, clock):\n    return state.legal_moves[0]\n"


def blocks(page: str, language: str) -> list[str]:
    text = (ROOT / page).read_text(encoding="utf-8")
    return [body for kind, _, body in BLOCK.findall(text) if kind == language]


@pytest.mark.parametrize("page", PAGES)
def test_every_block_is_run_or_is_no_code(page: str) -> None:
    """A page in Chinese has the blocks of the one in English, which `test_languages.py` and others compare."""
    found = {kind for kind, *_ in BLOCK.findall((ROOT / page).read_text(encoding="utf-8"))} - {"text"}
    assert "" not in found, "a block says what it is; what nobody runs is `text`"
    for kind in found:
        if page.startswith("docs/tutorials/"):
            assert kind in ("console", "python")
        elif page.startswith("src/ludus/games/"):
            assert kind == "python"
        else:
            test = TESTS / TRIED[page.replace(".zh.md", ".md"), kind]
            stem, folder = Path(page).name.partition(".")[0], Path(page).parent.name
            assert (folder if folder and stem == "README" else stem) in test.read_text(encoding="utf-8")


# stand-ins


SUDO = """#!/bin/sh
# Does what an ordinary person may: runs ludus, and looks whether the file is there that it is told to copy.
[ "$1" = -u ] && shift 2
echo "$@" >> "$RECORD"
case "$1" in
  */ludus) shift; exec ludus "$@" ;;
  cp) test -f "$2" ;;
  apt-get | useradd | systemctl | python3 | */pip) ;;
  *) echo "sudo knows no $1" >&2; exit 1 ;;
esac
"""
DOCKER = """#!/usr/bin/env python3
# Reads what it is told to build or to begin, and runs the command that it is to run in a container.
import os, re, subprocess, sys
from pathlib import Path
words = sys.argv[1:]
file = Path(words.pop(words.index("-f") + 1))
if words[0] == "build":
    sources = re.findall(r"^COPY (?!--from)(\\S+)", file.read_text(), re.M)
    sys.exit(not (sources and all(Path(one).exists() for one in sources)))
if words[-2:] == ["up", "-d"]:
    sys.exit(not {*re.findall(r"[$][{](\\w+):[?]", file.read_text())} <= {*os.environ})
place = words.index("exec")
assert re.search(rf"^  {words[place + 1]}:$", file.read_text(), re.M)
sys.exit(subprocess.run(words[place + 2:]).returncode)
"""
SSH = """#!/bin/sh
# The other machine is this one.
shift
exec "$@"
"""
SBATCH = """#!/bin/sh
# The queue is empty: a job begins at once. The script is copied first, since the caller deletes its file.
script=$(cat "$1")
sh -c "$script" >> "$RECORD" 2>&1 &
echo "Submitted batch job $!"
"""
SCANCEL = """#!/bin/sh
kill "$@"
"""


class Shell:
    """A folder in which blocks are run, with stand-ins for programs, in a session that ends with it."""

    def __init__(self, folder: Path, stand_ins: Mapping[str, str]) -> None:
        self.folder = folder
        programs = write(folder / "programs", stand_ins)
        for program in programs.iterdir():
            program.chmod(0o755)
        self.record = folder / "record"
        self.environment = os.environ | {
            "PATH": f"{programs}:{Path(sys.executable).parent}:{os.environ['PATH']}",
            "HOME": str(folder),
            "XDG_DATA_HOME": str(folder / "data"),
            "LUDUS_CACHE": str(folder / "cache"),
            "LUDUS_LANGUAGE": "en",
            "RECORD": str(self.record),
            "DASK_JOBQUEUE__SLURM__INTERFACE": "lo",
        }

    def begin(self, text: str, typed: str = "") -> subprocess.Popen[str]:
        """Begin a block as a script in a session of its own."""
        process = subprocess.Popen(
            ["sh", "-euc", text],
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            start_new_session=True,
        )
        assert process.stdin is not None
        process.stdin.write(typed)
        process.stdin.close()
        process.stdin = None
        return process

    def run(self, text: str, typed: str = "") -> str:
        """Run a block; return what it printed."""
        with self.begin(text, typed) as process:
            said, _ = process.communicate(timeout=PATIENCE)
        assert process.returncode == 0, said
        return said

    def end(self, process: subprocess.Popen[str]) -> None:
        """End a session."""
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


def replaced(text: str, **changes: str) -> str:
    """Return a block with some of its words changed, each of which is there."""
    for old, new in changes.items():
        assert old in text
        text = text.replace(old, new)
    return text


# pages


def test_accounts_of_the_arena(tmp_path: Path) -> None:
    shell = Shell(tmp_path, {})
    first, second = blocks("docs/arena.md", "sh")
    (tmp_path / "secret.txt").write_text("a secret of grace\n")
    shell.run("ludus account add grace", "a first secret\n")
    typed = {"add": "a secret of ada\n", "remove": "y\n"}
    said = [shell.run(command, typed.get(command.split()[2], "")) for command in first.splitlines()]
    assert re.search(r"admin +ada\n *student +grace", said[1])
    assert "grace" not in shell.run("ludus account list")
    invited, waiting = (shell.run(command) for command in second.splitlines())
    assert len(max(invited.split(), key=len)) > 8 and "60" in waiting


def test_a_course_from_its_folder_to_the_grades(tmp_path: Path) -> None:
    (block,) = blocks("docs/courses.md", "sh")
    begin, grade = block.splitlines()
    shell = Shell(tmp_path, {})
    shell.run(begin)
    (tmp_path / "spring" / "submissions").mkdir(exist_ok=True)
    (tmp_path / "spring" / "submissions" / "106000001.cpp").write_text("no program\n")
    shell.run(f"{grade} --weak-sandbox")
    assert "106000001" in (tmp_path / "results" / "index.html").read_text()


def test_an_arena_for_others(tmp_path: Path) -> None:
    machine, containers = blocks("docs/deploy.md", "sh")
    shell = Shell(tmp_path, {"sudo": SUDO, "docker": DOCKER})
    shutil.copytree(DEPLOY, tmp_path / "deploy")
    (tmp_path / "data").mkdir()
    said = shell.run(replaced(machine, **{"/var/lib/ludus/": f"{tmp_path}/data/"}), "a secret of its own\n")
    assert "sandbox" in said
    asked = shell.record.read_text()
    installed = set(re.search(r"install (.*)", asked)[1].split())  # type: ignore[index]
    image = (DEPLOY / "Dockerfile").read_text()
    assert {"bubblewrap", "libseccomp2", "g++", "fonts-noto-cjk"} <= installed & set(image.split())
    containers = replaced(containers, **{"postgresql://ludus:...@database/ludus": f"{tmp_path}/data/other.db"})
    shell.run(containers, "a secret of its own\n")
    for database in ("arena", "other"):
        assert "admin" in shell.run(f"ludus account list --database data/{database}.db")


def test_the_extra_of_the_page_is_there() -> None:
    (command,) = blocks("docs/research.md", "sh")
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    assert re.findall(r"\[(\w+)\]", command) == ["research"]
    assert "research" in project["optional-dependencies"]


def test_matches_of_two_bots(tmp_path: Path) -> None:
    shell = Shell(tmp_path, {})
    for name in ("mybot", "mybot-old"):
        write(tmp_path / name, {"bot.py": FIRST_MOVE, "bot.toml": 'game = "magnetic-cave"\nprotocol = "python"\n'})
    whole, sequential = blocks("docs/tournaments.md", "sh")[0].splitlines()
    for command in (replaced(whole, **{"--games 200": "--games 2"}), f"{sequential} --games 2"):
        assert "2 games" in shell.run(f"{command} --force")


TOURNAMENT = (
    'game = "connect-four"\npairs = 1\n[format]\nname = "round-robin"\n[entries]\na = "random:seed=1"\nb = "greedy"\n'
)

BOTH_PLAYED = "1.  b       1  100.0%      2"


@pytest.fixture
def session(tmp_path: Path) -> Shell:
    shell = Shell(tmp_path, {"ssh": SSH, "sbatch": SBATCH, "scancel": SCANCEL})
    (tmp_path / "tournament.toml").write_text(TOURNAMENT)
    return shell


def test_a_tournament_on_machines_by_ssh(session: Shell) -> None:
    scheduler, worker, tournament = blocks("docs/tournaments.md", "sh")[1].splitlines()
    port = free_port()
    here = {"HOST:8786": f"127.0.0.1:{port}"}
    servers = [
        session.begin(f"{scheduler.partition('#')[0]} --host 127.0.0.1 --port {port} --no-dashboard"),
        session.begin(replaced(worker.partition("#")[0], **here).replace("--nworkers 4", "--nworkers 1")),
    ]
    try:
        assert BOTH_PLAYED in session.run(replaced(tournament, **here))
    finally:
        for server in servers:
            session.end(server)


def test_a_tournament_on_a_cluster_with_slurm(session: Shell) -> None:
    (program,) = blocks("docs/tournaments.md", "python")
    (session.folder / "cluster.py").write_text(replaced(program, **{"jobs=64": "jobs=1"}))
    cluster = session.begin("mkfifo line; python -u cluster.py < line > printed & exec sleep 1000 > line")
    try:
        printed = session.folder / "printed"
        until(lambda: printed.exists() and "tcp://" in printed.read_text())
        (address,) = re.findall(r"tcp://\S+", printed.read_text())
        assert BOTH_PLAYED in session.run(f"ludus tournament tournament.toml --cluster {address}")
    finally:
        session.end(cluster)


def test_the_engine_answers_as_the_page_shows(tmp_path: Path) -> None:
    (block,) = blocks("docs/protocols.md", "console")
    command, *lines = block.removeprefix("$ ").splitlines()
    typed = [line for line in lines if line.startswith(("position", "go"))]
    with Shell(tmp_path, {}).begin(command, "\n".join([*typed, ""])) as engine:
        assert engine.stdout is not None
        said = engine.stdout.read()
    for line in lines[len(typed) :]:
        assert re.sub(r"(nps|time) \d+", r"\1", line) in re.sub(r"(nps|time) \d+", r"\1", said), said


def test_the_programs_of_the_protocols(tmp_path: Path) -> None:
    (function,) = blocks("docs/protocols.md", "python")
    write(tmp_path / "python", {"bot.py": function, "bot.toml": 'game = "cantris"\nprotocol = "python"\n'})
    state = ludus.game("cantris").initial()
    with BotPlayer(read_bot(tmp_path / "python")) as bot:
        assert bot.choose(state, Clock.parse("60/move").start()) == state.legal_moves[0]
    student, algorithm = blocks("docs/protocols.md", "cpp")
    bodies = "void Student::makeMove(int[5][6], int[5][6], Color[5][6], Color) {}\n"
    bodies += "int Student::getX() { return 0; }\nint Student::getY() { return 0; }\n"
    for spoken, source in (("class", student + bodies), ("algorithm", algorithm)):
        main, more = protocol(spoken).adapt("student.cpp", source)
        compile_cpp(write(tmp_path / spoken, {"student.cpp": source, **more}), main)


def test_the_script_of_a_console_program() -> None:
    (block,) = blocks("docs/protocols.md", "toml")
    script = read_settings(ConsoleScript, read_toml(block.encode(), "protocols.md")["console"], "protocols.md")
    assert script.files == ["board.txt"]


def test_the_bots_of_the_examples(tmp_path: Path) -> None:
    play, check = (line.removeprefix("$ ") for line in blocks("examples/README.md", "console")[0].splitlines())
    shell = Shell(tmp_path, {})
    shutil.copytree(ROOT / "examples", tmp_path / "examples", ignore=shutil.ignore_patterns("learning"))
    near_the_end = ".r1r2b2b1b1/r2r3r3r3b2b2/.r2r3r2r3r2/r2r3r2r2r2r1/.r1r1r1r2. 2 53"
    assert "wins" in shell.run(f"{play} --no-animation --board '{near_the_end}'")
    shell.run(f"{check} --option size=3")
