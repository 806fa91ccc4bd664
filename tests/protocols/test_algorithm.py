"""Protocol `algorithm`: what students of the course with `algorithm_A(Board, Player, int[])` hand in plays."""

from __future__ import annotations

import random
import re
import subprocess
from pathlib import Path

import pytest
from foreign import assert_it_plays, compile_cpp, hand_in, place, situation

import ludus
from ludus.bots import read_bot
from ludus.bots.player import BotPlayer
from ludus.check import WARNING, check
from ludus.errors import Fault
from ludus.game import State
from ludus.play.clock import Clock
from ludus.play.match import Match
from ludus.players import player
from ludus.protocols import Source, protocol, recognised_protocol
from ludus.sandbox import cgroup

CHAIN = ludus.game("chain-reaction")
HEADERS = '#include "../include/algorithm.h"\n#include "../include/board.h"\n#include "../include/player.h"\n'
BODY = """
  char color = player.get_color();
  for (int i = ROW - 1; i >= 0; i--)
    for (int j = 0; j < COL; j++)
      if (board.get_cell_color(i, j) == 'w' || board.get_cell_color(i, j) == color) {
        index[0] = i;
        index[1] = j;
        return;
      }
"""
HEAD = "void algorithm_A(Board board, Player player, int index[])"
TAUGHT = "#include <iostream>\n" + HEADERS + "using namespace std;\n" + HEAD + "{" + BODY + "}\n"
RIVAL = TAUGHT.replace("algorithm_A", "algorithm_B").replace("ROW - 1; i >= 0; i--", "0; i < ROW; i++")
OWN_BOARD = """
#include <iostream>
class Player { char c; bool bad; public: Player(char c) : c(c), bad(false) {} char get_color() { return c; }
  bool is_illegal() { return bad; } void set_illegal() { bad = true; } };
"""
FRAMEWORK = {
    "include/board.h": "#pragma once\nclass Player;\nclass Board { int n[5][6]; char c[5][6]; public: Board();\n"
    "int get_orbs_num(int i, int j); int get_capacity(int i, int j); char get_cell_color(int i, int j);\n"
    "bool place_orb(int i, int j, Player *p); int mine_alone() { return 7; } };\n#define ROW 5\n#define COL 6\n",
    "include/player.h": "#pragma once" + OWN_BOARD,
    "include/rules.h": "bool index_range_illegal(int, int);\n",
    "include/algorithm.h": '#include "board.h"\n#include "player.h"\n'
    + "".join(f"void algorithm_{letter}(Board board, Player player, int index[]);\n" for letter in "ABCD"),
    "source/board.cpp": '#include "../include/board.h"\n#include "../include/player.h"\n'
    "Board::Board() { for (int i = 0; i < 30; i++) n[0][i] = 0, c[0][i] = 'w'; }\n"
    "int Board::get_orbs_num(int i, int j) { return n[i][j]; }\nint Board::get_capacity(int i, int j) "
    "{ return 4 - (i == 0 || i == 4) - (j == 0 || j == 5); }\n"
    "char Board::get_cell_color(int i, int j) { return c[i][j]; }\n"
    "bool Board::place_orb(int i, int j, Player *p) { n[i][j]++; c[i][j] = p->get_color(); return true; }\n",
    "source/rules.cpp": "bool index_range_illegal(int i, int j) { return i < 0 || j < 0 || i > 4 || j > 5; }\n",
    "source/algorithm_B.cpp": RIVAL,
    "source/algorithm_C.cpp": RIVAL.replace("_B", "_C"),
    "source/chain_reaction.cpp": '#include <windows.h>\n#include "../include/algorithm.h"\n'
    "int main() { Board b; Player p('r'); int i[2]; algorithm_A(b, p, i); system(\"pause\"); }\n",
    "chain_reaction.exe": "MZ",
    "README.md": "# Chain Reaction",
}
KINDS: dict[str, dict[str, str | bytes]] = {
    "one_file": {"algorithm_A.cpp": TAUGHT},
    "the_function_alone": {"paste.txt": HEAD + "{" + BODY + "}\n"},
    "folders": {"source/algorithm_A.cpp": TAUGHT},
    "framework": {"source/algorithm_A.cpp": TAUGHT, **FRAMEWORK},
    "includes_in_any_capitals_and_with_backslashes": {
        "algorithm_A.cpp": TAUGHT.replace("../include/board.h", "..\\Include\\Board.H")
        .replace("../include/player.h", "PLAYER.h")
        .replace("../include/algorithm.h", "include/rules.h")
    },
    "includes_in_angles": {"a.cpp": TAUGHT.replace('"../include/board.h"', "<board.h>")},
    "another_letter": {"algorithm_E.cpp": TAUGHT.replace("algorithm_A", "algorithm_E")},
    "calls_the_assistants": {
        "source/algorithm_A.cpp": TAUGHT.replace(BODY, "int other[2]; algorithm_B(board, player, other);" + BODY),
        "source/algorithm_B.cpp": RIVAL,
        "source/algorithm_C.cpp": RIVAL.replace("_B", "_C").replace("{", "{ broken", 1),
    },
    "helpers_beside": {
        "source/algorithm_A.cpp": TAUGHT.replace(
            BODY, " int k = weight(3);" + BODY.replace("ROW - 1", "ROW - k")
        ).replace("using", '#include "Weights.h"\nusing'),
        "include/weights.h": "int weight(int);\n",
        "source/weights.cpp": '#include "..\\include\\weights.h"\nstatic int x = 2;\n'
        "int weight(int n) { return n - x; }\n",
        "source/main.cpp": "int main() { }\n",
        "old/algorithm_A_old.cpp": RIVAL.replace("_B", "_A"),
        "notes.cpp": "this is no C++\n",
    },
    "headers_missing_and_helpers_beside": {
        "algorithm_A.cpp": TAUGHT.replace(
            BODY, " std::vector<int> k(1, weight());" + BODY.replace("ROW - 1", "ROW - k[0]")
        ).replace("using", '#include "weights.h"\nusing'),
        "weights.h": "int weight();\n",
        "weights.cpp": '#include "weights.h"\nint weight() { return 1; }\n',
    },
    "a_source_included": {
        "source/algorithm_A.cpp": TAUGHT.replace(
            "using", '#include "../source/tools.cpp"\n#include "../source/board.cpp"\nusing'
        ),
        "source/tools.cpp": "int tool() { return 1; }\n",
        "source/board.cpp": FRAMEWORK["source/board.cpp"],
    },
    "own_framework": {
        **FRAMEWORK,
        "source/algorithm_A.cpp": TAUGHT.replace(BODY, "if (board.mine_alone() != 7) return;" + BODY),
    },
    "own_board_without_the_rest_of_the_framework": {
        "include/board.h": '#include "player.h"\nclass Cell { int n; char c; public: Cell(); int get_orbs_num(); '
        "char get_color(); void add(char c); };\n"
        + FRAMEWORK["include/board.h"]
        .replace("class Player;", "")
        .replace("int n[5][6]; char c[5][6];", "Cell n[5][6];"),
        "source/board.cpp": '#include "../include/board.h"\n#include "../include/rules.h"\n'
        "Cell::Cell() : n(0), c('w') {}\nint Cell::get_orbs_num() { return n; }\nchar Cell::get_color() { return c; }\n"
        "void Cell::add(char owner) { n++; c = owner; }\nBoard::Board() {}\n"
        "int Board::get_orbs_num(int i, int j) { return n[i][j].get_orbs_num(); }\n"
        "int Board::get_capacity(int i, int j) { return 4 - (i == 0 || i == 4) - (j == 0 || j == 5); }\n"
        "char Board::get_cell_color(int i, int j) { return n[i][j].get_color(); }\n"
        "bool Board::place_orb(int i, int j, Player *p) { if (index_range_illegal(i, j) || "
        "placement_illegal(*p, n[i][j])) return false; n[i][j].add(p->get_color()); return true; }\n",
        "source/algorithm_A.cpp": TAUGHT.replace(BODY, "if (board.mine_alone() != 7) return;" + BODY),
    },
    "everything_in_one_file": {
        "chain.cpp": OWN_BOARD
        + FRAMEWORK["include/board.h"]
        + FRAMEWORK["source/board.cpp"].partition('player.h"\n')[2]
        + HEAD
        + "{"
        + BODY
        + "}\nint main() { int index[2]; algorithm_A(Board(), Player('r'), index); }\n"
    },
    "references_and_a_result": {
        "algorithm_A.cpp": TAUGHT.replace(HEAD, "int algorithm_A(Board &board, Player &player, int *index)").replace(
            "return;", "return 1;"
        )
    },
    "windows": {
        "algorithm_A.cpp": b"\xef\xbb\xbf"
        + TAUGHT.replace("#include <iostream>", "#include <Windows.h>\n#include <conio.h>\n#include <iostream>")
        .replace(BODY, 'system("cls"); Sleep(1); if (kbhit()) getch();' + BODY)
        .replace("\n", "\r\n")
        .encode()
        + b'int main() { system("pause"); }\r\n'
    },
    "big5": {
        "algorithm_A.cpp": TAUGHT.replace(BODY, " int k = 0;\n // 成功\n k = 1;\n if (k == 0) return;" + BODY).encode(
            "big5"
        )
    },
    "prints_and_reads": {
        "algorithm_A.cpp": TAUGHT.replace(
            BODY, 'int n; cin >> n; cout << "1 1" << endl; printf("2 2\\n"); board.print_current_board(0, 0, 1);' + BODY
        ).replace("using namespace std;", 'using namespace std; struct Loud { Loud() { cout << "0 0\\n"; } } loud;')
    },
    "headers_missing": {
        "algorithm_A.cpp": TAUGHT.replace(
            BODY, "vector<int> v; v.push_back(INT_MAX); sort(v.begin(), v.end()); srand(time(NULL)); rand();" + BODY
        )
    },
    "no_std": {
        "algorithm_A.cpp": TAUGHT.replace("using namespace std;", "").replace(BODY, 'cout << "x" << endl;' + BODY)
    },
    "names_taken": {
        "algorithm_A.cpp": "#include <bits/stdc++.h>\n"
        + TAUGHT.replace(
            "using namespace std;", "using namespace std;\nint count, rank, array[3], y1, distance; Board prev, next;"
        ).replace(BODY, "count = rank = y1 = 1; array[0] = distance = 2; prev = board; next = prev;" + BODY)
    },
    "old_dialect": {
        "algorithm_A.cpp": TAUGHT.replace(
            "using namespace std;", "using namespace std;\ntypedef unsigned char byte; int size; void f() throw(int) {}"
        )
        .replace(
            BODY,
            "byte b = 1; size = b; board.place_orb(0, 0, &Player('b')); board = Board(board);"
            + BODY.replace("board.", "copy."),
        )
        .replace("char color", "Board copy; char color")
        .replace("copy.get_cell_color(i, j) == 'w'", "true")
    },
    "a_search": {
        "algorithm_A.cpp": TAUGHT.replace(
            HEAD,
            """
static int nodes;
int search(Board board, Player me, Player other, int depth) {
  nodes++;
  if (depth == 0 || board.win_the_game(me) || board.win_the_game(other)) return 0;
  int best = -1000;
  for (int i = 0; i < ROW; i++)
    for (int j = 0; j < COL; j++) {
      if (board.get_cell_color(i - 1, j + 1) == 'x') continue;
      Board copy = board;
      Player mover = me;
      if (!copy.place_orb(i, j, &mover) || mover.is_illegal()) continue;
      best = max(best, -search(copy, other, me, depth - 1));
    }
  return best;
}
"""
            + HEAD,
        ).replace(BODY, "search(board, player, Player(player.get_color() == RED ? BLUE : RED), 3);" + BODY)
    },
}
KINDS |= {
    "names_of_the_system": {
        "algorithm_A.cpp": TAUGHT.replace(
            "using namespace std;",
            "template <class T> class link { T next; };\nint read = 1, write, pipe; bool open[5][6];\n"
            "void close(int) { write++; }\nusing namespace std;",
        ).replace(BODY, 'link<int> l; close(read); open[write][0] = true; cout << "1 1" << endl;' + BODY)
    },
    "no_results": {
        "algorithm_ST.cpp": TAUGHT.replace(
            HEAD,
            "class Point { public: int r, c; set(int a, int b) { r = a; c = b; } };\n"
            "bool worth(int n) { if (n > 9) return true; }\nint algorithm_A(Board board, Player player, int index[])",
        ).replace(BODY, "Point p; p.set(1, 2); worth(p.r); " + BODY.replace("return;", "i = -1; break;"))
    },
    "unset_variables": {
        "algorithm_A.cpp": TAUGHT.replace(
            BODY, "int rows[9], n, hit; bool no; for (; n < 9; n++) hit += rows[n]; if (hit || no) return;" + BODY
        )
    },
    "looks_outside": {
        "algorithm_A.cpp": TAUGHT.replace(
            BODY, BODY.replace("i = ROW - 1; i >= 0", "i = ROW; i >= -1").replace("j = 0; j < COL", "j = -1; j <= COL")
        )
    },
    "a_board_of_cells": {
        "algorithm_A.cpp": TAUGHT.replace("using", '#include "../include/rules.h"\nusing').replace(
            BODY,
            "Cell mine[2]; mine[0].set_capacity(2); int letter = BLUE; Player other{letter};"
            "if (mine[1].get_capacity() != 4 || LEGAL == ILLEGAL || placement_illegal(other, mine[0])) return;" + BODY,
        )
    },
    "own_checks": {
        "algorithm_A.cpp": TAUGHT.replace(
            "using",
            "static bool index_range_illegal(int i, int j) { return i + j < 0; }\nenum { LEGAL, ILLEGAL };\nusing",
        ).replace(BODY, "if (index_range_illegal(9, 9) || LEGAL) return;" + BODY)
    },
    "players_of_other_letters": {
        "algorithm_A.cpp": TAUGHT.replace(
            BODY,
            "for (int letter = 'v'; letter <= 'w'; letter++) { Board copy = board; Player ghost(letter);"
            "for (int n = 0; n < 3000; n++) copy.place_orb(n % 5, n % 6, &ghost); }" + BODY,
        )
    },
    "calls_one_of_several": {
        "my work (1)/algorithm_A.cpp": TAUGHT.replace(BODY, "algorithm_B(board, player, index);" + BODY),
        "my work (1)/algorithm_TA.cpp": RIVAL + RIVAL.partition("std;")[2].replace("_B", "_C"),
        "my work (1)/algorithm.h": '#include "board.h"\n'
        + HEAD.replace("_A", "_B")
        + ";\n"
        + HEAD.replace("_A", "_D")
        + ";",
        "my work (1)/broken.cpp": RIVAL.replace("_B", "_D").replace("{", "{ broken", 1),
    },
    "several_of_its_own": {
        "source/algorithm_ST.cpp": TAUGHT,
        "source/brilliant.cpp": RIVAL.replace("_B", "_A"),
        "source/manual.cpp": RIVAL.replace("_B", "_A").replace(BODY, "cin >> index[0];"),
        "source/algorithm_TA.cpp": RIVAL,
    },
    "another_name_in_its_file": {
        "source/algorithm_A.cpp": TAUGHT.replace("algorithm_A(", "algorithm_A2("),
        "source/algorithm_A1.cpp": RIVAL.replace("_B", "_A1"),
        "source/algorithm_TA.cpp": RIVAL,
    },
    "two_in_a_file_named_as_one": {
        "algorithm_B.cpp": TAUGHT.replace("algorithm_A", "algorithm_B") + RIVAL.partition("std;")[2].replace("_B", "_C")
    },
    "clears_the_screen": {
        **FRAMEWORK,
        "source/weak.cpp": RIVAL,
        "source/board.cpp": FRAMEWORK["source/board.cpp"]
        + '#ifdef _WIN32\n#define CLEAR "CLS"\n#elif __APPLE__\n#define CLEAR "clear"\n#endif\n'
        "#include <stdlib.h>\nvoid cleared() { system(CLEAR); }\n",
        "source/algorithm_A.cpp": TAUGHT.replace(BODY, "if (board.mine_alone() != 7) return;" + BODY),
    },
    "a_header_is_lacking": {"algorithm_A.cpp": '#include "../tools/debug.h"\n' + TAUGHT},
    "lines_that_are_no_code": {
        "algorithm_A.cpp": "Final project\n=============\n```\n"
        + TAUGHT.replace(BODY, "vector<int> v; v.push_back(1);" + BODY)
        + "```\n\n測試結果 OK\n"
    },
    "a_variable_in_a_header_of_two_files": {
        "algorithm_A.cpp": TAUGHT.replace("using", '#include "tree.h"\nusing').replace(
            BODY, "grow(); if (nodes != 1) return;" + BODY.replace("return;", "nodes = 0; return;")
        ),
        "tree.h": "#pragma once\nint nodes;\nvoid grow();\nint worth() { return 3; }\n",
        "tree.cpp": '#include "tree.h"\nvoid grow() { nodes++; }\n',
    },
    "pointers_and_macros": {
        "algorithm_A.cpp": TAUGHT.replace(
            HEAD, "#define int long long\nvoid algorithm_A(Board *board, Player const *player, signed index[])"
        ).replace(BODY, BODY.replace("board.", "board->").replace("player.", "player->"))
    },
    "the_frameworks_source_included_but_not_handed_in": {
        "algorithm_A.cpp": TAUGHT.replace("using", '#include "../source/board.cpp"\n#include "rules.cpp"\nusing')
    },
}
NOTED = {
    "lines_that_are_no_code": "this line is no code",
    "a_variable_in_a_header_of_two_files": "nodes, worth() are defined in more than one file",
    "own_framework": "its own board",
    "own_board_without_the_rest_of_the_framework": "its own board",
    "the_function_alone": "none of the course's headers",
    "no_results": "older dialect",
    "clears_the_screen": "its own board",
    "a_header_is_lacking": "../tools/debug.h, which was not handed in",
    "headers_missing": "does not include <climits>, <vector>",
    "headers_missing_and_helpers_beside": "does not include <vector>",
    "no_std": "std::",
    "names_taken": "renamed",
    "old_dialect": "older dialect",
}


@pytest.mark.parametrize("kind", KINDS)
def test_what_students_hand_in_is_recognised_builds_and_plays(kind: str, tmp_path: Path) -> None:
    assert_it_plays(hand_in(tmp_path / "given", KINDS[kind]), "algorithm", NOTED.get(kind))


PLAYOUT = """
// Reads cells, then plays a random game on our Board and prints the board after every move.
#include <cstdio>
#include "board.h"
int main() {
  int surplus, row, col, side;
  Board board;
  Player players[2] = {Player(RED), Player(BLUE)};
  while (std::scanf("%d", &surplus) == 1) {
    if (surplus >= 0) {  // a new game
      Board::ludus_keep_surplus(surplus == 1);
      board = Board();
      continue;
    }
    if (std::scanf("%d %d %d", &side, &row, &col) != 3) return 1;
    Board copy = board;
    Player mover = players[side];
    const bool placed = copy.place_orb(row, col, &mover);
    if (placed == mover.is_illegal()) return 2;
    board = copy;
    for (int i = 0; i < ROW; i++) {
      for (int j = 0; j < COL; j++) {
        if (board.get_cell_color(i, j) == 'w') std::putchar('.');
        else std::printf("%c%d", board.get_cell_color(i, j), board.get_orbs_num(i, j));
        if (board.get_capacity(i, j) <= board.get_orbs_num(i, j) && !board.win_the_game(mover)) return 3;
      }
      std::putchar(i + 1 < ROW ? '/' : ' ');
    }
    std::printf("%d %d\\n", placed, board.win_the_game(players[side]) - board.win_the_game(players[1 - side]));
  }
}
"""


@pytest.mark.parametrize("explosion", ["empties", "keeps-surplus"])
def test_our_board_follows_the_rules_move_by_move(tmp_path: Path, explosion: str) -> None:
    """Random games, the last chain of each included, with a forbidden placement now and then."""
    game, chooser = ludus.game("chain-reaction", explosion=explosion), random.Random(7)
    sent, wanted = [], []
    for _ in range(300):
        state = game.initial()
        sent.append(str(int(explosion == "keeps-surplus")))
        while state.outcome is None:
            before, mover = state.text.split()[0], state.side
            taken = [c for c in cells(state) if c[2] not in (".", "rb"[mover])]
            if taken and chooser.random() < 0.1:
                row, col, _ = chooser.choice(taken)
                sent.append(f"-1 {mover} {row} {col}")
                wanted.append(f"{before} 0 {standing(before, mover)}")
            move = chooser.choice(state.legal_moves)
            state = state.play(move)
            sent.append(f"-1 {mover} {int(move[1:]) - 1} {ord(move[0]) - ord('A')}")
            after = state.text.split()[0]
            wanted.append(f"{after} 1 {standing(after, mover)}")
            assert (state.outcome is not None) == (standing(after, mover) > 0 and len(re.findall("[rb]", after)) > 1)
    adapted = protocol("algorithm").adapt("a.cpp", TAUGHT)[1]
    ours = {name.partition("ludus/")[2]: text for name, text in adapted.items() if name.endswith(".h")}
    place(tmp_path, {"playout.cpp": PLAYOUT, **ours})
    run = compile_cpp(
        tmp_path, "playout.cpp", "-std=c++11", "-Wall", "-Wextra", "-Werror", "-fsanitize=undefined,address"
    )
    done = subprocess.run(run, cwd=tmp_path, input="\n".join(sent), capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == wanted
    assert len(wanted) > 5000


def standing(board: str, side: int) -> int:
    """Return 1 where a side alone owns cells, -1 where the other does: as the course has it, from the first orb on."""
    return ("rb"[1 - side] not in board) - ("rb"[side] not in board)


def cells(state: State) -> list[tuple[int, int, str]]:
    """Return row, column and owner of each cell."""
    rows = [re.findall(r"[rb]\d|.", row) for row in state.text.split()[0].split("/")]
    return [(r, c, cell[0]) for r, row in enumerate(rows) for c, cell in enumerate(row)]


def test_it_shows_red_first_and_the_board_as_it_stands(tmp_path: Path) -> None:
    """Also under the other explosion, and with what is outside the board."""
    asked = """
  int turns = player.get_color() == BLUE;
  Board copy = board;
  Player me = player, other(player.get_color() == RED ? BLUE : RED);
  if (player.get_color() != 'r' + turns * ('b' - 'r') || player.is_illegal()) return;
  if (board.get_orbs_num(0, 0) != 1 || board.get_cell_color(0, 0) != 'r' || board.get_cell_color(0, 1) != 'b') return;
  if (board.get_orbs_num(2, 2) != 3 || board.get_capacity(2, 2) != 4 || board.get_cell_color(4, 5) != 'w') return;
  if (board.get_cell_color(-1, 9) != ' ' || board.get_orbs_num(5, 0) != 0 || board.win_the_game(player)) return;
  if (copy.place_orb(0, turns, &me) == false || copy.place_orb(7, 7, &other) || !other.is_illegal()) return;
  if (!index_range_illegal(5, 0) || rules_violation(me) || !rules_violation(other)) return;
  index[0] = 0;
  index[1] = turns;
"""
    given = hand_in(tmp_path, {"algorithm_A.cpp": TAUGHT.replace(BODY, asked)})
    game = ludus.game("chain-reaction", explosion="keeps-surplus")
    time = Clock.parse("60/move").start()
    with BotPlayer(read_bot(given)) as bot:
        assert bot.choose(game.parse("r1b2..../....../..r3.../....../...... 1 6"), time) == "A1"
        assert bot.choose(game.parse("r1b2..../....../..r3.../....../...... 2 7"), time) == "B1"


def test_it_names_what_is_wrong(tmp_path: Path) -> None:
    speech, state = protocol("algorithm"), CHAIN.initial().play("A1")
    with pytest.raises(
        Fault, match=r"index\[0\] is -1 and index\[1\] is -1, which is outside the board of 5 rows and 6 columns"
    ):
        speech.read(situation(state), "-1 -1", [])
    with pytest.raises(Fault, match="illegal move"):
        speech.read(situation(state), "0 0", [])
    with pytest.raises(Fault, match="bad output"):
        speech.read(situation(state), "what", [])
    for options in ({"rows": 6}, {"explosion": "dies"}):
        with pytest.raises(ValueError, match="on 5x6 boards only, with explosion empties, keeps-surplus"):
            speech.ask(situation(ludus.game("chain-reaction", **options).initial()), 0)
    with pytest.raises(ValueError, match=r"a.cpp has no function void algorithm_A\(Board"):
        speech.adapt("a.cpp", "void algorithm_A();")
    with pytest.raises(ValueError, match="which of algorithm_B, algorithm_C is to play"):
        speech.adapt("b.cpp", RIVAL + RIVAL.replace("_B", "_C"))
    unset = hand_in(tmp_path, {"algorithm_A.cpp": HEADERS + HEAD + "{}"})
    with BotPlayer(read_bot(unset)) as bot, pytest.raises(Fault, match=r"index\[0\] is -1 .* without writing"):
        bot.choose(CHAIN.initial(), Clock.parse("60/move").start())


def test_index_holds_the_opponents_move_as_in_the_course() -> None:
    speech, start = protocol("algorithm"), CHAIN.initial()
    asked = situation(start.play("C2"), start=start, moves=[(0, "C2")])
    assert speech.ask(asked, 0).startswith("2 0 1 2 ")
    assert speech.ask(situation(start), 0).startswith("1 0 -1 -1 ")
    with pytest.raises(Fault, match="row 1 and column 2 are the opponent's last move"):
        speech.read(asked, "1 2", [])
    burst = CHAIN.parse(".b1..../b1..r1../....../....../...... 1 4")  # Blue's A1 exploded: it is free again
    assert speech.read(situation(burst, moves=[(1, "A1")]), "0 0", []) == "A1"


def test_one_of_several_algorithms_can_be_named_and_is_asked_for_otherwise(tmp_path: Path) -> None:
    files = {"one.cpp": TAUGHT, "two.cpp": RIVAL.replace("_B", "_A"), "three.cpp": RIVAL}
    given = hand_in(tmp_path, files)
    with pytest.raises(ValueError, match=r"which of these files is the program: one.cpp, three.cpp, two.cpp"):
        read_bot(given)
    (given / "bot.toml").write_text('main = "three.cpp"\n')
    bot = read_bot(given)
    assert (bot.protocol, bot.main) == ("algorithm", "three.cpp")
    with BotPlayer(bot) as player:
        assert player.choose(CHAIN.initial(), Clock.parse("60/move").start()) == "A1"


def test_what_does_not_compile_is_shown_as_the_student_wrote_it(tmp_path: Path) -> None:
    broken = TAUGHT.replace("index[0] = i;", "index[0] = ;")
    report = check(read_bot(hand_in(tmp_path, {"source/algorithm_A.cpp": broken, **FRAMEWORK})), "x", "chain-reaction")
    assert not report.passed
    assert "source/algorithm_A.cpp:11:20: error: expected primary-expression" in report.findings[-1].log
    assert "ludus_" not in report.findings[-1].text


def test_the_check_plays_whole_games_and_notes_what_was_lent(tmp_path: Path) -> None:
    given = hand_in(tmp_path, {**KINDS["headers_missing"], "include/readme.txt": "x"})
    report = check(read_bot(given), str(given), clock="60/move")
    assert report.passed, report.findings
    assert report.game == "chain-reaction"
    notes = [finding.text for finding in report.findings if finding.verdict == WARNING]
    assert any(
        "it does not include <climits>, <vector>; it was built with the common headers" in note for note in notes
    )


@pytest.mark.parametrize(
    ("does", "why", "where"),
    [
        (
            "int* nothing = NULL; index[0] = *nothing;",
            "SIGSEGV before it answered: it used memory",
            "algorithm_A.cpp:6",
        ),
        ("throw 3;", "SIGABRT before it answered: an exception that nothing caught", "algorithm_A.cpp:6"),
        ("index[0] = deep(1) ;", "SIGSEGV before it answered: it used memory", "algorithm_A.cpp:5"),
        (
            "index[1] = 700 / index[40];",
            "SIGFPE before it answered: it divided a whole number by zero",
            "algorithm_A.cpp:6",
        ),
    ],
)
def test_a_crash_is_explained_and_its_line_is_named(tmp_path: Path, does: str, why: str, where: str) -> None:
    deep = "int deep(int n) { volatile char a[999]; a[n % 999] = 1; return deep(n + 1) + a[0]; }\n"
    text = "#include <stdlib.h>\n" + HEADERS + deep + HEAD + "{" + does + "}\n"
    with BotPlayer(read_bot(hand_in(tmp_path, {"source/algorithm_A.cpp": text}))) as bot:
        with pytest.raises(Fault, match=why):
            bot.choose(CHAIN.initial(), Clock.parse("60/move").start())
        assert f"it crashed here (the innermost place first):\n{where}\n" in bot.log


def test_a_declaration_or_a_call_is_no_sign() -> None:
    declared = HEAD + ";\nint main() { algorithm_A(board, player, index); }\n// " + HEAD + " {"
    assert recognised_protocol(Source("a.cpp", "cpp", declared))[0] == "lines"
    assert recognised_protocol(Source("a.cpp", "cpp", TAUGHT))[0] == "algorithm"
    assert recognised_protocol(Source("a.py", "python", TAUGHT))[0] == "lines"


@pytest.mark.parametrize("limited", [True, False], ids=["a control group", "counted"])
def test_a_program_that_frees_nothing_goes_on_after_it_was_started_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limited: bool
) -> None:
    """Each move keeps 90 MB of 300, which is more than the limit after four."""
    if not limited:
        monkeypatch.setattr(cgroup, "hierarchy", lambda: None)
    keeps = "static int moves; moves++; for (int n = 0; n < 9; n++) memset(new char[10 << 20], moves, 10 << 20);"
    text = TAUGHT.replace("#include <iostream>", "#include <cstring>\n#include <iostream>").replace(BODY, keeps + BODY)
    hand_in(tmp_path, {"algorithm_A.cpp": text, "bot.toml": "[limits]\nmemory_mb = 300\n"})
    with BotPlayer(read_bot(str(tmp_path))) as bot:
        match = Match(CHAIN.initial(), ("keeps", "random:seed=1"), Clock.parse("60/move"))
        random_player = player("random:seed=1", CHAIN)
        while match.outcome is None:
            match.ask((bot, random_player)[match.state.side])
        assert match.outcome.reason == "rules"
        assert {note.code for note in bot.notes} == {"bots.note_started_again"}


def test_a_program_that_needs_too_much_for_one_move_is_not_started_again(tmp_path: Path) -> None:
    text = TAUGHT.replace(
        BODY, "volatile int *all = new int[1 << 28]; for (int n = 0; n < 1 << 28; n++) all[n] = n;" + BODY
    )
    hand_in(tmp_path, {"algorithm_A.cpp": text, "bot.toml": "[limits]\nmemory_mb = 300\n"})
    with BotPlayer(read_bot(str(tmp_path))) as bot, pytest.raises(Fault) as caught:
        bot.choose(CHAIN.initial(), Clock.parse("60/move").start())
    assert (caught.value.kind, bot.notes) == ("memory", [])
