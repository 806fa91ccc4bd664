"""Bots: how they are read, recognised and built, what a judge says of them, and that real students' files work."""

from __future__ import annotations

import contextlib
import json
import re
import stat
import zipfile
from pathlib import Path
from typing import Any

import pytest
from bots import C_BOT, JAVA_BOT, JAVASCRIPT_BOT, cave_bot, typed
from hypothesis import given
from hypothesis import strategies as st

import ludus
from ludus.bots import Bot, read_bot, read_command
from ludus.bots.build import build, store
from ludus.bots.player import BotPlayer
from ludus.bots.source import File, content, gather, packed, read_source, unpacked
from ludus.check import REJECT, WARNING, check
from ludus.cli import main
from ludus.errors import Fault
from ludus.play.clock import Clock
from ludus.players import player

CAVE = ludus.game("magnetic-cave")
CHAIN = ludus.game("chain-reaction")


def write(folder: Path, **files: str) -> Path:
    """Write a bot's folder; the names have `_` for the dot."""
    folder.mkdir(exist_ok=True)
    for name, text in files.items():
        (folder / name.replace("_", ".")).write_text(text)
    return folder


def plays(bot: str | Path, game: Any = CAVE, clock: str = "20/move") -> str:
    """Play a game against random in each seat, and say how they ended."""
    reasons = set()
    for seats in ((str(bot), "random:seed=1"), ("random:seed=1", str(bot))):
        record = ludus.play_match(game, seats, clock)
        assert record.outcome is not None
        reasons.add(f"{record.outcome.reason} {record.headers.get('Fault', '')}".strip())
    return ", ".join(sorted(reasons))


CPP_BOT = "#include <bits/stdc++.h>\nusing namespace std;\n" + C_BOT.replace("#include", "//#include")


@pytest.mark.parametrize(
    ("name", "text"),
    [("bot.c", C_BOT), ("bot.cpp", CPP_BOT), ("homework.java", JAVA_BOT), ("bot.js", JAVASCRIPT_BOT)],
    ids=["c", "cpp", "java", "javascript"],
)
def test_a_single_file_of_each_language_plays(tmp_path: Path, name: str, text: str) -> None:
    """With Windows line ends and a byte order mark, as students' editors leave them."""
    path = tmp_path / name
    path.write_bytes(b"\xef\xbb\xbf" * (not name.endswith(".java")) + text.replace("\n", "\r\n").encode())
    bot = read_bot(path, "lines")
    assert bot.protocol == "lines"
    report = check(bot, str(path), "magnetic-cave", clock="20/move")
    assert report.passed, report.findings
    assert report.refused == []


def test_a_python_file_with_windows_line_ends_and_a_mark_plays(tmp_path: Path) -> None:
    path = Path(cave_bot(tmp_path))
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes().replace(b"\n", b"\r\n"))
    assert plays(path) == "rules"


def test_an_executable_and_a_command_play(tmp_path: Path) -> None:
    path = Path(cave_bot(tmp_path))
    program = tmp_path / "mybot"
    program.write_text("#!/usr/bin/env python3\n" + path.read_text())
    program.chmod(0o755)
    assert plays(program) == "rules"
    assert plays(f"lines:python3 {path}") == "rules"
    assert plays(f"lines:{program}") == "rules"


@pytest.mark.parametrize(
    ("game", "language", "protocol"),
    [
        ("cantris", "python", "python"),
        ("chain-reaction", "cpp", "class"),
        ("fruit-rage", "java", "files"),
        ("magnetic-cave", "javascript", "ugi"),
        ("chain-reaction", "python", "lines"),
    ],
)
def test_starters_pass_the_judge(tmp_path: Path, game: str, language: str, protocol: str) -> None:
    """Those of every protocol, in the sandbox; on the smallest board of the course."""
    command = ["new-bot", game, "--language", language, "--protocol", protocol, str(tmp_path / "mine")]
    assert main(command) == 0
    options: dict[str, int | str] = {"size": 5, "types": 2} if game == "fruit-rage" else {}
    report = check(read_bot(tmp_path / "mine"), "mine", options=options, clock="20/move")
    assert report.passed, report.findings
    assert report.protocol == protocol
    assert report.refused == [], "the list of allowed calls has all that starters need"


def test_two_of_our_engines_play_each_other_through_ugi() -> None:
    record = ludus.play_match(
        CAVE, ("ugi:ludus engine magnetic-cave", "ugi:ludus engine magnetic-cave"), "cpu:0.1/move"
    )
    assert record.outcome is not None
    assert record.outcome.reason == "rules", record.headers


def test_talk_around_a_move_is_tolerated_and_noted(tmp_path: Path) -> None:
    bot = cave_bot(tmp_path, "print('depth 3 value 0.5 best', next(legal()))\nprint()\nprint('> ', end='')")
    report = check(read_bot(bot), bot, "magnetic-cave")
    assert report.passed
    warnings = [finding.text for finding in report.findings if finding.verdict == WARNING]
    assert any("it printed a line that is not a move: 'depth 3" in text for text in warnings)
    assert any("a prompt before the move" in text for text in warnings)


def test_it_may_write_in_its_own_folder(tmp_path: Path) -> None:
    bot = cave_bot(tmp_path, "open('log.txt', 'a').write('x')\nassert open('log.txt').read() == 'x' * turn")
    assert plays(bot) == "rules"


def test_a_bot_that_is_trusted_runs_without_the_sandbox(tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    bot = cave_bot(tmp_path, f"open({str(mark)!r}, 'w').write('here')")
    record = ludus.play_match(CAVE, (bot, "random:seed=1"), trusted=True)
    assert record.outcome is not None
    assert record.outcome.reason == "rules"
    assert mark.read_text() == "here"
    mark.unlink()
    assert "crash" in plays(bot)
    assert not mark.exists()


def test_bot_toml_says_it_all(tmp_path: Path) -> None:
    config = 'name = "Höhle"\ngame = "magnetic-cave"\nprotocol = "lines"\nbuild = "cp source.txt main.py"\n'
    folder = write(tmp_path / "b", bot_toml=config + 'run = "python3 main.py"\n[limits]\nmemory_mb = 200\n')
    (folder / "source.txt").write_text(Path(cave_bot(tmp_path)).read_text())
    bot = read_bot(folder)
    assert (bot.name, bot.game, bot.protocol, bot.run) == ("Höhle", "magnetic-cave", "lines", ("python3", "main.py"))
    assert bot.limits.memory_mb == 200
    assert plays(folder) == "rules"
    with pytest.raises(ValueError, match=r"bot Höhle plays magnetic-cave \(see its bot.toml\), not chain-reaction"):
        player(str(folder), CHAIN)


@pytest.mark.parametrize(
    ("config", "says"),
    [
        ("name = ", "this is not valid TOML"),
        ('nmae = "x"', "there is no key 'nmae'; the keys are name, game"),
        ("name = 3", "name must be text in quotes"),
        ('game = "chess"', "there is no game 'chess'; the games are cantris"),
        ('protocol = "uci"', "there is no protocol 'uci'; the protocols are"),
        ("[limits]\nmemory_mb = 100000", "limit memory_mb must be a whole number from 1 to 1024"),
        ("[limits]\nmemory = 1", "there is no limit 'memory'"),
        ("limits = 3", "limits must be a table"),
        ('language = "cobol"', "there is no language 'cobol'"),
        (
            'run = ["python3", "a\\u0000b"]',
            "run must be a command of at most 16000 characters, without",
        ),
        ('build = "a\\u0000b"', "build must be a command of at most 16000 characters, without the character NUL"),
        (f'calibrate = "{"a" * 200_000}"', "calibrate must be a command of at most 16000 characters"),
        (
            '[console]\narguments = ["\\u0000"]\nenter = { text = "{row} {col}" }',
            "arguments must be a command of at",
        ),
        ('run = "python3 \'main.py"', "a quotation mark in run is not closed"),
    ],
)
def test_a_wrong_bot_toml_is_one_sentence(tmp_path: Path, config: str, says: str) -> None:
    folder = write(tmp_path / "b", bot_toml=config, main_py="")
    with pytest.raises(ValueError, match=r"^[^\n]+$") as caught:
        read_bot(folder)
    assert says in str(caught.value)


def test_which_protocol_a_file_speaks_is_recognised(tmp_path: Path) -> None:
    cases = {
        "a.py": ("def choose(state, clock):\n    return state.legal_moves[0]\n", "python"),
        "homework3.py": ("print('nothing')", "files"),
        "b.py": ("open('input.txt'); open('output.txt', 'w')", "files"),
        "c.py": ("input()", "lines"),
        "d.js": ("if (line === 'ugi') console.log('bestmove A1')", "ugi"),
        "e.h": ("class Student { void makeMove(); int getX(); int getY(); };", "class"),
    }
    for name, (text, protocol) in cases.items():
        (tmp_path / name).write_text(text)
        assert read_bot(tmp_path / name).protocol == protocol, name
    with pytest.raises(ValueError, match=r"the language of notes.txt is unknown"):
        read_bot(write(tmp_path / "t", notes_txt="hello") / "notes.txt")


def test_of_several_files_the_program_must_be_plain(tmp_path: Path) -> None:
    folder = write(tmp_path / "b", one_py="input()", two_py="input(1)")
    with pytest.raises(ValueError, match=r"which of these files is the program: one.py, two.py"):
        read_bot(folder)
    (folder / "main.py").write_text("input()")
    assert read_bot(folder).run == ("python3", "main.py")
    with pytest.raises(ValueError, match="no source file found"):
        read_bot(write(tmp_path / "c", a_txt="", b_txt=""))


def test_builds_are_made_once_by_content_and_read_only(tmp_path: Path) -> None:
    bot = read_bot(write(tmp_path / "b", main_c=C_BOT))
    built = build(bot)
    when = (built.folder / "ludus_bot").stat().st_mtime_ns
    assert build(bot).folder == built.folder
    assert (built.folder / "ludus_bot").stat().st_mtime_ns == when
    assert built.folder.parent == store() / bot.content
    for path in (built.folder, *built.folder.iterdir()):
        assert not path.stat().st_mode & (stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH)
    other = read_bot(write(tmp_path / "c", main_c=C_BOT + "\n"))
    assert other.content != bot.content


def hostile_build(tmp_path: Path, command: str) -> Bot:
    return read_bot(write(tmp_path / "b", bot_toml=f"build = '''{command}'''\nrun = 'true'\n", main_py=""))


def test_a_build_that_runs_commands_reaches_nothing(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("secret")
    bot = hostile_build(tmp_path, f"cat {secret} > stolen || echo nothing > stolen; touch {tmp_path}/mark || true")
    built = build(bot)
    assert (built.folder / "stolen").read_text() == "nothing\n"
    assert not (tmp_path / "mark").exists()
    assert "No such file" in built.log


@pytest.mark.parametrize(
    ("command", "says"),
    [
        ('python3 -c "x = bytearray(4 << 30); x[::4096] = bytes(len(x[::4096]))"', "memory"),
        ("yes > big", ""),
        ("echo the reason >&2; exit 3", "the reason"),
    ],
)
def test_a_build_that_eats_too_much_fails(tmp_path: Path, command: str, says: str) -> None:
    with pytest.raises(Fault) as caught:
        build(hostile_build(tmp_path, command))
    assert caught.value.kind == "build-failed"
    assert caught.value.message.code.startswith("bots.build_")
    assert says in caught.value.sentence
    with pytest.raises(Fault):
        build(hostile_build(tmp_path, command))  # the failure is kept too


def test_links_that_a_build_leaves_are_dropped(tmp_path: Path) -> None:
    built = build(
        hostile_build(tmp_path, "ln -s /etc/shadow shadow; mkfifo pipe; mkdir d; ln -s .. d/up; echo x > d/f")
    )
    assert sorted(path.relative_to(built.folder).as_posix() for path in built.folder.rglob("*")) == [
        "d",
        "d/f",
        "main.py",
    ]


def test_a_folder_with_a_link_is_refused(tmp_path: Path) -> None:
    folder = write(tmp_path / "b", main_py="")
    (folder / "link").symlink_to("/etc/passwd")
    with pytest.raises(ValueError, match="a bot must not contain links"):
        read_bot(folder)


def test_an_archive_with_one_folder_in_it_is_that_folder(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "s.zip", "w") as made:
        made.writestr("106062130_邱/main.py", "input()")
        made.writestr("106062130_邱/__pycache__/x.pyc", "")
        made.writestr("__MACOSX/._main.py", "")
    assert list(read_source(tmp_path / "s.zip")) == ["main.py"]


names = st.text(
    st.characters(codec="utf-8", exclude_categories=["Cc"], exclude_characters="/\\:"), min_size=1, max_size=20
).filter(lambda name: name not in (".", "..") and name.strip() == name)


@given(st.dictionaries(names, st.tuples(st.binary(max_size=100), st.booleans()), min_size=1, max_size=5))
def test_files_survive_packing(given_files: dict[str, tuple[bytes, bool]]) -> None:
    files = {name: File(*file) for name, file in given_files.items()}
    assert unpacked(packed(files)) == files
    assert content(files) == content(dict(reversed(files.items())))
    assert gather(files.items(), "x")


def test_a_command_must_be_there() -> None:
    with pytest.raises(ValueError, match="lines: the command is missing"):
        read_command("", "lines")
    with pytest.raises(ValueError, match="there is no such file or folder"):
        player("./nothing/here")
    with pytest.raises(ValueError, match=r"no player 'grandmaster'; the players are .*; or give the path of a bot"):
        player("grandmaster")


def test_check_tells_a_judge_from_a_friend(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good = cave_bot(tmp_path, name="good.py")
    assert main(["check", good, "--game", "magnetic-cave"]) == 0
    said = capsys.readouterr().out
    assert "Ready to play." in said
    assert "Time per move" in said
    bad = cave_bot(tmp_path, "if turn == 5: print('A9')", name="bad.py")
    assert main(["check", bad, "--game", "magnetic-cave"]) == 1
    said = capsys.readouterr().out
    assert "illegal move: it played 'A9'" in said
    assert f"reproduce  ludus play magnetic-cave --first {bad} --second random:seed=1" in said
    assert re.search(r"^\d+ problems? to fix\.$", said, re.MULTILINE)
    assert main(["check", good]) == 2
    assert "it is not clear which game good plays" in capsys.readouterr().err


def test_check_as_json_and_the_command_that_shows_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    bad = cave_bot(tmp_path, "if turn == 2: sys.exit('I give up')", name="bad.py")
    assert main(["check", bad, "--game", "magnetic-cave", "--json"]) == 1
    report = json.loads(capsys.readouterr().out)
    rejected = [finding for finding in report["findings"] if finding["verdict"] == REJECT]
    assert not report["passed"]
    assert (len(rejected), len(rejected[0]["also"])) == (1, 3)
    assert all("I give up" in one["log"] for one in (rejected[0], *rejected[0]["also"]))
    assert CAVE.parse(rejected[0]["shows"]).side == 0
    import shlex  # noqa: PLC0415

    assert main([*shlex.split(rejected[0]["command"])[1:], "--no-animation"]) == 0
    shown = capsys.readouterr().out
    assert "exit status 1" in shown
    assert "| I give up" in shown


@pytest.mark.parametrize("name", ["greedy", "my bots/one (2)", "lines:bot", "it's.py", "-x"])
def test_the_commands_of_a_check_can_be_typed(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    given = tmp_path / name
    given.parent.mkdir(exist_ok=True)
    source = Path(cave_bot(tmp_path, "if turn == 2: sys.exit('I give up')", name="bad.py"))
    if name.endswith(".py"):
        source.rename(given)
    else:
        given.mkdir()
        source.rename(given / "bot.py")
        (given / "bot.toml").write_text('name = "Deep Thought"\nrun = "python3 bot.py"\n')
    assert main(["check", "--game", "magnetic-cave", "--json", "--", name]) == 1
    found = [one for one in json.loads(capsys.readouterr().out)["findings"] if one["verdict"] == REJECT]
    for finding in (found[0], found[0]["also"][-1]):
        done = typed(finding["command"], tmp_path)
        assert done.returncode == 0, (finding["command"], done.stderr)
        assert "I give up" in done.stdout


def test_the_commands_of_a_check_say_what_was_said_beside_the_bot(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = cave_bot(tmp_path, "if turn == 2: sys.exit('input.txt output.txt')", name="bad.py")
    words = ["--game", "magnetic-cave", "--option", "rows=5", "--option", "cols=5", "--clock", "9/move"]
    assert main(["check", path, "--protocol", "lines", "--json", *words]) == 1
    found = [one for one in json.loads(capsys.readouterr().out)["findings"] if one["verdict"] == REJECT]
    done = typed(found[0]["command"], tmp_path)
    assert (done.returncode, found[0]["text"] in done.stdout) == (1, True), done.stderr
    (tmp_path / "broken.cpp").write_text("int main() { retrun 0; }")
    assert main(["check", str(tmp_path / "broken.cpp"), "--json", *words]) == 1
    (failed,) = [one for one in json.loads(capsys.readouterr().out)["findings"] if one["verdict"] == REJECT]
    done = typed(failed["command"], tmp_path)
    assert (done.returncode, failed["text"] in done.stdout) == (1, True), done.stderr


def test_check_shows_the_compilers_words(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "broken.cpp"
    path.write_text("int main() {\n  retrun 0;\n}\n")
    assert main(["check", str(path), "--game", "cantris"]) == 1
    said = capsys.readouterr().out
    assert "compile error" in said
    assert "broken.cpp:2:3: error" in said


FILES_CONFIG = 'game = "fruit-rage"\nprotocol = "files"\nrun = "sh bot.sh"\n'
WRITE = "printf 'A1\\n**\\n**\\n' >"


def answers_once(bot: Bot, *, trusted: bool = False) -> None:
    """See that a bot's first answer counts, and that nothing counts when it leaves no other."""
    start = ludus.game("fruit-rage", size=2).parse("00/00 1 0-0")
    with contextlib.closing(BotPlayer(bot, trusted=trusted)) as seat:
        assert seat.choose(start, Clock().start()) == "A1"
        with pytest.raises(Fault, match="no answer"):
            seat.choose(start, Clock().start())


@pytest.mark.parametrize("trusted", [False, True])
@pytest.mark.parametrize("shipped", ["input.txt", "output.txt"])
@pytest.mark.parametrize("kind", ["file", "folder", "built"])
def test_shipped_input_and_output_files_are_neither_in_the_way_nor_an_answer(
    tmp_path: Path, kind: str, shipped: str, *, trusted: bool
) -> None:
    look = "grep -q '^00$' input.txt || exit 1\n[ ! -e output.txt ] || exit 2\n"
    (tmp_path / "bot.sh").write_text(f"{look}[ -e moved ] || {WRITE}output.txt\ntouch moved\n")
    config = FILES_CONFIG
    if kind == "file":
        (tmp_path / shipped).write_text("A1\n**\n**\n")
    elif kind == "folder":
        (tmp_path / shipped).mkdir()
        (tmp_path / shipped / "old").write_text("A1\n**\n**\n")
    else:
        config += f"build = {json.dumps(WRITE + shipped)}\n"
    (tmp_path / "bot.toml").write_text(config)
    answers_once(read_bot(tmp_path), trusted=trusted)


@pytest.mark.parametrize(
    "first_move",
    [
        f"{WRITE}output.txt; chmod 400 output.txt",
        f"{WRITE}output.txt; chmod 555 .",
        f"{WRITE}right; ln -s right output.txt",
    ],
)
def test_the_output_file_of_the_move_before_is_no_answer(tmp_path: Path, first_move: str) -> None:
    (tmp_path / "bot.sh").write_text(f"[ ! -e moved ] || exit 0\ntouch moved\n{first_move}\nexit 0\n")
    (tmp_path / "bot.toml").write_text(FILES_CONFIG)
    answers_once(read_bot(tmp_path))


def test_a_bot_measures_the_machine_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`calibrate` runs with the build, in the sandbox, and what it leaves lies in the folder in every game."""
    monkeypatch.setenv("LUDUS_CACHE", str(tmp_path / "cache"))
    folder = tmp_path / "bot"
    folder.mkdir()
    (folder / "bot.toml").write_text(
        'game = "fruit-rage"\nprotocol = "files"\nrun = "sh bot.sh"\n'
        'calibrate = "date +%s%N >calibration.txt; touch more; touch /etc/x || echo kept in; false"\n'
    )
    (folder / "bot.sh").write_text("[ ! -e more ] && cp calibration.txt output.txt\n")
    bot = read_bot(folder)
    said = []
    for _ in range(2):
        seat = BotPlayer(bot)
        with pytest.raises(Fault) as caught:  # it hands in the time at which it was calibrated
            seat.choose(ludus.game("fruit-rage").initial(1), Clock().start())
        said.append(str(caught.value))
        seat.close()
    assert re.search(r"\d{19}", said[0]) and said[0] == said[1]
    assert "kept in" in build(bot).log
    plain = bot._replace(calibrate="")
    assert plain.content != bot.content
    assert not (build(plain).folder / "calibration.txt").exists()
