"""Every way in which a program can fail, in every protocol in which it can: each is named as docs/referee.md says."""

from __future__ import annotations

import textwrap
from pathlib import Path

import pytest

import ludus
from ludus.errors import FAULTS
from ludus.protocols import protocols
from ludus.sandbox import cgroup

CHAIN = ludus.game("chain-reaction", rows=5, cols=6)
MEMORY_MB = 300

PROGRAMS = {
    "lines": """
import os, signal, sys, time
say = lambda text: print(text, flush=True)
input()
TROUBLE
""",
    "ugi": """
import os, signal, sys, time
say = lambda text: print("bestmove", text, flush=True)
for line in sys.stdin:
    if line.startswith("ugi\\n"): print("ugiok", flush=True)
    if line.startswith("isready"): print("readyok", flush=True)
    if line.startswith("go"):
        TROUBLE
""",
    "files": """
import os, signal, sys, time
say = lambda text: open("output.txt", "w").write(text + "\\n")
TROUBLE
""",
    "python": """
import os, signal, sys, time
def choose(state, clock):
    told = []
    say = told.append
    TROUBLE
    return told[0]
""",
    "class": """
#include <csignal>
#include <cstdlib>
#include <string>
#include <unistd.h>
#include <vector>
class Student {
  int x = 0, y = 0;
 public:
  void makeMove(int Record[5][6], int Max[5][6], Color color[5][6], Color inputColor) {
    TROUBLE
  }
  int getX() { return x; }
  int getY() { return y; }
};
""",
    "algorithm": """
#include <csignal>
#include <cstdlib>
#include <string>
#include <unistd.h>
#include <vector>
#include "../include/algorithm.h"
void algorithm_A(Board board, Player player, int index[]) {
  int x = 0, y = 0;
  TROUBLE
  index[0] = x;
  index[1] = y;
}
""",
    "console": """
import os, signal, sys, time
say = lambda text: print("I play", text, flush=True)
TROUBLE
input("Enter your move: ")
""",
}
"""A program in each protocol that does TROUBLE when it is asked for its first move."""

TROUBLES = {
    "memory": "hog = bytearray(1 << 30)\nfor i in range(0, len(hog), 4096): hog[i] = 1\nsay('A1')",
    "too-much-output": "say('x' * (1 << 22))",
    "timeout": "time.sleep(60)",
    "crash": "sys.exit(3)",
    "crash by a signal": "os.kill(os.getpid(), signal.SIGSEGV)",
    "crash by a kill": "os.kill(os.getpid(), signal.SIGKILL)",
    "no-answer": "sys.exit(0)",
    "no-answer, but it lives on": "os.closerange(0, 64)\ntime.sleep(60)",
    "bad-output": "say('hello')",
    "illegal-move": "say('Z9')",
}
CLASS_TROUBLES = {
    "memory": "std::vector<char> hog(1u << 30, 1); x = hog[getpid()];",
    "too-much-output": "std::string big(100000, 'x'); for (int i = 3; i < 9; i++) (void)!write(i, big.data(), 100000);",
    "timeout": "sleep(60);",
    "crash": "exit(3);",
    "crash by a signal": "raise(SIGSEGV);",
    "crash by a kill": "raise(SIGKILL);",
    "no-answer": "exit(0);",
    "no-answer, but it lives on": "for (int i = 0; i < 64; i++) close(i); sleep(60);",
    "bad-output": 'for (int i = 3; i < 9; i++) (void)!write(i, "hello\\n", 6);',
    "illegal-move": "x = -1;",
}
LIVES_ON = "no-answer, but it lives on"
BUT = {("files", LIVES_ON), ("console", LIVES_ON), ("console", "illegal-move")}
"""What cannot happen: the answer of `files` is a file, and its output is not listened to; who closes a terminal is hung
up, and on its screen only a legal move is a move."""
FILES = {"class": "student.h", "algorithm": "algorithm_A.cpp"}
SCRIPT = """
[console]
enter = { text = "{letter}{row}", count_from = 1 }
shows = { text = "I play {letter}{row}", count_from = 1 }
"""
CASES = [(name, trouble) for name in PROGRAMS for trouble in TROUBLES if (name, trouble) not in BUT]


def write_bot(folder: Path, protocol: str, trouble: str, config: str = "") -> str:
    """Write a bot that gets into trouble."""
    main = FILES.get(protocol, "main.py")
    text = PROGRAMS[protocol]
    line = next(line for line in text.splitlines() if line.strip() == "TROUBLE")
    text = text.replace(line, textwrap.indent(trouble, line.removesuffix("TROUBLE")))
    (folder / main).write_text(text)
    limits = f"[limits]\nmemory_mb = {MEMORY_MB}\n"
    script = SCRIPT if protocol == "console" else ""
    (folder / "bot.toml").write_text(f'protocol = "{protocol}"\n{config}{limits}{script}')
    return str(folder)


def outcome(bot: str, clock: str = "60/move") -> ludus.Outcome | None:
    return ludus.play_match(CHAIN, (bot, "random:seed=1"), clock).outcome


def kind_of(trouble: str) -> str:
    return trouble.split(maxsplit=1)[0].strip(",")


def test_the_table_is_whole() -> None:
    assert set(PROGRAMS) == set(protocols())
    assert {kind_of(trouble) for trouble in TROUBLES} | {"build-failed"} == set(FAULTS)
    assert TROUBLES.keys() == CLASS_TROUBLES.keys()


@pytest.mark.parametrize(("protocol", "trouble"), CASES)
def test_each_fault_has_its_name_in_each_protocol(tmp_path: Path, protocol: str, trouble: str) -> None:
    code = (CLASS_TROUBLES if protocol in FILES else TROUBLES)[trouble]
    kind = kind_of(trouble)
    clock = "1/move" if kind == "timeout" else "60/move"
    assert outcome(write_bot(tmp_path, protocol, code), clock) == ludus.Outcome(1, kind)


@pytest.mark.parametrize("protocol", PROGRAMS)
def test_memory_is_named_without_control_groups_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, protocol: str
) -> None:
    monkeypatch.setattr(cgroup, "hierarchy", lambda: None)
    code = (CLASS_TROUBLES if protocol in FILES else TROUBLES)["memory"]
    assert outcome(write_bot(tmp_path, protocol, code)) == ludus.Outcome(1, "memory")


@pytest.mark.parametrize("protocol", PROGRAMS)
def test_a_failed_build_has_its_name_in_each_protocol(tmp_path: Path, protocol: str) -> None:
    if protocol == "class":
        bot = write_bot(tmp_path, protocol, "return nothing;")
    else:
        bot = write_bot(tmp_path, protocol, "pass", "build = 'exit 3'\nrun = 'python3 main.py'\n")
    assert outcome(bot) == ludus.Outcome(1, "build-failed")
