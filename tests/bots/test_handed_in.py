"""What students really hand in: projects of all kinds, machines and editors are found, repaired and played."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from handed_in import JAVA_MAIN, JAVA_ONE, PYTHON, PYTHON_MAIN, SUBMISSIONS, packaged, zipped

import ludus
from ludus.bots import Allowed, Bot, Wanted, bot_of, read_bot
from ludus.bots.build import build
from ludus.bots.player import BotPlayer
from ludus.bots.repair import repaired
from ludus.bots.source import File
from ludus.errors import Fault
from ludus.play.clock import Clock
from ludus.protocols.files import input_text

FRUIT = ludus.game("fruit-rage", size=3, types=2)
START = "001/010/110 1 0-0"


def hand_in(folder: Path, files: dict[str, str | bytes]) -> Path:
    """Write what a student hands in."""
    for name, data in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data if isinstance(data, bytes) else data.encode())
    return folder


def first_move(bot: Bot) -> str:
    """Return what a bot plays first; a wrong board is a fault."""
    with BotPlayer(bot) as seat:
        return seat.choose(FRUIT.parse(START), Clock().start())


def notes_of(bot: Bot) -> str:
    return "\n".join(map(str, bot.notes))


def chosen(files: dict[str, str | bytes], protocol: str | None = "files", wanted: Wanted | None = None) -> Bot:
    """Return the bot among files."""
    made = {name: File(data if isinstance(data, bytes) else data.encode()) for name, data in files.items()}
    return bot_of(made, Path("mine"), protocol, wanted or Wanted())


@pytest.mark.parametrize("kind", SUBMISSIONS)
def test_every_kind_of_submission_is_found_and_plays(kind: str, tmp_path: Path) -> None:
    files, main = SUBMISSIONS[kind]
    bot = read_bot(hand_in(tmp_path / "bot", files), "files")
    assert bot.main.endswith(main)
    assert first_move(bot) == "A1", bot.build


@pytest.mark.parametrize(
    ("kind", "says"),
    [
        ("numba", ["homework.py, line 2: numba is not installed here", "runs as plain Python"]),
        ("python-2", ["homework.py, line 3: written for Python 2", "it was converted to Python 3"]),
        ("python-2-names", ["fruitRage.py, line 40: written for Python 2 (from sys import maxint)"]),
        ("python-3-clock", ["homework3.py, line 2: Python has no time.clock any more; what it did was put back"]),
        ("windows", ["Source.cpp, line 2: Windows.h exists on Windows only", "line 3: conio.h", "line 1: stdafx.h"]),
        ("windows", ["the command pause waits for a key", "the command cls", "main must return int, not void"]),
        (
            "windows",
            [r"the path C:\\Users\\me\\Desktop\\hw2\\input.txt belongs to another machine", "input.txt instead"],
        ),
        ("cmake", [r"src/agent.cpp, line 4: it includes ..\Include\board.H; here the file is called include/Board.h"]),
        ("big5", ["homework.cpp is written in Big5; it was converted to UTF-8"]),
        ("utf-16", ["homework.java is written in UTF-16"]),
        (
            "beside-itself",
            ["src/homework.py.txt was read as src/homework.py", "line 4: matplotlib is not installed here"],
        ),
        ("notebook", ["homework.ipynb was read as homework.py", "google.colab is not installed here"]),
        ("eclipse", ["line 4: Java has no javafx.util.Pair any more; a stand-in was used"]),
        ("c-plus-plus-20", ["agent.c was taken as the program: the others have the names of opponents"]),
        ("other-name", ["agent.py was taken as the program: the others are tests, old versions or what a build left"]),
    ],
)
def test_each_repair_is_a_note_with_its_place(kind: str, says: list[str]) -> None:
    bot = chosen(SUBMISSIONS[kind][0])
    for sentence in says:
        assert sentence in notes_of(bot)


@pytest.mark.parametrize("kind", ["modules", "two-sources", "netbeans", "flat-package"])
def test_what_needs_no_repair_has_no_note(kind: str) -> None:
    assert chosen(SUBMISSIONS[kind][0]).notes == ()


CLASS = (
    "class Student {\n public:\n  void makeMove(int a[5][6], int b[5][6], Color c[5][6], Color d);\n  int getX();\n};\n"
)
HARNESS = '#include "Student.h"\nint main() { Student s; s.makeMove(0, 0, 0, Red); return s.getX(); }\n'


@pytest.mark.parametrize(
    ("files", "main"),
    [
        ({"main.cpp": HARNESS, "Student.h": CLASS}, "Student.h"),
        ({"a/main.cpp": HARNESS, "a/Student.h": CLASS, "old/Student.h": CLASS + "// old\n"}, "a/Student.h"),
        ({"bot_v1.py": "import x1\nprint(1)\n", "bot_v2.py": "print(2)\n", "bot_v10.py": "print(3)\n"}, "bot_v10.py"),
        ({"agent.py": "print(1)\n", "copy of agent.py": "print(0)\n", "agent - Copy.py": "print(2)\n"}, "agent.py"),
        ({"a.py": "def f(): pass\n", "b.py": "import a\nif __name__ == '__main__':\n    a.f()\n"}, "b.py"),
        ({"x.java": "class x { }", "Y.java": "class Y { public static void main(String[] a) { new x(); } }"}, "Y.java"),
        ({"build/lib/a.py": "print(1)\n", "src/a.py": "print(2)\n"}, "src/a.py"),
        ({"same.py": "print(1)\n", "sub/same.py": "print(1)\n"}, "same.py"),
        ({"game.cpp": "int main() {}", "old_game.cpp": "int main() { return 1; }"}, "game.cpp"),
        ({"homework.py": "print(1)\n", "Homework_old.py": "print(2)\n", "main.py": "print(3)\n"}, "homework.py"),
        ({"good.cpp": "int main() {}", "bad.cpp": "int main() { this is no C++ }"}, "good.cpp"),
        ({"Fruit.py": "print(1)\n", "main.py": "import os\nos.system('python Fruit.py')\n"}, "Fruit.py"),
        ({"one.py": "print(1)\n", "two.py": "import os\nos.system('clear')\nprint(2)\n", "test_one.py": ""}, ""),
        ({"comment.cpp": "// int main() {}\nint f() { return 1; }", "real.cpp": "int main() {}"}, "real.cpp"),
    ],
)
def test_the_program_among_several_files(files: dict[str, str | bytes], main: str) -> None:
    protocol = None if "makeMove" in str(files) else "lines"
    if main:
        assert chosen(files, protocol).main == main
    else:
        with pytest.raises(ValueError, match="not clear which of these files"):
            chosen(files, protocol)


def test_a_duel_that_copies_the_files_of_the_course_is_not_the_program() -> None:
    duel = (
        "import os\nopen('input.txt', 'w').write('x')\nos.system('python agent.py')\nprint(open('output.txt').read())\n"
    )
    assert chosen({"bot.py": duel, "agent.py": PYTHON + PYTHON_MAIN}).main == "agent.py"


def test_the_same_program_in_two_languages_is_asked_about() -> None:
    with pytest.raises(ValueError, match=r"not clear which of these files is the program: homework.java, homework.py"):
        chosen({"homework.py": PYTHON + PYTHON_MAIN, "homework.java": JAVA_ONE}, wanted=Wanted(names=("homework",)))


CAVE_CSHARP: dict[str, str | bytes] = {
    "Cave/Cave.sln": "x",
    "Cave/bin/Debug/Cave.exe": "MZ",
    "Cave/Cave/Board.cs": """namespace Cave {
    class Board {
        public char[,] Cells = new char[8, 8];
        public bool Free(int r, int c) {
            return Cells[r, c] == 0 && (c == 0 || c == 7 || Cells[r, c - 1] != 0 || Cells[r, c + 1] != 0);
        }
        public string Row(int r) {
            var text = "";
            for (int c = 0; c < 8; c++) text += $" {(Cells[r, c] == 0 ? '-' : Cells[r, c])}";
            return text;
        }
    }
}
""",
    "Cave/Cave/Program.cs": """using System;

namespace Cave {
    class Program {
        static void Main(string[] args) {
            var board = new Board();
            Console.Write("1. Human first  2. Computer first: ");
            bool human = Console.ReadLine() == "1";
            for (char mark = 'X';; mark = mark == 'X' ? 'O' : 'X', human = !human) {
                int r = 0, c = 0;
                if (human) {
                    Console.Write("Your move (e.g. A5): ");
                    var line = Console.ReadLine();
                    r = '8' - line[1];
                    c = line[0] - 'A';
                } else {
                    while (!board.Free(r, c)) if (++c == 8) { c = 0; r++; }
                    Console.WriteLine("Computer: " + (char) ('A' + c) + (8 - r));
                }
                board.Cells[r, c] = mark;
                for (r = 0; r < 8; r++) Console.WriteLine(8 - r + board.Row(r));
            }
        }
    }
}
""",
}


@pytest.mark.skipif(shutil.which("mcs") is None, reason="needs mono-mcs")
def test_a_project_in_c_sharp_is_built_and_played(tmp_path: Path) -> None:
    cave = ludus.game("magnetic-cave")
    bot = read_bot(hand_in(tmp_path / "cave", CAVE_CSHARP))
    assert (bot.main, bot.language, bot.protocol, bot.notes) == ("Cave/Program.cs", "csharp", "console", ())
    with BotPlayer(bot) as own:
        assert own.choose(cave.initial(), Clock.parse("60/move").start()) == "A8"


def test_the_course_and_a_person_may_name_the_program() -> None:
    files: dict[str, str | bytes] = {"one.py": "print(1)\n", "two.py": "print(2)\n"}
    with pytest.raises(ValueError, match=r"which of these files is the program: one.py, two.py. .* main = \"one.py\""):
        chosen(files)
    assert chosen(files, wanted=Wanted(names=("TWO",))).main == "two.py"
    assert chosen(files, wanted=Wanted(main="two.py")).main == "two.py"
    assert chosen({**files, "c.java": JAVA_MAIN}, wanted=Wanted(languages=("java",))).main == "c.java"


@pytest.mark.parametrize(
    ("files", "says"),
    [
        ({"report.pdf": b"%PDF", "notes.txt": b"x"}, "there is no program in it, only documents such as report.pdf"),
        (
            {"game.exe": b"MZ", "report.pdf": b"%PDF"},
            "game.exe is a program for another machine, and its source is missing",
        ),
        ({"Main.class": b"\xca\xfe", "a.txt": b""}, "Main.class is compiled Java, and its source is missing"),
        ({"bot.cpython-310.pyc": b"x", "a.txt": b""}, "is compiled Python, and its source is missing"),
        ({"a.txt": b"x", "b.dat": b"x"}, "no source file found, only a.txt, b.dat"),
        ({"main.go": b"package main", "main.exe": b"MZ"}, "main.go is written in a language that is not built here"),
        ({"code.rar": b"Rar!\x1a\x07", "r.pdf": b"%PDF"}, "this rar archive cannot be read"),
        ({"code.7z": b"7z\xbc\xaf'\x1c"}, "this 7z archive cannot be read"),
    ],
)
def test_what_is_no_program_gets_its_own_sentence(tmp_path: Path, files: dict[str, str | bytes], says: str) -> None:
    with pytest.raises(ValueError, match=r"^[^\n]+$") as caught:
        read_bot(hand_in(tmp_path / "bot", files), "files")
    assert says in str(caught.value)


def test_archives_inside_each_other_are_opened_up_to_a_limit(tmp_path: Path) -> None:
    data = PYTHON + PYTHON_MAIN
    inner: bytes = zipped({"homework.py": data})
    for depth in range(3):
        inner = zipped({f"more{depth}/inner.zip": inner, "report.pdf": b"%PDF"})
    path = tmp_path / "s.zip"
    path.write_bytes(inner)
    assert read_bot(path, "files").main.endswith("homework.py")
    path.write_bytes(zipped({"a/inner.zip": inner}))
    with pytest.raises(ValueError, match="no source file found"):
        read_bot(path, "files")


def test_a_module_that_is_not_here_is_said_with_its_line_unless_the_program_can_do_without() -> None:
    lacking = "import os, nobodyhasthis.nn as nn\nfrom northis import *\nimport rules, board\nnn.x = os\n"
    idle = "import sklearn\ntry:\n    import cupy as np\nexcept ImportError:\n    import numpy as np\n"
    bot = chosen({"homework.py": lacking + idle + PYTHON_MAIN, "board.py": PYTHON, "rules/__init__.py": ""})
    said = [(note.code, note.params["line"], note.params["module"]) for note in bot.notes]
    assert said[:2] == [("bots.module_lacking", 1, "nobodyhasthis"), ("bots.module_lacking", 2, "northis")]
    assert said[2:] == [("bots.repair_idle_import", 5, "sklearn")]


def test_a_program_that_does_without_our_rules_is_told_that_it_cannot_import_them() -> None:
    lines = "import sys\nimport ludus\nprint(ludus.game('cantris').parse(input()).legal_moves[0])\n"
    bot = bot_of({"bot.py": File(lines.encode())}, Path("bot"))
    assert bot.protocol != "python"
    assert [(note.code, note.params["line"]) for note in bot.notes] == [("bots.ludus_lacking", 2)]
    choose = "import ludus\ndef choose(state, clock):\n    return ludus.game('cantris').initial().legal_moves[0]\n"
    for files in ({"bot.py": File(choose.encode())}, {"bot.py": File(lines.encode()), "ludus.py": File(b"")}):
        assert bot_of(files, Path("bot")).notes == ()


def test_an_unused_class_that_java_does_not_have_is_left_out() -> None:
    text = (
        "package a;\nimport org.junit.Test;\nimport a.b.Own;\nimport java.util.List;\nimport com.x.Used;\n"
        "class Main { Used one; public static void main(String[] a) {} }\n"
    )
    done = repaired({"a/Main.java": text, "a/b/Own.java": "package a.b;\npublic class Own {}\n"}, "a/Main.java")
    assert done.texts["a/Main.java"] == text.replace("import org.junit.Test;", "")
    assert [(note.code, note.params["line"], note.params["module"]) for note in done.notes] == [
        ("bots.repair_idle_import", 2, "org.junit.Test")
    ]


def test_a_jar_that_can_be_run_is_run() -> None:
    bot = chosen({"dist/game.jar": zipped({"META-INF/MANIFEST.MF": "Main-Class: homework\n"}), "readme.txt": "x"})
    assert (bot.language, bot.run[-2:]) == ("jar", ("-jar", "dist/game.jar"))


PATHS = [
    ("C:\\\\Users\\\\me\\\\input.txt", "input.txt"),
    ("/Users/me/Desktop/input.txt", "input.txt"),
    ("./test/input.txt", "input.txt"),
    ("/input.txt", "input.txt"),
    ("../input.txt", "input.txt"),
    ("D:/hw/output.txt", "output.txt"),
    ("/home/me/hw/", ""),
    ("C:\\\\hw", "."),
    ("input.txt", "input.txt"),
    ("data/weights.txt", "data/weights.txt"),
    ("a/b", "a/b"),
    ("http://example.com/x.txt", "http://example.com/x.txt"),
]


@pytest.mark.parametrize(("path", "becomes"), PATHS)
@pytest.mark.parametrize("name", ["homework.py", "homework.cpp", "homework.java"])
def test_paths_of_other_machines(name: str, path: str, becomes: str) -> None:
    call = {
        "py": "open({})\n",
        "cpp": "int main() {{ fopen({}, 0); }}\n",
        "java": "class A {{ void main() {{ f({}); }} }}\n",
    }
    text = call[name.rpartition(".")[2]].format(f'"{path}"')
    bot = chosen({name: text})
    built = next(
        file.data.decode() for place, file in bot.files.items() if place.rpartition(".")[2] == name.rpartition(".")[2]
    )
    assert f'"{becomes}"' in built
    assert ("line 1: the path" in notes_of(bot)) == (path != becomes)


def test_a_path_that_is_put_together_keeps_its_stroke_however_it_is_spaced() -> None:
    bot = chosen({"homework.py": "open(folder() +          '/input.txt')\n"})
    assert b"'/input.txt'" in bot.files["homework.py"].data


def test_a_file_of_the_course_may_have_another_name(tmp_path: Path) -> None:
    text = PYTHON + PYTHON_MAIN.replace("input.txt", "testcases.txt")
    folder = hand_in(tmp_path / "bot", {"homework.py": text})
    with pytest.raises(Fault, match="crash"):
        first_move(read_bot(folder))
    (folder / "bot.toml").write_text('protocol = "files"\nfiles = { "testcases.txt" = "input.txt" }\n')
    bot = read_bot(folder)
    assert first_move(bot) == "A1"
    assert "testcases.txt was replaced by input.txt, as the course allows" in notes_of(bot)
    (folder / "bot.toml").write_text("files = 3\n")
    with pytest.raises(ValueError, match="files is a table of names"):
        read_bot(folder)


def program(reads: str, writes: str) -> str:
    """Return a program that plays, with other ways to its files."""
    main = PYTHON_MAIN.replace('read("input.txt")', f"read({reads})").replace('open("output.txt", "w")', writes)
    return f"import sys\nimport io\n{PYTHON}{main}"


OUT = 'open("output.txt", "w")'
OTHER_FILES = [
    (program('"testcases.txt"', OUT), {"testcases.txt": "input.txt"}),
    (program('"C:/hw/input1.txt"', OUT), {"input1.txt": "input.txt"}),
    (program('"input/game.txt"', OUT), {"input/game.txt": "input.txt"}),
    (program('"tc3.txt"', 'open("op3.txt", "w")'), {"tc3.txt": "input.txt", "op3.txt": "output.txt"}),
    (program('"a.txt" if sys.maxsize else "b.txt"', OUT), {}),
    (program('"Input.TXT"', OUT), {}),
]


@pytest.mark.parametrize(("text", "names"), OTHER_FILES)
def test_other_names_of_files_are_allowed_or_said(text: str, names: dict[str, str]) -> None:
    strict = chosen({"homework.py": text})
    for path, name in names.items():
        assert f"it names the file {path}, and no source names {name}" in notes_of(strict)
        assert f'files = {{ "{path}" = "{name}" }}' in notes_of(strict)
    assert ("it names the file" in notes_of(strict)) == bool(names)
    lenient = chosen({"homework.py": text}, wanted=Wanted(allowed=Allowed(other_files=True)))
    assert lenient.renamed == names
    if names or "Input" in text:
        assert first_move(lenient) == "A1"
        assert first_move(chosen({"homework.py": text}, wanted=Wanted(allowed=Allowed(names)))) == "A1"


@pytest.mark.parametrize("folder", ["data", "tests/cases"])
def test_the_files_are_also_in_the_folder_where_such_files_were_handed_in(folder: str, tmp_path: Path) -> None:
    text = program('PLACE + "input.txt"', 'open(PLACE + "output.txt", "w")').replace(
        "import io", f'PLACE = "{folder}/"'
    )
    files: dict[str, str | bytes] = {"agent.py": text, f"{folder}/input.txt": "1\n1\n9\n0\n", "notes/x.txt": "x"}
    assert first_move(read_bot(hand_in(tmp_path / "bot", files), "files")) == "A1"


@pytest.mark.parametrize(
    ("name", "text", "read_as"),
    [
        ("homework (2).py", JAVA_ONE, "homework (2).java"),
        ("my code.txt", JAVA_ONE, "my code.java"),
        ("my code.txt", PYTHON + PYTHON_MAIN, "my code.py"),
    ],
)
def test_a_source_under_the_ending_of_another_language_is_read_as_what_it_is(
    name: str, text: str, read_as: str
) -> None:
    found = chosen({name: text})
    assert f"{name} was read as {read_as}" in notes_of(found)
    assert first_move(found) == "A1"


def test_python_that_speaks_of_java_stays_python() -> None:
    found = chosen({"homework.py": f'"""\nimport java.util.*;\n"""\n{PYTHON}{PYTHON_MAIN}'})
    assert "was read as" not in notes_of(found)
    assert first_move(found) == "A1"


def test_what_python_would_need_gigabytes_to_parse_is_not_parsed() -> None:
    found = chosen({"homework.py": JAVA_ONE + "x;" * 200_000})
    assert "was read as" not in notes_of(found)


def test_the_names_in_the_program_count_not_those_in_its_old_versions_and_harnesses() -> None:
    files: dict[str, str | bytes] = {
        "homework.py": "import rules\nrules.play()\n",
        "rules.py": program('"in5.txt"', OUT).replace("main()", "play()"),
        "older.py": program('"in4.txt"', OUT),
        "duel.py": "import homework, older\nprint(open('duel_in.txt').read())\n",
    }
    found = chosen(files, wanted=Wanted(allowed=Allowed(other_files=True)))
    assert found.renamed == {"in5.txt": "input.txt"}
    assert first_move(found) == "A1"


def test_what_the_program_does_without_needs_no_note() -> None:
    files: dict[str, str | bytes] = {
        "agent.py": "import rules\nrules.main()\n",
        "rules.py": "import time\ntime.clock\n" + PYTHON + PYTHON_MAIN,
        "window.py": "import Tkinter\nprint 'x'\nopen('C:/hw/input.txt')\n",
    }
    assert [note.params["file"] for note in chosen(files).notes] == ["rules.py"]


CALIBRATED = f"assert open('calibrate.txt').read() == '7'\n{PYTHON}{PYTHON_MAIN}"


def test_the_calibration_may_have_another_name_and_need_not_work() -> None:
    files: dict[str, str | bytes] = {
        "homework.py": CALIBRATED,
        "calibrate.py": "open('calibrate.txt', 'w').write('7')\n",
    }
    with pytest.raises(Fault, match="crash"):
        first_move(strict := chosen(files))
    assert 'files = { "calibrate.txt" = "calibration.txt" }' in notes_of(strict)
    allowed = Wanted(allowed=Allowed({"calibrate.txt": "calibration.txt"}))
    assert first_move(chosen(files, wanted=allowed)) == "A1"
    assert first_move(chosen(files, wanted=Wanted(allowed=Allowed(other_files=True)))) == "A1"
    assert first_move(chosen({"homework.py": CALIBRATED, "calibrate.txt": "7"})) == "A1"
    broken = chosen({"homework.py": PYTHON + PYTHON_MAIN, "calibrate.cpp": "int main() { this is no C++ }"})
    assert first_move(broken) == "A1"
    assert "calibrate.cpp could not be built; the program is played without it" in map(str, build(broken).notes)


JAVA_CALIBRATE = """import java.io.*;
public class calibrate {
    public static void main(String[] args) throws IOException {
        FileWriter out = new FileWriter("calibration.txt");
        out.write("7");
        out.close();
    }
}
"""


def test_calibrate_in_a_package_and_in_python_2_measures() -> None:
    files: dict[str, str | bytes] = {"homework.java": packaged(JAVA_ONE), "calibrate.java": packaged(JAVA_CALIBRATE)}
    assert (build(chosen(files)).folder / "calibration.txt").read_text() == "7"
    old = "print 'measuring'\nf = open('calibration.txt', 'w')\nprint >>f, 7 / 2\n"
    bot = chosen({"homework.py": PYTHON + PYTHON_MAIN, "calibrate.py": old})
    assert (build(bot).folder / "calibration.txt").read_text() == "3\n"


ASSERTS = "assert open('calibration.txt').read().strip() == '7'\n"
MEASURED = f"{ASSERTS}{PYTHON}{PYTHON_MAIN}"
WRITES = "open('calibration.txt', 'w').write('7')\n"
CALIBRATES: list[dict[str, str | bytes]] = [
    {"homework.py": MEASURED, "calibrate/calibrate.py": WRITES},
    {"src/homework.py": MEASURED, "Calibration.py": WRITES},
    {"homework.py": MEASURED, "calibrate.py": f"assert open('input.txt').readline()\n{WRITES}"},
    {"homework.py": MEASURED, "calibrate.py": WRITES, "calibration.txt": "old"},
    {"homework.py": MEASURED, "calibrate.py": "print(7)\n"},
    {"agent.py": f"{PYTHON}{PYTHON_MAIN}    {ASSERTS}", "calibrate.py": f"import homework\nhomework.read\n{WRITES}"},
]


@pytest.mark.parametrize("files", CALIBRATES)
def test_the_program_that_measures_is_found_and_has_what_it_needs(files: dict[str, str | bytes]) -> None:
    assert first_move(chosen(files)) == "A1"


def test_the_program_that_measures_is_built_with_what_it_includes_and_under_the_name_of_the_course() -> None:
    files: dict[str, str | bytes] = {
        "homework.cpp": '#include "fruit.h"\n#include <fstream>\nint main() { std::ofstream("output.txt"); }\n',
        "calibrate.cpp": '#include "fruit.h"\nint main() { return measured(); }\n',
        "fruit.h": "int measured();\n",
        "fruit.cpp": '#include "fruit.h"\nint measured() { return 0; }\n',
    }
    assert "calibrate.cpp' 'fruit.cpp'" in (chosen(files).build or "")
    java = {"Agent.java": JAVA_ONE.replace("class homework", "class Agent"), "calibrate.java": JAVA_CALIBRATE}
    assert "homework.java" not in chosen({**java}).files
    java["calibrate.java"] = JAVA_CALIBRATE.replace('write("7")', 'write("7" + new homework().hashCode() * 0)')
    assert chosen({**java}).files["homework.java"].data == b"public class homework extends Agent {}\n"


def test_a_measurement_that_nobody_makes_is_said() -> None:
    says = "homework.py, line 1: it reads calibration.txt, but that file and a program calibrate.* that writes it are"
    assert says in notes_of(chosen({"homework.py": MEASURED}))
    assert chosen({"homework.py": MEASURED, "calibration.txt": "7"}).notes == ()
    assert chosen({"homework.py": MEASURED.replace("assert", WRITES + "assert")}).notes == ()


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (program("sys.argv[1]", 'open(sys.argv[2], "w")'), "it is started with input.txt, output.txt"),
        (program("sys.argv[1]", OUT), "it is started with input.txt"),
        (
            program("ARGS.board", 'open(ARGS.out, "w")').replace(
                "import io",
                "import argparse\nP = argparse.ArgumentParser()\nP.add_argument('board')\nP.add_argument('out')\n"
                "ARGS = P.parse_args()",
            ),
            "it is started with input.txt, output.txt",
        ),
        (
            program("ARGS.i", 'open(ARGS.output, "w")').replace(
                "import io",
                "import argparse\nP = argparse.ArgumentParser()\nP.add_argument('--output', '-o')\n"
                "P.add_argument('-i')\nARGS = P.parse_args()",
            ),
            "it is started with -i, input.txt, --output, output.txt",
        ),
        (program('"input.txt"', "sys.stdout"), "what it prints is taken as output.txt"),
        (program("0", "sys.stdout").replace("open(name)", "sys.stdin"), "it is given input.txt there"),
    ],
)
def test_the_console_and_arguments_are_ways_to_the_files(text: str, says: str) -> None:
    bot = chosen({"homework.py": text})
    assert says in notes_of(bot)
    assert first_move(bot) == "A1"


def test_an_argument_that_nobody_gives_is_said() -> None:
    text = f"import sys\ndepth = int(sys.argv[1])\n{PYTHON}{PYTHON_MAIN}"
    assert "homework.py, line 2: it expects an argument (argv[1])" in notes_of(chosen({"homework.py": text}))
    asks = text.replace("int(sys.argv[1])", "int(sys.argv[1]) if len(sys.argv) > 1 else 3")
    assert chosen({"homework.py": asks}).notes == ()
    assert first_move(chosen({"homework.py": asks})) == "A1"


def test_a_program_that_also_waits_for_typing_is_told_where() -> None:
    text = f"{PYTHON}{PYTHON_MAIN}    input('Press Enter')\n"
    says = "homework.py, line 51: it reads what a person types (input), and nobody types here"
    assert says in notes_of(chosen({"homework.py": text}))
    assert first_move(chosen({"homework.py": text})) == "A1"


SPLIT = PYTHON_MAIN.replace(
    'n, board = read("input.txt")',
    'lines = open("input.txt", newline="").read().split("\\r\\n")\n'
    "    n, board = int(lines[0]), list(map(list, lines[3 : 3 + int(lines[0])]))",
)


@pytest.mark.parametrize(
    ("text", "note"),
    [
        (PYTHON + SPLIT, "homework.py, line 41: it takes lines apart at the line ends of Windows only"),
        (
            f"import numpy as np\nnp.zeros(3, dtype=np.int)\n{PYTHON}{PYTHON_MAIN}",
            "line 2: numpy has no np.int any more",
        ),
        (
            program('os.path.join("my data", "in", "input.txt")', OUT),
            "the path my data/in/input.txt belongs to another",
        ),
        (
            program('Path("..") / "input.txt"', OUT),
            "line 43: the path ../input.txt belongs to another machine or folder",
        ),
    ],
)
def test_line_ends_types_of_numpy_and_joined_paths_are_repaired(text: str, note: str) -> None:
    bot = chosen({"homework.py": f"{text}".replace("import io\n", "import os; from pathlib import Path\n", 1)})
    assert note in notes_of(bot)
    assert first_move(bot) == "A1"


def test_names_beside_a_file_that_are_no_folders_stay() -> None:
    text = 'import shutil\nprint("in", "input.txt")\nshutil.copy("old", "output.txt")\nx = ["a", "input.txt"]\n'
    bot = chosen({"homework.py": text})
    assert bot.notes == ()
    assert bot.files["homework.py"].data.decode() == text


def test_time_may_be_given_in_milliseconds(tmp_path: Path) -> None:
    text = (PYTHON + PYTHON_MAIN).replace("seconds = float(", "time_ms = int(")
    folder = hand_in(tmp_path / "bot", {"homework.py": text})
    assert "homework.py, line 8: it seems to read the time left in milliseconds" in notes_of(read_bot(folder))
    with pytest.raises(Fault, match="crash"):
        first_move(read_bot(folder))
    (folder / "bot.toml").write_text('protocol = "files"\ntime = "milliseconds"\n')
    assert read_bot(folder).notes == ()
    assert first_move(read_bot(folder)) == "A1"
    assert input_text(FRUIT.parse(START), 1.25, "milliseconds").splitlines()[2] == "1250"
    (folder / "bot.toml").write_text('time = "hours"\n')
    with pytest.raises(ValueError, match="there is no unit of time 'hours'; use one of seconds, milliseconds"):
        read_bot(folder)


@pytest.mark.parametrize(
    ("text", "converted"),
    [
        ("print 'x'\n", True),
        ("print\n", True),
        ("if x: print 3\n", True),
        ("print('x')\n", False),
        ("print ('x')\n", False),
        ("'''\nprint x\n'''\nprint('x')\n", False),
        ("# print x\n", False),
        ("for i in xrange(3): pass\n", True),
        ("try:\n    xrange\nexcept NameError:\n    xrange = range\nxrange(3)\n", False),
        ("try:\n    pass\nexcept IOError, e:\n    pass\n", True),
        ("raise ValueError, 'x'\n", True),
        ("import Queue\n", True),
        ("import queue\n", False),
        ("from sys import maxint\n", True),
        ("x = string.uppercase\n", True),
        ("x.sort(cmp=f)\n", True),
        ("import string\nx = string.ascii_uppercase\n", False),
        ("#!/usr/bin/env python2\nx = 1\n", True),
    ],
)
def test_python_2_is_recognised(text: str, converted: bool) -> None:
    assert ("written for Python 2" in notes_of(chosen({"homework.py": text}))) == converted


OUTPUTS = [
    ("B1\n{board}\n", ""),
    ("B1\r\n{board}", ""),
    ("b1\n{board}\n", ""),
    ("B1\n{board}\nscore 9\ndepth 3\n", "which do not count: 'score 9', 'depth 3'"),
    ("B1\n* * *\n0 * *\n1 1 1\n", "no blanks between the cells"),
    ("B 1\n{board}\n", "should hold the move only"),
    ("B1 ***\n0**\n111\n", "should hold the move only"),
    ("\n\nB1\n\n{board}\n\n", ""),
    ("9\nB1\n{board}\n", "should begin with the move; the text before it ('9') was ignored"),
    ("depth 4\n9\nB2\n{board}\n", "the text before it ('depth 4') was ignored"),
    ("Move: B1\n{board}\n", "should hold the move only; it is 'Move: B1'"),
    ("(B, 1)\n{board}\n", "should hold the move only"),
    ("B1\n***\0\n0**\0\n111\0\n", ""),
]


@pytest.mark.parametrize(("output", "note"), OUTPUTS)
def test_what_a_patient_reader_accepts_in_an_output_file(output: str, note: str) -> None:
    text = output.replace("{board}", "***\n0**\n111")
    three = ludus.game("fruit-rage", size=3, types=3)
    bot = chosen({"homework.py": f"open('output.txt', 'w', newline='').write({text!r})\n"})
    with BotPlayer(bot) as seat:
        assert seat.choose(three.parse("*2*/02*/111 1 0-0"), Clock().start()) == "B1"
        assert note in "\n".join(map(str, seat.notes))
        assert bool(note) == bool(seat.notes)


def test_an_output_file_in_utf_16_is_read() -> None:
    bot = chosen({"homework.py": (PYTHON + PYTHON_MAIN).replace('"w")', '"w", encoding="utf-16")')})
    assert first_move(bot) == "A1"


@pytest.mark.parametrize(
    ("output", "says"),
    [
        ("***\n0**\n111\n", "the first line should be the move, such as A1, but it is '***'"),
        ("B1\n***\n0**\n11*\n", "row 3 after B1 should be '111', but it is '11*'"),
        ("B1\n***\n", "the board ends before row 2"),
        ("B1\n", "the board is missing"),
        ("B1\n*,*,*\n0,*,*\n1,1,1\n", "row 1 after B1 should be '***'"),
        ("9\nB1\n***\n0**\n11*\n", "the first line should be the move, such as A1, but it is '9'"),
        ("Move: 1\n***\n0**\n111\n", "it wrote 'Move: 1', which is not a move"),
    ],
)
def test_what_remains_a_fault_in_an_output_file(output: str, says: str) -> None:
    bot = chosen({"homework.py": f"open('output.txt', 'w').write({output!r})\n"})
    state = ludus.game("fruit-rage", size=3, types=3).parse("*2*/02*/111 1 0-0")
    with BotPlayer(bot) as seat, pytest.raises(Fault) as caught:
        seat.choose(state, Clock().start())
    assert caught.value.kind == "bad-output"
    assert says in str(caught.value.message)
