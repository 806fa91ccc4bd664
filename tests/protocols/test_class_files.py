"""Protocol `class`: files in the manner of students, through the same build as in a course, with what is noted."""

from __future__ import annotations

from pathlib import Path

import pytest
from foreign import assert_it_plays, hand_in

MOVE = """
    Color other = inputColor == Blue ? Red : Blue;
    for (x = 4; x >= 0; x--)
      for (y = 0; y < 6; y++)
        if (color[x][y] == White || color[x][y] == inputColor) return;
"""
HEAD = "void makeMove(int Record[5][6], int Max[5][6], Color color[5][6], Color inputColor)"
BODY = " int x, y;\npublic:\n " + HEAD + " {" + MOVE + " }\n int getX() { return x; }\n int getY() { return y; }\n"
TAUGHT = "class Student {" + BODY + "};\n"
OUTSIDE = "int Student::getX() { return x; }\nint Student::getY() { return y; }\n"
DECLARED = f"class Student {{ int x, y; public: {HEAD}; int getX(); int getY(); int weigh(int); }};\n"
KINDS: dict[str, dict[str, str | bytes]] = {
    "headers_missing": {
        "Student.h": TAUGHT.replace("Color other", "std::vector<int> v(3); std::sort(v.begin(), v.end()); Color other")
    },
    "no_std": {"Student.h": TAUGHT.replace("Color other", 'vector<int> v; cout << "x" << endl; Color other')},
    "includes_within_the_class": {
        "Student.h": TAUGHT.replace(
            "class Student {",
            "class Student {\n#include <time.h>\n#include <math.h>\n#include <stdlib.h>\n#include <iostream>\n",
        ).replace("Color other", "srand(time(NULL)); y = (int)sqrt(4.0); Color other")
    },
    "header_and_source": {
        "Student.h": '#ifndef S\n#define S\n#include "../Color.h"\n#include "..\\Rules.h"\n' + DECLARED + "#endif\n",
        "student.cpp": '#include "student.H"\n' + OUTSIDE + HEAD.replace("make", "Student::make") + "{" + MOVE + "}\n",
    },
    "three_files_and_a_main": {
        "src/Student.cpp": '#include "Student.h"\n'
        + OUTSIDE
        + HEAD.replace("make", "Student::make")
        + "{"
        + MOVE
        + "}\n",
        "src/Weigh.cpp": '#include "student.h"\nint Student::weigh(int n) { return n; }\n',
        "src/Student.h": '#pragma once\n#include "Color.h"\n' + DECLARED,
        "src/Color.h": "#pragma once\nenum Color { Red, Black, White, Blue };\n",
        "src/main.cpp": '#include "Student.h"\nint main() { Student s; return s.getX(); }\n',
    },
    "the_assistants_beside": {
        "Student.h": "namespace playerOne {\n" + TAUGHT + "}\n",
        "TA.h": "namespace playerTwo {\n" + TAUGHT.replace("x = 4; x >= 0; x--", "x = 0; x < 5; x++") + "}\n",
        "Rules.h": "enum Color { White, Blue, Red, Black };\n",
    },
    "colours_in_capitals": {
        "Student.h": "enum COLOR { RED, WHITE, BLUE };\ntypedef COLOR Color;\n"
        + TAUGHT.replace("Blue", "BLUE").replace("Red ", "RED ").replace("White", "WHITE")
    },
    "colours_scoped_and_small": {
        "s.cpp": "namespace playerTwo { enum class Color { blue = 4, red = 1, white = 9 };\n"
        + TAUGHT.replace("Blue", "Color::blue").replace("Red ", "Color::red ").replace("White", "Color::white")
        + "}\n"
    },
    "numbers_for_colours": {
        "Student.h": TAUGHT.replace(" Color ", " int ").replace("Blue", "1").replace("Red ", "2 ").replace("White", "0")
    },
    "names_taken": {
        "Student.h": "#include <bits/stdc++.h>\nusing namespace std;\nint count, y1, rank;\n"
        + TAUGHT.replace("Color other", "count = y1 = rank = 2; Color other")
    },
    "old_dialect": {
        "Student.h": "#include <iostream>\nusing namespace std;\ntypedef unsigned char byte;\n"
        "int size; void f() throw(int) {}\n" + TAUGHT.replace("Color other", "byte b = 1; size = b; Color other")
    },
    "windows": {
        "106062000.cpp": b"\xef\xbb\xbf"
        + (
            '#include "stdafx.h"\n#include <Windows.h>\n#include <conio.h>\n'
            + TAUGHT.replace("Color other", 'Sleep(1); system("cls"); Color other')
            + 'int main() { Rules r; if (r.begin("}")) { r.play(new Student); } system("pause"); return 0; }\n'
        )
        .replace("\n", "\r\n")
        .encode()
    },
    "big5": {
        "Student.h": TAUGHT.replace(
            "Color other", "int k = 0; // 許功蓋\n k = 1; // 功\n if (k == 0) return; Color other"
        ).encode("big5")
    },
    "utf_16": {"Student.h": ("// 連環爆\n" + TAUGHT).encode("utf-16")},
    "another_name_and_struct": {"ai.hpp": "#pragma once\nstruct MyAI_v2 {" + BODY.replace("public:", "") + "};\n"},
    "static_tables_and_templates": {
        "Student.h": "#include <map>\ntemplate <class T> T larger(T a, T b) { return a > b ? a : b; }\n"
        "static const int weights[5][6] = {{1, 2}, {3}};\n"
        + TAUGHT.replace("Color other", "larger(1, weights[0][0]); Color other")
    },
}
WITH_ENUM = '#pragma once\n#include "ColorEnum.hpp"\n'
DEFINED = OUTSIDE + HEAD.replace("make", "Student::make") + "{" + MOVE + "}\n"
OTHER = DECLARED.replace("Student", "Chance")
KINDS |= {
    "several_classes_and_a_platform": {
        "ColorEnum.hpp": "#pragma once\nenum Color { White, Blue, Red, Black };\n",
        "Chance.hpp": WITH_ENUM + OTHER,
        "Chance.cpp": '#include "Chance.hpp"\n' + DEFINED.replace("Student", "Chance").replace("4; x >= 0; x--", "0;;"),
        "Tree.hpp": WITH_ENUM + DECLARED,
        "Tree.cpp": '#include "Tree.hpp"\n' + DEFINED,
        "Vanguard.cpp": WITH_ENUM + TAUGHT.replace("4; x >= 0; x--", "0; x < 5; x++"),
        "Platform.cpp": '#include "Chance.hpp"\n#include "Tree.hpp"\n'
        "int main() { Student s; s.makeMove(0, 0, 0, Red); return s.getX(); }\n",
    },
    "the_enum_is_lacking": {"Vanguard.cpp": WITH_ENUM + TAUGHT},
    "parts_by_a_shared_header": {
        "Student.h": '#pragma once\n#include "common.h"\n' + DECLARED,
        "Student.cpp": '#include "Student.h"\n' + DEFINED.replace("Color other", "weight(1); Color other"),
        "common.h": "#pragma once\nint weight(int);\n",
        "helpers.cpp": '#include "common.h"\nint weight(int n) { return n; }\n',
    },
    "a_main_and_two_makeMoves": {
        "chain.cpp": "enum Color { White, Blue, Red, Black };\n"
        + TAUGHT.replace("int getX()", "void makeMove(int a, int b, Color c) { x = a; y = b; }\n int getX()")
        + "int main() { Student s; s.makeMove(1, 2, Red); return s.getX(); }\n"
    },
    "looks_outside": {
        "Student.h": TAUGHT.replace(
            "for (x = 4; x >= 0; x--)\n      for (y = 0",
            "Record[-2][0] = Record[6][5] = 7;\n    for (x = 6; x >= -2; x--)\n      for (y = 0",
        )
    },
    "no_results": {
        "Student.h": "struct Move { int x, y; } best;\n"
        + TAUGHT.replace(
            "public:", "public:\n int list(int n) { best.x = n; }\n bool worth(int n) { if (n > 9) return true; }", 1
        ).replace("Color other", "list(3); worth(best.x); Color other")
    },
    "names_of_the_system": {
        "Student.h": "class link { int next; };\nint read, write, open; void close(int n) { write = n; }\n"
        + TAUGHT.replace("Color other", "link l; close(read + open); Color other")
    },
}
KINDS |= {
    "as_the_server_pastes_it": {
        "a.cpp": "typedef pair<int, int> pii;\nint count, rank, next;\nstruct move { int x; };\nvector<pii> list;\n"
        + TAUGHT.replace("Color other", "move m; m.x = count + rank + next; list.clear(); Color other")
        + "int main() { Student s; return s.getX(); }\n"
    },
    "one_and_two": {
        "playerTwo.h": "namespace playerTwo {\n" + TAUGHT.replace("x = 4; x >= 0; x--", "x = 0; x < 5; x++") + "}\n",
        "playerOne.h": "#pragma once\n#include <iostream>\nenum Color { White, Blue, Red, Black };\n"
        "namespace playerOne {\n" + TAUGHT + "};\n",
        "main.cpp": '#include "playerOne.h"\n#include "playerTwo.h"\nint main() { playerOne::Student s; s.getX(); }',
    },
}
NOTED = {
    "as_the_server_pastes_it": "as on the course's server",
    "the_enum_is_lacking": "ColorEnum.hpp, which was not handed in",
    "headers_missing": "it does not include <vector>",
    "no_std": "std::",
    "includes_within_the_class": "the common headers",
    "names_taken": "count, rank, y1",
    "old_dialect": "older dialect",
}


@pytest.mark.parametrize("kind", KINDS)
def test_what_students_hand_in_is_recognised_builds_and_plays(kind: str, tmp_path: Path) -> None:
    assert_it_plays(hand_in(tmp_path / "given", KINDS[kind]), "class", NOTED.get(kind))
