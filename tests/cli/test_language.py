"""What the terminal shows comes from the catalogue: in another language nothing of it is English."""

from __future__ import annotations

import contextlib
import io
import re
import sys
from pathlib import Path

import pytest
from commands import run
from english import english_in

import ludus
from ludus.cli import main
from ludus.store.accounts import Accounts
from ludus.store.backup import back_up

SMALL = ["--option", "rows=4", "--option", "cols=3"]
PROGRAMS = (
    "chain-reaction",
    "random:seed",
    "engine:level",
    "ludus tournament",
    "ludus replay",
    "ludus account add NAME",
    "ludus check mine",
)
NAMES = ("cantris", "greedy", "random", "ludus", "swiss", "none", "Ctrl")


@pytest.fixture(autouse=True)
def chinese(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ludus.cli.output.LANGUAGE", "zh")


@pytest.mark.parametrize(
    "words",
    [
        ["match", "cantris", "greedy", "random:seed=1", "--games", "4", *SMALL],
        ["match", "chain-reaction", "greedy", "random:seed=1", "--games", "2", "--sprt", "0,10", *SMALL],
        ["tournament", "--game", "cantris", "greedy", "random:seed=1", "random:seed=2", *SMALL],
        ["tournament", "--format", "knockout", "--game", "cantris", "greedy", "random:seed=1", "random:seed=2", *SMALL],
        ["tournament", "--example"],
        ["play", "cantris", "--first", "greedy", "--second", "greedy", "--clock", "60+1", "--save", "x.txt", *SMALL],
        ["play", "chain-reaction", "--first", "greedy", "--second", "lines:false", *SMALL],
        ["replay", "game.txt"],
        ["replay", "open.txt"],
        ["analyse", "game.txt", "--nodes", "200"],
        ["analyse", "open.txt", "--nodes", "200"],
        ["analyse", "cantris", "--nodes", "200", "--lines", "3"],
        ["analyse", "cantris", "--lines", "3", *SMALL],
        ["analyse", "chain-reaction", "--nodes", "200"],
        ["analyse", "chain-reaction", "r1r1/.b1 1 3"],
        ["solve", "cantris", *SMALL],
        ["solve", "chain-reaction", "r1r1/.b1 1 3"],
        ["perft", "cantris", "--depth", "2"],
        ["bench", "cantris", "--nodes", "100"],
        ["compare-search", "cantris", "--depth", "2", *SMALL],
        ["new-bot", "cantris", "mine"],
        ["check", "bot.py", "--game", "chain-reaction", "--option", "rows=3", "--option", "cols=3"],
        ["account", "list", "--database", "new.db"],
        ["account", "add", "Ada", "--database", "arena.db"],
        ["account", "role", "小美", "admin", "--database", "arena.db"],
        ["account", "password", "小美", "--database", "arena.db"],
        ["account", "remove", "小美", "--yes", "--database", "arena.db"],
        ["backup", "out.zip", "--database", "arena.db"],
        ["restore", "old.zip", "--database", "empty.db"],
    ],
    ids=lambda words: " ".join(words[:3]),
)
@pytest.mark.usefixtures("folder")
def test_what_is_printed_is_chinese(words: list[str], capfd: pytest.CaptureFixture[str]) -> None:
    assert main(words) == (1 if words[0] == "check" else 0)
    shown = "".join(capfd.readouterr())
    assert re.search("[\u4e00-\u9fff]", shown)
    assert english_in(shown, *PROGRAMS, *NAMES, least=2) == []


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Go to a folder with records, a bot that fails, and the database of an arena."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "stdin", io.StringIO("correct horse\n"))
    game = ludus.game("cantris", rows=4, cols=3)
    ludus.play_match(game, ("greedy", "random:seed=1")).save("game.txt")
    Path("open.txt").write_text('[Game "chain-reaction"]\n\n1. A1 {2.1s +0.25} F1 2. A2 *\n')
    Path("bot.py").write_text("import sys\ninput()\nprint('Z9', flush=True)\nprint('\\n' * 20, file=sys.stderr)\n")
    with contextlib.closing(Accounts("arena.db")) as accounts:
        accounts.add("小美", "correct horse")
    back_up("arena.db", tmp_path / "arena.files", tmp_path / "old.zip")


@pytest.mark.usefixtures("folder")
def test_a_person_plays_in_chinese(capfd: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    lines = [
        "",
        "help",
        "moves",
        "hint",
        "a1",
        "zz",
        "a1",
        "undo",
        "undo",
        "save",
        "save no/x",
        "save x.txt",
        "b2",
        "quit",
    ]
    monkeypatch.setattr(sys, "stdin", io.StringIO("\n".join(lines)))
    assert main(["play", "chain-reaction", "--second", "greedy"]) == 0
    shown = capfd.readouterr().out
    assert Path("x.txt").exists()
    assert english_in(shown, *PROGRAMS, *NAMES, "no such file or directory", "save FILE", "save no", least=2) == []


@pytest.mark.parametrize(
    "words",
    [
        ["nothing"],
        ["play"],
        ["play", "cantris", "more"],
        ["play", "cantris", "--first"],
        ["play", "cantris", "--frist", "greedy"],
        ["play", "cantris", "--seed", "x"],
        ["play", "cantris", "--seed", "1", "--board", "x"],
        ["play", "cantris", "--save", "no/such/game.txt"],
        ["perft", "cantris", "--depth", "0"],
        ["solve", "cantris", "--seconds", "-1"],
        ["solve", "cantris", "--objective", "all"],
        ["match", "cantris", "greedy", "random", "--games", "1"],
        ["move", "cantris", "--folder", "nowhere"],
        ["match", "cantris", "greedy", "random", "--sprt", "a"],
        ["course", "grade", "x"],
    ],
    ids=" ".join,
)
def test_what_is_wrong_with_a_command_is_said_in_chinese(words: list[str], capfd: pytest.CaptureFixture[str]) -> None:
    assert main(words) == 2
    shown = capfd.readouterr().err
    assert english_in(shown, *words, "ludus", least=2) == []
    assert re.search("[\u4e00-\u9fff]{2}", shown)


def test_the_environment_chooses_the_language() -> None:
    asked = [run("perft", "cantris", "--depth", "1", LUDUS_LANGUAGE=language) for language in ("zh", "en", "", "fr")]
    assert [ran.stdout.split()[0] for ran in asked] == ["深度", "depth", "depth", "depth"]
    assert [ran.stderr for ran in asked[:3]] == ["", "", ""]
    assert asked[3].stderr.count("\n") == 1 and "LUDUS_LANGUAGE is 'fr', which is not known" in asked[3].stderr
    assert run("perft", "cantris", "--depth", "1", LANG="fr_FR.UTF-8").stderr == "", "the locale is none of our setting"
