"""Starters: their rules are ours in every language, and every one of them plays legally to the end of the game."""

from __future__ import annotations

import json
import os
import random
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest
from foreign import Foreign, compile_cpp, place, play_out, tool
from patience import PATIENCE
from random_games import random_game
from variants import Options, variants

import ludus
from ludus.bots.starters import LANGUAGES, starter
from ludus.game import State
from ludus.protocols import protocol

DRIVERS = {
    "python": (
        "driver.py",
        """
import sys
import rules
for line in sys.stdin:
    words = line.split()
    if words[0] == "option":
        name = words[1].upper()
        if hasattr(rules, name):
            setattr(rules, name, int(words[2]) if words[2].isdigit() else words[2])
        continue
    state = rules.State.parse(line)
    print("|".join([state.text, *(f"{move}={state.play(move).text}" for move in state.legal_moves())]), flush=True)
""",
    ),
    "javascript": (
        "driver.js",
        """
const { State, options } = require("./rules.js");
require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const words = line.split(" ");
  if (words[0] === "option") {
    if (words[1] in options) options[words[1]] = /^[0-9]+$/.test(words[2]) ? Number(words[2]) : words[2];
    return;
  }
  const state = State.parse(line);
  console.log([state.text, ...state.legalMoves().map((move) => `${move}=${state.play(move).text}`)].join("|"));
});
""",
    ),
    "java": (
        "Driver.java",
        """
public class Driver {
  public static void main(String[] arguments) throws Exception {
    var input = new java.io.BufferedReader(new java.io.InputStreamReader(System.in));
    for (String line = input.readLine(); line != null; line = input.readLine()) {
      String[] words = line.split(" ");
      if (words[0].equals("option")) {
        State.setOption(words[1], words[2]);
        continue;
      }
      State state = State.parse(line);
      var answer = new StringBuilder(state.text());
      for (String move : state.legalMoves()) answer.append("|" + move + "=" + state.play(move).text());
      System.out.println(answer);
    }
  }
}
""",
    ),
    "cpp": (
        "driver.cpp",
        """
#include <iostream>
#include "rules.h"
int main() {
  for (std::string line; std::getline(std::cin, line);) {
    if (line.rfind("option ", 0) == 0) {
      std::istringstream words(line);
      std::string word, name, value;
      words >> word >> name >> value;
      set_option(name, value);
      continue;
    }
    const State state = State::parse(line);
    std::string answer = state.text();
    for (const auto& move : state.legal_moves()) answer += "|" + move + "=" + state.play(move).text();
    std::cout << answer << std::endl;
  }
}
""",
    ),
}


def driver(language: str, folder: Path) -> list[str]:
    """Build a program that shows what a starter's rules make of a position."""
    if language == "cpp":
        return [str(folder / compile_cpp(folder, "driver.cpp", "-std=c++17", "-Wall", "-Wextra", "-Werror")[0])]
    if language == "java":
        subprocess.run([tool("javac"), "State.java", "Driver.java"], cwd=folder, check=True)
        return [tool("java"), "-XX:+UseSerialGC", "-cp", str(folder), "Driver"]
    return [sys.executable if language == "python" else tool("node"), DRIVERS[language][0]]


def shown(state: State) -> str:
    """What a driver says about a position when its rules are ours."""
    return "|".join([state.text, *(f"{move}={state.play(move).text}" for move in state.legal_moves)])


def positions(name: str, options: Options, seed: int) -> Iterator[State]:
    """Return the positions of a random game, the final one too."""
    return random_game(ludus.game(name, **options).initial(seed), random.Random(seed))


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_rules_of_a_starter_are_ours(name: str, language: str, tmp_path: Path) -> None:
    file, text = DRIVERS[language]
    place(tmp_path, {**starter(name, language, "lines"), file: text})
    command = driver(language, tmp_path)
    compared = 0
    for variant, options in enumerate(variants(name)["starters"]):
        settled = ludus.game(name, **options).options
        told = [f"option {option} {value}" for option, value in settled.items() if option in options]
        seen = [state for seed in range(3) for state in positions(name, options, 10 * variant + seed)]
        chosen = seen if len(seen) <= 150 else random.Random(1).sample(seen, 150)
        done = subprocess.run(
            command,
            cwd=tmp_path,
            input="\n".join([*told, *(state.text for state in chosen), ""]),
            capture_output=True,
            text=True,
            check=True,
            timeout=PATIENCE,
        )
        for state, line in zip(chosen, done.stdout.splitlines(), strict=True):
            assert line == shown(state), options
        compared += len(chosen)
    assert compared > 100


def kinds() -> list[tuple[str, str, str]]:
    """Every starter that there is: (game, language, protocol)."""
    return [
        (game, language, spoken)
        for game in ludus.games()
        for language, made in LANGUAGES.items()
        for spoken in made.protocols
        if game in (protocol(spoken).games or ludus.games())
    ]


def built(folder: Path, files: dict[str, str]) -> tuple[str, ...]:
    """Build a starter as its bot.toml says, and give what runs it."""
    place(folder, files)
    config = tomllib.loads(files["bot.toml"])
    if config["protocol"] == "class":
        main, more = protocol("class").adapt("student.h", files["student.h"])
        place(folder, more)
        return compile_cpp(folder, main)
    if "build" in config:
        done = subprocess.run(["sh", "-c", config["build"]], cwd=folder, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        assert done.stderr == ""
    run = shlex.split(config["run"])
    if "/" not in run[0]:
        tool(run[0])
    return tuple(run)


@pytest.mark.parametrize(("game", "language", "spoken"), kinds())
def test_every_starter_plays_legally_to_the_end(game: str, language: str, spoken: str, tmp_path: Path) -> None:
    run = built(tmp_path, starter(game, language, spoken))
    a_process_a_move = spoken == "files"
    boards = variants(game)["starters"]
    for options in [{}] if spoken == "class" else boards[:2] if spoken in ("lines", "files") else boards[:4]:
        start = ludus.game(game, **options).initial(5)
        if spoken in ("lines", "files") and ludus.game(game).parse(start.text).game != start.game:
            continue  # these cannot tell an option that the board does not show
        for side in (0, 1):
            with Foreign(protocol(spoken), tmp_path, run, side) as bot:
                final = play_out(bot, start, side, seed=side, clock="60", most=12 if a_process_a_move else 400)
                assert bot.notes == []
                assert bot.stderr() == ""
            assert a_process_a_move or final.outcome is not None
    if spoken == "lines":  # here, since building it is most of the work
        plays_many_games(game, tmp_path, run)


def plays_many_games(game: str, folder: Path, run: tuple[str, ...]) -> None:
    """Let a starter play a board of another size; where most is to be had at once, it beats random moves."""
    won = 0
    for seed in range(6):
        start = ludus.game(game, **variants(game)["other"]).initial(seed)
        with Foreign(protocol("lines"), folder, run, seed % 2) as bot:
            outcome = play_out(bot, start, seed % 2, seed).outcome
            assert outcome is not None
            assert bot.notes == []
            won += outcome.winner == seed % 2
    assert won >= variants(game)["greedy_wins"]


# the verb


def new_bot(*words: str | Path, where: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "ludus", "new-bot", *map(str, words)],
        cwd=where,
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "COLUMNS": "120"},
    )


def test_new_bot_writes_a_folder_and_says_what_comes_next(tmp_path: Path) -> None:
    done = new_bot("cantris", "--language", "java", "--name", 'Deep "Tile" ü', "my bots/one", where=tmp_path)
    assert done.returncode == 0
    assert done.stderr == ""
    assert "  ludus check 'my bots/one'\n" in done.stdout
    assert "  ludus play cantris --first 'my bots/one' --second greedy\n" in done.stdout
    folder = tmp_path / "my bots" / "one"
    assert sorted(path.name for path in folder.iterdir()) == ["Bot.java", "Search.java", "State.java", "bot.toml"]
    config = tomllib.loads((folder / "bot.toml").read_text(encoding="utf-8"))
    assert config["name"] == 'Deep "Tile" ü'
    assert (config["game"], config["protocol"]) == ("cantris", "lines")
    assert config["run"].startswith("java ")


def test_new_bot_needs_no_more_than_a_game(tmp_path: Path) -> None:
    done = new_bot("chain-reaction", "--json", where=tmp_path)
    assert json.loads(done.stdout)["files"] == ["bot.toml", "bot.py"]
    config = tomllib.loads((tmp_path / "chain-reaction-bot" / "bot.toml").read_text())
    assert config == {
        "name": "chain-reaction-bot",
        "game": "chain-reaction",
        "protocol": "python",
        "run": "python3 bot.py",
    }


def test_new_bot_overwrites_only_when_told(tmp_path: Path) -> None:
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").write_text("kept")
    assert new_bot("fruit-rage", "mine", where=tmp_path).returncode == 0
    (tmp_path / "mine" / "bot.py").write_text("my own work")
    done = new_bot("fruit-rage", "mine", where=tmp_path)
    assert done.returncode == 2
    assert done.stderr == ("ludus: mine/bot.toml already exists; name another folder, or overwrite it with --force\n")
    assert (tmp_path / "mine" / "bot.py").read_text() == "my own work"
    assert new_bot("fruit-rage", "mine", "--force", where=tmp_path).returncode == 0
    assert "output.txt" in (tmp_path / "mine" / "bot.py").read_text()
    assert (tmp_path / "mine" / "notes.txt").read_text() == "kept"
    (tmp_path / "file").write_text("")
    assert "file is a file; name a folder" in new_bot("cantris", "file", where=tmp_path).stderr


def test_new_bot_has_a_page_with_examples(tmp_path: Path) -> None:
    page = new_bot("--help", where=tmp_path)
    assert page.returncode == 0
    assert "Usage: ludus new-bot [OPTIONS] GAME [DIR]" in page.stdout
    assert "\n  ludus new-bot " in page.stdout.partition("Examples:")[2]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["chess"], "there is no game 'chess'"),
        (["cantris", "--language", "pyton"], "there is no starter in 'pyton'; .*; did you mean python?"),
        (
            ["cantris", "--protocol", "class"],
            "no starter in python for protocol 'class'; use python, lines",
        ),
        (
            ["cantris", "--language", "cpp", "--protocol", "class"],
            "protocol class is only for chain-reaction, not for cantris",
        ),
        (["cantris", "--language", "java", "--protocol", "python"], "for protocol 'python'; use lines, ugi, files"),
        (["cantris", "--name", "a\nb"], "the name of a bot must be plain text"),
    ],
)
def test_new_bot_refuses_what_does_not_go_together(words: list[str], said: str, tmp_path: Path) -> None:
    done = new_bot(*words, where=tmp_path)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.count("\n") == 1
    assert re.search(said.replace("?", r"\?"), done.stderr)
    assert list(tmp_path.iterdir()) == []
