"""The protocols: what is sent, what is read, what is tolerated and what is a fault; the shims as processes."""

from __future__ import annotations

import base64
import json
import random
import re
import subprocess
import sys
from pathlib import Path

import pytest
from foreign import Foreign, compile_cpp, last_open_cell, place, play_out, situation, tool
from hypothesis import given
from hypothesis import strategies as st

import ludus
from ludus.errors import FAULTS, Fault
from ludus.game import State
from ludus.messages import Message, catalogue, render
from ludus.players import player
from ludus.protocols import BotProtocol, protocol, protocols, seat_name, sides_note
from ludus.protocols.class_ import classes_with_move
from ludus.protocols.cpp import without_comments

FRUIT = ludus.game("fruit-rage", size=2, types=3).parse("01/21 1 0-0")
CHAIN = ludus.game("chain-reaction")


def answer(speech: BotProtocol, state: State, line: str) -> tuple[str | None, list[str]]:
    notes: list[Message] = []
    return speech.read(situation(state), line, notes), list(map(str, notes))


def fault(speech: BotProtocol, state: State, line: str) -> Fault:
    with pytest.raises(Fault) as raised:
        speech.read(situation(state), line, [])
    return raised.value


def test_the_protocols_are_found() -> None:
    assert set(protocols()) >= {"algorithm", "class", "files", "lines", "python", "ugi"}
    for name in protocols():
        assert all(file.startswith("ludus_") for file in protocol(name).files())
    with pytest.raises(ValueError, match="there is no protocol 'uci'; the protocols are algorithm, class, console"):
        protocol("uci")


def test_a_bot_knows_the_sides_by_the_names_of_its_protocol() -> None:
    """A class of Chain Reaction sees the first side as Blue, which is Red on our boards."""
    shown = [seat_name(CHAIN, side, "class") for side in (0, 1)]
    assert list(map(str, shown)) == ["Red (Blue in the program)", "Blue (Red in the program)"]
    assert render(shown[0], "zh") == "紅方（程式中為藍方）"
    first = "the side that moves first is Blue in the program and Red on our boards"
    assert first in str(sides_note(CHAIN, "class"))
    assert answer(protocol("class"), CHAIN.initial(), "0 0") == ("A1", [])
    sent = protocol("class").ask(situation(CHAIN.initial()), 0).split()
    assert sent[0] == "1", "the shim numbers Blue 1, and the first side is to move"
    for name in protocols():
        codes = {code for names in protocol(name).side_names.values() for code in names}
        assert codes <= set(catalogue("en"))
        if "chain-reaction" not in protocol(name).side_names:
            assert (seat_name(CHAIN, 0, name), sides_note(CHAIN, name)) == (CHAIN.sides[0], None)


@given(line=st.text(max_size=40), name=st.sampled_from(["algorithm", "class", "files", "lines", "python", "ugi"]))
def test_whatever_a_program_writes_is_a_move_talk_or_a_fault(line: str, name: str) -> None:
    state = CHAIN.initial()
    for text in (line, f"bestmove {line}", f"answer 0 {base64.b64encode(line.encode()).decode() or '-'}"):
        try:
            move = protocol(name).read(situation(state), text, [])
        except Fault as raised:
            assert raised.kind in ("bad-output", "illegal-move", "no-answer")
        else:
            assert move is None or move in state.legal_moves


# lines


def test_lines_tells_the_start_once_and_then_only_the_opponents_moves() -> None:
    lines, start = protocol("lines"), ludus.game("cantris", rows=10, cols=5).initial(1)
    assert lines.command(("./bot",), 1) == ("./bot", "second")
    assert lines.ask(situation(start), 0) == f"{start.text}\n"
    moves = [(0, "9,0"), (0, "8,0"), (1, "7,1"), (1, "6,2")]
    assert lines.ask(situation(start, moves=moves), 2) == "7,1\n6,2\n", "each removal is a line of its own"
    assert lines.ask(situation(start, moves=moves), 0) == f"{start.text}\n7,1\n6,2\n"


# ugi


def test_ugi_says_the_game_the_position_and_the_clocks() -> None:
    ugi, start = protocol("ugi"), CHAIN.initial()
    after = start.play("A1").play("B1")
    moves = [(0, "A1"), (1, "B1")]
    assert ugi.ask(situation(start, "3/move"), 0) == f"uginewgame\nposition fen {start.text}\ngo movetime 3000\n"
    told = ugi.ask(situation(after, "60+1", start=start, moves=moves, banks=(59.5, 0.0001)), 1)
    assert told == f"position fen {start.text} moves A1 B1\ngo p1time 59500 p2time 1 p1inc 1000 p2inc 1000\n"
    assert ugi.ask(situation(start), 1).endswith("\ngo movetime 1000\n"), "without a clock an engine still answers"


def test_ugi_names_the_options_that_a_position_does_not_show() -> None:
    ugi = protocol("ugi")
    dying = ludus.game("chain-reaction", explosion="dies").parse("r1#/.b1 1 3")
    asked = ugi.ask(situation(dying), 0)
    assert "setoption name explosion value dies\n" in asked
    assert asked.index("setoption") < asked.index("uginewgame")
    assert "setoption" not in ugi.ask(situation(dying), 2), "once is enough"
    short = ludus.game("magnetic-cave", line=3).initial()
    assert ugi.ask(situation(short), 0).startswith("setoption name line value 3\nuginewgame\n")
    small = ludus.game("cantris", rows=6, cols=3).initial()
    assert ugi.ask(situation(small), 0).startswith("uginewgame\n"), "a size is plain to see"


@pytest.mark.parametrize(
    ("line", "move"),
    [("bestmove C4", "C4"), ("bestmove c4 ponder D5\r", "C4"), ("bestmove 3 2", "C4"), ("  bestmove   C4  ", "C4")],
)
def test_ugi_reads_a_best_move(line: str, move: str) -> None:
    assert answer(protocol("ugi"), CHAIN.initial(), line) == (move, [])


def test_ugi_passes_over_what_is_no_answer_and_names_what_is_a_wrong_one() -> None:
    ugi, state = protocol("ugi"), CHAIN.initial()
    for line in ("info depth 3 score cp 1", "readyok", "", "option name Hash", "id name A"):
        assert answer(ugi, state, line) == (None, [])
    move, notes = answer(ugi, state, "thinking hard")
    assert move is None
    assert "thinking hard" in notes[0]
    assert fault(ugi, state, "bestmove Z9").kind == "illegal-move"
    assert fault(ugi, state, "bestmove").kind == "bad-output"
    assert fault(ugi, state, "bestmove (none)").kind == "bad-output"


# files


def left(text: str | None, status: int = 0) -> str:
    """What the shim says a bot left."""
    return f"answer {status} {'-' if text is None else base64.b64encode(text.encode()).decode()}"


def asked_file(state: State, clock: str = "none") -> str:
    return base64.b64decode(protocol("files").ask(situation(state, clock), 0)).decode()


def test_files_writes_the_courses_input() -> None:
    assert asked_file(FRUIT, "123.6") == "2\n3\n123.600\n01\n21\n"
    assert asked_file(FRUIT) == "2\n3\n300.000\n01\n21\n", "without a clock the course's own bank"
    tight = situation(FRUIT, "5", banks=(0.0, 5.0))
    assert base64.b64decode(protocol("files").ask(tight, 0)).decode().split()[2] == "0.001", (
        "never 0: the course says so"
    )
    assert asked_file(CHAIN.initial(), "3/move") == f"{CHAIN.initial().text}\n3.000\n"


def test_the_courses_reader_reads_what_files_writes() -> None:
    state = ludus.game("fruit-rage", size=7, types=3).initial(3).play("A1")
    read = state.game.course.read_file
    assert read is not None
    course = read(ludus.game("fruit-rage"), asked_file(state, "17.25"), "input.txt")
    assert course.seconds == 17.25
    assert course.state.text.split()[0] == state.text.split()[0]


@pytest.mark.parametrize("output", ["B1\n0*\n2*\n", "b1\r\n0*\r\n2*", "\ufeff\nB2\n\n0*\n2*\n\n\n", " B1 \n 0* \n2*\n"])
def test_files_tolerates_line_ends_blank_lines_and_any_cell_of_a_group(output: str) -> None:
    assert answer(protocol("files"), FRUIT, left(output)) == ("B1", [])


@pytest.mark.parametrize(
    ("output", "status", "kind", "said"),
    [
        (None, 0, "no-answer", "without writing output.txt"),
        (None, 1, "crash", "exit status 1 without writing output.txt"),
        ("\n", 0, "bad-output", "empty"),
        ("hello\n0*\n2*\n", 0, "bad-output", "'hello', which is not a move"),
        ("C1\n0*\n2*\n", 0, "illegal-move", "C1"),
        ("B1\n", 0, "bad-output", "the board is missing; row 1 after B1 should be '0*'"),
        ("B1\n0*\n", 0, "bad-output", "the board ends before row 2; row 2 after B1 should be '2*'"),
        ("B1\n01\n2*\n", 0, "bad-output", "row 1 after B1 should be '0*', but it is '01'"),
        ("B1\n01\n2*\n", 3, "crash", "exit status 3, and in its output.txt, row 1"),
        ("C1\n", 139, "crash", "exit status 139"),
    ],
)
def test_files_names_what_is_wrong(output: str | None, status: int, kind: str, said: str) -> None:
    raised = fault(protocol("files"), FRUIT, left(output, status))
    assert raised.kind == kind
    assert said in raised.sentence


def test_files_notes_a_right_answer_with_a_wrong_status() -> None:
    move, notes = answer(protocol("files"), FRUIT, left("B1\n0*\n2*\n", 1))
    assert move == "B1"
    assert notes == ["it ended with exit status 1, but its output.txt is correct"]
    assert answer(protocol("files"), CHAIN.initial(), left("2 3\n")) == ("D3", [])


COPYCAT = """
import os, pathlib, sys
print("debug", flush=True)
assert sys.stdin.read() == ""
lines = pathlib.Path("input.txt").read_text().split("\\n")
assert not pathlib.Path("output.txt").exists()
pathlib.Path("output.txt").write_text(pathlib.Path(sys.argv[1]).read_text())
sys.exit(int(sys.argv[2]))
"""


@pytest.mark.parametrize("status", [0, 3])
def test_the_files_shim_runs_the_bot_once_a_move(tmp_path: Path, status: int) -> None:
    place(tmp_path, {"bot.py": COPYCAT, "right.txt": "B1\n0*\n2*\n", "output.txt": "old", "input.txt": "old"})
    run = (sys.executable, "bot.py", "right.txt", str(status))
    with Foreign(protocol("files"), tmp_path, run) as bot:
        assert [bot.ask(situation(FRUIT, "300")) for _ in range(3)] == ["B1"] * 3
        assert bot.stderr().count("debug") == 3
        assert len(bot.notes) == (3 if status else 0)
        assert (tmp_path / "input.txt").read_text() == "2\n3\n300.000\n01\n21\n"
        (tmp_path / "right.txt").write_text("B1")
        with pytest.raises(Fault, match="the board is missing"):
            bot.ask(situation(FRUIT))
        (tmp_path / "right.txt").unlink()
        with pytest.raises(Fault, match=r"crash: it ended with exit status 1 without writing output\.txt"):
            bot.ask(situation(FRUIT))
        (tmp_path / "right.txt").write_text("A" * 32_768)
        with pytest.raises(Fault, match="which is not a move"):
            bot.ask(situation(FRUIT))
        (tmp_path / "right.txt").write_text("A" * 200_000)
        with pytest.raises(Fault, match=r"too much output: its output\.txt has more than 32768 bytes"):
            bot.ask(situation(FRUIT))


@pytest.mark.parametrize("left", ["threading.Timer(60, print).start()", "subprocess.Popen(['sleep', '60']).wait()"])
def test_a_bot_that_sleeps_after_it_has_written_its_file_is_ended(tmp_path: Path, left: str) -> None:
    code = "import pathlib, subprocess, threading\npathlib.Path('output.txt').write_text('B1\\n0*\\n2*\\n')\n"
    place(tmp_path, {"bot.py": code + left + "\n"})
    with Foreign(protocol("files"), tmp_path, (sys.executable, "bot.py")) as bot:
        assert bot.ask(situation(FRUIT)) == "B1"
        assert len(bot.notes) == 1 and "does not end" in str(bot.notes[0])


def test_the_files_shim_says_that_nothing_was_left(tmp_path: Path) -> None:
    with (
        Foreign(protocol("files"), tmp_path, ("true",)) as bot,
        pytest.raises(Fault, match=r"no answer: it ended without writing output\.txt"),
    ):
        bot.ask(situation(FRUIT))
    with (
        Foreign(protocol("files"), tmp_path, ("./nothing here",)) as bot,
        pytest.raises(Fault, match="crash: it ended with exit status 127"),
    ):
        bot.ask(situation(FRUIT))


def test_the_files_shim_ends_what_a_bot_leaves_running_in_its_sandbox(tmp_path: Path) -> None:
    """In a process namespace of its own, as the sandbox has; nobody else's processes are in reach."""
    bot = """
    [ ! -f pid ] || { grep -q sleep "/proc/$(cat pid)/cmdline" && echo alive || echo gone; } >>left 2>/dev/null
    sleep 30 &
    echo $! >pid
    printf 'B1\\n0*\\n2*\\n' >output.txt
    """
    place(tmp_path, {"bot.sh": bot, **protocol("files").files()})
    fenced = [tool("bwrap"), "--dev-bind", "/", "/", "--unshare-user", "--unshare-pid", "--proc", "/proc"]
    shim = [*fenced, "--setenv", "LUDUS_SANDBOX", "1", "python3", "-I", "ludus_files.py", "sh", "bot.sh"]
    request = protocol("files").ask(situation(FRUIT), 0)
    done = subprocess.run(
        [*shim], cwd=tmp_path, input=request * 2 + "ready\n", capture_output=True, text=True, check=True
    )
    assert done.stdout.splitlines() == [left("B1\n0*\n2*\n")] * 2 + ["ready"]
    assert (tmp_path / "left").read_text() == "gone\n"


# python


def python_bot(folder: Path, text: str | bytes, name: str = "homework3.py") -> Foreign:
    place(folder, {name: text})
    return Foreign(protocol("python"), folder, ("python3", name))


BEST = '''"""A student's bot."""
import json
import sys

import own

print("loading", own.WORD)
if __name__ == "__main__":
    sys.exit("a main of its own")


def choose(state, clock):
    print("thinking about", state.text, clock.seconds)
    assert sys.stdin.read() == ""
    assert state.play(state.legal_moves[0]) != state
    return own.pick(state)
'''
OWN = "WORD = 'own'\n\n\ndef pick(state):\n    return state.legal_moves[-1].lower()\n"


def test_python_calls_choose_with_a_real_state(name: str, tmp_path: Path) -> None:
    place(tmp_path, {"own.py": OWN, "random.py": "raise ValueError('not what ludus imports')"})
    start = ludus.game(name).initial(4)
    with python_bot(tmp_path, BEST) as bot:
        assert play_out(bot, start, start.side, seed=3, clock="60+1").outcome is not None
        assert bot.notes == []
        shown = bot.stderr()
        assert shown.startswith("loading own\n")
        assert f"thinking about {start.text} 60" in shown


def test_python_gives_the_very_state_and_clock(tmp_path: Path) -> None:
    echo = "import json\ndef choose(state, clock):\n    return repr((state.game, state.text, clock))\n"
    state = ludus.game("cantris", rows=4, cols=3, tiles=7, removals=2, second_removal="optional").initial(2)
    state = state.play(state.legal_moves[0])
    with python_bot(tmp_path, echo) as bot:
        asked = situation(state, "cpu:60+1", banks=(3.5, 4.5))
        bot.say(bot.speech.ask(asked, 0))
        said = json.loads(bot.line())["move"]
    assert said == repr((ludus.game("cantris", **state.game.options), state.text, asked.times[state.side]))


@pytest.mark.parametrize("text", [b"\xef\xbb\xbfdef choose(s, c):\r\n    return s.legal_moves[0]\r\n"])
def test_python_reads_files_as_windows_leaves_them(tmp_path: Path, text: bytes) -> None:
    with python_bot(tmp_path, text, "my bot.py") as bot:
        assert bot.ask(situation(CHAIN.initial())) == "A1"


@pytest.mark.parametrize(
    ("gives", "kind", "said"),
    [
        ("'Z9'", "illegal-move", "Z9"),
        ("'banana'", "bad-output", "'banana', which is not a move"),
        ("None", "bad-output", "choose returned 'None', which is not text"),
        ("(1, 2)", "bad-output", "choose returned '(1, 2)', which is not text"),
        ("'\\n'", "bad-output", "which is not a move"),
    ],
)
def test_python_names_what_is_wrong(tmp_path: Path, gives: str, kind: str, said: str) -> None:
    with python_bot(tmp_path, f"def choose(state, clock):\n    return {gives}\n") as bot:
        with pytest.raises(Fault) as raised:
            bot.ask(situation(CHAIN.initial()))
        assert raised.value.kind == kind
        assert said in raised.value.sentence


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("def choose(state, clock):\n    return state.undo()\n", "AttributeError"),
        ("def choose(state, clock)\n", "SyntaxError"),
        ("def move(state):\n    return 1\n", "homework3.py has no function choose"),
    ],
)
def test_python_crashes_show_why_on_standard_error(tmp_path: Path, text: str, shown: str) -> None:
    place(tmp_path, {"homework3.py": text, **protocol("python").files()})
    command = protocol("python").command(("python3", "-u", "homework3.py"), 0)
    assert command[1:] == ("-u", "ludus_python.py", "homework3.py")
    request = "ready\n" + protocol("python").ask(situation(CHAIN.initial()), 0)
    done = subprocess.run(command, cwd=tmp_path, input=request, capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert done.stdout in ("", "ready\n")
    assert shown in done.stderr


def test_python_wants_a_python_file() -> None:
    with pytest.raises(ValueError, match=r"but the command './bot' does not name one"):
        protocol("python").command(("./bot",), 0)


# class

BODY = """
  int x, y;
 public:
  void makeMove(int Record[5][6], int Max[5][6], Color color[5][6], Color inputColor) {
    Color other = inputColor == Blue ? Red : Blue;
    for (x = 4; x >= 0; x--)
      for (y = 0; y < 6; y++)
        if (Record[x][y] < Max[x][y] && (color[x][y] == White || color[x][y] == inputColor) && color[x][y] != other) {
          Record[x][y] = 99;
          return;
        }
  }
  int getX() { return x; }
  int getY() { return y; }
"""
ENUM = "enum Color { Black, Red, Blue, White };\n"
STUDENTS = {
    "as_taught": "class Student {" + BODY + "};",
    "own_enum_in_another_order": ENUM + "class Student {" + BODY + "};",
    "namespace_and_own_enum": "namespace playerOne { " + ENUM + "class Student {" + BODY + "}; }",
    "two_namespaces": "namespace a { namespace b { class Brain {" + BODY + "}; } }",
    "another_name_and_a_main": (
        "#include <bits/stdc++.h>\nusing namespace std;\n#define int long long\n#define x first_\n"
        '// class Fake { void makeMove( ; };\nconst char *text = "class Fake2 { void makeMove(";\n'
        "template <class T> struct Pair { T a, b; };\n"
        "class MyBrilliantBot {" + BODY + "};\n"
        'signed main() { MyBrilliantBot bot; cout << "hello" << endl; system("pause"); }\n'
    ),
    "course_headers": '#include "Color.h"\n#include "../Rules.h"\n'.replace("../", "")
    + "struct Student {"
    + BODY
    + "};",
    "windows": "\ufeff#include <iostream>\r\nclass Student {" + BODY.replace("\n", "\r\n") + "};\r\n",
    "prints_and_reads": (
        '#include <iostream>\nstruct Loud { Loud() { std::cout << "1 1" << std::endl; } } loud;\n'
        "class Student {"
        + BODY.replace("Color other", 'std::cout << "0 0\\n"; int n; std::cin >> n; Color other')
        + "};\nint main() { std::cout << 7; }"
    ),
    "base_class": (
        "struct Player { virtual void makeMove(int[5][6], int[5][6], Color[5][6], Color) = 0; virtual ~Player() {} };\n"
        "class Bot : public Player {" + BODY + "};"
    ),
    "constant_arrays_and_a_result": (
        "class Student {"
        + BODY.replace("void makeMove(int Record[5][6], int", "bool makeMove(const int Record[5][6], const int")
        .replace("Color color[5][6]", "const Color color[][6]")
        .replace("Record[x][y] = 99;", "")
        .replace("return;", "return true;")
        .replace("        }\n  }\n", "        }\n    return false;\n  }\n")
        + "};"
    ),
    "three_colours": "enum Color { White, Red, Blue };\nclass Student {" + BODY + "};",
    "scoped": (
        "enum class Color { Blue, White, Red, Black };\nclass Student {"
        + BODY.replace("Blue", "Color::Blue").replace("Red", "Color::Red").replace("White", "Color::White")
        + "};"
    ),
}


def class_bot(folder: Path, files: dict[str, str], main: str, flags: tuple[str, ...] = ()) -> Foreign:
    speech = protocol("class")
    beside = {name: text for name, text in files.items() if name != main}
    built, added = speech.adapt(main, files[main], beside)
    assert not added.keys() & files.keys()
    place(folder, {**files, **added})
    return Foreign(speech, folder, compile_cpp(folder, built, *flags))


@pytest.mark.parametrize("kind", STUDENTS)
def test_class_files_work_as_they_are(kind: str, tmp_path: Path) -> None:
    with class_bot(tmp_path, {"student 1.h": STUDENTS[kind]}, "student 1.h") as bot:
        state = CHAIN.initial()
        chooser = random.Random(1)
        for _ in range(12):
            assert bot.ask(situation(state)) == last_open_cell(state)
            state = state.play(chooser.choice(state.legal_moves))


def test_class_may_lie_in_a_header_of_its_own(tmp_path: Path) -> None:
    declared = "class Mind { int x = 0, y = 0; public: int getX(); int getY();\n"
    declared += "void makeMove(int R[][6], int (*M)[6], Color c[5][6], Color); };\n"
    files = {
        "student.cpp": '#include "student.h"\nusing namespace own;\nint Mind::getX() { return x; }\nint Mind::getY() '
        "{ return y; }\nvoid Mind::makeMove(int R[5][6], int M[5][6], Color c[5][6], Color me) "
        "{ if (M[0][0] == 2 && M[4][5] == 2 && M[1][1] == 4 && M[0][3] == 3 && c[0][0] == White) y = R[4][0] + 2; }",
        "student.h": '#pragma once\n#include "colors.h"\nnamespace own { ' + declared + "}\n",
        "colors.h": "#pragma once\n" + ENUM,
    }
    with class_bot(tmp_path, files, "student.cpp") as bot:
        assert bot.ask(situation(CHAIN.initial())) == "C1"


def test_class_shows_our_first_side_as_blue_and_the_dead_as_black(tmp_path: Path) -> None:
    body = """
    #include <cstdlib>
    class Student { int x = 0, y = 0, turns = 0; public:
      void makeMove(int R[5][6], int M[5][6], Color c[5][6], Color me) {
        if (c[0][0] != Blue || R[0][0] != 1 || c[0][1] != Red || R[0][1] != 2) exit(2);
        if (c[4][5] != Black || R[4][5] != 0) exit(3);
        if (me != (turns == 0 ? Blue : Red)) exit(4);
        y = turns == 0 ? 0 : 1;
        turns++;
      }
      int getX() { return x; }
      int getY() { return y; }
    };"""
    game = ludus.game("chain-reaction", explosion="dies")
    with class_bot(tmp_path, {"s.h": body}, "s.h", ("-std=c++20",)) as bot:
        assert bot.ask(situation(game.parse("r1b2..../....../....../....../.....# 1 4"))) == "A1"
        assert bot.ask(situation(game.parse("r1b2..../....../....../....../.....# 2 5"))) == "B1"


def test_class_names_what_is_wrong() -> None:
    speech, state = protocol("class"), CHAIN.initial().play("A1")
    assert fault(speech, state, "0 0").kind == "illegal-move"
    assert fault(speech, state, "-1 32766").sentence.startswith("getX() returned -1 and getY() returned 32766")
    assert fault(speech, state, "what").kind == "bad-output"
    with pytest.raises(ValueError, match="protocol class plays only chain-reaction on 5x6 boards"):
        speech.ask(situation(ludus.game("chain-reaction", rows=6).initial()), 0)
    with pytest.raises(ValueError, match="protocol class plays only chain-reaction on 5x6 boards"):
        speech.ask(situation(FRUIT), 0)
    with pytest.raises(ValueError, match=r"student.h has no class with makeMove\(int Record"):
        speech.adapt("student.h", "class Student { void move(); };")


def test_class_finds_a_class_by_reading_not_by_luck() -> None:
    def found(text: str) -> list[str]:
        return list(classes_with_move(without_comments(text)))

    assert found("class A { void f() { b.makeMove(1); } };") == []
    assert found("/* class A { void makeMove(int); }; */ struct B final : C<int> { int makeMove(int); };") == ["::B"]
    assert found("namespace { class A { enum E { x }; void makeMove(int); }; }") == ["::A"]
    assert found("char c = '\"'; class A { void makeMove(int); }; char d = '\"';") == ["::A"]
    assert found("class A; class B { public: void makeMove (int x[5]) { if (x) { } } };") == ["::B"]


EXAMPLE = Path(__file__).parents[2] / "examples" / "chain_reaction" / "106062130" / "student.h"


@pytest.mark.parametrize("explosion", ["empties", "keeps-surplus", "dies"])
def test_the_example_class_plays_what_its_built_in_twin_plays(tmp_path: Path, explosion: str) -> None:
    twin = player("106062130")
    game = ludus.game("chain-reaction", explosion=explosion)
    compared = 0
    with class_bot(tmp_path, {"student.h": EXAMPLE.read_text()}, "student.h") as bot:
        for seed in range(25):
            chooser, state = random.Random(seed), game.initial()
            while state.outcome is None:
                asked = situation(state)
                move = bot.ask(asked)
                assert move == twin.choose(state, asked.time), state.text
                compared += 1
                state = state.play(move if chooser.random() < 0.5 else chooser.choice(state.legal_moves))
    assert compared > 500


# the page

PAGE = (Path(__file__).parents[2] / "docs" / "protocols.md").read_text()
EXCHANGES = re.findall(r"```exchange (.*)\n((?:.*\n)*?)```", PAGE)


@pytest.mark.parametrize(("head", "body"), EXCHANGES)
def test_the_exchanges_of_the_page_are_what_is_said(head: str, body: str) -> None:
    spoken, name, seat, clock, *moves = head.split()
    speech, side, told = protocol(spoken), ("first", "second").index(seat), 0
    said = [line for exchange in speech.greeting for line in (f"> {exchange.say}", f"< {exchange.until}")]
    start = state = ludus.game(name).initial()
    played: list[tuple[int, str]] = []
    lines = iter(body.splitlines())
    for line in said:
        assert next(shown for shown in lines if not shown.startswith("< id ")) == line
    for move in moves:
        if state.side == side:
            asked = situation(state, clock, start=start, moves=list(played))
            for line in speech.ask(asked, told).splitlines():
                assert next(lines) == f"> {line}"
            answered = None
            while answered is None:
                answered = speech.read(asked, next(lines).removeprefix("< "), [])
            assert answered == move
            told = len(played) + 1
        played.append((state.side, move))
        state = state.play(move)
    assert next(lines, None) is None


def test_the_page_names_every_protocol_and_every_fault() -> None:
    for name in protocols():
        assert f"\n## `{name}`\n" in PAGE
    shown = re.findall(r"^\| `([a-z-]+)` \| [^|]* \|$", PAGE.partition("If several apply")[2], re.MULTILINE)
    assert shown[: len(FAULTS)] == list(FAULTS), "in the order of precedence"
    assert len(EXCHANGES) == 3


@pytest.mark.parametrize(
    ("line", "move", "noted"),
    [
        ("C4", "C4", 0),
        ("\ufeffc4 \r", "C4", 0),
        ("3 2", "C4", 0),
        ("3,2", "C4", 0),
        ("My move: C4", "C4", 1),
        ("Enter your move> c4", "C4", 1),
        ("best = C4", "C4", 1),
        ("", None, 0),
        ("I think for a while...", None, 1),
    ],
)
def test_lines_tolerates_what_the_page_says(line: str, move: str | None, noted: int) -> None:
    read, notes = answer(protocol("lines"), CHAIN.initial(), line)
    assert read == move
    assert len(notes) == noted


@pytest.mark.parametrize(("line", "kind"), [("hello", "bad-output"), ("42", "bad-output"), ("Z9", "illegal-move")])
def test_lines_faults_what_the_page_says(line: str, kind: str) -> None:
    assert fault(protocol("lines"), CHAIN.initial(), line).kind == kind
