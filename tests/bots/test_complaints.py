"""What is said about a build that failed: the file, the line, and what to do where that is known."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from foreign import hand_in

from ludus.bots import read_bot
from ludus.bots.build import BuildFailed, BuildResult, Lease, build
from ludus.bots.complaints import complaint


@pytest.mark.parametrize(
    ("log", "says"),
    [
        (
            "In file included from a.cpp:1:\n./a.cpp:6:10: fatal error: pair.h: No such file or directory\n",
            "a.cpp, line 6: it includes pair.h, which was not handed in; hand in that file too, or take the line out",
        ),
        (
            "./a.cpp:6:10: fatal error: print: No such file or directory\n",
            "a.cpp, line 6: the C++ compiler here does not have <print> yet; do without it",
        ),
        (
            "./a.cpp:6:10: fatal error: boost/hash.hpp: No such file or directory\n",
            "a.cpp, line 6: it includes boost/hash.hpp of a library that is not installed here; do without it, "
            "or hand in its headers too",
        ),
        (
            "./a.cpp:3:10: fatal error: graphics.h: No such file or directory\n",
            "a.cpp, line 3: it includes graphics.h of a library that is not installed here; do without it, "
            "or hand in its headers too",
        ),
        (
            "/usr/bin/ld: a.o: in function `main':\na.cpp:(.text+0x1): undefined reference to `initscr'\n"
            "collect2: error: ld returned 1 exit status\n",
            "initscr is a function of curses, which draws on a whole terminal and is not installed here; "
            "print lines and read lines instead",
        ),
        (
            "./Main.java:2: error: package org.apache.commons.lang3 does not exist\nimport org.apache;\n",
            "Main.java, line 2: the package org.apache.commons.lang3 is not part of Java and was not handed in; "
            "hand in its sources or its .jar too",
        ),
        (
            "a b.cpp:10:9: error: 'class Board' has no member named 'cells'; did you mean 'x'?\n",
            "a b.cpp, line 10: Board has no member cells; if your own Board has it, hand in the files of Board too",
        ),
        (
            "/usr/bin/ld: a.o: in function `main':\na.cpp:(.text+0x1): undefined reference to `weight(int)'\n"
            "collect2: error: ld returned 1 exit status\n",
            "weight(int) is used, but no file that was handed in defines it; hand in the file with its definition too",
        ),
        (
            "/usr/bin/ld: b.o:b.cpp:(.bss+0x0): multiple definition of `count'; a.o:a.cpp: first defined here\n"
            "collect2: error: ld returned 1 exit status\n",
            "count is defined more than once; hand in only one of these files, or give one of them another name",
        ),
        (
            "ludus_algorithm.cpp:48:84: error: a function-definition is not allowed here before '{' token\n"
            "ludus_algorithm.cpp:53:1: error: expected '}' at end of input\n"
            "./a b.cpp:6:62: note: to match this '{'\n",
            "a b.cpp, line 6: the brace that opens in this line is never closed; close it",
        ),
        (
            "ludus_class.cpp:91:55: error: 'void one::Student::makeMove(int (*)[6], int (*)[6], Color (*)[6], Color)' "
            "is private within this context\n",
            "makeMove is private in Student, so that nobody can call it; write public: before it",
        ),
        (
            "ludus_class.cpp:66:18: error: no matching function for call to "
            "'Student::Student(<brace-enclosed initializer list>)'\n",
            "Student cannot be made without values; give it a constructor without parameters",
        ),
        ("a.cpp:4:1: error: expected ';'\n", "a.cpp:4:1: error: expected ';'"),
        ("make: nothing to do\n", "make: nothing to do"),
    ],
)
def test_a_log_in_one_sentence(log: str, says: str) -> None:
    assert str(complaint(log)) == says
    assert complaint("\n \n") is None


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (
            '#include "pair.h"\nint main() { Pair p; return vector<int>().size(); }\n',
            "a.cpp, line 1: it includes pair.h",
        ),
        ("int main() { vector<int> v; return nothing; }\n", "a.cpp:1:36: error: 'nothing' was not declared"),
        ("int weight(int);\nint main() { return weight(1); }\n", "weight(int) is used, but no file"),
    ],
)
def test_the_first_thing_to_mend_is_named(tmp_path: Path, text: str, says: str) -> None:
    """Not what more lenient builds mend by themselves, such as the header of vector."""
    with pytest.raises(BuildFailed) as caught:
        build(read_bot(hand_in(tmp_path, {"a.cpp": text}), "lines"))
    assert caught.value.sentence.startswith(says)


def test_each_line_that_a_build_left_out_has_its_own_note() -> None:
    lease = Lease(os.open(os.devnull, os.O_RDONLY))
    twice = "ludus-build: stray a.cpp 1 a.cpp 9\nludus-build: stray a.cpp 1 a.cpp 9\n"
    assert [note.params["line"] for note in BuildResult(Path(), twice, lease).notes] == ["1", "9"]


def test_a_library_that_is_used_is_named_without_more_tries(tmp_path: Path) -> None:
    source = "#include <SFML/Graphics.hpp>\nint main() { sf::RenderWindow window; }\n"
    with pytest.raises(BuildFailed) as failed:
        build(read_bot(hand_in(tmp_path / "bot", {"homework.cpp": source}), "files"))
    assert "homework.cpp, line 1: it includes SFML/Graphics.hpp of a library" in str(failed.value)
    assert "expected unqualified-id" not in failed.value.log, "only the first try is shown"
