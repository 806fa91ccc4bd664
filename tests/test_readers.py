"""No reader of strangers' text is worse than linear: a text eight times as long takes about eight times the work.

Every reader meets every text that has made a reader slow somewhere. What is measured is CPU time, and only how it
grows; a quadratic reader takes 64 times the work for eight times the text.
"""

from __future__ import annotations

import contextlib
import functools
import gc
import os
import random
import re
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest
from more_readers import BYTES, TEXTS, is_ours

import ludus
from ludus.bots import bot_of
from ludus.bots.languages import java_class
from ludus.bots.reading import decoded
from ludus.bots.source import File
from ludus.courses.roster import Person, Roster, read_roster
from ludus.courses.similarity import CodeFile, passages
from ludus.drawing.svg import safe
from ludus.errors import Fault
from ludus.files import read_toml
from ludus.game import read_move, read_options, read_position
from ludus.play.clock import Clock
from ludus.play.moves import looks_like_moves, read_moves
from ludus.play.player import Situation
from ludus.play.record import PlayedMove, Record, escape
from ludus.players import player
from ludus.protocols import Source, protocol, read_answer, recognised_protocol
from ludus.protocols.class_ import classes_with_move
from ludus.protocols.cpp import without_comments
from ludus.protocols.files import output_move
from ludus.reports.bot import HEART, readme_block, readme_blocks
from ludus.store.accounts import read_name
from ludus.tournament.output import natural_order, record_name
from ludus.web.analysis.positions import read_any
from ludus.web.matches.live import BOTS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

SMALL, LARGE = 400, 3_200
"""Characters: the large text is eight times as long."""
MOST_GROWTH = 24.0
"""Between the 8 of a linear reader and the 64 of a quadratic one."""
FLOOR_SECONDS = 0.0002
"""Less than this is too little to measure: it counts as so much."""
TRIES = 4

UNITS = (
    *(" ", "\t", "\n", "\r\n", "\r", "\u3000", "\ufeff", "\x00", "\x1b[", "\\", '"', "'", "`", "{", "}", "[", "]"),
    *("(", ")", "<", ">", ";", ":", "::", "=", "#", "-", "+", ".", ",", "/", "*", "|", "&", "_", "a", "A", "0", "7"),
    *("/*", "*/", "/* ", "//", "//\\\n", "\\\n", "/*\n", '"""', "'''", "{}", "[]", "()", "{ ", "} ", "[ ", "; "),
    *("a ", "1 ", "1.", "1. ", "A1 ", "0,0 ", "a=b ", "a:", "a::", "a :: ", "<a", "<!--", "```\n", "# ", "- "),
    *("\n\n", "\n \n", "\n#", "enum ", "enum class ", "class ", "class a ", "public class ", "final "),
    *("using Color ", "} Color ", "namespace a{", "makeMove(", "makeMove (", "getX", "makeMove(=0", "def choose "),
    *("def\n", "bestmove ", "ugi ", 'x "', '\\"', '#include "', '\n#include "a"\n', '[A "', '[Game "cantris"]\n'),
    *("{1s +1 x} ", "{1", "[a]", "r1", ".../", "1/", "1,2\n", "pass", "ponder ", "answer 0 ", "info ", "é", "😀", "中"),
    *("{a", "1 , ", "1,", "1-0", "1/2-", "1 1", "{ } "),
    *("a, ", "it wrote ", "; a", "}Color", "struct\n", "b: > = ", ".a"),
)
"""Texts whose repetition has two ways to be read somewhere."""
ENDS = ("", " x!}")
"""What stands behind it, so that a reader must turn back."""


class Reader(NamedTuple):
    """Something that reads what strangers write, and what may stand before and behind the worst of it."""

    read: Callable[[str], object]
    before: tuple[str, ...] = ("",)
    ends: tuple[str, ...] = ENDS


CAVE = ludus.game("magnetic-cave").initial()
CHAIN = ludus.game("chain-reaction").initial()
HEAD = '[Game "magnetic-cave"]\n'


def situation(state: Any) -> Situation:
    time_left = Clock.parse("1/move").start()
    return Situation(state, (), state, (time_left, time_left))


def answer(name: str, state: Any) -> Callable[[str], object]:
    """Return the reader of a bot's line in a protocol: a line ends at its first newline."""
    speech, asked = protocol(name), situation(state)
    return lambda text: read_answer(speech, asked, text.replace("\n", " "), [])


def bot(name: str, speech: str | None = None, *, more: dict[str, bytes] | None = None) -> Callable[[str], object]:
    """Return the reader of a submitted source file of that name."""
    beside = {other: File(data) for other, data in (more or {}).items()}
    return lambda text: bot_of({name: File(text.encode("utf-8", "replace")), **beside}, Path("bot"), speech)


def named_player(text: str) -> object:
    """Read a player's text, unless it is the path of something on this machine."""
    return None if os.path.exists(text) else player(text)  # noqa: PTH110 - no path can be so long as some texts


ALGORITHM = "void algorithm_A(Board board, Player player, int index[]) {}\n"
CLASS = "class Student { public: void makeMove(int); int getX(); int getY(); };\n"
ROSTER = Roster([Person("106001", "Ann Lee", "ann@x.tw", "red"), Person("106002", "Bo")])
READERS: dict[str, Reader] = {
    "roster": Reader(lambda text: read_roster(text.encode(), "roster.csv"), ("", "id,name\n", "id\n1", "id,name\n1,")),
    "who handed in": Reader(lambda text: (ROSTER.find(Person(text, text, text)), ROSTER.closest(Person(text, text)))),
    "record": Reader(Record.parse, ("", HEAD, '[Game "', '[Game "magnetic-cave"]\n[Start "', f"{HEAD}1. A1 {{")),
    "record header's value": Reader(Record.parse, (f'{HEAD}[First "', f"{HEAD}[First ", "[")),
    "record move list": Reader(Record.parse, (f"{HEAD}1. A1 ", f"{HEAD}1. A1 {{1.5s +", f"{HEAD}1. A1 {{x ")),
    "record written": Reader(lambda text: (escape(text), PlayedMove("A1", comment=text).text)),
    "brought to the page": Reader(lambda text: read_any("cantris", text), ("", "1212/", "3\n2\n1.0\n", "1 2 1 2\n")),
    "list of moves": Reader(lambda text: (looks_like_moves(text), read_moves(CHAIN, text)), ("", "1. A1 ")),
    "options": Reader(lambda text: read_options(text.split())),
    "clock": Reader(Clock.parse, ("", "cpu:", "1+")),
    "player": Reader(named_player, ("engine:", "random:seed=", "lines:'")),
    "account's name": Reader(read_name),
    "move of a person": Reader(lambda text: read_move(CAVE, text), ("", "A", "1 ")),
    "bot.toml": Reader(bot("bot.toml", more={"main.py": b"print()"}), ("name = ", 'name = "', "run = [")),
    "settings": Reader(lambda text: read_toml(text, "file"), ("", "a = [", "a = {", "a")),
    "python source": Reader(bot("main.py"), ("", "def choose", "print x\n", "from . ")),
    "java source": Reader(bot("Main.java"), ("", "class A {", "public ", "public class A {")),
    "javascript source": Reader(bot("main.js")),
    "c++ source": Reader(bot("main.cpp"), ("", 'system("', '#include "', "#include <windows.h>\nvoid main(", 'f("C:/')),
    "c++ sources": Reader(bot("main.cpp", "files", more={"b.h": b"", "c.cpp": b"int main() {}"}), ("", '#include "')),
    "class source": Reader(bot("main.cpp", "class"), (CLASS, f"{CLASS}class A")),
    "class source without a class": Reader(bot("main.cpp", "class"), ends=("",)),
    "class header": Reader(bot("main.cpp", "class", more={"b.cpp": CLASS.encode()}), (f'{CLASS}#include "b.cpp"\n',)),
    "encoding of a source": Reader(lambda text: decoded(text.encode("cp950", "replace"))),
    "algorithm source": Reader(bot("main.cpp", "algorithm"), (ALGORITHM, f"{ALGORITHM}void algorithm_B(")),
    "comments": Reader(without_comments),
    "java class": Reader(lambda text: java_class("Main.java", text), ("", "public ", "class A ")),
    "readme": Reader(
        lambda text: readme_blocks(bot_of({"main.py": File(b""), "README.md": File(text.encode())}, Path("bot")))
    ),
    "block of a readme": Reader(readme_block, ("", "#", "- ")),
    "heart of a source": Reader(HEART.search),
    "lines": Reader(answer("lines", CAVE), ("", "My move: ", "A")),
    "ugi": Reader(answer("ugi", CAVE), ("", "bestmove ", "info ")),
    "class": Reader(answer("class", CHAIN), ("", "1 ", "-")),
    "python": Reader(answer("python", CAVE), ("", '{"move": "', '{"move": ', '{"thing": "')),
    "files": Reader(answer("files", CAVE), ("", "answer 0 ", "answer 1 ")),
    "records of a tournament": Reader(lambda text: (natural_order((text, 0, 0)), record_name(text, 0, 0))),
    "picture": Reader(safe),
    "record of a match": Reader(BOTS.findall, ("", '[First "', '[First "bot:')),
}


def likeness(text: str, language: str) -> None:
    """Compare a source with itself."""
    source = CodeFile.of("bot", text, language)
    passages([source], [source], frozenset())


def of_language(name: str) -> dict[str, Reader]:
    """Return the readers of sources in a language."""
    return {
        f"protocol of {name}": Reader(
            lambda text: recognised_protocol(Source("main.x", name, text)), ("", "makeMove(", "def choose")
        ),
        f"likeness of {name}": Reader(lambda text: likeness(text, name)),
    }


def of_game(name: str) -> dict[str, Reader]:
    """Return the readers of a game's positions, files and moves."""
    played = ludus.game(name)
    start = played.initial(1)
    return {
        f"position of {name}": Reader(played.parse, ("", start.text, start.text.partition(" ")[0])),
        f"board file of {name}": Reader(
            lambda text: read_position(played, text, "file"), ("", "1\n", "2\n2\n", f"{start.text}\n")
        ),
        f"course's move of {name}": Reader(lambda text: played.read_move(start, text), ("", "1", "1 ", "1 1")),
        f"output.txt of {name}": Reader(lambda text: output_move(start, text, []), ("", f"{start.legal_moves[0]}\n")),
    }


READERS |= {name: Reader(read, before) for name, (read, before) in TEXTS.items()}
for _name in ("python", "cpp", "javascript"):
    READERS |= of_language(_name)
for _name in ludus.games():
    READERS |= of_game(_name)


def texts(reader: Reader) -> Iterator[Callable[[int], str]]:
    """Return the texts that a reader meets, each as a function of its length."""
    for before in reader.before:
        for unit in UNITS:
            for end in reader.ends:
                yield functools.partial(repeated, before, unit, end)


def repeated(before: str, unit: str, end: str, size: int) -> str:
    """Return a text of about that length."""
    return before + unit * (size // len(unit)) + end


def seconds(reader: Reader, text: str) -> float:
    """Measure the CPU time of one reading, whatever comes of it."""
    began = time.thread_time()
    with contextlib.suppress(ValueError, Fault):
        reader.read(text)
    return time.thread_time() - began


def growth(reader: Reader, made: Callable[[int], str]) -> float:
    """Return how the work grows from the small text to the large one.

    The shortest time of the large text against the longest of the small one: whatever disturbs a measurement is
    forgiven, and a quadratic reader is found all the same. Each text is a little longer than the last one, since some
    readers remember what they have read.
    """
    small, large = FLOOR_SECONDS, float("inf")
    for again in range(2 * TRIES):
        if again % 2:
            small = max(small, seconds(reader, made(SMALL + 20 * again)))
        else:
            large = min(large, seconds(reader, made(LARGE + 20 * again)))
        if large <= MOST_GROWTH * small:
            break
    return large / small


@pytest.mark.parametrize("name", READERS)
def test_no_reader_is_worse_than_linear(name: str) -> None:
    reader = READERS[name]
    seconds(reader, "warm")
    gc.disable()
    try:
        slow = {repr(made(40)): round(rate) for made in texts(reader) if (rate := growth(reader, made)) > MOST_GROWTH}
    finally:
        gc.enable()
    assert not slow


def test_a_quadratic_reader_is_found() -> None:
    assert growth(Reader(re.compile(r"\s+x").search), functools.partial(repeated, "", " ", "")) > MOST_GROWTH


WORST = ("", "1" * 5000, "a = " + "1" * 5000, "--1", "1e400", "nan", "\n" * 9, "\x1f")
"""Texts with which something of Python's own raises an error that is none of ours."""
MUTATIONS = 60
"""Inputs that every reader is tried with here; `make fuzz` tries a million."""


def mutated(seeds: Sequence[bytes], chooser: random.Random) -> bytes:
    """Return something that a reader almost reads: one of the seeds with a few changes."""
    data = bytearray(chooser.choice(seeds))
    for _ in range(chooser.randrange(1, 5)):
        at, size = chooser.randrange(len(data) + 1), chooser.randrange(1, 9)
        match chooser.randrange(4):
            case 0:
                data[at : at + size] = chooser.randbytes(size)
            case 1:
                del data[at : at + size]
            case 2:
                data[at:at] = data[max(0, at - size) : at] * chooser.randrange(1, 9)
            case _:
                data[at:at] = chooser.choice(UNITS).encode()
    return bytes(data)


@pytest.mark.parametrize("name", [*READERS, *BYTES])
def test_whatever_is_read_an_error_is_ours(name: str) -> None:
    chooser = random.Random(name)
    binary = name in BYTES
    seeds = BYTES[name].before if binary else [text.encode() for text in READERS[name].before]
    read: Callable[[Any], object] = BYTES[name].read if binary else READERS[name].read
    worst = [] if binary else [f"{before}{one}".encode() for before in READERS[name].before for one in WORST]
    for data in [*seeds, *worst, *(mutated(seeds, chooser) for _ in range(MUTATIONS))]:
        try:
            read(data if binary else data.decode("utf-8", "replace"))
        except Exception as error:
            if not is_ours(error):
                raise AssertionError(data) from error


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("a = " + "[" * 60_000, "nested too deeply"),
        ("a" + ".a" * 30_000 + " = 1", "more than 100 dots"),
        ("a = 1\n" * 60_000, "longer than 256 kB"),
        (b"a = '\xff'", "not valid TOML"),
        ("a = ", "not valid TOML"),
    ],
)
def test_bad_settings_get_one_sentence(text: str | bytes, says: str) -> None:
    with pytest.raises(ValueError, match=says) as refusal:
        read_toml(text, "bot.toml")
    assert str(refusal.value).startswith("bot.toml")
    assert "\n" not in str(refusal.value)


def test_comments_are_read_as_before() -> None:
    played = Record.parse(f"{HEAD}1. A1 {{ 1.5s\t +0.25  went  well }} H1 {{2s}} 2. A2 {{-3}} H2 {{12.s +.5 }}\n")
    assert played.moves == [
        PlayedMove("A1", 1.5, 0.25, "went  well"),
        PlayedMove("H1", 2.0),
        PlayedMove("A2", None, -3.0),
        PlayedMove("H2", None, None, "12.s +.5"),
    ]


def test_a_class_is_found_behind_numbers_with_separators_and_texts_that_nobody_closes() -> None:
    source = "int most = 1'000'000; // don't\n#error don't {\n"
    source += "namespace a { class Mine final : public B::Base { bool makeMove(int); }; }"
    plain = without_comments(source)
    assert "1'000'000" in plain
    assert list(classes_with_move(plain)) == ["::a::Mine"]
    promised = "class Base { virtual bool makeMove(int) = 0; }; struct Own : Base { bool makeMove(int) override; };"
    assert list(classes_with_move(promised)) == ["::Own"]
    assert list(classes_with_move("bool a::Own::makeMove(int) { }")) == ["::a::Own"]
    assert list(classes_with_move("template <class T> void makeMove(T);")) == []
